"""What the coefficients of a round are without each annotator, and among the texts of each topic, source and
other field of the items. See docs/decisions/agreement.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agreement.report.judgements import RoundJudgements
from agreement.report.label_figures import min_common_of, seed_of
from agreement.report.sections import Section, build_sections
from agreement.report.unsaid import item_of_rows
from agreement.statistics.estimates import Estimate
from agreement.what_if.influence import Figures, figures_of, without_each
from core.canonical_json import canonical

MOST_ANNOTATORS = 40
"""Of a larger crowd nobody is left out in turn: no figure hangs on one of so many."""

LEAST_TEXTS = 2
"""A figure of one text says nothing of its field, and tells of the text."""

LEAST_ANNOTATORS = 3
"""Without one of two there is nobody to agree with."""


def influence_figures(
    judgements: RoundJudgements, parameters: dict[str, Any], *, heartbeat: Callable[[], None]
) -> dict[str, Any]:
    """Return the figures without each annotator, and by each value of each field of the items.

    {"sections": [{"key", "kind", "code", "name", "annotators": [...]}], "fields": [{"field", "values":
    [...]}]}. An annotator has "estimates" without them and "differences" to all, an interval each; a value of
    a field has "estimates" among its items, of all types or labels. Values of a single item are left out, and
    an item with several values counts for each. `heartbeat` is called after each table.
    """
    found = [_without(judgements, section, parameters, heartbeat) for section in build_sections(judgements)]
    figures: dict[str, Any] = canonical(
        {"sections": found, "fields": _fields(judgements, parameters, heartbeat)}
    )
    return figures


def _without(
    judgements: RoundJudgements,
    section: Section,
    parameters: dict[str, Any],
    heartbeat: Callable[[], None],
) -> dict[str, Any]:
    people: list[dict[str, Any]] = []
    if LEAST_ANNOTATORS <= len(judgements.raters) <= MOST_ANNOTATORS:
        ratings, clusters = _table(judgements, section)
        found = without_each(ratings, clusters=clusters, **_choices(section, parameters))
        people = [
            {
                "pseudonym": judgements.raters[one.rater],
                **_told(one.figures),
                "differences": _estimates(one.differences),
            }
            for one in found
        ]
    heartbeat()
    return {name: getattr(section, name) for name in ("key", "kind", "code", "name")} | {"annotators": people}


def _fields(
    judgements: RoundJudgements, parameters: dict[str, Any], heartbeat: Callable[[], None]
) -> list[dict[str, Any]]:
    whole = next(section for section in build_sections(judgements) if section.kind in ("all", "labels"))
    ratings, clusters = _table(judgements, whole)
    items = np.arange(len(judgements.items)) if whole.strata is not None else item_of_rows(judgements, whole)
    fields = []
    for name, per_item in sorted(judgements.items.fields.items()):
        counted = Counter(value for entry in per_item for value in set(entry))
        values = sorted(value for value, n in counted.items() if n >= LEAST_TEXTS)
        if len(values) < 2:
            continue
        rows = []
        for value in values:
            belongs = np.array([value in entry for entry in per_item])
            mine = belongs[items]
            of_mine = None if clusters is None else clusters[mine]
            figures = figures_of(ratings[mine], clusters=of_mine, **_choices(whole, parameters))
            rows.append({"value": value, "n_items": int(belongs.sum()), **_told(figures)})
            heartbeat()
        fields.append({"field": name, "values": rows})
    return fields


def _table(
    judgements: RoundJudgements, section: Section
) -> tuple[NDArray[np.integer[Any]], NDArray[np.int64] | None]:
    """Return the ratings, (items, types, annotators) of several types, and what is resampled together."""
    if section.strata is not None:
        return section.strata, section.item_clusters
    return section.ratings, section.clusters


def _choices(section: Section, parameters: dict[str, Any]) -> dict[str, Any]:
    return {
        "q": len(section.categories),
        "seed": seed_of(parameters["seed"], section.key),
        "replicates": parameters["replicates"],
        "min_common": min_common_of(section.ratings),
    }


def _told(figures: Figures) -> dict[str, Any]:
    return {"n_pairable": figures.n_pairable, "estimates": _estimates(figures.estimates)}


def _estimates(estimates: Any) -> dict[str, Any]:
    found: dict[str, Estimate] = dict(estimates)
    return {name: estimate.to_json() for name, estimate in found.items()}
