"""The files of a release that are written item by item, and where each of them goes.

References of a withheld split stay inside: its public files have the items without labels, no file of
judgements mentions them, and the full files go below `internal/`, which is in no ZIP and no written folder.
Systems' questions without labels are there as well.
"""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, Protocol

from django.utils.translation import gettext

from core.lookalikes import heard_as
from exports.disclosure.texts_out import TextsOut
from exports.files.checksums import Sums
from exports.files.vote_outputs import Annotators, GammaOutput, VoteOutput
from exports.formats import cqs_gen, focus, longform
from exports.formats.exchange import BY_KEY, ExchangeFormat
from exports.formats.id_only import without_texts
from exports.formats.jsonfile import ObjectWriter, line
from exports.selection.parameters import ParameterError
from exports.selection.records import ItemRecord
from exports.selection.rows import origins_of
from exports.selection.selection import Selection

INTERNAL = "internal"
WHOLE = "all"
"""What files are called that need a split's name where there are no splits."""

_UNSAFE = re.compile(r"\W+")


def _file_part(name: str) -> str:
    return _UNSAFE.sub("_", unicodedata.normalize("NFC", name))


class Output(Protocol):
    """Takes the items of a release one by one, in their order."""

    def add(self, record: ItemRecord, entry: dict[str, Any], split: str) -> None:
        """Write one item; `entry` is its full benchmark object."""

    def close(self) -> None:
        """Finish the files."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where the files of a release go, its splits, which of them are withheld, and what no string may say."""

    sums: Sums
    splits: list[str]
    withheld: tuple[str, ...]
    texts_out: TextsOut = field(default_factory=TextsOut)

    def __post_init__(self) -> None:
        if problems := self.problems(self.splits, self.withheld):
            raise ParameterError(problems)

    @classmethod
    def problems(cls, splits: list[str], withheld: tuple[str, ...]) -> list[str]:
        """Return why these splits cannot be files, or cannot be withheld."""
        problems = [
            gettext("withheld: there is no split %(name)s") % {"name": repr(name)}
            for name in withheld
            if name not in splits
        ]
        files = [heard_as(cls.file_part(split)) for split in splits]
        for split, name in zip(splits, files, strict=True):
            if files.count(name) > 1:
                problems.append(
                    gettext("split %(split)s and another would share the file name %(name)s")
                    % {"split": repr(split), "name": repr(name)}
                )
        return problems

    @staticmethod
    def file_part(split: str) -> str:
        """Return a split's name as files have it: letters of any script, digits and underscores only."""
        return _file_part(split) or WHOLE

    def open(self, name: str, *, internal: bool = False) -> IO[str]:
        """Open a new text file of the release: UTF-8, line feeds as they are given."""
        return io.TextIOWrapper(self.open_bytes(name, internal=internal), encoding="utf-8", newline="")

    def open_bytes(self, name: str, *, internal: bool = False) -> IO[bytes]:
        """Open a new file of the release, whose SHA-256 `sums` has once it is closed."""
        return self.sums.open(f"{INTERNAL}/{name}" if internal else name)


def open_outputs(
    selection: Selection, places: Places, origins: Sequence[str], annotators: Annotators
) -> list[Output]:
    """Open every file that this release has. `origins` are those whom the project's questions come from."""
    outputs: list[Output] = [BenchmarkOutput(selection, places), LinesOutput(selection, places)]
    outputs += [ExchangeOutput(BY_KEY[key], selection, places) for key in selection.parameters.exchange]
    if selection.parameters.judgements:
        outputs += [JudgementOutput(selection, places), VoteOutput(selection, places, annotators)]
        if selection.span_types:
            outputs.append(GammaOutput(selection, places))
    if selection.parameters.texts and not selection.typology:
        outputs.append(SubmissionOutput(places, origins))
    return outputs


class BenchmarkOutput:
    """The benchmark as JSON: `focus.json`, or `focus.SPLIT.json` for each split; likewise `cqs_gen`."""

    def __init__(self, selection: Selection, places: Places) -> None:
        self._selection, self._texts_out = selection, places.texts_out
        self._entry: Callable[..., dict[str, Any]] = (focus if selection.typology else cqs_gen).entry
        stem = "focus" if selection.typology else "cqs_gen"
        self._streams: list[IO[str]] = []
        self._public: dict[str, ObjectWriter] = {}
        self._internal: dict[str, ObjectWriter] = {}
        for split in places.splits or [""]:
            name = f"{stem}.{places.file_part(split)}.json" if split else f"{stem}.json"
            self._public[split] = self._writer(places.open(name))
            if split in places.withheld:
                self._internal[split] = self._writer(places.open(name, internal=True))

    def _writer(self, stream: IO[str]) -> ObjectWriter:
        self._streams.append(stream)
        return ObjectWriter(stream)

    def add(self, record: ItemRecord, entry: dict[str, Any], split: str) -> None:
        shown = _shown(self._selection, self._texts_out)
        if split in self._internal:
            self._internal[split].add(record.item.external_id, shown(entry))
            entry = self._entry(record, self._selection, withheld=True)
        self._public[split].add(record.item.external_id, shown(entry))

    def close(self) -> None:
        for writer in (*self._public.values(), *self._internal.values()):
            writer.close()
        for stream in self._streams:
            stream.close()


class LinesOutput:
    """The same objects as JSON Lines, `data/SPLIT.jsonl`, the form that dataset libraries read line by line.

    A question's id is a text here, also where it was given as a number: a column has one type.
    """

    def __init__(self, selection: Selection, places: Places) -> None:
        self._selection, self._texts_out = selection, places.texts_out
        self._entry: Callable[..., dict[str, Any]] = (focus if selection.typology else cqs_gen).entry
        self._public: dict[str, IO[str]] = {}
        self._internal: dict[str, IO[str]] = {}
        for split in places.splits or [""]:
            name = f"data/{places.file_part(split)}.jsonl"
            self._public[split] = places.open(name)
            if split in places.withheld:
                self._internal[split] = places.open(name, internal=True)

    def add(self, record: ItemRecord, entry: dict[str, Any], split: str) -> None:
        if split in self._internal:
            self._internal[split].write(line(self._row(entry)) + "\n")
            entry = self._entry(record, self._selection, withheld=True)
        self._public[split].write(line(self._row(entry)) + "\n")

    def _row(self, entry: dict[str, Any]) -> dict[str, Any]:
        entry = _shown(self._selection, self._texts_out)(entry)
        if "cqs" not in entry:
            return entry
        cqs = [{**question, "id": _as_text(question["id"])} for question in entry["cqs"]]
        return {**entry, "schemes": entry.get("schemes"), "cqs": cqs}

    def close(self) -> None:
        for stream in (*self._public.values(), *self._internal.values()):
            stream.close()


class JudgementOutput:
    """The raw judgements: `judgements.csv` and `judgements.parquet`."""

    def __init__(self, selection: Selection, places: Places) -> None:
        self._selection, self._texts_out = selection, places.texts_out
        self._withheld = places.withheld
        self._public = self._files(places, internal=False)
        self._internal = self._files(places, internal=True) if places.withheld else None

    def _files(self, places: Places, *, internal: bool) -> longform.JudgementFiles:
        return longform.JudgementFiles(
            places.open_bytes("judgements.csv", internal=internal),
            places.open_bytes("judgements.parquet", internal=internal),
            self._selection,
        )

    def add(self, record: ItemRecord, entry: dict[str, Any], split: str) -> None:
        rows = list(longform.rows(record, self._selection))
        if self._texts_out.shared:
            rows = [tuple(map(self._texts_out.cleaned, row)) for row in rows]
        if self._internal:
            self._internal.add(rows)
        if split not in self._withheld:
            self._public.add(rows)

    def close(self) -> None:
        for files in (self._public, self._internal):
            if files:
                files.close()


class SubmissionOutput:
    """The shape that systems submit: `submission_template.json` to be filled in, for everybody; one a split.

    Inside, `submissions/ORIGIN.json` has the questions of each origin again, without labels, for the items
    that it has any for. They are not public: what a system submitted is its authors' to publish.
    """

    def __init__(self, places: Places, origins: Sequence[str]) -> None:
        self._streams: list[IO[str]] = []
        self._templates = {
            split: self._writer(
                places.open(f"submission_template.{places.file_part(split)}.json")
                if split
                else places.open("submission_template.json")
            )
            for split in places.splits or [""]
        }
        names: set[str] = set()
        self._systems: dict[str, ObjectWriter] = {}
        for origin in origins:
            name = part = _file_part(origin)
            while name.casefold() in names:
                name = f"{part}_{len(names)}"
            names.add(name.casefold())
            self._systems[origin] = self._writer(places.open(f"submissions/{name}.json", internal=True))

    def _writer(self, stream: IO[str]) -> ObjectWriter:
        self._streams.append(stream)
        return ObjectWriter(stream)

    def add(self, record: ItemRecord, entry: dict[str, Any], split: str) -> None:
        identifier = record.item.external_id
        self._templates[split].add(identifier, cqs_gen.template_entry(record))
        found = (origin for question in record.questions for origin in origins_of(question.origin))
        for origin in dict.fromkeys(found):
            self._systems[origin].add(identifier, cqs_gen.submission_entry(record, origin))

    def close(self) -> None:
        for writer in (*self._templates.values(), *self._systems.values()):
            writer.close()
        for stream in self._streams:
            stream.close()


class ExchangeOutput:
    """The judgements in the form of another tool; those of withheld splits only inside."""

    def __init__(self, format: ExchangeFormat, selection: Selection, places: Places) -> None:
        self._format = format
        self._selection = selection
        self._withheld = places.withheld
        self._public = places.open(format.file)
        inside = bool(places.withheld) and format.withheld
        self._internal = places.open(format.file, internal=True) if inside else None
        # With how many questions the longest item has, beside the file that has that item.
        self._beside = [
            (places.open(format.beside[0], internal=internal), internal)
            for internal in ([False, True] if places.withheld else [False])
            if format.beside
        ]
        self._most_questions = {False: 0, True: 0}
        self._written: dict[IO[str], int] = {}

    def add(self, record: ItemRecord, entry: dict[str, Any], split: str) -> None:
        texts = [line(found) for found in self._format.objects(record, self._selection)]
        if split not in self._withheld:
            self._write(self._public, texts, record)
        if self._internal is not None:
            self._write(self._internal, texts, record)

    def _write(self, stream: IO[str], texts: Iterable[str], record: ItemRecord) -> None:
        internal = stream is self._internal
        self._most_questions[internal] = max(self._most_questions[internal], len(record.questions))
        for text in texts:
            if self._format.layout == "lines":
                stream.write(f"{text}\n")
            else:
                stream.write(f",\n{text}" if self._written.get(stream) else f"[\n{text}")
            self._written[stream] = self._written.get(stream, 0) + 1

    def close(self) -> None:
        for stream in (self._public, self._internal):
            if stream is not None:
                if self._format.layout == "list":
                    stream.write("\n]\n" if self._written.get(stream) else "[]\n")
                stream.close()
        for stream, internal in self._beside:
            if self._format.beside:
                stream.write(self._format.beside[1](self._selection, self._most_questions[internal]))
            stream.close()


def _shown(selection: Selection, texts_out: TextsOut) -> Callable[[dict[str, Any]], dict[str, Any]]:
    if selection.parameters.texts:
        return lambda entry: entry
    quoting = selection.parameters.quoting_questions
    return lambda entry: without_texts(entry, texts_out, quoting_questions=quoting)


def _as_text(external_id: Any) -> str | None:
    return external_id if external_id is None or isinstance(external_id, str) else line(external_id)
