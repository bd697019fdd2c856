"""What the arrays say about stored judgements, and what the digest depends on."""

import numpy as np
import pytest
from django.utils import timezone

from agreement.report.judgements import natural_key
from agreement.report.loading import (
    judgements_digest,
    judgements_stamp,
    read_frame,
    read_judgements,
    read_texts,
)
from agreement.report.span_sums import span_frame
from annotation.models import Assignment, TypeAnnotation
from tests.factories.stored import (
    close_stored,
    store_answers,
    store_items,
    store_label,
    store_members,
    store_project,
    store_questions,
    store_round,
)

pytestmark = [pytest.mark.django_db, pytest.mark.database]

TEXT = "Everyone knows that buses are late."


@pytest.fixture
def study():
    """Two items, A2 and A10; VAT of item i1 is yes with a span by both, LE is split."""
    project = store_project()
    items = store_items(project, {"i2": TEXT, "i1": TEXT}, topic="Transport")
    members = store_members(project, ["A10", "A2"])
    round = store_round(project, list(items.values()))
    store_answers(round, items["i1"], members["A10"], {"VAT": (0, 8), "LE": False}, seconds=7)
    store_answers(round, items["i1"], members["A2"], {"VAT": (0, 14), "LE": (9, 14)})
    store_answers(round, items["i2"], members["A2"], {"VAT": False})
    return round, items, members


def kind_index(judgements, code):
    return [kind.code for kind in judgements.types].index(code)


def test_ratings_stand_by_external_id_and_pseudonym_with_numbers_counted(study):
    judgements = read_judgements(study[0])
    assert judgements.items.external_ids == ("i1", "i2")
    assert judgements.raters == ("A2", "A10")
    assert judgements.ratings(kind_index(judgements, "VAT")).tolist() == [[1, 1], [0, -1]]
    assert judgements.ratings(kind_index(judgements, "LE")).tolist() == [[1, 0], [-1, -1]]
    assert judgements.n_judgements == 5


def test_spans_and_seconds_stand_beside_their_judgement(study):
    judgements = read_judgements(study[0])
    vat = judgements.of_type(kind_index(judgements, "VAT"))
    assert vat.unit.tolist() == [0, 0, 1]
    assert list(zip(vat.start.tolist(), vat.end.tolist(), strict=True)) == [(0, 14), (0, 8), (-1, -1)]
    assert vat.seconds.tolist() == [10, 7, 10]


def test_undecided_is_no_judgement_and_cannot_judge_is_missing_but_counted(study):
    round, items, members = study
    store_answers(round, items["i2"], members["A10"], {"VAT": "?", "LE": None})
    judgements = read_judgements(round)
    assert judgements.ratings(kind_index(judgements, "VAT")).tolist() == [[1, 1], [0, -1]]
    assert judgements.n_judgements == 5
    assert (judgements.columns.value < 0).sum() == 1


def test_judgements_after_a_reopening_are_left_out(study):
    round, items, members = study
    before = judgements_digest(round)
    store_answers(round, items["i2"], members["A10"], {"VAT": (0, 5)}, after_reopening=True)
    assert judgements_digest(round) == before


def test_judgements_of_a_released_assignment_still_count(study):
    round, _, members = study
    before = judgements_digest(round)
    Assignment.objects.filter(member=members["A10"]).update(released_at=timezone.now())
    assert judgements_digest(round) == before


def test_a_withdrawn_item_leaves_with_all_its_judgements(study):
    round, items, _ = study
    before = judgements_stamp(round)
    items["i1"].withdrawn_at, items["i1"].withdrawn_reason = timezone.now(), "asked for"
    items["i1"].save()
    assert judgements_stamp(round) != before
    judgements = read_judgements(round)
    assert judgements.items.external_ids == ("i2",)
    assert judgements.ratings(kind_index(judgements, "VAT")).tolist() == [[0, -1]]
    assert judgements.n_judgements == 1


def test_the_frame_is_the_same_from_the_database_and_from_the_judgements(study):
    round, items, members = study
    store_answers(round, items["i2"], members["A10"], {"WE": (0, 8)}, after_reopening=True)
    for _ in range(2):
        judgements = read_judgements(round)
        expected, found = span_frame(judgements), read_frame(round, judgements.items)
        assert (found.marked.tolist(), found.n_items) == (expected.marked.tolist(), expected.n_items)
        items["i1"].withdrawn_at, items["i1"].withdrawn_reason = timezone.now(), "asked for"
        items["i1"].save()


def test_the_digest_does_not_depend_on_the_order_of_storing():
    digests = []
    for slug, order in (("one", ["i1", "i2"]), ("two", ["i2", "i1"])):
        project = store_project(slug=slug)
        items = store_items(project, dict.fromkeys(order, TEXT))
        members = store_members(project, ["A1", "A2"] if slug == "one" else ["A2", "A1"])
        round = store_round(project, list(items.values()))
        for name in order:
            store_answers(round, items[name], members["A1"], {"WE": (0, 8), "LE": False})
            store_answers(round, items[name], members["A2"], {"LE": name == "i1" and (0, 4)})
        digests.append(judgements_digest(round))
    assert digests[0] == digests[1]


@pytest.mark.parametrize(
    "change", [{"applicable": False, "start": None, "end": None, "quote": None}, {"active_seconds": 99}]
)
def test_digest_and_stamp_change_with_a_judgement(study, change):
    round = study[0]
    row = TypeAnnotation.objects.get(type_code="LE", applicable=True)
    before = judgements_digest(round), judgements_stamp(round)
    TypeAnnotation.objects.filter(id=row.id).update(revision=row.revision + 1, **change)
    assert judgements_digest(round) != before[0]
    assert judgements_stamp(round) != before[1]


def test_the_digest_covers_the_fields_that_answers_are_counted_by(study):
    round, items, _ = study
    before = judgements_digest(round)
    items["i1"].topic = "Weather"
    items["i1"].save()
    assert judgements_digest(round) != before


def test_the_digest_of_a_known_round_is_the_same_on_every_machine_and_database(study):
    assert judgements_digest(study[0]) == ("b972ec45034ac800d06b456739aeb6b80b4e62278d6b2b30257de18414b030c8")


def test_a_decision_undone_and_taken_again_has_the_same_digest(study):
    round = study[0]
    before = judgements_digest(round)
    TypeAnnotation.objects.filter(type_code="LE").update(revision=3)
    assert judgements_digest(round) == before


def test_questions_are_units_of_their_items_with_labels_and_reasons():
    project = store_project("cqs_gen")
    items = store_items(project, {"b": TEXT, "a": TEXT})
    first = store_questions(items["a"], ["Why?", "Who?"])
    (other,) = store_questions(items["b"], ["When?"])
    members = store_members(project, ["A1", "A2"])
    round = store_round(project, list(items.values()))
    store_label(round, first[0], members["A1"], "IN", reason="NC")
    store_label(round, first[1], members["A1"], "UN")
    store_label(round, first[0], members["A2"], "USE")
    store_label(round, other, members["A2"], None)
    judgements = read_judgements(round)
    codes = judgements.categories
    assert codes == ("USE", "UN", "IN")
    assert judgements.unit_item.tolist() == [0, 0, 1]
    assert judgements.question_ids.tolist() == [first[0].id, first[1].id, other.id]
    assert judgements.label_ratings().tolist() == [[2, 0], [1, -1], [-1, -1]]
    reasons = judgements.columns.reason
    assert [judgements.reasons[reason] if reason >= 0 else "" for reason in reasons] == ["NC", "", ""]


def test_item_fields_group_items_and_free_texts_are_left_out():
    project = store_project()
    items = store_items(project, {f"i{n}": TEXT for n in range(70)}, source="Debate")
    for number, item in enumerate(items.values()):
        item.metadata = {"fallacies": ["ad hominem", "straw man"][: number % 3], "note": f"n{number}"}
        item.save()
    fields = read_judgements(store_round(project, list(items.values()))).items.fields
    assert set(fields) == {"source", "fallacies"}
    counts = np.unique([len(values) for values in fields["fallacies"]], return_counts=True)[1]
    assert counts.tolist() == [24, 23, 23]


def test_texts_come_in_the_order_asked_for_in_batches(study):
    ids = [item.id for item in study[1].values()]
    assert list(read_texts(reversed(ids), batch=1)) == [(ids[1], TEXT), (ids[0], TEXT)]


def test_a_closed_round_reads_as_the_open_one_did(study):
    before = judgements_digest(study[0])
    assert judgements_digest(close_stored(study[0])) == before


def test_pseudonyms_sort_by_their_number():
    assert sorted(["A10", "A2", "B1", "A"], key=natural_key) == ["A", "A2", "A10", "B1"]
