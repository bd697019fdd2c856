"""The key of a training round: the right answer of each unit, set by its lead while the round is a draft.

See docs/decisions/protocols.md.
"""

from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext

from annotation.codebooks.definition import Codebook as CodebookDefinition
from annotation.importing.files.refused_rows import RefusedRows
from annotation.importing.files.rows import JudgementRow, Notice, Refusal
from annotation.importing.formats import judgement_table as judgements
from annotation.importing.formats.common import named_as
from annotation.importing.judgement_rules import like_words
from annotation.importing.quotes import span_fields
from annotation.importing.reading import KEY, Reader, Reading, read_here
from annotation.importing.staging import ImportReport
from annotation.importing.stored_judgements import IdsLike
from annotation.limits import LIMITS, unfit
from annotation.models import Item, KeyAnswer, Membership, ProjectEvent, Protocol, Resolution, Round
from annotation.models.rounds import types_named
from annotation.protocols.cqs_gen import check_question_judgement
from annotation.protocols.focus import check_type_judgement
from annotation.protocols.rules import RuleError
from annotation.rounds.asked_types import asking
from annotation.rounds.draft_claim import refuse_half_drawn
from annotation.rounds.training import BATCH
from core.errors import Refused

NEW_ANSWERS = "new key answers"
"""What the report of an imported key counts."""

_KEY_FIELDS = ("applicable", "start", "end", "quote", "label", "reason")


def key_from_resolutions(round: Round, *, member: Membership | None = None) -> int:
    """Make the decided answers of the round's items its key, in place of what it had; return how many.

    Of a decided yes with several spans the first counts; what was decided on types or questions that the
    round does not ask is left out. Raises Refused unless the round is a draft for training, and where
    nothing is decided.
    """
    with transaction.atomic():
        training_draft_locked(round)
        answers = [_from_resolution(round, resolution) for resolution in decided_units(round)]
        if not answers:
            raise Refused(
                "not_ready",
                gettext("None of the units of %(name)s is decided: its key stays as it is.")
                % {"name": round.name},
            )
        round.key_answers.all().delete()
        KeyAnswer.objects.bulk_create(answers, batch_size=BATCH)
        _log(round, member, "key taken from decisions", len(answers))
    return len(answers)


def decided_units(round: Round) -> QuerySet[Resolution]:
    """Return the current decisions on what a round asks, each with its item."""
    current = Resolution.objects.filter(superseded_at__isnull=True, item__round_items__round=round)
    if round.project.protocol == Protocol.FOCUS:
        current = current.filter(asking(round), type_code__in=round.type_codes)
    else:
        current = current.filter(question__round_questions__round=round)
    return current.select_related("item").order_by("id")


def _from_resolution(round: Round, resolution: Resolution) -> KeyAnswer:
    start, end = min(map(tuple, resolution.spans)) if resolution.spans else (None, None)
    return KeyAnswer(
        round=round,
        item=resolution.item,
        type_code=resolution.type_code,
        question_id=resolution.question_id,
        applicable=resolution.applicable,
        start=start,
        end=end,
        quote=None if start is None else resolution.item.text[start:end],
        label=resolution.label,
        reason=resolution.reason,
        why=resolution.why,
    )


def key_import(
    round: Round,
    path: Path,
    *,
    name: str = "",
    skip_invalid: bool = False,
    refused_path: Path | None = None,
    member: Membership | None = None,
    columns: Mapping[str, str] | None = None,
    reader: Reader = read_here,
) -> ImportReport:
    """Read a draft training round's key from a file of judgements, in place of what it had.

    The columns are those of judgements; `comment` says why, and who answered is not asked. `columns` says
    which column of the file stands for which of them. Rows that break a rule are refused, and then nothing
    is stored unless `skip_invalid`. Raises FileError, and Refused unless the round is a draft for training,
    and for a file without rows.
    """
    name = name or path.name
    report = ImportReport(file=name, format=KEY)
    refused = RefusedRows(report, refused_path, judgements.columns_of(round.project.protocol, key=True))
    options = {"renamed": dict(columns)} if columns else {}
    with reader(Reading(KEY, path, name, options=options)) as opened:
        # Before the round is locked: a key is small, and reading it may take its time.
        rows = list(opened.rows)
    with transaction.atomic():
        training_draft_locked(round)
        round.key_answers.all().delete()
        try:
            _KeyReader(round, report, refused).read(rows)
        finally:
            refused.close()
        n_answers = report.counts.get(NEW_ANSWERS, 0)
        if not n_answers and not report.refused:
            raise Refused(
                "invalid", gettext("%(name)s has no answers in it: the key stays as it is.") % {"name": name}
            )
        report.stored = n_answers > 0 and (skip_invalid or not report.refused)
        if report.stored:
            _log(round, member, "key imported", n_answers)
        else:
            transaction.set_rollback(True)
    return report


class _KeyReader:
    """Turns rows of a file into key answers, batch by batch."""

    def __init__(self, round: Round, report: ImportReport, refused: RefusedRows) -> None:
        self.round = round
        self.report = report
        self.refused = refused
        self.codebook = CodebookDefinition.from_json(round.codebook.definition)
        self.types = {entry.code for entry in self.codebook.types}
        self.asked: dict[int, tuple[str, ...]] = {}
        self.seen: set[tuple[int, str, int | None]] = set()
        self.ids_like = IdsLike(round.project.items.filter(round_items__round=round))

    def read(self, rows: Iterable[JudgementRow | Refusal | Notice]) -> None:
        iterator = iter(rows)
        while batch := list(islice(iterator, BATCH)):
            wanted = {row.item for row in batch if isinstance(row, JudgementRow)}
            drawn = self.round.project.items.filter(round_items__round=self.round)
            items = {item.external_id: item for item in drawn.filter(external_id__in=wanted)}
            rows_drawn = self.round.round_items.filter(item__in=items.values())
            self.asked = {
                item: types_named(types, self.round.type_codes)
                for item, types in rows_drawn.values_list("item", "types")
            }
            answers = []
            for row in batch:
                if isinstance(row, Refusal):
                    self.refused.add(row)
                elif isinstance(row, Notice):
                    self.report.notice(row)
                else:
                    try:
                        named = named_as(self.codebook, row)
                        answers.append(self._answer(named, items.get(row.item)))
                    except RuleError as error:
                        self.refused.add(Refusal(row.place, str(error), row.given or {"item": row.item}))
            KeyAnswer.objects.bulk_create(answers)
            self.report.count(NEW_ANSWERS, len(answers))

    def _answer(self, row: JudgementRow, item: Item | None) -> KeyAnswer:
        if item is None:
            raise RuleError(
                {
                    "item": gettext("“%(item)s” is not drawn into %(name)s")
                    % {"item": row.item, "name": self.round.name}
                    + like_words(row.item, self.ids_like)
                }
            )
        fields = judgements.answer_fields(row)
        question_id = None
        if row.type_code is not None:
            if row.type_code in self.types.difference(self.asked[item.pk]):
                told = gettext("%(name)s does not ask %(type_code)s")
                if row.type_code in self.round.type_codes:
                    told = gettext("%(name)s does not ask %(type_code)s of “%(item)s”")
                names = {"name": self.round.name, "type_code": row.type_code, "item": item.external_id}
                raise RuleError({gettext("type"): told % names})
            fields |= span_fields(item.text, row.start, row.end, row.quote, row.occurrence)
            checked: Any = check_type_judgement(self.codebook, item.text, row.type_code, fields)
        else:
            # The key of Unhelpful needs no comment: why is for the feedback to say, or not.
            fields["comment"] = fields["comment"] or "-"
            checked = check_question_judgement(self.codebook, fields)
            question_id = self._question(row, item)
        if checked.cannot_judge:
            raise RuleError({"cannot_judge": gettext("a key answers every unit")})
        if problem := unfit(row.comment, LIMITS["keyanswer"]["why"]):
            raise RuleError({"comment": problem})
        unit = (item.pk, row.type_code or "", question_id)
        if unit in self.seen:
            raise RuleError({"item": gettext("the key has an answer for this unit further up")})
        self.seen.add(unit)
        values = {name: getattr(checked, name) for name in _KEY_FIELDS if hasattr(checked, name)}
        return KeyAnswer(
            round=self.round,
            item=item,
            type_code=row.type_code or "",
            question_id=question_id,
            why=row.comment,
            **values,
        )

    def _question(self, row: JudgementRow, item: Item) -> int:
        asked = self.round.round_questions.filter(question__item=item)
        if row.question_position is not None:
            asked = asked.filter(question__position=row.question_position)
        found = [
            pk
            for pk, external_id in asked.values_list("question", "question__external_id")
            if row.question is None or str(external_id) == str(row.question)
        ]
        if len(found) != 1:
            raise RuleError(
                {
                    "question": gettext("“%(item)s” has %(n)s questions “%(question)s”")
                    % {
                        "item": row.item,
                        "n": len(found),
                        "question": row.question_position if row.question is None else row.question,
                    }
                }
            )
        return found[0]


def training_draft_locked(round: Round) -> None:
    """Lock a draft training round until this transaction ends. Raises Refused where its key is frozen."""
    current = Round.objects.select_for_update().get(pk=round.pk)
    if current.purpose != Round.Purpose.TRAINING or current.status != Round.Status.DRAFT:
        raise Refused(
            "round_not_draft",
            gettext("%(name)s takes a key only while it is a draft for training.") % {"name": current.name},
        )
    if current.is_claimed:
        raise Refused(
            "round_not_draft",
            gettext("%(name)s is being opened or drawn: its key is frozen.") % {"name": current.name},
        )
    refuse_half_drawn(round)


def _log(round: Round, member: Membership | None, action: str, n_answers: int) -> None:
    ProjectEvent.objects.create(
        project=round.project,
        member=member,
        action=action,
        details={"round": round.name, "answers": n_answers},
    )
