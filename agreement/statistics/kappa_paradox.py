"""What low or undefined kappas mean, in one plain sentence each, and the indices behind the kappa paradox.

Every sentence has its precondition: nothing is put down to rare answers where people simply disagree.

References
----------
Feinstein AR, Cicchetti DV (1990) J Clin Epidemiol 43:543-549. doi:10.1016/0895-4356(90)90158-L
Byrt T, Bishop J, Carlin JB (1993) J Clin Epidemiol 46:423-429. doi:10.1016/0895-4356(93)90018-V
Hartmann DP (1977) J Appl Behav Anal 10:103-116. doi:10.1901/jaba.1977.10-103
Landis JR, Koch GG (1977) Biometrics 33:159-174. doi:10.2307/2529310
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agreement.statistics.estimates import (
    CATEGORY_UNUSED,
    NO_ITEMS,
    NO_PAIRS,
    NO_VARIATION,
    Estimate,
    TableResult,
    undefined,
)
from agreement.statistics.pairs import bias_index, prevalence_index, specific_agreement
from agreement.statistics.rating_table import RatingTable

PARADOX_AGREEMENT = 0.80
"""Observed agreement is high from here on: the least that is called acceptable (Hartmann 1977).

Feinstein and Cicchetti's example of a high agreement with a low kappa has 0.85.
"""
PARADOX_SHARE = 0.75
"""Margins are skewed where the commonest answer has this share: with two answers Byrt's |PI| is 0.5 or more.

In Feinstein and Cicchetti's example it has 0.875 (|PI| 0.75); their case without a paradox has 0.525.
"""
PARADOX_GAP = 0.2
"""From this difference on a reader would draw another conclusion from kappa than from AC1 or PABAK."""
SLIGHT, FAIR = 0.20, 0.40
"""The upper ends of Landis and Koch's "slight" and "fair" agreement."""
FEW = 10
"""With fewer units judged twice a single one moves observed agreement by more than a tenth."""
BIAS_GAP = 0.05
"""Cohen's kappa above Scott's pi by this much says that the raters' different rates raise it."""

ONE_CATEGORY = (
    "Every rating compared is %(label)s: the annotators agree throughout, but %(name)s is undefined (0/0), "
    "because with a single category in use agreement by chance would be complete too."
)
PREVALENCE = (
    "%(name)s (%(kappa)s) is far below AC1 (%(ac1)s) and PABAK (%(pabak)s) although the annotators agree in "
    "%(observed)s of the comparisons: %(share)s of the ratings are %(label)s, so kappa expects most of that "
    "agreement by chance and a few disagreements cost it much."
)
TOO_FEW = (
    "Too few units: only %(n)s were judged twice or more, so that a single one changes every figure by much."
)
CHANCE = (
    "Agreement at or near chance level: the annotators agree in %(observed)s of the comparisons, and by "
    "chance alone they would in %(expected)s (%(name)s %(kappa)s)."
)
UNCERTAIN = (
    "Too few units to tell agreement from chance: the annotators agree in %(observed)s of the comparisons, "
    "but the interval of %(name)s (%(kappa)s) reaches down to %(low)s."
)
DISAGREE = (
    "The annotators disagree: they agree in %(observed)s of the comparisons, and by chance alone they would "
    "in %(expected)s (%(name)s %(kappa)s)."
)
BIAS = (
    "%(name)s (%(kappa)s) is above Scott's pi (%(pi)s) because the two annotators use the categories at "
    "different rates: that bias lowers the agreement expected by chance."
)
SENTENCES = (ONE_CATEGORY, PREVALENCE, TOO_FEW, CHANCE, UNCERTAIN, DISAGREE, BIAS)
PARADOXES = (ONE_CATEGORY, PREVALENCE)
"""The two that carry the sign of the paradox: people agree, and kappa is low or undefined all the same."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A sentence about a table; `template` is the one of SENTENCES that it was made of."""

    template: str
    sentence: str

    @property
    def is_paradox(self) -> bool:
        return self.template in PARADOXES


def prevalence_figures(table: RatingTable, *, positive: int = 0) -> dict[str, Estimate]:
    """Return what explains a kappa paradox in a table with two categories.

    For two raters Byrt's prevalence_index and bias_index and the specific agreements p_pos and p_neg, over
    the items both rated. For more raters, under other names, prevalence_gap |pi_pos - pi_neg| and
    yes_rate_range, the difference of the highest and the lowest rater's share of the positive category.
    """
    if table.patterns.n_raters != 2:
        return _prevalence_of_many(table, positive)
    names = ("prevalence_index", "bias_index", "p_pos", "p_neg")
    if not len(table.pairs.raters):
        return dict.fromkeys(names, undefined(NO_PAIRS if table.patterns.rows.size else NO_ITEMS))
    joint = table.tables[0]
    figures = {
        "prevalence_index": Estimate(prevalence_index(joint, positive)),
        "bias_index": Estimate(bias_index(joint, positive)),
    }
    for name, category in (("p_pos", positive), ("p_neg", 1 - positive)):
        value = specific_agreement(joint, category)
        figures[name] = undefined(CATEGORY_UNUSED) if value is None else Estimate(value)
    return figures


def _prevalence_of_many(table: RatingTable, positive: int) -> dict[str, Estimate]:
    rows, multiplicity = table.patterns.rows, table.patterns.multiplicity
    if not rows.size:
        return dict.fromkeys(("prevalence_gap", "yes_rate_range"), undefined(NO_ITEMS))
    shares = table.sums.shares / table.sums.items
    rated = multiplicity @ (rows >= 0)
    rates = (multiplicity @ (rows == positive))[rated > 0] / rated[rated > 0]
    return {
        "prevalence_gap": Estimate(float(abs(shares[positive] - shares[1 - positive]))),
        "yes_rate_range": Estimate(float(np.ptp(rates))),
    }


def table_readings(result: TableResult, *, categories: Sequence[str] | None = None) -> list[Reading]:
    """Return what there is to say of a table whose kappa is low, undefined or raised; nothing else.

    categories are the names of the codes. For two raters kappa is Cohen's, for more Fleiss'.
    """
    observed, ac1, pabak = (result.estimates[name] for name in ("observed_agreement", "gwet_ac1", "pabak"))
    if observed.value is None or ac1.value is None:
        return []
    two = result.n_raters == 2
    kappa = result.estimates["cohen_kappa" if two else "fleiss_kappa"]
    # Cohen's kappa knows the items that both rated, Fleiss' also those of a single rating.
    counts = result.pairable_counts if two else result.label_counts
    top = int(np.argmax(counts))
    share = counts[top] / sum(counts)
    words = {
        "name": "Cohen's kappa" if two else "Fleiss' kappa",
        "label": f"“{categories[top]}”" if categories else "one category",
        "share": f"{share:.0%}",
        "observed": f"{observed.value:.0%}",
        "ac1": f"{ac1.value:.2f}",
        "pabak": f"{pabak.known:.2f}",
        "n": str(result.n_pairable),
    }
    if kappa.reason == NO_VARIATION:
        return [Reading(ONE_CATEGORY, ONE_CATEGORY % words)]
    if kappa.value is None:
        return []
    words["kappa"] = f"{kappa.value:.2f}"
    if kappa.value < 1:
        words["expected"] = f"{(observed.value - kappa.value) / (1 - kappa.value):.0%}"
    if kappa.low is not None:
        words["low"] = f"{kappa.low:.2f}"
    gap = ac1.value - kappa.value >= PARADOX_GAP
    skewed = observed.value >= PARADOX_AGREEMENT and share >= PARADOX_SHARE
    template = _template(kappa, gap=gap, skewed=skewed, few=result.n_pairable < FEW)
    found = [Reading(template, template % words)] if template else []
    # Single ratings shift Scott's pi, which is Fleiss' kappa, for another reason than different rates.
    comparable = result.n_items == result.n_pairable >= FEW
    fleiss = result.estimates["fleiss_kappa"].value if comparable else None
    if two and fleiss is not None and kappa.value - fleiss >= BIAS_GAP:
        found.append(Reading(BIAS, BIAS % {**words, "pi": f"{fleiss:.2f}"}))
    return found


def _template(kappa: Estimate, *, gap: bool, skewed: bool, few: bool) -> str | None:
    value = kappa.known
    if value >= FAIR and not (gap and skewed):
        return None
    if few:
        return TOO_FEW
    if gap and skewed:
        return PREVALENCE
    if value <= SLIGHT:
        return CHANCE
    return UNCERTAIN if kappa.low is not None and kappa.low <= 0 else DISAGREE


def kappa_paradox(result: TableResult, *, categories: Sequence[str] | None = None) -> str | None:
    """Return the sentence of the kappa paradox where people agree and kappa is low, else None."""
    readings = table_readings(result, categories=categories)
    return next((reading.sentence for reading in readings if reading.is_paradox), None)
