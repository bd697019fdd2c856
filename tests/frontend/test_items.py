"""Leads find items, and withdraw and restore them."""

import pytest

from annotation.judging.workspace import workspace_units
from annotation.models import ProjectEvent
from tests import factories
from tests.conftest import client_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    made = factories.study("focus", annotators=2, items=4, slug="s")
    factories.open_round(made)
    return made


def test_items_are_found_by_words_and_topic(lead_client, study):
    found = lead_client.get("/p/s/items/", {"q": "Café"}).context["page"]
    assert [item.text[:4] for item in found] == ["Café"]
    assert len(lead_client.get("/p/s/items/", {"topic": "topic 1"}).context["page"]) == 2
    assert study.items[0] in lead_client.get("/p/s/items/", {"q": study.items[0].external_id}).context["page"]


def test_items_come_page_by_page_and_keep_the_filter(lead_client, study):
    factories.add_items(study.project, 60)
    page = lead_client.get("/p/s/items/", {"q": "I-"}).content.decode()
    assert 'href="?q=I-&amp;page=2"' in page
    second = lead_client.get("/p/s/items/", {"q": "I-", "page": "2"}).context["page"]
    assert (len(second), second.has_previous, second.has_next, second.end_index) == (14, True, False, 64)


def test_a_withdrawn_item_leaves_the_annotators_queue_and_comes_back(lead_client, study):
    ann, item = study.annotators[0], study.items[0]
    lead_client.post(f"/p/s/items/{item.pk}/withdraw/", {"why": "take-down request"})
    texts = [unit["item"]["id"] for unit in workspace_units(ann, study.round)["results"]]
    assert item.external_id not in texts and len(texts) == 3
    assert "0 of 30 decided" in client_of("ann").get("/").content.decode()
    assert "take-down request" in lead_client.get(f"/p/s/items/{item.pk}/").content.decode()
    assert lead_client.get("/p/s/items/?withdrawn=on").context["page"].end_index == 1
    lead_client.post(f"/p/s/items/{item.pk}/restore/")
    assert len(workspace_units(ann, study.round)["results"]) == 4
    actions = ProjectEvent.objects.filter(details__item=item.external_id).values_list("action", flat=True)
    assert list(actions) == ["item restored", "item withdrawn"]


def test_withdrawing_needs_a_reason(lead_client, study):
    lead_client.post(f"/p/s/items/{study.items[0].pk}/withdraw/", {"why": " "})
    study.items[0].refresh_from_db()
    assert study.items[0].withdrawn_at is None


def test_items_of_another_project_cannot_be_reached(lead_client, study):
    foreign = factories.study("focus", slug="other").items[0]
    for act in ("", "withdraw/"):
        assert lead_client.get(f"/p/s/items/{foreign.pk}/{act}").status_code == 404
    lead_client.post(f"/p/s/items/{foreign.pk}/withdraw/", {"why": "x"})
    foreign.refresh_from_db()
    assert foreign.withdrawn_at is None


def test_every_page_of_items_goes_on_where_the_one_before_ended(lead_client, study):
    factories.add_items(study.project, 116)
    pages = [lead_client.get("/p/s/items/", {"page": page}).context["page"] for page in (1, 2, 3)]
    assert [len(page) for page in pages] == [50, 50, 20]
    assert [item.external_id for page in pages for item in page] == [f"I-{n}" for n in range(1, 121)]


def test_items_of_an_import_that_is_not_done_are_on_no_page(lead_client, study):
    factories.add_items(study.project, 2)
    study.project.imports.filter(items__external_id="I-5").update(state="undone")
    page = lead_client.get("/p/s/items/").context["page"]
    assert [item.external_id for item in page] == ["I-1", "I-2", "I-3", "I-4"]


def test_the_topics_to_choose_from_are_those_of_the_project_each_once(lead_client, study):
    foreign = factories.study("focus", slug="other")
    foreign.project.items.update(topic="elsewhere")
    study.project.items.filter(external_id="I-4").update(topic="")
    study.project.items.filter(external_id="I-3").update(topic="Ähren 🎉")
    topics = lead_client.get("/p/s/items/").context["topics"]
    assert sorted(topics) == ["topic 0", "topic 1", "Ähren 🎉"]
    study.project.items.update(topic="")
    assert lead_client.get("/p/s/items/").context["topics"] == []
