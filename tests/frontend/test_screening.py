"""The screening page sends what passed into a project that the person leads."""

import pytest
from django.core.cache import cache

from annotation import tasks
from annotation.importing import screening
from annotation.importing import uploads as uploading
from annotation.projects.projects import project_create
from annotation.rounds.lifecycle import round_close
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    made = factories.study("context_sufficiency", annotators=2, items=2, slug="s")
    factories.open_round(made)
    for member in made.annotators:
        factories.record(made.round, member, made.items[0], "CTX", {"applicable": True})
    round_close(made.round, by=made.lead)
    return made


def test_items_that_passed_are_sent_in_one_step(lead_client, study):
    target = project_create(slug="t", codebook="focus", user=study.lead.user)
    given = {"criteria": ["CTX"], "target": target.memberships.get().pk}
    page = lead_client.post("/p/s/screening/", given, follow=True).content.decode()
    assert "1 item is new in t; already there: 0." in page
    assert target.items.get().text == study.items[0].text


def test_nothing_that_passed_is_said_beside_the_form(lead_client, study):
    target = project_create(slug="t", codebook="focus", user=study.lead.user)
    given = {"criteria": ["TOP"], "target": target.memberships.get().pk}
    assert "No item has passed yet" in lead_client.post("/p/s/screening/", given).content.decode()


def test_many_items_are_sent_by_a_worker_while_the_target_shows_how_far_it_is(
    lead_client, study, monkeypatch, django_capture_on_commit_callbacks
):
    sent = []
    monkeypatch.setattr(uploading, "AT_ONCE_BYTES", 0)
    monkeypatch.setattr(tasks.import_upload, "delay", lambda *given: sent.append(given))
    target = project_create(slug="t", codebook="focus", user=study.lead.user)
    given = {"criteria": ["CTX"], "target": target.memberships.get().pk}
    with django_capture_on_commit_callbacks(execute=True):
        response = lead_client.post("/p/s/screening/", given)
    page = lead_client.get(response["Location"]).content.decode()
    assert "Waiting for a worker." in page and "What passed the screening of s" in page
    tasks.import_upload(*sent[0])
    page = lead_client.get(response["Location"]).content.decode()
    assert "<b>1</b> new item" in page and "Undo this import" in page
    assert target.items.get().text == study.items[0].text


def test_the_page_of_a_large_project_waits_for_its_counts(lead_client, study, monkeypatch):
    monkeypatch.setattr(screening, "AT_ONCE", 0)
    monkeypatch.setattr(tasks.count_screening, "delay", lambda project: None)
    cache.clear()
    page = lead_client.get("/p/s/screening/").content.decode()
    assert "The items are being counted" in page and "All topics" not in page
    assert "The items are being counted" in lead_client.get("/p/s/screening/?counting").content.decode()
    tasks.count_screening(study.project.pk)
    assert lead_client.get("/p/s/screening/?counting")["HX-Refresh"] == "true"
    page = lead_client.get("/p/s/screening/").content.decode()
    assert "All topics" in page and "being counted" not in page
    # The worker knows no reader's language: the page says the words.
    page = lead_client.get("/p/s/screening/", headers={"accept-language": "es"}).content.decode()
    assert "Todos los temas" in page and "All topics" not in page
    cache.clear()


def test_projects_that_the_person_does_not_lead_are_no_target(lead_client, study):
    foreign = project_create(slug="t", codebook="focus", user=factories.user("olu"))
    given = {"criteria": ["CTX"], "target": foreign.memberships.get().pk}
    page = lead_client.post("/p/s/screening/", given).content.decode()
    assert "You lead no other FOCUS project." in page
    assert foreign.items.count() == 0


def test_a_project_with_spans_has_no_screening(lead_client):
    factories.study("focus", slug="f")
    response = lead_client.get("/p/f/screening/")
    assert response.status_code == 409
    assert "yes/no criteria without spans" in response.content.decode()
