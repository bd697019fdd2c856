"""The page in which annotators decide and highlight; its data comes from the API."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import ensure_csrf_cookie

from annotation import access


@login_required
@ensure_csrf_cookie
def workspace(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Render the empty workspace of a round.

    The page holds no text and no name: it may be kept for working offline, and the next person at this computer must not find
    the last one's.
    """
    member = access.member_or_404(request.user, slug)
    access.round_or_404(member, number)
    return render(request, "frontend/workspace.html", {"slug": slug, "number": number})
