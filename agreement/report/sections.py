"""The tables that a report has figures of: each type, each group, all types; or the three of CQs-Gen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agreement.report.judgements import RoundJudgements
from annotation.codebooks.definition import FOCUS

ALL = "all"
LABELS, USEFUL, REASONS = "labels", "useful", "reasons"
MATCHED, OF_NONE = "matched", "labels_of_none"
INVALID = "IN"


@dataclass(frozen=True, slots=True)
class Section:
    """One table of answers and how to call it.

    types: indices of the types in it; ratings (units, annotators); clusters (units,): which units are
    resampled together, those of an item or more, None where each is drawn by itself; item_clusters (items,):
    which items, None where items are drawn; positive: the category that prevalence and bias speak of.
    """

    key: str
    kind: str
    code: str
    name: str
    group: str | None
    types: tuple[int, ...]
    categories: tuple[str, ...]
    ratings: NDArray[np.integer]
    clusters: NDArray[np.int64] | None
    positive: int
    item_clusters: NDArray[np.int64] | None = None

    @property
    def strata(self) -> NDArray[np.integer] | None:
        """The ratings as (items, types, annotators) where they are of several types, else None."""
        n = len(self.types)
        if n < 2:
            return None
        n_raters = self.ratings.shape[1]
        return self.ratings.reshape(n, len(self.ratings) // n, n_raters).transpose(1, 0, 2)


def build_sections(judgements: RoundJudgements) -> list[Section]:
    """Return the sections of a round's report, in the order of the codebook, what pools others last."""
    return _type_sections(judgements) if judgements.protocol == FOCUS else _of_questions(judgements)


def type_section(judgements: RoundJudgements, index: int) -> Section:
    """Return the section of one type (FOCUS)."""
    kind = judgements.types[index]
    return _of_types(judgements, f"type:{kind.code}", "type", kind.code, kind.name, kind.group, (index,))


def _type_sections(judgements: RoundJudgements) -> list[Section]:
    types = judgements.types
    found = [type_section(judgements, index) for index in range(len(types))]
    for group in judgements.groups:
        members = tuple(index for index, kind in enumerate(types) if kind.group == group.key)
        if len(members) > 1:
            found.append(
                _of_types(
                    judgements, f"group:{group.key}", "group", group.key, group.name, group.key, members
                )
            )
    everything = tuple(range(len(types)))
    return [*found, _of_types(judgements, ALL, ALL, ALL, "All types", None, everything)]


def _of_types(
    judgements: RoundJudgements,
    key: str,
    kind: str,
    code: str,
    name: str,
    group: str | None,
    types: tuple[int, ...],
) -> Section:
    """Stack the units of the types; an item with all its types is one cluster."""
    return Section(
        key=key,
        kind=kind,
        code=code,
        name=name,
        group=group,
        types=types,
        categories=judgements.categories,
        ratings=np.concatenate([judgements.ratings(index) for index in types]),
        clusters=_unit_clusters(judgements, len(types)),
        positive=1,
        item_clusters=judgements.clusters,
    )


def _unit_clusters(judgements: RoundJudgements, n_types: int) -> NDArray[np.int64] | None:
    clusters = judgements.clusters
    if clusters is None and n_types == 1:
        return None
    return np.tile(np.arange(len(judgements.items)) if clusters is None else clusters, n_types)


def _of_questions(judgements: RoundJudgements) -> list[Section]:
    if judgements.matching:
        return _of_matching(judgements)
    own = judgements.clusters
    clusters = judgements.unit_item if own is None else own[judgements.unit_item]
    labels, names = judgements.label_ratings(), judgements.categories
    useful = np.where(labels < 0, -1, (labels == names.index("USE")).astype(np.int64))
    return [
        Section(key, key, key, name, None, (0,), categories, ratings, clusters, positive, own)
        for key, name, categories, ratings, positive in (
            (LABELS, "Three labels", names, labels, 0),
            (USEFUL, "Useful against not", ("not", "USE"), useful, 1),
            (REASONS, "Reasons where both said Invalid", judgements.reasons, reason_ratings(judgements), 0),
        )
    ]


def _of_matching(judgements: RoundJudgements) -> list[Section]:
    """Return the sections of a matching round: its outcome, then its steps one by one."""
    outcomes, names = judgements.label_ratings(), judgements.categories
    n_labels = names.index("REF")
    matched = np.where(outcomes < 0, -1, (outcomes >= n_labels).astype(np.int64))
    of_none = np.where(outcomes < n_labels, outcomes, -1)
    return [
        Section(key, key, key, name, None, (0,), categories, ratings, judgements.unit_item, positive)
        for key, name, categories, ratings, positive in (
            (LABELS, "The reference picked, or the label", names, outcomes, n_labels),
            (MATCHED, "A reference against none", ("none", "REF"), matched, 1),
            (OF_NONE, "Labels where both said none", names[:n_labels], of_none, 0),
            (REASONS, "Reasons where both said Invalid", judgements.reasons, reason_ratings(judgements), 0),
        )
    ]


def reason_ratings(judgements: RoundJudgements) -> NDArray[np.int64]:
    """Return the table of reasons (questions, annotators) where two or more said Invalid, -1 elsewhere."""
    columns = judgements.columns
    ratings = np.full((len(judgements.unit_item), len(judgements.raters)), -1, dtype=np.int64)
    invalid = columns.value == judgements.categories.index(INVALID)
    ratings[columns.unit[invalid], columns.rater[invalid]] = columns.reason[invalid]
    ratings[(ratings >= 0).sum(axis=1) < 2] = -1
    return ratings
