"""Nothing of a withheld reference reaches anybody but leads, whatever they open, send or read in the log."""

import json
import logging
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from boards.life import checking
from boards.life.boards import board_edit, board_switch
from boards.models import Board, Entry, Placing
from scoring.models import Answer
from tests import factories
from tests.boards.made import asked, files, handed_in, questions_board, reference, team, test_items
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
FEEDBACK = ("full", "rounded", "better", "after_close")
OWN = {"tina", "hal"}


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


def addresses(made):
    """Every route of boards that answers a GET, those of leads, and of the evaluations behind them."""
    entry = Entry.objects.order_by("pk").first()
    evaluation = Placing.objects.order_by("pk").first().evaluation_id
    ours = ("board.csv", "board.json", "template.json", "items.json", "release.json")
    lead = ("", "best/", "best/settings/", "best/version/", f"best/submissions/{entry.pk}/hide/")
    return [
        BOARD,
        f"{BOARD}?version=1",
        *(f"{BOARD}{name}" for name in ours),
        f"{BOARD}hand-in/",
        f"{BOARD}team/",
        f"{BOARD}team/progress/",
        f"{BOARD}submissions/{entry.pk}/",
        API,
        f"{API}submissions/",
        *(f"/p/ask/boards/{path}" for path in lead),
        f"/p/ask/evaluations/{evaluation}/",
        f"/p/ask/evaluations/{evaluation}/answers/",
        f"/p/ask/evaluations/{evaluation}/files/answers.jsonl",
        "/p/ask/releases/1.0/",
        f"/api/projects/ask/releases/1.0/evaluations/{evaluation}/",
        "/p/ask/systems/",
        "/p/ask/log/",
        "/releases/ask/1.0/",
        "/",
    ]


def sent(client, made):
    """Send what forms and programs send, right and wrong, and return the answers."""
    first = test_items(made)[0]
    wrong = {first: {"cqs": [{"cq": "x"}, {"cq": "X"}]}, "Z": {}}
    for content in (wrong, asked(made, tag="z"), [], asked(made, right=4, tag="y")):
        data = files(content)[0].data
        given = {"name": "Probe", "line": "", "link": ""}
        yield client.post(
            f"{BOARD}hand-in/", {**given, "act": "check", "runs": SimpleUploadedFile("m.json", data)}
        )
        yield client.post(f"{API}check/", {"files": SimpleUploadedFile("m.json", data)}, format="multipart")
    yield client.post("/p/ask/boards/best/export/", {"internal": "1"})


def told(response):
    body = b"".join(response.streaming_content) if response.streaming else response.content
    return body.decode("utf-8", "replace") + str(dict(response.headers))


def secrets(made):
    """What must not be read: withheld questions, their ids, and the similarities of the answers stored."""
    items = test_items(made)
    own = {item: reference(item, 0) for item in items}
    found = {reference(item, at) for item in items for at in (1, 2)}
    assert len(found | set(own.values())) == 3 * len(items)
    return found


@pytest.mark.parametrize("feedback", FEEDBACK)
def test_no_reader_of_any_route_meets_a_reference(board, feedback, caplog):
    made, found = board
    board_edit(board=found, feedback=feedback)
    Placing.objects.filter(is_better__isnull=True).update(is_better=True)
    hidden = secrets(made)
    assert Answer.objects.filter(label="Useful").count() == 6
    with caplog.at_level(logging.DEBUG):
        for who in READERS:
            client = Client() if who == "outsider" else client_of(who)
            for address in addresses(made):
                answer = client.get(address)
                text = told(answer)
                assert answer.status_code in (200, 302, 403, 404), (who, address, answer.status_code)
                leaked = [words for words in hidden if words.replace("?", "") in text]
                assert leaked == [], (who, address)
                assert "similarity" not in text, (who, address)
                if address.startswith(("/p/", "/api/projects/")):
                    assert answer.status_code != 200 or (who == "ann" and address == "/p/ask/"), (
                        who,
                        address,
                    )
            for answer in sent(client, made):
                text = told(answer)
                assert not any(words.replace("?", "") in text for words in hidden), who
    assert not any(words in record.getMessage() for record in caplog.records for words in hidden)


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
