"""A system's file, checked against the items of a split: every fault with its item and place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from exports.shipped.score import words
from scoring.evaluation.faults import Fault, Findings
from scoring.evaluation.json_file import is_too_large, items_of, items_one_by_one, shown
from scoring.evaluation.packed_spans import KeptAnswers
from scoring.evaluation.prediction_files import is_prediction_file, predictions_of
from scoring.evaluation.references import Benchmark
from scoring.figures.matching import QUESTIONS
from scoring.reading.focus_answers import AnswerRefused, FocusAnswer, read_focus_answer

NO_QUESTIONS = "Missing CQs"
MOST_CHARACTERS = 2_000


class Question(NamedTuple):
    """A question that a system submits."""

    number: int
    words: str


@dataclass(frozen=True, slots=True)
class Submission:
    """What a system answers in one run, with what was noted as it was read."""

    file: str
    types: Mapping[str, FocusAnswer] = field(default_factory=dict)
    questions: Mapping[str, tuple[Question, ...]] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()
    notes: tuple[Fault, ...] = ()
    missing: tuple[str, ...] = ()
    twice: int = 0


def read_submission(
    data: bytes, file: str, benchmark: Benchmark, *, complete: bool = False, distinct: bool = False
) -> Submission:
    """Read a system's file; its faults are in what is returned.

    `complete`: an item, or one of its three questions, that is missing is a fault, and not only counted.
    `distinct`: so is a question that is there twice.
    """
    findings = Findings(file)
    if benchmark.is_focus and is_prediction_file(data):
        return _read(
            predictions_of(data, benchmark, findings).items(),
            benchmark,
            findings,
            complete=complete,
            distinct=distinct,
        )
    with suppress(ValueError, RecursionError):  # of which it is told what is wrong as it is read whole
        if not is_too_large(data, Findings(file)):
            one_by_one = items_one_by_one([data], limited=True)
            return _read(one_by_one, benchmark, Findings(file), complete=complete, distinct=distinct)
    return _read(items_of(data, findings).items(), benchmark, findings, complete=complete, distinct=distinct)


def _read(
    entries: Iterable[tuple[str, Mapping[str, Any]]],
    benchmark: Benchmark,
    findings: Findings,
    *,
    complete: bool,
    distinct: bool,
) -> Submission:
    types = KeptAnswers(lambda item: benchmark.arguments[item].text)
    questions: dict[str, tuple[Question, ...]] = {}
    seen: set[str] = set()
    twice = 0
    for item, entry in entries:
        if item in seen:
            raise ValueError("an item twice")
        seen.add(item)
        if item not in benchmark.items:
            findings.fault("there is no such item: is it for another split?", item)
        elif benchmark.is_focus:
            found = _types(item, entry, benchmark, findings)
            if found is not None:
                types.keep(item, found)
        else:
            questions[item], repeated = _questions(
                item, entry, findings, complete=complete, distinct=distinct
            )
            twice += repeated
    missing = tuple(item for item in benchmark.items if item not in seen)
    if complete and seen:
        for item in missing:
            findings.fault("is missing", item)
    elif missing and not findings.faults:
        tell = findings.fault if complete else findings.note
        tell(f"{len(missing)} of {len(benchmark.items)} items are missing; they count as not answered")
    return Submission(
        findings.file, types, questions, tuple(findings.faults), tuple(findings.notes), missing, twice
    )


def _types(
    item: str, entry: Mapping[str, Any], benchmark: Benchmark, findings: Findings
) -> FocusAnswer | None:
    for key in ("fsq_types", "spans"):
        for text in entry[key] if isinstance(entry.get(key), list) else ():
            if isinstance(text, str) and len(text) > MOST_CHARACTERS:
                findings.fault(_too_long(text), item, key)
                return None
    if "cqs" in entry and "fsq_types" not in entry:
        findings.fault("has cqs and no fsq_types: is this a file for CQs-Gen?", item)
        return None
    if "fsq_types" not in entry and "spans" not in entry:
        findings.note("has no fsq_types; it counts as not answered", item)
    try:
        return read_focus_answer(entry, benchmark.arguments[item].text, benchmark.names)
    except AnswerRefused as problem:
        findings.fault(str(problem), item, "spans" if problem.what == "spans" else "fsq_types")
        return None


def _questions(
    item: str, entry: Mapping[str, Any], findings: Findings, *, complete: bool, distinct: bool
) -> tuple[tuple[Question, ...], int]:
    """Return the questions of an item and how many were there twice."""
    if "fsq_types" in entry and "cqs" not in entry:
        findings.fault("has fsq_types and no cqs: is this a file for FOCUS?", item)
        return (), 0
    given = entry.get("cqs", [])
    if given == NO_QUESTIONS:
        given = []
    if not isinstance(given, list):
        findings.fault(f"is {shown(given)}; expected a list of questions", item, "cqs")
        return (), 0
    if len(given) > QUESTIONS:
        findings.fault(_how_many(given), item, "cqs")
        return (), 0
    texts = [question.get("cq") if isinstance(question, dict) else None for question in given]
    # A template that was not filled in is no answer; one empty question among others is a slip.
    if all(isinstance(text, str) and not text.strip() for text in texts):
        texts, given = [], []
    found: dict[Any, Question] = {}
    repeated = 0
    for number, (text, question) in enumerate(zip(texts, given, strict=True), start=1):
        place = f"question {number}"
        if not isinstance(text, str):
            findings.fault(f'is {shown(question)}; expected an object with its text as "cq"', item, place)
        elif not text.strip():
            findings.fault("is empty: give its words, or leave it out", item, place)
        elif len(text) > MOST_CHARACTERS:
            findings.fault(_too_long(text), item, place)
        else:
            same = tuple(words(text)) or text.strip()
            if same in found:
                repeated += 1
                tell = findings.fault if distinct else findings.note
                tell(f"is question {found[same].number} again; it counts once", item, place)
            found.setdefault(same, Question(number, text))
    if len(given) < QUESTIONS:
        tell = findings.fault if complete else findings.note
        tell(_how_many(given), item, "cqs")
    return tuple(found.values()), repeated


def _how_many(given: Sequence[Any]) -> str:
    return f"{len(given)} question{'' if len(given) == 1 else 's'} where {QUESTIONS} are asked for"


def _too_long(text: str) -> str:
    return f"has {len(text):,} characters; at most {MOST_CHARACTERS:,} are read"
