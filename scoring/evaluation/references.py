"""What people decided, from a benchmark file: what a system is scored against."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from annotation.codebooks.definition import FOCUS, PUBLISHED_LABELS, Codebook
from scoring.evaluation.faults import CannotScore, Findings
from scoring.evaluation.json_file import items_of, items_one_by_one, shown
from scoring.evaluation.packed_spans import SpanPacker
from scoring.figures.spans import Place, References
from scoring.figures.types import NONE
from scoring.reading.focus_answers import NO_SPAN, AnswerRefused, TypeNames
from scoring.reading.places import find_place

WITHHELD = (
    "the references of this split are withheld: score a release folder with its internal/ "
    "(manage.py export_release … --internal), as whoever made the release can"
)


class Argument(NamedTuple):
    """An argument of FOCUS with what was decided of each type that it was asked."""

    text: str
    decided: Mapping[str, bool | None]
    spans: Mapping[str, References]


class Reference(NamedTuple):
    """A labelled question of CQs-Gen."""

    id: str
    words: str
    label: str


class Intervention(NamedTuple):
    """An intervention of CQs-Gen with its labelled questions, in file order."""

    text: str
    questions: tuple[Reference, ...]


@dataclass(frozen=True, slots=True)
class Benchmark:
    """The references of one split; `own` are ids of the questions that came from each system, by its name.

    `development` reads the split of the same release that answers may be chosen by, None where there is none.
    """

    codebook: Codebook
    names: TypeNames
    arguments: Mapping[str, Argument] = field(default_factory=dict)
    interventions: Mapping[str, Intervention] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    own: Mapping[str, frozenset[str]] = field(default_factory=dict)
    development: Callable[[], Benchmark | None] = lambda: None

    @property
    def is_focus(self) -> bool:
        return self.codebook.protocol == FOCUS

    @property
    def items(self) -> Mapping[str, Argument | Intervention]:
        return self.arguments if self.is_focus else self.interventions

    @property
    def types(self) -> list[str]:
        return [kind.code for kind in self.codebook.types]


def type_names(codebook: Codebook) -> TypeNames:
    """Return what the types of a codebook may be called."""
    derived = codebook.derived_none.name if codebook.derived_none else ""
    return TypeNames([(kind.code, (kind.name, *kind.aliases)) for kind in codebook.types], none=derived)


Source = Callable[[], Iterable[bytes]]
"""Reads a file from its beginning, in pieces."""


def read_benchmark(
    data: bytes | Source,
    file: str,
    codebook: Codebook,
    *,
    provenance: Mapping[str, Any] | None = None,
    own: Mapping[str, frozenset[str]] | None = None,
) -> Benchmark:
    """Read a benchmark file in the published shape. Raises CannotScore."""
    source: Source = (lambda: [data]) if isinstance(data, bytes) else data
    names = type_names(codebook)
    made = Benchmark(codebook, names, provenance=provenance or {}, own=own or {})
    try:
        pieces = source()
        try:
            found = _items(made, items_one_by_one(pieces))
        except (ValueError, RecursionError):
            # Reading it whole tells what is wrong.
            found = _items(made, _entries(b"".join(source())))
        finally:
            if isinstance(pieces, Generator):  # an open file, where not all of it was read
                pieces.close()
    except CannotScore as problem:
        raise CannotScore(f"{file}: {problem}") from None
    except (KeyError, TypeError, AttributeError) as problem:
        raise CannotScore(
            f"{file}: is no benchmark file in the published shape ({problem}): name a file of a release, "
            "and the codebook that it was made with"
        ) from None
    if not found.items:
        raise CannotScore(f"{file}: has no item in it: there is nothing to score against.")
    if not found.is_focus and not any(one.questions for one in found.interventions.values()):
        raise CannotScore(f"{file}: {WITHHELD}")
    return found


def _entries(data: bytes) -> Iterator[tuple[str, Mapping[str, Any]]]:
    findings = Findings("")
    entries = items_of(data, findings, limited=False)
    if findings.faults:
        raise CannotScore(str(findings.faults[0]))
    yield from entries.items()


def _items(made: Benchmark, entries: Iterable[tuple[str, Mapping[str, Any]]]) -> Benchmark:
    arguments: dict[str, Argument] = {}
    interventions: dict[str, Intervention] = {}
    shared: dict[Any, Mapping[str, bool | None]] = {}
    packer = SpanPacker()
    for item, entry in entries:
        if item in arguments or item in interventions:
            raise ValueError("an item twice")
        if made.is_focus:
            found = _argument(item, entry, made.names)
            # Many items have the same decisions.
            key = tuple(found.decided.items())
            arguments[item] = Argument(
                found.text, shared.setdefault(key, found.decided), packer.pack(found.text, found.spans)
            )
        else:
            interventions[item] = _intervention(item, entry)
    return replace(made, arguments=arguments, interventions=interventions)


def _argument(item: str, entry: Mapping[str, Any], names: TypeNames) -> Argument:
    if "cqs" in entry:
        raise CannotScore(f"{item}: has cqs: score it with --codebook cqs_gen")
    if "labels" not in entry and "fsq_types" not in entry:
        raise CannotScore(f"{item}: {WITHHELD}")
    text = entry.get("argument")
    if not isinstance(text, str):
        raise CannotScore(
            f"{item}: has no text: score what scripts/join_texts.py makes of it, by --references"
        )
    try:
        if "labels" not in entry:
            return _published(text, entry, names)
        decided = {names.code(label.get("code") or label["fsq_type"]): label for label in entry["labels"]}
    except AnswerRefused as problem:
        raise CannotScore(f"{item}: {problem}") from None
    spans = {
        code: References(
            *(
                tuple(_place(text, span["start"], span["end"]) for span in label.get(key) or ())
                for key in ("gold_spans", "disagreement_spans")
            )
        )
        for code, label in decided.items()
        if label["applicable"]
    }
    return Argument(text, {code: label["applicable"] for code, label in decided.items()}, spans)


def _published(text: str, entry: Mapping[str, Any], names: TypeNames) -> Argument:
    """Return an argument of a file that has its types and their spans alone: every other type is a no."""
    gold: dict[str, list[Place]] = {}
    for name, words in zip(entry["fsq_types"], entry["spans"], strict=False):
        code = names.code(name)
        if code == NONE:
            continue
        places = gold.setdefault(code, [])
        if words != NO_SPAN:
            found = find_place(text, words)
            places.append(_place(text, *found) if found else Place(words, None, text))
    decided = {code: code in gold for code in names.codes}
    return Argument(text, decided, {code: References(tuple(places)) for code, places in gold.items()})


def _place(text: str, start: int, end: int) -> Place:
    return Place(text[start:end], (start, end), text)


def _intervention(item: str, entry: Mapping[str, Any]) -> Intervention:
    if "cqs" not in entry:
        raise CannotScore(f"{item}: has no cqs: is this a FOCUS file?")
    given = entry["cqs"] if isinstance(entry["cqs"], list) else []
    questions = []
    for number, question in enumerate(given, start=1):
        label = question.get("label")
        if label not in PUBLISHED_LABELS.values():
            raise CannotScore(
                f"{item}, question {number}: label is {shown(label)}; expected one of "
                f"{', '.join(PUBLISHED_LABELS.values())}"
            )
        questions.append(Reference(str(question.get("id", number - 1)), question["cq"], label))
    return Intervention(str(entry.get("intervention", "")), tuple(questions))
