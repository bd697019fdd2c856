"""The codebook: read it, edit it with a preview, publish the next version, compare two."""

import tomllib
from typing import Any

from django.conf.locale import LANG_INFO
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.safestring import mark_safe
from django.utils.translation import get_language, gettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation import access
from annotation.adjudication.examples import resolution_examples
from annotation.codebooks.definition import Codebook as Definition
from annotation.codebooks.diff import codebook_changes
from annotation.codebooks.toml_reader import CodebookError
from annotation.codebooks.toml_writer import codebook_toml, edit_document
from annotation.codebooks.translations import codebook_in, language_shown, translation_states
from annotation.models import Codebook, Membership, Round
from annotation.projects.projects import codebook_publish, guideline_html
from annotation.rounds.follow_up import follow_up_of
from core.errors import NotFound, Refused
from frontend.decorators import login_required
from frontend.pages.common import lead_or_403, number_in, project_page


@login_required
@require_GET
def codebook(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a version as annotators read it: for them the one of their newest round, for leads any."""
    member = access.member_or_404(request.user, slug)
    shown = _asked_version(request, member)
    written = Definition.from_json(shown.definition)
    language = language_shown(written, request.GET.get("language") or get_language() or "")
    definition = codebook_in(written, language)
    return project_page(
        request,
        "codebooks/codebook.html",
        member,
        tab="codebook",
        shown=shown,
        definition=definition,
        guideline=_html(definition.guideline),
        language=language,
        languages=[(tag, language_name(tag)) for tag in (written.language, *written.languages)],
        types=[
            _type_shown(definition, entry, written.languages.get(language, {})) for entry in definition.types
        ],
        versions=list(member.project.codebooks.order_by("-version")),
        rounds=shown.rounds.exclude(status=Round.Status.DRAFT).order_by("number"),
        resolutions=resolution_examples(member.project),
    )


def _asked_version(request: HttpRequest, member: Membership) -> Codebook:
    versions = member.project.codebooks.order_by("-version")
    asked = request.GET.get("version", "")
    if asked.isdecimal():
        found = versions.filter(version=int(asked[:9])).first()
        if found is None:
            raise NotFound(
                gettext("This project’s codebook has no version %(version)s.") % {"version": asked}
            )
        return found
    if not member.is_lead:
        own = Round.objects.filter(assignments__member=member).exclude(status=Round.Status.DRAFT)
        newest = own.select_related("codebook").order_by("-number").first()
        if newest is not None:
            return newest.codebook
    return versions[0]


def language_name(tag: str) -> str:
    """Return a language's name in that language, its tag where Django does not know it."""
    known = LANG_INFO.get(tag.lower()) or LANG_INFO.get(tag.split("-")[0], {})
    return str(known.get("name_local", tag)).capitalize()


def _type_shown(definition: Definition, entry: Any, texts: dict[str, Any]) -> dict[str, Any]:
    group = next((group for group in definition.groups if group.key == entry.group), None)
    exemplar = texts.get("types", {}).get(entry.code, {}).get("exemplar", "")
    return {"entry": entry, "group": group, "guideline": _html(entry.guideline), "exemplar": exemplar}


def _html(markdown: str) -> str:
    # guideline_html shows any HTML of the Markdown as text, so what it gives is safe to insert.
    return mark_safe(guideline_html(markdown)) if markdown else ""


@login_required
@require_http_methods(["GET", "POST"])
def edit(request: HttpRequest, slug: str) -> HttpResponse:
    """Edit the newest version, by fields or as TOML, and publish the result as the next one."""
    member = lead_or_403(request, slug)
    newest = member.project.codebooks.latest("version")
    # The fields of a form are those of the version it was made from, which may not be the newest any more.
    edited_version = number_in(request.POST.get("version"))
    base = member.project.codebooks.filter(version=edited_version).first() or newest
    document = tomllib.loads(base.source)
    problems: list[str] = []
    overtaken = False
    source = base.source
    if request.method == "POST":
        given = request.POST
        if given.get("as") == "toml":
            source = given["source"].replace("\r\n", "\n")
        else:
            edited = edit_document(document, given)
            source = base.source if edited == document else codebook_toml(edited)
            document = edited
        try:
            published = codebook_publish(
                project=member.project, source=source, member=member, edited_version=base.version
            )
        except CodebookError as error:
            problems = [str(problem) for problem in error.problems]
        except Refused as refusal:
            problems = [refusal.message]
            overtaken = refusal.code == "stale_version"
        else:
            if published.version == newest.version:
                messages.info(
                    request,
                    gettext("Nothing was changed: version %(version)s stays the newest.")
                    % {"version": newest.version},
                )
            else:
                messages.success(
                    request,
                    gettext(
                        "Version %(version)s is published: new rounds use it, rounds there are keep theirs."
                    )
                    % {"version": published.version},
                )
            return redirect("codebook", slug)
    return project_page(
        request,
        "codebooks/edit.html",
        member,
        tab="codebook",
        newest=newest,
        base=base,
        edited=newest if overtaken else base,
        document=document,
        source=source,
        problems=problems,
        overtaken=overtaken,
        as_toml=overtaken or "toml" in request.GET or request.POST.get("as") == "toml",
        guideline=_html(document.get("guideline", "")),
        translations=[
            (language_name(state.language), state, state.total - len(state.missing))
            for state in translation_states(
                [Definition.from_json(one.definition) for one in member.project.codebooks.order_by("version")]
            )
        ],
        status=422 if problems else 200,
    )


@login_required
@require_POST
def preview(request: HttpRequest, slug: str) -> HttpResponse:
    """Return a guideline's Markdown as it will look; nothing is stored."""
    lead_or_403(request, slug)
    html = _html(request.POST.get("guideline", ""))
    return render(request, "frontend/codebooks/_guideline_preview.html", {"guideline": html})


@login_required
@require_GET
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    """Show two versions side by side, only the parts that differ."""
    member = access.member_or_404(request.user, slug)
    versions = {codebook.version: codebook for codebook in member.project.codebooks.order_by("version")}
    new = versions.get(number_in(request.GET.get("new")), versions[max(versions)])
    old = versions.get(number_in(request.GET.get("old")), versions.get(new.version - 1, new))
    changes = codebook_changes(Definition.from_json(old.definition), Definition.from_json(new.definition))
    return project_page(
        request,
        "codebooks/compare.html",
        member,
        tab="codebook",
        versions=sorted(versions),
        old=old,
        new=new,
        changes=changes,
        follow_up=follow_up_of(member.project, new, old) if member.is_lead else None,
    )
