"""Why kappa and the prevalence-adjusted coefficients part ways: the indices and one plain sentence.

References
----------
Feinstein AR, Cicchetti DV (1990) J Clin Epidemiol 43:543-549. doi:10.1016/0895-4356(90)90158-L
Byrt T, Bishop J, Carlin JB (1993) J Clin Epidemiol 46:423-429. doi:10.1016/0895-4356(93)90018-V
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agreement.pairwise import bias_index, prevalence_index, specific_agreement
from agreement.results import (
    CATEGORY_UNUSED,
    NO_ITEMS,
    NO_PAIRS,
    NO_VARIATION,
    Estimate,
    TableResult,
    undefined,
)
from agreement.study import Study

# From this difference on a reader would draw another conclusion from kappa than from AC1 or PABAK.
PARADOX_GAP = 0.2
# Cohen's kappa above Scott's pi by this much says that the raters' different rates raise it.
BIAS_GAP = 0.05

ONE_CATEGORY = (
    "Every rating compared is %(label)s: the annotators agree throughout, but %(name)s is undefined (0/0), "
    "because with a single category in use agreement by chance would be complete too."
)
PREVALENCE = (
    "%(name)s (%(kappa)s) is far below AC1 (%(ac1)s) and PABAK (%(pabak)s) although the annotators agree in "
    "%(observed)s of the comparisons: %(share)s of the ratings are %(label)s, so kappa expects most of that "
    "agreement by chance and a few disagreements cost it much."
)
BIAS = (
    "%(name)s (%(kappa)s) is above Scott's pi (%(pi)s) because the two annotators use the categories at "
    "different rates: that bias lowers the agreement expected by chance."
)
SENTENCES = (ONE_CATEGORY, PREVALENCE, BIAS)


def prevalence_figures(study: Study, *, positive: int = 0) -> dict[str, Estimate]:
    """Return what explains a kappa paradox in a table with two categories.

    For two raters Byrt's prevalence_index and bias_index and the specific agreements p_pos and p_neg, over
    the items both rated. For more raters, under other names, prevalence_gap |pi_pos - pi_neg| and
    yes_rate_range, the difference of the highest and the lowest rater's share of the positive category.
    """
    if study.patterns.n_raters != 2:
        return _prevalence_of_many(study, positive)
    names = ("prevalence_index", "bias_index", "p_pos", "p_neg")
    if not len(study.pairs.raters):
        return dict.fromkeys(names, undefined(NO_PAIRS if study.patterns.rows.size else NO_ITEMS))
    table = study.tables[0]
    figures = {
        "prevalence_index": Estimate(prevalence_index(table, positive)),
        "bias_index": Estimate(bias_index(table, positive)),
    }
    for name, category in (("p_pos", positive), ("p_neg", 1 - positive)):
        value = specific_agreement(table, category)
        figures[name] = undefined(CATEGORY_UNUSED) if value is None else Estimate(value)
    return figures


def _prevalence_of_many(study: Study, positive: int) -> dict[str, Estimate]:
    rows, multiplicity = study.patterns.rows, study.patterns.multiplicity
    if not rows.size:
        return dict.fromkeys(("prevalence_gap", "yes_rate_range"), undefined(NO_ITEMS))
    shares = study.sums.shares / study.sums.items
    rated = multiplicity @ (rows >= 0)
    rates = (multiplicity @ (rows == positive))[rated > 0] / rated[rated > 0]
    return {
        "prevalence_gap": Estimate(float(abs(shares[positive] - shares[1 - positive]))),
        "yes_rate_range": Estimate(float(np.ptp(rates))),
    }


def kappa_paradox(result: TableResult, *, categories: Sequence[str] | None = None) -> str | None:
    """Return one plain sentence where kappa and AC1 or PABAK part ways, None where they do not.

    categories are the names of the codes. For two raters kappa is Cohen's, for more Fleiss'.
    """
    observed, ac1, pabak = (result.estimates[name] for name in ("observed_agreement", "gwet_ac1", "pabak"))
    if observed.value is None or ac1.value is None:
        return None
    two = result.n_raters == 2
    kappa = result.estimates["cohen_kappa" if two else "fleiss_kappa"]
    name = "Cohen's kappa" if two else "Fleiss' kappa"
    top = int(np.argmax(result.label_counts))
    label = f"“{categories[top]}”" if categories else "one category"
    share = result.label_counts[top] / result.n_ratings
    if kappa.reason == NO_VARIATION:
        return ONE_CATEGORY % {"label": label, "name": name}
    if kappa.value is None:
        return None
    if ac1.value - kappa.value >= PARADOX_GAP:
        return PREVALENCE % {
            "name": name,
            "kappa": f"{kappa.value:.2f}",
            "ac1": f"{ac1.value:.2f}",
            "pabak": f"{pabak.value:.2f}",
            "observed": f"{observed.value:.0%}",
            "share": f"{share:.0%}",
            "label": label,
        }
    fleiss = result.estimates["fleiss_kappa"].value
    if two and fleiss is not None and kappa.value - fleiss >= BIAS_GAP:
        return BIAS % {"name": name, "kappa": f"{kappa.value:.2f}", "pi": f"{fleiss:.2f}"}
    return None
