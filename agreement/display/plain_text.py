"""The agreement of a rating table as plain text for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from agreement.statistics.estimates import REASONS, RULE_OF_THREE, Estimate, TableResult
from agreement.statistics.kappa_paradox import table_readings
from agreement.statistics.strata.stratified import StratifiedResult
from agreement.what_if.influence import WithoutRater

_NAMES = (
    ("observed_agreement", "Observed agreement (p_a, mean over items)"),
    ("focus_score", "FOCUS score (1 / 0.5 / 0)"),
    ("cohen_kappa", "Cohen's kappa (mean over pairs)"),
    ("conger_kappa", "Conger's kappa"),
    ("fleiss_kappa", "Fleiss' kappa"),
    ("pabak", "PABAK (Brennan-Prediger)"),
    ("gwet_ac1", "Gwet's AC1"),
    ("krippendorff_alpha", "Krippendorff's alpha (nominal)"),
)
_PAIRS_SHOWN = 30


def agreement_text(result: TableResult, annotators: Sequence[str], categories: Sequence[str]) -> str:
    """Return a table of all coefficients, a table of the pairs and what a reader should know."""
    notes = _Notes()
    lines = [
        f"{result.n_items} items with a rating (n), {result.n_pairable} with two or more (n'), "
        f"{result.n_pairable_ratings} ratings compared (N)",
        f"{result.n_raters} annotators; {len(categories)} categories: {', '.join(categories) or 'none'}",
        "",
    ]
    coefficients = [
        (label, *_numbers(result.estimates[name]), notes.mark(result.estimates[name]))
        for name, label in _NAMES
    ]
    lines += _aligned([("Coefficient", "Value", "95% interval", "SE", ""), *coefficients])
    if result.pairs:
        pairs = [
            (
                f"{annotators[pair.first]} – {annotators[pair.second]}",
                *_numbers(pair.kappa)[:2],
                f"{pair.observed_agreement.value:.3f}",
                str(pair.n_common),
                notes.mark(pair.kappa),
            )
            for pair in result.pairs[:_PAIRS_SHOWN]
        ]
        lines += ["", *_aligned([("Pair", "Cohen", "95% interval", "p_o", "Items", ""), *pairs])]
        if len(result.pairs) > _PAIRS_SHOWN:
            lines.append(f"… and {len(result.pairs) - _PAIRS_SHOWN} pairs more; --json lists them all.")
    lines += [
        f"Pairs left out of the mean of Cohen's kappas: {number} ({REASONS[reason]})."
        for reason, number in result.pairs_undefined.items()
    ]
    lines += ["", *notes.lines] if notes.lines else []
    if result.replicates:
        seed = " ".join(map(str, result.seed))
        lines += ["", f"Intervals: {result.replicates} bootstrap resamples of items, seed {seed}."]
    for reading in table_readings(result, categories=categories):
        lines += ["", reading.sentence]
    return "\n".join(lines)


def strata_text(result: StratifiedResult, annotators: Sequence[str]) -> str:
    """Return a table of the coefficients of several tables together, and of the pairs over all of them."""
    notes = _Notes()
    lines = [
        f"{result.n_strata} strata; {result.n_items} items, {result.n_units} units with a rating, "
        f"{result.n_pairable} with two or more",
        "Together: what each stratum shows beyond its own chance, added up. Mean: of those that have one.",
        "",
    ]
    rows = [
        (
            label,
            *_numbers(result.estimates[name])[:2],
            "–" if (mean := result.means[name]) is None else f"{mean:.3f}",
            str(result.means_of[name]),
            notes.mark(result.estimates[name]),
        )
        for name, label in _NAMES
        if name in result.estimates
    ]
    lines += _aligned([("Coefficient", "Together", "95% interval", "Mean", "Strata", ""), *rows])
    if result.pairs:
        pairs = [
            (
                f"{annotators[pair.first]} – {annotators[pair.second]}",
                *_numbers(pair.kappa)[:2],
                str(pair.n_common),
                notes.mark(pair.kappa),
            )
            for pair in result.pairs[:_PAIRS_SHOWN]
        ]
        lines += ["", *_aligned([("Pair", "Cohen", "95% interval", "Units", ""), *pairs])]
    lines += ["", *notes.lines] if notes.lines else []
    if result.replicates:
        seed = " ".join(map(str, result.seed))
        lines += ["", f"Intervals: {result.replicates} bootstrap resamples of items, seed {seed}."]
    return "\n".join(lines)


def without_text(without: Sequence[WithoutRater], annotators: Sequence[str]) -> str:
    """Return a table of the coefficients without each annotator, and how far each moves."""
    notes = _Notes()
    rows = [
        (
            f"{annotators[one.rater]}: {label}",
            *_numbers(one.figures.estimates[name])[:2],
            *_numbers(one.differences[name])[:2],
            notes.mark(one.differences[name]),
        )
        for one in without
        for name, label in _NAMES
        if name in one.figures.estimates
    ]
    head = ("Without", "Value", "95% interval", "Moves by", "95% interval, paired", "")
    return "\n".join([*_aligned([head, *rows]), *(["", *notes.lines] if notes.lines else [])])


class _Notes:
    """Numbers the notes of a table in the order in which they are first needed."""

    def __init__(self) -> None:
        self._texts: list[str] = []

    def mark(self, estimate: Estimate) -> str:
        texts = [f"undefined: {estimate.words}"] if estimate.reason else []
        if estimate.interval_reason:
            texts.append(f"no interval: {REASONS[estimate.interval_reason]}")
        if estimate.interval_method == RULE_OF_THREE:
            texts.append(REASONS[RULE_OF_THREE])
        if estimate.caution:
            texts.append(REASONS[estimate.caution])
        self._texts += [text for text in texts if text not in self._texts]
        return "".join(f"[{self._texts.index(text) + 1}]" for text in texts)

    @property
    def lines(self) -> list[str]:
        return [f"[{number}] {text}" for number, text in enumerate(self._texts, start=1)]


def _numbers(estimate: Estimate) -> tuple[str, str, str]:
    value = "–" if estimate.value is None else f"{estimate.value:.3f}"
    interval = "–" if estimate.low is None else f"[{estimate.low:.3f}, {estimate.high:.3f}]"
    return value, interval, "–" if estimate.se is None else f"{estimate.se:.3f}"


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Align the first column left, the numbers right and the last column left."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    lines = []
    for row in rows:
        numbers = (cell.rjust(width) for cell, width in zip(row[1:-1], widths[1:], strict=True))
        lines.append("  ".join([row[0].ljust(widths[0]), *numbers, row[-1]]).rstrip())
    return lines
