"""The key of a training round is made in the workspace: the lead answers its units."""

import pytest

from annotation.models import AnnotationEvent, KeyAnswer, TypeAnnotation
from annotation.rounds.asked_types import clean_asked, round_ask
from annotation.rounds.lifecycle import round_create, round_draw
from annotation.rounds.opening import round_open
from annotation.rounds.training import missing_key
from tests import factories
from tests.conftest import client_of
from tests.factories import asked_rounds

pytestmark = [pytest.mark.django_db, pytest.mark.database]

BASE = "/api/projects/s/rounds/1/key/"


def training(codebook="focus", **options):
    made = factories.study(codebook, items=2, annotators=2, slug="s", **options)
    made.round = round_create(
        project=made.project, name="Training", purpose="training", overlap=2, member=made.lead
    )
    round_draw(made.round, member=made.lead)
    return made


def send(client, item, answer, *, base=0, **unit):
    body = {"event_id": f"e{base}", "assignment": item.pk, "base_revision": base, "answer": answer, **unit}
    return client.post(f"{BASE}judgements/", body, content_type="application/json")


def span(item, quote, comment=""):
    return {**factories.yes(item, quote), "comment": comment}


def test_the_lead_reads_the_draft_as_an_open_round(lead_client):
    made = training()
    overview = lead_client.get(f"{BASE}workspace/").json()
    assert overview["round"]["name"] == "Setting the key of Training"
    # Not "training": there the first answer would lock and wait for a key.
    assert (overview["round"]["purpose"], overview["round"]["status"]) == ("key", "open")
    assert (overview["units_total"], overview["units_decided"], overview["assignments_total"]) == (20, 0, 2)
    first = lead_client.get(f"{BASE}units/", {"limit": 1}).json()
    assert [row["item"]["text"] for row in first["results"]] == [made.items[0].text]
    second = lead_client.get(f"{BASE}units/", {"after": first["next"]}).json()
    assert [row["assignment"] for row in second["results"]] == [made.items[1].pk]
    assert second["next"] is None
    assert second["results"][0]["asked"] == list(made.round.type_codes)


def test_an_answer_is_the_key_at_once_and_no_judgement(lead_client):
    made = training()
    item = made.items[0]
    told = send(lead_client, item, span(item, "library", "Who pays?"), type="LE").json()["row"]
    assert (told["applicable"], told["quote"], told["comment"], told["revision"]) == (
        True,
        "library",
        "Who pays?",
        1,
    )
    key = KeyAnswer.objects.get()
    assert (key.item, key.type_code, key.start, key.end, key.why) == (item, "LE", 4, 11, "Who pays?")
    assert not TypeAnnotation.objects.exists() and not AnnotationEvent.objects.exists()
    assert send(lead_client, item, {"applicable": False}, base=1, type="LE").json()["row"]["revision"] == 2
    shown = lead_client.get(f"{BASE}units/").json()["results"][0]["types"]
    assert (shown["LE"]["applicable"], shown["LE"]["quote"]) == (False, None)
    assert send(lead_client, item, None, base=2, type="LE").json()["row"]["applicable"] is None
    assert not KeyAnswer.objects.exists()
    assert send(lead_client, item, {"applicable": False}, base=3, type="LE").json()["row"]["revision"] == 4
    # The log says who sets the key, once, and never which answers it has.
    events = made.project.events.filter(action="key answered")
    assert [(event.member, event.details) for event in events] == [(made.lead, {"round": "Training"})]


def test_a_whole_key_opens_the_round(lead_client):
    made = training()
    for item in made.items:
        for code in made.round.type_codes:
            assert send(lead_client, item, {"applicable": False}, type=code).status_code == 200
    assert missing_key(made.round)[0] == 0
    round_open(made.round, members=made.annotators, by=made.lead)
    refused = send(lead_client, made.items[0], {"applicable": True}, base=1, type="LE")
    assert (refused.status_code, refused.json()["code"]) == (409, "round_not_draft")
    assert lead_client.get(f"{BASE}units/").status_code == 409
    assert lead_client.get("/p/s/rounds/1/key/answer/")["Location"] == "/p/s/rounds/1/key/"


def test_two_leads_do_not_overwrite_each_other(lead_client):
    made = training()
    item = made.items[0]
    send(lead_client, item, {"applicable": False}, type="LE")
    again = send(lead_client, item, {"applicable": False}, type="LE")
    assert (again.status_code, again.json()["row"]["revision"]) == (200, 1)
    other = send(lead_client, item, span(item, "library"), type="LE")
    assert (other.status_code, other.json()["code"]) == (409, "stale_revision")
    assert other.json()["row"]["applicable"] is False and not KeyAnswer.objects.get().applicable


@pytest.mark.parametrize(
    ("answer", "unit", "status"),
    [
        ({"applicable": True}, {"type": "LE"}, 422),
        ({"applicable": True, "start": 0, "end": 3, "quote": "xyz"}, {"type": "LE"}, 422),
        ({"cannot_judge": True, "comment": "Broken."}, {"type": "LE"}, 422),
        ({"applicable": False}, {"type": "ZZ"}, 404),
        ({"label": "USE"}, {"question": 1}, 404),
    ],
)
def test_what_the_protocol_or_a_key_forbids_is_not_stored(lead_client, answer, unit, status):
    made = training()
    assert send(lead_client, made.items[0], answer, **unit).status_code == status
    assert not KeyAnswer.objects.exists()


def test_labels_of_questions_are_a_key_too(lead_client):
    made = training("cqs_gen")
    item = made.items[0]
    first, second, _ = item.questions.order_by("position")
    row = send(lead_client, item, {"label": "IN", "reason": "BR"}, question=first.pk).json()["row"]
    assert (row["label"], row["reason"]) == ("IN", "BR")
    assert send(lead_client, item, {"label": "UN"}, question=second.pk).status_code == 422
    send(lead_client, item, {"label": "UN", "comment": "Well known."}, question=second.pk)
    assert list(KeyAnswer.objects.order_by("id").values_list("label", "reason", "why")) == [
        ("IN", "BR", ""),
        ("UN", "", "Well known."),
    ]
    questions = lead_client.get(f"{BASE}units/").json()["results"][0]["questions"]
    assert [one["row"] and one["row"]["label"] for one in questions] == ["IN", "UN", None]


def test_only_leads_reach_the_key_and_only_of_a_training_draft(lead_client):
    made = training()
    ann = client_of("ann")
    for path in ("workspace/", "units/"):
        assert ann.get(f"{BASE}{path}").status_code == 403
    assert send(ann, made.items[0], {"applicable": False}, type="LE").status_code == 403
    assert ann.get("/p/s/rounds/1/key/answer/").status_code == 403
    main = round_create(project=made.project, member=made.lead)
    assert lead_client.get("/p/s/rounds/2/key/answer/")["Location"] == "/p/s/rounds/2/"
    assert lead_client.get(f"/api/projects/s/rounds/{main.number}/key/units/").status_code == 409


def test_the_page_is_the_workspace_with_the_addresses_of_the_key(lead_client):
    training()
    page = lead_client.get("/p/s/rounds/1/key/answer/").content.decode()
    assert f'data-judgements-url="{BASE}judgements/"' in page and f'data-units-url="{BASE}units/"' in page
    assert "Back to the key" in page
    for path in ("/p/s/rounds/1/", "/p/s/rounds/1/key/"):
        assert "/p/s/rounds/1/key/answer/" in lead_client.get(path).content.decode()


def test_the_key_asks_of_each_text_what_the_round_asks_of_it(lead_client):
    made = asked_rounds.planned(purpose="training")
    base = f"/api/projects/{made.project.slug}/rounds/1/key/"
    overview = lead_client.get(f"{base}workspace/").json()
    assert (overview["units_total"], overview["units_decided"]) == (8, 0)
    texts = lead_client.get(f"{base}units/").json()["results"]
    wanted = [asked_rounds.BY_TOPIC[item.topic] for item in made.items]
    assert [row["asked"] for row in texts] == wanted
    assert [row["types_total"] for row in texts] == [2, 2, 2, 2]

    def answer(item, code):
        body = {"event_id": f"{item.pk}{code}", "assignment": item.pk, "base_revision": 0, "type": code}
        body["answer"] = {"applicable": False}
        return lead_client.post(f"{base}judgements/", body, content_type="application/json").status_code

    assert answer(made.items[0], "LE") == 404
    assert not KeyAnswer.objects.exists()
    for item, codes in zip(made.items, wanted, strict=True):
        assert [answer(item, code) for code in codes] == [200, 200]
    overview = lead_client.get(f"{base}workspace/").json()
    assert (overview["units_total"], overview["units_decided"]) == (8, 8)
    assert missing_key(made.round)[0] == 0
    types = {"topic 1": ["TC"], "topic 0": ["LE"]}
    round_ask(made.round, clean_asked({"field": "topic", "types": types}, made.round))
    # What is asked no more stays in the key, and is neither counted nor shown.
    overview = lead_client.get(f"{base}workspace/").json()
    assert (overview["units_total"], overview["units_decided"]) == (4, 4)
    texts = lead_client.get(f"{base}units/").json()["results"]
    assert [list(row["types"]) for row in texts] == [["TC"], ["LE"], ["TC"], ["LE"]]
