"""Writes the files of a release into a folder: one pass over the records, every file beside the others.

Nothing here knows of the Release row. The same judgements, choices and code give the same bytes.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotation.errors import Refused
from exports.formats import cqs_gen, focus
from exports.formats.jsonfile import canonical
from exports.manifest import SUMS, file_sha256, manifest_write, sums_text
from exports.outputs import INTERNAL, Output, Places, outputs_open
from exports.reconciling import Tally, inputs_stamp
from exports.records import BATCH, ItemRecord, Selection, items_chosen, records_read
from exports.splits import splits_plan

FORMAT_VERSION = 1
"""Raised whenever the same judgements would give other bytes; part of every release's digest."""

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
    """A file of a release, by its name below the folder; `internal` ones hold withheld references."""

    name: str
    sha256: str
    size: int
    internal: bool


@dataclass(slots=True)
class Built:
    """What was built. `counts` and `labels` are those of the reconciliation."""

    digest: str
    counts: dict[str, int]
    labels: dict[str, int]
    splits: dict[str, int]
    card: str
    files: list[BuiltFile] = field(default_factory=list)


class Digest:
    """SHA-256 of everything the bytes of a release depend on, fed record by record."""

    def __init__(self, selection: Selection) -> None:
        self._hash = hashlib.sha256()
        self._selection = selection
        self._add(
            [
                FORMAT_VERSION,
                selection.project.slug,
                selection.project.protocol,
                selection.parameters.to_json(),
                [row[1:] for row in selection.rounds],
                selection.codebook_version,
                selection.codebook.to_json(),
            ]
        )

    def add(self, record: ItemRecord, split: str) -> None:
        """Take in one item. Keys of the database stay out: a restored copy has the same digest."""
        rounds = {row.pk: row.number for row in self._selection.rounds}
        places = {question.pk: question.position for question in record.questions}
        self._add([record.item[1:], split])
        for question in record.questions:
            self._add(question[2:])
        for row in record.judgements:
            self._add(
                [
                    places.get(row.unit, row.unit),
                    rounds[row.round],
                    self._selection.members[row.annotator],
                    *row[4:10],
                    row.decided_at.isoformat(),
                    *row[11:],
                ]
            )
        for unit, row in sorted((places.get(unit, unit), row) for unit, row in record.resolutions.items()):
            self._add([unit, *row[2:]])

    def hexdigest(self) -> str:
        """Return the digest of what was added so far."""
        return self._hash.hexdigest()

    def _add(self, values: Any) -> None:
        self._hash.update(canonical(values).encode() + b"\n")


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

    Raises NotReconciled where they would not add up, or where somebody changed a judgement meanwhile.
    """
    stamp = inputs_stamp(selection)
    total = items_chosen(selection).count()
    if total == 0:
        raise Refused("not_ready", _nothing(selection))
    plan, digest, tally, splits = splits_plan(selection), Digest(selection), Tally(), Counter[str]()
    places = Places(directory, sorted(set(plan.values())), selection.parameters.withheld)
    outputs = outputs_open(selection, places)
    try:
        for done, record in enumerate(records_read(selection), start=1):
            split = plan.get(record.item.pk, "")
            splits[split] += 1
            digest.add(record, split)
            _add(record, split, selection, tally, outputs)
            if progress and done % BATCH == 0:
                progress(done, total)
    finally:
        for output in outputs:
            output.close()
    problems = tally.problems(selection)
    if stamp != inputs_stamp(selection):
        problems.append("judgements or resolutions changed while it was being built: build it again")
    if problems:
        raise NotReconciled(problems)
    built = Built(
        digest.hexdigest(),
        dict(sorted(tally.counts.items())),
        dict(sorted(tally.labels.items())),
        dict(sorted(splits.items())),
        "",
    )
    built.card = f"# {selection.project.name} {version}\n"
    manifest_write(selection, version, built, directory)
    built.files = files_seal(directory)
    if progress:
        progress(total, total)
    return built


def files_seal(directory: Path) -> list[BuiltFile]:
    """Write SHA256SUMS over the public files and return all files by name."""

    def found() -> Iterator[BuiltFile]:
        for path in sorted(path for path in directory.rglob("*") if path.is_file()):
            name = path.relative_to(directory).as_posix()
            yield BuiltFile(name, file_sha256(path), path.stat().st_size, name.startswith(f"{INTERNAL}/"))

    files = list(found())
    sums = directory / SUMS
    sums.write_bytes(sums_text(file for file in files if not file.internal).encode())
    return [*files, BuiltFile(SUMS, file_sha256(sums), sums.stat().st_size, internal=False)]


def _add(record: ItemRecord, split: str, selection: Selection, tally: Tally, outputs: list[Output]) -> None:
    if not tally.sound(record):
        return
    shape = focus if selection.typology else cqs_gen
    entry = shape.entry(record, selection)
    tally.add(record, entry, selection)
    for output in outputs:
        output.add(record, entry, split)


def _nothing(selection: Selection) -> str:
    if selection.rounds:
        return "The chosen rounds have no items that could be released."
    return "There is nothing to release yet: close a round, or import judgements or published labels."
