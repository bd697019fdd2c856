"""FOCUS: the figures of types and spans as a page shows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext, ngettext

from agreement.display.cells import Cell, Notes
from agreement.display.charts import Whisker, whisker_of
from agreement.display.wording import BERTSCORE as BERTSCORE_SAID
from agreement.display.wording import SIMILARITIES
from agreement.spans.similarity import MEASURES
from frontend.pages.systems.shown import AXIS, Card, Figures, card, codebook_of, shown_cell, type_names
from frontend.pages.systems.words import MEANS, REFERENCE_SETS
from scoring.evaluation.focus import BERTSCORE
from scoring.models import Evaluation


@dataclass(frozen=True, slots=True)
class TypeRow:
    """A type's figures; `there` is how often it was decided yes."""

    code: str
    name: str
    hue: str
    letter: str
    there: int
    cells: list[tuple[str, Cell]]
    whisker: Whisker | None
    said: str


def types_shown(evaluation: Evaluation, figures: Figures, together: Figures) -> dict[str, Any]:
    """Return cards, the table of types, those of spans, and what was answered instead of what was missed."""
    scope = evaluation.scope
    chosen = figures[scope]
    definition = codebook_of(evaluation.submission.system.project)
    names, groups = type_names(definition), {group.key: group for group in definition.groups}
    of_type = {entry.code: groups[entry.group] for entry in definition.types if entry.group in groups}
    notes = Notes("types")
    spans = figures.get("spans_by_type", {})
    heads = (gettext("Precision"), gettext("Recall"), "F1", gettext("Span"))
    rows = []
    for code, row in chosen["types"].items():
        group = of_type.get(code)
        cells = [shown_cell(row[name]) for name in ("precision", "recall", "f1")]
        if spans:
            gold = spans.get(code, {}).get("gold", {}).get("mean", {})
            cells.append(shown_cell(gold.get("unigram_jaccard")))
        f1 = {**row["f1"], "caution": None}
        name = names.get(code, code)
        said = cells[2].text + (f", {cells[2].interval}" if cells[2].interval else "")
        rows.append(
            TypeRow(
                code,
                name,
                group.hue if group else "grey",
                group.letter if group else "",
                row["tp"] + row["fn"],
                list(zip(heads, notes.each(cells), strict=False)),
                whisker_of(f1, AXIS),
                f"{name}: {said}",
            )
        )
    means = {
        "micro": gettext("micro: of the summed counts"),
        "macro": gettext("macro: mean over the labels that are defined"),
        "macro_zero": gettext("macro with undefined as 0"),
    }
    mean_rows = []
    for key, words in means.items():
        cells = notes.each(shown_cell(chosen[key][name]) for name in ("precision", "recall", "f1"))
        f1 = {**chosen[key]["f1"], "caution": None}
        said = f"{words}: {cells[2].text} {cells[2].interval}"
        labelled = list(zip(heads, cells, strict=False))
        mean_rows.append((words, labelled, whisker_of(f1, AXIS), said, chosen[key]["f1"]["n"]))
    macro, gold = chosen["macro"]["f1"], figures["spans"]["gold"]["mean"]["unigram_jaccard"]
    nowhere = figures["spans_not_in_text"]
    cards = [
        card(
            chosen["micro"]["f1"],
            gettext("micro F1"),
            together.get(f"{scope}/micro/f1"),
            evaluation.headline,
        ),
        card(
            macro,
            gettext("macro F1, %(n)s labels of %(all)s defined")
            % {"n": macro["n"], "all": len(chosen["types"])},
            together.get(f"{scope}/macro/f1"),
        ),
        card(
            gold,
            gettext("words of spans shared with gold, best match"),
            together.get("spans/gold/mean/unigram_jaccard"),
        ),
        Card(
            str(nowhere),
            ngettext(
                "span that stands nowhere in its text", "spans that stand nowhere in their text", nowhere
            ),
        ),
    ]
    return {
        "cards": cards,
        "types": rows,
        "with_spans": bool(spans),
        "means": mean_rows,
        "notes": notes,
        "axis": AXIS,
        "scope": scope,
        "spans": _spans(figures["spans"]),
        "confusion": _confusion(figures["confusion"], names),
    }


def _measure_said(measure: str) -> str:
    """Return the name that a measure has in the agreement report too."""
    return gettext(SIMILARITIES.get(measure, BERTSCORE_SAID))


def _spans(spans: Figures) -> list[dict[str, Any]]:
    """Return a table a mean: a row a measure, a column a set of references."""
    tables = []
    for mean, words in MEANS.items():
        notes = Notes(f"spans-{mean}")
        sets = [key for key in REFERENCE_SETS if mean in spans.get(key, {})]
        rows = [
            (_measure_said(measure), notes.each(shown_cell(spans[key][mean].get(measure)) for key in sets))
            for measure in (*MEASURES, BERTSCORE)
            if any(measure in spans[key][mean] for key in sets)
        ]
        first = MEASURES[0] if isinstance(MEASURES, list | tuple) else next(iter(MEASURES))
        ns = [spans[key][mean][first]["n"] for key in sets]
        heads = [(REFERENCE_SETS[key], n) for key, n in zip(sets, ns, strict=True)]
        tables.append({"name": words, "heads": heads, "rows": rows, "notes": notes, "open": mean == "mean"})
    return tables


def _confusion(confusion: Figures, names: dict[str, str]) -> list[tuple[str, list[tuple[str, int]]]]:
    """Return for each type that was missed what was answered instead, the commonest first."""
    return [
        (
            names.get(code, code),
            sorted(
                ((names.get(other, other), n) for other, n in instead.items() if n), key=lambda pair: -pair[1]
            ),
        )
        for code, instead in confusion.items()
        if any(instead.values())
    ]
