"""Deciding what the annotators left open: claims, resolutions, and their history.

A claim keeps several leads from deciding the same unit at once; it ends by itself. A resolution is never
changed: the next one supersedes it, and undoing it brings the one before back as a new row.

See docs/decisions/leads.md.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from annotation.access import require_lead
from annotation.codebooks.definition import Codebook as CodebookDefinition
from annotation.judging.recording import Unit
from annotation.limits import LIMITS, unfit
from annotation.models import (
    Claim,
    Codebook,
    Item,
    MatchReference,
    Membership,
    Project,
    ProjectEvent,
    Protocol,
    Question,
    Resolution,
)
from annotation.protocols.cqs_gen import check_question_judgement
from annotation.protocols.focus import check_type_judgement
from annotation.protocols.matching import check_matching_judgement
from annotation.protocols.rules import RuleError
from core.errors import NotFound, Refused
from core.texts import sentence

CLAIM_FOR = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class ResolutionInput:
    """What a lead decides about one unit.

    `spans` are (start, end) in code points of the text, for a type that applies and asks for a span;
    `reference` is the key of the reference that a question of a matching round asks the same as.
    """

    applicable: bool | None = None
    spans: tuple[tuple[int, int], ...] = ()
    label: str = ""
    reason: str = ""
    edited_question: str = ""
    reference: int | None = None
    why: str = ""
    in_guideline: bool = False


def unit_claim(*, item: Item, unit: Unit, member: Membership) -> Claim:
    """Claim a unit for a while, or prolong one's own claim. Raises Refused while another lead has it."""
    require_lead(member)
    until = timezone.now() + CLAIM_FOR
    mine_or_over = _claims(item, unit).filter(Q(member=member) | Q(expires_at__lte=timezone.now()))
    if not mine_or_over.update(member=member, expires_at=until):
        try:
            with transaction.atomic():
                return Claim.objects.create(item=item, member=member, expires_at=until, **_columns(unit))
        except IntegrityError:
            raise _claimed(item, unit) from None
    return _claims(item, unit).get()


def unit_release(*, item: Item, unit: Unit, member: Membership) -> None:
    """Give one's own claim back."""
    _claims(item, unit).filter(member=member).delete()


def resolution_decide(
    *,
    item: Item,
    unit: Unit,
    member: Membership,
    codebook: Codebook,
    given: ResolutionInput,
    seen: int | None,
) -> Resolution:
    """Decide a unit, superseding what was decided before. `seen` is the resolution the lead had in view.

    Raises Refused: `invalid` with a message a field, `claimed` while another lead has the unit,
    `stale` where it was decided meanwhile.
    """
    require_lead(member)
    columns = _checked(codebook, item, unit, given)
    with transaction.atomic():
        unit_claim(item=item, unit=unit, member=member)
        _supersede(item, unit, seen)
        made = Resolution.objects.create(
            item=item,
            **_columns(unit),
            **columns,
            why=given.why.strip(),
            in_guideline=given.in_guideline,
            source=Resolution.Source.ADJUDICATED,
            member=member,
            codebook=codebook,
        )
        unit_release(item=item, unit=unit, member=member)
        _log(item, unit, member, "unit decided")
    return made


def resolution_undo(*, item: Item, unit: Unit, member: Membership, seen: int) -> Resolution | None:
    """Take the current resolution back; the one before, where there was one, holds again, as a new row."""
    require_lead(member)
    with transaction.atomic():
        unit_claim(item=item, unit=unit, member=member)
        _supersede(item, unit, seen)
        before = Resolution.objects.filter(_of(unit), item=item, pk__lt=seen).order_by("-pk").first()
        if before is not None:
            before.pk, before.superseded_at = None, None
            before._state.adding = True
            before.save(force_insert=True)
        unit_release(item=item, unit=unit, member=member)
        _log(item, unit, member, "decision undone")
    return before


def resolution_current(item: Item, unit: Unit) -> Resolution | None:
    """Return what is decided about a unit now."""
    return (
        Resolution.objects.filter(_of(unit), item=item, superseded_at__isnull=True)
        .select_related("member", "codebook", "reference")
        .first()
    )


def resolution_history(item: Item, unit: Unit) -> list[Resolution]:
    """Return all that was ever decided about a unit, newest first."""
    rows = Resolution.objects.filter(_of(unit), item=item).select_related("member", "codebook", "reference")
    return list(rows.order_by("-pk"))


def claim_of_another(item: Item, unit: Unit, member: Membership) -> Claim | None:
    """Return the claim that keeps this member from deciding the unit now."""
    held = _claims(item, unit).filter(expires_at__gt=timezone.now()).exclude(member=member)
    return held.select_related("member").first()


def resolutions_current(project: Project) -> QuerySet[Resolution]:
    """Return the adjudicated answers that hold now."""
    # By who decided, whom each has: by its item every item of the project would be looked at.
    return Resolution.objects.filter(
        member__project=project, source=Resolution.Source.ADJUDICATED, superseded_at__isnull=True
    )


def claims_of_others(member: Membership) -> QuerySet[Claim]:
    """Return the claims that other leads of the project hold now."""
    held = Claim.objects.filter(member__project=member.project_id, expires_at__gt=timezone.now())
    return held.exclude(member=member)


def with_state(units: QuerySet[Any], member: Membership) -> QuerySet[Any]:
    """Add to rows with `item`, `type_code` and `question` whether they are `decided`, and `taken` by another.

    Decided means adjudicated: a label that came with a file is no resolution of the annotators' dispute.
    """
    decided = Resolution.objects.filter(source=Resolution.Source.ADJUDICATED, superseded_at__isnull=True)
    taken = Claim.objects.filter(expires_at__gt=timezone.now()).exclude(member=member)
    found: QuerySet[Any] = units.annotate(
        decided=_exists_for_unit(decided, member.project),
        taken=_exists_for_unit(taken, member.project),
    )
    return found


def _exists_for_unit(rows: QuerySet[Any], project: Project) -> Exists:
    # One or the other: PostgreSQL cannot join by either of two conditions.
    if project.protocol == Protocol.CQS_GEN:
        return Exists(rows.filter(question=OuterRef("question")))
    of_type = rows.filter(item=OuterRef("item"), type_code=OuterRef("type_code"), question__isnull=True)
    return Exists(of_type)


def _checked(codebook: Codebook, item: Item, unit: Unit, given: ResolutionInput) -> dict[str, Any]:
    """Check a resolution by the rules of a judgement, span by span; return the columns it fills."""
    errors = {}
    if not given.why.strip():
        errors["why"] = gettext("Say why: annotators and readers of the dataset will ask.")
    elif problem := unfit(given.why, LIMITS["resolution"]["why"]):
        errors["why"] = sentence(problem)
    definition = CodebookDefinition.from_json(codebook.definition)
    try:
        if unit.question_id is not None:
            question = Question.objects.filter(pk=unit.question_id, item=item).first()
            if question is None:
                raise NotFound(gettext("This question is not about this text."))
            said: dict[str, Any] = {
                "label": given.label or None,
                "reason": given.reason,
                "comment": given.why,
                "edited_question": given.edited_question,
            }
            if question.candidate or given.reference is not None:
                said["reference"] = given.reference
                answer = check_matching_judgement(definition, said, _offered(question))
            else:
                answer = check_question_judgement(definition, said)
            columns = {
                "label": answer.label,
                "reason": answer.reason,
                "edited_question": answer.edited_question,
                "reference_id": answer.reference_id,
            }
        else:
            columns = _checked_type(definition, item, unit, given, errors)
    except RuleError as error:
        errors |= {("why" if field == "comment" else field): text for field, text in error.errors.items()}
    if not errors and unit.question_id is not None and not columns["label"]:
        errors["label"] = gettext("Choose a label.")
    if errors:
        raise Refused(
            "invalid", gettext("The unit is not decided yet: ") + " ".join(errors.values()), errors=errors
        )
    return columns


def _offered(question: Question) -> set[int]:
    """Return the keys of the references that a matching round offers for a question."""
    references = MatchReference.objects.filter(
        round__round_questions__question=question, item=question.item_id
    ).exclude(left_out__question=question)
    return set(references.values_list("pk", flat=True))


def _checked_type(
    definition: CodebookDefinition, item: Item, unit: Unit, given: ResolutionInput, errors: dict[str, str]
) -> dict[str, Any]:
    entry = definition.type(unit.type_code)
    if entry is None:
        raise NotFound(gettext("The codebook has no type “%(type_code)s”.") % {"type_code": unit.type_code})
    if given.applicable is None:
        errors["applicable"] = gettext("Choose yes or no.")
        return {}
    spans = sorted(set(given.spans)) if given.applicable and entry.span else []
    if given.applicable and entry.span and not spans:
        errors["span"] = gettext("Choose the span that the dataset will have.")
        return {}
    answer = {"applicable": given.applicable}
    quoted: list[dict[str, Any]] = [
        {"start": start, "end": end, "quote": item.text[max(start, 0) : max(end, 0)]} for start, end in spans
    ]
    for span in quoted or [{}]:
        check_type_judgement(definition, item.text, unit.type_code, {**answer, **span})
    return {"applicable": given.applicable, "spans": [list(span) for span in spans]}


def _supersede(item: Item, unit: Unit, seen: int | None) -> None:
    current = Resolution.objects.filter(_of(unit), item=item, superseded_at__isnull=True)
    there = current.values_list("pk", flat=True).first()
    if there != seen:
        raise Refused(
            "stale", gettext("This unit was decided meanwhile. Look at it again before you decide.")
        )
    current.update(superseded_at=timezone.now())


def _claims(item: Item, unit: Unit) -> QuerySet[Claim]:
    return Claim.objects.filter(_of(unit), item=item)


def _claimed(item: Item, unit: Unit) -> Refused:
    holder = _claims(item, unit).select_related("member").first()
    name = holder.member.pseudonym if holder else gettext("Another lead")
    return Refused(
        "claimed", gettext("%(name)s is deciding this unit right now. Take another one.") % {"name": name}
    )


def _of(unit: Unit) -> Q:
    if unit.question_id is not None:
        return Q(question=unit.question_id)
    return Q(question__isnull=True, type_code=unit.type_code)


def _columns(unit: Unit) -> dict[str, Any]:
    return {"type_code": unit.type_code, "question_id": unit.question_id}


def _log(item: Item, unit: Unit, member: Membership, action: str) -> None:
    # The log says that a unit was decided, never what was decided.
    ProjectEvent.objects.create(
        project=item.project,
        member=member,
        action=action,
        details={"item": item.external_id, "unit": unit.type_code or f"question {unit.question_id}"},
    )
