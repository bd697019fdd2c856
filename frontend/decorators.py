"""Pages for people who are logged in."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext


def login_required(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Send whoever is not logged in to the log-in, and to the page afterwards.

    A form that is sent after the session ended leads back to the page it stands on, because its own address
    may answer to no GET, and says that nothing was stored.
    """

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **options: Any) -> HttpResponseBase:
        if request.user.is_authenticated:
            return view(request, *args, **options)
        if request.method in ("GET", "HEAD"):
            return redirect_to_login(request.get_full_path())
        told = gettext("You were logged out meanwhile: nothing was stored. Log in to go on where you were.")
        messages.warning(request, told)
        return redirect_to_login(_page_of_the_form(request))

    return checked


def _page_of_the_form(request: HttpRequest) -> str:
    referer = request.headers.get("Referer", "")
    if not url_has_allowed_host_and_scheme(referer, {request.get_host()}, request.is_secure()):
        return reverse("home")
    page = urlsplit(referer)
    return f"{page.path}?{page.query}" if page.query else page.path
