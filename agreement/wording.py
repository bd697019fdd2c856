"""The field's words for figures, and what a reason code means, in one place for pages, files and tables."""

from __future__ import annotations

from agreement import results, similarity, unitizing

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

SPAN_ALPHAS = {"alpha_token": "Alpha over tokens", "alpha_u": "Alpha_u"}

REASONS = {
    **results.REASONS,
    unitizing.NO_SPANS: "nobody marked a span",
    similarity.EMPTY_SPANS: "both spans are empty",
    similarity.NO_TOKEN: "no word in either span",
    similarity.NO_BIGRAM: "single words have no pairs of words",
    similarity.NO_ROUGE_TOKEN: "ROUGE knows only the letters a to z and digits, and the spans have none",
}
"""What makes a figure undefined, or its interval one that cannot be trusted."""

SPAN_REASONS = {**REASONS, results.NO_PAIRS: "no two annotators marked a span in the same text"}

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
