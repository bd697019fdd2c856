"""How many texts a first study needs: what may be asked, and the answer in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from agreement.display.sample_size import WIDEST, PlanRefused
from agreement.what_if.study_size import MOST_TEXTS, StudyExpected, StudySize, study_size

MOST_RATERS = 50
ASSURANCE = 0.8
"""The share of like studies that reach the width, unless another is asked for."""

SEED = 1
"""Of the simulation, unless another is asked for: the same question has the same answer."""


def clean_study(given: Mapping[str, Any]) -> StudyExpected:
    """Return what is expected of a study, from numbers or their texts. Raises PlanRefused with every error.

    >>> clean_study({"alpha": "0.6", "prevalence": "0.2", "raters": "3", "width": "0.2"})
    StudyExpected(alpha=0.6, prevalence=0.2, raters=3, width=0.2, assurance=0.8)
    """
    numbers = {name: _number(given.get(name)) for name in ("alpha", "prevalence", "raters", "width")}
    numbers["assurance"] = _number(given.get("assurance", ASSURANCE))
    alpha, prevalence, raters, width, assurance = numbers.values()
    errors = {}
    if alpha is None or not 0 <= alpha < 1:
        errors["alpha"] = gettext("must be a number from 0 up to below 1")
    if prevalence is None or not 0 < prevalence < 1:
        errors["prevalence"] = gettext("must be a share between 0 and 1, such as 0.2")
    if raters is None or raters != int(raters) or not 2 <= raters <= MOST_RATERS:
        errors["raters"] = gettext("must be a whole number from 2 to %(most)s") % {"most": MOST_RATERS}
    if width is None or not 0 < width <= WIDEST:
        errors["width"] = gettext("must be a number above 0 and up to %(widest)s") % {"widest": f"{WIDEST:g}"}
    if assurance is None or not 0 < assurance < 1:
        errors["assurance"] = gettext("must be a share between 0 and 1, such as 0.8")
    if errors or alpha is None or prevalence is None or raters is None or width is None or assurance is None:
        raise PlanRefused(errors)
    return StudyExpected(alpha, prevalence, int(raters), width, assurance)


def _number(given: Any) -> float | None:
    """Return a finite number, None for anything else."""
    try:
        number = float(given)
    except (TypeError, ValueError):
        return None
    return number if abs(number) < float("inf") else None


def study_json(expected: StudyExpected, size: StudySize, *, seed: int) -> dict[str, Any]:
    """Return question and answer as the command and the API print them."""
    return {
        "alpha": expected.alpha,
        "prevalence": expected.prevalence,
        "raters": expected.raters,
        "width_wanted": expected.width,
        "assurance": expected.assurance,
        **size.to_json(),
        "most_texts": MOST_TEXTS,
        "seed": seed,
    }


def plan_study(expected: StudyExpected) -> dict[str, Any]:
    """Return how many texts such a study needs, as the page and the API tell it."""
    return study_json(expected, study_size(expected, seed=SEED), seed=SEED)
