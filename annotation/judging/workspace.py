"""What an annotator's workspace reads: the round's rules, then its texts page by page.

Nobody else's judgement, no published label, and neither the origin nor the id of a question is in it.
"""

from collections.abc import Iterable, Sequence
from typing import Any, cast

from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import get_language, gettext

from annotation.access import round_or_404
from annotation.codebooks.definition import Codebook as CodebookDefinition
from annotation.codebooks.translations import codebook_in
from annotation.judging import prepared
from annotation.judging.judgement_json import (
    AnyJudgement,
    ItemShown,
    OtherRound,
    OverviewShown,
    PageShown,
    QuestionsShown,
    RulesShown,
    SuggestionShown,
    TypesShown,
)
from annotation.judging.matching import left_out_of, references_for
from annotation.judging.outline import asked_codes, current_texts, last_decided
from annotation.judging.recording import answer_of, why_closed
from annotation.models import (
    Assignment,
    Item,
    KeyAnswer,
    Membership,
    Protocol,
    Question,
    QuestionAnnotation,
    Round,
    Suggestion,
    TypeAnnotation,
)
from annotation.models.rounds import types_named
from annotation.projects.projects import guideline_html
from annotation.protocols.spec import spec_for_browser
from annotation.rounds.progress import progress_of_round
from annotation.rounds.training import feedback, keys_for

MAX_PAGE = 50
SHOWN_BEFORE = 2
"""So many texts come before the one at which a member stands: a look back needs no request."""


def workspace_overview(member: Membership, round: Round) -> OverviewShown:
    """Return what the workspace needs before the first text: rules, guideline, progress."""
    progress = next(iter(progress_of_round(round, member=member)), None)
    return {
        **round_rules(member, round),
        "others": _other_work(member, round),
        "units_total": progress.total if progress else 0,
        "units_decided": progress.decided if progress else 0,
        "assignments_total": current_texts(member, round).count(),
    }


def round_rules(member: Membership, round: Round) -> RulesShown:
    """Return what a round is and asks: its rules and guideline, and who reads them."""
    definition = codebook_in(CodebookDefinition.from_json(round.codebook.definition), get_language() or "")
    return {
        "project": {
            "slug": member.project.slug,
            "name": member.project.name,
            "protocol": member.project.protocol,
        },
        "round": {
            "number": round.number,
            "name": round.name,
            "purpose": round.purpose,
            "matching": round.matching,
            "suggestion_model": round.suggestion_model if round.suggestions else None,
            "status": round.status,
            "paused": round.paused_at is not None,
            "closed": why_closed(round),
            "order": round.order,
            "due_on": round.due_on,
            "content_warning": round.content_warning,
            "pass_mark": round.pass_mark,
        },
        "member": {
            "id": member.pk,
            "pseudonym": member.pseudonym,
            "login": member.user.get_username() if member.user else "",
        },
        "types_total": len(definition.types),
        "spec": _spec(definition, round.type_codes, matches=round.matching),
        "guideline_html": guideline_html(definition.guideline),
        "guideline_version": round.codebook.version,
    }


def _other_work(member: Membership, round: Round) -> list[OtherRound]:
    """Return the project's other open rounds in which something is left to the member."""
    mine = Assignment.objects.filter(round=OuterRef("pk"), member=member, released_at__isnull=True)
    open_now = member.project.rounds.filter(Exists(mine), status=Round.Status.OPEN, imported=False)
    others = open_now.exclude(pk=round.pk).select_related("codebook").order_by("number")
    left = [(other, sum(own.left for own in progress_of_round(other, member=member))) for other in others]
    return [{"number": other.number, "name": other.name, "left": n} for other, n in left if n]


def _spec(definition: CodebookDefinition, type_codes: Sequence[str], *, matches: bool) -> dict[str, Any]:
    """Return the protocol: of the types those that the round asks, rules with messages for the reader."""
    spec = spec_for_browser(definition, matches=matches)
    spec["types"] = [entry for entry in spec["types"] if entry["code"] in type_codes]
    rules = [{**rule, "message": gettext(rule["message"])} for rule in spec["answer"]["rules"]]
    return {**spec, "answer": {**spec["answer"], "rules": rules}}


def workspace_round(member: Membership, number: int) -> Round:
    """Return a round of the member's project as `round_or_404` does, with no more than its texts need."""
    found = prepared.round_of.one(project=member.project_id, number=number)
    if found is None or found.status == Round.Status.DRAFT:
        return round_or_404(member, number)
    found.project = member.project
    return found


def workspace_units(member: Membership, round: Round, *, after: int = 0, limit: int = 20) -> PageShown:
    """Return the member's next assigned texts with the member's own judgements of them.

    `after` is the position of the last text seen. The cost depends on `limit`, not on the project.
    """
    limit = max(1, min(limit, MAX_PAGE))
    behind = prepared.assignments_after(limit + 1)
    assignments = behind.rows(round=round.pk, member=member.pk, after=after)
    more = len(assignments) > limit
    assignments = assignments[:limit]
    return {
        "results": _filled(member, round, assignments),
        "next": assignments[-1].position if more else None,
    }


def units_around(member: Membership, round: Round, *, position: int, limit: int) -> dict[str, Any]:
    """Return texts as `workspace_units` does, from a few before a position on.

    `index` says how many of the member's texts come before the first of them. `newest` is the text of the
    member's last decision with its own `index`, or None.
    """
    texts = current_texts(member, round)
    before = texts.filter(position__lt=position).order_by("-position")
    starts = min([position, *before.values_list("position", flat=True)[:SHOWN_BEFORE]])
    units = workspace_units(member, round, after=max(0, starts - 1), limit=limit)
    last = last_decided(member, round)
    newest = None
    for found in units_of(member, round, [last])["results"] if last else ():
        newest = {**found, "index": texts.filter(position__lt=found["position"]).count()}
    return {**units, "index": texts.filter(position__lt=starts).count(), "newest": newest}


def units_of(member: Membership, round: Round, assignments: Sequence[int]) -> PageShown:
    """Return some of the member's texts, by the keys of their assignments, as `workspace_units` does."""
    found = prepared.assignments_of(round.pk, member.pk).filter(pk__in=assignments[:MAX_PAGE])
    return {"results": _filled(member, round, list(found)), "next": None}


def _filled(
    member: Membership, round: Round, assignments: list[Assignment]
) -> list[TypesShown] | list[QuestionsShown]:
    if member.project.protocol != Protocol.CQS_GEN:
        texts = _with_types(round, assignments)
        if round.suggestions:
            _add_to_types(round, assignments, texts)
        return texts
    results = _with_questions(round, assignments)
    if round.suggestions:
        _add_to_questions(round, assignments, results)
    if round.matching:
        _add_references(member, round, assignments, results)
    return results


def row_json(row: TypeAnnotation | QuestionAnnotation, key: KeyAnswer | None = None) -> AnyJudgement:
    """Return a stored judgement as the API shows it to the member who made it.

    In a training round `key` adds the feedback, once the unit is answered.
    """
    shown = {**answer_of(row), "updated_at": row.decided_at.isoformat() if row.decided_at else None}
    told = feedback(row, key)
    return cast(AnyJudgement, shown if told is None else {**shown, "feedback": told})


def recorded_json(row: TypeAnnotation | QuestionAnnotation) -> AnyJudgement:
    """Return what the API answers to a recorded judgement: the row, with feedback in a training round."""
    item = row.assignment.item_id
    unit = ("", row.question_id) if isinstance(row, QuestionAnnotation) else (row.type_code, None)
    return row_json(row, keys_for(row.assignment.round, [item]).get((item, *unit)))


def item_json(item: Item) -> ItemShown:
    return {"id": item.external_id, "text": item.text, "topic": item.topic}


def _with_types(round: Round, assignments: list[Assignment]) -> list[TypesShown]:
    item_of = {assignment.pk: assignment.item_id for assignment in assignments}
    keys = keys_for(round, item_of.values())
    rows: dict[int, dict[str, AnyJudgement]] = {}
    for row in _type_rows(assignments):
        key = keys.get((item_of[row.assignment_id], row.type_code, None))
        rows.setdefault(row.assignment_id, {})[row.type_code] = row_json(row, key)
    asked = asked_codes(round)
    return [
        {
            "assignment": assignment.pk,
            "position": assignment.position,
            "item": item_json(assignment.item),
            "asked": types_named(assignment.types, asked),
            # Of so many types "no" to all is None of the Above; without a number, of all of the codebook.
            "types_total": len(types.split()) if (types := vars(assignment)["item_types"]) else None,
            "types": rows.get(assignment.pk, {}),
        }
        for assignment in assignments
    ]


def _type_rows(assignments: list[Assignment]) -> Iterable[TypeAnnotation]:
    """Return the judgements of some texts of one member in one round, given in their order."""
    if not assignments:
        return ()
    first, last = assignments[0], assignments[-1]
    if last.position - first.position > MAX_PAGE:
        return TypeAnnotation.objects.filter(assignment__in=assignments).order_by("assignment", "pk")
    there = {assignment.pk for assignment in assignments}
    found = prepared.type_rows.rows(
        round=first.round_id, member=first.member_id, first=first.position, last=last.position
    )
    return (row for row in found if row.assignment_id in there)


def _with_questions(round: Round, assignments: list[Assignment]) -> list[QuestionsShown]:
    item_of = {assignment.pk: assignment.item_id for assignment in assignments}
    keys = keys_for(round, item_of.values())
    rows = {
        (row.assignment_id, row.question_id): row_json(
            row, keys.get((item_of[row.assignment_id], "", row.question_id))
        )
        for row in QuestionAnnotation.objects.filter(assignment__in=assignments)
    }
    questions: dict[int, list[Question]] = {}
    for question in Question.objects.filter(
        item__in=[assignment.item_id for assignment in assignments], round_questions__round=round
    ).order_by("position"):
        questions.setdefault(question.item_id, []).append(question)
    return [
        {
            "assignment": assignment.pk,
            "position": assignment.position,
            "item": item_json(assignment.item),
            "questions": [
                {
                    "id": question.pk,
                    "position": question.position,
                    "text": question.text,
                    "row": rows.get((assignment.pk, question.pk)),
                }
                for question in questions.get(assignment.item_id, [])
            ],
        }
        for assignment in assignments
    ]


def _shown_suggestions(round: Round, assignments: list[Assignment]) -> "QuerySet[Suggestion]":
    """Return the suggestions that annotators meet; those of the hidden half stay on the server."""
    items = [assignment.item_id for assignment in assignments]
    return round.suggested.filter(item__in=items, shown=True)


def _add_to_types(round: Round, assignments: list[Assignment], results: list[TypesShown]) -> None:
    """Add to each text the suggestions that are shown for types which it is asked."""
    of_item: dict[int, dict[str, SuggestionShown]] = {}
    for one in _shown_suggestions(round, assignments):
        of_item.setdefault(one.item_id, {})[one.type_code] = {
            "id": one.pk,
            "applicable": bool(one.applicable),
            "start": one.start,
            "end": one.end,
            "quote": one.quote or "",
        }
    for assignment, result in zip(assignments, results, strict=True):
        there = of_item.get(assignment.item_id, {})
        result["suggestions"] = {code: there[code] for code in result["asked"] if code in there}


def _add_to_questions(round: Round, assignments: list[Assignment], results: list[QuestionsShown]) -> None:
    """Add to each question the suggestion that is shown for it."""
    of_question: dict[int | None, SuggestionShown] = {
        one.question_id: {"id": one.pk, "label": one.label} for one in _shown_suggestions(round, assignments)
    }
    for result in results:
        for question in result["questions"]:
            if question["id"] in of_question:
                question["suggestion"] = of_question[question["id"]]


def _add_references(
    member: Membership, round: Round, assignments: list[Assignment], results: list[QuestionsShown]
) -> None:
    """Add the references of each text, and to each question the keys of those offered, in their order."""
    references = references_for(member, round, [assignment.item_id for assignment in assignments])
    left_out = left_out_of([question["id"] for result in results for question in result["questions"]])
    for assignment, result in zip(assignments, results, strict=True):
        result["references"] = references.get(assignment.item_id, [])
        for question in result["questions"]:
            never = left_out.get(question["id"], set())
            question["references"] = [one["id"] for one in result["references"] if one["id"] not in never]
