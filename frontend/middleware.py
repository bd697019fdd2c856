"""What a page shows where a use case refuses: the refusal's own words, which say what to do."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import cast

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import BadRequest, DisallowedHost, RequestDataTooBig
from django.db import DataError
from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.translation import gettext, gettext_lazy

from core.api import failed_body, is_unavailable, many_downloads_body, unavailable_body
from core.downloads import SMALL, downloads
from core.errors import NotAllowed, NotFound, Refused

HEADINGS = {
    "not_found": (404, gettext_lazy("Not found")),
    "not_allowed": (403, gettext_lazy("Not allowed")),
    "damaged": (503, gettext_lazy("The file cannot be sent")),
    "unavailable": (503, gettext_lazy("This is not possible right now")),
}


class RefusalPages:
    """Answer a refusal that a page let through with an error page: 404, 403, 503, else 409.

    So too where somebody opens the address of a form, which Django would answer with nothing to see.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if response.status_code == 405 and request.method == "GET" and not response.content:
            context = {
                "heading": gettext("There is no page here"),
                "message": gettext("This address takes what a form sends. Go back to the page of the form."),
            }
            page = render(request, "frontend/refused.html", context, status=405)
            page.headers["Allow"] = response.headers["Allow"]
            return page
        return response

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if isinstance(error, ValueError | DataError) and any("\0" in text for text in _texts(request.POST)):
            return unreadable(request, error)
        if not isinstance(error, Refused):
            return None
        status, heading = HEADINGS.get(error.code, (409, gettext("This cannot be done now")))
        return render(
            request, "frontend/refused.html", {"heading": heading, "message": error.message}, status=status
        )


def refuse_nul(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Refuse the character NUL in an address or a cookie: no text has it, and PostgreSQL fails on it.

    The fields of a form say so beside themselves; where a page reads past them, see `RefusalPages`. The body
    of an API call is JSON, whose parser refuses it with its place.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        if any("\0" in text for text in (request.path_info, *request.COOKIES.values(), *_texts(request.GET))):
            raise BadRequest("a NUL character")
        return get_response(request)

    return middleware


def keep_a_thread_free(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Send what is small at once, and so few long answers together that their slow readers hold nobody up."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if not isinstance(response, StreamingHttpResponse) or request.method == "HEAD":
            return response
        if response.status_code not in {200, 206}:
            return response
        content = cast(Iterator[bytes], response.streaming_content)
        length = response.headers.get("Content-Length", "")
        if length.isdecimal() and int(length) <= SMALL:
            response.streaming_content = [b"".join(content)]
            return response
        pieces = downloads.begin(content)
        if pieces is None:
            response.close()
            return _wait(request)
        response.streaming_content = pieces
        return response

    return middleware


def _wait(request: HttpRequest) -> HttpResponse:
    told = many_downloads_body()
    if is_for_api(request):
        response: HttpResponse = JsonResponse(told, status=503)
    else:
        context = {"heading": HEADINGS["unavailable"][1], "message": told["message"]}
        response = render(request, "frontend/refused.html", context, status=503)
    response.headers["Retry-After"] = "60"
    response.headers["Cache-Control"] = "no-store"
    return response


def _texts(given: QueryDict) -> list[str]:
    return [text for name, values in given.lists() for text in (name, *map(str, values))]


def is_for_api(request: HttpRequest) -> bool:
    """Whether a program asked, which reads JSON and no page."""
    return request.path_info.startswith("/api/") and not request.path_info.startswith("/api/docs/")


def missing(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer for an address that is none."""
    if is_for_api(request):
        told = gettext("There is nothing at this address.")
        return JsonResponse({"code": "not_found", "message": told}, status=404)
    return render(request, "404.html", status=404)


def broken(request: HttpRequest) -> HttpResponse:
    """Answer where something failed: 503 while the database does not answer or the disk is full, else 500.

    Without the request's person, project or database: any of these may be what failed.
    """
    down = is_unavailable(sys.exc_info()[1])
    status = 503 if down else 500
    if is_for_api(request):
        response: HttpResponse = JsonResponse(unavailable_body() if down else failed_body(), status=status)
    else:
        response = HttpResponse(render_to_string("500.html", {"unavailable": down}), status=status)
    if down:
        response.headers["Retry-After"] = "30"
    return response


def unreadable(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a request that cannot be read: too large, or for an address that this site does not know."""
    if is_for_api(request):
        told = gettext("The request cannot be read: its address, a header or a character in it is wrong.")
        return JsonResponse({"code": "invalid", "message": told}, status=400)
    too_large = isinstance(exception, RequestDataTooBig)
    context = {
        "megabytes": settings.DATA_UPLOAD_MAX_MEMORY_SIZE / 2**20 if too_large else None,
        "unknown_host": isinstance(exception, DisallowedHost),
    }
    return render(request, "400.html", context, status=413 if too_large else 400)


def form_refused(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a form that came without the right token, or from an address that this site does not trust."""
    # Django says why in words alone.
    return render(request, "403_csrf.html", {"unknown_origin": "trusted origins" in reason}, status=403)


def too_many(request: HttpRequest) -> HttpResponse:
    """Answer who sent a form of the log-in pages too often; each limit that ends here is one a minute."""
    context = {
        "heading": gettext("Wait a minute"),
        "message": gettext(
            "So many forms came from your address within the last minute that the next ones have to wait. "
            "Nothing was stored. Try again in 60 seconds."
        ),
    }
    response = render(request, "frontend/refused.html", context, status=429)
    response.headers["Retry-After"] = "60"
    return response


@contextmanager
def refusals_as_notices(request: HttpRequest) -> Iterator[None]:
    """Show a refusal as a notice on the next page; who may not see or do it still gets the error page."""
    try:
        yield
    except (NotFound, NotAllowed):
        raise
    except Refused as refusal:
        messages.error(request, refusal.message)
