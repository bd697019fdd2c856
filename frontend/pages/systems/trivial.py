"""Trivial answers beside a system's figures: what scores as much without having read a text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from agreement.display.cells import Cell
from agreement.display.charts import Whisker, whisker_of
from frontend.pages.systems.shown import AXIS, Figures, shown_cell

NAMES: Mapping[str, str | Promise] = {
    "none_of_the_above": gettext_lazy("None of the Above for all"),
    "best_constant": gettext_lazy("the same types for all"),
    "best_constant_of_this_split": gettext_lazy("the same types for all, the best of this very split"),
    "random_types": gettext_lazy("two types drawn for each"),
    "references_of_other_items": gettext_lazy("three references of other items"),
    "most_frequent_question": gettext_lazy("the question that is asked most often"),
}


@dataclass(frozen=True, slots=True)
class Trivial:
    """A trivial answer: what it is, its precision, recall and F1 or its score, and how many are NAE."""

    words: str
    answer: str
    cells: list[tuple[str, Cell]]
    whisker: Whisker | None
    said: str
    nae: int | None = None

    @property
    def score(self) -> Cell:
        return self.cells[-1][1]


def trivial_shown(scores: Figures, scope: str) -> list[Trivial]:
    """Return the trivial rows of an evaluation; none of one by an older version of the arithmetic."""
    return [_shown(row, scope) for row in scores.get("trivial", ())]


def why_no_trivial(rows: list[Trivial]) -> str:
    """Say why none of these answers was scored, where they share the reason; empty where one was."""
    reasons = {row.score.why for row in rows}
    return reasons.pop() if len(reasons) == 1 else ""


def _shown(row: Figures, scope: str) -> Trivial:
    words = str(NAMES.get(row["name"], row["name"]))
    if row["chosen_by"]:
        words = gettext("%(words)s (chosen by the split %(split)s)") % {
            "words": words,
            "split": row["chosen_by"],
        }
    found: dict[str, dict[str, Any]]
    if row["figures"] is None:
        found = {gettext("Score"): {"value": None, "low": None, "high": None, "reason": row["reason"]}}
    elif scope:
        micro = row["figures"][scope]["micro"]
        found = {
            gettext("Precision"): micro["precision"],
            gettext("Recall"): micro["recall"],
            "F1": micro["f1"],
        }
    else:
        found = {gettext("Score"): row["figures"]["score"]}
    cells = [(label, shown_cell(figure)) for label, figure in found.items()]
    last, figure = cells[-1][1], list(found.values())[-1]
    return Trivial(
        words,
        "" if row["name"] == "none_of_the_above" else ", ".join(row["answer"] or ()),
        cells,
        whisker_of({**figure, "caution": None}, AXIS),
        f"{words}: {last.text} {last.interval}",
        None if scope or row["figures"] is None else row["figures"]["nae"],
    )
