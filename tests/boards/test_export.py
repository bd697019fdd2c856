"""A board is made again from its export, without the database: every figure on it, and the trivial rows."""

import io
import json
import subprocess
import sys
import zipfile

import pytest
from django.core.management import call_command
from django.db import connection

from boards.life.shown import board_json
from boards.life.versions import version_now
from exports.releases.storage import write_release
from tests.boards.made import asked, handed_in, questions_board, team
from tests.conftest import ROOT

pytestmark = pytest.mark.django_db


def scored(command: str, release, here) -> dict:
    """Run one line of reproduce.sh here, as its shell would, and return what it prints."""
    words = [
        word.strip('"').replace("$HERE", str(here)).replace("$1", str(release))
        for word in command.removeprefix("$SCORE ").split()
    ]
    out = io.StringIO()
    call_command("score", *words, stdout=out, stderr=io.StringIO())
    return json.loads(out.getvalue())


@pytest.fixture
def board():
    made, found = questions_board(items=8, in_all=10)
    team(found)
    team(found, "Harbour", "hal")
    handed_in(found, asked(made, right=3, tag="a"), name="First")
    handed_in(found, asked(made, right=1, tag="b"), "hal", name="Second")
    return made, found


def test_every_figure_comes_out_again_without_the_database(board, tmp_path, django_db_blocker, monkeypatch):
    made, found = board
    with monkeypatch.context() as patched:
        patched.setattr("scoring.systems.evaluations.evaluate", lambda *_, **__: 1 / 0)
        handed_in(found, asked(made, right=2, tag="broken"), name="Third")
    version = version_now(found)
    shown = json.loads(json.dumps(board_json(found, version)))
    call_command("export_board", "ask", "best", str(tmp_path / "b.zip"), "--internal", stdout=io.StringIO())
    zipfile.ZipFile(tmp_path / "b.zip").extractall(tmp_path / "b")
    exported = json.loads((tmp_path / "b" / "board.json").read_text())
    lines = (tmp_path / "b" / "reproduce.sh").read_text().splitlines()
    commands = [line for line in lines if line.startswith("$SCORE")]
    by_name = {row["system"]: row for row in shown["rows"]}
    done = [entry for entry in exported["entries"] if entry["state"] == "done"]
    assert (len(done), len(exported["entries"]), len(commands)) == (2, 3, 3)
    connection.close()
    with django_db_blocker.block():
        results = [scored(command, tmp_path / "b" / "release", tmp_path / "b") for command in commands]
    for entry, scores in zip(done, results, strict=False):
        row, figures = by_name[entry["system"]], scores["figures"]
        assert {name: figures["score"][name] for name in ("value", "low", "high")} == {
            "value": row["score"],
            "low": row["low"],
            "high": row["high"],
        }
        assert figures["nae_share"]["value"] == row["nae_share"]
        assert figures["labels"] == row["labels"]
        assert figures["diversity"]["ngram_within"]["score"] == row["diversity"]["ngram_within"]
        assert entry["score"] == row["score"]
    frequent = next(row for row in shown["trivial"] if row["kind"] == "most_frequent_question")
    assert results[-1]["figures"]["score"]["value"] == frequent["score"]
    assert results[-1]["figures"]["score"]["low"] == frequent["low"]


def test_the_script_of_an_export_runs_where_there_is_no_database(board, tmp_path):
    _, found = board
    call_command("export_board", "ask", "best", str(tmp_path / "b.zip"), stdout=io.StringIO())
    archive = zipfile.ZipFile(tmp_path / "b.zip")
    archive.extractall(tmp_path / "b")
    assert not [name for name in archive.namelist() if "release/" in name or "references" in name]
    assert "xq?" not in json.dumps(json.loads(archive.read("board.json")))
    write_release(version_now(found).release, tmp_path / "release", internal=True)
    ran = subprocess.run(
        ["sh", str(tmp_path / "b" / "reproduce.sh"), str(tmp_path / "release")],
        cwd=ROOT,
        env={
            "SCORE": f"{sys.executable} manage.py score",
            "PATH": "/usr/bin:/bin",
            "DATABASE_URL": f"sqlite:///{tmp_path}/none/there.sqlite3",
            "ELENCHUS_DATA": str(tmp_path / "none"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count('"engine"') == 3
