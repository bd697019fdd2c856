"""The pages of boards: a stranger hands in a first file, a lead opens, hides, changes and exports."""

import csv
import io
import json
import re
import zipfile
from html import unescape

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from boards.life.boards import board_create, board_switch
from boards.life.placings import placing_run, standing_refresh
from boards.life.teams import board_invite
from boards.life.versions import version_create, version_run
from boards.models import Board, BoardVersion, Entry, Placing
from frontend.pages.boards.entry_names import entry_names
from tests.boards.made import asked, files, handed_in, questions_board, questions_study, team, test_items
from tests.conftest import client_of
from tests.factories.releases import release
from tests.scoring.systems import scored, submitted

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nobody_works(monkeypatch):
    """Leave all work to what the test calls."""
    for task in ("place_entry", "prepare_version", "compare_with_the_best"):
        monkeypatch.setattr(f"boards.tasks.{task}.delay", lambda key: None)


def page(client, address, status=200):
    answer = client.get(address)
    assert answer.status_code == status, answer.content.decode()[:2000]
    return answer.content.decode()


def words(html):
    told = " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())
    return re.sub(r" ([,.:;])", r"\1", told)


def upload(content, name="mine.json"):
    return SimpleUploadedFile(name, files(content)[0].data)


def form(**given):
    return {"name": "Gadfly", "line": "", "link": "", "may_be_shown": "on", "act": "hand-in", **given}


def test_a_stranger_hands_in_a_first_file_and_reads_its_place():
    made, _ = questions_board()
    stranger, address = Client(), "/boards/ask/best/"
    told = words(page(stranger, address))
    assert "No system stands on this board yet." in told
    assert "The references are kept back." in told
    template = json.loads(page(stranger, f"{address}template.json"))
    assert list(template) == test_items(made)
    assert all(set(entry) == {"intervention_id", "intervention", "cqs"} for entry in template.values())
    assert stranger.get(f"{address}hand-in/").headers["Location"].startswith("/accounts/login/")
    tina = client_of("tina")
    assert "Name of your team" in page(tina, f"{address}hand-in/")
    assert tina.post(f"{address}hand-in/", {"team": "Lakeside"}).status_code == 302
    first = test_items(made)[0]
    wrong = {**asked(made), first: {"cqs": []}}
    refused = words(tina.post(f"{address}hand-in/", form(runs=upload(wrong))).content.decode())
    assert f"mine.json {first} cqs 0 questions where 3 are asked for" in refused
    assert "Left for you: 5 today, 10 in all." in refused
    checked = tina.post(f"{address}hand-in/", form(runs=upload(asked(made)), act="check"), follow=True)
    assert "No fault was found" in checked.content.decode()
    assert not Entry.objects.exists()
    done = tina.post(f"{address}hand-in/", form(runs=upload(asked(made, right=1))), follow=True)
    assert "waits to be scored, number 1 in the queue" in words(done.content.decode())
    assert "hx-trigger" in page(tina, f"{address}team/progress/")
    placing = Placing.objects.get()
    placing_run(placing_id=placing.pk)
    standing_refresh(version_id=placing.version_id)
    assert "Gadfly 1" not in page(tina, f"{address}team/progress/")
    assert "0.17" in page(tina, f"{address}team/")
    told = words(page(stranger, address))
    assert re.search(r"1 Gadfly Lakeside 0\.17 not told apart from the best \[0\.0\d, 0\.\d\d\] 83%", told)
    assert "three references of other items" in told
    assert "A score tells at most 2.8 bits. 10 submissions tell a team at most" in told


def test_what_anybody_reads_is_the_same_in_csv_and_json_and_kept_in_no_cache():
    made, board = questions_board()
    team(board)
    handed_in(board, asked(made, right=1), line="=SUM(A1)")
    shown = Client().get("/boards/ask/best/board.json")
    assert shown.headers["Cache-Control"] == "no-store"
    assert Client().get("/boards/ask/best/").headers["Cache-Control"] == "no-store"
    (row,) = shown.json()["rows"]
    assert (row["place"], row["system"], row["team"], row["printed"]) == (1, "Gadfly", "Lakeside", "0.17")
    assert row["labels"]["Useful"] == 1
    assert [one["kind"] for one in shown.json()["trivial"]] == [
        "references_of_other_items",
        "most_frequent_question",
    ]
    assert shown.json()["bits"]["each"] == pytest.approx(2.807, abs=1e-3)
    table = page(Client(), "/boards/ask/best/board.csv").removeprefix("\ufeff")
    rows = list(csv.DictReader(io.StringIO(table)))
    assert rows[0]["score"].startswith("0.1666")
    assert rows[0]["line"] == "'=SUM(A1)"
    assert [one["trivial"] for one in rows] == ["", "references_of_other_items", "most_frequent_question"]
    assert page(Client(), "/boards/ask/best/other.json", 404)


def test_a_lead_makes_opens_and_closes_a_board(lead_client):
    questions_study()
    assert "There is no board yet." in page(lead_client, "/p/ask/boards/")
    given = {
        "title": "Which asks best?",
        "name": "best",
        "description": "",
        "place": "1.0/test",
        "methods": "exact, chrf:40",
        "feedback": "better",
        "entrance": "invited",
        "per_day": "1",
        "in_all": "10",
        "most_runs": "1",
        "closes_at": "",
    }
    wrong = lead_client.post("/p/ask/boards/new/", {**given, "methods": "human", "name": "other"})
    assert "human cannot rank here" in wrong.content.decode()
    assert not Board.objects.exists()
    sent = lead_client.post("/p/ask/boards/new/", given)
    assert sent.headers["Location"] == "/p/ask/boards/best/"
    board = Board.objects.get(name="best")
    version_run(version_id=board.versions.get().pk)
    assert page(Client(), "/boards/ask/best/", 404)
    assert "Hidden: leads alone see it." in page(lead_client, "/boards/ask/best/")
    lead_client.post("/p/ask/boards/best/switch/", {"state": "open"})
    assert "Ranked by the share of useful questions" in words(page(Client(), "/boards/ask/best/"))
    lead_client.post("/p/ask/boards/best/switch/", {"state": "closed"})
    assert "Closed." in words(page(Client(), "/boards/ask/best/"))
    changed = {**given, "per_day": "2", "closes_at": "2030-03-31T23:59"}
    assert lead_client.post("/p/ask/boards/best/settings/", changed).status_code == 302
    board.refresh_from_db()
    assert (board.per_day, board.closes_at.isoformat()) == (2, "2030-03-31T23:59:00+00:00")
    wrong = lead_client.post("/p/ask/boards/best/settings/", {**changed, "per_day": "20"})
    assert "cannot hand in more in a day than in all" in wrong.content.decode()


def test_another_method_is_another_version_and_the_one_before_stays(lead_client):
    made, board = questions_board()
    team(board)
    handed_in(board, asked(made, right=1))
    before = page(Client(), "/boards/ask/best/board.json?version=1")
    told = words(page(lead_client, "/p/ask/boards/best/version/"))
    assert "The one submission is scored again, by a worker." in told
    assert "Version 1 stays readable, with the figures it had. It cannot be taken back" in told
    same = lead_client.post("/p/ask/boards/best/version/", {"place": "1.0/test", "methods": "exact"})
    assert "ranks by just this already" in same.content.decode()
    lead_client.post("/p/ask/boards/best/version/", {"place": "1.0/test", "methods": "chrf:20"})
    version = BoardVersion.objects.get(number=2)
    version_run(version_id=version.pk)
    told = words(page(Client(), "/boards/ask/best/"))
    assert "chrf above 20" in told
    assert "One submission waits to be scored." in told
    placing = version.placings.get()
    placing_run(placing_id=placing.pk)
    (row,) = json.loads(page(Client(), "/boards/ask/best/board.json"))["rows"]
    assert row["methods"][0]["method"] == "chrf:20"
    after = json.loads(page(Client(), "/boards/ask/best/board.json?version=1"))
    assert after["rows"] == json.loads(before)["rows"]
    assert "This is version 1, as it was." in words(page(Client(), "/boards/ask/best/?version=1"))


def test_a_closed_board_offers_nothing_to_hand_in_and_stands_behind_open_ones():
    _, closed = questions_board(slug="past", title="A past one")
    questions_board(slug="new", title="Which now?")
    board_switch(board=closed, state="closed")
    told = words(page(Client(), "/boards/past/best/"))
    assert "This board is closed: it takes no submissions." in told
    assert "Check or hand in a file" not in told
    assert "You hand in with an account." in words(page(Client(), "/boards/new/best/"))
    told = words(page(Client(), "/"))
    assert re.search(r"Which now\? open to submissions .* A past one closed", told)


def test_systems_are_listed_by_what_their_teams_called_each_file(lead_client):
    made, board = questions_board()
    team(board)
    entry = handed_in(board, asked(made, right=1), name="Gadfly 7").entry
    handed_in(board, asked(made, right=2), name="Socks")
    told = words(page(lead_client, "/p/ask/systems/"))
    assert re.search(r"Lakeside · best Socks 1 .* Lakeside · best Gadfly 7 1 ", told)
    matched = words(page(lead_client, "/p/ask/systems/matching/"))
    assert "Lakeside · best · Gadfly 7 · 1.0 · test · " in matched
    told = words(page(lead_client, f"/p/ask/evaluations/{entry.placings.get().evaluation_id}/"))
    assert "Gadfly 7: One run against release 1.0" in told


QUERIES = ("", "by=leads", "board=best", "board=spring", "board=none&by=x")


def listed(html):
    """Return the systems that are listed and the filter that is chosen."""
    rows = re.findall(r'<th scope="row".*?>([^<]*)</a>', html, re.DOTALL)
    chosen = re.findall(r'<a class="chip"[^>]*aria-current="true">(.*?)</a>', html, re.DOTALL)
    return rows, words(chosen[0])


def test_a_lead_finds_the_own_systems_among_those_of_boards(lead_client, monkeypatch):
    made, board = questions_board()
    team(board)
    built = board.versions.get().release
    scored(submitted(made, built, asked(made), name="Parrot"), methods=["exact"])
    assert 'class="chip"' not in page(lead_client, "/p/ask/systems/")
    for n in (1, 2):
        handed_in(board, asked(made, right=n), name=f"Gadfly {n}")
    unused = board_create(
        project=made.project, name="spring", title="Nobody yet", entrance="anyone", by=made.lead
    )
    version_create(board=unused, release=built, split="test", methods=["exact"])
    told = words(page(lead_client, "/p/ask/systems/"))
    assert "all 3 handed in by leads 1 on the board Which asks best? 2" in told
    assert "Nobody yet" not in told
    found = {query: listed(page(lead_client, f"/p/ask/systems/?{query}")) for query in QUERIES}
    assert found == {
        "": (["Lakeside · best", "Lakeside · best", "Parrot"], "all 3"),
        "by=leads": (["Parrot"], "handed in by leads 1"),
        "board=best": (["Lakeside · best", "Lakeside · best"], "on the board Which asks best? 2"),
        "board=spring": (["Lakeside · best", "Lakeside · best", "Parrot"], "all 3"),
        "board=none&by=x": (["Lakeside · best", "Lakeside · best", "Parrot"], "all 3"),
    }
    monkeypatch.setattr("frontend.pages.systems.systems.PAGE_SIZE", 1)
    second = page(lead_client, "/p/ask/systems/?board=best&page=2")
    assert listed(second)[0] == ["Lakeside · best"]
    assert 'href="?board=best&amp;page=1"' in second
    assert "2–2 / 2" in words(second)


def test_where_leads_handed_in_nothing_the_list_says_so(lead_client):
    made, board = questions_board()
    team(board)
    handed_in(board, asked(made))
    told = words(page(lead_client, "/p/ask/systems/?by=leads"))
    assert "Leads handed nothing in themselves yet." in told
    assert "Nothing was scored yet" not in told
    assert "Match by people" in told


def test_files_keep_the_name_that_their_team_gave_them_where_a_later_version_scores_them(lead_client):
    made, board = questions_board()
    theirs = team(board)
    entries = [handed_in(board, asked(made, right=n), name=f"Gadfly {n}").entry for n in (1, 2)]
    newer = release(made.project, version="2.0", withheld=["test"])
    version = version_create(board=board, release=newer, split="test", methods=["exact"])
    version_run(version_id=version.pk)
    later = version.placings.get(entry=entries[0])
    placing_run(placing_id=later.pk)
    later.refresh_from_db()
    submission = later.evaluation.submission
    assert (submission.system_id, submission.release.version) == (theirs.system_id, "2.0")
    told = words(page(lead_client, "/p/ask/systems/"))
    assert re.search(r"Lakeside · best Gadfly 1 1 2\.0 .* best Gadfly 2 1 1\.0 .* best Gadfly 1 1 1\.0", told)
    assert "Gadfly 1: One run against release 2.0" in words(
        page(lead_client, f"/p/ask/evaluations/{later.evaluation_id}/")
    )
    assert entry_names([submission.pk, entries[1].submission_id, 0]) == {
        submission.pk: "Gadfly 1",
        entries[1].submission_id: "Gadfly 2",
    }


def test_a_lead_hides_shows_and_sees_copies_and_the_team_reads_why(lead_client):
    made, board = questions_board()
    team(board)
    team(board, "Harbour", "hal")
    entry = handed_in(board, asked(made)).entry
    handed_in(board, asked(made), "hal")
    told = words(page(lead_client, "/p/ask/boards/best/"))
    assert "The same files in several teams Lakeside: Gadfly" in told
    address = f"/p/ask/boards/best/submissions/{entry.pk}/"
    assert "its team reads why" in page(lead_client, f"{address}hide/")
    lead_client.post(f"{address}hide/", {"reason": "a copy of Harbour’s"})
    assert "a copy of Harbour’s" in page(client_of("tina"), "/boards/ask/best/team/")
    assert [row["team"] for row in Client().get("/boards/ask/best/board.json").json()["rows"]] == ["Harbour"]
    lead_client.post(f"{address}show/")
    assert len(Client().get("/boards/ask/best/board.json").json()["rows"]) == 2


def test_a_team_invites_renames_describes_and_withdraws():
    made, board = questions_board()
    team(board)
    entry = handed_in(board, asked(made)).entry
    tina, hal = client_of("tina"), client_of("hal")
    told = tina.post("/boards/ask/best/team/", {"invite": "1"}).content.decode()
    link = re.search(r"/join-board/[\w-]+/", told)
    assert page(hal, "/boards/ask/best/team/", 403)
    assert "into the team Lakeside" in page(hal, link[0])
    assert hal.post(link[0]).status_code == 302
    assert "tina, hal" in words(page(hal, "/boards/ask/best/team/"))
    assert page(Client(), link[0], 404)
    hal.post("/boards/ask/best/team/", {"team": "Seaside"})
    address = f"/boards/ask/best/submissions/{entry.pk}/"
    tina.post(address, {"name": "Gadfly 2", "line": "better", "link": "https://example.org/x"})
    assert "Seaside" in page(tina, "/boards/ask/best/team/")
    entry.refresh_from_db()
    assert (entry.name, entry.may_be_shown) == ("Gadfly 2", False)
    assert Client().get("/boards/ask/best/board.json").json()["rows"] == []
    assert tina.post(f"{address}withdraw/").status_code == 302
    assert "withdrawn" in page(tina, "/boards/ask/best/team/")
    team(board, "Harbour", "olu")
    assert page(client_of("olu"), address, 404)


def test_an_invitation_of_the_board_makes_an_account():
    made, board = questions_board(entrance="invited")
    assert "ask its organisers for a link" in page(client_of("tina"), "/boards/ask/best/hand-in/")
    token = board_invite(board=board, by=made.lead)[1]
    stranger = Client()
    assert "Make an account and take part" in page(stranger, f"/join-board/{token}/")
    given = {"username": "newcomer", "email": "", "password1": "quite-long-9", "password2": "quite-long-9"}
    sent = stranger.post(f"/join-board/{token}/", given)
    assert sent.headers["Location"] == "/boards/ask/best/hand-in/"
    assert stranger.post("/boards/ask/best/hand-in/", {"team": "New"}).status_code == 302
    assert not made.project.memberships.filter(user__username="newcomer").exists()


def test_the_front_page_shows_strangers_what_is_public_and_else_the_log_in(lead_client):
    _, board = questions_board(opened=False)
    assert Client().get("/").headers["Location"] == "/accounts/login/?next=/"
    board_switch(board=board, state="open")
    assert lead_client.get("/front-page/").status_code == 200
    lead_client.post("/front-page/", {"text": "# Questions of the harbour\n\nWho we are."})
    told = words(page(Client(), "/"))
    assert "Questions of the harbour Who we are. Boards Which asks best? open" in told
    assert "Log in" in told
    assert page(client_of("tina"), "/front-page/", 403)
    assert "Your projects" in page(lead_client, "/")


def test_a_lead_exports_the_board_without_what_is_withheld(lead_client):
    made, board = questions_board()
    team(board)
    handed_in(board, asked(made, right=1))
    sent = lead_client.post("/p/ask/boards/best/export/", {"version": "1"})
    archive = zipfile.ZipFile(io.BytesIO(b"".join(sent.streaming_content)))
    assert sorted(archive.namelist()) == [
        "README.md",
        "board.json",
        f"entries/{Entry.objects.get().pk}/run1.json",
        "reproduce.sh",
        "trivial/most_frequent_question.json",
    ]
    assert client_of("tina").post("/p/ask/boards/best/export/").status_code == 404
