"""The files of a large release are written by another process, to the same bytes; its end is never silent."""

import pickle
import subprocess
import sys

import pytest
from django.conf import settings

from annotation.models import Question
from core.errors import Refused
from exports.files.checksums import Sums
from exports.files.item_files import Plan
from exports.files.subprocess_writer import SubprocessWriter
from exports.releases import build as building
from exports.releases.build import NotReconciled, build_files
from exports.selection.parameters import EXCHANGE, Parameters
from exports.selection.records import read_records
from exports.selection.selection import read_selection
from tests.factories import (
    UNHELPFUL,
    USEFUL,
    adjudicate,
    close,
    cqs_study,
    focus_study,
    invalid,
    judge,
    judge_question,
    yes,
)
from tests.factories.releases import release

pytestmark = [pytest.mark.django_db, pytest.mark.database]

STOPPED = "The process that writes the files was stopped"


@pytest.fixture
def beside(monkeypatch):
    """Every release is large enough for the other process, which gets an item at a time."""
    monkeypatch.setattr(building, "SUBPROCESS_FROM", 1)
    monkeypatch.setattr(building, "BATCH", 1)


def focus():
    made = focus_study(annotators=2, items=3)
    for item in made.items:
        judge(made, item, {"VAT": [yes(item, item.text[:11]), yes(item, item.text[5:11])]})
    close(made)
    adjudicate(made, made.items[0], "WE", True, (0, 4))
    return made


def questions():
    made = cqs_study(annotators=2, items=2)
    for question in Question.objects.order_by("pk"):
        judge_question(made, question, [USEFUL, UNHELPFUL if question.position % 2 else invalid()])
    close(made)
    return made


def built(selection, folder):
    folder.mkdir()
    found = build_files(selection, "1.0", folder)
    return {file.name: file.sha256 for file in found.files}, found.digest, found.counts


@pytest.mark.parametrize("study", [focus, questions])
def test_another_process_writes_the_same_bytes_and_tallies_the_same(study, tmp_path, monkeypatch):
    choices = {
        "split_by": "seed",
        "split_sizes": {"train": 0.5, "test": 0.5},
        "withheld": ["test"],
        "exchange": list(EXCHANGE),
        "comments": True,
    }
    selection = read_selection(study().project, Parameters.from_json(choices))
    here = built(selection, tmp_path / "here")
    monkeypatch.setattr(building, "SUBPROCESS_FROM", 1)
    monkeypatch.setattr(building, "ItemFiles", None)
    assert built(selection, tmp_path / "beside") == here


def test_a_release_whose_writing_process_is_killed_fails_in_words_and_can_be_asked_for_again(
    beside, monkeypatch
):
    made = focus()
    real = SubprocessWriter.add

    def killed(self, batch):
        self._process.kill()
        self._process.wait()
        real(self, batch)

    monkeypatch.setattr(SubprocessWriter, "add", killed)
    with pytest.raises(Refused, match=STOPPED):
        release(made.project)
    row = made.project.releases.get()
    assert (row.state, row.files) == ("failed", [])
    assert row.error.startswith(STOPPED)
    monkeypatch.setattr(SubprocessWriter, "add", real)
    assert release(made.project).counts["items"] == 3


def test_a_writing_process_that_is_killed_after_the_last_item_is_noticed_too(beside, monkeypatch):
    made = focus()
    real = SubprocessWriter.finish

    def killed(self):
        self._process.kill()
        return real(self)

    monkeypatch.setattr(SubprocessWriter, "finish", killed)
    with pytest.raises(Refused, match=STOPPED):
        release(made.project)


def test_what_stands_in_the_way_of_a_file_is_said_as_if_it_had_been_written_here(tmp_path):
    selection = read_selection(focus().project, Parameters())
    (tmp_path / "focus.json").write_text("mine")
    with (
        Sums(tmp_path) as sums,
        SubprocessWriter(Plan(selection, [], []), sums) as files,
        pytest.raises(Refused, match=r"could not be written or read \(File exists\)"),
    ):
        files.add([(record, "") for record in read_records(selection)])
        files.finish()
    assert (tmp_path / "focus.json").read_text() == "mine"


def test_the_process_is_gone_once_the_block_is_left(tmp_path):
    selection = read_selection(focus().project, Parameters())
    with (
        pytest.raises(ZeroDivisionError),
        Sums(tmp_path) as sums,
        SubprocessWriter(Plan(selection, [], []), sums) as files,
    ):
        raise ZeroDivisionError
    assert files._process.poll() is not None


def test_the_process_ends_without_an_answer_when_whoever_builds_is_gone(tmp_path):
    plan = Plan(read_selection(focus().project, Parameters()), [], [])
    done = subprocess.run(
        [sys.executable, "-m", "exports.files.subprocess_main"],
        input=pickle.dumps((plan, tmp_path)),
        capture_output=True,
        cwd=settings.BASE_DIR,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode().strip() == "The process that builds the release is gone."


def test_what_does_not_add_up_is_said_before_that_there_are_no_figures(beside, monkeypatch):
    def without_figures(*given, heartbeat):
        raise KeyError("span")

    monkeypatch.setattr(building, "write_agreement", without_figures)
    made = focus()
    with pytest.raises(KeyError):
        release(made.project)
    adjudicate(made, made.items[1], "WE", True, (3, 9999))
    with pytest.raises(NotReconciled, match=r"the resolved span \[3, 9999\] is not inside its text"):
        release(made.project)
