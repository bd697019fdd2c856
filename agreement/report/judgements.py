"""The judgements of a round as arrays: columns of numbers, rating tables, and their digest. Pure.

Everything stands in an order that depends on the content alone (items by external id, annotators by
pseudonym, types as the codebook lists them), so that the same judgements give the same figures on every
database.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

YES, NO, MISSING = 1, 0, -1
CANNOT_JUDGE = -2
"""Only in the column of values; the rating tables say MISSING."""

IntArray = NDArray[np.int64]
SmallArray = NDArray[np.int8]

MATCHED = "REF"

Picked = dict[int, dict[int, str]]
"""The code of each reference that somebody picked in a matching round: by question, then by its place."""

_NUMBERS = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True)
class AnnotationType:
    """A type of the codebook, or the one question that all CQs-Gen units ask."""

    code: str
    name: str
    group: str | None
    span: bool


@dataclass(frozen=True, slots=True)
class Group:
    """A family of types."""

    key: str
    name: str
    letter: str
    hue: str


@dataclass(frozen=True, slots=True)
class RoundItems:
    """The items of a round that are not withdrawn, ordered by external id.

    ids (n,); fields: for each item field what its values are, {"topic": [(...), ...]} with one tuple of texts
    an item, since a metadata field may hold several (the fallacies of LogicClimate). Fields with many
    distinct values are no grouping and are left out.
    """

    ids: IntArray
    external_ids: tuple[str, ...]
    fields: dict[str, list[tuple[str, ...]]]

    def __len__(self) -> int:
        return len(self.external_ids)


@dataclass(frozen=True, slots=True)
class Columns:
    """Judgements in long form, one number a judgement in each column, sorted by unit, then annotator.

    unit (n,): index into the units; rater (n,): index into the annotators; value (n,): code of the answer or
    CANNOT_JUDGE; start, end (n,): code points, -1 without a span; reason (n,): index into the codebook's
    reasons, -1 without; seconds (n,): active time, 0 where unknown.
    """

    unit: IntArray
    rater: IntArray
    value: IntArray
    start: IntArray
    end: IntArray
    reason: IntArray
    seconds: IntArray

    def __len__(self) -> int:
        return len(self.unit)

    def of(self, wanted: NDArray[np.bool_]) -> Columns:
        """Return the judgements that are wanted, (n,)."""
        return Columns(**{name: getattr(self, name)[wanted] for name in Columns.__dataclass_fields__})


def no_columns() -> Columns:
    """Return the columns of no judgement."""
    return Columns(**dict.fromkeys(Columns.__dataclass_fields__, np.empty(0, dtype=np.int64)))


@dataclass(frozen=True, slots=True)
class Suggested:
    """What a round suggests.

    shown_to: `half` or `all`; code (units,): the suggested answer as a code of the categories, -1 where there
    is none; shown (units,): whether annotators meet it; visible, taken (n,): of each judgement, in the order
    of the columns, whether it was in sight before the first input and whether the answer is it, taken.
    """

    shown_to: str
    model: str
    code: IntArray
    shown: NDArray[np.bool_]
    visible: NDArray[np.bool_]
    taken: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class RoundJudgements:
    """All judgements of a round that may enter figures.

    FOCUS: unit = kind index * number of items + item index, categories ("no", "yes").
    CQs-Gen: one kind; unit = index of the question, categories the label codes as the codebook lists them.
    unit_item (units,): the item of each unit; question_ids (units,) are empty for FOCUS; repeats: what
    annotators said when they met a unit again, for agreement with oneself and nothing else; cluster_names
    (items,): what each item is resampled with, such as its source, empty where items are resampled; suggested
    is there in a round with suggestions, where all types are read.
    """

    protocol: str
    types: tuple[AnnotationType, ...]
    groups: tuple[Group, ...]
    categories: tuple[str, ...]
    category_names: tuple[str, ...]
    reasons: tuple[str, ...]
    reason_names: tuple[str, ...]
    items: RoundItems
    raters: tuple[str, ...]
    rater_ids: tuple[int, ...]
    unit_item: IntArray
    question_ids: IntArray
    columns: Columns
    repeats: Columns = field(default_factory=no_columns)
    cluster_names: tuple[str, ...] = ()
    suggested: Suggested | None = None

    @property
    def clusters(self) -> IntArray | None:
        """The cluster of each item (items,), what is resampled; None where items are resampled."""
        if not self.cluster_names:
            return None
        return np.unique(np.array(self.cluster_names), return_inverse=True)[1].ravel().astype(np.int64)

    @property
    def matching(self) -> bool:
        """Whether references could be picked: the categories after the labels are those of references."""
        return MATCHED in self.categories

    @property
    def n_judgements(self) -> int:
        return int((self.columns.value >= 0).sum())

    def of_type(self, index: int) -> Columns:
        """Return the judgements of one type, with units renumbered to item indices (FOCUS)."""
        n = len(self.items)
        low, high = np.searchsorted(self.columns.unit, [index * n, (index + 1) * n])
        part = {name: getattr(self.columns, name)[low:high] for name in Columns.__dataclass_fields__}
        return Columns(**{**part, "unit": part["unit"] - index * n})

    def of_types(self, codes: Collection[str]) -> RoundJudgements:
        """Return the judgements of these types alone, in the order they have here (FOCUS)."""
        kept = [index for index, kind in enumerate(self.types) if kind.code in codes]
        n = max(len(self.items), 1)
        place = np.full(len(self.types), -1, dtype=np.int64)
        place[kept] = np.arange(len(kept))

        def of(columns: Columns) -> Columns:
            part = columns.of(place[columns.unit // n] >= 0)
            return replace(part, unit=place[part.unit // n] * n + part.unit % n)

        return replace(
            self,
            types=tuple(self.types[index] for index in kept),
            unit_item=np.tile(np.arange(len(self.items), dtype=np.int64), len(kept)),
            columns=of(self.columns),
            repeats=of(self.repeats),
            suggested=None,
        )

    def ratings(self, index: int) -> SmallArray:
        """Return the rating table of one type: (items, annotators), 1 yes, 0 no, -1 missing."""
        return table(self.of_type(index), len(self.items), len(self.raters))

    def label_ratings(self) -> SmallArray:
        """Return the rating table of all questions: (questions, annotators), codes of the labels."""
        return table(self.columns, len(self.unit_item), len(self.raters))

    def digest(self) -> str:
        """Return the SHA-256 of everything here that a figure can depend on."""
        head = {
            "protocol": self.protocol,
            "kinds": [[kind.code, kind.name, kind.group, kind.span] for kind in self.types],
            "groups": [[group.key, group.name] for group in self.groups],
            "categories": [self.categories, self.category_names],
            "reasons": [self.reasons, self.reason_names],
            "raters": self.raters,
            **({"clusters": self.cluster_names} if self.cluster_names else {}),
        }
        digest = hashlib.sha256(_canonical(head))
        for position, external_id in enumerate(self.items.external_ids):
            fields = {name: values[position] for name, values in sorted(self.items.fields.items())}
            digest.update(_canonical([external_id, fields]))
        digest.update(self.unit_item.astype("<i8").tobytes())
        for columns in (self.columns, self.repeats):
            for name in Columns.__dataclass_fields__:
                digest.update(getattr(columns, name).astype("<i8").tobytes())
        if self.suggested is not None:
            digest.update(_canonical([self.suggested.shown_to, self.suggested.model]))
            for name in ("code", "shown", "visible", "taken"):
                digest.update(getattr(self.suggested, name).astype("<i8").tobytes())
        return digest.hexdigest()


def table(columns: Columns, n_units: int, n_raters: int) -> SmallArray:
    """Return the (units, raters) table of codes with MISSING where there is no answer."""
    ratings = np.full((n_units, n_raters), MISSING, dtype=np.int8)
    ratings[columns.unit, columns.rater] = np.maximum(columns.value, MISSING)
    return ratings


def natural_key(text: str) -> list[tuple[int, str | int]]:
    """Return a sort key that puts A2 before A10."""
    return [(0, int(part)) if part.isdecimal() else (1, part) for part in _NUMBERS.split(text) if part]


def picked_codes(votes: Iterable[tuple[int, int]], again: Iterable[tuple[int, int]] = ()) -> Picked:
    """Return the codes of picked references, from (question, place) of each pick.

    References differ from text to text, so that they are compared within a question alone: the one that most
    annotators picked is "REF", the next one "REF2" and so on, ties in the order of the release's file. Two
    answers are equal exactly where the same reference was picked or the same label given.
    again: picks in hidden repeats, which decide nothing: a reference picked in these alone comes last.

    >>> picked_codes([(7, 3), (7, 0), (7, 3)], [(7, 1)])
    {7: {3: 'REF', 0: 'REF2', 1: 'REF3'}}
    """
    counts: dict[int, Counter[int]] = {}
    for question, place in votes:
        counts.setdefault(question, Counter())[place] += 1
    for question, place in again:
        counts.setdefault(question, Counter())[place] += 0
    return {
        question: {
            place: code_of_rank(rank)
            for rank, (place, _) in enumerate(
                sorted(found.items(), key=lambda pick: (-pick[1], pick[0])), start=1
            )
        }
        for question, found in counts.items()
    }


def code_of_rank(rank: int) -> str:
    """Return the code of the reference of this rank among those picked for a question, from 1."""
    return MATCHED if rank == 1 else f"{MATCHED}{rank}"


def outcome_categories(picked: Picked) -> Sequence[tuple[str, str]]:
    """Return codes and names of the categories beside the labels: at least two, as most rounds have."""
    most = max((len(found) for found in picked.values()), default=0)
    names = ["A reference", "Another reference"]
    return [
        (code_of_rank(rank), names[rank - 1] if rank <= len(names) else f"Another reference ({rank})")
        for rank in range(1, max(most, len(names)) + 1)
    ]


def _canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
