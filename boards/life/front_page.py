"""What strangers read first about this installation, in a lead's words."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext

from annotation.access import may_make_projects
from annotation.limits import refuse_unfit
from boards.models import FrontPage
from boards.triggers import LIMITS
from core.errors import NotAllowed


def front_page_text() -> str:
    """Return the words of the front page, empty where nobody wrote any."""
    return FrontPage.objects.values_list("text", flat=True).first() or ""


def front_page_write(*, text: str, user: Any) -> None:
    """Put other words on the front page. Raises NotAllowed for whoever may not make projects."""
    if not may_make_projects(user):
        raise NotAllowed(gettext("Who may make projects here may write the front page."))
    refuse_unfit(LIMITS["frontpage"], text=text)
    if text.strip() != front_page_text():
        FrontPage.objects.create(text=text.strip(), user=user)
