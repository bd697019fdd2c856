"""A release in public: the lead's switch, and the page and files that anybody may open while it is on."""

import json

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.projects.projects import guideline_html
from core.errors import NotFound
from exports.api.releases import file_response
from exports.disclosure.disclosure import keeps_back
from exports.documentation.citation import bibtex, card_body, citation_text, describe_dataset, reference_of
from exports.documentation.contents import StoredFile
from exports.models import Release
from exports.releases.publication import (
    public_facts,
    public_files,
    public_release_newer,
    public_release_or_404,
    release_publish,
    release_unpublish,
    tells_too_much,
)
from exports.selection.parameters import Parameters
from frontend.decorators import login_required
from frontend.middleware import refusals_as_notices
from frontend.pages.common import lead_or_403, project_page
from frontend.pages.releases.comparison import changes_context
from frontend.pages.releases.releases import release_facts, release_of

_IN_A_SCRIPT = {ord(character): f"\\u{ord(character):04x}" for character in "<>&"}
"""As json_script escapes, so that no text can end the script it stands in."""


@login_required
@require_http_methods(["GET", "POST"])
def publish(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Say what becomes public, then make the release public."""
    member = lead_or_403(request, slug)
    found = release_of(member, version)
    if request.method == "POST":
        with refusals_as_notices(request):
            release_publish(release=found, by=member)
            messages.success(request, gettext("Release %(version)s is public.") % {"version": version})
        return redirect("release", slug, version)
    if found.state != Release.State.DONE:
        return redirect("release", slug, version)
    return project_page(
        request,
        "confirm.html",
        member,
        tab="releases",
        heading=gettext("Make release %(version)s public") % {"version": version},
        warnings=_warnings(found),
        effects=_effects(found, request.build_absolute_uri(reverse("public_release", args=[slug, version]))),
        act=gettext("Make release %(version)s public") % {"version": version},
        back=reverse("release", args=[slug, version]),
    )


@login_required
@require_POST
def unpublish(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Close the public page."""
    member = lead_or_403(request, slug)
    found = release_of(member, version)
    with refusals_as_notices(request):
        release_unpublish(release=found, by=member)
        messages.success(
            request, gettext("Release %(version)s is not public any more.") % {"version": version}
        )
    return redirect("release", slug, version)


@require_safe
def public_release(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Show a public release to anybody: its card, counts, agreement, files, checksums and citation."""
    found = public_release_or_404(slug, version)
    files = public_files(found)
    archive = next((file for file in files if file["archive"]), None)
    address = request.build_absolute_uri(request.path)
    reference = reference_of(found)
    response = render(
        request,
        "frontend/releases/public_release.html",
        {
            "release": found,
            "project": found.project,
            "archive": archive,
            "files": [file for file in files if not file["archive"]],
            "file_route": "public_release_file",
            "facts": release_facts(found, public=True),
            "digest": public_facts(found)[0],
            "too_much": tells_too_much(found),
            "card": "" if tells_too_much(found) else guideline_html(card_body(found.card)),
            "address": address,
            "reference": reference,
            "newer": public_release_newer(found),
            "citation": citation_text(reference, address),
            "bibtex": "" if reference.citation.startswith("@") else bibtex(reference, address),
            "described": json.dumps(
                describe_dataset(reference, found, address, files), ensure_ascii=False
            ).translate(_IN_A_SCRIPT),
            "lines": [f'pandas.read_json("{address}files/{name}", lines=True)' for name in _lines(files)],
            "folder": archive["name"].removesuffix(".zip") if archive else "",
            **changes_context(request, found, public=True),
        },
    )
    if not request.user.is_authenticated:  # else their name stands above it
        response.headers["Cache-Control"] = "no-cache"
    return response


@require_safe
def public_release_file(request: HttpRequest, slug: str, version: str, name: str) -> HttpResponseBase:
    """Send a file of a public release; a Range header resumes a download that broke off."""
    found = public_release_or_404(slug, version)
    file = next((file for file in public_files(found) if file["name"] == name), None)
    if file is None:
        raise NotFound(
            gettext("Release %(version)s has no file “%(name)s”.") % {"version": version, "name": name}
        )
    # Asked about each time, so that a page that was closed is closed in every cache.
    return file_response(request, found, file, caching="no-cache")


def _lines(files: list[StoredFile]) -> list[str]:
    return [file["name"] for file in files if file["name"].startswith("data/")]


def _warnings(release: Release) -> list[str]:
    """Say what strangers will miss; only a new version can have it."""
    reference = reference_of(release)
    warnings = []
    if tells_too_much(release):
        warnings.append(
            gettext(
                "It was built before counts and figures were kept from telling about what stays inside: only "
                "its data files are shown. A new version can have all of it."
            )
        )
    if not reference.licence:
        warnings.append(
            gettext(
                "No licence is stated: nobody will know what they may do with it. A new version can have one."
            )
        )
    if not reference.authors and not reference.citation:
        warnings.append(
            gettext(
                "No authors are named, so it will be cited by its name alone. A new version can name them."
            )
        )
    return warnings


def _effects(release: Release, address: str) -> list[str]:
    """Say in sentences what anybody can see once the release is public."""
    choices = Parameters.from_json(release.parameters)
    files = [file for file in public_files(release) if not file["archive"]]
    kept = [file["name"] for file in release.files if file["internal"]]
    submitted = [name for name in kept if name.startswith("internal/submissions/")]
    effects = [
        gettext("Anybody can open %(address)s without logging in.") % {"address": address},
        gettext(
            "It shows the data card, with every annotator's pseudonym and background as entered: "
            "read it first. It offers all %(n)s files for download, in one ZIP too."
        )
        % {"n": len(files)},
        gettext("Among them are the texts.")
        if choices.texts
        else gettext("The texts are not among them: ids, offsets, labels and hashes only."),
    ]
    if choices.judgements:
        comments = gettext("with their comments") if choices.comments else gettext("without their comments")
        effects.append(
            gettext("Among them is every annotator's judgement under a pseudonym, %(comments)s.")
            % {"comments": comments}
        )
    elif choices.exchange:
        effects.append(gettext("Among them is every annotator's judgement under a pseudonym."))
    if choices.withheld:
        inside = len(kept) - len(submitted)
        words = ngettext(
            "The labels of %(withheld)s stay inside: %(kept)s file is not shown.",
            "The labels of %(withheld)s stay inside: %(kept)s files are not shown.",
            inside,
        )
        effects.append(words % {"withheld": ", ".join(choices.withheld), "kept": inside})
    else:
        effects.append(gettext("Among them are all labels: of no split are they withheld."))
    if choices.agreement and keeps_back(release.parameters):
        effects.append(
            gettext(
                "Counts and agreement are worked out without withheld items, and of rounds whose labels or "
                "texts stay inside no figure speaks of fewer than %(n)s items."
            )
            % {"n": choices.min_cell}
        )
    if submitted:
        words = ngettext(
            "Who wrote which question stays inside: %(n)s file, of one origin, is not shown.",
            "Who wrote which question stays inside: %(n)s files, one an origin, are not shown.",
            len(submitted),
        )
        effects.append(words % {"n": len(submitted)})
    return [
        *effects,
        gettext(
            "You can close the page again at any time; what was downloaded by then stays with whoever has it."
        ),
        gettext("Your name in this project stands in the log."),
    ]
