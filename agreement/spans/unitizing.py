"""Agreement over the spans that annotators marked in whole texts.

Two coefficients, each 1 - D_o / D_e. The disagreements are computed within one text and added up over the
texts, each text with weight 1, so that no position of one text is ever compared with one of another.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import fsum
from typing import Any

from agreement.statistics.estimates import NO_ITEMS, NO_PAIRS, NO_VARIATION

NO_SPANS = "no_spans"

Unit = tuple[int, int]
LabelledUnit = tuple[int, int, Hashable]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Observed and expected disagreement within one text.

    `reason` says why the text has no coefficient of its own: `no_pairs` (fewer than two annotators),
    `no_spans` (nobody marked anything) or `no_variation` (every position is marked alike); it then adds
    nothing to a sum.
    """

    observed: float
    expected: float
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Alpha:
    """A coefficient and the disagreements behind it; value None, with a reason, where it is undefined."""

    value: float | None
    observed: float
    expected: float
    reason: str | None = None


def alpha(disagreements: Iterable[Disagreement]) -> Alpha:
    """Return 1 - (sum of D_o) / (sum of D_e) over texts, or over the categories of one text.

    Undefined, with a reason, where D_e adds up to 0: `no_items` without any text, else what all the texts
    have, or what those that have two annotators have in common (`no_spans`, or `no_variation` where some
    were marked).
    """
    parts = list(disagreements)
    observed, expected = fsum(part.observed for part in parts), fsum(part.expected for part in parts)
    if expected > 0:
        return Alpha(1 - observed / expected, observed, expected)
    reasons = {part.reason for part in parts}
    reason = next((reason for reason in (NO_VARIATION, NO_SPANS, NO_PAIRS) if reason in reasons), NO_ITEMS)
    return Alpha(None, observed, expected, reason)


def position_disagreement(annotators: Sequence[Sequence[LabelledUnit]], length: int) -> Disagreement:
    """Return the nominal disagreement of Krippendorff over the positions of one text.

    Parameters
    ----------
    annotators : sequence of sequence of (start, end, label)
        The units of every annotator who judged the text, an empty sequence for one who marked nothing.
        Positions (tokens or characters) are half open. Units of one annotator may overlap only with the
        same label.
    length : int
        Number of positions of the text.

    Notes
    -----
    Every position is an item that each of the m annotators gives a label or "none". With N = m * length
    values, n_k of them k, and r_k of those at one position,

        D_o = (1/N) sum over positions of (m^2 - sum_k r_k^2) / (m - 1)
        D_e = (N^2 - sum_k n_k^2) / (N (N - 1))

    The coefficient rises with the length of the text and does not see that a span was split in two.

    References
    ----------
    Krippendorff, K. (2004). Content Analysis (2nd ed.), chapter 11.3. Sage.
    """
    count = len(annotators)
    if count < 2:
        return Disagreement(0.0, 0.0, NO_PAIRS)
    if not any(annotators):
        return Disagreement(0.0, 0.0, NO_SPANS)
    _check_inside(annotators, length)
    values = count * length
    if (marked := _only_length(annotators)) is not None:
        expected = values**2 - marked**2 - (values - marked) ** 2
        return Disagreement(2 * marked / values, expected / (values * (values - 1)))
    bounds = sorted(
        {0, length, *(bound for units in annotators for start, end, _ in units for bound in (start, end))}
    )
    labels = [_label_segments(units, bounds) for units in annotators]
    totals: defaultdict[Hashable | None, int] = defaultdict(int)
    disagreeing = 0
    for (start, end), ratings in zip(pairwise(bounds), zip(*labels, strict=True), strict=True):
        disagreeing += (end - start) * count**2
        for label in set(ratings):
            given = ratings.count(label)
            totals[label] += (end - start) * given
            disagreeing -= (end - start) * given**2
    if len(totals) == 1:
        return Disagreement(0.0, 0.0, NO_VARIATION)
    expected = values**2 - sum(total**2 for total in totals.values())
    return Disagreement(disagreeing / (count - 1) / values, expected / (values * (values - 1)))


def unitizing_disagreement(annotators: Sequence[Sequence[Unit]], length: int) -> Disagreement:
    """Return the disagreement of Krippendorff's alpha_u over the units of one category in one text.

    Parameters
    ----------
    annotators : sequence of sequence of (start, end)
        The units of every annotator who judged the text, an empty sequence for one who marked nothing.
        Positions are half open; units of one annotator must not overlap, but may touch.
    length : int
        Length of the text in the same positions.

    Notes
    -----
    Units that overlap differ by the squares of the distances of their starts and of their ends; a unit inside
    another annotator's gap by the square of its own length; nothing else differs. With m annotators,
    L = length, and sums over ordered pairs of annotators,

        D_o = sum of differences / (m (m - 1) L^2)
        D_e = (2/L) sum over units of [ (n - 1)/3 (2 l^3 - 3 l^2 + l) + l^2 G ]
              / (mL (mL - 1) - sum over units of l (l - 1))
        G = sum over the gaps with g >= l of (g - l + 1)

    where n units have lengths l and all annotators' gaps have lengths g. It is generous to small shifts and
    harsh to a span that one annotator split in two.

    References
    ----------
    Krippendorff, K. (2004). Content Analysis (2nd ed.), chapter 11.6. Sage. Krippendorff, K. (1995). On the
    reliability of unitizing continuous data. Sociological Methodology 25, 47-76.
    https://doi.org/10.2307/271061
    """
    count = len(annotators)
    if count < 2:
        return Disagreement(0.0, 0.0, NO_PAIRS)
    if not any(annotators):
        return Disagreement(0.0, 0.0, NO_SPANS)
    _check_inside(annotators, length)
    units = [sorted(own) for own in annotators]
    gaps = [_gaps(own, length) for own in units]
    if (marked := _only_length(annotators)) is not None:
        # It lies in the gap of each of the others, in both orders of the pair.
        differences = 2 * (count - 1) * marked**2
    else:
        # Every unordered pair stands for both of its orders.
        differences = 2 * sum(
            _overlap_difference(units[i], units[j])
            + _gap_difference(units[i], gaps[j])
            + _gap_difference(units[j], gaps[i])
            for i, j in combinations(range(count), 2)
        )
    lengths = [end - start for own in units for start, end in own]
    gap_lengths = [end - start for own in gaps for start, end in own]
    chance = sum(
        (len(lengths) - 1) * (2 * unit**3 - 3 * unit**2 + unit) // 3
        + unit**2 * sum(gap - unit + 1 for gap in gap_lengths if gap >= unit)
        for unit in lengths
    )
    if chance == 0:
        return Disagreement(0.0, 0.0, NO_VARIATION)
    possible = count * length * (count * length - 1) - sum(unit * (unit - 1) for unit in lengths)
    return Disagreement(differences / (count * (count - 1) * length**2), 2 * chance / (length * possible))


def _only_length(annotators: Sequence[Sequence[tuple[Any, ...]]]) -> int | None:
    """Return the length of the only unit, as in most texts of a large round; None where there are several."""
    units = [unit for own in annotators for unit in own]
    return units[0][1] - units[0][0] if len(units) == 1 else None


def _check_inside(annotators: Sequence[Sequence[tuple[Any, ...]]], length: int) -> None:
    for units in annotators:
        for start, end, *_ in units:
            if not 0 <= start < end <= length:
                raise ValueError(f"unit ({start}, {end}) is not inside a text of {length} positions")


def _label_segments(units: Sequence[LabelledUnit], bounds: Sequence[int]) -> list[Hashable | None]:
    """Return the label of one annotator in every segment between two bounds, None where nothing is marked."""
    place = {bound: segment for segment, bound in enumerate(bounds)}
    labels: list[Hashable | None] = [None] * (len(bounds) - 1)
    for start, end, label in units:
        for segment in range(place[start], place[end]):
            if labels[segment] not in (None, label):
                raise ValueError(f"unit ({start}, {end}) gives a position a second label")
            labels[segment] = label
    return labels


def _gaps(units: Sequence[Unit], length: int) -> list[Unit]:
    """Return the maximal stretches that one annotator left unmarked."""
    gaps, reached = [], 0
    for start, end in units:
        if start < reached:
            raise ValueError(f"unit ({start}, {end}) overlaps another unit of the same annotator")
        if start > reached:
            gaps.append((reached, start))
        reached = end
    return [*gaps, (reached, length)] if reached < length else gaps


def _overlap_difference(units: Sequence[Unit], others: Sequence[Unit]) -> int:
    return sum(
        (start - other_start) ** 2 + (end - other_end) ** 2
        for start, end in units
        for other_start, other_end in others
        if start < other_end and other_start < end
    )


def _gap_difference(units: Sequence[Unit], gaps: Sequence[Unit]) -> int:
    return sum(
        (end - start) ** 2
        for start, end in units
        if any(gap_start <= start and end <= gap_end for gap_start, gap_end in gaps)
    )
