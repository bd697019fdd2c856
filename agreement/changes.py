"""How agreement changed against the round before, where both asked for the same types or labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from agreement.canonical import canonical
from agreement.change import agreement_change
from agreement.figures import min_common_of, seed_of
from agreement.judgements import RoundJudgements
from agreement.sections import Section, sections_of

SHOWN = ("observed_agreement", "pabak", "gwet_ac1", "krippendorff_alpha")


def round_change(
    before: RoundJudgements,
    after: RoundJudgements,
    parameters: dict[str, Any],
    *,
    alive: Callable[[], None] = lambda: None,
) -> dict[str, Any]:
    """Return the differences after - before for each section that both rounds have, with intervals.

    Groups and all types pool the types that both rounds asked, and no other. Items that recur are resampled
    together, others independently; `alive` is called after each section.
    """
    codes = types_in_both(before, after)
    if codes is not None:
        if not codes:
            return {}
        before, after = before.of_kinds(codes), after.of_kinds(codes)
    earlier = {section.key: section for section in sections_of(before)}
    sections = {}
    for section in sections_of(after):
        other = earlier.get(section.key)
        if other is None or other.categories != section.categories:
            continue
        change = agreement_change(
            other.ratings,
            section.ratings,
            q=len(section.categories),
            items_before=_item_ids(before, other),
            items_after=_item_ids(after, section),
            seed=seed_of(parameters["seed"], section.key),
            replicates=parameters["replicates"],
            min_common=min_common_of(section.ratings),
        ).to_json()
        change["differences"] = {name: change["differences"][name] for name in SHOWN}
        sections[section.key] = change
        alive()
    return canonical(sections)


def types_in_both(before: RoundJudgements, after: RoundJudgements) -> list[str] | None:
    """Return the types that both rounds asked, in the later one's order; None where they asked the same."""
    then = {kind.code for kind in before.kinds}
    codes = [kind.code for kind in after.kinds if kind.code in then]
    return None if len(codes) == len(before.kinds) == len(after.kinds) else codes


def _item_ids(judgements: RoundJudgements, section: Section) -> np.ndarray:
    clusters = section.clusters
    return judgements.items.ids if clusters is None else judgements.items.ids[clusters]
