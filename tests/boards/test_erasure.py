"""What boards have of a person, and of a project that is deleted."""

import io
import json
import zipfile

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from annotation.models import Project
from annotation.projects.deletion import project_deletion_ask, projects_delete_due
from annotation.projects.erasure import account_erase
from annotation.projects.own_data import own_data_write
from boards.models import Board, BoardInvitation, Entry, FrontPage, TeamMember
from tests.boards.made import asked, handed_in, questions_board, team

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def board() -> Board:
    made, board = questions_board()
    team(board)
    handed_in(board, asked(made, right=1), name="Gadfly")
    return board


def test_a_person_reads_what_boards_have_of_them(board):
    target = io.BytesIO()
    own_data_write(User.objects.get(username="tina"), target)
    with zipfile.ZipFile(target) as archive:
        boards = json.loads(archive.read("boards.json"))
        submissions = json.loads(archive.read("submissions.json"))
    assert [(row["board"], row["team"]) for row in boards] == [("ask/best", "Lakeside")]
    assert [(row["team"], row["system"]) for row in submissions] == [("Lakeside", "Gadfly")]


def test_an_account_that_took_part_in_boards_is_erased_and_its_submission_stays(board):
    tina = User.objects.get(username="tina")
    FrontPage.objects.create(text="Welcome.", user=tina)
    BoardInvitation.objects.create(
        board=board,
        token_sha256="0" * 64,
        expires_at=timezone.now(),
        used_at=timezone.now(),
        used_by=tina,
    )
    account_erase(user=tina)
    assert not User.objects.filter(username="tina").exists()
    assert (TeamMember.objects.count(), BoardInvitation.objects.count()) == (0, 0)
    assert [(entry.name, entry.created_by) for entry in Entry.objects.all()] == [("Gadfly", None)]
    assert FrontPage.objects.get().user is None


def test_a_project_with_a_board_is_deleted_with_it(board):
    project_deletion_ask(project=board.project, member=None, typed=board.project.slug)
    Project.objects.update(deletion_due_at=timezone.now())
    assert projects_delete_due() == 1
    assert (Board.objects.count(), Entry.objects.count(), Project.objects.count()) == (0, 0, 0)
    assert User.objects.filter(username="tina").exists()
