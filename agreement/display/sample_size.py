"""How many more items each type of a round needs until the interval of a coefficient is narrow enough."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext

from agreement.models import AgreementReport
from agreement.report.judgements import RoundJudgements
from agreement.report.label_figures import is_crowd, seed_of
from agreement.report.loading import judgements_of
from agreement.report.sections import Section, build_sections
from agreement.what_if.sample_size import ItemsNeeded, items_needed, strata_items_needed
from core.errors import Refused

PLANNED = (
    "krippendorff_alpha",
    "gwet_ac1",
    "pabak",
    "fleiss_kappa",
    "cohen_kappa",
    "observed_agreement",
    "focus_score",
)
"""The coefficients that a lead can plan for, the default first."""

WIDEST = 2.0
"""No coefficient has a wider interval than from -1 to 1."""


class PlanRefused(Refused):
    """The question breaks a rule; `errors` has one message a field."""

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__("invalid", "The number of items cannot be found for this.", errors=errors)


@dataclass(frozen=True, slots=True)
class PlanAsked:
    """Until the interval of which coefficient is narrower than which width."""

    width: float
    coefficient: str


def clean_plan(given: Mapping[str, Any]) -> PlanAsked:
    """Return what `width` and `coefficient` (alpha without one) ask for. Raises PlanRefused.

    >>> clean_plan({"width": "0.2"})
    PlanAsked(width=0.2, coefficient='krippendorff_alpha')
    """
    errors = {}
    try:
        width = float(given.get("width", ""))
    except (TypeError, ValueError):
        width = math.nan
    if not 0 < width <= WIDEST:
        errors["width"] = gettext("must be a number above 0 and up to %(widest)s") % {"widest": f"{WIDEST:g}"}
    coefficient = given.get("coefficient") or PLANNED[0]
    if coefficient not in PLANNED:
        errors["coefficient"] = gettext("must be one of %(planned)s") % {"planned": ", ".join(PLANNED)}
    if errors:
        raise PlanRefused(errors)
    return PlanAsked(width, coefficient)


def plan_report(report: AgreementReport, asked: PlanAsked) -> list[dict[str, Any]]:
    """Return how many more items each type, group and all types (or comparison of labels) need.

    With the report's resampling, from the judgements as they are now; no part of the report. Raises
    PlanRefused for Cohen's kappa of a crowd, whose pairs share too few items for it.
    """
    return plan_sections(judgements_of(report), asked, report.parameters)


def plan_sections(
    judgements: RoundJudgements, asked: PlanAsked, parameters: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return an entry a type or comparison: {"key", "code", "name", "n_items", "width", "more", "reason"}."""
    sections = build_sections(judgements)
    if asked.coefficient == "cohen_kappa" and any(is_crowd(section.ratings) for section in sections):
        raise PlanRefused(
            {"coefficient": gettext("cannot be Cohen's kappa: pairs of a crowd share too few items")}
        )
    return [
        {
            "key": section.key,
            "code": section.code,
            "name": section.name,
            **_needed(section, asked, parameters).to_json(),
        }
        for section in sections
    ]


def _needed(section: Section, asked: PlanAsked, parameters: Mapping[str, Any]) -> ItemsNeeded:
    choices: dict[str, Any] = {
        "q": len(section.categories),
        "name": asked.coefficient,
        "width": asked.width,
        "seed": seed_of(parameters["seed"], section.key),
        "replicates": parameters["replicates"],
    }
    strata, clusters = section.strata, section.item_clusters
    if strata is not None:
        needed = strata_items_needed(strata, clusters=clusters, **choices)
    else:
        needed = items_needed(section.ratings, clusters=section.clusters, **choices)
    return needed if clusters is None else _in_items(needed, len(clusters))


def _in_items(needed: ItemsNeeded, n_items: int) -> ItemsNeeded:
    """Return a number of clusters as items, as many in each cluster as now."""
    more = needed.more
    each = n_items / max(needed.n_items, 1)
    return replace(needed, n_items=n_items, more=None if more is None else math.ceil(more * each))
