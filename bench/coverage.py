"""How often 95% intervals hold the true value, and how often one is shown with a caution.

Run with `python bench/coverage.py`; `--studies 100` is quicker, `--methods` compares methods for alpha.
Three raters of beta-binomial and of one-coin studies judge n texts with one unit each, or with four that are
alike within a text. The true value is the one that the same coefficient has under the law of the simulation.
"""

import argparse
import itertools
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from coverage_methods import METHODS, alpha_limits

from agreement.statistics.label_agreement import label_agreement
from agreement.statistics.strata.stratified import stratified_agreement

TEXTS, PREVALENCES, ALPHAS = (10, 20, 50, 200), (0.05, 0.1, 0.2, 0.3, 0.5), (0.2, 0.6, 0.9)
LAWS, UNITS = ("beta-binomial", "one-coin"), (1, 4)
RATERS, REPLICATES, SEED = 3, 1000, 20250201
WANTED, LEAST_STUDIES, MOST_CAUTIONS = 0.92, 50, 0.2


@dataclass(frozen=True, slots=True)
class Cell:
    """One law with its sizes: n texts of so many units, the share of yes, and the true alpha."""

    law: str
    texts: int
    units: int
    prevalence: float
    alpha: float

    @property
    def accuracy(self) -> float:
        """How often a one-coin rater is right, so that alpha is the one wanted: found by halving."""
        low, high = 0.5, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            yes = _yes(self.prevalence, middle)
            spread = (2 * middle - 1) ** 2 * self.prevalence * (1 - self.prevalence)
            low, high = (middle, high) if spread < self.alpha * yes * (1 - yes) else (low, middle)
        return low

    @property
    def truths(self) -> dict[str, float]:
        """The population value of each coefficient: raters are exchangeable, so the kappas are alpha."""
        yes = self.prevalence if self.law == LAWS[0] else _yes(self.prevalence, self.accuracy)
        chance = 2 * yes * (1 - yes)
        observed = 1 - (1 - self.alpha) * chance
        kappas = dict.fromkeys(("krippendorff_alpha", "fleiss_kappa", "cohen_kappa"), self.alpha)
        ac1 = (observed - chance) / (1 - chance)
        return {**kappas, "gwet_ac1": ac1, "pabak": 2 * observed - 1, "observed_agreement": observed}

    def study(self, rng: np.random.Generator) -> np.ndarray:
        """Return one study as (texts, units, raters) codes; 1 is yes."""
        size = (self.texts, self.units)
        if self.law == LAWS[0]:
            of_text = 0.0 if self.units == 1 else min(0.3, self.alpha / 2)
            of_unit = 1 - (1 - self.alpha) / (1 - of_text)
            yes = _beta(rng, _texts(rng, self.prevalence, of_text, size), of_unit)
        else:
            truth = rng.random(size) < _texts(rng, self.prevalence, 0.0 if self.units == 1 else 0.2, size)
            yes = np.where(truth, self.accuracy, 1 - self.accuracy)
        return (rng.random((*size, RATERS)) < yes[:, :, None]).astype(np.int64)


def _yes(prevalence: float, accuracy: float) -> float:
    return prevalence * accuracy + (1 - prevalence) * (1 - accuracy)


def _beta(rng: np.random.Generator, mean: np.ndarray, correlation: float) -> np.ndarray:
    """Draw from beta distributions of these means and this intraclass correlation."""
    mean, strength = np.clip(mean, 1e-9, 1 - 1e-9), (1 - correlation) / correlation
    return rng.beta(mean * strength, (1 - mean) * strength)


def _texts(rng: np.random.Generator, mean: float, correlation: float, size: tuple[int, int]) -> np.ndarray:
    """Return the share of yes of each unit's text, (texts, units)."""
    if not correlation:
        return np.full(size, mean)
    return np.repeat(_beta(rng, np.full((size[0], 1), mean), correlation), size[1], axis=1)


def cells() -> Iterator[Cell]:
    for law, texts, units, prevalence, alpha in itertools.product(LAWS, TEXTS, UNITS, PREVALENCES, ALPHAS):
        yield Cell(law, texts, units, prevalence, alpha)


def coverage(studies: int) -> None:
    """Print the least coverage of figures shown without a caution, and how often there is one."""
    found: dict[str, list[tuple[float, int, Cell]]] = {}
    cautious: dict[str, float] = {}
    for number, cell in enumerate(cells()):
        rng, truths = np.random.default_rng([SEED, number]), cell.truths
        shown, held = dict.fromkeys(truths, 0), dict.fromkeys(truths, 0)
        text = np.repeat(np.arange(cell.texts), cell.units) if cell.units > 1 else None
        for study in range(studies):
            ratings = cell.study(rng).reshape(-1, RATERS)
            result = label_agreement(ratings, q=2, seed=study, replicates=REPLICATES, clusters=text)
            for name, truth in truths.items():
                estimate = result.estimates[name]
                if estimate.low is not None and estimate.high is not None and not estimate.caution:
                    shown[name] += 1
                    held[name] += estimate.low <= truth <= estimate.high
        for name in truths:
            if shown[name] >= LEAST_STUDIES * studies / 400:
                found.setdefault(name, []).append((held[name] / shown[name], shown[name], cell))
            if cell.texts == 200 and cell.prevalence == 0.3:
                cautious[name] = max(cautious.get(name, 0.0), 1 - shown[name] / studies)
    print(f"{studies} studies a cell; cells with {LEAST_STUDIES} of 400 shown without a caution or more")
    print(f"{'figure':<20} {'cells':>5} {'least':>7} {'mean':>7} {'below':>5}   cautions at n 200 and 0.3")
    for name, rates in found.items():
        shares = [rate for rate, _, _ in rates]
        below = [rate for rate in rates if rate[0] < WANTED]
        print(
            f"{name:<20} {len(rates):>5} {min(shares):>7.3f} {np.mean(shares):>7.3f} {len(below):>5}"
            f"   at most {cautious[name]:.3f}{'' if cautious[name] <= MOST_CAUTIONS else ' TOO MANY'}"
        )
        for rate, number, cell in below:
            print(f"    {rate:.3f} of {number}: {cell}")


def base_rate_raters(rounds: int) -> None:
    """Print how often the headline of raters who know each type's base rate only has an interval with 0."""
    rng, held, shown = np.random.default_rng(SEED), 0, 0
    rates = np.linspace(0.02, 0.7, 10)
    for number in range(rounds):
        ratings = (rng.random((140, rates.size, RATERS)) < rates[None, :, None]).astype(np.int64)
        result = stratified_agreement(ratings, q=2, seed=number, replicates=REPLICATES)
        alpha = result.estimates["krippendorff_alpha"]
        if alpha.low is not None and alpha.high is not None:
            shown, held = shown + 1, held + (alpha.low <= 0 <= alpha.high)
    print(
        f"base-rate raters: the headline's interval holds 0 in {held} of {shown} rounds, {held / shown:.1%}"
    )


def methods(studies: int) -> None:
    """Print the coverage of other methods for alpha in the studies that are shown without a caution."""
    rates: dict[str, list[float]] = {name: [] for name in METHODS}
    widths: dict[str, list[float]] = {name: [] for name in METHODS}
    low: list[tuple[float, Cell]] = []
    for number, cell in enumerate(cells()):
        rng = np.random.default_rng([SEED, number])
        limits = [alpha_limits(cell.study(rng), rng, REPLICATES) for _ in range(studies)]
        shown = [one for one in limits if one is not None]
        if len(shown) < LEAST_STUDIES * studies / 400:
            continue
        for name in METHODS:
            own = np.array([one[name] for one in shown])
            held = (own[:, 0] <= cell.alpha) & (cell.alpha <= own[:, 1])
            rates[name].append(float(held.mean()))
            if name == "ours" and held.mean() < WANTED:
                low.append((float(held.mean()), cell))
            widths[name].append(float(np.median(own[:, 1] - own[:, 0])))
    print(f"alpha, {studies} studies a cell, those shown without a caution")
    print(
        f"{'method':<38} {'cells':>5} {'least':>7} {'5% of cells':>12} {'mean':>7} {'below':>11} {'width':>7}"
    )
    for name, words in METHODS.items():
        shares, below = rates[name], sum(rate < WANTED for rate in rates[name])
        fifth, mean, width = np.quantile(shares, 0.05), np.mean(shares), np.mean(widths[name])
        counts = f"{words:<38} {len(shares):>5} {min(shares):>7.3f} {fifth:>12.3f} {mean:>7.3f}"
        print(f"{counts} {below:>11} {width:>7.3f}")
    for rate, cell in low:
        print(f"    chosen: {rate:.3f} at {cell}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=400)
    parser.add_argument("--methods", action="store_true", help="compare interval methods for alpha")
    options = parser.parse_args()
    begun = time.process_time()
    if options.methods:
        methods(options.studies)
    else:
        base_rate_raters(options.studies)
        coverage(options.studies)
    print(f"{time.process_time() - begun:.0f} s CPU")


if __name__ == "__main__":
    main()
