"""CQs-Gen: the figures of a system's questions as a page shows them."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext, ngettext

from agreement.display.cells import Notes, number
from frontend.pages.systems.shown import Card, Figures, card, shown_cell
from frontend.pages.systems.words import LABEL_CODES, LABELS
from scoring.evaluation.judge_prompts import JUDGED
from scoring.evaluation.questions import BY_PEOPLE
from scoring.figures.matching import JUDGE_UNUSABLE
from scoring.models import Evaluation


def questions_shown(evaluation: Evaluation, figures: Figures, together: Figures) -> dict[str, Any]:
    """Return cards, labels, distribution and diversity."""
    nae, notes = figures["nae_share"], Notes("questions")
    cards = [
        card(
            figures["score"],
            gettext("useful of three, mean over items"),
            together.get("score"),
            evaluation.headline,
        ),
        card(nae, _not_evaluated(figures, bool(together)), together.get("nae_share")),
    ]
    missing = figures["missing_questions"]
    cards.append(Card(str(missing), ngettext("question missing", "questions missing", missing)))
    if evaluation.method in JUDGED:
        cards.append(Card(str(figures["judge_unusable"]), gettext("unusable answers of the judge")))
    if evaluation.method in BY_PEOPLE:
        cards.append(Card(str(figures["undecided"]), gettext("not decided by people, and not scored")))
    labels = dict(figures["labels"])
    if evaluation.method in JUDGED:
        labels[JUDGE_UNUSABLE] = figures["judge_unusable"]
    most = max(1, *labels.values())
    items = max(1, *figures["distribution"].values())
    counts = {
        "missing_items": gettext("items without a question"),
        "items_without_reference": gettext("items without a reference, not in the mean"),
        "questions_twice": gettext("questions that stood twice, counted once"),
    }
    return {
        "cards": cards,
        "notes": notes,
        "labels": [
            (LABELS.get(label, label), LABEL_CODES.get(label, ""), n, round(100 * n / most))
            for label, n in labels.items()
        ],
        "distribution": [(share, n, round(100 * n / items)) for share, n in figures["distribution"].items()],
        "counts": [(words, figures[key]) for key, words in counts.items() if figures.get(key)],
        "diversity": _diversity(figures.get("diversity"), figures.get("diversity_at_equal_n")),
        "beginnings": [
            (row["words"], row["n"], number(row["share"])) for row in figures.get("first_words", ())
        ],
    }


def _not_evaluated(figures: Figures, several: bool) -> str:
    """Say what the share is of, and how many questions it is where there is one run."""
    if several:
        return gettext("of the questions handed in not able to evaluate")
    handed_in = figures["handed_in"]
    return ngettext(
        "of %(handed_in)s question not able to evaluate: %(n)s",
        "of %(handed_in)s questions not able to evaluate: %(n)s",
        handed_in,
    ) % {"handed_in": handed_in, "n": figures["nae"]}


def _diversity(found: Figures | None, at_equal_n: Figures | None) -> dict[str, Any] | None:
    if not found:
        return None

    def value(name: str) -> str:
        one = found[name]
        return number(one["score"] if isinstance(one, dict) else one)

    names = {
        "ngram_published": gettext("n-grams, as published"),
        "ngram_within": gettext("n-grams within questions"),
        "cr_diversity": gettext("compression (gzip)"),
    }
    equal = []
    if at_equal_n and at_equal_n["n"]:
        equal = [
            (words, number(at_equal_n["all"][key]), number(at_equal_n["useful"][key]))
            for key, words in names.items()
        ]
    useful = at_equal_n["n"] if at_equal_n else 0
    return {
        "useful": useful,
        "n": found["n"],
        "equal": equal,
        "rows": [(words, value(key)) for key, words in names.items() if key in found],
    }


def thresholds_shown(found: Figures) -> dict[str, Any]:
    """Return what other thresholds would have given: NAE share, kappa with people with NAE and without."""
    chosen, notes = found["method"]["threshold"], Notes("thresholds")
    rows = [
        (
            f"{row['threshold']:g}",
            row["threshold"] == chosen,
            number(row["nae_share"]),
            notes.each(shown_cell({**row[key], "low": None}) for key in ("kappa", "kappa_without_nae")),
        )
        for row in found.get("thresholds", ())
    ]
    return {"rows": rows, "notes": notes}
