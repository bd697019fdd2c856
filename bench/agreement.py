"""How fast the agreement of labels is, as ratios in one run: python bench/agreement.py

Times are CPU seconds, the least of several runs. Ratios say more than times: they hold on another machine.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

import krippendorff
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from agreement.statistics.label_agreement import label_agreement

SEED = 20250101
RATERS, LABELS, MISSING = 5, 3, 0.2


def rating_table(n_items: int) -> np.ndarray:
    """Return (items, raters) codes: three labels of unequal frequency, 80% of the ratings right."""
    rng = np.random.default_rng([SEED, n_items])
    shape = (n_items, RATERS)
    truth = rng.choice(LABELS, size=(n_items, 1), p=(0.5, 0.3, 0.2))
    ratings = np.where(rng.random(shape) < 0.8, truth, rng.choice(LABELS, size=shape))
    return np.where(rng.random(shape) < MISSING, -1, ratings)


def cpu_seconds(run: Callable[[], object], times: int) -> float:
    spent = []
    for _ in range(times):
        start = time.process_time()
        run()
        spent.append(time.process_time() - start)
    return min(spent)


def engine(ratings: np.ndarray, replicates: int) -> Callable[[], object]:
    return lambda: label_agreement(ratings, q=LABELS, seed=SEED, replicates=replicates)


def against_krippendorff() -> None:
    ratings = rating_table(100_000)
    data = np.where(ratings < 0, np.nan, ratings).T
    unit = cpu_seconds(lambda: krippendorff.alpha(reliability_data=data, level_of_measurement="nominal"), 15)
    print(f"100,000 items x {RATERS} annotators x {LABELS} labels, {MISSING:.0%} missing")
    for words, run in (
        ("krippendorff.alpha, one point estimate", None),
        ("all coefficients, no intervals", engine(ratings, 0)),
        ("all coefficients, 1,000-replicate intervals", engine(ratings, 1000)),
    ):
        spent = unit if run is None else cpu_seconds(run, 15)
        print(f"  {words:<45} {spent * 1e3:7.1f} ms  ratio {spent / unit:5.2f}")


def growth() -> None:
    print("growth with the number of items (ratio to 1,000 items)")
    first = None
    for n_items in (1_000, 10_000, 100_000, 1_000_000):
        ratings = rating_table(n_items)
        times = 3 if n_items > 100_000 else 7
        spent = cpu_seconds(engine(ratings, 1000), times)
        point = cpu_seconds(engine(ratings, 0), times)
        first = first or (spent, point)
        print(
            f"  {n_items:>9,} items  with intervals {spent * 1e3:7.1f} ms {spent / first[0]:6.2f}"
            f"   without {point * 1e3:7.1f} ms {point / first[1]:6.2f}"
        )


if __name__ == "__main__":
    against_krippendorff()
    growth()
