"""Whoever is not logged in comes to the page they wanted afterwards, also where a form was sent too late."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from boards.life.boards import board_switch
from tests import factories
from tests.boards.made import questions_board
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


TO_HAND_IN = "To hand in a system to the board Which asks best?, log in."
TO_READ = "To read what your team handed in to the board Which asks best?, log in."


def log_in_page(wanted: str, **given: str) -> str:
    """Return the words of the log-in page of whoever wanted this address, after a wrong password if given."""
    act = Client().post if given else Client().get
    page = act("/accounts/login/", {"next": wanted, **given})
    return " ".join(re.sub(r"<[^>]+>", "", page.content.decode()).split())


@pytest.mark.parametrize(
    ("page", "told"),
    [("hand-in/", TO_HAND_IN), ("hand-in/?a=b", TO_HAND_IN), ("team/", TO_READ), ("submissions/7/", TO_READ)],
)
def test_a_stranger_who_comes_from_a_board_reads_what_the_log_in_is_for(page, told):
    questions_board()
    sent = Client().get(f"/boards/ask/best/{page}")["Location"]
    shown = log_in_page(parse_qs(urlsplit(sent).query)["next"][0])
    assert told in shown
    assert "A link from the organisers makes you one" in shown
    assert "that your project lead invited" not in shown
    assert told in log_in_page(f"/boards/ask/best/{page}", login="tina", password="wrong")


def test_the_log_in_tells_nothing_of_a_board_that_is_hidden(study):
    _, hidden = questions_board(opened=False)
    shown = log_in_page("/boards/ask/best/hand-in/")
    assert hidden.title not in shown
    assert shown == log_in_page("/boards/ask/none/hand-in/")
    board_switch(board=hidden, state="open")
    assert TO_HAND_IN in log_in_page("/boards/ask/best/hand-in/")
    board_switch(board=hidden, state="hidden")
    assert hidden.title not in log_in_page("/boards/ask/best/hand-in/")


@pytest.mark.parametrize(
    "wanted",
    [
        "https://evil.example/boards/ask/best/hand-in/",
        "//evil.example/boards/ask/best/hand-in/",
        "javascript:/boards/ask/best/hand-in/",
        "/boards/ask/best/",
        "/p/ask/boards/best/",
        "/no/such/page/",
        "",
    ],
)
def test_the_log_in_names_no_board_for_other_pages_and_other_sites(wanted):
    questions_board()
    shown = log_in_page(wanted)
    assert "Which asks best?" not in shown
    assert "that your project lead invited" in shown
