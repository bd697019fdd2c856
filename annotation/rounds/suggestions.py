"""Suggestions of a round: what a language model answered, shown to annotators at all units or a random half.

A lead switches them on as a training or main round opens, and never later. Who made the answers is another
app's: it listens to `annotation.signals`, says whether a run can be used, and yields what it answered.

See docs/decisions/assistants.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any, NamedTuple, cast

from django.utils.translation import gettext

from annotation.models import Protocol, Round, RoundQuestion, Suggestion
from annotation.models.rounds import types_named
from annotation.rounds.draft_claim import BATCH, DraftWork
from annotation.signals import suggestions_asked, suggestions_read
from core.bulk_insert import bulk_insert_values
from core.delete_in_batches import delete_in_batches
from core.errors import Refused


@dataclass(frozen=True, slots=True)
class SuggestionChoice:
    """From which run of the assistants suggestions come, by its number, and where they are shown."""

    run: int
    shown: Round.Shown = Round.Shown.HALF


class SuggestedAnswer(NamedTuple):
    """What a model answered about a unit of an item: a type by its code, or a question by its key.

    `applicable` and `label` exclude each other; `span` is [start, end) in code points of the text.
    """

    unit: str | int
    applicable: bool | None = None
    label: str = ""
    span: tuple[int, int] | None = None


Asked = Mapping[int, Sequence[str] | Sequence[int]]
"""What a round asks of items, by their keys: codes of types, or keys of questions."""


def chosen_values(round: Round, choice: SuggestionChoice | None) -> dict[str, Any]:
    """Return what a round keeps of a choice, which None takes back. Raises Refused where it cannot be."""
    if choice is None:
        return {"suggestions": "", "suggestion_run": None, "suggestion_model": ""}
    if round.purpose == Round.Purpose.CALIBRATION or round.matching or round.imported:
        raise _refused(gettext("Suggestions are for training and main rounds: %(name)s is neither."), round)
    told = [model for _, model in suggestions_asked.send(sender=Round, round=round, run=choice.run) if model]
    if not told:
        raise _refused(gettext("Run %(run)s answers nothing that %(name)s asks."), round, run=choice.run)
    return {
        "suggestions": Round.Shown(choice.shown).value,
        "suggestion_run": choice.run,
        "suggestion_model": told[0],
    }


def write_suggestions(round: Round, work: DraftWork) -> None:
    """Write the suggestions of a round that is being opened, in place of those of an opening that stopped.

    Which are shown depends on the round's seed and on the answers that there are, in the order of the items'
    ids. Raises Refused where there is no answer about any unit.
    """
    delete_in_batches(round.suggested.all(), each=work.batch)
    if not round.suggestions:
        return
    asked = asked_of_items(round)
    total = sum(1 for _ in _rows(round, asked))
    if not total:
        raise _refused(
            gettext("Run %(run)s has no usable answer about what %(name)s asks: nothing can be suggested."),
            round,
            run=round.suggestion_run,
        )
    hidden = hidden_half(total, round.seed) if round.suggestions == Round.Shown.HALF else frozenset()
    rows = ((*row, place not in hidden) for place, row in enumerate(_rows(round, asked)))
    while batch := list(islice(rows, BATCH)):
        with work.batch():
            bulk_insert_values(Suggestion, _COLUMNS, batch)


_COLUMNS = (
    *("round_id", "item_id", "type_code", "question_id", "applicable", "label", "start", "end", "quote"),
    "shown",
)


def hidden_half(total: int, seed: int) -> frozenset[int]:
    """Return which of so many suggestions are hidden: half of them, the smaller half of an odd number.

    >>> sorted(hidden_half(5, seed=1)) == sorted(hidden_half(5, seed=1)), len(hidden_half(5, seed=2))
    (True, 2)
    """
    return frozenset(Random(f"suggestions:{seed}").sample(range(total), total // 2))


def asked_of_items(round: Round) -> Asked:
    """Return what a round asks of each of its items, in the order of the items' ids."""
    drawn = round.round_items.order_by("item__external_id").values_list("item_id", "types")
    if round.project.protocol != Protocol.CQS_GEN:
        codes = round.type_codes
        return {item: types_named(types, codes) for item, types in drawn}
    questions: dict[int, list[int]] = {item: [] for item, _ in drawn}
    rows = RoundQuestion.objects.filter(round=round).order_by("question__position", "question")
    for item, question in rows.values_list("question__item", "question"):
        questions[item].append(question)
    return questions


def _rows(round: Round, asked: Asked) -> Iterator[tuple[Any, ...]]:
    """Yield the suggestions of a round, with `_COLUMNS` but the last, in the order of `asked`."""
    items = list(asked)
    for first in range(0, len(items), BATCH):
        part = items[first : first + BATCH]
        texts = dict(round.project.items.filter(pk__in=part).values_list("pk", "text"))
        found: dict[int, Iterable[SuggestedAnswer]] = {}
        units = {item: asked[item] for item in part}
        for _, told in suggestions_read.send(sender=Round, round=round, asked=units):
            found.update(cast(dict[int, Iterable[SuggestedAnswer]], told))
        for item in part:
            yield from _of_item(round, item, texts[item], units[item], found.get(item, ()))


def _of_item(
    round: Round, item: int, text: str, units: Sequence[str | int], answers: Iterable[SuggestedAnswer]
) -> Iterator[tuple[Any, ...]]:
    by_unit = {answer.unit: answer for answer in answers}
    for unit in units:
        if (answer := by_unit.get(unit)) is None:
            continue
        start, end = answer.span or (None, None)
        quote = None if start is None else text[start:end]
        code, question = (unit, None) if isinstance(unit, str) else ("", unit)
        yield (round.pk, item, code, question, answer.applicable, answer.label, start, end, quote)


def _refused(words: str, round: Round, **names: Any) -> Refused:
    told = words % {"name": round.name, **names}
    return Refused("invalid", told, errors={"suggestions": told})
