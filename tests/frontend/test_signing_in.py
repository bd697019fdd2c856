"""Whoever is not logged in comes to the page they wanted afterwards, also where a form was sent too late."""

import pytest
from django.test import Client

from tests import factories
from tests.conftest import client_of

pytestmark = pytest.mark.django_db
HERE = "http://testserver"


@pytest.fixture
def study():
    return factories.study("focus", slug="s")


def sent_to(path: str, referer: str = "") -> str:
    headers = {"referer": referer} if referer else {}
    response = Client().post(path, {"text": "x"}, headers=headers)
    assert response.status_code == 302
    return response["Location"]


def test_a_page_is_what_one_comes_to_after_the_log_in(study):
    response = Client().get("/p/s/items/?q=a%20b")
    assert response["Location"] == "/accounts/login/?next=/p/s/items/%3Fq%3Da%2520b"


@pytest.mark.parametrize(
    ("referer", "page"),
    [
        (f"{HERE}/p/s/rounds/1/?x=1", "/p/s/rounds/1/%3Fx%3D1"),
        ("http://evil.example/p/s/", "/"),
        ("javascript:alert(1)", "/"),
        ("", "/"),
    ],
)
def test_a_form_that_came_too_late_leads_back_to_its_page_and_to_no_other_site(study, referer, page):
    assert sent_to("/p/s/rounds/1/pause/", referer) == f"/accounts/login/?next={page}"


def test_the_log_in_says_that_nothing_was_stored(study):
    client = Client()
    client.post("/p/s/settings/", {"name": "Other"}, headers={"referer": f"{HERE}/p/s/settings/"})
    page = client.get("/accounts/login/").content.decode()
    assert "You were logged out meanwhile: nothing was stored." in page
    study.project.refresh_from_db()
    assert study.project.name != "Other"


def test_the_address_of_a_form_is_no_empty_page(study):
    response = client_of(study.lead.user.username).get("/p/s/rounds/1/pause/")
    assert (response.status_code, response["Allow"]) == (405, "POST")
    assert "There is no page here" in response.content.decode()
