"""How far each annotator agrees with what leads decided, computed when it is shown.

Decisions go on after a round is closed and its report computed, and the same judgements give the same
report: so this is no figure of a report.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import Count, Max, Q

from agreement.adjudication.answers import UnitKey, picked, read_answers
from agreement.models import AgreementReport
from agreement.report.judgements import MATCHED, MISSING, IntArray, code_of_rank
from agreement.report.label_figures import seed_of
from agreement.report.loading import judgements_stamp
from agreement.statistics.raters import KeyFigures, key_figures
from annotation.codebooks.definition import FOCUS
from annotation.models import Resolution, Round
from core.cache import cached

BATCH = 500
STREAM = "resolution"


@dataclass(frozen=True, slots=True)
class ResolvedUnits:
    """The decided units of a round that somebody judged, in the order of their ids.

    ratings (units, annotators) and key (units,) are codes of the answers, MISSING where there is none; items
    (units,) says which units belong together, types (units,) the type of each ("" of a question).
    """

    ratings: IntArray
    key: IntArray
    items: IntArray
    types: tuple[str, ...]


def read_resolved(round: Round, *, categories: Sequence[str], annotators: Sequence[str]) -> ResolvedUnits:
    """Read the current decisions of leads about a round's units, and what its annotators had answered.

    Published labels that came with an import are no decisions. Withdrawn items are left out, as in figures.
    """
    decided = _decisions(round)
    code_of = {code: place for place, code in enumerate(categories)}
    column_of = {name: place for place, name in enumerate(annotators)}
    rows, key, items, types = [], [], [], []
    ordered = sorted(decided, key=_in_order)
    for first in range(0, len(ordered), BATCH):
        part = ordered[first : first + BATCH]
        answers = read_answers(round, part)
        for unit in part:
            given = [MISSING] * len(annotators)
            for answer in answers.get(unit, []):
                if answer.pseudonym in column_of:
                    said = _beside(answer.answer, decided[unit])
                    given[column_of[answer.pseudonym]] = code_of.get(said, MISSING)
            if any(code != MISSING for code in given):
                rows.append(given)
                key.append(code_of[_beside(decided[unit], decided[unit])])
                items.append(unit[0])
                types.append(unit[1])
    return ResolvedUnits(
        ratings=np.array(rows, dtype=np.int64).reshape(-1, len(annotators)),
        key=np.array(key, dtype=np.int64),
        items=np.array(items, dtype=np.int64),
        types=tuple(types),
    )


def _decisions(round: Round) -> dict[UnitKey, str]:
    found = Resolution.objects.filter(
        item__in=round.items.filter(withdrawn_at__isnull=True),
        superseded_at__isnull=True,
        source=Resolution.Source.ADJUDICATED,
    )
    if round.project.protocol == FOCUS:
        rows = found.filter(question__isnull=True).values_list("item_id", "type_code", "applicable")
        return {(item, code, None): "yes" if applicable else "no" for item, code, applicable in rows}
    found = found.filter(question__isnull=False)
    labels = found.values_list("item_id", "question_id", "label", "reference__place")
    return {
        (item, "", question): label if place is None else picked(place)
        for item, question, label, place in labels
    }


def _beside(answer: str, decided: str) -> str:
    """Return the category of an answer: of two picked references the decided one, or another one."""
    if not answer.startswith(f"{MATCHED}:"):
        return answer
    return MATCHED if answer == decided or not decided.startswith(f"{MATCHED}:") else code_of_rank(2)


def _in_order(unit: UnitKey) -> tuple[int, str, int]:
    return unit[0], unit[1], unit[2] or 0


def agreement_with_decisions(report: AgreementReport) -> dict[str, dict[str, Any]]:
    """Return {pseudonym: {"n", "agreement", "kappa"}}: each annotator against the leads' decisions.

    n counts the decided units the annotator judged; agreement is the share of equal answers (yes and no, or
    the label: spans and reasons apart), kappa Cohen's, of the types together each against its own chance;
    both have intervals over items by the report's replicates and seed. Empty where nothing is decided and
    for a live report, which shows no annotator.
    """
    # A decision is never changed: another one supersedes it.
    decisions = Resolution.objects.filter(codebook__project=report.round.project).aggregate(
        last=Max("id"), current=Count("id", filter=Q(superseded_at__isnull=True))
    )
    name = f"resolved-strata:{report.pk}:{report.digest}:{judgements_stamp(report.round)}"
    return cached(f"{name}:{decisions['last']}:{decisions['current']}", lambda: _figures(report))


def _figures(report: AgreementReport) -> dict[str, dict[str, Any]]:
    names = [person["pseudonym"] for person in report.figures["annotators"]]
    categories = [entry["code"] for entry in report.figures["categories"]]
    units = read_resolved(report.round, categories=categories, annotators=names) if names else None
    if units is None or not len(units.key):
        return {}
    return {
        name: _entry(
            key_figures(
                units.ratings[:, column],
                units.key,
                q=len(categories),
                seed=[*seed_of(report.parameters["seed"], STREAM), column],
                replicates=report.parameters["replicates"],
                clusters=units.items,
                strata=units.types if len(set(units.types)) > 1 else None,
            )
        )
        for column, name in enumerate(names)
    }


def _entry(figures: KeyFigures) -> dict[str, Any]:
    return {
        "n": figures.n,
        "agreement": figures.agreement.to_json(),
        "kappa": figures.kappa.to_json(),
    }
