"""Projects, their codebooks and the people in them."""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import chain, count
from pathlib import Path
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore

from annotation.codebooks.definition import Codebook as CodebookDefinition
from annotation.codebooks.toml_reader import SHIPPED, read_codebook
from annotation.limits import LIMITS, characters, refuse_unfit
from annotation.models import Codebook, Membership, Project, ProjectEvent
from core.errors import Refused

_SHIPPED_FOLDER = Path(__file__).parents[1] / "codebooks"
_PSEUDONYM = re.compile(r"A[1-9][0-9]{0,5}")
_LEADS_NAME = re.compile(r"L[1-9][0-9]{0,5}")
_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


def codebook_source(name_or_path: str) -> str:
    """Return the TOML of a shipped codebook by name, or of a file by path.

    Raises Refused where there is neither, and CodebookError where the file is not UTF-8.
    """
    shipped = name_or_path in SHIPPED
    path = _SHIPPED_FOLDER / f"{name_or_path}.toml" if shipped else Path(name_or_path)
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError:
        raise Refused(
            "no_codebook",
            gettext("There is no codebook “%(name_or_path)s”: give one of %(shipped)s or a TOML file's path.")
            % {"name_or_path": name_or_path, "shipped": ", ".join(SHIPPED)},
        ) from None
    except UnicodeDecodeError as error:
        raise Refused(
            "invalid",
            gettext("%(name_or_path)s: byte %(start)s is not UTF-8. Save the file as UTF-8.")
            % {"name_or_path": name_or_path, "start": error.start},
        ) from None


def slug_for(name: str) -> str:
    """Return a short name that is free, made from a project's name: project where it has no Latin letters."""
    longest = characters("project", "slug")
    base = re.sub("[-_]+", "-", slugify(name.casefold()))[:longest].strip("-") or "project"
    numbered = (f"{base[: longest - 1 - len(str(n))].rstrip('-')}-{n}" for n in count(2))
    return next(slug for slug in chain([base], numbered) if not Project.objects.filter(slug=slug).exists())


def project_create(
    *, slug: str, name: str = "", codebook: str, user: Any = None, annotates: bool = False
) -> Project:
    """Create a project with version 1 of its codebook; `user`, where given, becomes its lead.

    With `annotates` the lead is an annotator too.

    `codebook` is a shipped codebook's name, a path, or the TOML itself (where it has several lines).
    Raises Refused for a bad or taken slug, CodebookError for a codebook with problems.
    """
    if not _SLUG.fullmatch(slug) or len(slug) > characters("project", "slug"):
        raise Refused(
            "invalid",
            gettext(
                "“%(slug)s” cannot be a project's short name: use small letters, digits and single "
                "hyphens, at most 80, as in campus-debates."
            )
            % {"slug": slug},
        )
    refuse_unfit(LIMITS["project"], name=name)
    source = codebook if "\n" in codebook else codebook_source(codebook)
    definition = read_codebook(source, "codebook" if "\n" in codebook else Path(codebook).stem)
    try:
        with transaction.atomic():
            project = Project.objects.create(
                slug=slug,
                name=name.strip() or slug,
                protocol=definition.protocol,
                languages=definition.language,
            )
            _store_codebook(project, 1, source, definition)
            member = None
            if user is not None:
                member = member_add(project=project, user=user, is_lead=True, is_annotator=annotates)
            ProjectEvent.objects.create(project=project, member=member, action="project created")
    except IntegrityError:
        if Project.objects.filter(slug=slug).exists():
            raise Refused(
                "taken",
                gettext("There is a project “%(slug)s” already: choose another name.") % {"slug": slug},
            ) from None
        raise
    return project


def project_edit(
    *,
    project: Project,
    member: Membership,
    name: str,
    licence: str,
    languages: str,
    contact: str,
    erases_judgements: bool | None = None,
) -> Project:
    """Change what a project says about itself and promises; its short name and protocol stay.

    `erases_judgements` stays as it is where it is not given.
    """
    given = {"name": name.strip(), "licence": licence, "languages": languages, "contact": contact}
    changed: dict[str, Any] = {
        field: value for field, value in given.items() if getattr(project, field) != value
    }
    if erases_judgements not in (None, project.erases_judgements):
        changed["erases_judgements"] = erases_judgements
    if not changed:
        return project
    if not given["name"]:
        raise Refused(
            "invalid", gettext("Give the project a name."), errors={"name": gettext("Give a name.")}
        )
    refuse_unfit(LIMITS["project"], **{field: changed[field] for field in changed.keys() & given.keys()})
    with transaction.atomic():
        for field, value in changed.items():
            setattr(project, field, value)
        project.save(update_fields=list(changed))
        ProjectEvent.objects.create(
            project=project, member=member, action="project edited", details={"fields": sorted(changed)}
        )
    return project


def project_archive(*, project: Project, member: Membership | None) -> Project:
    """Put a project aside. Raises Refused while one of its rounds is open."""
    with transaction.atomic():
        current = Project.objects.select_for_update().get(pk=project.pk)
        open_round = current.rounds.filter(status="open").first()
        if open_round is not None:
            raise Refused(
                "not_ready",
                gettext("%(name)s is open: close it before you archive the project.")
                % {"name": open_round.name},
            )
        return _set_archived(project, member, timezone.now(), "project archived")


def project_restore(*, project: Project, member: Membership) -> Project:
    """Take a project out of the archive; one that was to be deleted is kept."""
    with transaction.atomic():
        Project.objects.filter(pk=project.pk).update(deletion_due_at=None)
        return _set_archived(project, member, None, "project restored")


def _set_archived(project: Project, member: Membership | None, when: datetime | None, action: str) -> Project:
    # The condition lets two leads who press at once write one event.
    waiting = Project.objects.filter(pk=project.pk, archived_at__isnull=when is not None)
    if waiting.update(archived_at=when):
        ProjectEvent.objects.create(project=project, member=member, action=action)
    project.refresh_from_db(fields=["archived_at", "deletion_due_at"])
    return project


def codebook_publish(
    *, project: Project, source: str, member: Membership | None = None, edited_version: int | None = None
) -> Codebook:
    """Publish the next version of the project's codebook; the same text as the newest changes nothing.

    Raises CodebookError for problems in the text, Refused where its protocol is not the project's, and with
    code `stale_version` where the newest version is not the one that was edited (`edited_version`).
    """
    definition = read_codebook(source, "codebook")
    if definition.protocol != project.protocol:
        raise Refused(
            "invalid",
            gettext(
                "The codebook's protocol is %(protocol)s, the project's is %(project_protocol)s: "
                "make another project for it."
            )
            % {"protocol": definition.protocol, "project_protocol": project.protocol},
        )
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=project.pk)
        newest = project.codebooks.order_by("-version").first()
        if newest is not None and newest.source == source:
            return newest
        if edited_version is not None and newest is not None and newest.version != edited_version:
            raise Refused(
                "stale_version",
                gettext(
                    "Version %(newest)s was published while you edited version %(edited)s. What you wrote is "
                    "below, as TOML. Publishing it now would undo what version %(newest)s changed: take "
                    "that over first."
                )
                % {"newest": newest.version, "edited": edited_version},
            )
        codebook = _store_codebook(project, newest.version + 1 if newest else 1, source, definition)
        ProjectEvent.objects.create(
            project=project,
            member=member,
            action="codebook published",
            details={"version": codebook.version},
        )
    return codebook


def _store_codebook(project: Project, version: int, source: str, definition: CodebookDefinition) -> Codebook:
    return Codebook.objects.create(
        project=project,
        version=version,
        source=source,
        definition=definition.to_json(),
        guideline=definition.guideline,
    )


def member_add(
    *,
    project: Project,
    user: Any = None,
    private_name: str = "",
    is_lead: bool = False,
    is_annotator: bool = True,
    background: str = "",
) -> Membership:
    """Add a person under the next free pseudonym, which is theirs for ever.

    Annotators are A1, A2, …; leads L1, L2, … until they are given something to annotate (`judges_name`).
    """
    refuse_unfit(LIMITS["membership"], private_name=private_name, background=background)
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=project.pk)
        if user is not None and project.memberships.filter(user=user).exists():
            raise Refused("taken", gettext("%(user)s takes part in this project already.") % {"user": user})
        return Membership.objects.create(
            project=project,
            user=user,
            private_name=private_name,
            pseudonym=next(_free_pseudonyms(project, "L" if is_lead else "A")),
            is_lead=is_lead,
            is_annotator=is_annotator,
            background=background,
        )


def bring_in_members(*, project: Project, names: Iterable[str]) -> dict[str, Membership]:
    """Make annotators without accounts for the names of a file; the names stay private.

    A name that is a pseudonym already (A1, A2, …), and free in this project, stays one.
    """
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=project.pk)
        free = _free_pseudonyms(project)
        taken = set(project.memberships.values_list("pseudonym", flat=True))
        names = list(dict.fromkeys(names))
        kept = {name for name in names if _PSEUDONYM.fullmatch(name) and name not in taken}
        members = [
            Membership(
                project=project,
                private_name="" if name in kept else name,
                pseudonym=name if name in kept else next(other for other in free if other not in kept),
                is_annotator=True,
            )
            for name in names
        ]
        return dict(zip(names, Membership.objects.bulk_create(members), strict=True))


def judges_name(*, project: Project, members: Iterable[Membership]) -> None:
    """Give leads who are about to annotate for the first time the next free name of an annotator."""
    leads = [member for member in members if _LEADS_NAME.fullmatch(member.pseudonym)]
    if not leads:
        return
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=project.pk)
        free = _free_pseudonyms(project)
        for member in leads:
            member.pseudonym = next(free)
            member.save(update_fields=["pseudonym"])


def _free_pseudonyms(project: Project, letter: str = "A") -> Iterator[str]:
    taken = set(project.memberships.values_list("pseudonym", flat=True))
    return (name for name in (f"{letter}{number}" for number in count(1)) if name not in taken)


# The commonmark preset lets raw HTML through; "js-default" does not, and refuses javascript: links.
_MARKDOWN = MarkdownIt("js-default", {"html": False, "linkify": False, "typographer": False})


def _headings_one_lower(state: StateCore) -> None:
    """The page has the one heading of the first level; what stands in it comes below."""
    for token in state.tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + 1, 6)}"


_MARKDOWN.core.ruler.push("headings_one_lower", _headings_one_lower)


def guideline_html(markdown: str) -> str:
    """Return the guideline's Markdown as HTML, its headings from h2 on; any HTML in it is shown as text."""
    found: str = _MARKDOWN.render(markdown)
    return found
