"""One unit: everybody's answers, the lead's decision, and the discussion with the annotators."""

import pytest

from annotation.adjudication.adjudication import resolution_current, unit_claim
from annotation.judging.recording import Unit
from annotation.models import Comment, Resolution
from annotation.projects.projects import member_add
from tests import factories
from tests.conftest import client_of
from tests.factories.reports import DISPUTED, disputed_questions, disputed_study

pytestmark = pytest.mark.django_db

LE = Unit("LE")


@pytest.fixture
def study():
    return disputed_study()


def address(made, act: str = "", key: str = "LE") -> str:
    slug = made.project.slug
    return f"/p/{slug}/rounds/1/units/{made.items[0].pk}/{key}/{act}"


def test_the_text_shows_everybodys_span_and_the_sides_name_who_took_them(lead_client, study):
    shown = lead_client.get(address(study)).context["shown"]
    assert "".join(segment.text for segment, *_ in shown.pieces) == DISPUTED
    assert [(segment.text, names) for segment, _, names, _ in shown.pieces if names] == [
        ("The library", ["A2"]),
        ("grades fell", ["A3"]),
    ]
    assert [(side.value, side.quote, side.who) for side in shown.sides] == [
        ("no", "", ("A4",)),
        ("yes:0-11", "The library", ("A2",)),
        ("yes:51-62", "grades fell", ("A3",)),
    ]


def test_taking_a_side_decides_the_unit(lead_client, study):
    given = {"side": "yes:51-62", "why": "The claim about grades is bare.", "seen": "", "in_guideline": "on"}
    response = lead_client.post(address(study, "decide/"), given)
    assert response["Location"] == address(study)
    made = resolution_current(study.items[0], LE)
    assert (made.applicable, made.spans, made.in_guideline) == (True, [[51, 62]], True)
    assert "Yes: “grades fell”" in lead_client.get(address(study)).content.decode()


def test_another_span_is_found_by_its_words_or_by_its_place(lead_client, study):
    given = {"side": "other", "words": "Everyone's grades", "why": "x", "seen": ""}
    lead_client.post(address(study, "decide/"), given)
    first = resolution_current(study.items[0], LE)
    assert first.spans == [[40, 57]]
    given = {"side": "other", "start": "4", "end": "11", "why": "x", "seen": first.pk}
    lead_client.post(address(study, "decide/"), given)
    assert resolution_current(study.items[0], LE).spans == [[4, 11]]


def test_words_that_stand_twice_are_refused_and_what_was_typed_stays(lead_client, study):
    response = lead_client.post(
        address(study, "decide/"), {"side": "other", "words": "l", "why": "My reason.", "seen": ""}
    )
    page = response.content.decode()
    assert response.status_code == 409
    assert "give words that stand there exactly once" in page and "My reason." in page
    assert not Resolution.objects.exists()


def test_a_decision_without_reason_is_refused(lead_client, study):
    page = lead_client.post(address(study, "decide/"), {"side": "no", "why": " ", "seen": ""})
    assert "Say why" in page.content.decode()
    assert not Resolution.objects.exists()


def test_deciding_and_going_on_takes_the_next_unit_or_says_that_none_is_left(lead_client, study):
    given = {"side": "no", "why": "x", "seen": "", "and_next": "1"}
    page = lead_client.post(address(study, "decide/"), given, follow=True).content.decode()
    assert "Nothing is left to decide in this round." in page


def test_a_stale_decision_changes_nothing(lead_client, study):
    lead_client.post(address(study, "decide/"), {"side": "no", "why": "first", "seen": ""})
    page = lead_client.post(address(study, "decide/"), {"side": "yes:0-11", "why": "second", "seen": ""})
    assert "decided meanwhile" in page.content.decode()
    assert resolution_current(study.items[0], LE).why == "first"


def test_a_unit_that_another_lead_has_offers_no_decision(lead_client, study):
    lou = member_add(project=study.project, user=factories.user("lou"), is_lead=True)
    unit_claim(item=study.items[0], unit=LE, member=lou)
    page = lead_client.get(address(study)).content.decode()
    assert "L1 is deciding this unit until" in page and 'id="decide"' not in page
    lead_client.post(address(study, "decide/"), {"side": "no", "why": "x", "seen": ""})
    assert not Resolution.objects.exists()


def test_undo_and_history(lead_client, study):
    lead_client.post(address(study, "decide/"), {"side": "no", "why": "first", "seen": ""})
    first = resolution_current(study.items[0], LE)
    lead_client.post(address(study, "decide/"), {"side": "yes:0-11", "why": "second", "seen": first.pk})
    second = resolution_current(study.items[0], LE)
    lead_client.post(address(study, "undo/"), {"seen": second.pk})
    assert resolution_current(study.items[0], LE).why == "first"
    page = lead_client.get(address(study)).content.decode()
    assert "History: 3 decisions" in page


def test_a_question_is_decided_by_label_and_reason(lead_client):
    made = disputed_questions()
    question = made.items[0].questions.first()
    shown = lead_client.get(address(made, key=str(question.pk))).context["shown"]
    assert {side.value: side.who for side in shown.sides if side.who} == {
        "USE:": ("A2",),
        "UN:": ("A3",),
        "IN:NC": ("A4",),
    }
    given = {"side": "IN:NC", "edited_question": "Were there others?", "why": "New idea.", "seen": ""}
    lead_client.post(address(made, "decide/", str(question.pk)), given)
    decided = resolution_current(made.items[0], Unit("", question.pk))
    assert (decided.label, decided.reason, decided.edited_question) == ("IN", "NC", "Were there others?")


def test_annotators_of_the_round_read_and_discuss_but_do_not_decide(study):
    client = client_of("ann")
    page = client.get(address(study)).content.decode()
    assert "grades fell" in page and 'id="decide"' not in page
    client.post(address(study, "comment/"), {"text": "I saw a claim, @A3.", "act": "say"})
    assert Comment.objects.get().text == "I saw a claim, @A3."
    mine = client_of("bea").get("/p/s/rounds/1/discussion/?mine").context["rows"]
    assert [(row["type_code"], row["n"], row["settled"]) for row in mine] == [("LE", 1, False)]
    assert client.post(address(study, "decide/"), {"side": "no", "why": "x"}).status_code == 403
    assert client.post(address(study, "undo/"), {"seen": "1"}).status_code == 403
    assert not Resolution.objects.exists()


def test_a_member_who_did_not_annotate_in_the_round_sees_nothing_of_it(study):
    member_add(project=study.project, user=factories.user("dana"))
    client = client_of("dana")
    assert client.get(address(study)).status_code == 403
    assert client.post(address(study, "comment/"), {"text": "x"}).status_code == 403
    assert client.get("/p/s/rounds/1/discussion/").status_code == 403


def test_whoever_judges_the_text_in_an_open_round_does_not_see_others_answers(study):
    factories.open_round(study, name="Second")
    response = client_of("ann").get(address(study))
    assert response.status_code == 409
    page = response.content.decode()
    assert "You judge this text in Second, which is open." in page and "grades fell" not in page


def test_threads_are_settled_and_opened_again(lead_client, study):
    lead_client.post(address(study, "comment/"), {"text": "Well?", "act": "say"})
    lead_client.post(address(study, "comment/"), {"text": "", "act": "settle"})
    assert lead_client.get(address(study)).context["thread"].settled is True
    client_of("ann").post(address(study, "comment/"), {"text": "", "act": "reopen"})
    assert lead_client.get(address(study)).context["thread"].settled is False


def test_neighbours_follow_the_filters(lead_client, study):
    page = lead_client.get(address(study) + "?state=").content.decode()
    assert 'WE/?state=" data-key="j"' in page
    assert 'data-key="j"' not in lead_client.get(address(study) + "?type=LE").content.decode()


def test_units_of_other_rounds_and_projects_are_not_found(lead_client, study):
    other = disputed_study("other")
    assert lead_client.get(f"/p/s/rounds/1/units/{other.items[0].pk}/LE/").status_code == 404
    assert lead_client.get(address(study, key="ZZ")).status_code == 404
    question = disputed_questions().items[0].questions.first()
    assert lead_client.get(address(study, key=str(question.pk))).status_code == 404
