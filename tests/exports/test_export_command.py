"""`manage.py export_release` writes a release and says on standard error why it could not."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError
from django.db.models import QuerySet

from tests.factories import close, focus_study, judge


def judged():
    made = focus_study(annotators=2, items=1, slug="campus")
    judge(made, made.items[0], {})
    close(made)
    return made


@pytest.mark.django_db
def test_it_writes_the_benchmark_and_lists_the_files(tmp_path):
    judged()
    out = StringIO()
    call_command("export_release", "campus", version="1.0", out=str(tmp_path / "v1"), stdout=out)
    assert list(json.loads((tmp_path / "v1" / "focus.json").read_bytes())) == ["I-1"]
    assert "  focus.json\n" in out.getvalue()


@pytest.mark.django_db
def test_the_version_is_an_option_of_its_own_as_words_on_a_command_line(tmp_path):
    judged()
    words = ["campus", "--version", "2.0", "--out", str(tmp_path / "v2"), "--rounds", "Round 1"]
    call_command("export_release", *words, stdout=StringIO())
    assert json.loads((tmp_path / "v2" / "release.json").read_bytes())["version"] == "2.0"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere", "--version", "1.0"], "There is no project “nowhere”."),
        (["campus", "--version", "1/0"], "cannot be a version"),
        (["campus", "--version", "1.0", "--rounds", "Round 9"], "'Round 9' is no round of this project"),
        (["campus", "--version", "1.0", "--split-by", "seed"], "a split by seed needs two or more shares"),
        (["campus", "--version", "1.0", "--split-size", "x"], "'x' is not NAME=SIZE"),
        (["campus", "--version", "1.0", "--withhold", "test"], "there is no split 'test'"),
    ],
)
def test_it_says_what_is_wrong_and_writes_nothing(words, message, tmp_path):
    judged()
    with pytest.raises(CommandError, match=message):
        call_command("export_release", *words, "--out", str(tmp_path / "out"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("place", "message"), [("note.txt", "name a folder"), (".", "has other files in it")]
)
def test_a_place_that_holds_no_release_is_refused_before_the_version_is_used_up(tmp_path, place, message):
    made = judged()
    (tmp_path / "note.txt").write_text("mine")
    with pytest.raises(CommandError, match=message):
        call_command("export_release", "campus", version="1.0", out=str(tmp_path / place))
    assert not made.project.releases.exists()
    assert [path.read_text() for path in tmp_path.iterdir()] == ["mine"]


def test_from_a_shell_its_errors_go_to_standard_error_with_a_non_zero_exit(installation, tmp_path):
    words = ["nowhere", "--version", "1.0", "--out", str(tmp_path / "out")]
    failed = installation.begin("manage.py", "export_release", *words)
    output, errors = failed.communicate()
    assert failed.returncode == 1
    assert output == ""
    assert "There is no project “nowhere”." in errors


@pytest.mark.parametrize(
    "words",
    [
        ["export_release", "campus", "--version", "1.0", "--out", "out"],
        ["refine_questions", "campus", "--model", "m"],
    ],
    ids=lambda words: words[0],
)
def test_a_command_on_a_database_that_is_not_set_up_says_what_to_do(monkeypatch, words):
    def no_table(*args, **options):
        raise OperationalError("no such table: annotation_project")

    monkeypatch.setattr(QuerySet, "first", no_table)
    with pytest.raises(CommandError, match="The database is not set up: run manage"):
        call_command(*words)
