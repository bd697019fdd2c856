"""Handing in: checked whole, counted by the database, scored by workers, ranked by what is printed."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import IntegrityError, transaction

from annotation.models import ProjectEvent
from boards.life.boards import board_edit, board_switch, boards_close_on_time
from boards.life.entries import (
    counted,
    entry_consent,
    entry_hand_in,
    entry_hide,
    entry_rename,
    entry_show,
    entry_withdraw,
    same_files,
)
from boards.life.placings import better_decide, place_in_the_queue, placing_run, placing_sweep
from boards.models import MOST_CHECKS, Entry, Placing, UploadCheck
from core.errors import NotAllowed, NotFound, Refused
from core.jobs import PATIENCE
from scoring.models import Evaluation, SubmissionFile
from scoring.systems.submissions import FilesRefused
from tests import factories
from tests.boards.made import asked, files, handed_in, questions_board, team, test_items

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def test_a_file_is_scored_as_the_command_line_scores_it():
    made, board = questions_board()
    team(board)
    placing = handed_in(board, asked(made, right=1))
    assert placing.state == "done"
    assert placing.figures["value"] == pytest.approx(1 / 6)
    assert placing.figures["items"] == 2
    assert placing.figures["labels"]["Useful"] == 1
    assert placing.figures["labels"]["not_able_to_evaluate"] == 5
    assert placing.figures["nae_share"] == pytest.approx(5 / 6)
    assert placing.figures["diversity"]["n"] == 6
    assert placing.evaluation.headline["value"] == placing.figures["value"]
    assert placing.is_better is True
    assert (placing.compared_with_id, placing.is_apart) == (placing.pk, False)
    assert counted(placing.entry.team, placing.entry.day) == (1, 1)


def test_every_fault_is_named_and_a_refused_file_costs_nothing():
    made, board = questions_board()
    theirs = team(board)
    first, second = test_items(made)
    wrong = {
        first: {"cqs": [{"cq": "One?"}, {"cq": "one"}, {"cq": "Two?"}]},
        "Z": {"cqs": []},
    }
    with pytest.raises(FilesRefused) as refused:
        handed_in(board, wrong)
    told = [str(fault) for fault in refused.value.faults]
    assert f"run1.json: {first}, question 2: is question 1 again; it counts once" in told
    assert "run1.json: Z: there is no such item: is it for another split?" in told
    assert f"run1.json: {second}: is missing" in told
    for bad in (b"[]", b"\xff", b'{"a": {}, "a": {}}', {first: {"cqs": [{"cq": "x" * 2001}]}}):
        with pytest.raises(FilesRefused):
            handed_in(board, bad)
    assert not Entry.objects.exists()
    assert not SubmissionFile.objects.exists()
    assert counted(theirs, datetime.now(UTC).date()) == (0, 0)
    assert UploadCheck.objects.count() == 5


def test_at_most_so_many_uploads_are_checked_in_an_hour():
    made, board = questions_board()
    theirs = team(board)
    now = datetime(2026, 3, 1, 10, 30, tzinfo=UTC)
    hour = now.replace(minute=0)
    UploadCheck.objects.bulk_create(
        UploadCheck(team=theirs, hour=hour, slot=slot) for slot in range(1, MOST_CHECKS + 1)
    )
    given = {"board": board, "user": factories.user("tina"), "files": files(asked(made)), "name": "Gadfly"}
    with pytest.raises(Refused, match=r"60 files checked in this hour\. Go on in the next one: 11:00 UTC"):
        entry_hand_in(**given, now=now)
    assert entry_hand_in(**given, now=now + timedelta(minutes=30)).state == "queued"
    assert UploadCheck.objects.count() == 1
    with pytest.raises(IntegrityError), transaction.atomic():
        UploadCheck.objects.create(team=theirs, hour=hour, slot=MOST_CHECKS + 1)


def test_a_team_hands_in_no_more_than_the_board_takes_a_day_and_in_all():
    made, board = questions_board(per_day=2, in_all=3)
    theirs = team(board)
    user = factories.user("tina")

    def hand_in(tag, day):
        when = datetime(2026, 3, day, 23, 59, tzinfo=UTC)
        return entry_hand_in(
            board=board, user=user, files=files(asked(made, tag=tag)), name=tag, now=when
        ).entry

    first = hand_in("a", 1)
    entry_withdraw(entry=hand_in("b", 1), user=user)
    with pytest.raises(Refused, match=r"2 of 2 for today\. The day ends at 00:00 UTC"):
        hand_in("c", 1)
    assert (first.slot, first.day_slot) == (1, 1)
    third = hand_in("c", 2)
    assert (third.slot, third.day_slot, third.day.isoformat()) == (3, 1, "2026-03-02")
    with pytest.raises(Refused, match="all of its 3 submissions"):
        hand_in("d", 3)
    assert counted(theirs, third.day) == (1, 3)
    row = Entry.objects.filter(pk=third.pk).values().get()
    for wrong in ({"slot": 4, "day_slot": 1}, {"slot": 2, "day_slot": 2}, {"slot": None, "day_slot": None}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Entry.objects.create(**{**row, "id": None, "digest": "other", **wrong})


def test_the_same_files_again_are_refused_and_not_counted():
    made, board = questions_board()
    theirs = team(board)
    placing = handed_in(board, asked(made))
    with pytest.raises(Refused, match="just these files before"):
        handed_in(board, asked(made))
    assert counted(theirs, placing.entry.day) == (1, 1)
    assert SubmissionFile.objects.count() == 1


def test_a_failure_on_the_servers_side_gives_the_places_back(monkeypatch):
    made, board = questions_board(per_day=1, in_all=1)
    theirs = team(board)

    def broken(*_, **__):
        raise RuntimeError("the disk is gone")

    monkeypatch.setattr("scoring.systems.evaluations.evaluate", broken)
    placing = handed_in(board, asked(made))
    assert placing.state == "failed"
    assert counted(theirs, placing.entry.day) == (0, 0)
    monkeypatch.undo()
    again = handed_in(board, asked(made, tag="other"))
    assert again.state == "done"
    assert counted(theirs, again.entry.day) == (1, 1)


def test_only_an_open_board_takes_files():
    made, board = questions_board(opened=False)
    theirs = team(board)
    with pytest.raises(Refused, match="This board is closed"):
        handed_in(board, asked(made))
    board_edit(board=board, closes_at=datetime.now(UTC) + timedelta(hours=1))
    board_switch(board=board, state="open")
    handed_in(board, asked(made))
    late = datetime.now(UTC) + timedelta(hours=2)
    with pytest.raises(Refused, match="This board is closed"):
        entry_hand_in(
            board=board, user=factories.user("tina"), files=files(asked(made, tag="b")), name="x", now=late
        )
    assert boards_close_on_time(late) == [board.pk]
    board.refresh_from_db()
    assert board.state == "closed"
    assert theirs.entries.count() == 1


def test_a_board_of_invited_people_takes_nobody_else():
    _, board = questions_board(entrance="invited")
    with pytest.raises(NotAllowed, match="ask its organisers for a link"):
        team(board)


def test_files_wait_in_line_and_a_dead_workers_is_found_again():
    made, board = questions_board(in_all=10)
    team(board)
    team(board, "Harbour", "hal")
    first = handed_in(board, asked(made, tag="a"), run=False)
    second = handed_in(board, asked(made, tag="b"), "hal", run=False)
    assert [place_in_the_queue(one) for one in (first, second)] == [1, 2]
    Placing.objects.update(enqueued_at=datetime.now(UTC) - 2 * PATIENCE)
    assert placing_sweep() == [first.pk, second.pk]
    assert placing_run(placing_id=first.pk)
    assert not placing_run(placing_id=first.pk)
    assert place_in_the_queue(second) == 1
    # Its worker died after the evaluation was done and before the row was.
    assert placing_run(placing_id=second.pk)
    assert Evaluation.objects.filter(state="done").count() == 2


def test_another_worker_at_the_evaluation_is_waited_for_and_no_attempt_is_lost():
    made, board = questions_board()
    team(board)
    placing = handed_in(board, asked(made, tag="a"), run=False)
    real = handed_in(board, asked(made, right=1), run=False)
    assert placing_run(placing_id=placing.pk)
    evaluation = Placing.objects.get(pk=placing.pk).evaluation
    asked_for = ("method", "threshold", "scope", "replicates", "seed", "parameters", "parameters_digest")
    values = {name: getattr(evaluation, name) for name in (*asked_for, "engine", "release_digest")}
    Evaluation.objects.create(
        submission=real.entry.submission,
        state="running",
        lease_token="other",
        lease_until=datetime.now(UTC) + timedelta(minutes=1),
        **values,
    )
    assert not placing_run(placing_id=real.pk)
    real.refresh_from_db()
    assert (real.state, real.attempts) == ("queued", 0)
    assert real.entry.slot is not None


def test_the_ladder_is_climbed_in_the_order_of_the_files_whoever_finishes_first():
    made, board = questions_board(items=12, feedback="better", in_all=10)
    theirs = team(board)
    first, second, third, fourth = (
        handed_in(board, asked(made, right=right, tag=tag), run=False)
        for right, tag in ((2, "a"), (6, "b"), (6, "c"), (3, "d"))
    )
    for placing in (fourth, third, second):
        placing_run(placing_id=placing.pk)
    assert not Placing.objects.filter(is_better__isnull=False).exists()
    placing_run(placing_id=first.pk)
    found = list(Placing.objects.order_by("pk").values_list("is_better", flat=True))
    assert found == [True, True, False, False]
    assert better_decide(version_id=first.version_id, team_id=theirs.pk) == 0


def test_ones_own_entry_is_renamed_kept_private_and_withdrawn_and_nobody_elses():
    made, board = questions_board()
    team(board)
    entry = handed_in(board, asked(made)).entry
    user, other = factories.user("tina"), factories.user("hal")
    entry_rename(entry=entry, user=user, name="Gadfly 2", line=" schemes,  then selection ", link="")
    assert (entry.name, entry.line) == ("Gadfly 2", "schemes, then selection")
    with pytest.raises(Refused, match="begins with https://"):
        entry_rename(entry=entry, user=user, name="x", link="ftp://x")
    entry_consent(entry=entry, user=user, may_be_shown=False)
    assert entry.may_be_shown is False
    for act in (entry_withdraw, entry_rename, entry_consent):
        given = (
            {"name": "x"} if act is entry_rename else {"may_be_shown": True} if act is entry_consent else {}
        )
        with pytest.raises(NotFound):
            act(entry=entry, user=other, **given)
    entry_withdraw(entry=entry, user=user)
    for change in ({"withdrawn_at": None}, {"digest": "x"}, {"slot": 9}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Entry.objects.filter(pk=entry.pk).update(**change)
    with pytest.raises(IntegrityError), transaction.atomic():
        Entry.objects.filter(pk=entry.pk).delete()


def test_a_lead_hides_with_a_reason_and_reads_who_handed_in_the_same_files():
    made, board = questions_board()
    team(board)
    team(board, "Harbour", "hal")
    mine, theirs = handed_in(board, asked(made)).entry, handed_in(board, asked(made), "hal").entry
    assert same_files(board) == [[mine, theirs]]
    with pytest.raises(Refused, match="Say why"):
        entry_hide(entry=theirs, reason=" ", by=made.lead)
    entry_hide(entry=theirs, reason="a copy", by=made.lead)
    assert theirs.hidden_reason == "a copy"
    entry_show(entry=theirs, by=made.lead)
    assert theirs.hidden_at is None


def test_the_log_has_all_of_it_without_a_score():
    made, board = questions_board()
    team(board)
    entry = handed_in(board, asked(made, right=1)).entry
    entry_withdraw(entry=entry, user=factories.user("tina"))
    entry_hide(entry=entry, reason="late", by=made.lead)
    events = ProjectEvent.objects.filter(project=made.project, action__startswith="board ")
    assert list(events.order_by("pk").values_list("action", flat=True)) == [
        "board made",
        "board version made",
        "board opened",
        "board team made",
        "board entry handed in",
        "board entry withdrawn",
        "board entry hidden",
    ]
    assert "0.1" not in str(list(events.values_list("details", flat=True)))
