"""What strangers read first about this installation, in a lead's words."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext

from annotation.limits import refuse_unfit
from annotation.models import Membership
from boards.models import FrontPage
from boards.triggers import LIMITS
from core.errors import NotAllowed


def front_page_text() -> str:
    """Return the words of the front page, empty where nobody wrote any."""
    return FrontPage.objects.values_list("text", flat=True).first() or ""


def may_edit(user: Any) -> bool:
    """Whether this account writes the front page: that of a lead, or of whoever runs the installation."""
    if not user.is_authenticated:
        return False
    return user.is_staff or Membership.objects.filter(user=user.pk, is_lead=True, is_active=True).exists()


def require_may_edit(user: Any) -> None:
    """Refuse whoever leads no project here."""
    if not may_edit(user):
        raise NotAllowed(gettext("Leads write the front page. Ask one of them."))


def front_page_write(*, text: str, user: Any) -> None:
    """Put other words on the front page. Raises NotAllowed for whoever leads no project here."""
    require_may_edit(user)
    refuse_unfit(LIMITS["frontpage"], text=text)
    if text.strip() != front_page_text():
        FrontPage.objects.create(text=text.strip(), user=user)
