"""The TypedDicts of the workspace's API are what it answers: no key more, no key fewer."""

import pytest

from annotation.judging.judgement_json import AnyJudgement, KeyOverviewShown, OverviewShown, PageShown
from annotation.judging.recording import Unit
from annotation.judging.workspace import recorded_json, workspace_overview, workspace_units
from annotation.models import Round
from annotation.rounds.lifecycle import round_create, round_draw
from annotation.training.key_workspace import key_answer_record, key_overview, key_units
from tests import factories
from tests.declared import drift
from tests.factories import USEFUL, record, yes

pytestmark = pytest.mark.django_db


def answered(made: factories.Study, *recorded) -> None:
    """Check all that the first annotator's workspace is told, with these answers in it."""
    member = made.annotators[0]
    page = workspace_units(member, made.round)
    assert drift(workspace_overview(member, made.round), OverviewShown) == []
    assert drift(page, PageShown) == []
    assert recorded and [drift(recorded_json(one.row), AnyJudgement) for one in recorded] == [[]] * len(
        recorded
    )


def test_a_round_of_types():
    made = factories.focus_study()
    item = made.items[0]
    answered(made, record(made.round, made.annotators[0], item, "LE", yes(item, item.text[:7])))


def test_a_round_of_questions():
    made = factories.cqs_study()
    question = made.items[0].questions.first()
    answered(made, record(made.round, made.annotators[0], made.items[0], question, USEFUL))


def test_a_matching_round():
    made = factories.matching_study()
    question = factories.candidate_of(made, made.round.round_questions.first().question.text)
    answer = {"label": "REF", "reference": factories.reference_of(made, 1).pk}
    answered(made, record(made.round, made.annotators[0], made.items[0], question, answer))


@pytest.mark.parametrize("protocol", ["focus", "cqs_gen"])
def test_a_key_that_is_set(protocol):
    made = factories.study(protocol)
    round = round_create(project=made.project, overlap=3, member=made.lead, purpose=Round.Purpose.TRAINING)
    round_draw(round, member=made.lead)
    item = made.items[0]
    unit, answer = Unit("LE"), yes(item, item.text[:7], comment="It says so.")
    if protocol == "cqs_gen":
        unit, answer = Unit("", item.questions.first().pk), {**USEFUL, "comment": "It is."}
    row = key_answer_record(
        member=made.lead,
        round_number=round.number,
        item_id=item.pk,
        unit=unit,
        answer=answer,
        base_revision=0,
    )
    assert drift(row, AnyJudgement) == []
    assert drift(key_overview(made.lead, round), KeyOverviewShown) == []
    assert drift(key_units(made.lead, round), PageShown) == []
