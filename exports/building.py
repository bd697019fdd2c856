"""Writes the files of a release into a folder: one pass over the records, every file beside the others.

Nothing here knows of the Release row. The same judgements, choices and code give the same bytes.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from django.utils.translation import gettext

from agreement.judgements import natural_key
from agreement.report import REPORT_VERSION
from annotation.errors import Refused
from exports.agreement_files import agreement_write
from exports.archive import Archive
from exports.beside import FilesBeside
from exports.card import card_text
from exports.formats.jsonfile import canonical
from exports.item_files import ItemFiles, Plan
from exports.manifest import SUMS, documents_write, sums_text
from exports.outputs import INTERNAL
from exports.reconciling import Tally, inputs_stamp
from exports.records import BATCH, ItemRecord, Selection, items_chosen, records_read
from exports.refinements import RunUse, provenance
from exports.splits import splits_plan
from exports.stored import origins_read
from exports.sums import Sums

FORMAT_VERSION = 7
"""Raised whenever the same judgements would give other bytes; part of every release's digest."""

BESIDE = 10_000
"""Items from which on another process writes the files: to start it takes as long as to write thousands."""

Progress = Callable[[int, int], None]


class NotReconciled(Refused):
    """What would be released does not add up. Nothing was written."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = tuple(problems)
        super().__init__(
            "not_reconciled", "The release does not reconcile, so it was not written: " + "; ".join(problems)
        )


@dataclass(frozen=True, slots=True)
class BuiltFile:
    """A file of a release, by its name below the folder.

    `internal` ones hold withheld references or systems' questions; the `archive` is the ZIP of all others.
    """

    name: str
    sha256: str
    size: int
    internal: bool = False
    archive: bool = False


@dataclass(slots=True)
class Built:
    """What was built, with what the card and the manifest say about it.

    `sources` are source, licence and items; `annotators` pseudonym, judgements and background.
    `spans` are the gold and disagreement spans by type. `labels_before` and `labels_after` are the labels by
    source, before and after edited questions came in.
    `refinements` say how the refined questions came to be, run by run.
    """

    digest: str
    counts: Counter[str]
    labels: dict[str, int]
    spans: dict[str, tuple[int, int]]
    splits: dict[str, int]
    sources: list[tuple[str, str, int]]
    annotators: list[tuple[str, int, str]]
    labels_before: dict[str, dict[str, int]]
    labels_after: dict[str, dict[str, int]]
    refinements: list[dict[str, Any]]
    card: str = ""
    files: list[BuiltFile] = field(default_factory=list)


class Digest:
    """SHA-256 of everything the bytes of a release depend on, fed record by record."""

    def __init__(self, selection: Selection) -> None:
        self._hash = hashlib.sha256()
        self._selection = selection
        self._annotators: set[int] = set()
        self._runs: dict[int, RunUse] = defaultdict(RunUse)
        self._waiting: list[Any] = []
        project = selection.project
        self._add(
            [
                FORMAT_VERSION,
                REPORT_VERSION if selection.parameters.agreement else None,
                [project.slug, project.name, project.protocol],
                [project.licence, project.languages, project.contact],
                selection.parameters.to_json(),
                [row[1:] for row in selection.rounds],
                selection.round_conditions if selection.parameters.agreement else None,
                selection.codebook_version,
                *(
                    project.codebooks.values_list("source", "guideline").get(version=version)
                    for version in (selection.codebook_version, *selection.earlier_guidelines)
                ),
            ]
        )

    def add(self, record: ItemRecord, split: str) -> None:
        """Take in one item. Keys of the database stay out: a restored copy has the same digest."""
        rounds = self._selection.round_of
        places: dict[str | int, int] = {question.pk: question.position for question in record.questions}
        judgements = [
            (
                places.get(row.unit, row.unit),
                rounds[row.round].number,
                self._selection.members[row.annotator],
                row[4:10],
                row.decided_at.isoformat(),
                row[11:],
            )
            for row in record.judgements
        ]
        questions = [question[2:] for question in record.questions]
        resolutions = sorted((places.get(unit, unit), row[2:]) for unit, row in record.resolutions.items())
        self._add([record.item[1:], split, questions, judgements, resolutions])
        self._annotators.update(row.annotator for row in record.judgements)
        for key, found in sorted(record.refined.items()):
            self._add([key, found.question, found.run, found.model, found.answered_at.isoformat()])
            self._runs[found.run].add(found)

    def hexdigest(self) -> str:
        """Return the digest of all that was added, and of what its annotators said about themselves."""
        members = self._selection.project.memberships.filter(pk__in=self._annotators)
        self._add(sorted(members.values_list("pseudonym", "background")))
        self._add(provenance(self._selection.project, self._runs))
        if self._waiting:
            self._take_in()
        return self._hash.hexdigest()

    def _add(self, values: Any) -> None:
        self._waiting.append(values)
        if len(self._waiting) >= BATCH:
            self._take_in()

    def _take_in(self) -> None:
        # Many at a time, since a call costs as much as a small record; how many does not show in the digest.
        entries = canonical(self._waiting).removeprefix("[").removesuffix("]")
        self._hash.update(entries.encode() + b",")
        self._waiting = []


def release_digest(selection: Selection) -> str:
    """Return the digest that a build would have, without writing anything."""
    plan, digest = splits_plan(selection), Digest(selection)
    for record in records_read(selection):
        digest.add(record, plan.get(record.item.pk, ""))
    return digest.hexdigest()


def files_build(
    selection: Selection, version: str, directory: Path, progress: Progress | None = None
) -> Built:
    """Write all files of a release into an empty folder and return what they are.

    Raises NotReconciled where they would not add up, or where somebody changed a judgement meanwhile, and
    Refused where there is nothing to release or the files cannot be written.
    """
    with Sums(directory) as sums:
        return _files_build(selection, version, sums, progress or (lambda done, total: None))


def _files_build(selection: Selection, version: str, sums: Sums, progress: Progress) -> Built:
    stamp = inputs_stamp(selection)
    total = items_chosen(selection).count()
    if total == 0:
        raise Refused("not_ready", nothing_to_release(selection))
    split_of, digest, splits = splits_plan(selection), Digest(selection), Counter[str]()
    plan = Plan(selection, sorted(set(split_of.values())), origins_read(selection))
    title = f"{selection.project.slug}-{version}"
    with (
        (FilesBeside if total >= BESIDE else ItemFiles)(plan, sums) as files,
        Archive(sums.directory / f"{title}.zip", sums.directory, title) as archive,
    ):
        done, records = 0, records_read(selection)
        while batch := [(record, split_of.get(record.item.pk, "")) for record in islice(records, BATCH)]:
            files.add(batch)
            for record, split in batch:
                splits[split] += 1
                digest.add(record, split)
            done += len(batch)
            progress(done, total)
        finishing = archive.before(files.finish)
        archive.add(lambda: [name for name in sums.written() if not _is_internal(name)])
        agreement = []
        try:
            if selection.parameters.agreement:
                agreement = agreement_write(selection, sums.directory, alive=lambda: progress(done, total))
        finally:
            # What does not add up may be why there are no figures, and is what people can mend.
            tally = finishing.result()
            _reconcile(selection, tally, stamp)
        built = _built(selection, tally, digest.hexdigest(), splits)
        built.card = card_text(selection, version, built, agreement)
        documents_write(selection, version, built, sums)
        built.files = files_seal(sums, archive)
    return built


def _reconcile(selection: Selection, tally: Tally, stamp: str) -> None:
    problems = tally.problems(selection)
    if stamp != inputs_stamp(selection):
        problems.append(gettext("judgements or resolutions changed while it was being built: build it again"))
    if problems:
        raise NotReconciled(problems)


def _built(selection: Selection, tally: Tally, digest: str, splits: Counter[str]) -> Built:
    background = dict(selection.project.memberships.values_list("pk", "background"))
    return Built(
        digest=digest,
        counts=Counter(dict(sorted(tally.counts.items()))),
        labels=dict(sorted(tally.labels.items())),
        spans={code: (tally.gold[code], tally.disagreement[code]) for code in sorted(tally.gold)},
        splits=dict(sorted(splits.items())),
        sources=[(*place, number) for place, number in sorted(tally.sources.items())],
        annotators=[
            (selection.members[member], tally.annotators[member], background[member])
            for member in sorted(tally.annotators, key=lambda member: natural_key(selection.members[member]))
        ],
        labels_before={source: dict(found) for source, found in sorted(tally.labels_before.items())},
        labels_after={source: dict(found) for source, found in sorted(tally.labels_after.items())},
        refinements=provenance(selection.project, tally.runs),
    )


def files_seal(sums: Sums, archive: Archive) -> list[BuiltFile]:
    """Write SHA256SUMS over the public files and finish the ZIP of them all; return every file.

    The ZIP has the files with something of every item already.
    """
    paths = sorted(path for path in sums.directory.rglob("*") if path.is_file() and path != archive.path)
    files = [_built_file(sums, path.relative_to(sums.directory).as_posix()) for path in paths]
    public = [file for file in files if not file.internal]
    (sums.directory / SUMS).write_bytes(sums_text(public).encode())
    in_archive = sums.written()
    archive.add(lambda: [*(file.name for file in public if file.name not in in_archive), SUMS])
    sha256 = archive.close()
    size = archive.path.stat().st_size
    return [*files, _built_file(sums, SUMS), BuiltFile(archive.path.name, sha256, size, archive=True)]


def _is_internal(name: str) -> bool:
    return name.startswith(f"{INTERNAL}/")


def _built_file(sums: Sums, name: str) -> BuiltFile:
    size = (sums.directory / name).stat().st_size
    return BuiltFile(name, sums.sha256(name), size, internal=_is_internal(name))


def nothing_to_release(selection: Selection) -> str:
    """Say why a release of this selection would be empty, and what to do."""
    if selection.rounds:
        return gettext("The chosen rounds have no items that could be released.")
    return gettext(
        "There is nothing to release yet: close a round, or import judgements or published labels."
    )
