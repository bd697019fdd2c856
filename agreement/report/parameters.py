"""What a lead can choose about a report, checked once at the door."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.errors import Refused

CLUSTER = "cluster"
"""The field of the items that says which are resampled together; absent where items are resampled."""

DEFAULTS: dict[str, Any] = {"replicates": 1000, "seed": 1, "span_match": 0.5}
"""Bootstrap replicates, the seed of all resampling, and the least Jaccard index at which spans match."""

LIMITS = {"replicates": (100, 20_000), "seed": (0, 2**32 - 1)}


class ParametersRefused(Refused):
    """The parameters of a report break a rule; `errors` has one message a field."""

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__("invalid", "The report cannot be computed with these parameters.", errors=errors)


def clean_parameters(given: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the parameters with defaults filled in. Raises ParametersRefused for a wrong one.

    >>> clean_parameters({"seed": 7})
    {'replicates': 1000, 'seed': 7, 'span_match': 0.5}
    """
    given = dict(given or {})
    problems = {name: "is no parameter of a report" for name in given if name not in (*DEFAULTS, CLUSTER)}
    clean = {**DEFAULTS, **{name: given[name] for name in DEFAULTS if name in given}}
    for name, (low, high) in LIMITS.items():
        value = clean[name]
        if type(value) is not int or not low <= value <= high:
            problems[name] = f"must be a whole number from {low} to {high}"
    match = clean["span_match"]
    if type(match) not in (int, float) or not 0 < match <= 1:
        problems["span_match"] = "must be a number above 0 and up to 1"
    cluster = given.get(CLUSTER)
    if cluster is not None and (not isinstance(cluster, str) or not cluster.strip()):
        problems[CLUSTER] = "must be the name of a field of the items"
    if problems:
        raise ParametersRefused(problems)
    return {**clean, "span_match": float(match), **({CLUSTER: cluster} if cluster else {})}
