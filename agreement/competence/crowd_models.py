"""Annotators' competence and a posterior for each unit, by Dawid-Skene and MACE from crowd-kit.

An optional extra: `pip install -r requirements-competence.txt`. Nothing of it is imported before it is asked
for. What comes of it stands beside the majority and decides nothing.

References
----------
Dawid AP, Skene AM (1979) Applied Statistics 28:20-28. doi:10.2307/2346806
Hovy D, Berg-Kirkpatrick T, Vaswani A, Hovy E (2013) Learning Whom to Trust with MACE. NAACL-HLT,
    1120-1130. https://aclanthology.org/N13-1132/
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agreement.statistics.estimates import NO_VARIATION

DAWID_SKENE, MACE = "dawid_skene", "mace"
METHODS = (DAWID_SKENE, MACE)
LEAST_ANNOTATORS = 5
FEWER_THAN_FIVE = "fewer_than_five_annotators"
NOT_INSTALLED = "crowd_kit_not_installed"

REASONS: Mapping[str, str] = {
    FEWER_THAN_FIVE: "fewer than five annotators judged here: their competence cannot be told from chance",
    NOT_INSTALLED: "the extra that computes it is not installed: whoever runs this server installs it where "
    "the workers run (pip install -r requirements-competence.txt), then ask again",
    NO_VARIATION: "everyone gave one and the same answer, so nobody's errors can be seen",
}

DS_ITERATIONS, DS_TOLERANCE = 100, 1e-5
MACE_ITERATIONS = 50

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Fit:
    """What one method found.

    competence : (raters,), NaN for a rater without a rating. Dawid-Skene: the chance of a right answer to a
    unit drawn by the prior, the sum of prior times the diagonal of the confusion matrix. MACE: the chance
    that a rater answers by the unit and not by habit. posterior : (units, q), NaN for one without a rating.
    """

    competence: Floats
    posterior: Floats


@dataclass(frozen=True, slots=True)
class Competence:
    """What the methods found of one table, or the code of the reason why nothing was computed."""

    reason: str | None
    fits: dict[str, Fit] = field(default_factory=dict)


def library_version() -> str:
    """Return the version of crowd-kit, "" where it is not installed."""
    try:
        return version("crowd-kit")
    except PackageNotFoundError:
        return ""


def annotator_competence(ratings: ArrayLike, *, q: int, seed: int) -> Competence:
    """Fit both methods to a (units, raters) table of codes 0..q-1, -1 for missing.

    Needs five raters with a rating, two answers that occur, and crowd-kit. The same table and seed give the
    same figures. Labels that nobody gave have posterior 0.
    """
    table = np.asarray(ratings)
    unit, rater = np.nonzero(table >= 0)
    label = table[unit, rater].astype(np.int64)
    if np.unique(rater).size < LEAST_ANNOTATORS:
        return Competence(FEWER_THAN_FIVE)
    if np.unique(label).size < 2:
        return Competence(NO_VARIATION)
    if not library_version():
        return Competence(NOT_INSTALLED)
    with warnings.catch_warnings():
        # crowd-kit uses what newer versions of pandas warn of.
        warnings.simplefilter("ignore")
        fits = {
            DAWID_SKENE: _dawid_skene(unit, rater, label, table.shape, q),
            MACE: _mace(unit, rater, label, table.shape, q, seed),
        }
    return Competence(None, fits)


def _dawid_skene(
    unit: NDArray[Any], rater: NDArray[Any], label: NDArray[Any], shape: tuple[int, ...], q: int
) -> Fit:
    import pandas as pd
    from crowdkit.aggregation.classification import DawidSkene

    data = pd.DataFrame({"task": unit, "worker": rater, "label": label})
    model = DawidSkene(n_iter=DS_ITERATIONS, tol=DS_TOLERANCE).fit(data)
    priors: Any = model.priors_
    errors: Any = model.errors_
    competence = np.full(shape[1], np.nan)
    competence[np.unique(rater)] = 0.0
    for (worker, observed), row in errors.iterrows():
        competence[worker] += float(priors[observed]) * float(row[observed])
    return Fit(competence, _posterior(model.probas_, shape[0], q))


def _mace(
    unit: NDArray[Any], rater: NDArray[Any], label: NDArray[Any], shape: tuple[int, ...], q: int, seed: int
) -> Fit:
    import pandas as pd
    from crowdkit.aggregation.classification import MACE as Model

    # crowd-kit 1.4.2 takes workers and labels now as they come, now sorted: here both are the same.
    order = np.lexsort((unit, rater))
    unit, rater, label = unit[order], rater[order], label[order]
    codes = np.array(list(dict.fromkeys(label.tolist())), dtype=np.int64)
    place = np.full(q, -1, dtype=np.int64)
    place[codes] = np.arange(codes.size)
    data = pd.DataFrame({"task": unit, "worker": rater, "label": place[label]})
    # Its restarts all begin with the same state, so that more than one says nothing.
    model = Model(n_restarts=1, n_iter=MACE_ITERATIONS, random_state=seed).fit(data)
    competence = np.full(shape[1], np.nan)
    spamming = np.asarray(model.spamming_)
    competence[np.unique(rater)] = spamming[:, 1] / spamming.sum(axis=1)
    found: Any = model.probas_
    probabilities = found.rename(columns=dict(enumerate(codes.tolist())))
    return Fit(competence, _posterior(probabilities, shape[0], q))


def _posterior(probabilities: Any, n_units: int, q: int) -> Floats:
    """Return a table of probabilities (tasks by labels) as an array of all units and labels."""
    found = np.full((n_units, q), np.nan)
    rows = probabilities.index.to_numpy()
    found[rows] = 0.0
    for label in probabilities.columns:
        found[rows, int(label)] = probabilities[label].to_numpy()
    return found
