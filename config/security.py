"""Response headers that Django does not set by itself."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)


def content_security_policy(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Send the strict policy with every response: nothing inline, nothing from another origin."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
        return response

    return middleware


CACHEABLE = {"public_release", "public_release_file", "robots", "sitemap", "favicon", "service-worker"}
"""Routes whose answers are the same for everybody and private to nobody; each says how long it holds."""


def no_store(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Keep every answer out of caches and of what a browser brings back, but for the routes named here."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        route = request.resolver_match.url_name if request.resolver_match else None
        caching = response.headers.get("Cache-Control", "")
        if "no-store" not in caching and not (caching and route in CACHEABLE):
            response.headers["Cache-Control"] = "no-store"
        return response

    return middleware
