"""A release in public: the lead's switch, and the page and files that anybody may open while it is on."""

import re

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.errors import NotFound
from annotation.guidelines import guideline_html
from exports.api import file_response
from exports.models import Release
from exports.parameters import Parameters
from exports.publishing import public_files, public_release_or_404, release_publish, release_unpublish
from frontend.pages.changes import changes_context
from frontend.pages.common import lead_or_refuse, project_page
from frontend.pages.releases import release_facts, release_of
from frontend.refusals import refusals_as_notices

_FRONT_MATTER = re.compile(r"\A---\n.*?^---\n", re.DOTALL | re.MULTILINE)


@login_required
@require_http_methods(["GET", "POST"])
def publish(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Say what becomes public, then make the release public."""
    member = lead_or_refuse(request, slug)
    found = release_of(member, version)
    if request.method == "POST":
        with refusals_as_notices(request):
            release_publish(release=found, by=member)
            messages.success(request, f"Release {version} is public.")
        return redirect("release", slug, version)
    if found.state != Release.State.DONE:
        return redirect("release", slug, version)
    return project_page(
        request,
        "confirm.html",
        member,
        tab="releases",
        heading=f"Make release {version} public",
        effects=_effects(found, request.build_absolute_uri(reverse("public_release", args=[slug, version]))),
        act=f"Make release {version} public",
        back=reverse("release", args=[slug, version]),
    )


@login_required
@require_POST
def unpublish(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Close the public page."""
    member = lead_or_refuse(request, slug)
    found = release_of(member, version)
    with refusals_as_notices(request):
        release_unpublish(release=found, by=member)
        messages.success(request, f"Release {version} is not public any more.")
    return redirect("release", slug, version)


@require_safe
def public_release(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Show a public release to anybody: its card, counts, agreement, files, checksums and citation."""
    found = public_release_or_404(slug, version)
    files = public_files(found)
    return render(
        request,
        "frontend/public_release.html",
        {
            "release": found,
            "project": found.project,
            "archive": next((file for file in files if file["archive"]), None),
            "files": [file for file in files if not file["archive"]],
            "file_route": "public_release_file",
            "facts": release_facts(found, public=True),
            "card": guideline_html(_FRONT_MATTER.sub("", found.card)),
            "citation": citation_of(found, request.build_absolute_uri(request.path)),
            **changes_context(request, found, public=True),
        },
    )


@require_safe
def public_release_file(request: HttpRequest, slug: str, version: str, name: str) -> HttpResponseBase:
    """Send a file of a public release; a Range header resumes a download that broke off."""
    found = public_release_or_404(slug, version)
    file = next((file for file in public_files(found) if file["name"] == name), None)
    if file is None:
        raise NotFound(f"Release {version} has no file “{name}”.")
    return file_response(file, request.headers.get("Range"), request.headers.get("If-Range"))


def citation_of(release: Release, address: str) -> str:
    """Return how to cite a release: as its lead wrote it, else put together from what is known."""
    # As stored, not through Parameters: a release outlives the choices that today's code knows.
    authors, citation = release.parameters.get("authors"), release.parameters.get("citation")
    if citation:
        return str(citation).strip()
    year = f" ({release.built_at.year})" if release.built_at else ""
    title = f"{release.project.name}, version {release.version}"
    return f"{authors}{year}. {title}. {address}" if authors else f"{title}{year}. {address}"


def _effects(release: Release, address: str) -> list[str]:
    """Say in sentences what anybody can see once the release is public."""
    choices = Parameters.from_json(release.parameters)
    files = [file for file in public_files(release) if not file["archive"]]
    kept = [file["name"] for file in release.files if file["internal"]]
    submitted = [name for name in kept if name.startswith("internal/submissions/")]
    effects = [
        f"Anybody can open {address} without logging in.",
        f"It shows the data card, with every annotator's pseudonym and background as entered: read it first. "
        f"It offers all {len(files)} files for download, in one ZIP too.",
        "Among them are the texts."
        if choices.texts
        else "The texts are not among them: ids, offsets, labels and hashes only.",
    ]
    if choices.judgements:
        comments = "with their comments" if choices.comments else "without their comments"
        effects.append(f"Among them is every annotator's judgement under a pseudonym, {comments}.")
    elif choices.exchange:
        effects.append("Among them is every annotator's judgement under a pseudonym.")
    if choices.withheld:
        withheld, n_labelled = ", ".join(choices.withheld), len(kept) - len(submitted)
        effects.append(f"The labels of {withheld} stay inside: {n_labelled} files are not shown.")
    if submitted:
        effects.append(
            "Who wrote which question stays inside: the files by origin "
            f"({len(submitted)}, one an origin) are not shown."
        )
    return [
        *effects,
        "You can close the page again at any time; what was downloaded by then stays with whoever has it.",
        "Your name in this project stands in the log.",
    ]
