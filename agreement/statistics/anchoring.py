"""Anchoring: how far answers move to a suggestion because it was shown.

See docs/statistics.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from agreement.statistics.bootstrap import generator, resampled_weights
from agreement.statistics.estimates import NO_ITEMS, NOT_COMPUTED, SINGLE_ITEM, Estimate, undefined
from agreement.statistics.intervals import (
    End,
    judged_difference,
    judged_interval,
    ratio_information,
    unseen_limits,
)
from agreement.statistics.patterns import FloatArray


@dataclass(frozen=True, slots=True)
class Anchoring:
    """The share of answers that are the suggestion's, shown and hidden, and shown - hidden.

    n_shown and n_hidden count the answers.
    """

    n_shown: int
    n_hidden: int
    shown: Estimate
    hidden: Estimate
    difference: Estimate


def anchoring(
    equal: ArrayLike,
    shown: ArrayLike,
    clusters: ArrayLike,
    *,
    seed: int | Sequence[int],
    replicates: int = 1000,
) -> Anchoring:
    """Return how much more often answers are the suggestion's where it was shown than where it was hidden.

    equal, shown, clusters : (answers,), of answers about units that have a suggestion: whether the answer is
    the suggestion's (a share, no unit), whether the annotator saw it, and what the answer is resampled with,
    such as its text.

    Notes
    -----
    p = sum of equal / number of answers, of either kind; the anchoring is p(shown) - p(hidden), from -1 to 1.
    Which units show their suggestion is drawn at random, so that what the two kinds differ in besides is
    chance. Clusters are drawn with replacement with all their answers, both shares are computed anew in each
    resample, and their difference has the interval of `judged_difference`. A share without an answer of its
    kind is undefined, and so is the difference.

    References
    ----------
    Tversky A, Kahneman D (1974) Science 185:1124-1131. doi:10.1126/science.185.4157.1124
    Fort K, Sagot B (2010) Influence of pre-annotation on POS-tagged corpus development. Proc LAW IV, 56-63.

    >>> equal = [1, 1, 1, 0, 1, 0, 0, 0]
    >>> found = anchoring(equal, [1, 1, 1, 1, 0, 0, 0, 0], [1, 2, 3, 4, 1, 2, 3, 4], seed=1, replicates=100)
    >>> found.shown.value, found.hidden.value, found.difference.value
    (0.75, 0.25, 0.5)
    """
    same, seen = np.asarray(equal, dtype=np.bool_), np.asarray(shown, dtype=np.bool_)
    cluster = np.unique(np.asarray(clusters), return_inverse=True)[1].ravel()
    if not same.shape == seen.shape == cluster.shape:
        raise ValueError("Every answer needs whether its suggestion was shown, and its cluster.")
    n = int(cluster.max(initial=-1)) + 1

    def summed(which: np.ndarray) -> FloatArray:
        return np.bincount(cluster[which], minlength=n).astype(np.float64)

    sums = np.stack([summed(seen & same), summed(seen), summed(~seen & same), summed(~seen)], axis=1)
    drawn = None
    if replicates and n > 1:
        weights = resampled_weights(np.ones(n, dtype=np.int64), replicates, generator(seed, 0))
        drawn = np.concatenate([rows @ sums for rows in weights])
    of_shown, of_hidden = _share(sums, drawn, 0), _share(sums, drawn, 2)
    difference = _difference(sums, drawn, of_shown, of_hidden)
    return Anchoring(int(seen.sum()), int((~seen).sum()), of_shown, of_hidden, difference)


def _share(sums: FloatArray, drawn: FloatArray | None, at: int) -> Estimate:
    above, below = sums[:, at], sums[:, at + 1]
    if not below.sum():
        return undefined(NO_ITEMS)
    estimate = Estimate(float(above.sum() / below.sum()))
    if drawn is None or (below > 0).sum() < 2:
        return _without_interval(estimate, sums)
    values, defined = _ratios(drawn, at)
    information = ratio_information(above, below)
    return judged_interval(estimate.known, values, defined, information, floor=0.0).on(estimate)


def _difference(sums: FloatArray, drawn: FloatArray | None, shown: Estimate, hidden: Estimate) -> Estimate:
    if shown.value is None or hidden.value is None:
        return undefined(NO_ITEMS)
    estimate = Estimate(shown.value - hidden.value)
    if drawn is None:
        return _without_interval(estimate, sums)
    ends = [_end(sums, at, share) for at, share in ((0, shown), (2, hidden))]
    (of_shown, has_shown), (of_hidden, has_hidden) = (_ratios(drawn, at) for at in (0, 2))
    defined = has_shown & has_hidden
    found = judged_difference(ends[1], ends[0], of_shown - of_hidden, defined)
    if found.low is not None and found.high is not None:
        found = replace(found, low=max(found.low, -1.0), high=min(found.high, 1.0))
    return found.on(estimate)


def _end(sums: FloatArray, at: int, share: Estimate) -> End:
    information = ratio_information(sums[:, at], sums[:, at + 1])
    return End(share.known, information, unseen_limits(share.known, information.clusters, floor=0.0))


def _ratios(drawn: FloatArray, at: int) -> tuple[FloatArray, np.ndarray]:
    defined = drawn[:, at + 1] > 0
    return drawn[:, at] / np.where(defined, drawn[:, at + 1], 1.0), defined


def _without_interval(estimate: Estimate, sums: FloatArray) -> Estimate:
    return replace(estimate, interval_reason=SINGLE_ITEM if len(sums) < 2 else NOT_COMPUTED)
