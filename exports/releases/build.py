"""Writes the files of a release into a folder: one pass over the records, every file beside the others.

Nothing here knows of the Release row. The same judgements, choices and code give the same bytes.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from django.utils.translation import gettext

from agreement.report.assembly import REPORT_VERSION
from agreement.report.comparison import rounds_conditions
from agreement.report.figures import RoundConditions
from agreement.report.judgements import natural_key
from core.errors import Refused
from exports.disclosure.disclosure import Disclosure, disclosure_of, keeps_back
from exports.disclosure.small_cells import hidden_parts
from exports.documentation.card import card_text
from exports.documentation.contents import Built, BuiltFile, Inside
from exports.documentation.manifest import SUMS, disclosure_knowing, sums_text, write_documents
from exports.files.checksums import Sums
from exports.files.item_files import ItemFiles, Plan, Tallies
from exports.files.outputs import INTERNAL
from exports.files.reconciliation import Tally, inputs_stamp
from exports.files.subprocess_writer import SubprocessWriter
from exports.files.vote_outputs import Annotators
from exports.files.zip_archive import Archive
from exports.formats.cqs_gen import questions
from exports.formats.jsonfile import canonical
from exports.releases.agreement_files import write_agreement
from exports.selection.filters import FilterFacts, filters_of
from exports.selection.records import BATCH, ItemRecord, read_records
from exports.selection.refined_questions import RunUse, provenance
from exports.selection.rows import read_annotators, read_origins
from exports.selection.selection import Selection, items_chosen
from exports.selection.splits import plan_splits

FORMAT_VERSION = 9
"""Raised whenever the same judgements would give other bytes; part of every release's digest."""

SUBPROCESS_FROM = 10_000
"""Items from which on another process writes the files: to start it takes as long as to write thousands."""

Progress = Callable[[int, int], None]


class NotReconciled(Refused):
    """What would be released does not add up. Nothing was written."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = tuple(problems)
        super().__init__(
            "not_reconciled", "The release does not reconcile, so it was not written: " + "; ".join(problems)
        )


class Digest:
    """SHA-256 of everything the bytes of a release depend on, fed record by record.

    With `public` only of what its public files say: whoever knows all of a release but a few withheld labels
    could try out which of them have the digest.
    """

    def __init__(
        self,
        selection: Selection,
        conditions: Sequence[RoundConditions],
        public: Disclosure | None = None,
        filters: list[FilterFacts] | None = None,
    ) -> None:
        self.filters = filters_of(selection) if filters is None else filters
        self._hash = hashlib.sha256()
        self._selection = selection
        self._public = public
        self._annotators: set[int] = set()
        self._runs: dict[int, RunUse] = defaultdict(RunUse)
        self._waiting: list[Any] = []
        self.columns = self._read_columns() if selection.parameters.judgements else []
        project = selection.project
        self._add(
            [
                FORMAT_VERSION,
                REPORT_VERSION if selection.parameters.agreement else None,
                [project.slug, project.name, project.protocol],
                [project.licence, project.languages, project.contact],
                selection.parameters.to_json(),
                [row[1:] for row in selection.rounds],
                conditions if selection.parameters.agreement else None,
                selection.codebook_version,
                *(
                    project.codebooks.values_list("source", "guideline").get(version=version)
                    for version in (selection.codebook_version, *selection.earlier_guidelines)
                ),
                *([[selection.members[member] for member in self.columns]] if self.columns else []),
            ]
        )

    def _read_columns(self) -> list[int]:
        """Return who has a column in the matrix of votes, also those who answered nothing."""
        selection, public = self._selection, self._public
        if public is None or not selection.parameters.withheld:
            return read_annotators(selection)
        split_of = public.split_of
        return read_annotators(selection, lambda item: not public.is_withheld(split_of.get(item, "")))

    def add(self, record: ItemRecord, split: str) -> None:
        """Take in one item. Keys of the database stay out: a restored copy has the same digest."""
        if self._public is not None:
            item = record.item
            self._add([item[1:7], item.metadata.get("schemes"), split])
            if self._public.is_withheld(split):
                return
            self._add(self._released(record))
            if self._selection.parameters.judgements:
                comments = self._selection.parameters.comments
                self._add([row if comments else (*row[:4], *row[5:]) for row in self._judgements(record)])
        else:
            places: dict[str | int, int] = {question.pk: question.position for question in record.questions}
            questions_asked = [question[2:] for question in record.questions]
            resolved = sorted((places.get(unit, unit), row[2:]) for unit, row in record.resolutions.items())
            types = [list(record.types)] if len(record.types) < len(self._selection.type_codes) else []
            self._add([record.item[1:], split, questions_asked, self._judgements(record), resolved, *types])
        self._annotators.update(row.annotator for row in record.judgements)
        for key, found in sorted(record.refined.items()):
            self._add([key, found.question, found.run, found.model, found.answered_at.isoformat()])
            self._runs[found.run].add(found)

    def _judgements(self, record: ItemRecord) -> list[tuple[Any, ...]]:
        rounds = self._selection.round_of
        places: dict[str | int, int] = {question.pk: question.position for question in record.questions}
        return [
            (
                places.get(row.unit, row.unit),
                rounds[row.round].number,
                self._selection.members[row.annotator],
                row[4:6],
                row.comment,
                row[7:10],
                row.decided_at and row.decided_at.isoformat(),
                row[11:],
            )
            for row in record.judgements
        ]

    def _released(self, record: ItemRecord) -> list[Any]:
        """Return what the benchmark says of an item."""
        if self._selection.typology:
            return list(record.types.items())
        return questions(record, edited=self._selection.parameters.edited_questions)

    def also(self, figures: Iterable[Any]) -> None:
        """Take in the reports as they are published: a public digest need not know what they are made of."""
        if self._public is not None:
            self._add(list(figures))

    def hexdigest(self) -> str:
        """Return the digest of all that was added, and of what its annotators said about themselves."""
        members = self._selection.project.memberships.filter(pk__in=self._annotators)
        self._add(sorted(members.values_list("pseudonym", "background")))
        self._add(provenance(self._selection.project, self._runs))
        if self.filters:
            self._add(self.filters)
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
    plan, digest = plan_splits(selection), Digest(selection, _conditions(selection))
    for record in read_records(selection):
        digest.add(record, plan.get(record.item.pk, ""))
    return digest.hexdigest()


def build_files(
    selection: Selection, version: str, directory: Path, progress: Progress | None = None
) -> Built:
    """Write all files of a release into an empty folder and return what they are.

    Raises NotReconciled where they would not add up, or where somebody changed a judgement meanwhile, and
    Refused where there is nothing to release or the files cannot be written.
    """
    with Sums(directory) as sums:
        return _build_files(selection, version, sums, progress or (lambda done, total: None))


def _build_files(selection: Selection, version: str, sums: Sums, progress: Progress) -> Built:
    stamp = inputs_stamp(selection)
    total = items_chosen(selection).count()
    if total == 0:
        raise Refused("not_ready", nothing_to_release(selection))
    conditions, split_of = _conditions(selection), plan_splits(selection)
    digest, splits = Digest(selection, conditions), Counter[str]()
    disclosure = disclosure_of(selection, split_of)
    if withheld := disclosure.withheld_among(split_of):
        conditions = _conditions(selection, without=withheld)
    told = None
    if not disclosure.is_everything_public:
        told = Digest(selection, conditions, disclosure, digest.filters)
    names = sorted(set(split_of.values()))
    annotators = Annotators(digest.columns, told.columns if told else digest.columns)
    plan = Plan(selection, names, read_origins(selection), disclosure.texts_out, annotators)
    title = f"{selection.project.slug}-{version}"
    with (
        (SubprocessWriter if total >= SUBPROCESS_FROM else ItemFiles)(plan, sums) as files,
        Archive(sums.directory, title) as archive,
    ):
        done, records = 0, read_records(selection)
        while batch := [(record, split_of.get(record.item.pk, "")) for record in islice(records, BATCH)]:
            files.add(batch)
            for record, split in batch:
                splits[split] += 1
                digest.add(record, split)
                if told is not None:
                    told.add(record, split)
            done += len(batch)
            progress(done, total)
        finishing = archive.before(files.finish)
        archive.add(lambda: [name for name in sums.written() if not _is_internal(name)])
        agreement = []
        try:
            if selection.parameters.agreement:
                agreement = write_agreement(
                    selection, disclosure, conditions, sums.directory, heartbeat=lambda: progress(done, total)
                )
        finally:
            # What does not add up may be why there are no figures, and is what people can mend.
            tallies = finishing.result()
            _reconcile(selection, tallies.whole, stamp)
        inside = Inside(digest.hexdigest(), tallies.whole.counts, dict(sorted(tallies.whole.labels.items())))
        if told is not None:
            told.also(figures for _, figures in agreement)
        public = told.hexdigest() if told else inside.digest
        built = _built(selection, tallies, public, inside, splits, digest.filters)
        disclosure = disclosure_knowing(selection, disclosure, built)
        shown = disclosure.public_selection(selection)
        built.cleaned_by(disclosure)
        built.card = card_text(shown, version, built, agreement, conditions)
        write_documents(shown, disclosure, version, built, sums)
        built.files = seal_files(sums, archive, f"{title}.zip")
    return built


def _conditions(selection: Selection, *, without: Collection[int] = ()) -> list[RoundConditions]:
    """Return what sets each round apart from the one before it; nothing where no agreement is released."""
    if not selection.parameters.agreement:
        return []
    return rounds_conditions(selection.project, selection.round_of, without=without)


def _reconcile(selection: Selection, tally: Tally, stamp: str) -> None:
    problems = tally.problems(selection)
    if stamp != inputs_stamp(selection):
        problems.append(gettext("judgements or resolutions changed while it was being built: build it again"))
    if problems:
        raise NotReconciled(problems)


def _built(
    selection: Selection,
    tallies: Tallies,
    digest: str,
    inside: Inside,
    splits: Counter[str],
    filters: list[FilterFacts],
) -> Built:
    background = dict(selection.project.memberships.values_list("pk", "background"))
    tally = tallies.public
    return Built(
        digest=digest,
        inside=inside,
        # Withheld items are there for everybody: what was said of them is not.
        counts=Counter(dict(sorted({**tally.counts, "items": tallies.whole.counts["items"]}.items()))),
        labels=dict(sorted(tally.labels.items())),
        spans={code: (tally.gold[code], tally.disagreement[code]) for code in sorted(tally.gold)},
        splits=dict(sorted(splits.items())),
        sources=[(*place, number) for place, number in sorted(tallies.whole.sources.items())],
        annotators=[
            (selection.members[member], number, background[member])
            for member, number in _judged_by(selection, tally)
        ],
        labels_before={source: dict(found) for source, found in sorted(tally.labels_before.items())},
        labels_after={source: dict(found) for source, found in sorted(tally.labels_after.items())},
        labels_by_split={split: dict(found) for split, found in sorted(tally.labels_by_split.items())},
        annotators_an_item={
            selection.round_of[round].number: dict(sorted(found.items()))
            for round, found in tally.annotators_an_item.items()
        },
        refinements=provenance(selection.project, tally.runs),
        filters=filters,
    )


def _judged_by(selection: Selection, tally: Tally) -> list[tuple[int, int | None]]:
    """Return how much each annotator judged; None of few items where something is kept back."""
    members = sorted(tally.annotators, key=lambda member: natural_key(selection.members[member]))
    least = selection.parameters.min_cell if keeps_back(selection.parameters.to_json()) else 0
    hidden = hidden_parts([tally.items_of[member] for member in members], least)
    return [
        (member, None if few else tally.annotators[member])
        for member, few in zip(members, hidden, strict=True)
    ]


def seal_files(sums: Sums, archive: Archive, name: str) -> list[BuiltFile]:
    """Write SHA256SUMS over the public files and finish the ZIP of them all, `name`; return every file.

    The ZIP has the files with something of every item already.
    """
    paths = sorted(path for path in sums.directory.rglob("*") if path.is_file())
    files = [_built_file(sums, path.relative_to(sums.directory).as_posix()) for path in paths]
    public = [file for file in files if not file.internal]
    (sums.directory / SUMS).write_bytes(sums_text(public).encode())
    in_archive = sums.written()
    archive.add(lambda: [*(file.name for file in public if file.name not in in_archive), SUMS])
    sha256 = archive.close()
    zipped = BuiltFile(name, sha256, archive.size, archive=True, entries=tuple(archive.entries))
    return [*files, _built_file(sums, SUMS), zipped]


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
