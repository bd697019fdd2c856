"""The page in which annotators decide and highlight; its data comes from the API."""

from pathlib import Path
from typing import Any

from django.contrib.staticfiles import finders
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe

from annotation import access
from annotation.models import Membership, Protocol, Round
from frontend.decorators import login_required
from frontend.pages.common import lead_or_403
from frontend.templatetags.given_texts import text_language

MODULES = (
    "lib/api",
    "pages/base",
    "workspace/clock",
    "workspace/commands",
    "workspace/comment_flag",
    "lib/dialogs",
    "lib/i18n",
    "workspace/keys",
    "lib/leaving",
    "workspace/unit_list",
    "workspace/saving/login",
    "lib/markdown",
    "workspace/note_form",
    "lib/offsets",
    "workspace/saving/outbox",
    "workspace/pace",
    "workspace/text/reading",
    "workspace/protocol_rules",
    "workspace/saving/sender",
    "workspace/session",
    "workspace/shell",
    "workspace/suggestion",
    "workspace/supply",
    "workspace/saving/storage",
    "workspace/saving/tabs",
    "workspace/training_end",
    "workspace/text/text_view",
    "workspace/units",
    "workspace/answer_text",
    "workspace/text/given",
    "workspace/text/segmentation",
)
PAGE_MODULES: dict[str, tuple[str, ...]] = {
    Protocol.FOCUS: (
        "workspace/focus/focus_page",
        "workspace/focus/pointing",
        "workspace/focus/exemplar",
        "workspace/focus/type_card",
        "workspace/text/selection",
        "workspace/focus/span_keys",
    ),
    Protocol.CQS_GEN: ("workspace/questions/question_card", "workspace/questions/questions_page"),
    "matching": (
        "workspace/questions/question_card",
        "workspace/questions/questions_page",
        "workspace/questions/matching_page",
        "workspace/questions/reference_filter",
    ),
}
"""Every script that the workspace imports, and those of each page: named in the page, so that the
browser asks for all at once."""


@require_safe
@never_cache
@login_required
@ensure_csrf_cookie
def workspace(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Render the empty workspace of a round.

    The page holds no text and no name: it may be kept for working offline, and the next person at this
    computer must not find the last one's.
    """
    member = access.member_or_404(request.user, slug)
    access.require_annotator(member)
    found = access.round_or_404(member, number)
    return render(request, "frontend/workspace/workspace.html", _context(member, found))


@require_safe
@login_required
@never_cache
@ensure_csrf_cookie
def key_workspace(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Render the workspace in which a lead answers the units of a draft training round: its key."""
    member = lead_or_403(request, slug)
    found = access.round_or_404(member, number)
    if found.purpose != Round.Purpose.TRAINING or found.status != Round.Status.DRAFT:
        return redirect("round_key" if found.purpose == Round.Purpose.TRAINING else "round", slug, number)
    return render(request, "frontend/workspace/workspace.html", _context(member, found, "key-"))


def _context(member: Membership, round: Round, part: str = "") -> dict[str, Any]:
    """Return what the page is made of; `part` leads to the addresses of a round's key."""
    slug, number, protocol = member.project.slug, round.number, member.project.protocol
    return {
        "slug": slug,
        "number": number,
        "protocol": protocol,
        "text_lang": text_language(member.project),
        "round_key": f"{member.project_id}/{round.pk}{'/key' if part else ''}",
        "urls": {
            name: reverse(f"api-{part}{name}", args=[slug, number])
            for name in ("workspace", "units", "judgements")
        },
        "outline_url": "" if part else reverse("api-outline", args=[slug, number]),
        "for_key": bool(part),
        "back": reverse("round_key", args=[slug, number]) if part else reverse("project", args=[slug]),
        "matching": round.matching,
        "suggestions": bool(round.suggestions) and not part,
        "modules": [
            f"frontend/js/{name}.js"
            for name in (*MODULES, *PAGE_MODULES["matching" if round.matching else protocol])
        ],
    }


@require_safe
@never_cache
def signed_in(request: HttpRequest) -> HttpResponse:
    """Tell the workspace that waits in another window that someone logged in, and close this one."""
    return render(request, "frontend/workspace/signed_in.html")


@require_safe
def service_worker(request: HttpRequest) -> HttpResponse:
    """Serve the worker that keeps the workspace for offline reloads, from a path whose scope is /p/."""
    path = finders.find("frontend/js/workspace/saving/offline_worker.js")
    if path is None:
        raise Http404(gettext("There is no service worker."))
    script = Path(path).read_bytes()
    return HttpResponse(
        script, content_type="text/javascript; charset=utf-8", headers={"Cache-Control": "no-cache"}
    )
