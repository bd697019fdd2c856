"""manage.py assist: the same runs for people who script, with exit codes and what to do."""

import json

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from assist.asking import llm_client
from assist.models import AssistRun
from tests.assist.asking import TEXTS
from tests.exports.endpoint import KEY, saying, status
from tests.factories import study

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr(llm_client.Pause, "wait", lambda self: None)


@pytest.fixture
def made():
    return study("focus", annotators=1, items=3, texts=TEXTS, slug="s")


def assist(capsys, *arguments, task="context"):
    call_command("assist", "s", f"--task={task}", "--model=tiny", *arguments)
    return capsys.readouterr().out


def test_a_run_from_the_command_line_says_what_came_of_it(made, endpoint, capsys):
    endpoint.otherwise = saying("Yes", usage=(10, 1))
    found = json.loads(assist(capsys, "--sources", "test", "--json"))
    assert (found["state"], found["outcomes"]) == ("done", {"usable": 3, "unusable": 0, "unanswered": 0})
    assert (found["requests"], found["tokens"], found["labels"]) == (3, 33, {"sufficient": 3})
    assert "0 requests" in assist(capsys, "--sources", "test")
    assert len(endpoint.asked) == 3


def test_a_dry_run_prints_count_sources_prompt_and_tokens_and_sends_nothing(made, endpoint, capsys):
    words = assist(capsys, "--sources", "test", "--dry-run")
    assert "3 would be asked. Nothing was sent." in words
    assert "test · terms not stated: 3" in words
    assert TEXTS[0] in words
    assert "Expected tokens: about" in words
    found = json.loads(assist(capsys, "--sources", "test", "--dry-run", "--json"))
    assert (found["count"], found["sources"][0]["source"]) == (3, "test")
    assert (endpoint.asked, AssistRun.objects.count()) == ([], 0)


def test_a_budget_stops_it_with_1_and_a_higher_one_goes_on_with_the_same_run(made, endpoint, capsys):
    endpoint.otherwise = saying("yes")
    with pytest.raises(CommandError, match="The budget of 2 requests is used up") as stopped:
        assist(capsys, "--sources", "test", "--budget-requests=2")
    assert stopped.value.returncode == 1
    with pytest.raises(CommandError, match="budget_requests: 2 are used already: give more than that"):
        assist(capsys, "--sources", "test", "--budget-requests=2")
    assert "run 1: 3 usable" in assist(capsys, "--sources", "test", "--budget-requests=3")
    assert (len(endpoint.asked), AssistRun.objects.count()) == (3, 1)


def test_an_endpoint_that_is_down_stops_it_with_1_and_the_key_stays_unsaid(made, endpoint, capsys):
    endpoint.otherwise = status(401, KEY.encode())
    with pytest.raises(CommandError, match="does not accept the key") as stopped:
        assist(capsys, "--sources", "test")
    assert stopped.value.returncode == 1
    assert KEY not in str(stopped.value)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "sources: Name at least one source"),
        (["--sources", "nowhere"], "sources: No item of this project has the source 'nowhere'"),
        (
            ["--sources", "test", "--endpoint", "https://x.example"],
            "endpoint: This installation does not name",
        ),
        (["--sources", "test", "--budget-tokens=0"], "budget_tokens: Expected a whole number from 1"),
        (["--sources", "test", "--temperature=warm"], "temperature: 'warm' is no number"),
    ],
)
def test_bad_input_is_refused_with_its_field(made, endpoint, capsys, arguments, words):
    with pytest.raises(CommandError, match=words) as refused:
        assist(capsys, *arguments)
    assert refused.value.returncode == 1
    assert (endpoint.asked, AssistRun.objects.count()) == ([], 0)


@pytest.mark.parametrize("option", ["--items", "--examples"])
def test_rows_of_a_file_that_are_no_items_are_refused_with_2(made, endpoint, capsys, tmp_path, option):
    path = tmp_path / "ids.txt"
    path.write_text("I-1\nI-99\n", "utf-8")
    with pytest.raises(CommandError, match="I-99 is no item of this project") as refused:
        assist(capsys, "--sources", "test", option, str(path))
    assert refused.value.returncode == 2
    assert endpoint.asked == []


def test_files_say_which_items_are_asked_about_and_shown(made, endpoint, capsys, tmp_path):
    items, examples, prompt = tmp_path / "items", tmp_path / "examples", tmp_path / "prompt"
    items.write_text("I-3\nI-2\n", "utf-8")
    examples.write_text('{"id": "I-2", "answer": "no"}\n', "utf-8")
    prompt.write_text("Enough?\n{examples}\n{text}\n", "utf-8")
    endpoint.otherwise = saying("yes")
    files = ["--items", str(items), "--examples", str(examples), "--prompt", str(prompt), "--endpoint", "1"]
    assist(capsys, "--sources", "test", *files)
    assert [one.prompt for one in endpoint.asked] == [
        f"Enough?\nExamples:\n\nArgument: {TEXTS[1]}\nAnswer: no\n{TEXTS[2]}"
    ]
