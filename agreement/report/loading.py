"""The one bridge from stored judgements to arrays.

Rows stream from the database in batches into columns of numbers; no object a row stays.

The types are those that the round asks, and whoever was not asked one of them about an item is missing there.
Missing are: undecided units, "cannot judge", judgements made after a reopening, everything about withdrawn
items, and everything by annotators who withdrew with their judgements. A judgement whose assignment was
released later still counts. Hidden repeats are read apart.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, TypeVar

import numpy as np
from django.db.models import Count, Exists, Max, Model, OuterRef, QuerySet, Sum
from django.db.models.functions import Coalesce

from agreement.models import AgreementReport
from agreement.report.judgements import (
    CANNOT_JUDGE,
    AnnotationType,
    Columns,
    Group,
    IntArray,
    Picked,
    RoundItems,
    RoundJudgements,
    Suggested,
    natural_key,
    outcome_categories,
    picked_codes,
)
from agreement.report.span_sums import ResamplingFrame
from annotation.codebooks.definition import CQS_GEN, FOCUS
from annotation.items.clusters import field_values, read_clusters
from annotation.items.correction import CORRECTED
from annotation.models import Item, Membership, QuestionAnnotation, Round, RoundItem, TypeAnnotation

BATCH = 5_000
FIELD_VALUES = 60
"""An item field with more values than this is no grouping (a comment, an address) and is left out."""


def read_judgements(
    round: Round,
    *,
    types: Collection[str] | None = None,
    without: Collection[int] = (),
    cluster: str | None = None,
) -> RoundJudgements:
    """Read what the annotators of a round decided, as arrays.

    types: the codes of the only types whose judgements are wanted; then the fields of the items are left out.
    without: the ids of items that are read as if the round did not have them, nor annotators of them alone.
    cluster: the field of the items that says which are resampled together; see `annotation.items.clusters`.
    """
    definition = round.codebook.definition
    items = _read_items(round, fields=types is None, without=without)
    of_round = Membership.objects.filter(assignments__round=round, left_out_at__isnull=True)
    if without:
        of_round = of_round.filter(id__in=_judged_something_else(round, without))
    members = sorted(
        of_round.distinct().values_list("pseudonym", "id"),
        key=lambda member: natural_key(member[0]),
    )
    rater_of = {member_id: index for index, (_, member_id) in enumerate(members)}
    item_of = {item_id: index for index, item_id in enumerate(items.ids.tolist())}
    shared: dict[str, Any] = {
        "cluster_names": () if cluster is None else _clusters(round, items, cluster),
        "raters": tuple(name for name, _ in members),
        "rater_ids": tuple(pk for _, pk in members),
    }
    groups = tuple(
        Group(g["key"], g["name"], g.get("letter", ""), g.get("hue", ""))
        for g in definition.get("groups", [])
    )
    if round.project.protocol == FOCUS:
        asked = round.type_codes
        listed = tuple(
            AnnotationType(t["code"], t["name"], t.get("group"), t["span"])
            for t in definition.get("types", [])
            if t["code"] in asked
        )
        n = len(items)
        type_base = {kind.code: index * n for index, kind in enumerate(listed)}
        unit_item = np.tile(np.arange(n, dtype=np.int64), len(listed))
        columns = _columns(_type_rows(round, types, item_of, rater_of, type_base))
        return RoundJudgements(
            protocol=FOCUS,
            types=listed,
            groups=groups,
            categories=("no", "yes"),
            category_names=("No", "Yes"),
            reasons=(),
            reason_names=(),
            items=items,
            unit_item=unit_item,
            question_ids=np.empty(0, dtype=np.int64),
            columns=columns,
            repeats=_columns(_type_rows(round, types, item_of, rater_of, type_base, repeats=True)),
            suggested=None
            if types is not None
            else _suggested_types(round, item_of, rater_of, type_base, columns),
            **shared,
        )
    labels, reasons = definition["labels"], definition["reasons"]
    questions = _read_questions(round, item_of)
    unit_of = {question_id: index for index, (_, _, question_id) in enumerate(questions)}
    picked = picked_references(round) if round.matching else {}
    categories = [(label["code"], label["name"]) for label in labels]
    categories += outcome_categories(picked) if round.matching else []
    value_of = {code: index for index, (code, _) in enumerate(categories)}
    reason_of = {reason["code"]: index for index, reason in enumerate(reasons)}
    columns = _columns(_question_rows(round, unit_of, rater_of, value_of, reason_of, picked))
    return RoundJudgements(
        protocol=CQS_GEN,
        types=(AnnotationType("", "All questions", None, span=False),),
        groups=(),
        categories=tuple(code for code, _ in categories),
        category_names=tuple(name for _, name in categories),
        reasons=tuple(reason["code"] for reason in reasons),
        reason_names=tuple(reason["name"] for reason in reasons),
        items=items,
        unit_item=np.array([item for item, _, _ in questions], dtype=np.int64),
        question_ids=np.array([question_id for _, _, question_id in questions], dtype=np.int64),
        columns=columns,
        repeats=_columns(_question_rows(round, unit_of, rater_of, value_of, reason_of, picked, repeats=True)),
        suggested=_suggested_labels(round, unit_of, rater_of, value_of, columns),
        **shared,
    )


def _judged_something_else(round: Round, without: Collection[int]) -> set[int]:
    """Return who judged an item of the round besides these."""
    model = TypeAnnotation if round.project.protocol == FOCUS else QuestionAnnotation
    answer = "applicable" if round.project.protocol == FOCUS else "label"
    rows = model.objects.filter(assignment__round=round).exclude(**{answer: None}, cannot_judge=False)
    judged = rows.order_by().values_list("assignment__member_id", "assignment__item_id").distinct()
    return {member for member, item in judged.iterator(chunk_size=BATCH) if item not in without}


def judgements_of(report: AgreementReport, *, types: Collection[str] | None = None) -> RoundJudgements:
    """Read the judgements of a report's round, resampled as the report is."""
    return read_judgements(report.round, types=types, cluster=report.parameters.get("cluster"))


def judgements_digest(round: Round, *, cluster: str | None = None) -> str:
    """Return the SHA-256 of a round's judgements, the same on every database."""
    return read_judgements(round, cluster=cluster).digest()


def check_clusters(round: Round, field: str) -> None:
    """Raise ClusterRefused where a field of the items does not say which are resampled together."""
    _clusters(round, _read_items(round, fields=False), field)


def _clusters(round: Round, items: RoundItems, field: str) -> tuple[str, ...]:
    return read_clusters(round, items.ids.tolist(), items.external_ids, field)


def judgements_stamp(round: Round) -> str:
    """Return a cheap sign of change, from what is counted of each annotator (`annotation.database.counters`).

    Each change of a judgement raises its revision, and each withdrawal of an item, or of an annotator with
    their judgements, sets a time: so the same stamp means the same judgements. The reverse does not hold: a
    decision undone and taken again has another stamp.
    """
    judged = round.progress.aggregate(
        rows=Coalesce(Sum("judgements"), 0), revisions=Sum("revisions"), late=Coalesce(Sum("late"), 0)
    )
    # From the few that are withdrawn: the other way round every item of the round would be looked at.
    drawn = RoundItem.objects.filter(round=round, item=OuterRef("pk"))
    withdrawn = round.project.items.filter(Exists(drawn), withdrawn_at__isnull=False).aggregate(
        items=Count("id"), last=Max("withdrawn_at")
    )
    left_out = round.progress.filter(member__left_out_at__isnull=False).aggregate(
        members=Count("id"), last=Max("member__left_out_at")
    )
    last = withdrawn["last"].isoformat() if withdrawn["last"] else "-"
    stamp = f"{judged['rows']}.{judged['revisions'] or 0}.{judged['late']}.{withdrawn['items']}.{last}"
    # Only where somebody left, or items were corrected: the stamps of all other rounds stay what they were.
    if left_out["members"]:
        stamp = f"{stamp}.{left_out['members']}.{left_out['last'].isoformat()}"
    corrected = round.project.events.filter(action=CORRECTED).aggregate(last=Max("id"))["last"]
    return f"{stamp}.c{corrected}" if corrected else stamp


def changed_items(round: Round, since: datetime | None) -> int:
    """Return of how many items of a round a judgement was made, changed or undone since then."""
    model = TypeAnnotation if round.project.protocol == FOCUS else QuestionAnnotation
    rows = model.objects.filter(assignment__round=round)
    if since is not None:
        rows = rows.filter(decided_at__gt=since)
    found: int = rows.aggregate(items=Count("assignment__item_id", distinct=True))["items"]
    return found


def read_texts(item_ids: Iterable[int], batch: int = 500) -> Iterator[tuple[int, str]]:
    """Yield (item id, text) in the order of the ids, a batch of texts in memory at a time."""
    ids = [int(item_id) for item_id in item_ids]
    for first in range(0, len(ids), batch):
        part = ids[first : first + batch]
        texts = dict(Item.objects.filter(id__in=part).values_list("id", "text"))
        for item_id in part:
            yield item_id, texts[item_id]


def read_frame(round: Round, items: RoundItems) -> ResamplingFrame:
    """Return what `span_frame` returns, from the database: for a part that does not read all judgements."""
    rows = counted_rows(TypeAnnotation.objects.all(), round).filter(
        assignment__item__withdrawn_at__isnull=True
    )
    judged, marked = (
        np.array(list(found.values_list("assignment__item_id", flat=True).distinct()), dtype=np.int64)
        for found in (rows.filter(applicable__isnull=False), rows.filter(start__isnull=False))
    )
    return ResamplingFrame(*(np.flatnonzero(np.isin(items.ids, found)) for found in (marked, judged)))


def _read_items(round: Round, *, fields: bool, without: Collection[int] = ()) -> RoundItems:
    drawn = round.round_items.filter(item__withdrawn_at__isnull=True).order_by()
    rows = drawn.values_list("item__external_id", "item_id", "item__topic", "item__source")
    known = sorted(row for row in rows.iterator(chunk_size=BATCH) if row[1] not in without)
    ids = np.array([item_id for _, item_id, _, _ in known], dtype=np.int64)
    of_items = _Fields(len(known))
    if fields:
        for position, (_, _, topic, source) in enumerate(known):
            of_items.add(position, {"topic": topic, "source": source})
        position_of = {item_id: position for position, item_id in enumerate(ids.tolist())}
        # To read the JSON of a row takes as long as the row.
        beside = drawn.exclude(item__metadata={}).values_list("item_id", "item__metadata")
        for item_id, metadata in beside.iterator(chunk_size=BATCH):
            if item_id not in position_of:
                continue
            own = {name: value for name, value in metadata.items() if name not in ("topic", "source")}
            of_items.add(position_of[item_id], own)
    return RoundItems(
        ids=ids, external_ids=tuple(external_id for external_id, *_ in known), fields=of_items.found
    )


class _Fields:
    """What the items say in each field, as far as it is a grouping; `found` has a list of values an item."""

    def __init__(self, n_items: int) -> None:
        self.found: dict[str, list[tuple[str, ...]]] = {}
        self._n_items = n_items
        self._distinct: dict[str, set[str]] = {}

    def add(self, position: int, fields: Mapping[str, Any]) -> None:
        for name, value in fields.items():
            seen = self._distinct.setdefault(name, set())
            values = field_values(value) if len(seen) <= FIELD_VALUES else ()
            seen.update(values)
            if len(seen) > FIELD_VALUES:
                self.found.pop(name, None)
            elif values:
                if name not in self.found:
                    self.found[name] = [()] * self._n_items
                self.found[name][position] = values


def _read_questions(round: Round, item_of: dict[int, int]) -> list[tuple[int, int, int]]:
    """Return (item index, position, question id) of the round's questions, sorted."""
    rows = round.round_questions.values_list("question__item_id", "question__position", "question_id")
    return sorted(
        (item_of[item_id], position, question_id)
        for item_id, position, question_id in rows.iterator(chunk_size=BATCH)
        if item_id in item_of
    )


def picked_references(round: Round) -> Picked:
    """Return what each picked reference of a matching round is called, by question and place."""
    rows = [
        counted_rows(QuestionAnnotation.objects.filter(reference__isnull=False), round, repeats=repeats)
        for repeats in (False, True)
    ]
    votes, again = (list(found.values_list("question_id", "reference__place")) for found in rows)
    return picked_codes(votes, again)


Counted = TypeVar("Counted", bound=Model)


def counted_rows(rows: QuerySet[Counted], round: Round, *, repeats: bool = False) -> QuerySet[Counted]:
    """Return those of the judgements that count in figures, undecided and "cannot judge" included.

    repeats: instead the hidden repeats, which count in agreement with oneself alone.
    """
    return rows.filter(
        assignment__round=round,
        assignment__repeat=repeats,
        assignment__member__left_out_at__isnull=True,
        after_reopening=False,
    ).order_by()


def _type_rows(
    round: Round,
    types: Collection[str] | None,
    item_of: dict[int, int],
    rater_of: dict[int, int],
    type_base: dict[str, int],
    *,
    repeats: bool = False,
) -> Iterator[tuple[int, ...]]:
    wanted = (
        TypeAnnotation.objects.all() if types is None else TypeAnnotation.objects.filter(type_code__in=types)
    )
    rows = counted_rows(wanted, round, repeats=repeats).exclude(applicable__isnull=True, cannot_judge=False)
    for item_id, member_id, code, applicable, start, end, seconds in rows.values_list(
        "assignment__item_id",
        "assignment__member_id",
        "type_code",
        "applicable",
        "start",
        "end",
        "active_seconds",
    ).iterator(chunk_size=BATCH):
        if item_id in item_of:
            value = CANNOT_JUDGE if applicable is None else int(applicable)
            first, last = (-1, -1) if start is None or end is None else (start, end)
            place = type_base[code] + item_of[item_id]
            yield place, rater_of[member_id], value, first, last, -1, _known(seconds)


def _question_rows(
    round: Round,
    unit_of: dict[int, int],
    rater_of: dict[int, int],
    value_of: dict[str, int],
    reason_of: dict[str, int],
    picked: Picked,
    *,
    repeats: bool = False,
) -> Iterator[tuple[int, ...]]:
    rows = counted_rows(QuestionAnnotation.objects.all(), round, repeats=repeats).exclude(
        label__isnull=True, cannot_judge=False
    )
    for question_id, member_id, label, reason, seconds, place in rows.values_list(
        "question_id", "assignment__member_id", "label", "reason", "active_seconds", "reference__place"
    ).iterator(chunk_size=BATCH):
        if question_id in unit_of:
            code = label if place is None else picked[question_id][place]
            value = CANNOT_JUDGE if code is None else value_of[code]
            yield (
                unit_of[question_id],
                rater_of[member_id],
                value,
                -1,
                -1,
                reason_of.get(reason, -1),
                _known(seconds),
            )


def _suggested_types(
    round: Round,
    item_of: dict[int, int],
    rater_of: dict[int, int],
    type_base: dict[str, int],
    columns: Columns,
) -> Suggested | None:
    if not round.suggestions:
        return None
    rows = round.suggested.filter(type_code__in=list(type_base))
    units = (
        (type_base[code] + item_of[item], int(bool(applicable)), shown)
        for item, code, applicable, shown in rows.values_list("item_id", "type_code", "applicable", "shown")
        if item in item_of
    )
    seen = counted_rows(TypeAnnotation.objects.filter(suggestion__isnull=False), round)
    judged = (
        (type_base[code] + item_of[item], rater_of[member], taken)
        for item, code, member, taken in seen.values_list(
            "assignment__item_id", "type_code", "assignment__member_id", "suggestion_taken"
        ).iterator(chunk_size=BATCH)
        if item in item_of
    )
    return _suggested(round, units, judged, columns, len(type_base) * len(item_of), len(rater_of))


def _suggested_labels(
    round: Round,
    unit_of: dict[int, int],
    rater_of: dict[int, int],
    value_of: dict[str, int],
    columns: Columns,
) -> Suggested | None:
    if not round.suggestions:
        return None
    units = (
        (unit_of[question], value_of[label], shown)
        for question, label, shown in round.suggested.values_list("question_id", "label", "shown")
        if question in unit_of
    )
    seen = counted_rows(QuestionAnnotation.objects.filter(suggestion__isnull=False), round)
    judged = (
        (unit_of[question], rater_of[member], taken)
        for question, member, taken in seen.values_list(
            "question_id", "assignment__member_id", "suggestion_taken"
        ).iterator(chunk_size=BATCH)
        if question in unit_of
    )
    return _suggested(round, units, judged, columns, len(unit_of), len(rater_of))


def _suggested(
    round: Round,
    units: Iterable[tuple[int, int, bool]],
    judged: Iterable[tuple[int, int, bool]],
    columns: Columns,
    n_units: int,
    n_raters: int,
) -> Suggested:
    """Gather what a round suggests; `judged` are the judgements (unit, rater, taken) that had it in sight."""
    code, shown = np.full(n_units, -1, dtype=np.int64), np.zeros(n_units, dtype=np.bool_)
    for unit, value, is_shown in units:
        code[unit], shown[unit] = value, is_shown
    seen = {unit * n_raters + rater: taken for unit, rater, taken in judged}
    mine = columns.unit * n_raters + columns.rater
    taken = [key for key, is_taken in seen.items() if is_taken]
    return Suggested(
        shown_to=round.suggestions,
        model=round.suggestion_model,
        code=code,
        shown=shown,
        visible=np.isin(mine, np.array(list(seen), dtype=np.int64)),
        taken=np.isin(mine, np.array(taken, dtype=np.int64)),
    )


def _known(seconds: int | None) -> int:
    # In arrays alone, so that digests stay; medians leave it out.
    return seconds or 0


def _columns(rows: Iterable[tuple[int, ...]]) -> Columns:
    """Gather rows into sorted columns, a batch of Python rows at a time."""
    names = list(Columns.__dataclass_fields__)
    parts: list[IntArray] = []
    batch: list[tuple[int, ...]] = []
    for row in rows:
        batch.append(row)
        if len(batch) == BATCH:
            parts.append(np.array(batch, dtype=np.int64))
            batch = []
    parts.append(np.array(batch, dtype=np.int64).reshape(-1, len(names)))
    whole = np.concatenate(parts)
    whole = whole[np.lexsort((whole[:, 1], whole[:, 0]))]
    return Columns(**{name: np.ascontiguousarray(whole[:, place]) for place, name in enumerate(names)})
