"""What the log-in page says to a stranger who comes from a board."""

from urllib.parse import urlsplit

from django import template
from django.http import HttpRequest
from django.urls import Resolver404, get_script_prefix, resolve
from django.utils.http import url_has_allowed_host_and_scheme

from boards.life.boards import public_board_or_404
from boards.models import Board
from core.errors import NotFound

register = template.Library()

HANDING_IN = {"board_hand_in"}
READING = {"board_team", "board_entry"}
"""The pages of a team on a board, by what one does there."""


@register.simple_tag(takes_context=True)
def wanted_board(context: template.Context) -> dict[str, Board | bool] | None:
    """Return the board to a page of which whoever logs in goes on, and whether to hand in there.

    None where it is another page, another site's, or a board that a stranger may not see.
    """
    request: HttpRequest = context["request"]
    wanted = request.POST.get("next") or request.GET.get("next", "")
    if not url_has_allowed_host_and_scheme(wanted, {request.get_host()}, request.is_secure()):
        return None
    path, prefix = urlsplit(wanted).path, get_script_prefix()
    try:
        page = resolve("/" + path.removeprefix(prefix)) if path.startswith(prefix) else None
    except Resolver404:
        return None
    if page is None or page.url_name not in HANDING_IN | READING:
        return None
    try:
        board = public_board_or_404(page.kwargs["slug"], page.kwargs["name"])
    except NotFound:
        return None
    return {"board": board, "handing_in": page.url_name in HANDING_IN}
