"""The outcome of a matching as one answer: which reference was picked, or none and a label. Pure.

References differ from text to text, so that they are compared within a question alone: the one that most
annotators picked is "REF", the next one "REF2" and so on, ties in the order of the release's file. Two
answers are equal exactly where the same reference was picked or the same label given.

See docs/decisions/agreement.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

MATCHED = "REF"

Picked = dict[int, dict[int, str]]
"""The code of each reference that somebody picked: by question, then by the reference's place."""


def picked_codes(votes: Iterable[tuple[int, int]], again: Iterable[tuple[int, int]] = ()) -> Picked:
    """Return the codes of picked references, from (question, place) of each pick.

    again: picks in hidden repeats, which decide nothing: a reference picked in these alone comes last.

    >>> picked_codes([(7, 3), (7, 0), (7, 3)], [(7, 1)])
    {7: {3: 'REF', 0: 'REF2', 1: 'REF3'}}
    """
    counts: dict[int, Counter[int]] = {}
    for question, place in votes:
        counts.setdefault(question, Counter())[place] += 1
    for question, place in again:
        counts.setdefault(question, Counter())[place] += 0
    return {
        question: {
            place: code_of_rank(rank)
            for rank, (place, _) in enumerate(
                sorted(found.items(), key=lambda pick: (-pick[1], pick[0])), start=1
            )
        }
        for question, found in counts.items()
    }


def code_of_rank(rank: int) -> str:
    """Return the code of the reference of this rank among those picked for a question, from 1."""
    return MATCHED if rank == 1 else f"{MATCHED}{rank}"


def outcome_categories(picked: Picked) -> Sequence[tuple[str, str]]:
    """Return codes and names of the categories beside the labels: at least two, as most rounds have."""
    most = max((len(found) for found in picked.values()), default=0)
    names = ["A reference", "Another reference"]
    return [
        (code_of_rank(rank), names[rank - 1] if rank <= len(names) else f"Another reference ({rank})")
        for rank in range(1, max(most, len(names)) + 1)
    ]
