"""The rows of an evaluation's answers: what a page shows of each, in the order of items, units and runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from core.texts import BLANK_CHARACTERS, storable
from scoring.evaluation.focus import WORDS, compared
from scoring.evaluation.references import Argument, Benchmark
from scoring.evaluation.submissions import Submission
from scoring.figures.matching import JUDGE_UNUSABLE, UNDECIDED, USEFUL
from scoring.figures.spans import Place, References
from scoring.figures.types import NONE
from scoring.models import Answer, Evaluation
from scoring.reading.focus_answers import NO_WORDS, FocusAnswer

Verdict = Answer.Verdict


def focus_rows(
    evaluation: Evaluation, benchmark: Benchmark, run: int, submission: Submission
) -> Iterator[Answer]:
    """Return a row for every pair of item and type that was decided yes or answered, None of the Above too.

    A pair of which nothing was decided is scored in the scope `all` only, and shown as not decided.
    """
    for position, (item, argument) in enumerate(benchmark.arguments.items()):
        answer = submission.types.get(item)
        for place, code in enumerate([*benchmark.types, NONE]):
            found = _verdict(argument, answer, code, benchmark.types)
            if found is None:
                continue
            yield Answer(
                evaluation=evaluation,
                run=run,
                item=item,
                position=position,
                unit=code,
                place=place,
                label=found,
                is_right=None if found == Verdict.UNDECIDED else found == Verdict.HIT,
                **_spans(argument, answer, code),
            )


def _verdict(argument: Argument, answer: FocusAnswer | None, code: str, types: list[str]) -> Verdict | None:
    said = {one.type for one in answer.answers} - {NONE} if answer else set()
    decided: bool | None
    if code == NONE:
        # As the scope `decided` scores it: where every type is decided, right where none is yes.
        answered = not said
        whole = all(argument.decided.get(kind) is not None for kind in types)
        decided = not any(argument.decided.values()) if whole else None
        if decided is None:
            return None
    else:
        answered, decided = code in said, argument.decided.get(code)
    if decided is None:
        return Verdict.UNDECIDED if answered else None
    if decided:
        return Verdict.HIT if answered else Verdict.MISSED
    return Verdict.EXTRA if answered else None


def _spans(argument: Argument, answer: FocusAnswer | None, code: str) -> dict[str, Any]:
    """Return the columns about words: what the system gave, where it stands, what people chose."""
    given = next((one for one in answer.answers if one.type == code), None) if answer else None
    chosen = argument.spans.get(code, References())
    found: dict[str, Any] = {
        "references": {
            name: [list(one.span) if one.span else one.words for one in spans]
            for name, spans in (("gold", chosen.gold), ("disagreement", chosen.disagreement))
            if spans
        }
    }
    words = given.given.strip(BLANK_CHARACTERS) if given else ""
    if given is None or words.casefold() in NO_WORDS:
        return found
    found["given"] = storable(words)
    place = Place(words, None, argument.text)
    if given.span:
        found["start"], found["end"] = given.span
        place = Place(argument.text[slice(*given.span)], given.span, argument.text)
    if chosen.gold:
        found["similarity"] = max(compared(place, one)[WORDS] for one in chosen.gold)
    return found


def question_rows(
    evaluation: Evaluation, benchmark: Benchmark, lines: Iterable[Mapping[str, Any]]
) -> Iterator[Answer]:
    """Return a row for every question, from the lines of `answers.jsonl`."""
    positions = {item: at for at, item in enumerate(benchmark.interventions)}
    for line in lines:
        best = line["reference"]
        yield Answer(
            evaluation=evaluation,
            run=line["run"],
            item=line["item"],
            position=positions[line["item"]],
            unit=str(line["question"]),
            place=line["question"],
            given=storable(line["cq"]),
            references={
                **({"best": dict(best)} if best else {}),
                **({"judge": dict(line["judge"])} if line.get("judge") else {}),
            },
            similarity=line["similarity"],
            label=line["label"] or JUDGE_UNUSABLE,
            is_right=None if line["label"] == UNDECIDED else line["label"] == USEFUL,
        )
