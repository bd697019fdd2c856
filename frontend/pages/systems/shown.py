"""An evaluation's figures as a page shows them: cards, tables of cells with lettered reasons, whiskers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import get_language, gettext

from agreement.display.cells import Cell, number
from agreement.display.charts import Axis
from annotation.codebooks.definition import Codebook as Definition
from annotation.codebooks.translations import codebook_in
from annotation.models import Project
from frontend.pages.systems.words import PARAMETERS, why
from scoring.evaluation.judge_prompts import JUDGED
from scoring.evaluation.questions import Method
from scoring.figures.types import NONE
from scoring.models import Evaluation

Figures = dict[str, Any]

AXIS = Axis(0.0)


@dataclass(frozen=True, slots=True)
class Chip:
    """A filter of a list that can be chosen: its words, how many rows it lets through, its address."""

    words: str
    n: int
    address: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class Card:
    """A figure that people look at first."""

    text: str
    words: str
    why: str = ""


def method_said(evaluation: Evaluation, *, with_judge: bool = True) -> str:
    """Say how an evaluation was done, in a word or two."""
    if evaluation.scope:
        return gettext("types and spans")
    method = str(Method(evaluation.method, evaluation.threshold)).replace(":", " > ")
    model = judge_said(evaluation)
    return f"{method} · {model}" if model and with_judge else method


def judge_said(evaluation: Evaluation) -> str:
    """Say which language model judged, as it was asked for; empty where none did."""
    return str(evaluation.parameters.get("model", "")) if evaluation.method in JUDGED else ""


def parameters_said(evaluation: Evaluation) -> list[tuple[str, Any]]:
    """Return what else shaped the figures, each under its words; what people decided is apart."""
    given = {name: value for name, value in evaluation.parameters.items() if name != "people"}
    names = [name for name in PARAMETERS if name in given] + sorted(given.keys() - PARAMETERS.keys())
    return [(str(PARAMETERS.get(name, name)), given[name]) for name in names if given[name] not in (None, "")]


def shown_cell(figure: Figures | None, *, signed: bool = False) -> Cell:
    """Return a figure as text with its interval, or a dash with the reason."""
    if figure is None:
        return Cell("")
    if figure["value"] is None:
        return Cell(number(None), why=why(figure["reason"]))
    interval = ""
    if figure.get("low") is not None:
        interval = f"[{number(figure['low'], signed=signed)}, {number(figure['high'], signed=signed)}]"
    return Cell(number(figure["value"], signed=signed), interval=interval)


def codebook_of(project: Project) -> Definition:
    """Return the project's newest codebook in the reader's language."""
    newest = project.codebooks.order_by("-version").first()
    assert newest is not None
    return codebook_in(Definition.from_json(newest.definition), get_language() or "")


def type_names(definition: Definition) -> dict[str, str]:
    """Return what each type is called, None of the Above too."""
    none = definition.derived_none.name if definition.derived_none else gettext("None of the Above")
    return {**{entry.code: entry.name for entry in definition.types}, NONE: none}


def card(figure: Figures, words: str, together: Figures | None, over_runs: Figures | None = None) -> Card:
    """Return a figure with its interval; where there are runs the mean, its deviation and its interval."""
    if together is not None and together["mean"] is not None:
        words = f"{words}{_interval(over_runs)}"
        if together["sd"] is not None:
            words = gettext("%(words)s, ± %(sd)s over %(n)s runs") % {
                "words": words,
                "sd": number(together["sd"]),
                "n": together["n"],
            }
        return Card(number(together["mean"]), words)
    if figure["value"] is None:
        return Card(number(None), words, why(figure["reason"]))
    return Card(number(figure["value"]), f"{words}{_interval(figure)}")


def _interval(figure: Figures | None) -> str:
    if figure is None or figure["low"] is None:
        return ""
    return f" [{number(figure['low'])}, {number(figure['high'])}]"
