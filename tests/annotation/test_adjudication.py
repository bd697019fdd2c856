"""Leads decide what was left open: one at a time, by the rules, with reasons and history."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.adjudication.adjudication import (
    ResolutionInput,
    claim_of_another,
    resolution_current,
    resolution_decide,
    resolution_history,
    resolution_undo,
    unit_claim,
    unit_release,
)
from annotation.judging.recording import Unit
from annotation.models import Claim, Import, ProjectEvent, Resolution
from annotation.projects.projects import member_add
from core.errors import NotAllowed, NotFound, Refused
from tests import factories

pytestmark = pytest.mark.django_db

LE = Unit("LE")
YES = ResolutionInput(applicable=True, spans=((4, 11),), why="The library is the point.")
NO = ResolutionInput(applicable=False, why="Evidence is given.")


@pytest.fixture
def study():
    made = factories.study("focus", annotators=2, items=2)
    made.second = member_add(project=made.project, user=factories.user("lou"), is_lead=True)
    return made


@pytest.fixture
def questions():
    return factories.study("cqs_gen", annotators=2, items=1, questions=2)


def decide(study, resolution, *, seen=None, unit=LE, item=None, member=None):
    return resolution_decide(
        item=item or study.items[0],
        unit=unit,
        member=member or study.lead,
        codebook=study.project.codebooks.get(),
        given=resolution,
        seen=seen,
    )


def test_a_decision_is_stored_with_who_why_and_under_which_codebook(study):
    made = decide(study, YES)
    stored = resolution_current(study.items[0], LE)
    assert stored == made
    assert (stored.applicable, stored.spans, stored.why) == (True, [[4, 11]], YES.why)
    assert (stored.member, stored.codebook.version, stored.source) == (study.lead, 1, "adjudicated")


def test_deciding_again_supersedes_and_keeps_the_history(study):
    first = decide(study, YES)
    second = decide(study, NO, seen=first.pk)
    history = resolution_history(study.items[0], LE)
    assert [(row.pk, row.superseded_at is None) for row in history] == [(second.pk, True), (first.pk, False)]


def test_whoever_has_not_seen_the_newest_decision_does_not_overwrite_it(study):
    first = decide(study, YES)
    decide(study, NO, seen=first.pk)
    with pytest.raises(Refused, match="decided meanwhile"):
        decide(study, YES, seen=first.pk)
    assert resolution_current(study.items[0], LE).applicable is False


def test_undoing_brings_the_decision_before_back(study):
    first = decide(study, YES)
    second = decide(study, NO, seen=first.pk)
    restored = resolution_undo(item=study.items[0], unit=LE, member=study.lead, seen=second.pk)
    assert (restored.applicable, restored.spans, restored.why) == (True, [[4, 11]], YES.why)
    assert Resolution.objects.count() == 3
    last = resolution_history(study.items[0], Unit("WE"))
    assert last == []


def test_undoing_the_only_decision_leaves_the_unit_waiting(study):
    only = decide(study, YES)
    assert resolution_undo(item=study.items[0], unit=LE, member=study.lead, seen=only.pk) is None
    assert resolution_current(study.items[0], LE) is None


def test_another_lead_cannot_decide_a_claimed_unit_until_the_claim_ends(study):
    unit_claim(item=study.items[0], unit=LE, member=study.lead)
    assert claim_of_another(study.items[0], LE, study.second).member == study.lead
    with pytest.raises(Refused, match="A1 is deciding this unit right now"):
        decide(study, YES, member=study.second)
    assert not Resolution.objects.exists()
    Claim.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    decide(study, YES, member=study.second)
    assert not Claim.objects.exists()


def test_a_claim_is_of_one_unit_and_can_be_given_back(study):
    unit_claim(item=study.items[0], unit=LE, member=study.lead)
    unit_claim(item=study.items[0], unit=Unit("WE"), member=study.second)
    unit_claim(item=study.items[1], unit=LE, member=study.second)
    unit_release(item=study.items[0], unit=LE, member=study.second)
    assert claim_of_another(study.items[0], LE, study.second) is not None
    unit_release(item=study.items[0], unit=LE, member=study.lead)
    unit_claim(item=study.items[0], unit=LE, member=study.second)


@pytest.mark.parametrize(
    ("resolution", "field"),
    [
        (ResolutionInput(applicable=True, why="x"), "span"),
        (ResolutionInput(applicable=None, why="x"), "applicable"),
        (ResolutionInput(applicable=False, why=" "), "why"),
        (ResolutionInput(applicable=True, spans=((4, 4),), why="x"), "quote"),
        (ResolutionInput(applicable=True, spans=((4, 9_999),), why="x"), "end"),
    ],
)
def test_a_decision_keeps_the_rules_of_the_protocol(study, resolution, field):
    with pytest.raises(Refused) as refused:
        decide(study, resolution)
    assert field in refused.value.errors
    assert not Resolution.objects.exists()
    assert not Claim.objects.exists()


def test_spans_of_a_no_are_not_stored(study):
    made = decide(study, ResolutionInput(applicable=False, spans=((4, 11),), why="x"))
    assert made.spans == []


def test_a_question_is_decided_with_label_reason_and_edit(questions):
    question = questions.items[0].questions.first()
    resolution = ResolutionInput(
        label="IN", reason="NC", edited_question="Were there others?", why="A tax is new."
    )
    made = decide(questions, resolution, unit=Unit("", question.pk))
    assert (made.label, made.reason, made.edited_question) == ("IN", "NC", "Were there others?")


@pytest.mark.parametrize(
    "resolution",
    [
        ResolutionInput(label="IN", why="x"),
        ResolutionInput(label="USE", reason="NC", why="x"),
        ResolutionInput(label="", why="x"),
        ResolutionInput(label="IN", reason="BR", edited_question="New?", why="x"),
    ],
)
def test_a_question_keeps_its_rules_too(questions, resolution):
    question = questions.items[0].questions.first()
    with pytest.raises(Refused, match="not decided yet"):
        decide(questions, resolution, unit=Unit("", question.pk))


def test_an_unknown_unit_is_not_found(study, questions):
    with pytest.raises(NotFound):
        decide(study, NO, unit=Unit("ZZ"))
    foreign = questions.items[0].questions.first()
    with pytest.raises(NotFound):
        decide(questions, NO, unit=Unit("", foreign.pk), item=study.items[0])


def test_annotators_neither_claim_nor_decide(study):
    with pytest.raises(NotAllowed):
        decide(study, NO, member=study.annotators[0])
    with pytest.raises(NotAllowed):
        unit_claim(item=study.items[0], unit=LE, member=study.annotators[0])


def test_undoing_a_decision_on_a_published_label_brings_the_label_back(questions):
    question = questions.items[0].questions.first()
    brought = Import.objects.first()
    published = Resolution.objects.create(
        item=questions.items[0], question=question, label="USE", source="imported", brought_by=brought
    )
    unit = Unit("", question.pk)
    made = decide(questions, ResolutionInput(label="UN", why="well known"), unit=unit, seen=published.pk)
    restored = resolution_undo(item=questions.items[0], unit=unit, member=questions.lead, seen=made.pk)
    assert (restored.label, restored.source, restored.brought_by) == ("USE", "imported", brought)


def test_the_log_says_that_a_unit_was_decided_and_not_what(study):
    decide(study, YES)
    event = ProjectEvent.objects.filter(action="unit decided").get()
    assert event.details == {"item": study.items[0].external_id, "unit": "LE"}
