"""Who judges what: drawing items and sharing them out. Pure, and the same for the same seed."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from operator import itemgetter
from random import Random
from typing import NamedTuple, TypeVar

from django.utils.translation import gettext

Member = TypeVar("Member")


class Candidate(NamedTuple):
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
    if size is not None and not stratified:
        return draw_keys([candidate.key for candidate in candidates], size=size, seed=seed)
    strata: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        strata.setdefault(candidate.stratum, []).append(candidate)
    if size is not None:
        keys = {stratum: [member.key for member in members] for stratum, members in strata.items()}
        return draw_strata(keys, size=size, seed=seed)
    random = Random(seed)
    ordered = _interleaved(strata, random) if stratified else random.sample(candidates, len(candidates))
    drawn: list[int] = []
    asked = 0
    for candidate in ordered:
        if asked >= (questions or 0):
            break
        drawn.append(candidate.key)
        asked += candidate.questions
    if asked < (questions or 0):
        raise ValueError(
            gettext("too few questions: %(questions)s asked for, %(asked)s there")
            % {"questions": questions, "asked": asked}
        )
    return drawn


def draw_keys(keys: Sequence[int], *, size: int, seed: int) -> list[int]:
    """Return what `draw_items` draws of so many items, where nothing but their keys decides.

    Raises ValueError where there are fewer than asked for.
    """
    if size > len(keys):
        raise _too_few(size, len(keys))
    return [keys[place] for place in _beginning(len(keys), size, Random(seed))]


def _beginning(n: int, size: int, random: Random) -> list[int]:
    """Return the first `size` places of `random.sample(range(n), n)`, without making all of them.

    >>> _beginning(50, 4, Random(3)) == Random(3).sample(range(50), 50)[:4]
    True
    """
    moved: dict[int, int] = {}
    first = []
    for left in range(n, n - size, -1):
        place = random.randrange(left)
        first.append(moved.get(place, place))
        moved[place] = moved.get(left - 1, left - 1)
    return first


def draw_strata(strata: Mapping[str, Sequence[int]], *, size: int, seed: int) -> list[int]:
    """Return what `draw_items` draws of the keys of each stratum, `size` together, in the order drawn.

    Raises ValueError where there are fewer than asked for.
    """
    n_items = sum(map(len, strata.values()))
    if size > n_items:
        raise _too_few(size, n_items)
    return _interleaved(strata, Random(seed), size)


def _too_few(size: int, n_items: int) -> ValueError:
    return ValueError(
        gettext("too few items: %(size)s asked for, %(n)s there") % {"size": size, "n": n_items}
    )


def _interleaved(
    strata: Mapping[str, Sequence[Member]], random: Random, size: int | None = None
) -> list[Member]:
    """Order the strata's members so that every beginning of the list has nearly the strata's shares.

    With `size` return so many of the first alone.
    """
    n_items = sum(map(len, strata.values()))
    # So far along their strata there are at least `size` members: half a place is lost in each at most.
    enough = 1.0 if size is None or not n_items else (size + len(strata)) / n_items
    placed: list[tuple[float, float, Member]] = []
    for stratum in sorted(strata, key=str):
        members = strata[stratum]
        n_members = len(members)
        n_placed = bisect_right(range(n_members), enough, key=lambda index: (index + 0.5) / n_members)
        # As `random.sample` shuffles all of them.
        shuffled = _beginning(n_members, n_placed, random)
        _pass_over_places(random, n_members - n_placed)
        for index, place in enumerate(shuffled):
            placed.append(((index + 0.5) / n_members, random.random(), members[place]))
        _pass_over(random, n_members - n_placed)
    first = sorted(placed, key=itemgetter(0, 1))
    return [member for _, _, member in first[:size]]


def _pass_over_places(random: Random, n: int) -> None:
    """Have what `random` gives next be what it gives after a place is drawn of `n`, of one less, down to one.

    >>> one, other = Random(3), Random(3)
    >>> _pass_over_places(one, 40), one.random() == (other.sample(range(40), 40), other.random())[1]
    (None, True)
    """
    getrandbits = random.getrandbits
    while n:
        bits = n.bit_length()
        fewest = 1 << (bits - 1)
        for left in range(n, fewest - 1, -1):
            while getrandbits(bits) >= left:  # what `Random.randrange` throws away
                pass
        n = fewest - 1


def _pass_over(random: Random, n: int) -> None:
    """Have what `random` gives next be what it gives after `n` calls of `random.random()`.

    >>> one, other = Random(3), Random(3)
    >>> _pass_over(one, 5), one.random() == [other.random() for _ in range(6)][-1]
    (None, True)
    """
    if n:
        random.getrandbits(64 * n)  # a float takes two words of 32 bits


def share_out(n_items: int, n_members: int, *, overlap: int, seed: int) -> list[tuple[int, ...]]:
    """Return, for each item, the `overlap` members who judge it, as ascending indices.

    Every item gets exactly `overlap` different members, and two members' loads differ by at most one.
    Raises ValueError where there are fewer members than the overlap asks for.
    """
    if overlap < 1:
        raise ValueError("the overlap is at least 1")
    if overlap > n_members:
        raise ValueError(
            gettext("an overlap of %(overlap)s needs as many annotators; taking part: %(n_members)s")
            % {"overlap": overlap, "n_members": n_members}
        )
    random = Random(seed).random
    members = range(n_members)
    loads = [0] * n_members
    shares = []
    for _ in range(n_items):
        by_load = sorted(zip(loads, [random() for _ in members], members, strict=True))
        chosen = tuple(sorted(member for _, _, member in by_load[:overlap]))
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
