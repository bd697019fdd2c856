"""The few figures of an evaluation that a list shows, without reading all of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scoring.evaluation.evaluate import figures_in


def headline(scores: Mapping[str, Any], interval: Callable[[], Mapping[str, Any]]) -> dict[str, Any]:
    """Return the score that stands for an evaluation, the mean over its runs with interval and deviation.

    `name` is that of the figure. `interval` gives low and high of the mean over runs.
    """
    name = f"{scores['scope']}/micro/f1" if scores["protocol"] == "focus" else "score"
    found = [dict(figures_in(run["figures"] or {})).get(name) for run in scores["evaluations"]]
    first = scores["evaluations"][0]
    nae = [
        run["figures"]["nae"] for run in scores["evaluations"] if run["figures"] and "nae" in run["figures"]
    ]
    items = scores["references"]["items"]
    if scores["protocol"] != "focus" and first["figures"]:
        items = first["figures"]["score"]["n"]
    told: dict[str, Any] = {
        "name": name,
        "items": items,
        "runs": len(found),
        "nae": sum(nae) if nae else None,
    }
    together = next((row for row in scores["together"] if row["figure"] == name), None)
    if together is not None:
        found_interval = interval()
        return {
            **told,
            "value": together["mean"],
            **{key: found_interval[key] for key in ("low", "high")},
            "sd": together["sd"],
            "reason": None if together["mean"] is not None else together["sd_reason"],
        }
    figure = found[0] or {"value": None, "low": None, "high": None, "reason": first["reason"]}
    return {**told, "sd": None, **{key: figure[key] for key in ("value", "low", "high", "reason")}}
