"""A planned round is changed in what nothing rests on yet, and a draft that is not wanted is deleted."""

from datetime import date, timedelta

import pytest
from django.utils import timezone

from annotation.importing.undo import import_undo
from annotation.models import Import, Item, KeyAnswer, ProjectEvent, Round, RoundItem
from annotation.projects.projects import project_archive
from annotation.rounds.drawing import draw_claim
from annotation.rounds.editing import draft_delete, fields_to_edit, round_edit
from annotation.rounds.lifecycle import round_close, round_create, round_draw
from annotation.rounds.opening import round_open
from annotation.training.key import key_import
from core.errors import Refused
from tests import factories

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def made():
    made = factories.study("focus", annotators=3, items=4, slug="s")
    made.round = round_create(project=made.project, overlap=3, member=made.lead)
    round_draw(made.round, member=made.lead)
    return made


def in_a_week() -> date:
    return timezone.localdate() + timedelta(days=7)


def test_a_draft_opens_as_it_was_changed_and_the_log_says_what_was(made):
    round_edit(made.round, by=made.lead, name="Pilot", overlap=2, shuffled=True, due_on=in_a_week())
    stored = Round.objects.get()
    assert (stored.name, stored.overlap, stored.shuffled, stored.due_on) == ("Pilot", 2, True, in_a_week())
    event = ProjectEvent.objects.get(action="round changed")
    assert event.details == {"round": "Pilot", "fields": ["due date", "name", "overlap", "shuffled"]}
    round_open(made.round, by=made.lead)
    assert made.round.assignments.count() == 4 * 2
    assert made.round.round_items.count() == 4


def test_what_stays_the_same_is_no_change(made):
    round_edit(made.round, by=made.lead, overlap=3, name=made.round.name)
    assert not ProjectEvent.objects.filter(action="round changed").exists()


def test_an_open_round_gets_another_due_date_and_warning_and_keeps_all_else(made):
    round_open(made.round, by=made.lead)
    round_edit(made.round, by=made.lead, due_on=in_a_week(), content_warning="Harsh words.")
    with pytest.raises(Refused, match="Round 1 is open: this stays as it is") as refused:
        round_edit(made.round, by=made.lead, due_on=None, overlap=2)
    assert list(refused.value.errors) == ["overlap"]
    stored = Round.objects.get()
    assert (stored.overlap, stored.due_on, stored.content_warning) == (3, in_a_week(), "Harsh words.")


def test_what_can_be_changed_follows_purpose_protocol_and_status(made):
    assert fields_to_edit(made.round) == (
        *("name", "overlap", "order", "shuffled", "repeats", "live_agreement", "due_on", "content_warning"),
    )
    training = round_create(project=made.project, purpose="training")
    assert "pass_mark" in fields_to_edit(training) and "repeats" not in fields_to_edit(training)
    questions = factories.study("cqs_gen", slug="q")
    assert "order" not in fields_to_edit(round_create(project=questions.project))
    round_open(made.round, by=made.lead)
    round_close(made.round, by=made.lead)
    assert fields_to_edit(made.round) == ()


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"due_on": date(2000, 1, 1)}, "due_on"),
        ({"name": "Other"}, "name"),
        ({"content_warning": "x" * 2_001}, "content_warning"),
        ({"seed": 9}, "seed"),
        ({"purpose": "training"}, "purpose"),
    ],
)
def test_a_change_that_cannot_be_is_refused_at_its_field_and_nothing_is_stored(made, given, field):
    round_create(project=made.project, name="Other")
    with pytest.raises(Refused) as refused:
        round_edit(made.round, by=made.lead, **{"overlap": 2, **given})
    assert list(refused.value.errors) == [field]
    assert Round.objects.get(number=1).overlap == 3


def test_a_due_date_that_passed_does_not_hold_up_other_changes(made):
    Round.objects.filter(pk=made.round.pk).update(due_on=date(2000, 1, 1))
    made.round.refresh_from_db()
    round_edit(made.round, by=made.lead, due_on=date(2000, 1, 1), overlap=2)
    assert Round.objects.get().overlap == 2


def test_while_items_are_drawn_and_in_the_archive_nothing_is_changed_or_deleted(made):
    draw_claim(made.round, 2)
    for act in (lambda: round_edit(made.round, by=made.lead, overlap=2), delete(made)):
        with pytest.raises(Refused, match="Items are being drawn into Round 1"):
            act()
    other = factories.study("focus", slug="other")
    draft = round_create(project=other.project)
    project_archive(project=other.project, member=other.lead)
    with pytest.raises(Refused, match="archived: restore it first"):
        round_edit(draft, by=other.lead, overlap=3)


def delete(made):
    return lambda: draft_delete(made.round, by=made.lead)


def test_a_deleted_draft_is_gone_with_its_draw_and_its_items_stay(made):
    delete(made)()
    assert not Round.objects.exists() and not RoundItem.objects.exists()
    assert Item.objects.count() == 4
    assert ProjectEvent.objects.get(action="draft deleted").details == {"round": "Round 1"}
    assert round_create(project=made.project).number == 1


def test_a_deleted_training_draft_takes_its_key_along(made, tmp_path):
    draft = round_create(project=made.project, purpose="training")
    round_draw(draft, external_ids=["I-1"])
    key = tmp_path / "key.csv"
    key.write_text("item,type,applicable,start,end,quote,comment\nI-1,LE,no,,,,\n")
    key_import(draft, key)
    assert KeyAnswer.objects.count() == 1
    draft_delete(draft, by=made.lead)
    assert not KeyAnswer.objects.exists() and list(Round.objects.all()) == [made.round]


def test_an_import_can_be_undone_once_the_draft_that_drew_it_is_deleted(made):
    brought = Import.objects.get()
    with pytest.raises(Refused, match="Round 1 has items or questions of it"):
        import_undo(brought, member=made.lead)
    delete(made)()
    import_undo(brought, member=made.lead)
    assert not Item.objects.exists()


def test_a_round_that_was_opened_is_never_deleted(made):
    round_open(made.round, by=made.lead)
    with pytest.raises(Refused, match="Only a draft can be deleted"):
        delete(made)()
    assert Round.objects.count() == 1 and made.round.assignments.count() == 12


def test_deleting_that_was_stopped_halfway_can_be_done_again(made, monkeypatch):
    monkeypatch.setattr("core.delete_in_batches.BATCH", 1)
    rows = RoundItem.objects
    monkeypatch.setattr(
        "annotation.rounds.editing.round_log", lambda *args: (_ for _ in ()).throw(RuntimeError("killed"))
    )
    with pytest.raises(RuntimeError):
        delete(made)()
    made.round.refresh_from_db()
    assert made.round.is_half_drawn and not rows.exists()
    monkeypatch.undo()
    delete(made)()
    assert not Round.objects.exists()
