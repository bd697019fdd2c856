"""The part of a data card about agreement: a table for each round, figures, intervals, doubts."""

from __future__ import annotations

from collections.abc import Sequence

from agreement.display.cells import Notes
from agreement.display.wording import cluster_of, interval_note, reason_text
from agreement.report.conditions import is_compared
from agreement.report.figures import ReportFigures, RoundConditions, SectionFigures
from agreement.statistics.estimates import KEPT_BACK
from agreement.statistics.figures import EstimateFigures
from annotation.codebooks.definition import CQS_GEN
from exports.documentation.markdown import cell, table
from exports.selection.selection import RoundRow

AgreementFigures = Sequence[tuple[RoundRow, ReportFigures]]

_COEFFICIENTS = (
    ("observed_agreement", "p_a"),
    ("pabak", "PABAK"),
    ("gwet_ac1", "AC1"),
    ("krippendorff_alpha", "alpha"),
)
_SPAN_FIGURES = (("exact", "exact"), ("token_jaccard", "token Jaccard"), ("u_alpha", "u_alpha"))


def agreement_text(agreement: AgreementFigures, conditions: Sequence[RoundConditions]) -> str:
    """Return the section about agreement; "" where no round was annotated.

    conditions: those of `rounds_conditions`, which stand with each round that another came before.
    """
    against = {row["round"]: row for row in conditions if is_compared(row)}
    lines = []
    for row, figures in agreement:
        shown = [section for section in figures["sections"] if section["kind"] != "group"]
        lines += [f"### {cell(row.name)}", ""]
        lines += [_size(figures), ""]
        compared = against.get(row.number)
        if compared:
            lines += [f"Compared with {cell(compared['against_name'])}: {cell(compared['says'])}", ""]
        notes = Notes()
        first = "type" if any(section["kind"] == "type" for section in shown) else "comparison"
        lines += table(
            [first, "n", *(name for _, name in _COEFFICIENTS)],
            (
                (
                    section["name"],
                    _count(section["n_pairable"]),
                    *(_estimate(section["estimates"][key], notes) for key, _ in _COEFFICIENTS),
                )
                for section in shown
            ),
        )
        lines += _together(shown)
        lines += _span_agreement(shown, notes)
        lines += [line for mark, sentence in notes.listed for line in (f"({mark}) {sentence}.", "")]
        lines += _readings(shown)
    if not lines:
        return ""
    note = (
        "With 95% bootstrap intervals over items; n counts the units with two or more judgements. p_a is the "
        "observed agreement, AC1 Gwet's coefficient, alpha Krippendorff's. Judgements made after a round was "
        "reopened enter none of them."
    )
    return "\n".join(["## Agreement", "", note, "", *lines])


def _together(sections: Sequence[SectionFigures]) -> list[str]:
    """Say what the row of all types is, and the plain mean beside it."""
    lines = []
    for section in sections:
        mean = section.get("mean_of_types", {}).get("krippendorff_alpha")
        if mean is None:
            continue
        told = (
            ""
            if mean["value"] is None
            else f" The plain mean of alpha over {mean['n']} types is {mean['value']:.2f}."
        )
        lines += [
            f"{cell(section['name'])}: the types are strata; what each shows beyond its own chance is added "
            f"up.{told}",
            "",
        ]
    return lines


def _readings(sections: Sequence[SectionFigures]) -> list[str]:
    """Return what there is to say of low figures: rare answers, chance level, too few units, disagreement."""
    told = [
        f"- {cell(section['name'])}: {cell(sentence)}"
        for section in sections
        for sentence in ([section["paradox"]] if section["paradox"] else []) + section.get("readings", [])
    ]
    return [*told, ""] if told else []


def _size(figures: ReportFigures) -> str:
    """Return how many texts and people a round's figures are of."""
    questions = f" with {figures['n_units']} questions" if figures["protocol"] == CQS_GEN else ""
    clusters = cluster_of(figures)
    drawn = (
        f" Intervals draw clusters of items: the {clusters[1]} values of {cell(clusters[0])}."
        if clusters
        else ""
    )
    return f"{figures['n_items']} items{questions}, judged by {figures['n_annotators']} annotators.{drawn}"


def _span_agreement(sections: Sequence[SectionFigures], notes: Notes) -> list[str]:
    """Return the table of how alike the spans are, where the round has any."""
    rows = []
    for section in sections:
        if not section["spans"]:
            continue
        similarity, u_alpha = section["spans"]["similarity"], section["spans"]["u_alpha"]
        # Every pair is exact or not; a pair without any token has no other similarity of words.
        pairs = similarity["exact"]["n_pairs"]
        cells = (
            _estimate(u_alpha, notes, spans=True)
            if key == "u_alpha"
            else _estimate(similarity[key], notes, spans=True) + _fewer(similarity[key]["n_pairs"], pairs)
            for key, _ in _SPAN_FIGURES
        )
        rows.append((section["name"], _count(pairs), *cells))
    if not rows:
        return []
    head = ["spans of type", "pairs", *(name for _, name in _SPAN_FIGURES)]
    over = (
        "Spans, over the pairs of annotators who both said yes; u_alpha (Krippendorff et al. 2016: marked "
        "against not marked), over the texts that two judged:"
    )
    return [over, "", *table(head, rows)]


def _count(number: int | None) -> int | str:
    return "–" if number is None else number


def _fewer(number: int, pairs: int) -> str:
    return "" if number == pairs else f" ({number} pair{'' if number == 1 else 's'})"


def _estimate(estimate: EstimateFigures, notes: Notes, *, spans: bool = False) -> str:
    """Return a figure with its interval, and the letter of what there is to say of them below the table."""
    if estimate["reason"] == KEPT_BACK:
        return f"– ({notes.mark('Kept back: ' + reason_text(KEPT_BACK))})"
    if estimate["value"] is None:
        return f"undefined ({notes.mark('Undefined: ' + reason_text(estimate['reason'], spans=spans))})"
    value = f"{estimate['value']:.3f}"
    if estimate["low"] is not None:
        value += f" [{estimate['low']:.3f}, {estimate['high']:.3f}]"
    note = interval_note(estimate)
    return f"{value} ({notes.mark(note[0].upper() + note[1:])})" if note else value
