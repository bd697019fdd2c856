"""The page in which annotators decide and highlight; its data comes from the API."""

from pathlib import Path

from django.contrib.staticfiles import finders
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe

from annotation import access
from annotation.models import Protocol
from frontend.signing_in import login_required
from frontend.templatetags.given_texts import text_language

MODULES = (
    "api",
    "base",
    "clock",
    "controls",
    "dialogs",
    "i18n",
    "keys",
    "leaving",
    "listing",
    "login",
    "markdown",
    "note",
    "offsets",
    "outbox",
    "rules",
    "sender",
    "session",
    "shell",
    "storage",
    "tabs",
    "text_view",
    "units",
    "wording",
    "words",
)
PAGE_MODULES: dict[str, tuple[str, ...]] = {
    Protocol.FOCUS: ("focus_page", "pointing", "question", "rule_card", "selection", "span_acts"),
    Protocol.CQS_GEN: ("questions_page",),
}
"""Every script that the workspace imports, and those of each protocol's page: named in the page, so that the
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
    return render(
        request,
        "frontend/workspace.html",
        {
            "slug": slug,
            "number": number,
            "protocol": member.project.protocol,
            "text_lang": text_language(member.project),
            "round_key": f"{member.project_id}/{found.pk}",
            "modules": [
                f"frontend/js/{name}.js" for name in (*MODULES, *PAGE_MODULES[member.project.protocol])
            ],
        },
    )


@require_safe
@never_cache
def signed_in(request: HttpRequest) -> HttpResponse:
    """Tell the workspace that waits in another window that someone logged in, and close this one."""
    return render(request, "frontend/signed_in.html")


@require_safe
def service_worker(request: HttpRequest) -> HttpResponse:
    """Serve the worker that keeps the workspace for offline reloads, from a path whose scope is /p/."""
    path = finders.find("frontend/js/offline_worker.js")
    if path is None:
        raise Http404(gettext("There is no service worker."))
    script = Path(path).read_bytes()
    return HttpResponse(
        script, content_type="text/javascript; charset=utf-8", headers={"Cache-Control": "no-cache"}
    )
