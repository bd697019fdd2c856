"""Screening: which texts passed, and sending those that passed into a FOCUS project."""

import pytest

from annotation.errors import NotAllowed, Refused
from annotation.importing.items_loader import import_undo
from annotation.models import Item, Resolution
from annotation.people import member_deactivate
from annotation.projects import project_create
from annotation.rounds import round_close
from annotation.screening import criteria_of, screening_result, screening_send
from tests import factories

pytestmark = pytest.mark.django_db

YES = {"applicable": True}


@pytest.fixture
def study():
    """Four items of two topics, three annotators. CTX passes items 1 and 2, TOP passes items 2 and 3."""
    made = factories.study("context_sufficiency", annotators=3, items=4, slug="candidates")
    Item.objects.filter(pk=made.items[0].pk).update(metadata={"question": "Why?"})
    factories.open_round(made)
    passing = {"CTX": (0, 1), "TOP": (1, 2)}
    for code, places in passing.items():
        for place, item in enumerate(made.items):
            for rank, member in enumerate(made.annotators):
                says_yes = rank < 2 if place in places else rank == 2
                factories.record(made.round, member, item, code, YES if says_yes else factories.NO)
    round_close(made.round, by=made.lead)
    made.target = project_create(slug="focus-study", codebook="focus", user=made.lead.user)
    made.target_lead = made.target.memberships.get()
    return made


def send(study, *criteria, **options):
    return screening_send(
        project=study.project,
        target=options.get("target", study.target),
        criteria=criteria,
        member=options.get("member", study.lead),
        target_member=study.target_lead,
    )


def test_the_result_counts_each_criterion_the_intersection_and_the_total_by_topic(study):
    result = screening_result(study.project)
    assert [criterion.code for criterion in result.criteria] == ["CTX", "TOP"]
    rows = {row.topic: (row.passed, row.passed_all, row.judged, row.total) for row in result.rows}
    topics = [item.topic for item in study.items]
    assert topics[0] == topics[2] != topics[1]
    assert rows[topics[0]] == ((1, 1), 0, 2, 2)
    assert rows[topics[1]] == ((1, 1), 1, 2, 2)
    assert (result.sums.passed, result.sums.passed_all, result.sums.total) == ((2, 2), 1, 4)


def test_a_ruling_wins_and_a_tie_passes_nothing(study):
    Resolution.objects.create(
        item=study.items[3],
        type_code="CTX",
        applicable=True,
        source="adjudicated",
        why="x",
        member=study.lead,
    )
    member_deactivate(target=study.annotators[0], member=study.lead, leave_out=True)
    result = screening_result(study.project)
    assert result.sums.passed == (1, 0)
    assert result.sums.judged == 0


def test_an_open_round_does_not_count():
    made = factories.study("context_sufficiency", annotators=2, items=1)
    factories.open_round(made)
    for member in made.annotators:
        factories.record(made.round, member, made.items[0], "CTX", YES)
    assert screening_result(made.project).sums.passed == (0, 0)


def test_what_passed_the_chosen_criteria_is_copied_whole(study):
    report = send(study, "CTX")
    assert report.counts["new items"] == 2
    sent = {item.external_id: item for item in study.target.items.all()}
    assert set(sent) == {study.items[0].external_id, study.items[1].external_id}
    copy = sent[study.items[0].external_id]
    assert (copy.text, copy.topic, copy.source) == (study.items[0].text, study.items[0].topic, "test")
    assert copy.metadata == {"question": "Why?"}


def test_all_criteria_together_give_the_intersection(study):
    send(study, "CTX", "TOP")
    assert study.target.items.get().external_id == study.items[1].external_id


def test_sending_again_changes_nothing_and_sending_can_be_undone(study):
    send(study, "CTX")
    report = send(study, "CTX")
    assert (report.counts["new items"], report.counts["items already there"]) == (0, 2)
    import_undo(study.target.imports.order_by("pk").first(), member=study.target_lead)
    assert study.target.items.count() == 0


def test_sending_needs_criteria_and_a_fitting_target_and_a_lead(study):
    with pytest.raises(Refused, match="at least one criterion"):
        send(study)
    with pytest.raises(Refused, match="at least one criterion"):
        send(study, "ZZ")
    questions = factories.study("cqs_gen").project
    with pytest.raises(Refused, match="FOCUS protocol"):
        send(study, "CTX", target=questions)
    with pytest.raises(NotAllowed):
        send(study, "CTX", member=study.annotators[0])
    assert study.target.items.count() == 0


def test_a_codebook_with_spans_screens_nothing(study):
    assert criteria_of(study.target) == ()
