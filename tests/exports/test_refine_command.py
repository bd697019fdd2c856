"""`manage.py refine_questions` asks here and now, says what came of it, and `export_release` takes it in."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.models import ProjectEvent
from exports.models import QuestionRefinement, RefinementRun
from tests.exports.endpoint import saying, status
from tests.factories import close, focus_study, judge, yes

pytestmark = pytest.mark.django_db

QUICK = ["--model", "tiny", "--per-minute", "600"]
SENT = ["--source", "test", "--texts-may-leave"]


@pytest.fixture
def made():
    made = focus_study(
        annotators=2, items=2, texts=("Parks make us happy.", "Taxes cause it."), slug="campus"
    )
    for item in made.items:
        judge(made, item, {"LE": [yes(item, item.text[:10])] * 2})
    close(made)
    return made


def call(*words):
    out = StringIO()
    call_command("refine_questions", "campus", *words, stdout=out)
    return out.getvalue()


def test_it_asks_tells_what_came_of_it_and_a_release_takes_it_in(made, endpoint, tmp_path):
    endpoint.replies = [saying("What shows it?"), saying("No.")]
    assert call(*QUICK, *SENT) == "run 1: 1 refined, 1 refused, 0 failed\n"
    words = ["campus", "--version", "1.0", "--out", str(tmp_path / "out"), "--refined-questions"]
    call_command("export_release", *words, stdout=StringIO())
    entries = json.loads((tmp_path / "out" / "focus.json").read_bytes())
    spans = [s for entry in entries.values() for label in entry["labels"] for s in label["gold_spans"]]
    assert [span["question_refined"] for span in spans] == ["What shows it?", None]


def test_every_choice_arrives(made, endpoint, tmp_path):
    (tmp_path / "prompt.txt").write_text("Reword: {question}\n", encoding="utf-8")
    call(
        *("--endpoint", endpoint.url, "--model", "big", "--prompt-file", str(tmp_path / "prompt.txt")),
        *("--temperature", "none", "--seed", "3", "--tokens-field", "max_completion_tokens"),
        *("--max-questions", "1", "--per-minute", "600", "--max-tokens", "99", "--timeout", "9"),
        *("--all-sources", "--texts-may-leave"),
    )
    run = RefinementRun.objects.get()
    row = QuestionRefinement.objects.get()
    assert (run.timeout, run.per_minute, run.max_questions, run.member) == (9, 600, 1, None)
    assert endpoint.asked[0].body == {
        "model": "big",
        "messages": [{"role": "user", "content": f"Reword: {row.question_template}"}],
        "max_completion_tokens": 99,
        "seed": 3,
    }


def test_a_preview_counts_and_asks_nothing(made, endpoint):
    counts, told, *prompt = call(*QUICK, "--source", "test", "--max-questions", "1", "--preview").split(
        "\n\n"
    )
    assert counts == (
        "2 questions of gold spans: 0 refined already, 0 of other sources, 1 would be asked, "
        "1 left to another run"
    )
    assert told == "The first prompt, as it would be sent:"
    assert f"Argument: {made.items[0].text}" in prompt
    assert (endpoint.asked, RefinementRun.objects.count()) == ([], 0)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--source", "test"], "Confirm that the texts may be sent"),
        (["--texts-may-leave"], "at least one source"),
        (["--source", "other", "--texts-may-leave"], "No item of the closed rounds has the source “other”."),
        ([*SENT, "--endpoint", "http://10.0.0.1/v1"], "This installation does not name this endpoint"),
        ([*SENT, "--prompt-file", "nowhere.txt"], "nowhere.txt cannot be read"),
        ([*SENT, "--temperature", "hot"], "write a number, or none"),
        ([*SENT, "--max-tokens", "1"], "from 16 to 32000"),
    ],
)
def test_it_says_what_is_wrong_and_asks_nothing(made, endpoint, words, message):
    with pytest.raises(CommandError, match=message):
        call(*QUICK, *words)
    assert (endpoint.asked, RefinementRun.objects.count()) == ([], 0)


def test_without_an_endpoint_it_says_how_to_name_one(made):
    with pytest.raises(CommandError, match="set ELENCHUS_LLM_ENDPOINTS"):
        call(*QUICK, *SENT)


def test_of_several_endpoints_one_is_to_be_chosen(made, endpoint, settings):
    settings.LLM_ENDPOINTS = [endpoint.url, "https://b.org/v1"]
    with pytest.raises(CommandError, match=r"Choose one with --endpoint: .*, https://b\.org/v1"):
        call(*QUICK, *SENT)


def test_a_run_that_stops_is_an_error_with_its_reason(made, endpoint):
    endpoint.otherwise = status(404)
    with pytest.raises(CommandError, match="the endpoint knows no such model or address"):
        call(*QUICK, *SENT)


def test_an_interrupted_run_is_cancelled_so_that_no_worker_takes_it_over(made, endpoint, monkeypatch):
    def interrupted(*_arguments, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("exports.refinement.worker.ask_endpoint", interrupted)
    with pytest.raises(CommandError, match="Run 1 is cancelled"):
        call(*QUICK, *SENT)
    assert RefinementRun.objects.get().state == "cancelled"
    assert ProjectEvent.objects.filter(action="refinement cancelled").get().member is None
