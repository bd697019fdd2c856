"""The screening page sends what passed into a project that the person leads."""

import pytest

from annotation.projects import project_create
from annotation.rounds import round_close
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
    assert "1 items are new in t, 0 were there already." in page
    assert target.items.get().text == study.items[0].text


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
