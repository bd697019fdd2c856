"""What pages say about the installation that they run on."""

from dataclasses import dataclass
from typing import Any

from django import template
from django.conf import settings
from django.contrib.auth import get_user_model
from django.utils.translation import gettext_lazy

from annotation.sample import LOGINS
from frontend.emails import mail_is_configured

register = template.Library()

WHO = {
    "lea": gettext_lazy("leads both projects: imports, rounds, agreement, releases"),
    "ada": gettext_lazy("annotates with a steady hand; a training round and open rounds wait for her"),
    "ben": gettext_lazy("annotates too, and says yes more often than the others"),
    "chloe": gettext_lazy("annotates too, and is the strictest of the three"),
}
"""Who the people of the sample are, by user name."""


@dataclass(frozen=True, slots=True)
class SamplePerson:
    """Somebody of the sample as the log-in page offers them."""

    login: str
    password: str
    who: Any

    @property
    def name(self) -> str:
        return "Chloé" if self.login == "chloe" else self.login.capitalize()


@register.simple_tag
def sends_mail() -> bool:
    """Whether e-mail leaves this installation."""
    return mail_is_configured()


@register.simple_tag
def sample_people() -> list[SamplePerson]:
    """Return whom the log-in page offers with one click: nobody but where `serve --sample-logins` runs.

    Their passwords are known to everybody, so they never stand on the page of a real installation.
    """
    if not (settings.SAMPLE_LOGINS_ALLOWED and settings.SAMPLE_LOGINS_SHOWN):
        return []
    names = [login for _, login, _ in LOGINS]
    there = set(get_user_model().objects.filter(username__in=names).values_list("username", flat=True))
    return [
        SamplePerson(login, password, WHO.get(login, "")) for _, login, password in LOGINS if login in there
    ]
