"""Agreement with oneself on hidden repeats: figures known by hand, on the page, and nowhere else."""

import re

import pytest

from agreement.computation.compute import report_compute
from agreement.computation.requests import report_request
from agreement.models import AgreementReport
from agreement.report.loading import read_judgements
from annotation.models import Assignment, TypeAnnotation
from tests.conftest import client_of
from tests.factories.reports import TEXT, computed, disputed_study
from tests.factories.stored import (
    close_stored,
    open_stored,
    store_answers,
    store_items,
    store_label,
    store_members,
    store_project,
    store_questions,
    store_round,
)
from tests.pages import html_of

pytestmark = [pytest.mark.django_db, pytest.mark.database]

SPANS = {"Everyone": (0, 8), "Everyone knows": (0, 14), "buses": (20, 25)}


@pytest.fixture
def once():
    """Two annotators who say the same of three texts, in a closed round."""
    project = store_project()
    items = list(store_items(project, {f"i{number}": TEXT for number in range(3)}).values())
    members = store_members(project, ["A1", "A2"])
    made = open_stored(store_round(project, items))
    for item in items:
        for member in members.values():
            store_answers(made, item, member, {"OG": SPANS["Everyone"], "LE": False})
    return close_stored(made)


def repeat_some(made):
    """A1 met two of the texts again: one answer changed, one span grew."""
    (member,) = store_members(made.project, ["A1"]).values()
    first, second = made.items.order_by("external_id")[:2]
    store_answers(made, first, member, {"OG": SPANS["Everyone"], "LE": False}, repeat=True)
    again = {"OG": SPANS["Everyone knows"], "LE": SPANS["buses"]}
    store_answers(made, second, member, again, repeat=True)
    return made


@pytest.fixture
def repeated(once):
    return repeat_some(once)


def people_of(report):
    return {person["pseudonym"]: person for person in report.figures["annotators"]}


def test_agreement_with_oneself_is_over_the_units_answered_twice(repeated):
    people = people_of(computed(repeated))
    own = people["A1"]["with_self"]
    assert (own["n"], own["observed_agreement"]["value"]) == (4, 0.75)
    assert 0 <= own["observed_agreement"]["low"] < 0.75 < own["observed_agreement"]["high"] <= 1
    # "Everyone" twice, and once against "Everyone knows".
    assert (own["token_jaccard"]["value"], own["token_jaccard"]["n_pairs"]) == (0.75, 2)
    assert 0 <= own["token_jaccard"]["low"] < 0.75 < own["token_jaccard"]["high"] <= 1
    assert own["token_jaccard"]["caution"] == "few_texts"
    nothing = people["A2"]["with_self"]
    assert (nothing["n"], nothing["observed_agreement"]["reason"]) == (0, "no_pairs")


def test_a_repeat_moves_no_other_figure_and_no_gold_span(once):
    def spans_of(report):
        return list(report.consensus_spans.values_list("item", "type_code", "start", "end", "support"))

    without = computed(once)
    report = computed(repeat_some(once))
    assert report.digest != without.digest
    people = [{**person} for person in report.figures["annotators"]]
    for person in people:
        del person["with_self"]
    assert {**report.figures, "annotators": people} == without.figures
    assert spans_of(report) == spans_of(without)
    assert report.disputed_units.count() == 0


def test_the_page_shows_it_beside_the_agreement_with_the_rest():
    made = disputed_study()
    assert "with oneself" not in page_of(made)
    member = made.annotators[0]
    first = made.round.assignments.filter(member=member).first()
    answers = first.type_annotations.filter(type_code="LE").get()
    again = Assignment.objects.create(
        round=made.round, member=member, item=first.item, position=99, repeat=True
    )
    answers.pk, answers.assignment = None, again
    answers.save(force_insert=True)
    AgreementReport.objects.all().delete()
    report = report_request(round=made.round)
    assert report_compute(report_id=report.id)
    below = r'<span class="interval">(J \d\.\d\d · )?1</span>'
    assert re.search(rf'with oneself.*?strong"[^>]*>1\.00.*?{below}', page_of(made), re.S)


def page_of(made):
    address = f"/p/{made.project.slug}/rounds/{made.round.number}/agreement/"
    return html_of(client_of("lea").get(address))


def test_a_repeat_that_changes_makes_the_report_another(repeated):
    before = read_judgements(repeated).digest()
    TypeAnnotation.objects.filter(assignment__repeat=True, type_code="LE").update(active_seconds=99)
    assert read_judgements(repeated).digest() != before


def test_an_answer_that_is_left_open_the_second_time_is_not_compared(repeated):
    rows = TypeAnnotation.objects.filter(assignment__repeat=True, type_code="LE")
    rows.filter(applicable=False).update(applicable=None)
    assert people_of(computed(repeated))["A1"]["with_self"]["n"] == 3


def test_some_types_of_a_round_keep_their_own_repeats(repeated):
    judgements = read_judgements(repeated)
    some = judgements.of_types(["LE"])
    assert [kind.code for kind in some.types] == ["LE"]
    assert (some.repeats.value.tolist(), some.repeats.unit.tolist()) == ([0, 1], [0, 1])


def test_labels_of_questions_are_compared_too():
    project = store_project("cqs_gen")
    item = store_items(project, {"a": TEXT})["a"]
    questions = store_questions(item, ["Why?", "How?"])
    (member,) = store_members(project, ["A1"]).values()
    made = open_stored(store_round(project, [item]))
    for question, first, again in zip(questions, ("USE", "USE"), ("USE", "UN"), strict=True):
        store_label(made, question, member, first)
        store_label(made, question, member, again, repeat=True)
    own = people_of(computed(close_stored(made)))["A1"]["with_self"]
    assert (own["n"], own["observed_agreement"]["value"], own["token_jaccard"]["n_pairs"]) == (2, 0.5, 0)


def test_without_repeats_no_annotator_has_such_a_figure(round):
    assert all("with_self" not in person for person in people_of(computed(close_stored(round))).values())
