"""The API of boards: a lead does there what the pages do, in the same words; a team reads its own."""

import io
import json
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotation.models import ProjectEvent
from boards.life.placings import placing_run, standing_refresh
from boards.life.versions import version_run
from boards.models import Board, BoardInvitation, BoardVersion, Entry, Placing
from tests import factories
from tests.boards.made import asked, files, handed_in, questions_board, questions_study, team
from tests.conftest import client_of

pytestmark = pytest.mark.django_db

BOARDS = "/api/projects/ask/boards/"
BEST = f"{BOARDS}best/"
OWN = "/api/boards/ask/best/"


@pytest.fixture(autouse=True)
def nobody_works(monkeypatch):
    for task in ("place_entry", "prepare_version", "compare_with_the_best"):
        monkeypatch.setattr(f"boards.tasks.{task}.delay", lambda key: None)


def sent(client, method, address, body=None, status=200):
    answer = getattr(client, method)(
        address, *(() if body is None else (json.dumps(body),)), content_type="application/json"
    )
    assert answer.status_code == status, answer.content.decode()
    return answer.json() if answer.content else None


def test_a_lead_sets_a_board_up_opens_changes_and_closes_it(lead_client):
    questions_study()
    given = {"name": "best", "title": " Which  asks best? ", "release": "1.0", "split": "test"}
    made = sent(lead_client, "post", BOARDS, {**given, "methods": ["exact", "chrf:40"]}, 201)
    kept = {key: value for key, value in made.items() if key not in ("created_at", "version")}
    assert kept == {
        "name": "best",
        "title": "Which asks best?",
        "description": "",
        "state": "hidden",
        "feedback": "better",
        "entrance": "invited",
        "per_day": 1,
        "in_all": 10,
        "most_runs": 1,
        "closes_at": None,
        "teams": 0,
        "submissions": 0,
    }
    version = {key: value for key, value in made["version"].items() if key not in ("created_at", "engine")}
    assert version == {
        "number": 1,
        "release": "1.0",
        "split": "test",
        "methods": ["exact", "chrf:40"],
        "scope": "",
        "replicates": 1000,
        "seed": 1,
        "items": 2,
        "state": "queued",
        "waiting": 0,
    }
    assert sent(lead_client, "get", BOARDS) == [made]
    assert Client().get(OWN).status_code == 404
    assert sent(lead_client, "put", f"{BEST}state/", {"state": "open"})["state"] == "open"
    assert Client().get(OWN).json()["methods"] == ["exact", "chrf:40"]
    changed = sent(lead_client, "patch", BEST, {"per_day": 2, "closes_at": "2030-03-31T23:59:00Z"})
    assert (changed["per_day"], changed["in_all"], changed["feedback"]) == (2, 10, "better")
    assert changed["closes_at"] == "2030-03-31T23:59:00Z"
    assert sent(lead_client, "get", BEST) == changed
    assert sent(lead_client, "put", f"{BEST}state/", {"state": "closed"})["state"] == "closed"
    log = list(made_of("ask"))
    assert log == [
        "board made",
        "board version made",
        "board opened",
        "board settings changed",
        "board closed",
    ]


def made_of(slug):
    rows = ProjectEvent.objects.filter(project__slug=slug, action__startswith="board")
    return rows.order_by("pk").values_list("action", flat=True)


@pytest.mark.parametrize(
    ("wrong", "errors"),
    [
        ({"release": "9.9"}, {"release": "Choose a release of this project that is built."}),
        ({"title": " "}, {"title": "Give the board a title."}),
        ({"per_day": 11}, {"per_day": "A team cannot hand in more in a day than in all."}),
        ({"in_all": 2000}, {"in_all": "Give a number from 1 to 1000."}),
        (
            {"name": "a b"},
            {"name": "The address takes letters of English, digits, hyphens and low lines."},
        ),
        (
            {"methods": ["human"]},
            {
                "methods": "human cannot rank here: choose among exact, chrf, sts. "
                "What people said of a system is shown beside."
            },
        ),
        ({"feedback": "all"}, {"feedback": '"all" is not a valid choice.'}),
    ],
)
def test_what_is_wrong_with_a_board_is_said_as_on_the_page_and_nothing_is_made(lead_client, wrong, errors):
    questions_study()
    given = {"name": "best", "title": "Best", "release": "1.0", "split": "test", "methods": ["exact"]}
    told = sent(lead_client, "post", BOARDS, {**given, **wrong}, 422)
    assert (told["code"], told["errors"]) == ("invalid", errors)
    assert not Board.objects.exists()
    assert list(made_of("ask")) == []


def test_a_split_without_items_makes_no_board_and_an_address_is_taken_once(lead_client):
    questions_study()
    given = {"name": "best", "title": "Best", "release": "1.0", "methods": ["exact"]}
    told = sent(lead_client, "post", BOARDS, {**given, "split": "tset"}, 422)
    assert list(told["errors"]) == ["split"]
    assert not Board.objects.exists()
    sent(lead_client, "post", BOARDS, {**given, "split": "test"}, 201)
    told = sent(lead_client, "post", BOARDS, {**given, "split": "test"}, 409)
    assert told["errors"] == {"name": "There is a board at this address already."}
    assert BoardVersion.objects.count() == 1


def test_a_threshold_makes_a_new_version_with_the_rest_as_it_was(lead_client):
    made, board = questions_board()
    team(board)
    handed_in(board, asked(made, right=1))
    same = sent(lead_client, "post", f"{BEST}versions/", {"methods": ["exact"]}, 409)
    assert same["message"] == "The board ranks by just this already: nothing was changed."
    told = sent(lead_client, "post", f"{BEST}versions/", {"methods": ["chrf:20"]}, 202)
    assert (told["number"], told["release"], told["split"], told["methods"], told["replicates"]) == (
        2,
        "1.0",
        "test",
        ["chrf:20"],
        50,
    )
    assert told["waiting"] == 1
    second = BoardVersion.objects.get(number=2)
    version_run(version_id=second.pk)
    placing_run(placing_id=second.placings.get().pk)
    shown = sent(lead_client, "get", f"{BEST}versions/")
    assert [(one["number"], one["methods"], one["state"], one["waiting"]) for one in shown] == [
        (2, ["chrf:20"], "done", 0),
        (1, ["exact"], "done", 0),
    ]
    for query, method, value in (("?version=1", "exact", 1 / 6), ("", "chrf:20", None)):
        (row,) = sent(lead_client, "get", f"{BEST}submissions/{query}")
        assert row["figures"]["methods"][0]["method"] == method
        if value:
            assert row["figures"]["value"] == pytest.approx(value)
    assert sent(lead_client, "get", f"{BEST}submissions/?version=7", status=404)["code"] == "not_found"


def test_a_lead_reads_exact_figures_hides_with_a_reason_and_shows_again(lead_client):
    made, board = questions_board(feedback="better")
    team(board)
    team(board, "Harbour", "hal")
    first = handed_in(board, asked(made, right=1)).entry
    second = handed_in(board, asked(made, right=1), "hal").entry
    third = handed_in(board, asked(made, tag="z")).entry
    rows = sent(lead_client, "get", f"{BEST}submissions/")
    assert [(row["id"], row["place"], row["team"], row["is_better"], row["same_files"]) for row in rows] == [
        (first.pk, 1, "Lakeside", True, [second.pk]),
        (second.pk, 1, "Harbour", True, [first.pk]),
        (third.pk, 3, "Lakeside", False, []),
    ]
    assert [row["figures"]["value"] for row in rows] == [pytest.approx(1 / 6), pytest.approx(1 / 6), 0.0]
    address = f"{BEST}submissions/{first.pk}/"
    told = sent(lead_client, "post", f"{address}hide/", {"reason": " "}, 422)
    assert told["errors"] == {"reason": "Say why: its team reads it."}
    assert len(Client().get(OWN).json()["rows"]) == 2
    assert sent(lead_client, "post", f"{address}hide/", {"reason": "a copy"}, 204) is None
    assert [row["team"] for row in Client().get(OWN).json()["rows"]] == ["Harbour"]
    assert sent(client_of("tina"), "get", f"{OWN}submissions/{first.pk}/")["hidden"] == "a copy"
    assert sent(lead_client, "post", f"{address}show/", status=204) is None
    assert len(Client().get(OWN).json()["rows"]) == 2
    assert sent(lead_client, "post", f"{BEST}submissions/999999/hide/", {"reason": "x"}, 404)


def test_what_failed_is_scored_again_by_a_word_of_a_lead(lead_client, monkeypatch):
    made, board = questions_board()
    team(board)
    with monkeypatch.context() as broken:
        broken.setattr("boards.life.placings._row", lambda evaluations: 1 / 0)
        entry = handed_in(board, asked(made, right=1)).entry
    (row,) = sent(lead_client, "get", f"{BEST}submissions/")
    assert (row["state"], row["counted"], row["figures"], row["place"]) == ("failed", False, None, None)
    assert row["error"]
    sent(lead_client, "post", f"{BEST}submissions/{entry.pk}/again/", status=202)
    placing_run(placing_id=Placing.objects.get().pk)
    (row,) = sent(lead_client, "get", f"{BEST}submissions/")
    assert (row["state"], row["counted"], row["place"]) == ("done", False, 1)


def test_a_lead_exports_a_version_and_what_is_inside_only_when_asked(lead_client):
    made, board = questions_board()
    team(board)
    entry = handed_in(board, asked(made, right=1)).entry
    names = {}
    for internal in (False, True):
        answer = lead_client.post(
            f"{BEST}export/",
            json.dumps({"version": 1, "internal": internal}),
            content_type="application/json",
        )
        assert answer.headers["Content-Type"] == "application/zip"
        assert 'filename="board-ask-best-1.zip"' in answer.headers["Content-Disposition"]
        archive = zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content)))
        names[internal] = set(archive.namelist())
    assert names[False] == {
        "README.md",
        "board.json",
        f"entries/{entry.pk}/run1.json",
        "reproduce.sh",
        "trivial/most_frequent_question.json",
    }
    assert "release/internal/cqs_gen.test.json" in names[True]
    assert sent(lead_client, "post", f"{BEST}export/", {"version": 4}, 404)["code"] == "not_found"


def test_a_lead_makes_a_link_that_lets_somebody_in_and_revokes_another(lead_client):
    questions_board(entrance="invited")
    factories.user("tina")
    tina = client_of("tina")
    told = sent(tina, "post", f"{OWN}team/", {"team": "Lakeside"}, 403)
    assert told["message"] == "This board takes whoever was invited: ask its organisers for a link."
    made = sent(lead_client, "post", f"{BEST}invitations/", {"note": "for Tina"}, 201)
    assert tina.post(made["link"].removeprefix("http://testserver")).status_code == 302
    assert sent(tina, "post", f"{OWN}team/", {"team": "Lakeside"}, 201)["members"] == ["tina"]
    other = sent(lead_client, "post", f"{BEST}invitations/", {}, 201)
    listed = sent(lead_client, "get", f"{BEST}invitations/")
    assert [(one["id"], one["note"], one["used"], one["link"]) for one in listed] == [
        (other["id"], "", False, None),
        (made["id"], "for Tina", True, None),
    ]
    sent(lead_client, "post", f"{BEST}invitations/{other['id']}/revoke/", status=204)
    assert BoardInvitation.objects.get(pk=other["id"]).revoked_at is not None
    assert len(sent(lead_client, "get", f"{BEST}invitations/")) == 1
    assert sent(lead_client, "post", f"{BEST}invitations/", {"days": 0}, 422)["message"] == (
        "An invitation lives between 1 and 365 days."
    )


def test_a_team_hands_in_by_api_and_reads_its_state_until_it_is_ranked():
    made, board = questions_board()
    factories.user("tina")
    tina = client_of("tina")
    assert sent(tina, "get", f"{OWN}team/", status=403)["message"].startswith("You are in no team")
    assert sent(tina, "post", f"{OWN}team/", {"team": " "}, 422)["errors"] == {
        "team": "Give the team a name."
    }
    assert sent(tina, "post", f"{OWN}team/", {"team": "Lakeside"}, 201)["left_today"] == 5
    file = SimpleUploadedFile("mine.json", files(asked(made, right=1))[0].data)
    made_of_it = tina.post(f"{OWN}submissions/", {"files": file, "name": "Gadfly", "may_be_shown": "true"})
    assert made_of_it.status_code == 202
    mine = f"{OWN}submissions/{made_of_it.json()['id']}/"
    waits = sent(tina, "get", mine)
    assert (waits["state"], waits["queue"], waits["figures"], waits["counted"]) == ("queued", 1, None, True)
    assert sent(tina, "get", f"{OWN}team/") == {
        "name": "Lakeside",
        "members": ["tina"],
        "handed_in_today": 1,
        "handed_in": 1,
        "left_today": 4,
        "left": 9,
    }
    placing = Placing.objects.get()
    placing_run(placing_id=placing.pk)
    standing_refresh(version_id=placing.version_id)
    done = sent(tina, "get", mine)
    assert (done["state"], done["queue"], done["figures"]["value"]) == ("done", None, pytest.approx(1 / 6))
    changed = sent(tina, "patch", mine, {"line": "asks  much", "may_be_shown": False})
    assert (changed["name"], changed["line"], changed["may_be_shown"]) == ("Gadfly", "asks much", False)
    assert Client().get(OWN).json()["rows"] == []
    told = sent(tina, "patch", mine, {"link": "javascript:1", "may_be_shown": True}, 422)
    assert list(told["errors"]) == ["link"]
    assert Entry.objects.get().may_be_shown is False
    team(board, "Harbour", "hal")
    for method in ("get", "patch"):
        assert sent(client_of("hal"), method, mine, {} if method == "patch" else None, 404)["message"] == (
            "There is no such submission of your team."
        )
