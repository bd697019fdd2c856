"""Screening: which texts passed, and sending those that passed into a FOCUS project."""

import pytest
from django.core.cache import cache
from django.utils import timezone
from kombu.exceptions import OperationalError

from annotation import tasks
from annotation.importing import screening
from annotation.importing.screening import criteria_of, screening_current, screening_result, screening_send
from annotation.importing.undo import import_undo
from annotation.importing.uploads import upload_check, upload_import, upload_retry
from annotation.items.withdrawal import item_withdraw
from annotation.models import Item, ProjectEvent, Resolution
from annotation.projects.members import member_deactivate
from annotation.projects.projects import member_add, project_create
from annotation.rounds.lifecycle import round_close
from core.errors import NotAllowed, Refused
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
    upload = screening_send(
        project=study.project,
        target=options.get("target", study.target),
        criteria=criteria,
        member=options.get("member", study.lead),
        target_member=options.get("target_member", study.target_lead),
    )
    upload_import(upload_id=upload.pk)
    upload.refresh_from_db()
    return upload


def test_the_result_counts_each_criterion_the_intersection_and_the_total_by_topic(study):
    result = screening_result(study.project)
    assert [criterion.code for criterion in result.criteria] == ["CTX", "TOP"]
    rows = {
        row.topic: (row.passed, row.passed_all, row.judged, row.decided, row.total) for row in result.rows
    }
    topics = [item.topic for item in study.items]
    assert topics[0] == topics[2] != topics[1]
    assert rows[topics[0]] == ((1, 1), 0, 2, 2, 2)
    assert rows[topics[1]] == ((1, 1), 1, 2, 2, 2)
    assert (result.sums.passed, result.sums.passed_all, result.sums.total) == ((2, 2), 1, 4)


def test_a_resolution_wins_and_a_tie_passes_nothing(study):
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
    # Two votes are left of every unit, one yes and one no: judged, and not decided.
    assert (result.sums.judged, result.sums.decided) == (4, 0)


def test_an_open_round_does_not_count():
    made = factories.study("context_sufficiency", annotators=2, items=1)
    factories.open_round(made)
    for member in made.annotators:
        factories.record(made.round, member, made.items[0], "CTX", YES)
    assert screening_result(made.project).sums.passed == (0, 0)


def test_what_passed_the_chosen_criteria_is_copied_whole(study):
    upload = send(study, "CTX")
    assert (upload.state, upload.report["counts"]["new items"]) == ("done", 2)
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
    counts = send(study, "CTX").report["counts"]
    assert (counts["new items"], counts["items already there"]) == (0, 2)
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
    annotator = member_add(project=study.target, user=study.annotators[0].user)
    with pytest.raises(NotAllowed):
        send(study, "CTX", target_member=annotator)
    assert study.target.items.count() == 0


def test_sending_is_told_in_the_log_of_the_screened_project(study):
    send(study, "TOP", "CTX")
    told = ProjectEvent.objects.get(project=study.project, action="screened items sent")
    assert told.details == {"to": "focus-study", "criteria": ["CTX", "TOP"], "items": 1}
    assert told.member == study.lead


def test_nothing_is_sent_where_nothing_passed_and_sending_can_be_tried_again(study):
    Item.objects.filter(pk=study.items[1].pk).update(withdrawn_at=timezone.now(), withdrawn_reason="x")
    upload = send(study, "CTX", "TOP")
    assert (upload.state, upload.error[:23]) == ("failed", "No item has passed yet:")
    Item.objects.update(withdrawn_at=None)
    upload_retry(upload=upload)
    upload_check(upload_id=upload.pk)
    upload.refresh_from_db()
    assert (upload.is_checked, upload.report["counts"]["new items"]) == (True, 1)
    assert study.target.items.count() == 0


@pytest.fixture
def large(study, monkeypatch):
    """Every project is large, and this is what was sent to the worker."""
    calls: list[int] = []
    monkeypatch.setattr(screening, "AT_ONCE", 0)
    monkeypatch.setattr(tasks.count_screening, "delay", calls.append)
    cache.clear()
    yield calls
    cache.clear()


def test_of_a_large_project_a_worker_counts_once_however_often_it_is_asked_for(study, large):
    assert screening_current(study.project) == (None, False)
    for _ in range(2):
        tasks.screening_count_or_send(study.project)
    assert large == [study.project.pk]
    tasks.count_screening(large[0])
    assert screening_current(study.project) == (screening_result(study.project), True)


def test_what_changes_a_result_makes_that_of_a_large_project_outdated(study, large):
    tasks.count_screening(study.project.pk)
    before = screening_result(study.project)
    item_withdraw(item=study.items[0], member=study.lead, why="take-down request")
    assert screening_current(study.project) == (before, False)
    tasks.screening_count_or_send(study.project)
    tasks.count_screening(study.project.pk)
    result, up_to_date = screening_current(study.project)
    assert up_to_date and result.sums.passed == (1, 2)


def test_without_a_broker_a_large_project_is_counted_at_once(study, large, monkeypatch):
    def down(*_):
        raise OperationalError("connection refused")

    monkeypatch.setattr(tasks.count_screening, "delay", down)
    tasks.screening_count_or_send(study.project)
    assert screening_current(study.project)[1]


def test_a_codebook_with_spans_screens_nothing(study):
    assert criteria_of(study.target) == ()
