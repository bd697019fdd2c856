"""Cohen's kappa of every pair of raters, their mean, and Conger's kappa, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from agreement.statistics.bootstrap import Interval
from agreement.statistics.estimates import (
    NO_ITEMS,
    NO_PAIRS,
    NO_VARIATION,
    NOT_APPLICABLE,
    NOT_COMPUTED,
    SINGLE_ITEM,
    TOO_FEW_COMMON_ITEMS,
    Estimate,
    PairEstimate,
    undefined,
)
from agreement.statistics.intervals import Information, information_of, informative_pair, judged_interval
from agreement.statistics.pairs import (
    PairSums,
    cohen_chance_agreement,
    cohen_kappa,
    cohen_varies,
    conger_kappa,
    conger_varies,
    light_kappa,
    pair_agreement,
    table_sums,
)
from agreement.statistics.patterns import FloatArray
from agreement.statistics.rating_table import RatingTable
from agreement.statistics.standard_errors import cohen_standard_error

# With more pairs (hundreds of crowd workers) each has its value, but only the mean over pairs an interval.
PAIRS_WITH_INTERVAL = 300


@dataclass(frozen=True, slots=True)
class PairFigures:
    """light is the mean of the defined pairwise kappas; conger needs complete ratings."""

    light: Estimate
    conger: Estimate
    pairs: tuple[PairEstimate, ...]


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A resampled figure and where it is defined, both (..., replicates)."""

    values: FloatArray
    defined: np.ndarray

    @classmethod
    def joined(cls, parts: Sequence[tuple[FloatArray, np.ndarray]]) -> _Drawn:
        values, defined = zip(*parts, strict=True)
        return cls(np.concatenate(values, axis=-1), np.concatenate(defined, axis=-1))

    def interval(
        self, value: float, information: Information, *, below: float, floor: float, index: int | None = None
    ) -> Interval:
        values, defined = self.values, self.defined
        if index is not None:
            values, defined = values[index], defined[index]
        return judged_interval(value, values, defined, information, below=below, floor=floor)


@dataclass(frozen=True, slots=True)
class _Resampled:
    """Resampled figures; those of each pair only where there are not too many pairs."""

    light: _Drawn
    conger: _Drawn
    kappa: _Drawn | None
    agreement: _Drawn | None


def pair_figures(table: RatingTable, *, replicates: int, seed: int | Sequence[int]) -> PairFigures:
    """Compute Cohen's kappa for each pair that shares items, their mean (Light) and Conger's exact kappa."""
    tables = table.tables
    if not len(tables):
        reason = _reason_without_pairs(table)
        return PairFigures(undefined(reason), undefined(reason), ())
    sums = table_sums(tables)
    with np.errstate(divide="ignore", invalid="ignore"):
        kappas, chances = cohen_kappa(sums), cohen_chance_agreement(sums)
    defined = cohen_varies(sums)
    resampled = _resample(table, defined, replicates, seed) if replicates else None
    pairs = tuple(
        _pair_estimate(table, tables, index, kappas, chances, defined, resampled)
        for index in range(len(tables))
    )
    light = _light_estimate(table, sums, kappas, chances, defined, resampled)
    if len(pairs) == 1 and light.reason is None:
        light = replace(light, se=pairs[0].kappa.se)
    return PairFigures(light, _conger_estimate(table, sums, chances, resampled), pairs)


def _reason_without_pairs(table: RatingTable) -> str:
    if not len(table.patterns.rows):
        return NO_ITEMS
    return TOO_FEW_COMMON_ITEMS if table.few_common else NO_PAIRS


def _resample(
    table: RatingTable, defined: np.ndarray, replicates: int, seed: int | Sequence[int]
) -> _Resampled:
    light, conger, kappa, agreement = [], [], [], []
    each_pair = len(defined) <= PAIRS_WITH_INTERVAL
    with np.errstate(divide="ignore", invalid="ignore"):
        for sums in table.resampled_pair_sums(replicates, seed):
            kappas = cohen_kappa(sums)
            # A pair that is undefined in the table is so in every resample of it.
            varies = cohen_varies(sums) & defined[:, None]
            light.append(light_kappa(kappas, varies))
            conger.append((conger_kappa(sums), conger_varies(sums)))
            if each_pair:
                kappa.append((kappas, varies))
                agreement.append((pair_agreement(sums), sums.common > 0))
    return _Resampled(
        light=_Drawn.joined(light),
        conger=_Drawn.joined(conger),
        kappa=_Drawn.joined(kappa) if each_pair else None,
        agreement=_Drawn.joined(agreement) if each_pair else None,
    )


def resampled_light(table: RatingTable, sums: PairSums) -> tuple[FloatArray, np.ndarray]:
    """Return the mean of Cohen's kappas in each resample of a study, and where it is defined."""
    defined = cohen_varies(table_sums(table.tables))
    with np.errstate(divide="ignore", invalid="ignore"):
        return light_kappa(cohen_kappa(sums), cohen_varies(sums) & defined[:, None])


def _pair_estimate(
    table: RatingTable,
    tables: FloatArray,
    index: int,
    kappas: FloatArray,
    chances: FloatArray,
    defined: np.ndarray,
    resampled: _Resampled | None,
) -> PairEstimate:
    joint = tables[index]
    n_common = int(joint.sum())
    observed = float(np.trace(joint)) / n_common
    agreement = Estimate(observed)
    kappa = Estimate(float(kappas[index])) if defined[index] else undefined(NO_VARIATION)
    if resampled is None or resampled.kappa is None or resampled.agreement is None:
        reason = NOT_COMPUTED if n_common > 1 else SINGLE_ITEM
        agreement, kappa = _without_interval(agreement, reason), _without_interval(kappa, reason)
    else:
        which = informative_pair(table.pairs, index, table.patterns.multiplicity)
        information = information_of(table.row_units, which)
        if information.clusters < 2:
            agreement = _without_interval(agreement, SINGLE_ITEM)
            kappa = _without_interval(kappa, SINGLE_ITEM)
        else:
            agreement = resampled.agreement.interval(
                observed, information.without_chance(), below=observed, floor=0.0, index=index
            ).on(agreement)
            if kappa.reason is None:
                below = observed / (1 - float(chances[index]))
                kappa = resampled.kappa.interval(
                    kappa.known, information, below=below, floor=-1.0, index=index
                ).on(kappa)
    if kappa.reason is None and n_common >= 2 and table.row_units.members is None:
        kappa = replace(kappa, se=cohen_standard_error(joint))
    first, second = (int(rater) for rater in table.pairs.raters[index])
    return PairEstimate(first, second, n_common, kappa, agreement)


def _without_interval(estimate: Estimate, reason: str) -> Estimate:
    return estimate if estimate.reason else replace(estimate, interval_reason=reason)


def _light_estimate(
    table: RatingTable,
    sums: PairSums,
    kappas: FloatArray,
    chances: FloatArray,
    defined: np.ndarray,
    resampled: _Resampled | None,
) -> Estimate:
    if not defined.any():
        return undefined(NO_VARIATION)
    value, _ = light_kappa(kappas, defined)
    estimate = Estimate(float(value))
    information = table.information
    if information.clusters < 2 or sums.common[defined].max() < 2:
        return replace(estimate, interval_reason=SINGLE_ITEM)
    if resampled is None:
        return replace(estimate, interval_reason=NOT_COMPUTED)
    below = light_fall(table)
    return resampled.light.interval(estimate.known, information, below=below, floor=-1.0).on(estimate)


def light_fall(table: RatingTable) -> float:
    """Return how far the mean of the defined kappas would fall if no unit agreed: the mean of o / (1 - e)."""
    sums = table_sums(table.tables)
    defined = cohen_varies(sums)
    with np.errstate(divide="ignore", invalid="ignore"):
        falls = pair_agreement(sums) / (1 - cohen_chance_agreement(sums))
    return float(falls[defined].mean())


def _conger_estimate(
    table: RatingTable, sums: PairSums, chances: FloatArray, resampled: _Resampled | None
) -> Estimate:
    if not table.complete or table.few_common:
        return undefined(NOT_APPLICABLE)
    if not conger_varies(sums):
        return undefined(NO_VARIATION)
    estimate = Estimate(float(conger_kappa(sums)))
    if table.row_units.n < 2:
        return replace(estimate, interval_reason=SINGLE_ITEM)
    if resampled is None:
        return replace(estimate, interval_reason=NOT_COMPUTED)
    below = float(pair_agreement(sums).mean() / (1 - chances.mean()))
    information = table.information
    return resampled.conger.interval(estimate.known, information, below=below, floor=-1.0).on(estimate)
