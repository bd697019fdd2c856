"""How many more items a lead is told to draw, through the API and on the page."""

import numpy as np
import pytest

from agreement.computation.compute import report_compute
from agreement.display.sample_size import PlanAsked, PlanRefused, clean_plan, plan_report
from agreement.models import AgreementReport
from agreement.report.label_figures import seed_of
from agreement.what_if.sample_size import items_needed
from annotation.rounds.lifecycle import round_close
from tests import factories
from tests.conftest import client_of
from tests.factories import stored
from tests.frontend.test_agreement_page import row_of, words

pytestmark = [pytest.mark.django_db, pytest.mark.database]

YES_OF_TWO = [(True, True)] * 6 + [(True, False)] * 3 + [(False, False)] * 11


@pytest.fixture
def study():
    """Twenty texts, two annotators. LE: 6 both yes, 3 one yes, 11 both no; CF: all no; the rest unjudged."""
    made = factories.study(items=20, annotators=2)
    factories.open_round(made)
    for item, answers in zip(made.items, YES_OF_TWO, strict=True):
        for member, answer in zip(made.annotators, answers, strict=True):
            given = {"LE": (0, 3) if answer else False, "CF": False}
            stored.store_answers(made.round, item, member, given)
    made.round = round_close(made.round, by=made.lead)
    assert report_compute(report_id=AgreementReport.objects.get().id)
    return made


def address(made, query):
    return f"/api/projects/{made.project.slug}/rounds/{made.round.number}/report/plan/{query}"


def by_code(entries):
    return {entry["code"]: entry for entry in entries}


def expected_of(seed, width, name="krippendorff_alpha"):
    return items_needed(
        np.array(YES_OF_TWO, dtype=int), q=2, name=name, width=width, seed=seed_of(seed, "type:LE")
    )


def test_each_type_is_told_its_items_as_the_bootstrap_finds_them(study, lead_client):
    found = by_code(lead_client.get(address(study, "?width=0.2")).json())
    needed = expected_of(1, 0.2)
    assert found["LE"] == {
        "key": "type:LE",
        "code": "LE",
        "name": "Lacks Evidence",
        "n_items": 20,
        "width": needed.to_json()["width"],
        "more": needed.more,
        "reason": None,
    }
    # Intervals shrink with the root of the number of items.
    assert needed.more + 20 == pytest.approx(20 * (needed.width / 0.2) ** 2, rel=0.35)
    assert (found["CF"]["more"], found["CF"]["reason"]) == (None, "no_variation")
    assert (found["WE"]["more"], found["WE"]["reason"]) == (None, "no_items")
    # All types together: only the one type in which answers vary adds anything, with other resamples.
    assert found["all"]["more"] == pytest.approx(needed.more, rel=0.25)
    assert found["all"]["n_items"] == 20


def test_another_coefficient_can_be_asked_for_and_asking_again_answers_the_same(study, lead_client):
    query = "?width=0.1&coefficient=pabak"
    first = lead_client.get(address(study, query))
    assert by_code(first.json())["LE"]["more"] == expected_of(1, 0.1, "pabak").more
    assert lead_client.get(address(study, query)).content == first.content


def test_the_seed_and_replicates_are_those_of_the_report(study):
    report = AgreementReport.objects.get()
    report.parameters = {**report.parameters, "seed": 5}
    entry = by_code(plan_report(report, PlanAsked(0.2, "krippendorff_alpha")))["LE"]
    assert entry["more"] == expected_of(5, 0.2).more


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({}, "width"),
        ({"width": "0"}, "width"),
        ({"width": "nan"}, "width"),
        ({"width": "2.5"}, "width"),
        ({"width": "wide"}, "width"),
        ({"width": "0.2", "coefficient": "kappa"}, "coefficient"),
    ],
)
def test_a_wrong_question_is_refused_with_the_field_that_is_wrong(given, field):
    with pytest.raises(PlanRefused) as refused:
        clean_plan(given)
    assert list(refused.value.errors) == [field]


def test_a_crowd_has_no_plan_for_cohens_kappa(lead_client):
    made = factories.study(items=1, annotators=13)
    factories.open_round(made)
    for member in made.annotators:
        stored.store_answers(made.round, made.items[0], member, {"LE": False})
    round_close(made.round, by=made.lead)
    report_compute(report_id=AgreementReport.objects.get().id)
    response = lead_client.get(address(made, "?width=0.2&coefficient=cohen_kappa"))
    assert response.status_code == 422
    assert "Cohen" in response.json()["errors"]["coefficient"]


def test_nobody_but_a_lead_asks_and_nobody_while_the_round_is_blind(study, lead_client):
    assert client_of("ann").get(address(study, "?width=0.2")).status_code == 403
    factories.open_round(study)
    assert lead_client.get(address(study, "?width=0.2")).status_code == 409


def test_the_plan_is_no_part_of_the_report(study, lead_client):
    before = AgreementReport.objects.values("figures", "digest", "change").get()
    lead_client.get(address(study, "?width=0.2"))
    assert AgreementReport.objects.values("figures", "digest", "change").get() == before


def test_the_page_answers_for_each_type_and_says_what_is_undefined(study, lead_client):
    page = f"/p/{study.project.slug}/rounds/{study.round.number}/agreement/"
    asked = lead_client.get(page)
    assert "items now" not in words(asked)
    response = lead_client.get(page + "?coefficient=krippendorff_alpha&width=0.2")
    html = response.content.decode()
    part = html[html.index('id="plan"') :]
    response.content = part.encode()
    needed = expected_of(1, 0.2)
    assert row_of(response, "Lacks Evidence")[1:4] == ["20", f"{needed.width:.2f}", str(needed.more)]
    assert row_of(response, "Causality Flipped")[3:] == [
        "–",
        "Undefined: everyone used one and the same category, so chance agreement is 1 (0/0)",
    ]
    wide = lead_client.get(page + "?width=2")
    wide.content = wide.content[wide.content.index(b'id="plan"') :]
    assert row_of(wide, "Lacks Evidence")[3:] == ["0", "narrow enough now"]
    wrong = words(lead_client.get(page + "?width=-1"))
    assert "The width must be a number above 0 and up to 2." in wrong
