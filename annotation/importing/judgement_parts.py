"""What the readers of other tools' judgements share: names of types, rows from the parts of an annotation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext

from annotation.codebooks.definition import PUBLISHED_LABELS, Codebook
from annotation.importing.rows import JudgementRow, Refusal, json_problem

LABELS = {word.lower(): code for code, name in PUBLISHED_LABELS.items() for word in (code, name)}
"""The code of each label by what a file may call it: code or published word, in small letters."""


class PartProblem(ValueError):
    """Why one part of an annotation is refused."""


def type_names(codebook: Codebook) -> dict[str, str]:
    """Return the code of each type by what another tool may call it: code, name, alias, in small letters."""
    return {
        name.lower(): entry.code
        for entry in codebook.types
        for name in (*entry.aliases, entry.name, entry.code)
    }


@dataclass(slots=True)
class Answers:
    """The answers of one annotator about one item, collected part by part. A unit is a code or a position."""

    item: str
    annotator: str
    types: Mapping[str, str]
    fields: dict[str | int, dict[str, Any]] = field(default_factory=dict)
    places: dict[str | int, str] = field(default_factory=dict)
    contradicted: set[str | int] = field(default_factory=set)

    def type_code(self, name: Any) -> str:
        """Return the code of a type by its name. Raises PartProblem for one that the codebook has not."""
        code = self.types.get(name.lower()) if isinstance(name, str) else None
        if code is None:
            raise PartProblem(gettext("%(name)s is no type of the codebook") % {"name": repr(name)})
        return code

    def put(self, unit: str | int, place: str, **values: Any) -> None:
        """Add what a part says of a unit.

        Raises PartProblem where another part says something else; then no row is made of either.
        """
        there = self.fields.get(unit, {})
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
                    % {"unit": _unit_words(unit), "what": what}
                )
        self.fields.setdefault(unit, {}).update(values)
        self.places.setdefault(unit, place)

    def label(self, position: int, place: str, word: Any) -> None:
        """Add the label of a question by its published word or its code."""
        code = LABELS.get(word.lower()) if isinstance(word, str) else None
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
        return {name: "" if value is None else value for name, value in shown.items()}

    def rows(self) -> Iterator[JudgementRow | Refusal]:
        """Yield a row for each unit that was answered, types and questions in the order of their parts."""
        for unit, values in self.fields.items():
            if unit in self.contradicted:
                continue
            is_type = isinstance(unit, str)
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
    about = {"item": answers.item, "annotator": answers.annotator} if answers else {}
    return Refusal(place, str(problem), about | {"value": part})


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
    )
