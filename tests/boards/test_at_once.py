"""Several people of a team hand in at once: never more than the board takes, and none is counted twice."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection

from boards.life.entries import entry_hand_in
from boards.models import Entry, Placing, UploadCheck
from core.errors import Refused
from scoring.models import SubmissionFile
from tests import factories
from tests.boards.made import asked, files, questions_board, team

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database, pytest.mark.postgresql]


def at_once(board, contents):
    """Hand all contents in from threads that begin together; return what each was answered."""
    start = Barrier(len(contents))
    user = factories.user("tina")

    def hand_in(content):
        try:
            start.wait()
            entry_hand_in(board=board, user=user, files=files(content), name="Gadfly")
            return "accepted"
        except Refused as refused:
            return refused.code
        finally:
            connection.close()

    with ThreadPoolExecutor(len(contents)) as pool:
        return sorted(pool.map(hand_in, contents))


def test_of_eight_files_at_once_the_board_takes_as_many_as_it_says():
    made, board = questions_board(per_day=3, in_all=4)
    theirs = team(board)
    contents = [asked(made, tag=f"t{number}") for number in range(8)]
    assert at_once(board, contents) == ["accepted"] * 3 + ["not_ready"] * 5
    assert sorted(theirs.entries.values_list("slot", "day_slot")) == [(1, 1), (2, 2), (3, 3)]
    assert Placing.objects.filter(state="queued").count() == 3
    assert SubmissionFile.objects.count() == 3
    assert UploadCheck.objects.values("slot").distinct().count() == UploadCheck.objects.count()


def test_of_the_same_file_at_once_one_counts():
    made, board = questions_board(per_day=3, in_all=4)
    team(board)
    assert at_once(board, [asked(made)] * 4) == ["accepted", "taken", "taken", "taken"]
    assert Entry.objects.get().slot == 1
