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

    @property
    def least_shared(self) -> float:
        """So many n-grams of three characters, or fewer, are too few to come above NEAR with a longer text.

        An n-gram of 4 to 6 that both have begins with one of 3 that both have. So precision and recall are
        at most (2 + shared * share) / 6, with what one n-gram of each length from 3 on makes of all in the
        shorter text, and chrF is at most the larger of them. Where a length has none anything may be near.
        """
        longer = self.totals[2:]
        return (6 * NEAR / 100 - 2) / sum(1 / total for total in longer) if all(longer) else -1.0

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
    group_of: list[int] = []
    by_words: dict[tuple[str, ...], int] = {}
    # The n-grams of three characters of a text as the bits of a number: what two share is counted at once.
    bits: dict[str, int] = {}
    before: list[tuple[int, float]] = []
    for place, one in enumerate(grams):
        mask, least = sum(1 << bits.setdefault(gram, len(bits)) for gram in one.of(3)), one.least_shared
        near = by_words.get(one.words, len(groups))
        looked_at = [
            other
            for other, (theirs, enough) in enumerate(before)
            if (shared := (mask & theirs).bit_count()) > least or shared > enough
        ]
        for other in sorted(looked_at, key=lambda other: (group_of[other], other)):
            if group_of[other] >= near or chrf_score(one, grams[other]) > NEAR:
                near = min(near, group_of[other])
                break
        if near == len(groups):
            groups.append([])
        groups[near].append(place)
        group_of.append(near)
        before.append((mask, least))
        by_words[one.words] = min(near, by_words.get(one.words, near))
    return groups


def chrf_score(hypothesis: Grams, reference: Grams) -> float:
    """Return chrF between 0 and 100; 0 where the two have no n-gram of the same length."""
    return _score(hypothesis, reference, [len(hypothesis.of(n) & reference.of(n)) for n in ORDERS])


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
