"""The judgements of closed rounds as they were made, streamed to a lead without a release.

One row a judgement, by pseudonym, in the columns of a release's `judgements.csv`; where a round had
suggestions some more say what was suggested, whether it was visible, and whether it was taken. What a release
leaves out is left out here too: withdrawn items, annotators who left the study, hidden repeats, undone
answers, and whatever is in rounds that are not closed. A round's key is no judgement, and in no row.

See docs/decisions/releases.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, Literal, get_args

from django.db.models import OuterRef, QuerySet, Subquery
from django.utils.translation import gettext

from agreement.report.judgements import natural_key
from annotation.access import judging_now
from annotation.models import (
    Import,
    Membership,
    Project,
    Protocol,
    QuestionAnnotation,
    Round,
    RoundItem,
    TypeAnnotation,
)
from core.errors import NotFound, Refused
from exports.formats.longform import csv_block, csv_line, raw_columns, suggestion_columns

Format = Literal["csv", "jsonl"]
FORMATS: tuple[Format, ...] = get_args(Format)

BLOCK = 2_000
"""Rows in memory, and in one piece of the download."""

_SEEN = ("suggestion_id", "suggestion_taken")
_SHARED = ("cannot_judge", "unsure", "incomplete", "active_seconds", "decided_at", "after_reopening")


def judgements_export(
    *, project: Project, format: Format = "csv", number: int | None = None, by: Membership | None = None
) -> Iterator[bytes]:
    """Return the judgements of a closed round, or of all but training and matching rounds, in pieces.

    `by` is the lead who asks; who runs the installation asks as nobody. Raises NotFound for a round that is
    not there, Refused for one that is not closed or that asks of systems' questions, where no round is
    closed, and where the lead judges one of the texts now.
    """
    rounds = _chosen(project, number)
    if by is not None:
        _refuse_while_judging(rounds, by)
    return _pieces(project, rounds, format)


def rounds_exported(project: Project) -> QuerySet[Round]:
    """Return the rounds whose judgements come where no round is named."""
    rounds = project.rounds.select_related("codebook").order_by("number")
    closed = rounds.filter(status=Round.Status.CLOSED, matching=False)
    return closed.exclude(purpose=Round.Purpose.TRAINING)


def _chosen(project: Project, number: int | None) -> list[Round]:
    if number is None:
        found = list(rounds_exported(project))
        if not found:
            raise Refused(
                "not_ready",
                gettext("No round of this project is closed yet: judgements can be read once one is."),
            )
        return found
    one = project.rounds.select_related("codebook").filter(number=number).first()
    if one is None:
        raise NotFound(gettext("There is no round %(number)s in this project.") % {"number": number})
    if one.matching:
        raise Refused(
            "not_ready",
            gettext("%(name)s asks about systems’ questions: its answers are on the pages of the systems.")
            % {"name": one.name},
        )
    _refuse_not_closed(one)
    return [one]


def _refuse_not_closed(round: Round) -> None:
    if round.status != Round.Status.CLOSED:
        raise Refused(
            "not_ready",
            gettext("%(name)s is not closed: its judgements can be read once it is.") % {"name": round.name},
        )


def _refuse_while_judging(rounds: Sequence[Round], member: Membership) -> None:
    drawn = RoundItem.objects.filter(round__in=rounds)
    found = judging_now(member).filter(item__in=drawn.values("item")).select_related("round").first()
    if found is not None:
        raise Refused(
            "not_ready",
            gettext(
                "You judge texts of these rounds in %(name)s, which is open: until it is closed you cannot "
                "download their judgements. Another lead can."
            )
            % {"name": found.round.name},
        )


def _pieces(project: Project, rounds: Sequence[Round], format: Format) -> Iterator[bytes]:
    typology = project.protocol == Protocol.FOCUS
    suggested = suggestion_columns(typology=typology) if any(round.suggestions for round in rounds) else ()
    columns = raw_columns(typology=typology) + suggested
    names, kinds = zip(*columns, strict=True)
    if format == "csv":
        yield csv_line(names).encode()
    for round in rounds:
        # A round that was reopened since has judgements that nobody may read: the download breaks off.
        round.refresh_from_db(fields=["status"])
        _refuse_not_closed(round)
        rows = _rows(project, round, more=len(suggested))
        while block := list(islice(rows, BLOCK)):
            if format == "csv":
                yield csv_block(kinds, list(zip(*block, strict=True))).encode()
            else:
                lines = (json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) for row in block)
                yield ("\n".join(lines) + "\n").encode()


def _rows(project: Project, round: Round, *, more: int) -> Iterator[tuple[Any, ...]]:
    """Yield the judgements of a round in the order of items, units and annotators: one consistent read.

    more: the number of cells about suggestions; those of a round without any are empty.
    """
    members = dict(project.memberships.values_list("pk", "pseudonym"))
    by_name = sorted(members, key=lambda pk: natural_key(members[pk]))
    annotators = {pk: place for place, pk in enumerate(by_name)}
    typology = project.protocol == Protocol.FOCUS
    units: dict[Any, int] = {code: place for place, code in enumerate(round.type_codes)}
    made = round.name, round.codebook.version
    stored = (_of_types if typology else _of_questions)(round, suggested=bool(more))
    for _, rows in groupby(stored.iterator(chunk_size=BLOCK), key=itemgetter(0)):
        in_order = sorted(rows, key=lambda row: (units.get(row[3], row[3]), annotators[row[1]]))
        for row in in_order:
            row, cells = (row[:-more], _suggestion_cells(*row[-more:])) if more else (row, ())
            _, member, item, unit, *answer, comment, cannot, unsure, incomplete, seconds, at, late = row
            if typology:
                unit_cells: tuple[Any, ...] = (unit,)
            else:
                external_id = answer.pop(0)
                unit_cells = (None if external_id is None else str(external_id), unit)
                answer[1:] = [text or None for text in answer[1:]]
            decided_at = at and at.isoformat(timespec="microseconds")
            tail = comment or None, cannot, unsure, incomplete, seconds, decided_at, late
            yield (item, *unit_cells, *made, members[member], *answer, *tail, *cells)


def _suggestion_cells(seen: int | None, taken: bool, answer: Any, *span: int | None) -> tuple[Any, ...]:
    """Return the cells about the suggestion of a unit: empty where there was none."""
    there = (seen is not None, taken) if answer is not None else (None, None)
    return (*there, answer, *span)


def _of_types(round: Round, *, suggested: bool) -> QuerySet[Any, tuple[Any, ...]]:
    rows = TypeAnnotation.objects.exclude(applicable=None, cannot_judge=False)
    own = "type_code", "applicable", "start", "end", "quote"
    if not suggested:
        return _readable(rows, round, own)
    told = round.suggested.filter(
        item=OuterRef("assignment__item"), type_code=OuterRef("type_code"), question=None
    ).order_by()
    names = "applicable", "start", "end"
    rows = rows.annotate(**{f"suggested_{name}": Subquery(told.values(name)[:1]) for name in names})
    return _readable(rows, round, own, (*_SEEN, *(f"suggested_{name}" for name in names)))


def _of_questions(round: Round, *, suggested: bool) -> QuerySet[Any, tuple[Any, ...]]:
    rows = QuestionAnnotation.objects.exclude(label=None, cannot_judge=False)
    own = "question__position", "question__external_id", "label", "reason", "edited_question"
    if not suggested:
        return _readable(rows, round, own)
    told = round.suggested.filter(question=OuterRef("question")).order_by()
    rows = rows.annotate(suggested_label=Subquery(told.values("label")[:1]))
    return _readable(rows, round, own, (*_SEEN, "suggested_label"))


def _readable(
    rows: QuerySet[Any], round: Round, own: Sequence[str], last: Sequence[str] = ()
) -> QuerySet[Any, tuple[Any, ...]]:
    return (
        rows.filter(
            assignment__round=round,
            assignment__round__status=Round.Status.CLOSED,
            assignment__member__left_out_at=None,
            assignment__repeat=False,
            assignment__item__withdrawn_at=None,
            assignment__item__brought_by__state=Import.State.DONE,
        )
        .order_by("assignment__item_id")
        .values_list(
            *("assignment__item_id", "assignment__member_id", "assignment__item__external_id"),
            *(*own, "comment", *_SHARED, *last),
        )
    )
