"""The report of a matching round: who picked the same reference or gave the same label; what is disputed."""

import pytest
from django.utils.translation import override
from sklearn.metrics import cohen_kappa_score

from agreement.adjudication.against_decisions import read_resolved
from agreement.computation.compute import report_compute
from agreement.models import AgreementReport, DisputedUnit
from agreement.report.judgements import outcome_categories, picked_codes
from agreement.report.loading import read_judgements
from annotation.adjudication.adjudication import ResolutionInput, resolution_current, resolution_decide
from annotation.judging.recording import Unit
from annotation.models import Question
from annotation.rounds.lifecycle import round_close
from core.errors import Refused
from tests import factories
from tests.conftest import client_of
from tests.factories import candidate_of, matching_study, record, reference_of

pytestmark = pytest.mark.django_db

WEATHER, PAYS, LIKE = (
    "Was it the weather?",
    "Who pays for barriers?",
    "Is a river road like a high street?",
)


def judge(made: factories.Study, question: Question, *answers: int | str | None) -> None:
    """Give each annotator's answer: the place of a reference, a label, or nothing."""
    for member, answer in zip(made.annotators, answers, strict=True):
        if isinstance(answer, int):
            item = made.items.index(question.item)
            given = {"label": "REF", "reference": reference_of(made, answer, item).pk}
        else:
            given = {"label": answer, "comment": "So.", "reason": "NC" if answer == "IN" else ""}
        if answer is not None:
            record(made.round, member, question.item, question, given)


@pytest.fixture
def made() -> factories.Study:
    """Four candidates: the same reference, different ones, a reference and a label, different labels."""
    made = matching_study()
    judge(made, candidate_of(made, WEATHER), 2, 2)
    judge(made, candidate_of(made, PAYS), 1, 2)
    judge(made, candidate_of(made, LIKE), 0, "USE")
    judge(made, candidate_of(made, WEATHER, item=1), "USE", "UN")
    round_close(made.round, by=made.lead)
    assert report_compute(report_id=AgreementReport.objects.get().id)
    return made


def test_picked_references_are_ranked_within_a_question_by_votes_then_by_place():
    votes = [(1, 5), (1, 2), (1, 5), (2, 4), (2, 3)]
    assert picked_codes(votes) == {1: {5: "REF", 2: "REF2"}, 2: {3: "REF", 4: "REF2"}}
    assert [code for code, _ in outcome_categories({})] == ["REF", "REF2"]
    assert [code for code, _ in outcome_categories({1: {1: "REF", 2: "REF2", 3: "REF3"}})] == [
        "REF",
        "REF2",
        "REF3",
    ]


def test_two_agree_where_they_picked_the_same_reference_or_gave_the_same_label(made):
    figures = AgreementReport.objects.get().figures
    sections = {section["key"]: section for section in figures["sections"]}
    assert list(sections) == ["labels", "matched", "labels_of_none", "reasons"]
    outcome = sections["labels"]
    assert outcome["estimates"]["observed_agreement"]["value"] == pytest.approx(1 / 4)
    assert outcome["labels"] == {"USE": 2, "UN": 1, "IN": 0, "REF": 4, "REF2": 1}
    first = ["REF", "REF", "REF", "USE"]
    second = ["REF", "REF2", "USE", "UN"]
    expected = cohen_kappa_score(first, second)
    assert outcome["estimates"]["cohen_kappa"]["value"] == pytest.approx(expected)
    matched = sections["matched"]["estimates"]
    assert matched["observed_agreement"]["value"] == pytest.approx(3 / 4)
    assert matched["cohen_kappa"]["value"] == pytest.approx(cohen_kappa_score([1, 1, 1, 0], [1, 1, 0, 0]))
    assert sections["labels_of_none"]["n_pairable"] == 1


def test_the_same_judgements_have_the_same_digest_whatever_the_keys(made):
    assert read_judgements(made.round).digest() == read_judgements(made.round).digest()


def test_what_has_no_majority_is_disputed(made):
    disputed = {
        unit.question.text: unit.votes for unit in DisputedUnit.objects.filter(question__item=made.items[0])
    }
    assert disputed == {PAYS: [["REF", 1], ["REF2", 1]], LIKE: [["REF", 1], ["USE", 1]]}


def test_a_lead_decides_for_a_reference_or_a_label(made, lead_client):
    question = candidate_of(made, PAYS)
    address = f"/p/{made.project.slug}/rounds/1/units/{made.items[0].pk}/{question.pk}/"
    shown = lead_client.get(address).context["shown"]
    picked = [side for side in shown.sides if side.value.startswith("REF:")]
    # The first reference is left out for this question.
    assert [(side.quote, side.who) for side in picked] == [
        (factories.QUESTIONS[1], ("A2",)),
        (factories.QUESTIONS[2], ("A3",)),
    ]
    assert len(shown.sides) == 2 + 7
    given = {"side": picked[1].value, "why": "Both ask for a comparison.", "seen": ""}
    lead_client.post(f"{address}decide/", given)
    made_of = resolution_current(made.items[0], Unit(question_id=question.pk))
    assert (made_of.label, made_of.reference.place) == ("REF", 2)
    with override("en"):
        assert f"asks the same as “{factories.QUESTIONS[2]}”" in lead_client.get(address).content.decode()
    lead_client.post(f"{address}decide/", {"side": "USE:", "why": "No.", "seen": str(made_of.pk)})
    assert resolution_current(made.items[0], Unit(question_id=question.pk)).label == "USE"


def test_a_lead_cannot_decide_for_a_reference_that_was_not_offered(made):
    question = candidate_of(made, PAYS)
    with pytest.raises(Refused) as refused:
        resolution_decide(
            item=made.items[0],
            unit=Unit(question_id=question.pk),
            member=made.lead,
            codebook=made.round.codebook,
            given=ResolutionInput(label="REF", reference=reference_of(made, 0).pk, why="x"),
            seen=None,
        )
    assert list(refused.value.errors) == ["reference"]


def test_annotators_are_compared_with_decisions_by_the_reference_itself(made):
    resolution_decide(
        item=made.items[0],
        unit=Unit(question_id=candidate_of(made, PAYS).pk),
        member=made.lead,
        codebook=made.round.codebook,
        given=ResolutionInput(label="REF", reference=reference_of(made, 2).pk, why="x"),
        seen=None,
    )
    codes = [entry["code"] for entry in AgreementReport.objects.get().figures["categories"]]
    units = read_resolved(made.round, categories=codes, annotators=["A2", "A3"])
    assert units.key.tolist() == [codes.index("REF")]
    assert units.ratings.tolist() == [[codes.index("REF2"), codes.index("REF")]]


def test_the_pages_of_the_report_and_of_ones_decisions_name_references(made, lead_client):
    slug = made.project.slug
    page = lead_client.get(f"/p/{slug}/rounds/1/agreement/")
    assert page.status_code == 200
    assert "The reference picked, or the label" in page.content.decode()
    assert lead_client.get(f"/p/{slug}/rounds/1/agreement/units/").status_code == 200
    assert lead_client.get(f"/p/{slug}/rounds/1/disagreements/").status_code == 200
    mine = client_of("ann").get(f"/p/{slug}/rounds/1/mine/")
    assert mine.status_code == 200
