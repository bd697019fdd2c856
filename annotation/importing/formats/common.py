"""What the readers of other tools' judgements share: names of types, rows from the parts of an annotation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.utils.translation import gettext

from annotation.codebooks.definition import PUBLISHED_LABELS, Codebook
from annotation.importing.files.rows import JudgementRow, Refusal, json_problem
from core.lookalikes import heard_as

LABELS = {heard_as(word): code for code, name in PUBLISHED_LABELS.items() for word in (code, name)}
"""The code of each label by what a file may call it: code or published word, as `heard_as` gives them."""


_SPAN = ("start", "end", "quote")


class PartProblem(ValueError):
    """Why one part of an annotation is refused; `unit` is the one that it contradicts."""

    def __init__(self, message: str, unit: str | int | None = None) -> None:
        super().__init__(message)
        self.unit = unit


def type_names(codebook: Codebook) -> dict[str, str]:
    """Return the code of each type by code, name and alias, as `heard_as` gives them."""
    return {
        heard_as(name): entry.code
        for entry in codebook.types
        for name in (*entry.aliases, entry.name, entry.code)
    }


def reason_names(codebook: Codebook) -> dict[str, str]:
    """Return the code of each reason by its code and its name, as `heard_as` gives them."""
    return {heard_as(name): entry.code for entry in codebook.reasons for name in (entry.name, entry.code)}


def named_as(codebook: Codebook, row: JudgementRow) -> JudgementRow:
    """Return a row with the codebook's codes for its type and reason, which it may name otherwise."""
    code = type_names(codebook).get(heard_as(row.type_code)) if row.type_code else None
    reason = reason_names(codebook).get(heard_as(row.reason)) if row.reason else None
    return replace(row, type_code=code or row.type_code, reason=reason or row.reason)


@dataclass(slots=True)
class Answers:
    """The answers of one annotator about one item, collected part by part. A unit is a code or a position.

    With `keep_votes` a type with several spans keeps its yes and has none.
    """

    item: str
    annotator: str
    types: Mapping[str, str]
    keep_votes: bool = False
    decided_at: datetime | None = None
    fields: dict[str | int, dict[str, Any]] = field(default_factory=dict)
    places: dict[str | int, str] = field(default_factory=dict)
    contradicted: set[str | int] = field(default_factory=set)
    many_spans: dict[str | int, list[Mapping[str, Any]]] = field(default_factory=dict)

    def type_code(self, name: Any) -> str:
        """Return the code of a type by its name. Raises PartProblem for one that the codebook has not."""
        code = self.types.get(heard_as(name)) if isinstance(name, str) else None
        if code is None:
            raise PartProblem(gettext("%(name)s is no type of the codebook") % {"name": repr(name)})
        return code

    def put(self, unit: str | int, place: str, **values: Any) -> None:
        """Add what a part says of a unit.

        Raises PartProblem where another part says something else; then no row is made of either.
        """
        there = self.fields.get(unit, {})
        if self.keep_votes and self._other_span(there, values):
            self.many_spans.setdefault(unit, [dict(there)]).append(values)
            return
        for name, value in values.items():
            if name in there and there[name] != value:
                self.contradicted.add(unit)
                what = (
                    gettext("a second span")
                    if name in ("start", "end", "quote")
                    else gettext("another %(name)s") % {"name": name}
                )
                raise PartProblem(
                    gettext("%(unit)s has %(what)s; a judgement has one")
                    % {"unit": _unit_words(unit), "what": what},
                    unit,
                )
        self.fields.setdefault(unit, {}).update(values)
        self.places.setdefault(unit, place)

    @staticmethod
    def _other_span(there: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
        """Whether a part says the same yes as an earlier one with another span."""
        spans = [[one.get(name) for name in _SPAN] for one in (there, values)]
        return (
            None not in (spans[0][0], spans[1][0])
            and spans[0] != spans[1]
            and there.get("applicable") is values.get("applicable") is True
        )

    def label(self, position: int, place: str, word: Any) -> None:
        """Add the label of a question by its published word or its code."""
        code = LABELS.get(heard_as(word)) if isinstance(word, str) else None
        if code is None:
            raise PartProblem(
                gettext("label is %(word)s, expected %(published_labels)s")
                % {"word": repr(word), "published_labels": ", ".join(PUBLISHED_LABELS.values())}
            )
        self.put(position, place, label=code)

    def shown(self, unit: str | int, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return what is known of a unit as a row in long form, for the file of refused rows."""
        about = {"type": unit} if isinstance(unit, str) else {"question_position": unit}
        shown = {"item": self.item, "annotator": self.annotator, **about, **values}
        words = {None: "", True: "yes", False: "no"}
        return {
            name: words[value] if value is None or isinstance(value, bool) else value
            for name, value in shown.items()
        }

    def rows(self) -> Iterator[JudgementRow | Refusal]:
        """Yield a row for each unit that was answered, types and questions in the order of their parts."""
        for unit, values in self.fields.items():
            if unit in self.contradicted:
                continue
            is_type = isinstance(unit, str)
            if unit in self.many_spans:
                values = without_spans(values, self.many_spans[unit])
            shown = self.shown(unit, values)
            if problem := json_problem(shown, "annotation"):
                yield Refusal(self.places[unit], problem, shown)
            elif ("applicable" if is_type else "label") not in values:
                yield Refusal(
                    self.places[unit], gettext("%(unit)s has no answer") % {"unit": _unit_words(unit)}, shown
                )
            else:
                yield _row(self, unit, values)


def refused(place: str, problem: PartProblem, part: Any, answers: Answers | None = None) -> Refusal:
    """Return the refusal of a part: a row in long form to be filled in, beside what it is."""
    if answers is None:
        return Refusal(place, str(problem), {"value": part})
    unit = problem.unit
    if unit is None:
        return Refusal(place, str(problem), answers.shown("", {"value": part}))
    earlier = answers.shown(unit, answers.fields.get(unit, {}))
    return Refusal(place, str(problem), answers.shown(unit, {"value": part}), (earlier,))


def without_spans(values: Mapping[str, Any], spans: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what is said of a unit without its span, whose several quotes go to the comment."""
    quotes = ", ".join(f"“{span['quote']}”" for span in spans if span.get("quote"))
    kept = {name: value for name, value in values.items() if name not in _SPAN}
    return kept | {"comment": "\n".join(filter(None, (kept.get("comment", ""), quotes)))}


def whole_number(value: Any, name: str) -> int:
    """Return an offset. Raises PartProblem for anything but a whole number."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise PartProblem(
            gettext("%(name)s is %(value)s, expected a whole number") % {"name": name, "value": repr(value)}
        )
    return value


def _unit_words(unit: str | int) -> str:
    return (
        gettext("type %(unit)s") % {"unit": unit}
        if isinstance(unit, str)
        else gettext("question %(unit)s") % {"unit": unit}
    )


def _row(answers: Answers, unit: str | int, values: Mapping[str, Any]) -> JudgementRow:
    return JudgementRow(
        item=answers.item,
        type_code=unit if isinstance(unit, str) else None,
        question=None,
        annotator=answers.annotator,
        applicable=values.get("applicable"),
        label=values.get("label"),
        start=values.get("start"),
        end=values.get("end"),
        quote=values.get("quote"),
        reason=values.get("reason", ""),
        comment=values.get("comment", ""),
        edited_question=values.get("edited_question", ""),
        cannot_judge=False,
        unsure=False,
        place=answers.places[unit],
        question_position=unit if isinstance(unit, int) else None,
        decided_at=answers.decided_at,
    )
