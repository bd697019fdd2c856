"""Who judges what: drawing items and sharing them out. Pure, and the same for the same seed."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from random import Random

from django.utils.translation import gettext


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item that could be drawn: its key, the stratum it belongs to, how many questions it has."""

    key: int
    stratum: str = ""
    questions: int = 0


def draw_items(
    candidates: Sequence[Candidate], *, size: int | None, questions: int | None, stratified: bool, seed: int
) -> list[int]:
    """Return the keys of a random sample, in the order drawn.

    `size` counts items, `questions` the questions they have together (items are added until it is
    reached); with neither, all are drawn in their given order. `stratified` keeps the shares of the
    strata, to the nearest item. Raises ValueError where there are fewer than asked for.
    """
    if size is None and questions is None:
        return [candidate.key for candidate in candidates]
    if size is not None and size > len(candidates):
        raise ValueError(
            gettext("%(size)s items were asked for and %(n)s are there")
            % {"size": size, "n": len(candidates)}
        )
    random = Random(seed)
    ordered = _interleaved(candidates, random) if stratified else random.sample(candidates, len(candidates))
    if size is not None:
        return [candidate.key for candidate in ordered[:size]]
    drawn: list[int] = []
    asked = 0
    for candidate in ordered:
        if asked >= (questions or 0):
            break
        drawn.append(candidate.key)
        asked += candidate.questions
    if asked < (questions or 0):
        raise ValueError(
            gettext("%(questions)s questions were asked for and %(asked)s are there")
            % {"questions": questions, "asked": asked}
        )
    return drawn


def _interleaved(candidates: Sequence[Candidate], random: Random) -> list[Candidate]:
    """Order the candidates so that every beginning of the list has nearly the strata's shares."""
    strata: dict[Hashable, list[Candidate]] = {}
    for candidate in candidates:
        strata.setdefault(candidate.stratum, []).append(candidate)
    placed: list[tuple[float, float, Candidate]] = []
    for stratum in sorted(strata, key=str):
        members = strata[stratum]
        for index, candidate in enumerate(random.sample(members, len(members))):
            placed.append(((index + 0.5) / len(members), random.random(), candidate))
    placed.sort(key=lambda entry: entry[:2])
    return [candidate for _, _, candidate in placed]


def share_out(n_items: int, n_members: int, *, overlap: int, seed: int) -> list[tuple[int, ...]]:
    """Return, for each item, the `overlap` members who judge it, as ascending indices.

    Every item gets exactly `overlap` different members, and two members' loads differ by at most one.
    Raises ValueError where there are fewer members than the overlap asks for.
    """
    if overlap < 1:
        raise ValueError("the overlap is at least 1")
    if overlap > n_members:
        raise ValueError(
            gettext("an overlap of %(overlap)s needs %(overlap)s annotators, and %(n_members)s take part")
            % {"overlap": overlap, "n_members": n_members}
        )
    random = Random(seed)
    loads = [0] * n_members
    shares = []
    for _ in range(n_items):
        by_load = sorted(range(n_members), key=lambda member: (loads[member], random.random()))
        chosen = tuple(sorted(by_load[:overlap]))
        for member in chosen:
            loads[member] += 1
        shares.append(chosen)
    return shares


REPEAT_DISTANCE = 10
"""How many other texts lie at least between a text and its hidden repeat."""


def with_repeats(order: Sequence[int], *, repeats: int, seed: int, member: int) -> list[tuple[int, bool]]:
    """Return the order with so many of its texts again later on, each place with whether it is a repeat.

    At least REPEAT_DISTANCE other texts lie between a text and its repeat; where there are not enough texts
    for that there are fewer repeats.

    >>> with_repeats(range(11), repeats=3, seed=1, member=0)[-2:]
    [(10, False), (0, True)]
    """
    random = Random(f"{seed}:{member}:repeats")
    repeatable = max(len(order) - REPEAT_DISTANCE, 0)
    after: dict[int, list[int]] = {}
    for place in random.sample(range(repeatable), min(repeats, repeatable)):
        after.setdefault(random.randrange(place + REPEAT_DISTANCE, len(order)), []).append(order[place])
    met: list[tuple[int, bool]] = []
    for place, text in enumerate(order):
        met.append((text, False))
        met.extend((again, True) for again in after.get(place, ()))
    return met


def order_for(n_items: int, *, shuffled: bool, seed: int, member: int) -> list[int]:
    """Return the order in which one member meets the items: as drawn, or shuffled for this member."""
    order = list(range(n_items))
    if shuffled:
        Random(f"{seed}:{member}").shuffle(order)
    return order
