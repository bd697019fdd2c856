"""New questions as references: what people labelled in a matching round is in the next release, origin kept.

See docs/decisions/scoring.md.
"""

from __future__ import annotations

from collections import Counter

from django.db import transaction
from django.utils.translation import gettext

from annotation.access import refuse_archived, require_lead
from annotation.limits import LIMITS
from annotation.models import Membership, ProjectEvent, Question, QuestionAnnotation, Resolution, Round
from core.errors import Refused
from scoring.models import Candidate
from scoring.systems.people import outcomes_of_round

_CODES = {"Useful": "USE", "Unhelpful": "UN", "Invalid": "IN"}


def new_questions(round: Round) -> dict[int, str]:
    """Return the candidates that ask for something new and have a label: its code, by the question's key."""
    there = set(
        Question.objects.filter(round_questions__round=round, candidate=True).values_list("pk", flat=True)
    )
    return {
        question: _CODES[outcome.label]
        for question, outcome in outcomes_of_round(round).items()
        if question in there and outcome.matched is False and outcome.label is not None
    }


def references_add(*, round: Round, by: Membership) -> int:
    """Make references of the new questions of a closed matching round; return how many.

    Each keeps whose it is, so that it is left out where that system is scored, and gets the label that people
    gave as a decision, which a release takes like any other. Raises Refused where there is none.
    """
    require_lead(by)
    refuse_archived(round.project)
    with transaction.atomic():
        current = Round.objects.select_for_update().select_related("codebook").get(pk=round.pk)
        if not current.matching or current.status != Round.Status.CLOSED:
            raise Refused("round_not_closed", gettext("References come of a matching round that is closed."))
        labels = new_questions(current)
        if not labels:
            raise Refused("not_ready", gettext("There is no new question with a label that is decided."))
        origins = _origins(labels)
        decided = set(
            Resolution.objects.filter(question__in=labels, superseded_at__isnull=True).values_list(
                "question_id", flat=True
            )
        )
        reasons = _reasons(current, labels)
        questions = list(Question.objects.filter(pk__in=labels).select_related("item").order_by("pk"))
        for question in questions:
            question.candidate = False
            question.origin = origins.get(question.pk, "")
            question.external_id = f"{question.item.external_id}-M{current.number}-{question.position}"
        Question.objects.bulk_update(questions, ["candidate", "origin", "external_id"], batch_size=500)
        why = gettext("Most of those who judged it in %(round)s said so.") % {"round": current.name}
        Resolution.objects.bulk_create(
            Resolution(
                item=question.item,
                question=question,
                label=labels[question.pk],
                reason=reasons.get(question.pk, "") if labels[question.pk] == "IN" else "",
                source=Resolution.Source.ADJUDICATED,
                why=why,
                member=by,
                codebook=current.codebook,
            )
            for question in questions
            if question.pk not in decided
        )
        ProjectEvent.objects.create(
            project=current.project,
            member=by,
            action="references added",
            details={"round": current.name, "questions": len(questions)},
        )
    return len(questions)


def _origins(questions: dict[int, str]) -> dict[int, str]:
    """Return the names of the systems that asked each question, one a line, as many as the column holds."""
    most = LIMITS["question"]["origin"].characters
    names: dict[int, list[str]] = {}
    found = Candidate.objects.filter(question__in=questions).order_by("submission__system__name_key")
    for question, name in found.values_list("question_id", "submission__system__name"):
        known = names.setdefault(question, [])
        if name not in known and len("\n".join([*known, name])) <= most:
            known.append(name)
    return {question: "\n".join(known) for question, known in names.items()}


def _reasons(round: Round, questions: dict[int, str]) -> dict[int, str]:
    """Return the reason that more than half of those give who said Invalid."""
    rows = QuestionAnnotation.objects.filter(
        assignment__round=round,
        assignment__repeat=False,
        assignment__member__left_out_at__isnull=True,
        after_reopening=False,
        question__in=questions,
        label="IN",
    )
    given: dict[int, Counter[str]] = {}
    for question, reason in rows.values_list("question_id", "reason"):
        given.setdefault(question, Counter())[reason] += 1
    return {
        question: reason
        for question, counts in given.items()
        for reason, n in counts.items()
        if 2 * n > counts.total()
    }
