"""Bring in a set of the FOCUS authors' files as they are: arguments, and what each annotator marked in them.

See docs/decisions/importing.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from annotation.access import visible_items
from annotation.codebooks.definition import Codebook
from annotation.importing.files.rows import FileError
from annotation.importing.formats.focus_files import ASKED, FocusFile, focus_file_read, plain_type_name
from annotation.importing.formats.focus_sets import FocusSet, Text, file_order, set_read
from annotation.importing.items import items_import
from annotation.importing.judgements import judgements_import, refuse_unless_imported
from annotation.importing.reading import Opened, Reader, Reading
from annotation.importing.staging import ImportReport
from annotation.models import Membership, Project, ProjectEvent, Protocol
from core.errors import Refused

FORMAT = "focus"
LICENCE = "CC-BY-NC-4.0"
"""Of the published files; a project that names none gets it."""

_SET = re.compile(r"[^\W_][\w.-]{0,39}")


@dataclass(frozen=True, slots=True)
class FocusImport:
    """What was found in the files of a set, and what the imports of items and of judgements did."""

    found: FocusSet
    imports: list[ImportReport] = field(default_factory=list)

    @property
    def refused(self) -> int:
        return sum(report.refused for report in self.imports)


def focus_import(
    *,
    project: Project,
    files: Sequence[tuple[str, Path]],
    set_name: str,
    round_name: str = "",
    keep_votes: bool = False,
    dry_run: bool = False,
    member: Membership | None = None,
) -> FocusImport:
    """Import the files of one set, by name and path, in any order; the same files again change nothing.

    Items are named by the set and their number from 1, as in dev001. Sheets go into an imported round
    (`round_name`, else the set's name) that asks each argument the two types of its category, and each
    passage of LogicClimate all of them. Without a file of arguments the sheets are read beside the items that
    the project has of this set. `keep_votes` keeps a yes whose words stand nowhere in the text, else it is
    left out. Everything is read before anything is stored. Raises FileError and Refused.
    """
    codebook = _codebook(project, set_name)
    round_name = (round_name or set_name).strip()
    refuse_unless_imported(project, round_name)
    names = {
        plain_type_name(name): entry.code
        for entry in codebook.types
        for name in (*entry.aliases, entry.name, entry.code)
    }
    read = sorted((focus_file_read(path, name, names) for name, path in files), key=file_order)
    found = set_read(read, set_name, keep_votes=keep_votes, there=_texts_there(project, set_name))
    done = FocusImport(found)
    if dry_run:
        return done
    paths = dict(files)
    if found.items:
        bringing = [file for file in read if file.brings_items]
        done.imports.append(
            items_import(
                project=project,
                path=paths[bringing[0].name],
                name=_names(bringing),
                member=member,
                reader=_given(found.items),
            )
        )
    if found.judgements and not done.refused:
        sheets = [file for file in read if file.annotators]
        done.imports.append(
            judgements_import(
                project=project,
                path=paths[sheets[0].name],
                name=_names(sheets),
                round_name=round_name,
                asked={} if found.is_logic else {"field": "category", "types": ASKED},
                keep_votes=keep_votes,
                member=member,
                reader=_given(found.judgements),
            )
        )
    if any(report.stored for report in done.imports):
        _licence_set(project, member)
    return done


def _codebook(project: Project, set_name: str) -> Codebook:
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
        yield Opened(FORMAT, iter(rows))

    return read


def _names(files: Sequence[FocusFile]) -> str:
    return ", ".join(file.name for file in files)


def _licence_set(project: Project, member: Membership | None) -> None:
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
