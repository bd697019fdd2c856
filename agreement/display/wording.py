"""The field's words for figures, and what a reason code means, in one place for pages, files and tables."""

from __future__ import annotations

import re

from django.utils.translation import gettext

from agreement.report import bertscore_figures as semantic_findings
from agreement.report.figures import ItemMean, ReportFigures, SpanAlpha
from agreement.spans import gold_spans, item_means, similarity, unitizing
from agreement.statistics import estimates as results
from agreement.statistics import label_sets
from agreement.statistics.estimates import RULE_OF_THREE
from agreement.statistics.figures import EstimateFigures
from agreement.statistics.kappa_paradox import SENTENCES

COEFFICIENTS = {
    "observed_agreement": "Observed agreement (p_a)",
    "focus_score": "FOCUS score",
    "cohen_kappa": "Cohen's kappa (mean over pairs)",
    "fleiss_kappa": "Fleiss' kappa",
    "pabak": "PABAK",
    "gwet_ac1": "Gwet's AC1",
    "krippendorff_alpha": "Krippendorff's alpha",
    "conger_kappa": "Conger's kappa",
    "rating_weighted_agreement": "Rating-weighted agreement",
    "pair_pooled_agreement": "Pair-pooled agreement",
    "unanimous_share": "Unanimous items",
}
"""Coefficients over labels; the first seven are those a paper reports."""

SET_ALPHAS = {
    "alpha_masi": "Alpha over sets of types, MASI distance",
    "alpha_jaccard_sets": "Alpha over sets of types, Jaccard distance",
}
"""Coefficients of the set of types of a text as one label, of all types alone."""

SIMILARITIES = {
    "exact": "Exact match",
    "character_jaccard": "Character Jaccard",
    "token_jaccard": "Token Jaccard",
    "unigram_jaccard": "Unigram Jaccard",
    "bigram_jaccard": "Bigram Jaccard",
    "token_f1": "Token F1",
    "edit": "Normalised edit similarity",
    "rouge1": "ROUGE-1 F",
    "rougeL": "ROUGE-L F",
}

BERTSCORE = "BERTScore F1"

AGAINST: dict[gold_spans.SpanTarget, str] = {
    gold_spans.GOLD: "against gold only",
    gold_spans.GOLD_AND_DISAGREEMENT: "against gold plus disagreement spans",
}
"""What each annotator's span is compared with."""

ITEM_MEANS: dict[ItemMean, str] = {
    item_means.OVER_ITEMS: "mean over texts",
    item_means.JOINT: "joint mean over texts",
}
"""How the similarities of a text's pairs are put together where each text weighs the same, as in FOCUS."""

SPAN_ALPHAS: dict[SpanAlpha, str] = {
    "u_alpha": "u-alpha (2016)",
    "alpha_token": "Alpha over tokens, all texts as one",
    "alpha_token_within": "Alpha over tokens, within texts",
}
OLD_SPAN_ALPHAS: dict[SpanAlpha, str] = {
    "alpha_token": "Alpha over tokens, within texts",
    "alpha_u": "alpha_u (2004)",
}
"""What reports of code before version STRATA_SINCE call alpha_token, and their alpha_u."""

STRATA_SINCE = 6
"""The version of reports from which types together are strata, and spans have u_alpha."""

INTERVALS_SINCE = 7
"""The version of reports from which one rule decides which intervals may be trusted."""


def cluster_of(figures: ReportFigures) -> tuple[str, int] | None:
    """Return the field whose values intervals draw, and their number; None where these draw single texts."""
    field = figures.get("parameters", {}).get("cluster")
    return (field, figures["n_clusters"]) if field else None


def is_old(figures: ReportFigures) -> bool:
    """Whether a report is of the code that stacked types into one table."""
    return bool(figures.get("version", 0) < STRATA_SINCE)


def span_alphas(figures: ReportFigures) -> dict[SpanAlpha, str]:
    """Return the alphas over texts that a report has, by key, with their words."""
    return OLD_SPAN_ALPHAS if is_old(figures) else SPAN_ALPHAS


def changed_since(figures: ReportFigures) -> str:
    """Return what an old report's names mean, and what another computation would say; "" for one of today."""
    sentences = []
    if is_old(figures) and figures["protocol"] == "focus":
        sentences += [
            gettext(
                "This report was made by an earlier version: its figures of groups and of all types stack "
                "the types into one table, so that differing base rates count as agreement. Computed again, "
                "they compare each type with its own chance."
            ),
            gettext(
                "Its alpha_u is the definition of 2004 and its alpha over tokens that within texts; computed "
                "again, it has u_alpha of 2016 and alpha over the tokens of all texts as one."
            ),
        ]
    if figures.get("version", 0) < INTERVALS_SINCE:
        sentences.append(
            gettext(
                "This report was made by an earlier version: its intervals are plain percentiles, too narrow "
                "where labels are rare or texts few. Computed again, each is as wide as the texts behind it "
                "allow, and says where none can be trusted."
            )
        )
    return " ".join(sentences)


REASONS = {
    **results.REASONS,
    label_sets.TOO_MANY_SETS: "so many different sets of types were given that no interval is computed",
    unitizing.NO_SPANS: "nobody marked a span",
    gold_spans.NO_GOLD: "no two annotators share a span, so there is no gold",
    similarity.EMPTY_SPANS: "both spans are empty",
    similarity.NO_TOKEN: "no word in either span",
    similarity.NO_BIGRAM: "single words have no pairs of words",
    similarity.NO_ROUGE_TOKEN: "ROUGE knows only the letters a to z and digits, and the spans have none",
    semantic_findings.NO_ENCODER: "not computed: the report was made without an encoder",
    semantic_findings.ENCODER_UNAVAILABLE: "not computed: the encoder could not be loaded",
    semantic_findings.NO_ENCODER_TOKEN: "the encoder sees no token in a span",
}
"""What makes a figure undefined, or its interval one that cannot be trusted."""

SPAN_REASONS = {**REASONS, results.NO_PAIRS: "no two annotators marked a span in the same text"}

LABEL_SIGNS = {"USE": "●", "UN": "○", "IN": "✕"}
"""The sign of each label of CQs-Gen, the same as in the workspace: colour is never the only one."""

WHY = {
    "undecided": "no majority",
    "no_gold_span": "yes, but no span is shared",
    "reason_open": "invalid, but the reason is open",
    "": "settled by the majority",
}
"""What a disputed unit waits for."""


def reason_text(code: str | None, *, spans: bool = False) -> str:
    """Return the sentence behind a reason code, the code itself where there is none, "" for None."""
    return (SPAN_REASONS if spans else REASONS).get(code, code) if code else ""


def interval_doubts(estimate: EstimateFigures) -> list[str]:
    """Return the codes of what there is to say of an interval: how it was bounded, why it is in doubt."""
    bound = RULE_OF_THREE if estimate.get("interval_method") == RULE_OF_THREE else None
    doubt = estimate.get("caution") or estimate.get("interval_reason")
    return [code for code in (bound, doubt) if code]


def interval_note(estimate: EstimateFigures) -> str:
    """Return the sentence that a file prints beside an interval, or instead of it; "" for a plain one."""
    lead = "no interval" if estimate["low"] is None else "interval not to be trusted"
    codes = interval_doubts(estimate)
    texts = {code: reason_text(code) for code in codes}
    return "; ".join(text if code == RULE_OF_THREE else f"{lead}: {text}" for code, text in texts.items())


def sentence_words(text: str) -> str:
    """Return a sentence of `paradox` in the reader's language, any other text as it is.

    A report keeps it in English, because its files have to be the same in every language: the template
    that it was made of is found again, and filled in translation.
    """
    for template in SENTENCES:
        pieces = re.split(r"%\((\w+)\)s", template)
        pattern = "".join(
            f"(?P<{piece}>.+?)" if place % 2 else re.escape(piece) for place, piece in enumerate(pieces)
        )
        if found := re.fullmatch(pattern, text):
            return gettext(template) % found.groupdict()
    return text


def encoder_text(figures: ReportFigures, *, short: bool = False) -> str:
    """Return which encoder gave the BERTScore of a report, "" for none; short: 12 digits of its hash."""
    encoder = figures.get("encoder")
    if not encoder or encoder["reason"]:
        return ""
    whole = encoder["revision"] or ""
    kind, _, digits = whole.rpartition(":")
    revision = f"{kind}:{digits[:12]}" if short and kind else digits[:12] if short else whole
    layer = "last layer" if encoder["layer"] is None else f"layer {encoder['layer']}"
    return f"{encoder['name']}, {revision}, {layer}, {encoder['runtime']}"


def bertscore_note(figures: ReportFigures) -> str:
    """Return by which encoder the BERTScore of a report is, or why there is none and how to get it."""
    encoder = figures.get("encoder")
    if not encoder:
        return gettext(
            "BERTScore is not computed. To have it, whoever runs this server installs the semantic extra "
            "(pip install -r requirements-semantic.txt) and sets ELENCHUS_ENCODER to an encoder's name or "
            "folder; then compute the report again."
        )
    if encoder["reason"]:
        return gettext(
            "BERTScore is not computed: the encoder %(name)s could not be loaded (%(reason)s)."
        ) % {"name": encoder["name"], "reason": encoder["reason"]}
    notes = [
        gettext("BERTScore F1 by the encoder %(encoder)s, without rescaling.")
        % {"encoder": encoder_text(figures, short=True)}
    ]
    if encoder["layer"] is None:
        notes.append(gettext("Only roberta-large gives the numbers that papers call BERTScore."))
    if encoder["n_cut"]:
        notes.append(
            gettext("%(n)s span(s) were longer than the encoder reads and were cut.")
            % {"n": encoder["n_cut"]}
        )
    notes.append(
        gettext("Figures of an encoder are rounded to 4 decimals; the last may differ between machines.")
    )
    return " ".join(notes)
