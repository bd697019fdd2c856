"""The figures of a report as files: CSV in long form, and a LaTeX table with chosen rows and columns."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any, cast

from agreement.display.cells import Notes
from agreement.display.wording import (
    AGAINST,
    COEFFICIENTS,
    ITEM_MEANS,
    SET_ALPHAS,
    SIMILARITIES,
    cluster_of,
    encoder_text,
    interval_note,
    is_old,
    reason_text,
    span_alphas,
)
from agreement.report.bertscore_figures import BERTSCORE, bertscore_figure
from agreement.report.figures import (
    AnchoringFigures,
    MeanFigures,
    ReportFigures,
    SectionFigures,
    ShownChange,
)
from agreement.statistics.figures import EstimateFigures
from core.csv_safety import made_safe

CSV_COLUMNS = (
    "section", "name", "figure", "value", "low", "high", "se", "reason", "interval_reason", "caution",
    "n_pairs", "n_items", "n_pairable", "n_ratings", "n_spans", "interval_method",
)  # fmt: skip

_ESTIMATE = CSV_COLUMNS[CSV_COLUMNS.index("value") : CSV_COLUMNS.index("n_items")]

LATEX_COLUMNS = {
    "n": "$n$",
    "n_pairable": "$n'$",
    "yes_rate": "yes rate",
    "observed_agreement": "$p_a$",
    "focus_score": "FOCUS",
    "cohen_kappa": "Cohen $\\kappa$",
    "fleiss_kappa": "Fleiss $\\kappa$",
    "pabak": "PABAK",
    "gwet_ac1": "AC$_1$",
    "krippendorff_alpha": "$\\alpha$",
    "interval": "95\\% interval of $\\alpha$",
    "exact": "exact",
    "token_jaccard": "token J",
    "token_jaccard_against_gold": "token J, gold",
    "token_jaccard_against_gold_and_disagreement": "token J, gold + alone",
    "token_jaccard_over_items": "token J, texts",
    "token_jaccard_joint": "token J, joint",
    "rouge1": "R-1",
    "rougeL": "R-L",
    BERTSCORE: "BERTScore",
    f"{BERTSCORE}_against_gold": "BERTScore, gold",
    f"{BERTSCORE}_against_gold_and_disagreement": "BERTScore, gold + alone",
    "u_alpha": "$_u\\alpha$",
    "alpha_token": "$\\alpha_{\\mathrm{token}}$",
    "alpha_token_within": "$\\alpha_{\\mathrm{token}}$ within",
    "mean_of_types": "$\\alpha$, mean",
    "alpha_masi": "$\\alpha_{\\mathrm{MASI}}$",
    "alpha_jaccard_sets": "$\\alpha_{\\mathrm{Jaccard}}$ of sets",
}
LATEX_DEFAULT = ("n_pairable", "observed_agreement", "pabak", "gwet_ac1", "krippendorff_alpha", "interval")

_LATEX_SPECIAL = str.maketrans(
    {
        "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
        "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}",
    }
)  # fmt: skip


def latex_text(text: str) -> str:
    """Return a text on one line, as LaTeX prints it and not as it would read it."""
    return " ".join(text.split()).translate(_LATEX_SPECIAL)


class TableRefused(ValueError):
    """A row or column was asked for that a report does not have."""


def figures_csv(figures: ReportFigures) -> str:
    """Return every figure of a report, one a row; undefined has an empty value and its reason.

    Of groups and all types the figures are those of the types together; the plain mean over types stands
    beside them as `..._mean_of_types` and the one table of all units as `..._stacked`. `caution` is the code
    of why an interval is not to be trusted, `interval_method` how it was made. A report with an encoder has a
    column more, which names it beside its figures. Of a mean over texts `n_items` counts these texts, and of
    an alpha over sets of types the texts with a whole set, `n_pairable` those with two. Where intervals draw
    clusters of texts two columns more name their field and their number.

    A round with suggestions has a last column `suggestion`: empty for all judgements, `with` and `without`
    for every figure of those that had one in sight and of the others, and `anchoring` for the shares of
    answers that are the suggestion's, with their difference; `n_ratings` counts these answers.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    encoder = encoder_text(figures)
    clusters = cluster_of(figures)
    suggested = figures.get("suggestions")
    more = [*(["encoder"] if encoder else []), *(["cluster", "n_clusters"] if clusters else [])]
    writer.writerow([*CSV_COLUMNS, *more, *(["suggestion"] if suggested else [])])
    for how, section in _sections(figures):
        for figure, estimate in [*_estimates(section, figures), *_of_strata(section)]:
            if how and figure.startswith(BERTSCORE):
                continue  # it is of all judgements alone
            writer.writerow(
                [
                    made_safe(section["key"]),
                    made_safe(section["name"]),
                    figure,
                    *(estimate.get(name) for name in _ESTIMATE),
                    estimate.get("n_texts", section["n_items"]),
                    *(estimate.get(name, section[name]) for name in ("n_pairable", "n_ratings")),
                    estimate.get("n_spans"),
                    estimate.get("interval_method"),
                    *([made_safe(encoder) if figure.startswith(BERTSCORE) else ""] if encoder else []),
                    *([made_safe(clusters[0]), clusters[1]] if clusters else []),
                    *([how] if suggested else []),
                ]
            )
    names = {section["key"]: section["name"] for section in figures["sections"]}
    of_answers = [*([""] if encoder else []), *([made_safe(clusters[0]), clusters[1]] if clusters else [])]
    for anchoring in suggested["anchoring"] if suggested else ():
        for figure, share, n in _anchoring_shares(anchoring):
            writer.writerow(
                [
                    made_safe(anchoring["key"]),
                    made_safe(anchoring["name"] or names.get(anchoring["key"], "")),
                    figure,
                    *(share.get(name) for name in _ESTIMATE),
                    *(None, None, n, None, share.get("interval_method")),
                    *of_answers,
                    ANCHORING,
                ]
            )
    return out.getvalue()


ANCHORING = "anchoring"


def _sections(figures: ReportFigures) -> Iterator[tuple[str, SectionFigures]]:
    """Yield every section of a report, then those of its judgements with a suggestion and without."""
    yield from (("", section) for section in figures["sections"])
    if suggested := figures.get("suggestions"):
        yield from (("with", section) for section in suggested["with_suggestion"]["sections"])
        yield from (("without", section) for section in suggested["without_suggestion"]["sections"])


def _anchoring_shares(row: AnchoringFigures) -> Iterator[tuple[str, EstimateFigures, int]]:
    """Yield the shares of answers that are the suggestion's and their difference, each of so many answers."""
    yield "suggested_share_shown", row["shown"], row["n_shown"]
    yield "suggested_share_hidden", row["hidden"], row["n_hidden"]
    yield ANCHORING, row["difference"], row["n_shown"] + row["n_hidden"]


def change_csv(figures: ReportFigures, change: ShownChange) -> str:
    """Return every difference against the round before, one a row, each beside its conditions."""
    out = io.StringIO()
    conditions = change["conditions"]
    measured = ("value", "low", "high", "reason", "interval_reason", "caution", "interval_method")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["section", "name", "figure", *measured, "n_both", "n_before", "n_after", *conditions])
    told = [made_safe(value) if isinstance(value, str) else value for value in conditions.values()]
    for section in figures["sections"]:
        moved = change["sections"].get(section["key"])
        if moved is None:
            continue
        counts = [moved["n_both"], moved["n_before"], moved["n_after"]]
        for figure, estimate in moved["differences"].items():
            named = [made_safe(section["key"]), made_safe(section["name"]), figure]
            writer.writerow([*named, *(estimate.get(name) for name in measured), *counts, *told])
    return out.getvalue()


AnyEstimate = EstimateFigures | MeanFigures


def _of_strata(section: SectionFigures) -> Iterator[tuple[str, AnyEstimate]]:
    yield from ((f"{name}_mean_of_types", mean) for name, mean in section.get("mean_of_types", {}).items())
    yield from ((f"{name}_stacked", estimate) for name, estimate in section.get("stacked", {}).items())


def _estimates(section: SectionFigures, figures: ReportFigures) -> Iterator[tuple[str, AnyEstimate]]:
    yield from ((name, section["estimates"][name]) for name in COEFFICIENTS)
    if sets := section.get("sets"):
        counted = {"n_texts": sets["n_items"], "n_pairable": sets["n_pairable"], "n_ratings": None}
        alphas: dict[str, Any] = {**sets}
        yield from ((name, cast(EstimateFigures, {**alphas[name], **counted})) for name in SET_ALPHAS)
    if section["spans"]:
        yield from ((name, section["spans"]["similarity"][name]) for name in SIMILARITIES)
        bertscore = bertscore_figure(section)
        if bertscore is not None:
            yield BERTSCORE, bertscore
        yield from ((name, section["spans"][name]) for name in span_alphas(figures))
        for target in AGAINST if "against" in section["spans"] else ():
            measures = section["spans"]["against"][target]
            yield from ((f"{name}_against_{target}", measures[name]) for name in SIMILARITIES)
            yield f"{BERTSCORE}_against_{target}", bertscore_figure(section, target)
        for way in ITEM_MEANS:
            means = section["spans"].get(way, {})
            yield from ((f"{name}_{way}", means[name]) for name in SIMILARITIES if name in means)


def latex_table(
    figures: ReportFigures, *, rows: Sequence[str] = (), columns: Sequence[str] = LATEX_DEFAULT
) -> str:
    """Return a booktabs table: sections in rows (all, or the keys given), LATEX_COLUMNS in columns.

    Undefined figures are dashes with a mark, and so are intervals that are missing or not to be trusted: the
    marks are explained below the table. A round with suggestions has two rows more below each section, of the
    judgements with and without one in sight, and its anchoring below the table. Raises TableRefused for an
    unknown row or column.
    """
    sections = {section["key"]: section for section in figures["sections"]}
    wrong = [name for name in rows if name not in sections]
    known = _known_columns(figures)
    wrong += [name for name in columns if name not in known]
    if wrong or not columns:
        raise TableRefused(
            f"no row or column {', '.join(wrong) or '(none given)'}; rows: {', '.join(sections)}; "
            f"columns: {', '.join(known)}"
        )
    notes = Notes()
    lines = [
        f"\\begin{{tabular}}{{l{'r' * len(columns)}}}",
        "\\toprule",
        " & ".join(["", *(known[name] for name in columns)]) + r" \\",
        "\\midrule",
    ]
    shown = [sections[key] for key in rows] if rows else list(sections.values())
    for before, section in zip([None, *shown], shown, strict=False):
        if before is not None and before["kind"] != section["kind"]:
            lines.append("\\midrule")
        for words, part in [(section["name"].translate(_LATEX_SPECIAL), section), *_halves(section, figures)]:
            # BERTScore is of all judgements alone.
            left_out = [part is not section and name.startswith(BERTSCORE) for name in columns]
            told = zip(columns, left_out, strict=True)
            cells = [words, *("--" if out else _cell(part, figures, name, notes) for name, out in told)]
            lines.append(" & ".join(cells) + r" \\")
    lines.append("\\bottomrule")
    anchorings = list(_anchoring_sentences(figures, notes))
    for mark, sentence in notes.listed:
        note = f"\\footnotesize $^{{{mark}}}$ {sentence.translate(_LATEX_SPECIAL)}"
        lines.append(f"\\multicolumn{{{len(columns) + 1}}}{{l}}{{{note}}} " + r"\\")
    for sentence in _versions(figures, shown, columns):
        note = f"\\footnotesize {sentence}"
        lines.append(f"\\multicolumn{{{len(columns) + 1}}}{{l}}{{{note}}} " + r"\\")
    for sentence in anchorings:
        note = f"\\footnotesize {sentence}"
        lines.append(f"\\multicolumn{{{len(columns) + 1}}}{{l}}{{{note}}} " + r"\\")
    if any(name.startswith(BERTSCORE) for name in columns) and encoder_text(figures):
        note = f"\\footnotesize BERTScore F1 by {encoder_text(figures).translate(_LATEX_SPECIAL)}"
        lines.append(f"\\multicolumn{{{len(columns) + 1}}}{{l}}{{{note}}} " + r"\\")
    lines.append("\\end{tabular}")
    return "\n".join(lines) + "\n"


def _halves(section: SectionFigures, figures: ReportFigures) -> Iterator[tuple[str, SectionFigures]]:
    """Yield the rows of a section's judgements with a suggestion in sight, and of the others."""
    for how, part in _sections(figures):
        if how and part["key"] == section["key"]:
            yield f"\\quad {how} suggestion", part


def _anchoring_sentences(figures: ReportFigures, notes: Notes) -> Iterator[str]:
    """Yield what the suggestions of a round moved: over all units, then by type."""
    suggested = figures.get("suggestions")
    if suggested is None:
        return
    yield (
        f"Suggestions by {latex_text(suggested['model'])}, at {suggested['n_shown']} of "
        f"{suggested['n_suggested']} units; anchoring: share of answers that are the suggestion's, shown $-$ "
        "hidden"
    )
    names = {section["key"]: section["name"] for section in figures["sections"]}
    for row in suggested["anchoring"]:
        difference = row["difference"]
        if difference["value"] is None:
            told = _marked("--", "undefined: " + reason_text(difference["reason"]), notes)
        else:
            told = f"{_number(difference['value'])} {_interval(difference, notes)}"
        name = latex_text(row["name"] or names.get(row["key"], ""))
        yield f"{name or 'All'}: {told} ({row['n_shown']} and {row['n_hidden']} answers)"


_VERSIONS = {
    "cohen_kappa": "Cohen $\\kappa$: mean over the pairs of annotators (Light)",
    "pabak": "PABAK: Brennan and Prediger, chance $1/q$",
    "gwet_ac1": "AC$_1$: Gwet 2008",
    "u_alpha": "$_u\\alpha$: marked against not marked, all texts one continuum (Krippendorff et al. 2016)",
    "alpha_token": "$\\alpha_{\\mathrm{token}}$: nominal, the tokens of all texts together",
    "alpha_token_within": "$\\alpha_{\\mathrm{token}}$ within: $D_o$ and $D_e$ of each text, added up",
    "alpha_masi": "$\\alpha_{\\mathrm{MASI}}$: sets of types, MASI distance (Passonneau 2006)",
    "alpha_jaccard_sets": "$\\alpha_{\\mathrm{Jaccard}}$: sets of types, Jaccard distance",
}
_OLD_VERSIONS = {"alpha_token": _VERSIONS["alpha_token_within"]}


def _known_columns(figures: ReportFigures) -> dict[str, str]:
    """Return the columns of a report's table: one of older code has other alphas over texts."""
    if not is_old(figures):
        return LATEX_COLUMNS
    new = ("u_alpha", "alpha_token_within", "mean_of_types")
    known = {name: words for name, words in LATEX_COLUMNS.items() if name not in new}
    return known | {"alpha_u": "$\\alpha_u$ (2004)"}


def _versions(
    figures: ReportFigures, shown: Sequence[SectionFigures], columns: Sequence[str]
) -> Iterator[str]:
    """Yield which version of a coefficient stands in the table, and what its rows of several types are."""
    strata = [section for section in shown if "mean_of_types" in section]
    if {"krippendorff_alpha", "interval"} & set(columns):
        yield "$\\alpha$: Krippendorff, nominal"
    if strata:
        names = ", ".join(section["name"].translate(_LATEX_SPECIAL) for section in strata)
        types = [section["name"] for section in figures["sections"] if section["kind"] == "type"]
        kinds = ", ".join(name.translate(_LATEX_SPECIAL) for name in types)
        yield f"{names}: types as strata, each against its own chance ({kinds})"
        means = [
            f"{section['name'].translate(_LATEX_SPECIAL)} {_number(mean['value'])}"
            for section in strata
            if (mean := section["mean_of_types"]["krippendorff_alpha"])["value"] is not None
        ]
        if means:
            yield f"Plain mean of $\\alpha$ over types: {', '.join(means)}"
    elif is_old(figures) and any(section["kind"] in ("group", "all") for section in shown):
        yield "Groups and all types: types stacked into one table"
    clusters = cluster_of(figures)
    if clusters and ("interval" in columns):
        yield f"Intervals draw clusters of texts: the {clusters[1]} values of {latex_text(clusters[0])}"
    versions = _OLD_VERSIONS if is_old(figures) else _VERSIONS
    yield from (versions[name] for name in columns if name in versions)


def _cell(section: SectionFigures, figures: ReportFigures, name: str, notes: Notes) -> str:
    if name in ("n", "n_pairable"):
        number = section["n_items"] if name == "n" else section["n_pairable"]
        return "--" if number is None else str(number)
    if name == "yes_rate":
        rate = section.get("yes_rate")
        return "--" if rate is None else _number(rate)
    if name == "interval":
        return _interval(section["estimates"]["krippendorff_alpha"], notes)
    estimate = dict(_estimates(section, figures)).get(name)
    if name == "mean_of_types":
        mean = section.get("mean_of_types", {}).get("krippendorff_alpha")
        return "--" if mean is None or mean["value"] is None else _number(mean["value"])
    if estimate is None:
        return "--"
    if estimate["value"] is None:
        return _marked("--", "undefined: " + reason_text(estimate["reason"]), notes)
    return _number(estimate["value"])


def _interval(estimate: EstimateFigures, notes: Notes) -> str:
    if estimate["value"] is None:
        return "--"
    interval = "--"
    if estimate["low"] is not None and estimate["high"] is not None:
        interval = f"[{_number(estimate['low'])}, {_number(estimate['high'])}]"
    note = interval_note(estimate)
    return _marked(interval, note, notes) if note else interval


def _marked(text: str, sentence: str, notes: Notes) -> str:
    return f"{text}$^{{{notes.mark(sentence)}}}$"


def _number(value: float) -> str:
    """Return two decimals with a true minus sign, never "-0.00"."""
    text = f"{value + 0.0:.2f}"
    return text.replace("-0.00", "0.00") if text == "-0.00" else text.replace("-", "$-$")
