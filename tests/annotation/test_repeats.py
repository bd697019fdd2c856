"""Hidden repeats: an annotator's own texts again, unmarked, and no vote anywhere."""

from collections import Counter

import pytest
from django.db import IntegrityError, transaction

from agreement.report.loading import judgements_stamp, read_judgements
from annotation.importing.screening import screening_result
from annotation.judging.workspace import workspace_units
from annotation.models import Assignment, TypeAnnotation
from annotation.rounds.lifecycle import round_close, round_create
from annotation.rounds.progress import progress_of_round
from annotation.rounds.reassignment import round_reassign
from annotation.rounds.reassignment_by_type import round_reassign_types
from core.errors import Refused
from exports.releases.build import release_digest
from exports.releases.preview import release_preview
from exports.selection.parameters import Parameters
from exports.selection.selection import read_selection
from tests import factories
from tests.annotation.database import refused

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def made():
    """Twelve texts, two annotators who judge all, and two hidden repeats for each."""
    found = factories.study(items=12, annotators=3)
    found.third = found.annotators.pop()
    factories.open_round(found, repeats=2)
    return found


def record_again(made, member):
    """Say yes to WE in the member's first repeat; return its assignment."""
    repeat = Assignment.objects.filter(member=member, repeat=True).first()
    answer = factories.yes(repeat.item, repeat.item.text.split()[0])
    factories.record(made.round, member, repeat.item, "WE", answer, repeat=True)
    return repeat


def test_each_annotator_meets_so_many_texts_again(made):
    for member in made.annotators:
        own = list(made.round.assignments.filter(member=member))
        assert [one.position for one in own] == list(range(1, 15))
        assert sum(one.repeat for one in own) == 2
    assert [found.total for found in progress_of_round(made.round)] == [140, 140]
    assert [found.texts for found in progress_of_round(made.round)] == [14, 14]


def test_the_workspace_tells_nothing(made):
    member = made.annotators[0]
    shown = workspace_units(member, made.round, limit=50)["results"]
    assert len(shown) == 14
    assert {tuple(one) for one in shown} == {
        ("assignment", "position", "item", "asked", "types_total", "types")
    }
    twice = [name for name, n in Counter(one["item"]["id"] for one in shown).items() if n == 2]
    assert len(twice) == 2


def test_a_repeat_is_a_judgement_of_its_own_that_starts_empty(made):
    member = made.annotators[0]
    repeat = Assignment.objects.filter(member=member, repeat=True).first()
    factories.record(made.round, member, repeat.item, "WE", factories.NO)
    shown = workspace_units(member, made.round, limit=50)["results"]
    rows = {one["assignment"]: one["types"] for one in shown}
    assert rows[repeat.pk] == {}
    record_again(made, member)
    answers = TypeAnnotation.objects.filter(type_code="WE").order_by("assignment__repeat")
    assert [row.applicable for row in answers] == [False, True]


def test_repeats_are_no_votes_but_a_sign_of_change(made):
    member = made.annotators[0]
    before = judgements_stamp(made.round)
    repeat = record_again(made, member)
    round_close(made.round, by=made.lead)
    judgements = read_judgements(made.round)
    assert judgements.n_judgements == 0
    assert judgements.repeats.value.tolist() == [1]
    assert judgements.items.ids[judgements.unit_item[judgements.repeats.unit[0]]] == repeat.item_id
    assert judgements_stamp(made.round) != before


def test_open_repeats_are_released_instead_of_reassigned(made):
    target, taker = made.annotators
    result = round_reassign(round=made.round, target=target, members=[made.third], member=made.lead)
    assert result.moved == 12
    assert not made.round.assignments.filter(member=made.third, repeat=True).exists()
    assert not made.round.assignments.filter(member=target, released_at__isnull=True).exists()
    assert made.round.assignments.filter(member=taker, repeat=True, released_at__isnull=True).count() == 2


def test_types_reassigned_are_no_longer_asked_in_repeats(made):
    target, taker = made.annotators
    round_reassign_types(
        round=made.round, target=target, types=["WE"], members=[made.third], member=made.lead
    )
    assert not made.round.assignments.filter(member=made.third, repeat=True).exists()
    own = made.round.assignments.filter(member=target)
    assert own.count() == 14
    assert all(one.types and "WE" not in one.types.split() for one in own)
    assert set(made.round.assignments.filter(member=taker).values_list("types", flat=True)) == {None}


def test_the_database_refuses_a_repeat_of_nothing_or_a_second_one(made):
    member = made.annotators[0]
    own = made.round.assignments.filter(member=member)
    repeated = own.filter(repeat=True).values_list("item", flat=True)
    once = own.exclude(item__in=repeated).first()

    def again(**values):
        Assignment.objects.create(**{"round": made.round, "member": member, "repeat": True, **values})

    for write in (
        lambda: again(item=once.item, position=0),
        lambda: again(item=once.item, position=90, member=made.third),
        lambda: own.filter(pk=once.pk).update(repeat=True),
    ):
        assert "a repeat comes after the first time the same member meets the item" in refused(write)
    assert "unique" in refused(lambda: again(item_id=repeated[0], position=90)).lower()


def test_a_training_round_hides_none(made):
    with pytest.raises(Refused) as refusal:
        round_create(project=made.project, purpose="training", repeats=1)
    assert list(refusal.value.errors) == ["repeats"]
    training = round_create(project=made.project, purpose="training")
    training.repeats = 1
    with pytest.raises(IntegrityError), transaction.atomic():
        training.save()


def test_releases_and_their_previews_know_nothing_of_repeats(made):
    member = made.annotators[0]
    repeat = Assignment.objects.filter(member=member, repeat=True).first()
    factories.record(made.round, member, repeat.item, "WE", factories.NO)
    round_close(made.round, by=made.lead)
    selection = read_selection(made.project, Parameters())
    before = release_digest(selection), release_preview(selection).judgements
    TypeAnnotation.objects.create(
        assignment=repeat, type_code="WE", applicable=False, text_length=repeat.item.text_length,
        span_required=True,
    )  # fmt: skip
    assert (release_digest(selection), release_preview(selection).judgements) == before == (before[0], 1)


def test_repeats_are_no_votes_in_a_screening():
    made = factories.study("context_sufficiency", annotators=1, items=11)
    factories.open_round(made, repeats=1)
    (repeat,) = Assignment.objects.filter(repeat=True)
    criteria = [entry["code"] for entry in made.round.codebook.definition["types"]]
    member = made.annotators[0]
    for code in criteria:
        factories.record(made.round, member, repeat.item, code, {"applicable": True})
        factories.record(made.round, member, repeat.item, code, factories.NO, repeat=True)
    round_close(made.round, by=made.lead)
    assert screening_result(made.project).sums.passed_all == 1
