"""Annotators' competence and the posteriors of units, of each type of a round or of its labels. Pure."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agreement.competence.crowd_models import METHODS, Competence, annotator_competence, library_version
from agreement.report.judgements import RoundJudgements
from agreement.report.label_figures import consensus_of
from agreement.report.sections import LABELS, Section, build_sections
from annotation.codebooks.definition import FOCUS
from core.canonical_json import canonical_float
from core.csv_safety import made_safe

DIGITS = 6
"""Digits of a probability in the file of posteriors: what an iteration stops at is not more exact."""


def competence_figures(
    judgements: RoundJudgements, *, seed: int, heartbeat: Callable[[], None] = lambda: None
) -> tuple[dict[str, Any], str]:
    """Return the competence of annotators in each table as plain data, and the posteriors of units as CSV.

    A table is a type, or the labels of all questions. `heartbeat` is called after each.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_header(judgements))
    found = []
    for section in build_sections(judgements):
        if section.kind not in ("type", LABELS):
            continue
        fitted = annotator_competence(section.ratings, q=len(section.categories), seed=seed)
        found.append(_of_section(judgements, section, fitted))
        if not fitted.reason:
            writer.writerows(_units(judgements, section, fitted))
        heartbeat()
    return {
        "seed": seed,
        "library": f"crowd-kit {library_version()}".strip(),
        "sections": found,
    }, out.getvalue()


def _of_section(judgements: RoundJudgements, section: Section, fitted: Competence) -> dict[str, Any]:
    judged = (section.ratings >= 0).sum(axis=0)
    majority = consensus_of(section.ratings, len(section.categories)).label
    annotators = [
        {
            "pseudonym": name,
            "n": int(judged[at]),
            **{method: _number(fit.competence[at]) for method, fit in fitted.fits.items()},
        }
        for at, name in enumerate(judgements.raters)
        if judged[at]
    ]
    return {
        "key": section.key,
        "code": section.code,
        "name": section.name,
        "reason": fitted.reason,
        "n_units": int((section.ratings >= 0).any(axis=1).sum()),
        "n_annotators": len(annotators),
        # Units with a majority of which a method finds another answer more probable.
        "other_than_majority": {
            method: int(((majority >= 0) & (_answers(fit.posterior) != majority)).sum())
            for method, fit in fitted.fits.items()
        },
        "annotators": annotators,
    }


def _answers(posterior: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the most probable answer of each unit, -1 where nobody gave one."""
    return np.where(np.isnan(posterior[:, 0]), -1, np.nan_to_num(posterior).argmax(axis=1))


def _header(judgements: RoundJudgements) -> list[str]:
    unit = ["item", "type"] if judgements.protocol == FOCUS else ["item", "question_position"]
    shares = [f"{method}_{code}" for method in METHODS for code in judgements.categories]
    return [*unit, "votes", "majority", *shares]


def _units(judgements: RoundJudgements, section: Section, fitted: Competence) -> Iterator[list[Any]]:
    consensus = consensus_of(section.ratings, len(section.categories))
    names = judgements.items.external_ids
    for unit in np.flatnonzero(consensus.votes > 0).tolist():
        focus = judgements.protocol == FOCUS
        item = unit if focus else int(judgements.unit_item[unit])
        label = int(consensus.label[unit])
        yield [
            made_safe(names[item]),
            # Units of an item stand side by side, in the order of its questions.
            section.code if focus else unit - int(np.searchsorted(judgements.unit_item, item)) + 1,
            int(consensus.votes[unit]),
            section.categories[label] if label >= 0 else "",
            *(
                f"{probability:.{DIGITS}f}"
                for method in METHODS
                for probability in fitted.fits[method].posterior[unit].tolist()
            ),
        ]


def _number(value: float) -> float | None:
    return None if np.isnan(value) else canonical_float(float(value))
