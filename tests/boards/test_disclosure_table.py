"""Role by route by feedback: nothing of a withheld reference is in what anybody but leads is answered."""

import json
import logging
import zipfile
from contextlib import contextmanager
from io import BytesIO

import pytest
from django.db import transaction
from django.test import Client

from boards.life.boards import board_edit, board_switch
from boards.life.placings import placing_run, standing_refresh
from boards.life.teams import board_invite
from boards.models import Entry, Placing
from exports.models import Release
from scoring.models import Answer
from scoring.systems.storage import release_files
from tests import factories
from tests.boards.disclosure import AROUND, READERS, TABLE, Line, routes_of_boards
from tests.boards.made import asked, handed_in, questions_board, reference, team, test_items
from tests.conftest import client_of

pytestmark = pytest.mark.django_db

FEEDBACK = ("full", "rounded", "better", "after_close")
ITEMS = 8


@pytest.fixture(autouse=True)
def nobody_works(monkeypatch):
    for task in ("place_entry", "prepare_version", "compare_with_the_best"):
        monkeypatch.setattr(f"boards.tasks.{task}.delay", lambda key: None)


@pytest.fixture
def stage():
    """Two teams with entries of different worth, one that waits, and references that nobody else has."""
    made, board = questions_board(items=ITEMS, in_all=20, per_day=20, methods=["chrf:60", "exact"])
    other = factories.study("focus", slug="elsewhere")
    other.lead.user = factories.user("max")
    other.lead.save()
    factories.user("olu")
    team(board)
    team(board, "Harbour", "hal")
    handed_in(board, asked(made, right=3, tag="a"), name="First")
    handed_in(board, asked(made, right=1, tag="b"), name="Second")
    handed_in(board, asked(made, right=2, tag="c"), "hal", name="Third", may_be_shown=False)
    handed_in(board, asked(made, tag="d"), name="Fourth", run=False)
    invitation, token = board_invite(board=board, by=made.lead)
    places = {
        "entry": Entry.objects.get(name="First").pk,
        "evaluation": Placing.objects.filter(state="done").earliest("pk").evaluation_id,
        "invitation": invitation.pk,
        "token": token,
    }
    return made, board, places


def known_to(made, who):
    """Return the references that a reader wrote in a file of its own."""
    right = {"tina": 3, "hal": 2}.get(who, 0)
    return {reference(item, 0) for item in test_items(made)[:right]}


def secrets(made, who):
    """Return what this reader must not read: questions, ids of references, similarities."""
    items = test_items(made)
    questions = {reference(item, at) for item in items for at in range(3)} - known_to(made, who)
    inside = release_files(Release.objects.select_related("project").get()).read("internal/cqs_gen.test.json")
    ids = {one["id"] for entry in json.loads(inside).values() for one in entry["cqs"]}
    assert len(ids) == 3 * len(items)
    similar = set()
    for value in Answer.objects.exclude(similarity__isnull=True).values_list("similarity", flat=True):
        if 0 < value < 100 and not float(value).is_integer():
            similar |= {f"{value:.2f}", str(value)[:7], str(value / 100)[:8]}
    assert len(similar) >= 4
    return {words.replace("?", "") for words in questions} | ids | similar


@contextmanager
def undone():
    """Whatever is asked for changes nothing for the next one."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def answer_of(client, made, line, places):
    body = line.body(made) if callable(line.body) else line.body
    given = {} if body is None else {"data": body}
    if line.address.startswith("/api/") and line.method != "get" and not callable(line.body):
        given["content_type"] = "application/json"
    return getattr(client, line.method)(line.address.format(**places), **given)


def told(response):
    """Return all that a reader gets: body, names and contents of files in it, headers."""
    body = b"".join(response.streaming_content) if response.streaming else response.content
    if body.startswith(b"PK"):
        archive = zipfile.ZipFile(BytesIO(body))
        body = b"\n".join(name.encode() + archive.read(name) for name in archive.namelist())
    return body.decode("utf-8", "replace") + str(dict(response.headers))


def client_for(who):
    return Client() if who == "outsider" else client_of(who)


def test_every_route_of_boards_has_its_line_for_each_thing_that_it_does():
    there = dict(routes_of_boards())
    assert sorted(there) == sorted(TABLE)
    for name, methods in there.items():
        assert methods <= {line.method for line in TABLE[name]}, name
    assert {len(line.expected()) for lines in TABLE.values() for line in lines} == {len(READERS)}


@pytest.mark.parametrize("feedback", FEEDBACK)
def test_no_reader_of_any_route_meets_what_is_withheld(stage, feedback, caplog):
    made, board, places = stage
    board_edit(board=board, feedback=feedback)
    lines = [(name, line) for name, lines in TABLE.items() for line in lines]
    around = [("around", Line("get", address, "0 0 0 0 0 0 0")) for address in AROUND]
    found_by_leads = set()
    for who in READERS:
        client, hidden = client_for(who), secrets(made, who)
        for name, line in (*lines, *around):
            if who == "ann" and line.address == "/api/me/data/":
                continue  # what she judged herself is hers
            caplog.clear()
            with undone(), caplog.at_level(logging.DEBUG):
                answer = answer_of(client, made, line, places)
                text = told(answer)
            where = (who, name, line.method, line.address)
            assert name == "around" or answer.status_code == line.expected()[who], where
            assert answer.status_code < 500, where
            leaked = [words for words in hidden if words in text]
            logged = [words for words in hidden if words in caplog.text]
            assert logged == [], where
            if who == "lea":
                found_by_leads |= {name} if leaked else set()
                continue
            assert leaked == [], where
            assert "similarity" not in text, where
            if "template.json" not in line.address and not callable(line.body):
                # What no text is named in cannot tell the label of one.
                assert not any(f'"{item}"' in text or f">{item}<" in text for item in test_items(made)), where
    # The search finds what is there: leads are shown it.
    assert found_by_leads >= {"lead_board_export", "api-project-board-export", "around"}


def test_what_scoring_said_when_it_failed_is_for_leads_alone(stage, caplog, monkeypatch):
    made, _, places = stage
    words = reference(test_items(made)[3], 1)

    def fails(_evaluations):
        raise RuntimeError(f"no label for {words}")

    monkeypatch.setattr("boards.life.placings._row", fails)
    waiting = Placing.objects.get(state="queued")
    with caplog.at_level(logging.DEBUG):
        placing_run(placing_id=waiting.pk)
        standing_refresh(version_id=waiting.version_id)
    waiting.refresh_from_db()
    assert waiting.state == "failed"
    places["entry"] = waiting.entry_id
    for who in [who for who in READERS if who != "lea"]:
        for lines in TABLE.values():
            for line in lines:
                if line.method == "get":
                    assert words not in told(answer_of(client_for(who), made, line, places)), (
                        who,
                        line.address,
                    )
    assert words not in caplog.text
    own = client_of("tina").get(f"/api/boards/ask/best/submissions/{waiting.entry_id}/").json()
    assert (own["state"], own["figures"], own["why"], own["counted"]) == ("failed", None, None, False)


def test_a_hidden_board_is_at_no_address_but_those_of_leads(stage):
    made, board, places = stage
    board_switch(board=board, state="hidden")
    for who in READERS:
        client = client_for(who)
        for name, lines in TABLE.items():
            for line in lines:
                if name == "board_join":
                    continue
                with undone():
                    answer = answer_of(client, made, line, places)
                    told(answer)
                status = answer.status_code
                if name.startswith(("lead_", "api-project", "boards", "board_new")):
                    assert status == line.expected()[who], (who, line.address)
                elif who != "lea":
                    closed = 403 if line.address.startswith("/api/") else 302
                    asks_for_log_in = who == "outsider" and line.expected()[who] == closed
                    assert status == (closed if asks_for_log_in else 404), (who, line.address)
