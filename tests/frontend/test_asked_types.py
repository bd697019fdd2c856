"""The pages and the API by which a lead says what a round asks of each text, and what they count."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.models import KeyAnswer, Round
from annotation.rounds.lifecycle import round_close, round_create, round_draw
from tests import factories
from tests.conftest import client_of
from tests.factories import asked_rounds

pytestmark = pytest.mark.django_db


def page(made, rest="") -> str:
    return f"/p/{made.project.slug}/rounds/{made.round.number}/{rest}"


def api(made, rest) -> str:
    return f"/api/projects/{made.project.slug}/rounds/{made.round.number}/{rest}"


def types_of(made) -> list[str | None]:
    return list(made.round.round_items.order_by("item").values_list("types", flat=True))


@pytest.fixture
def drawn():
    made = factories.study("focus", annotators=2, items=4, texts=asked_rounds.TEXTS)
    made.round = round_create(project=made.project, member=made.lead)
    round_draw(made.round, member=made.lead)
    return made


def test_a_lead_ticks_the_types_of_each_value(drawn, lead_client):
    html = lead_client.get(page(drawn, "asked/?field=topic")).content.decode()
    assert "all types of the round" in html and "topic 0" in html
    given = {"by": "field", "field": "topic", "types-0": ["LE", "WE"], "types-1": ["OSP", "TC"]}
    answer = lead_client.post(page(drawn, "asked/"), given, follow=True)
    assert answer.redirect_chain[-1][0] == page(drawn)
    text = answer.content.decode()
    assert "by the field “topic” of the text" in text and "8 judgements for whoever has all texts" in text
    assert types_of(drawn) == ["OSP TC", "LE WE", "OSP TC", "LE WE"]
    html = lead_client.get(page(drawn, "asked/")).content.decode()
    assert html.count(" checked") == 4
    lead_client.post(page(drawn, "asked/"), {"by": "round"})
    assert types_of(drawn) == [None] * 4


def test_what_is_missing_is_said_and_what_was_ticked_stays(drawn, lead_client):
    answer = lead_client.post(page(drawn, "asked/"), {"by": "field", "field": "topic", "types-1": ["OSP"]})
    html = answer.content.decode()
    assert "values of “topic”: topic 0" in html and html.count(" checked") == 1
    answer = lead_client.post(page(drawn, "asked/"), {"by": "field", "field": "topic"})
    assert "Choose at least one type" in answer.content.decode()
    assert types_of(drawn) == [None] * 4


def test_a_file_can_say_it(drawn, lead_client):
    def sent(text: str) -> str:
        file = SimpleUploadedFile("asked.csv", text.encode())
        return lead_client.post(
            page(drawn, "asked/"), {"by": "file", "file": file}, follow=True
        ).content.decode()

    assert "“XX” is no type of the codebook" in sent("item,types\nI-1,XX\n")
    assert "these items: I-2, I-3, I-4" in sent("item,types\nI-1,LE\n")
    assert types_of(drawn) == [None] * 4
    rows = "".join(f'I-{number},"LE, CF"\n' for number in range(1, 5))
    assert "by the file asked.csv" in sent(f"item,types\n{rows}")
    assert types_of(drawn) == ["CF LE"] * 4


def test_only_leads_see_it_and_an_open_round_is_only_shown(drawn, lead_client):
    assert client_of("ann").get(page(drawn, "asked/")).status_code in (403, 404)
    made = asked_rounds.opened(annotators=1)
    html = lead_client.get(page(made, "asked/")).content.decode()
    assert "It is frozen" in html and '<form method="post"' not in html.split("<h1>")[1]
    answer = lead_client.post(page(made, "asked/"), {"by": "round"})
    assert "only while the round is a draft" in answer.content.decode()
    assert types_of(made) == ["OSP TC", "LE WE", "OSP TC", "LE WE"]


def test_the_api_shows_and_chooses_what_is_asked(drawn, lead_client):
    given = {"field": "topic", "types": asked_rounds.BY_TOPIC}
    answer = lead_client.put(api(drawn, "asked/"), given, content_type="application/json")
    assert answer.status_code == 200
    shown = answer.json()
    assert (shown["by"], shown["field"], shown["judgements"]) == ("field", "topic", 8)
    assert (shown["items_asked"]["OSP"], shown["items_asked"]["VAT"]) == (2, 0)
    assert lead_client.get(api(drawn, "asked/")).json() == shown
    items = {f"I-{number}": ["LE"] for number in range(1, 5)}
    answer = lead_client.put(api(drawn, "asked/"), {"items": items}, content_type="application/json")
    assert (answer.json()["by"], answer.json()["judgements"]) == ("file", 4)
    wrong = lead_client.put(api(drawn, "asked/"), {"items": {"I-1": ["ZZ"]}}, content_type="application/json")
    assert wrong.status_code == 422 and list(wrong.json()["errors"]) == ["asked"]
    assert lead_client.put(api(drawn, "asked/"), {}, content_type="application/json").json()["by"] == "round"
    assert client_of("ann").get(api(drawn, "asked/")).status_code == 403


def test_pages_of_planning_count_what_is_asked(lead_client):
    made = asked_rounds.planned(annotators=2)
    html = lead_client.get(page(made, "draw/?how=all")).content.decode()
    assert "8 judgements for an annotator who has them all" in html
    assert "by the field “topic” of the text" in html
    chosen = [member.pk for member in made.annotators]
    html = lead_client.get(page(made, "open/"), {"choose": 1, "annotators": chosen}).content.decode()
    assert "8 judgements" in " ".join(html.split())


def test_the_key_of_a_training_round_needs_what_is_asked(lead_client):
    made = asked_rounds.planned(purpose="training")
    KeyAnswer.objects.create(round=made.round, item=made.items[0], type_code="OSP", applicable=False)
    html = lead_client.get(page(made, "key/")).content.decode()
    assert "1 of 8 units have an answer" in html
    rows = "item,type,applicable\nI-1,OSP,no\nI-1,LE,no\n"
    answer = lead_client.post(page(made, "key/"), {"file": SimpleUploadedFile("k.csv", rows.encode())})
    assert "does not ask LE of “I-1”" in answer.content.decode()


def test_the_page_of_a_unit_that_was_not_asked_is_not_there(lead_client):
    made = asked_rounds.judged()
    round_close(made.round, by=made.lead)
    item = made.items[0]
    assert lead_client.get(page(made, f"units/{item.pk}/OSP/")).status_code == 200
    assert lead_client.get(page(made, f"units/{item.pk}/LE/")).status_code == 404


def test_progress_pages_count_what_is_asked(lead_client):
    made = asked_rounds.judged()
    assert "23 of 24 decided" in lead_client.get(page(made)).content.decode()
    shown = lead_client.get(api(made, "")).json()["progress"]
    assert [(row["decided"], row["total"]) for row in shown] == [(8, 8), (8, 8), (7, 8)]
    assert "1 judgement is still missing" in lead_client.get(page(made, "close/")).content.decode()


def test_an_import_by_browser_asks_by_a_field(lead_client):
    made = factories.study("focus", annotators=0, items=2, texts=asked_rounds.TEXTS)
    rows = [
        {"item": item, "type": code, "annotator": "Mo", "applicable": False}
        for item, code in (("I-1", "OSP"), ("I-2", "LE"))
    ]
    file = SimpleUploadedFile("j.jsonl", "\n".join(json.dumps(row) for row in rows).encode())
    address = f"/p/{made.project.slug}/import/"
    given = {"file": file, "holds": "judgements", "round_name": "Old", "asked": "field"}
    given |= {"asked_field": "topic", "asked_types": "topic 1 = OSP, TC\ntopic 0 = LE, WE"}
    wrong = lead_client.post(address, {**given, "asked_types": "topic 1"})
    assert "is not VALUE=TYPE,TYPE" in wrong.content.decode()
    file.seek(0)
    checked = lead_client.post(address, given, follow=True)
    lead_client.post(checked.redirect_chain[-1][0], {"act": "import"})
    round = Round.objects.get(project=made.project, name="Old")
    assert list(round.round_items.order_by("item").values_list("types", flat=True)) == ["OSP TC", "LE WE"]
