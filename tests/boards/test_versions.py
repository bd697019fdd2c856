"""Versions of a board: each has every entry, and no file is scored by what the version does not name."""

import json

import pytest

from annotation.models import ProjectEvent
from boards.life import entries, placings, teams, versions
from boards.life.boards import board_edit
from boards.life.entries import counted, same_files
from boards.life.placings import placing_run, placing_sweep, standing_refresh
from boards.life.teams import find_invitation, invitation_accept, team_invite
from boards.life.versions import version_create, version_now, versions_of_older_engine
from boards.models import Board, Entry, Placing
from core.errors import Refused
from tests import factories
from tests.boards.made import asked, files, handed_in, questions_board, team
from tests.factories.releases import release

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def test_a_file_handed_in_while_a_version_is_made_is_asked_for_once_more(monkeypatch):
    made, board = questions_board(in_all=10)
    theirs = team(board)
    newer = release(made.project, version="2.0", withheld=["test"])
    check = entries.upload_check

    def checked(**given):
        found = check(**given)
        version_create(board=board, release=newer, split="test", methods=["exact"])
        return found

    monkeypatch.setattr(entries, "upload_check", checked)
    with pytest.raises(Refused, match="The board was changed just now: hand it in once more"):
        handed_in(board, asked(made), run=False)
    assert (Entry.objects.count(), counted(theirs, board.created_at.date())) == (0, (0, 0))


def test_what_an_older_version_waits_for_is_scored_in_the_next_and_counts(monkeypatch):
    made, board = questions_board(per_day=1, in_all=1)
    theirs = team(board)
    placing = handed_in(board, asked(made, right=1), run=False)
    monkeypatch.setattr(versions, "ENGINE_VERSION", versions.ENGINE_VERSION + 1)
    assert not placing_run(placing_id=placing.pk)
    placing.refresh_from_db()
    assert (placing.state, placing.figures) == ("cancelled", None)
    assert "a newer one since" in placing.error
    placing_sweep()
    assert counted(theirs, placing.entry.day) == (1, 1)
    [newer] = versions_of_older_engine()
    monkeypatch.setattr(versions, "is_of_today", lambda version: True)
    monkeypatch.setattr(placings, "is_of_today", lambda version: True)
    assert placing_run(placing_id=newer.placings.get().pk)
    assert newer.placings.get().figures["value"] == pytest.approx(1 / 6)


def test_a_version_names_the_model_and_another_one_makes_the_next_version(settings, monkeypatch):
    _, board = questions_board()
    settings.SENTENCE_ENCODER = "first-model"
    built = version_now(board).release
    first = version_create(board=board, release=built, split="test", methods=["sts", "exact"])
    assert first.methods == [
        {"name": "sts", "threshold": 0.65, "parameters": {"encoder": "first-model"}},
        {"name": "exact", "threshold": None, "parameters": {}},
    ]
    assert versions_of_older_engine() == []
    settings.SENTENCE_ENCODER = "second-model"
    [second] = versions_of_older_engine()
    assert second.methods[0]["parameters"] == {"encoder": "second-model"}
    settings.SENTENCE_ENCODER = ""
    with pytest.raises(Refused, match="sts needs a sentence encoder, and there is none: set ELENCHUS_SENT"):
        version_create(board=board, release=built, split="test", methods=["sts"])


@pytest.mark.parametrize("decided", [True, None])
def test_nothing_is_compared_with_a_score_that_nobody_may_read_yet(decided, monkeypatch):
    made, board = questions_board(items=12, feedback="better", in_all=10)
    team(board)
    team(board, "Harbour", "hal")
    low = handed_in(board, asked(made, right=1, tag="a"))
    if decided is None:
        monkeypatch.setattr(placings, "better_decide", lambda **_: 0)
    high = handed_in(board, asked(made, right=5, tag="b"), "hal")
    assert high.is_better is decided
    standing_refresh(version_id=low.version_id)
    low.refresh_from_db()
    assert low.compared_with_id == (high.pk if decided else low.pk)


def test_where_scores_are_rounded_the_best_is_the_first_of_those_that_look_equal():
    made, board = questions_board(items=12, feedback="rounded", in_all=10)
    team(board)
    team(board, "Harbour", "hal")
    first = handed_in(board, asked(made, right=3, tag="a"))
    second = handed_in(board, asked(made, right=4, tag="b"), "hal")
    assert [round(one.figures["value"], 3) for one in (first, second)] == [0.167, 0.222]
    standing_refresh(version_id=first.version_id)
    assert set(Placing.objects.values_list("compared_with", flat=True)) == {first.pk}


def test_one_file_in_two_teams_is_shown_whatever_other_runs_they_gave():
    made, board = questions_board(in_all=10, most_runs=2)
    team(board)
    team(board, "Harbour", "hal")
    user = handed_in(board, asked(made, tag="a"), run=False).entry.created_by
    mine = Entry.objects.get()
    both = [asked(made, tag="other"), asked(made, tag="a")]
    theirs = entries.entry_hand_in(
        board=board,
        user=board.teams.get(name="Harbour").members.get().user,
        files=files(*both),
        name="Two runs",
    ).entry
    assert user != theirs.created_by
    assert same_files(board) == [[mine, theirs]]


def test_a_trivial_row_between_two_pages_stands_on_one(client, monkeypatch):
    monkeypatch.setattr("frontend.pages.boards.board.ROWS_PER_PAGE", 1)
    made, board = questions_board(items=12, in_all=10)
    team(board)
    team(board, "Harbour", "hal")
    handed_in(board, asked(made, right=4, tag="a"))
    handed_in(board, asked(made, right=1, tag="b"), "hal")
    version = version_now(board)
    trivial = [{**row, "value": 0.1} if "value" in row else row for row in version.trivial]
    assert json.dumps(trivial) != json.dumps(version.trivial)
    type(version).objects.filter(pk=version.pk).update(trivial=trivial)
    pages = [client.get(f"/boards/ask/best/?page={number}").content.decode() for number in (1, 2)]
    assert ["three references of other items" in page for page in pages] == [True, False]
    assert Board.objects.count() == 1


def test_the_log_has_a_setting_from_what_to_what_and_who_was_let_into_a_team():
    made, board = questions_board(in_all=5)
    team_invite(team=team(board), user=factories.user("tina"))
    board_edit(board=board, in_all=7, by=made.lead)
    details = dict(ProjectEvent.objects.filter(project=made.project).values_list("action", "details"))
    assert details["board settings changed"] == {"board": "best", "changed": ["in_all"], "in_all": [5, 7]}
    assert details["board invitation made"] == {"board": "best", "team": "Lakeside", "days": 14}


def test_of_two_links_into_teams_at_once_one_is_taken_up(monkeypatch):
    _, board = questions_board()
    token = team_invite(team=team(board), user=factories.user("tina"))[1]
    team(board, "Harbour", "hal")
    monkeypatch.setattr(teams, "team_member_of", lambda board, user: None)
    with pytest.raises(Refused, match="in a team of this board already"):
        invitation_accept(token=token, user=factories.user("hal"))
    assert find_invitation(token).used_at is None
