"""One judgement from the outbox to the row: idempotent, revisioned, and by the protocol only."""

import pytest

from annotation.models import AnnotationEvent, TypeAnnotation
from annotation.rounds.lifecycle import round_close, round_reopen
from core.errors import Refused
from tests.factories import NO, open_round, record, study, yes

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def made():
    made = study(items=2, annotators=2)
    open_round(made)
    return made


def test_a_decision_is_an_event_and_a_row(made):
    item, ann = made.items[0], made.annotators[0]
    recorded = record(made.round, ann, item, "LE", yes(item, "Everyone's grades fell"), active_seconds=7)
    row = TypeAnnotation.objects.get(pk=recorded.row.pk)
    assert (row.applicable, row.quote, row.start, row.end) == (True, "Everyone's grades fell", 40, 62)
    assert (row.revision, row.active_seconds, recorded.replayed) == (1, 7, False)
    event = AnnotationEvent.objects.get()
    assert event.before is None
    assert event.after["quote"] == "Everyone's grades fell"


def test_active_seconds_add_up_over_decisions_to_a_day_at_most(made):
    item, ann = made.items[0], made.annotators[0]
    answers = ((NO, 7, 7), (yes(item, "library"), 5, 12), (NO, 86_400, 86_400))
    for answer, seconds, total in answers:
        assert record(made.round, ann, item, "LE", answer, active_seconds=seconds).row.active_seconds == total


def test_a_repeated_event_returns_the_current_row_and_changes_nothing(made):
    item, ann = made.items[0], made.annotators[0]
    record(made.round, ann, item, "LE", NO, event_id="first")
    record(made.round, ann, item, "LE", yes(item, "library"), event_id="second")
    late = record(made.round, ann, item, "LE", NO, event_id="first", base_revision=0)
    assert late.replayed
    assert (late.row.applicable, late.row.revision) == (True, 2)
    assert AnnotationEvent.objects.count() == 2


def test_an_event_id_cannot_carry_another_answer(made):
    item, ann = made.items[0], made.annotators[0]
    record(made.round, ann, item, "LE", NO, event_id="first")
    with pytest.raises(Refused) as refused:
        record(made.round, ann, item, "LE", yes(item, "library"), event_id="first")
    assert refused.value.code == "event_id_reused"
    assert TypeAnnotation.objects.get().applicable is False


def test_an_event_id_is_one_members_own(made):
    (ann, bea), item = made.annotators, made.items[0]
    record(made.round, ann, item, "LE", NO, event_id="one")
    record(made.round, bea, item, "LE", NO, event_id="two")
    with pytest.raises(Refused) as refused:
        record(made.round, bea, item, "LE", yes(item, "library"), event_id="one", base_revision=0)
    assert refused.value.code == "stale_revision"


def test_a_judgement_after_a_reopening_is_marked(made):
    item, ann = made.items[0], made.annotators[0]
    before = record(made.round, ann, item, "LE", NO).row
    round_reopen(round_close(made.round, by=made.lead), why="a slip", by=made.lead)
    after = record(made.round, ann, item, "TC", NO).row
    assert (before.after_reopening, after.after_reopening) == (False, True)


def test_a_stale_revision_is_refused_with_the_stored_row(made):
    item, ann = made.items[0], made.annotators[0]
    record(made.round, ann, item, "LE", NO)
    with pytest.raises(Refused) as refused:
        record(made.round, ann, item, "LE", yes(item, "library"), base_revision=0)
    assert refused.value.code == "stale_revision"
    assert refused.value.row["applicable"] is False
    assert refused.value.row["revision"] == 1
    assert AnnotationEvent.objects.count() == 1


def test_undo_is_an_event_to_undecided(made):
    item, ann = made.items[0], made.annotators[0]
    record(made.round, ann, item, "LE", yes(item, "library"))
    undone = record(made.round, ann, item, "LE", None)
    row = TypeAnnotation.objects.get()
    assert (row.applicable, row.quote, row.start, row.revision) == (None, None, None, 2)
    assert undone.row.pk == row.pk
    assert [event.after["applicable"] for event in AnnotationEvent.objects.all()] == [True, None]


@pytest.mark.parametrize(
    ("answer", "fields"),
    [
        ({"applicable": True}, {"start", "end", "quote"}),
        ({"applicable": False, "start": 0, "end": 3, "quote": "The"}, {"start", "end", "quote"}),
        ({"applicable": True, "start": 0, "end": 3, "quote": "the"}, {"quote"}),
        ({"applicable": True, "start": 0, "end": 999, "quote": "The"}, {"end"}),
        ({"cannot_judge": True}, {"comment"}),
        ({}, {"applicable"}),
    ],
)
def test_a_broken_rule_is_refused_field_by_field_and_stores_nothing(made, answer, fields):
    item, ann = made.items[0], made.annotators[0]
    with pytest.raises(Refused) as refused:
        record(made.round, ann, item, "LE", answer)
    assert refused.value.code == "invalid"
    assert set(refused.value.errors) == fields
    assert not TypeAnnotation.objects.exists()
    assert not AnnotationEvent.objects.exists()


def test_a_type_outside_the_codebook_is_refused(made):
    with pytest.raises(Refused) as refused:
        record(made.round, made.annotators[0], made.items[0], "XX", NO)
    assert "type" in refused.value.errors


def test_nothing_is_recorded_after_closing_but_a_repeat_is_still_answered(made):
    item, ann = made.items[0], made.annotators[0]
    record(made.round, ann, item, "LE", NO, event_id="before")
    round_close(made.round, by=made.lead)
    with pytest.raises(Refused) as refused:
        record(made.round, ann, item, "TC", NO)
    assert refused.value.code == "round_not_open"
    assert record(made.round, ann, item, "LE", NO, event_id="before", base_revision=0).replayed


def test_another_members_assignment_is_not_found(made):
    from annotation.judging.recording import Unit, judgement_record
    from tests.factories import assignment_of

    ann, bea = made.annotators
    with pytest.raises(Refused) as refused:
        judgement_record(
            member=bea,
            round_number=made.round.number,
            assignment_id=assignment_of(made.round, ann, made.items[0]).pk,
            unit=Unit(type_code="LE"),
            answer=NO,
            base_revision=0,
            client_event_id="x",
        )
    assert refused.value.code == "not_found"
