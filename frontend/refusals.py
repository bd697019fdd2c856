"""What a page shows where a use case refuses: the refusal's own words, which say what to do."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import DisallowedHost, RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext, gettext_lazy

from annotation.errors import NotAllowed, NotFound, Refused

HEADINGS = {
    "not_found": (404, gettext_lazy("Not found")),
    "not_allowed": (403, gettext_lazy("Not allowed")),
    "damaged": (503, gettext_lazy("The file cannot be sent")),
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
        if not isinstance(error, Refused):
            return None
        status, heading = HEADINGS.get(error.code, (409, gettext("This cannot be done now")))
        return render(
            request, "frontend/refused.html", {"heading": heading, "message": error.message}, status=status
        )


def unreadable(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a request that cannot be read: too large, or for an address that this site does not know."""
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
