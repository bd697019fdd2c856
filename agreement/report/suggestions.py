"""What a report says of a round with suggestions: its figures with and without, and the anchoring."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agreement.report.figures import (
    AnchoringFigures,
    ReportFigures,
    SplitFigures,
    SuggestionsFigures,
)
from agreement.report.judgements import RoundJudgements, Suggested
from agreement.report.label_figures import seed_of
from agreement.statistics.anchoring import anchoring
from annotation.codebooks.definition import FOCUS

ReportOf = Callable[[RoundJudgements], ReportFigures]


def suggestion_figures(
    judgements: RoundJudgements, suggested: Suggested, parameters: dict[str, Any], *, report_of: ReportOf
) -> SuggestionsFigures:
    """Return the figures of the judgements that were made with a suggestion in sight, and of the others.

    `mixed` is whether the round has both, so that its figures as a whole are of neither.
    """
    answered = judgements.columns.value >= 0
    visible = suggested.visible
    return {
        "shown": suggested.shown_to,
        "model": suggested.model,
        "n_suggested": int((suggested.code >= 0).sum()),
        "n_shown": int(suggested.shown.sum()),
        "n_taken": int((suggested.taken & answered).sum()),
        "mixed": bool((visible & answered).any() and (~visible & answered).any()),
        "anchoring": _anchoring(judgements, suggested, parameters),
        "with_suggestion": _split(judgements, visible, report_of),
        "without_suggestion": _split(judgements, ~visible, report_of),
    }


def _split(judgements: RoundJudgements, wanted: NDArray[np.bool_], report_of: ReportOf) -> SplitFigures:
    part = replace(judgements, suggested=None, columns=judgements.columns.of(wanted))
    figures = report_of(part)
    return {"n_judgements": part.n_judgements, "sections": figures["sections"]}


def _anchoring(
    judgements: RoundJudgements, suggested: Suggested, parameters: dict[str, Any]
) -> list[AnchoringFigures]:
    """Return the anchoring over all units, then of each type."""
    columns = judgements.columns
    code = suggested.code[columns.unit]
    # A unit that shows its suggestion and was judged where it was not seen is of neither kind.
    unseen = suggested.shown[columns.unit] & ~suggested.visible
    counts = (columns.value >= 0) & (code >= 0) & ~unseen
    item = judgements.unit_item[columns.unit]
    cluster = item if judgements.clusters is None else judgements.clusters[item]
    kind = columns.unit // max(len(judgements.items), 1) if judgements.protocol == FOCUS else None
    tables: list[tuple[str, str, NDArray[np.bool_]]] = [("all", "", counts)]
    if kind is not None:
        tables += [
            (f"type:{one.code}", one.name, counts & (kind == at)) for at, one in enumerate(judgements.types)
        ]
    found: list[AnchoringFigures] = []
    for key, name, mine in tables:
        result = anchoring(
            columns.value[mine] == code[mine],
            suggested.visible[mine],
            cluster[mine],
            seed=seed_of(parameters["seed"], f"anchoring:{key}"),
            replicates=parameters["replicates"],
        )
        found.append(
            {
                "key": key,
                "name": name,
                "n_shown": result.n_shown,
                "n_hidden": result.n_hidden,
                "shown": result.shown.to_json(),
                "hidden": result.hidden.to_json(),
                "difference": result.difference.to_json(),
            }
        )
    return found
