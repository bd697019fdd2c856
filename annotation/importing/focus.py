"""Bring in a set of the FOCUS authors' files as they are: arguments, and what each annotator marked in them.

See docs/decisions/importing.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from annotation.access import visible_items
from annotation.codebooks.definition import Codebook
from annotation.importing.files.rows import FileError, Notice
from annotation.importing.formats.focus_files import ASKED, plain_type_name
from annotation.importing.formats.focus_sets import FocusSet, Text
from annotation.importing.items import items_import
from annotation.importing.judgements import judgements_import, refuse_unless_imported
from annotation.importing.reading import FOCUS, Opened, Reader, Reading, read_here
from annotation.importing.staging import SHOWN, ImportReport, OnStored
from annotation.models import Import, Membership, Project, ProjectEvent, Protocol, TypeAnnotation
from core.errors import Refused

LICENCE = "CC-BY-NC-4.0"
"""Of the published files; a project that names none gets it."""

_SET = re.compile(r"[^\W_][\w.-]{0,39}")


@dataclass(frozen=True, slots=True)
class FocusImport:
    """What was found in the files of a set, and what importing it did or would do."""

    found: FocusSet
    report: ImportReport
    imports: list[ImportReport] = field(default_factory=list)


def focus_import(
    *,
    project: Project,
    path: Path,
    set_name: str,
    name: str = "",
    files: Sequence[tuple[str, Path]] = (),
    round_name: str = "",
    keep_votes: bool = False,
    dry_run: bool = False,
    member: Membership | None = None,
    on_staged: Callable[[Import], None] | None = None,
    heartbeat: Callable[[int], None] | None = None,
    on_stored: OnStored | None = None,
    reader: Reader = read_here,
) -> FocusImport:
    """Import the files of one set, in any order; the same files again change nothing.

    `files` are their names and paths, of which `path` is one; without them the path is an archive of them.
    Items are named by the set and their number from 1, as in dev001. Sheets go into an imported round
    (`round_name`, else the set's name) that asks each argument the two types of its category, and each
    passage of LogicClimate all of them. Without a file of arguments the sheets are read beside the items that
    the project has of this set. `keep_votes` keeps a yes whose words stand nowhere in the text, else it is
    left out. Everything is read before anything is stored: first the items become visible, then the
    judgements, and `on_stored` is told with the last of them. The others are those of `items_import`. Raises
    FileError and Refused.
    """
    codebook = check_set(project, set_name)
    round_name = (round_name or set_name).strip()
    refuse_unless_imported(project, round_name)
    options = {
        "names": {
            plain_type_name(known): entry.code
            for entry in codebook.types
            for known in (*entry.aliases, entry.name, entry.code)
        },
        "set": set_name,
        "keep_votes": keep_votes,
        "there": _texts_there(project, set_name),
        "files": [(file, str(at)) for file, at in files],
    }
    name = name or ", ".join(file for file, _ in files)
    with reader(Reading(FOCUS, path, name, FOCUS, options)) as opened:
        found = FocusSet.of(opened.rows)
    report = ImportReport(file=name, format=FOCUS, rows=len(found.items) + len(found.judgements))
    for file in found.reports:
        report.notice(Notice(file.file, str(file).partition(": ")[2]))
    for notice in found.notices:
        report.notice(notice)
    done = FocusImport(found, report)
    if dry_run:
        if heartbeat is not None:
            heartbeat(report.rows)
        _foresee(project, round_name, done)
        return done

    def last_stored(staged: Import, last: ImportReport) -> None:
        _set_licence(project, member)
        _add(report, last)
        if on_stored is not None:
            report.stored = True
            on_stored(staged, report)

    shared: dict[str, Any] = {"project": project, "path": path, "name": name, "member": member}
    shared |= {"on_staged": on_staged, "heartbeat": heartbeat}
    if found.items:
        told = None if found.judgements else last_stored
        done.imports.append(items_import(**shared, reader=_given(found.items), on_stored=told))
        if found.judgements or not done.imports[0].stored:
            _add(report, done.imports[0])
    if found.judgements and not report.refused:
        asked = {} if found.is_logic else {"field": "category", "types": ASKED}
        of_sheets = judgements_import(
            **shared,
            round_name=round_name,
            asked=asked,
            keep_votes=keep_votes,
            reader=_given(found.judgements),
            on_stored=last_stored,
        )
        done.imports.append(of_sheets)
        if not of_sheets.stored:
            _add(report, of_sheets)
    report.stored = bool(done.imports) and all(one.stored for one in done.imports)
    return done


def _add(report: ImportReport, one: ImportReport) -> None:
    """Add what one of the two imports did to what is told of the set."""
    for what, n in one.counts.items():
        report.count(what, n)
    report.refused += one.refused
    report.refusals += one.refusals
    report.noticed += one.noticed
    report.notices += one.notices[: SHOWN - len(report.notices)]
    report.people |= one.people


def _foresee(project: Project, round_name: str, done: FocusImport) -> None:
    """Count what is new and what is there already."""
    stored = set(visible_items(project).values_list("external_id", flat=True))
    rows = TypeAnnotation.objects.filter(
        assignment__round__project=project, assignment__round__name=round_name
    ).values_list(
        "assignment__item__external_id",
        "type_code",
        "assignment__member__private_name",
        "assignment__member__pseudonym",
    )
    judged = {(item, code, private or pseudonym) for item, code, private, pseudonym in rows}
    for item in done.found.items:
        done.report.count("items already there" if item.external_id in stored else "new items")
    for row in done.found.judgements:
        there = (row.item, row.type_code, row.annotator) in judged
        done.report.count("judgements already there" if there else "new judgements")


def check_set(project: Project, set_name: str) -> Codebook:
    """Return the codebook that judgements go by. Raises Refused where these files cannot go in."""
    if project.protocol != Protocol.FOCUS:
        raise Refused("invalid", gettext("These files judge types: import them into a FOCUS project."))
    if not _SET.fullmatch(set_name):
        told = gettext(
            "Name the set by letters, digits, dots and hyphens, as in dev: its items are dev001, dev002 …"
        )
        raise Refused("invalid", told, errors={"set": told})
    newest = project.codebooks.order_by("-version").first()
    assert newest is not None
    codebook = Codebook.from_json(newest.definition)
    known = {entry.code for entry in codebook.types}
    missing = [code for codes in ASKED.values() for code in codes if code not in known]
    if missing:
        told = gettext("The project's codebook has no type %(codes)s: import into a project made with focus.")
        raise Refused("invalid", told % {"codes": ", ".join(missing)})
    return codebook


def _texts_there(project: Project, set_name: str) -> list[Text]:
    """Return the items that the project has of a set, in their order."""
    named = re.compile(re.escape(set_name) + r"([0-9]{3,})")
    rows = visible_items(project).filter(external_id__startswith=set_name)
    found = []
    for external_id, text, metadata in rows.values_list("external_id", "text", "metadata"):
        if (number := named.fullmatch(external_id)) is not None:
            found.append((int(number[1]), Text(external_id, text, str(metadata.get("category", "")))))
    return [text for _, text in sorted(found)]


def _given(rows: Sequence[Any]) -> Reader:
    """Return a reader that gives rows which are read already."""

    @contextmanager
    def read(reading: Reading) -> Iterator[Opened]:
        yield Opened(FOCUS, iter(rows))

    return read


def _set_licence(project: Project, member: Membership | None) -> None:
    with transaction.atomic():
        if Project.objects.filter(pk=project.pk, licence="").update(licence=LICENCE):
            project.licence = LICENCE
            ProjectEvent.objects.create(
                project=project, member=member, action="project edited", details={"fields": ["licence"]}
            )


def files_named(paths: Sequence[Path]) -> list[tuple[str, Path]]:
    """Return files with their names. Raises FileError where two have one name."""
    named: dict[str, Path] = {}
    for path in paths:
        if path.name in named:
            raise FileError(path.name, "", gettext("is named twice: name every file once"))
        named[path.name] = path
    return list(named.items())
