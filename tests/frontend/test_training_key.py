"""Leads set up a training round's key in the browser and read how its annotators did against it."""

import html
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.models import Resolution, Round
from annotation.rounds.lifecycle import round_close, round_create, round_draw
from annotation.rounds.opening import round_open
from frontend.pages.rounds import training
from tests import factories
from tests.conftest import client_of
from tests.factories import NO, yes

pytestmark = pytest.mark.django_db

TYPES = ("OSP", "TC", "IE", "BS", "VAT", "OG", "QCE", "CF", "LE", "WE")
HEADER = "item,type,applicable,start,end,quote,comment"
WHOLE = (
    *(f"I-1,{code},no,,,," for code in TYPES if code != "LE"),
    "I-1,LE,yes,4,11,library,No grades shown.",
)
KEY, ROUND = "/p/s/rounds/1/key/", "/p/s/rounds/1/"


@pytest.fixture
def made():
    made = factories.study("focus", items=1, annotators=2, slug="s")
    made.round = round_create(
        project=made.project, name="Training", purpose="training", overlap=2, pass_mark=90, member=made.lead
    )
    round_draw(made.round)
    return made


def upload(client, *rows: str, header: str = HEADER, **more):
    content = "\n".join([header, *rows]).encode() + b"\n"
    return client.post(KEY, {"file": SimpleUploadedFile("key.csv", content), **more}, follow=True)


def text_of(response) -> str:
    """Return a page's words without its tags and line breaks."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def decided(made, code: str, applicable: bool, **more) -> None:
    about = {"item": made.items[0], "source": "adjudicated", "member": made.lead, "why": "So we agreed."}
    Resolution.objects.create(type_code=code, applicable=applicable, **about, **more)


def opened(made, lead_client) -> None:
    upload(lead_client, *WHOLE)
    round_open(made.round, members=made.annotators, by=made.lead)


def answered(made, member, **wrong: str) -> None:
    """Answer every unit as the key does, but for the types in `wrong` (yes with this quote, or no)."""
    item = made.items[0]
    given = {"LE": "library"} | wrong
    for code in TYPES:
        factories.record(made.round, member, item, code, yes(item, given[code]) if given.get(code) else NO)


def test_a_training_round_is_planned_with_its_pass_mark(lead_client, made):
    plan = {
        "name": "",
        "purpose": "training",
        "overlap": "2",
        "order": "by_type",
        "seed": "0",
        "types": TYPES,
    }
    codebook = made.project.codebooks.get().pk
    lead_client.post("/p/s/rounds/new/", {**plan, "codebook": codebook, "pass_mark": "85"})
    planned = made.project.rounds.get(number=2)
    assert (planned.purpose, planned.pass_mark) == ("training", 85)
    assert "85 % of answers like the key" in text_of(lead_client.get("/p/s/rounds/2/"))


def test_a_pass_mark_without_training_or_above_a_hundred_is_refused_beside_its_field(lead_client, made):
    plan = {"name": "", "purpose": "main", "overlap": "2", "order": "by_type", "seed": "0", "types": TYPES}
    codebook = made.project.codebooks.get().pk
    page = lead_client.post("/p/s/rounds/new/", {**plan, "codebook": codebook, "pass_mark": "85"})
    assert page.context["form"].errors == {"pass_mark": ["Only a training round has a pass mark."]}
    page = lead_client.post(
        "/p/s/rounds/new/", {**plan, "purpose": "training", "codebook": codebook, "pass_mark": "101"}
    )
    assert list(page.context["form"].errors) == ["pass_mark"]
    assert made.project.rounds.count() == 1


def test_a_draft_says_what_its_key_misses_before_it_opens(lead_client, made):
    upload(lead_client, "I-1,LE,no,,,,", "I-1,TC,no,,,,")
    page = text_of(lead_client.get(ROUND))
    assert "2 of 10 units have an answer" in page
    assert "No answer yet for 8 units, of I-1. The round opens once every unit has one." in page
    page = text_of(lead_client.get(f"{ROUND}open/"))
    assert "The key has no answer for 8 of 10 units, of I-1: the round cannot open before." in page
    chosen = [member.pk for member in made.annotators]
    page = lead_client.post(f"{ROUND}open/", {"choose": "1", "annotators": chosen}, follow=True)
    assert "no answer for 8 units, of I-1" in text_of(page)
    assert Round.objects.get().status == "draft"


def test_an_uploaded_key_is_listed_and_lets_the_round_open(lead_client, made):
    response = upload(lead_client, *WHOLE)
    assert response.redirect_chain == [(ROUND, 302)]
    page = text_of(response)
    assert (
        "The key of Training is stored. Answers in it: 10." in page
        and "10 of 10 units have an answer" in page
    )
    assert "No answer yet" not in page
    rows = lead_client.get(KEY).context["rows"]
    listed = {answer.type_code: (words, answer.quote, answer.why) for answer, words in rows}
    assert len(listed) == 10
    assert (listed["LE"], listed["TC"]) == (("yes", "library", "No grades shown."), ("no", None, ""))
    assert "I-1 LE yes library No grades shown." in text_of(lead_client.get(KEY))
    chosen = [member.pk for member in made.annotators]
    lead_client.post(f"{ROUND}open/", {"choose": "1", "annotators": chosen})
    assert Round.objects.get().status == "open"
    event = made.project.events.get(action="key imported")
    assert (event.member, event.details) == (made.lead, {"round": "Training", "answers": 10})


def test_refused_rows_are_listed_with_their_places_and_the_old_key_stays(lead_client, made):
    upload(lead_client, *WHOLE)
    page = upload(lead_client, "I-1,LE,yes,4,11,Library,", "I-7,LE,no,,,,", "I-1,TC,yes,0,3,The,")
    assert [one["place"] for one in page.context["report"].refusals] == ["row 2", "row 3"]
    said = text_of(page)
    assert "2 rows of key.csv break a rule. Nothing was stored: the key is what it was." in said
    assert "row 3 item: “I-7” is not drawn into Training" in said
    key = {answer.type_code: (answer.applicable, answer.quote) for answer in made.round.key_answers.all()}
    assert len(key) == 10
    assert (key["LE"], key["TC"]) == ((True, "library"), (False, None))


def test_refused_rows_can_be_left_out(lead_client, made):
    upload(lead_client, *WHOLE)
    page = text_of(upload(lead_client, "I-7,LE,no,,,,", "I-1,TC,yes,0,3,The,", skip_invalid="on"))
    assert "The key of Training is stored. Answers in it: 1. Rows left out: 1." in page
    assert "The key is made of the others." in page and "“I-7” is not drawn" in page
    assert made.round.key_answers.get().quote == "The"


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("id,answer", "key.csv: row 1: no column 'item'"),
        (HEADER, "key.csv has no answers in it: the key stays as it is."),
    ],
)
def test_a_file_that_holds_no_key_is_refused_beside_its_field(lead_client, made, header, said):
    upload(lead_client, *WHOLE)
    page = upload(lead_client, header=header)
    assert said in page.context["form"].errors["file"][0]
    assert made.round.key_answers.count() == 10


def test_a_file_too_large_for_a_page_names_the_command(lead_client, made, monkeypatch):
    monkeypatch.setattr(training, "MAX_BYTES", 100)
    page = upload(lead_client, *WHOLE)
    assert "use manage.py import_key for it" in page.context["form"].errors["file"][0]
    assert not made.round.key_answers.exists()


def test_decided_units_become_the_key_once_the_lead_has_read_what_it_replaces(lead_client, made):
    upload(lead_client, *WHOLE)
    decided(made, "TC", False)
    decided(made, "WE", True, spans=[[20, 24], [4, 11]])
    assert "2 of its units are decided" in text_of(lead_client.get(ROUND))
    asked = text_of(lead_client.get(f"{KEY}decided/"))
    assert "Decided units of the round become its key, reasons too: 2 of 10." in asked
    assert "All answers that the key has now are taken away: 10." in asked
    assert made.round.key_answers.count() == 10
    page = text_of(lead_client.post(f"{KEY}decided/", follow=True))
    assert "The key of Training is stored. Answers in it: 2." in page and "No answer yet for 8 units" in page
    key = {answer.type_code: (answer.applicable, answer.quote) for answer in made.round.key_answers.all()}
    assert key == {"TC": (False, None), "WE": (True, "library")}
    assert set(made.round.key_answers.values_list("why", flat=True)) == {"So we agreed."}


def test_without_decisions_the_key_is_not_taken_away(lead_client, made):
    upload(lead_client, *WHOLE)
    assert "None of its units is decided" in text_of(lead_client.get(ROUND))
    page = text_of(lead_client.post(f"{KEY}decided/", follow=True))
    assert "None of the units of Training is decided: its key stays as it is." in page
    assert made.round.key_answers.count() == 10


def test_the_key_of_questions_is_listed_by_their_words(lead_client):
    made = factories.study("cqs_gen", items=1, questions=2, annotators=2, slug="s")
    made.round = round_create(project=made.project, purpose="training", member=made.lead)
    round_draw(made.round)
    rows = ("I-1,I-1-Q1,USE,,Opens it.", "I-1,I-1-Q2,IN,NC,")
    upload(lead_client, *rows, header="item,question,label,reason,comment")
    listed = [
        (answer.question.text, words, answer.why) for answer, words in lead_client.get(KEY).context["rows"]
    ]
    first, second = factories.QUESTIONS[:2]
    assert listed == [(first, "Useful", "Opens it."), (second, "Invalid (NC)", "")]


def test_a_long_key_comes_in_pages(lead_client, made):
    factories.add_items(made.project, 5)
    round_draw(made.round)
    upload(lead_client, *(f"I-{n},{code},no,,,," for n in range(1, 7) for code in TYPES))
    first, second = (lead_client.get(KEY, {"page": page}).context["rows"] for page in (1, 2))
    assert (len(first), len(second)) == (50, 10)
    assert {answer.item.external_id for answer, _ in second} == {"I-6"}


def test_results_say_who_passed_and_which_types_went_worst(lead_client, made):
    opened(made, lead_client)
    ann, bea = made.annotators
    answered(made, ann)
    answered(made, bea, LE="", TC="night")
    for state in ("open", "closed"):
        context = lead_client.get(ROUND).context
        shown = [
            (row.member.pk, row.outcome, row.all.agreed, row.all.answered, row.all.total, row.all.percent)
            for row in context["training"]
        ]
        assert shown == [(ann.pk, "passed", 10, 10, 10, 100), (bea.pk, "not passed", 8, 10, 10, 80)], state
        assert [[one.code for one in row.worst] for row in context["training"]] == [[], ["LE", "TC"]]
        worst = [(one.code, one.agreed, one.answered, one.percent) for one in context["training_types"]]
        assert worst[:3] == [("LE", 1, 2, 50), ("TC", 1, 2, 50), ("BS", 2, 2, 100)]
        if state == "open":
            round_close(made.round, by=made.lead)
    page = text_of(lead_client.get(ROUND))
    assert "A3 not passed 8 80 % 10 10 LE 0/1 , TC 0/1" in page
    assert "Pass mark: 90 %" in page


def test_whoever_has_answers_left_has_not_finished(lead_client, made):
    opened(made, lead_client)
    factories.record(made.round, made.annotators[0], made.items[0], "TC", NO)
    context = lead_client.get(ROUND).context
    shown = [(row.outcome, row.all.agreed, row.all.answered, row.all.percent) for row in context["training"]]
    assert shown == [("not finished", 1, 1, 100), ("not finished", 0, 0, None)]
    assert [(one.code, one.percent) for one in context["training_types"]][:2] == [("TC", 100), ("BS", None)]


def test_a_percent_is_rounded_down_as_passing_is(lead_client, made):
    factories.add_items(made.project, 2)
    round_draw(made.round, external_ids=["I-1", "I-2", "I-3"])
    upload(lead_client, *(f"I-{n},{code},no,,,," for n in (1, 2, 3) for code in TYPES))
    Round.objects.update(pass_mark=97)
    round_open(Round.objects.get(), members=made.annotators)
    ann = made.annotators[0]
    for item in made.project.items.all():
        for code in TYPES:
            wrong = (item.external_id, code) == ("I-1", "LE")
            factories.record(made.round, ann, item, code, yes(item, "library") if wrong else NO)
    row = lead_client.get(ROUND).context["training"][0]
    assert (row.all.agreed, row.all.total, row.all.percent, row.outcome) == (29, 30, 96, "not passed")


def test_a_round_without_a_pass_mark_is_finished_and_not_passed(lead_client, made):
    Round.objects.update(pass_mark=None)
    opened(made, lead_client)
    answered(made, made.annotators[0])
    outcomes = [row.outcome for row in lead_client.get(ROUND).context["training"]]
    assert outcomes == ["finished", "not finished"]


def test_the_key_is_frozen_once_the_round_is_open(lead_client, made):
    opened(made, lead_client)
    page = text_of(upload(lead_client, "I-1,LE,no,,,,"))
    assert "Training is open: its key is frozen." in page and "Upload a key" not in page
    assert made.round.key_answers.get(type_code="LE").applicable is True


def test_a_lead_who_annotates_in_the_round_sees_its_key_only_once_it_is_closed(lead_client, made):
    made.lead.is_annotator = True
    made.lead.save()
    upload(lead_client, *WHOLE)
    round_open(made.round, members=[made.lead, made.annotators[0]], by=made.lead)
    page = text_of(lead_client.get(KEY))
    assert "You annotate in this round" in page and "No grades shown." not in page
    round_close(made.round, by=made.lead)
    assert "No grades shown." in text_of(lead_client.get(KEY))


@pytest.mark.parametrize(("name", "status"), [("ann", 403), ("olu", 404)])
def test_nobody_but_leads_sees_or_sets_a_key(name, status, lead_client, made):
    upload(lead_client, *WHOLE)
    decided(made, "TC", True)
    factories.user("olu")
    other = client_of(name)
    for response in (
        other.get(KEY),
        upload(other, "I-1,LE,no,,,,"),
        other.post(f"{KEY}decided/"),
        other.get(ROUND),
    ):
        assert response.status_code == status
        assert "No grades shown." not in response.content.decode()
    assert made.round.key_answers.count() == 10


def test_other_rounds_have_no_key(lead_client, made):
    round_create(project=made.project, purpose="main")
    for address in ("/p/s/rounds/2/key/", "/p/s/rounds/2/key/decided/"):
        response = lead_client.get(address)
        assert response.status_code == 409
        assert "Round 2 is no training round: it has no key." in response.content.decode()


OTHERS = "Text number,Kind,Fits,From,To,Words,Remark"
NAMES = {
    "item": "Text number",
    "type": "Kind",
    "applicable": "Fits",
    "start": "From",
    "end": "To",
    "quote": "Words",
    "comment": "Remark",
}


def test_a_key_with_columns_of_other_names_is_read_when_the_lead_says_which_is_which(made, lead_client):
    columns = "\r\n".join(f" {ours} = {theirs} " for ours, theirs in NAMES.items())
    page = upload(lead_client, *WHOLE, header=OTHERS, columns=columns)
    assert "Answers in it: 10." in text_of(page)
    answer = made.round.key_answers.get(type_code="LE")
    assert (answer.quote, answer.why) == ("library", "No grades shown.")


@pytest.mark.parametrize(
    "columns, told",
    [
        ("item", "item: expected OURS=THEIRS, as in item=Nr. OURS can be item, type,"),
        ("annotator=Who", "annotator=Who: expected OURS=THEIRS"),
        ("item=Text number\ntype=Text number", "type=Text number: each column can stand for one thing only."),
        ("item=Nr", "no column 'Nr'; found 'Text number'"),
    ],
)
def test_other_names_that_cannot_be_are_refused_and_the_key_stays(made, lead_client, columns, told):
    upload(lead_client, *WHOLE)
    page = upload(lead_client, *WHOLE, header=OTHERS, columns=columns)
    assert told in html.unescape(text_of(page))
    assert made.round.key_answers.count() == 10
