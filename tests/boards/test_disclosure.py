"""Each feedback tells each reader what it says; test_disclosure_table.py searches every route."""

import json
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from boards.life import checking
from boards.life.boards import board_edit, board_switch
from boards.models import Board
from tests import factories
from tests.boards.made import asked, files, handed_in, questions_board, team
from tests.conftest import client_of

pytestmark = pytest.mark.django_db

BOARD, API = "/boards/ask/best/", "/api/boards/ask/best/"
READERS = {
    "outsider": None,
    "olu": "an account without a team",
    "tina": "the team",
    "hal": "another team",
    "ann": "an annotator of the project",
    "max": "a lead of another project",
}


@pytest.fixture(autouse=True)
def nobody_works(monkeypatch):
    for task in ("place_entry", "prepare_version", "compare_with_the_best"):
        monkeypatch.setattr(f"boards.tasks.{task}.delay", lambda key: None)


@pytest.fixture
def board():
    """Two teams with entries of different worth, and withheld references that nobody else has."""
    made, found = questions_board(items=8, in_all=10)
    other = factories.study("focus", slug="elsewhere")
    other.lead.user = factories.user("max")
    other.lead.save()
    factories.user("olu")
    team(found)
    team(found, "Harbour", "hal")
    handed_in(found, asked(made, right=3, tag="a"), name="First")
    handed_in(found, asked(made, right=1, tag="b"), name="Second")
    handed_in(found, asked(made, right=2, tag="c"), "hal", name="Third", may_be_shown=False)
    return made, found


@pytest.mark.parametrize(
    ("feedback", "public", "own", "others"),
    [
        ("full", ["0.25", "0.08"], ["0.08", "0.25"], ["0.17"]),
        ("rounded", ["0.25", "0.00"], ["0.00", "0.25"], ["0.25"]),
        ("better", ["0.25"], [None, "0.25"], ["0.17"]),
        ("after_close", [], [None, None], [None]),
    ],
)
def test_each_feedback_tells_each_reader_what_it_says(board, feedback, public, own, others):
    _, found = board
    board_edit(board=found, feedback=feedback)

    def scores(rows):
        return [row["figures"] and f"{row['figures']['value']:.2f}" for row in rows]

    for who in READERS:
        client = Client() if who == "outsider" else client_of(who)
        shown = client.get(API).json()
        assert [row["printed"] for row in shown["rows"]] == public, who
        assert "Third" not in json.dumps(shown), who
        page = client.get(BOARD).content.decode()
        assert [row in page for row in ("First", "Second")] == ["0.25" in public, len(public) == 2]
        assert bool(shown["trivial"]) == (feedback != "after_close")
        if feedback == "rounded":
            assert all(row["labels"] == {} for row in shown["rows"])
            assert re.search(r"0\.08\d|0\.1666", json.dumps(shown)) is None
    assert scores(client_of("tina").get(f"{API}submissions/").json()) == own
    assert scores(client_of("hal").get(f"{API}submissions/").json()) == others
    assert client_of("olu").get(f"{API}submissions/").status_code == 403
    assert "0.08" in client_of("lea").get("/p/ask/boards/best/").content.decode()


def test_what_waits_for_the_close_is_told_then(board):
    _, found = board
    board_edit(board=found, feedback="after_close")
    assert Client().get(API).json()["rows"] == []
    board_switch(board=found, state="closed")
    assert [row["printed"] for row in Client().get(API).json()["rows"]] == ["0.25", "0.08"]


def test_a_hidden_board_is_not_there_for_anybody_but_leads(board):
    _, found = board
    board_switch(board=found, state="hidden")
    for who in READERS:
        client = Client() if who == "outsider" else client_of(who)
        for address in (BOARD, f"{BOARD}board.json", f"{BOARD}template.json", API):
            assert client.get(address).status_code == 404, (who, address)
    assert client_of("lea").get(BOARD).status_code == 200
    assert Board.objects.get().state == "hidden"


def test_a_check_opens_nothing_that_is_kept_inside(board, monkeypatch):
    made, _ = board
    checking._public.cache_clear()
    opened = []
    real = checking.release_files

    def watched(release):
        found = real(release)
        read = found.read
        return type(found)(found.name, found.names, lambda name: opened.append(name) or read(name))

    monkeypatch.setattr(checking, "release_files", watched)
    monkeypatch.setattr("scoring.systems.submissions.release_files", watched)
    for content in (asked(made, right=4, tag="q"), {"Z": {}}):
        data = files(content)[0].data
        client_of("tina").post(f"{API}check/", {"files": SimpleUploadedFile("m.json", data)})
    assert opened == ["codebook.toml", "cqs_gen.test.json"]
