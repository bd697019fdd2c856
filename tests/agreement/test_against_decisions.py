"""Each annotator against what leads decided: which units count, and that the report stays as it is."""

import pytest

from agreement.adjudication.against_decisions import agreement_with_decisions
from agreement.computation.compute import report_compute
from agreement.models import AgreementReport
from annotation.adjudication.adjudication import ResolutionInput, resolution_decide, resolution_undo
from annotation.judging.recording import Unit
from annotation.models import Import, Item, Resolution
from annotation.rounds.lifecycle import round_close
from tests import factories
from tests.factories import stored
from tests.frontend.test_agreement_page import row_of, words

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def study():
    """Four texts; LE: A2 says yes to all, A3 to the first two, A4 to none and cannot judge the last."""
    made = factories.study(items=4)
    factories.open_round(made)
    ann, bea, cai = made.annotators
    for place, item in enumerate(made.items):
        stored.store_answers(made.round, item, ann, {"LE": (0, 3)})
        stored.store_answers(made.round, item, bea, {"LE": (0, 3) if place < 2 else False})
        stored.store_answers(made.round, item, cai, {"LE": "?" if place == 3 else False})
    made.round = round_close(made.round, by=made.lead)
    assert report_compute(report_id=AgreementReport.objects.get().id)
    return made


def decide(made, item, applicable):
    resolution = ResolutionInput(
        applicable=applicable, spans=((0, 3),) if applicable else (), why="It says so."
    )
    before = Resolution.objects.filter(item=item, superseded_at__isnull=True).first()
    return resolution_decide(
        item=item,
        unit=Unit(type_code="LE"),
        member=made.lead,
        codebook=made.round.codebook,
        given=resolution,
        seen=before.pk if before else None,
    )


def compared():
    found = agreement_with_decisions(AgreementReport.objects.get())
    return {
        name: (entry["n"], entry["agreement"]["value"], entry["kappa"]["value"])
        for name, entry in found.items()
    }


def test_answers_are_compared_with_the_current_decision_of_each_unit(study):
    assert compared() == {}
    for item, applicable in zip(study.items, (True, False, False, True), strict=True):
        decide(study, item, applicable)
    assert compared() == {"A2": (4, 0.5, 0.0), "A3": (4, 0.5, 0.0), "A4": (3, pytest.approx(2 / 3), 0.0)}
    decide(study, study.items[1], True)
    assert compared()["A3"] == (4, 0.75, 0.5)
    only = Resolution.objects.get(item=study.items[0])
    unit = Unit(type_code="LE")
    resolution_undo(item=study.items[0], unit=unit, member=study.lead, seen=only.pk)
    assert compared()["A3"][:2] == (3, pytest.approx(2 / 3))


def test_withdrawn_texts_and_published_labels_are_no_decisions(study):
    decide(study, study.items[0], True)
    decide(study, study.items[1], False)
    Resolution.objects.create(
        item=study.items[2],
        type_code="LE",
        applicable=True,
        source="imported",
        brought_by=Import.objects.first(),
    )
    assert compared()["A2"][:2] == (2, 0.5)
    Item.objects.filter(pk=study.items[1].pk).update(
        withdrawn_at="2026-01-01T00:00Z", withdrawn_reason="taken down"
    )
    assert compared()["A2"][:2] == (1, 1.0)


def test_labels_of_questions_are_compared_by_their_code():
    made = factories.study("cqs_gen", items=1, annotators=2, questions=2)
    factories.open_round(made)
    first, second = made.items[0].questions.order_by("position")
    for member, label in zip(made.annotators, ("USE", "UN"), strict=True):
        stored.store_label(made.round, first, member, label)
        stored.store_label(made.round, second, member, "USE")
    made.round = round_close(made.round, by=made.lead)
    assert report_compute(report_id=AgreementReport.objects.get().id)
    resolution_decide(
        item=made.items[0],
        unit=Unit(question_id=first.pk),
        member=made.lead,
        codebook=made.round.codebook,
        given=ResolutionInput(label="USE", why="It opens the point."),
        seen=None,
    )
    assert {name: found[:2] for name, found in compared().items()} == {"A2": (1, 1.0), "A3": (1, 0.0)}


def test_a_decision_changes_the_page_and_no_byte_of_the_report(study, lead_client):
    page = f"/p/{study.project.slug}/rounds/{study.round.number}/agreement/"
    before = AgreementReport.objects.values("figures", "digest", "change").get()
    assert "with decisions" not in words(lead_client.get(page))
    decide(study, study.items[3], True)
    decide(study, study.items[0], True)
    response = lead_client.get(page)
    assert "with decisions" in words(response)
    at = row_of(response, "Annotator").index("with decisions")
    assert row_of(response, "A2")[at] == "1.00 [0.00, 1.00] c κ – · 2"
    assert row_of(response, "A3")[at] == "0.50 [0.00, 1.00] b κ 0.00 · 2"
    assert row_of(response, "A4")[at] == "0.00 d κ 0.00 · 1"
    assert "Out of date." not in words(response)
    assert AgreementReport.objects.values("figures", "digest", "change").get() == before
