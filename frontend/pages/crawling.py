"""What programs are told: the pages of public releases are to be found, nothing else is read."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.templatetags.static import static
from django.urls import reverse
from django.views.decorators.http import require_safe

from exports.releases.publication import public_releases


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """Answer as RFC 9309 has it. The files of a release are large: only their page is read."""
    lines = [
        "User-agent: *",
        "Disallow: /releases/*/files/",
        "Allow: /releases/",
        f"Allow: {settings.STATIC_URL}",
        "Disallow: /",
        "",
        f"Sitemap: {request.build_absolute_uri(reverse('sitemap'))}",
    ]
    return _lines(lines)


@require_safe
def sitemap(request: HttpRequest) -> HttpResponse:
    """List the pages of public releases, to which no other page that is read leads."""
    found = public_releases().order_by("pk").values_list("project__slug", "version")
    return _lines([request.build_absolute_uri(reverse("public_release", args=one)) for one in found])


@require_safe
def favicon(request: HttpRequest) -> HttpResponse:
    """Answer programs that ask for the sign of the site without reading a page of it."""
    response = redirect(static("frontend/img/mark.svg"))
    response.headers["Cache-Control"] = "max-age=86400"
    return response


def _lines(lines: list[str]) -> HttpResponse:
    text = "".join(f"{line}\n" for line in lines)
    return HttpResponse(text, content_type="text/plain; charset=utf-8", headers={"Cache-Control": "no-cache"})
