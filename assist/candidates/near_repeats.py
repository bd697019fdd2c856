"""Which questions nearly repeat each other, by chrF. Pure.

References
----------
Popović M (2015) chrF: character n-gram F-score for automatic MT evaluation. WMT 2015:392-395.
doi:10.18653/v1/W15-3049 (n-grams of 1 to 6 characters without white space, beta 2, as sacreBLEU counts them)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from math import inf

from assist.reading.model_answers import words_of

NEAR = 80.0
"""chrF above which two questions of an item are near repeats."""

ORDERS = range(1, 7)
FACTOR = 4.0
"""The square of beta: recall weighs twice as much as precision."""


class Grams:
    """The n-grams of one text, found once. The second "th" of a text is another one than the first."""

    def __init__(self, text: str) -> None:
        self._plain = "".join(text.split())
        self._found: dict[int, set[str]] = {}
        self.text = text
        self.totals = [max(0, len(self._plain) - n + 1) for n in ORDERS]

    @cached_property
    def share(self) -> float:
        """What one n-gram of each length from 3 on makes of all; endless where a length has none."""
        longer = self.totals[2:]
        return sum(1 / total for total in longer) if all(longer) else inf

    @cached_property
    def words(self) -> tuple[str, ...]:
        return words_of(self.text)

    def of(self, n: int) -> set[str]:
        """Return the n-grams of this length, with a number behind each that stands there before."""
        if n not in self._found:
            counted = Counter([self._plain[at : at + n] for at in range(self.totals[n - 1])])
            found = set(counted)
            for gram, times in counted.items() if len(found) < self.totals[n - 1] else ():
                found.update(f"{gram} {k}" for k in range(2, times + 1))
            self._found[n] = found
        return self._found[n]


def near_groups(texts: Sequence[str]) -> list[list[int]]:
    """Return the places of texts in groups: each stands with the first group that has a near repeat of it.

    Near repeats have the same words, or chrF above 80 with the earlier one as the reference.

    >>> near_groups(["Who says so?", "What is the cost?", "who says so"])
    [[0, 2], [1]]
    """
    grams = [Grams(text) for text in texts]
    groups: list[list[int]] = []
    holders: dict[str, list[int]] = {}
    for place, one in enumerate(grams):
        shared = Counter[int]()
        for gram in one.of(3):
            shared.update(holders.setdefault(gram, []))
            holders[gram].append(place)
        for group in groups:
            if any(_are_near(one, grams[other], shared.get(other, 0)) for other in group):
                group.append(place)
                break
        else:
            groups.append([place])
    return groups


def chrf_score(hypothesis: Grams, reference: Grams) -> float:
    """Return chrF between 0 and 100; 0 where the two have no n-gram of the same length."""
    return _score(hypothesis, reference, [len(hypothesis.of(n) & reference.of(n)) for n in ORDERS])


def _are_near(one: Grams, other: Grams, shared: int) -> bool:
    """Return whether two texts are near repeats, which share so many n-grams of three characters."""
    if one.words == other.words:
        return True
    # An n-gram of 4 to 6 that both have begins with one of 3 that both have. So precision and recall are at
    # most (2 + shared * share) / 6 with the share of the shorter text, and chrF at most the larger of them.
    if shared * max(one.share, other.share) <= 6 * NEAR / 100 - 2:
        return False
    return chrf_score(one, other) > NEAR


def _score(hypothesis: Grams, reference: Grams, matches: Sequence[int]) -> float:
    """Return the F-score of mean precision and mean recall over the lengths that both texts have."""
    rows = [
        (match / said, match / wanted)
        for match, said, wanted in zip(matches, hypothesis.totals, reference.totals, strict=True)
        if said and wanted
    ]
    precision = sum(row[0] for row in rows) / max(1, len(rows))
    recall = sum(row[1] for row in rows) / max(1, len(rows))
    if not precision + recall:
        return 0.0
    return 100 * (1 + FACTOR) * precision * recall / (FACTOR * precision + recall)
