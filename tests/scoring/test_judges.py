"""A language model judges a system's questions: what it is asked, how it is read, what is kept of it."""

import io
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction

from core.errors import Refused
from scoring.evaluation.evaluate import Choices, evaluate
from scoring.evaluation.judge_prompts import DEFAULT_PROMPTS, MODEL_LABEL, MODEL_REFERENCE, prompt_problem
from scoring.evaluation.judges import About, Judge, Said
from scoring.evaluation.questions import Method
from scoring.evaluation.references import read_benchmark
from scoring.evaluation.sources import codebook_named
from scoring.evaluation.submissions import read_submission
from scoring.figures.matching import NAE
from scoring.models import Evaluation
from scoring.systems.choices import read_choices
from scoring.systems.evaluations import evaluation_request, evaluation_run
from tests.exports.endpoint import KEY, saying, status
from tests.scoring.systems import questions, questions_release, scored, submitted

REFERENCES = {
    "a": {
        "intervention": "Taxes fall.",
        "cqs": [
            {"id": "a_T__1", "cq": "Who pays?", "label": "Useful"},
            {"id": "a_own", "cq": "Who {text}?", "label": "Useful"},
            {"id": "a_T__2", "cq": "Why now?", "label": "Invalid"},
        ],
    },
    "b": {"intervention": "Jobs.", "cqs": []},
}
ASKED = {
    "a": {"cqs": [{"id": 0, "cq": "Who will pay?"}, {"id": 1, "cq": "Why?"}, {"id": 2, "cq": "How?"}]},
    "b": {"cqs": [{"id": 0, "cq": "Which jobs?"}]},
}


def judged(method, *answers, system="", ending="stop"):
    """Score ASKED by a judge that answers so, in order; return the scores, the lines and the prompts."""
    prompts = []
    left = list(answers)

    def ask(about, prompt):
        prompts.append((about, prompt))
        return Said(left.pop(0), "served", ending, "2026-01-01T12:00:00+00:00")

    benchmark = read_benchmark(
        json.dumps(REFERENCES).encode(),
        "r.json",
        codebook_named("cqs_gen"),
        own={"Mine": frozenset(["a_own"])},
    )
    submission = read_submission(json.dumps(ASKED).encode(), "run1.json", benchmark)
    judge = Judge(method, DEFAULT_PROMPTS[method], ask, {"model": "judge-1"})
    choices = Choices(methods=[Method(method)], replicates=0, system=system, judges={method: judge})
    found = evaluate(benchmark, [(submission, "0" * 64)], choices)
    return found.scores, found.answers, prompts


def counted(scores):
    figures = scores["figures"]
    return figures["score"]["value"], figures["nae"], figures["judge_unusable"]


def test_a_reference_that_asks_the_same_gives_its_label():
    scores, lines, prompts = judged(MODEL_REFERENCE, "ID: 0", "Similar reference not found.", "**2**")
    assert [line["label"] for line in lines] == ["Useful", NAE, "Invalid", NAE]
    assert [line["reference"] and line["reference"]["id"] for line in lines] == [
        "a_T__1",
        None,
        "a_T__2",
        None,
    ]
    assert lines[0]["judge"]["raw"] == "ID: 0" and lines[3]["judge"] is None
    assert counted(scores) == (pytest.approx(1 / 3), 1, 0)
    assert [about for about, _ in prompts] == [About(1, "a", 1), About(1, "a", 2), About(1, "a", 3)]
    assert "0: Who pays?\n1: Who {text}?\n2: Why now?" in prompts[0][1] and "Who will pay?" in prompts[0][1]


def test_references_that_the_system_asked_itself_are_not_shown_to_the_judge():
    _, lines, prompts = judged(MODEL_REFERENCE, "1", "2", "0", system="Mine")
    assert "0: Who pays?\n1: Why now?\n" in prompts[0][1]
    assert [line["label"] for line in lines[:3]] == ["Invalid", None, "Useful"]
    assert lines[1]["judge"]["problem"] == "no_such_reference"


def test_an_answer_in_another_form_is_no_label_and_not_nae():
    scores, lines, prompts = judged(MODEL_LABEL, "useful.", "Useful because it asks", "")
    assert [line["label"] for line in lines] == ["Useful", None, None, NAE]
    assert [line["judge"]["problem"] for line in lines[:3]] == [None, "not_in_the_form", "not_in_the_form"]
    assert counted(scores) == (pytest.approx(1 / 3), 0, 2)
    assert "<text>\nTaxes fall.\n</text>" in prompts[0][1] and "Who pays?" not in prompts[0][1]
    assert scores["judge"]["model"] == "judge-1" and scores["judge"]["prompt"] == DEFAULT_PROMPTS[MODEL_LABEL]


def test_an_answer_that_was_cut_off_is_never_half_read():
    scores, lines, _ = judged(MODEL_LABEL, "Useful", "Useful", "Useful", ending="length")
    assert [line["judge"]["problem"] for line in lines[:3]] == ["cut_off"] * 3
    assert scores["figures"]["score"]["value"] == 0.0


@pytest.mark.parametrize(
    ("method", "prompt", "told"),
    [
        (MODEL_LABEL, "{text} {quest}", "{quest} stands for nothing: use {references}, {question}, {text}."),
        (MODEL_LABEL, "{question}", "Write {text} where it goes: model_label needs it."),
        (MODEL_REFERENCE, "{question} {text}", "Write {references} where it goes: model_reference needs it."),
    ],
)
def test_a_prompt_that_cannot_be_sent_is_refused_with_what_to_do(method, prompt, told):
    assert prompt_problem(method, prompt) == told
    assert prompt_problem(method, DEFAULT_PROMPTS[method]) == ""


def test_nothing_is_sent_without_leave_and_without_an_endpoint(judge_endpoint, settings, db):
    made, _ = questions_release()
    with pytest.raises(Refused) as refusal:
        read_choices(made.project, methods=["model_label"], judge={"model": "m"})
    assert list(refusal.value.errors) == ["texts_may_leave"]
    with pytest.raises(Refused) as refusal:
        read_choices(made.project, methods=["model_label"], judge={"per_minute": 0}, texts_may_leave=True)
    assert list(refusal.value.errors) == ["model", "per_minute"]
    settings.LLM_ENDPOINTS = []
    with pytest.raises(Refused, match="model_label needs a language model: set ELENCHUS_LLM_ENDPOINTS"):
        read_choices(made.project, methods=["model_label"], judge={"model": "m"}, texts_may_leave=True)
    assert judge_endpoint.asked == []


def by_model(submission, method="model_label", **more):
    return scored(submission, methods=[method], judge={"model": "m"}, texts_may_leave=True, **more)


@pytest.mark.django_db
@pytest.mark.database
def test_each_answer_is_kept_whole_and_for_good(judge_endpoint):
    made, release = questions_release()
    judge_endpoint.replies = [saying("**Useful**"), saying("I think so"), status(400), saying(f"see {KEY}")]
    judge_endpoint.otherwise = saying("Invalid")
    evaluation = by_model(submitted(made, release, questions("A?", "B?", "C?") | questions("D?", item="I-2")))
    assert (evaluation.state, evaluation.error) == ("done", "")
    rows = evaluation.judge_answers.order_by("item", "question")
    assert list(rows.values_list("item", "question", "raw", "model", "problem")) == [
        ("I-1", 1, "**Useful**", "served-1", ""),
        ("I-1", 2, "I think so", "served-1", ""),
        ("I-1", 3, "", "", "refused_by_endpoint"),
        ("I-2", 1, "", "", "repeats_key"),
    ]
    assert list(evaluation.answers.values_list("label", flat=True)) == [
        "Useful",
        "judge_unusable",
        "judge_unusable",
        "judge_unusable",
    ]
    assert evaluation.figures["figures"]["judge_unusable"] == 3
    body = judge_endpoint.asked[0].body
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("m", 0.0, 300)
    assert judge_endpoint.asked[0].headers["Authorization"] == f"Bearer {KEY}"
    for change in (lambda: rows.update(raw="Useful"), lambda: rows[0].delete()):
        with pytest.raises(IntegrityError, match="kept as it came"), transaction.atomic():
            change()


@pytest.mark.django_db
def test_what_was_answered_is_not_asked_again(judge_endpoint):
    made, release = questions_release()
    submission = submitted(made, release, questions("A?", "B?", "C?"))
    judge_endpoint.replies = [saying("Useful"), saying("Useful"), *[status(503)] * 4]
    evaluation = by_model(submission)
    told = "I-1, question 3, had no answer: the endpoint answered with status 503. What was answered is kept"
    assert evaluation.state == "failed" and evaluation.error.startswith(told)
    assert (evaluation.judge_answers.count(), len(judge_endpoint.asked), evaluation.figures) == (2, 6, None)
    judge_endpoint.otherwise = saying("Invalid")
    again = by_model(submission)
    assert (again.pk, again.state, len(judge_endpoint.asked)) == (evaluation.pk, "done", 7)
    assert again.figures["figures"]["score"]["value"] == pytest.approx(2 / 3 / 2)
    assert len({one.headers["Idempotency-Key"] for one in judge_endpoint.asked}) == 4
    assert evaluation_run(evaluation_id=again.pk) is False and len(judge_endpoint.asked) == 7


@pytest.mark.django_db
def test_an_endpoint_that_is_allowed_no_more_is_not_asked(judge_endpoint, settings):
    made, release = questions_release()
    asked = read_choices(
        made.project, methods=["model_label"], judge={"model": "m"}, texts_may_leave=True, replicates=0
    )
    evaluation = evaluation_request(submission=submitted(made, release, questions("A?")), asked=asked[0])
    settings.LLM_ENDPOINTS = ["http://127.0.0.1:1/v1"]
    evaluation_run(evaluation_id=evaluation.pk)
    evaluation.refresh_from_db()
    assert (evaluation.state, judge_endpoint.asked) == ("failed", [])
    assert "does not name" in evaluation.error


def command(folder, *more):
    for name, content in (("references.json", REFERENCES), ("run1.json", ASKED)):
        (folder / name).write_text(json.dumps(content), "utf-8")
    out = io.StringIO()
    words = ["--references", str(folder / "references.json"), "--codebook", "cqs_gen"]
    call_command(
        "score", *words, "--answers", str(folder / "run1.json"), *more, stdout=out, stderr=io.StringIO()
    )
    return out.getvalue()


def test_the_command_asks_a_model_and_needs_no_database(judge_endpoint, tmp_path):
    judge_endpoint.replies = [saying("Useful"), saying("Helpful"), saying("Invalid")]
    words = ["--method", "model_label", "--method", "exact", "--model", "m", "--per-minute", "600", "--json"]
    with pytest.raises(CommandError, match="texts_may_leave: Confirm that texts, references and questions"):
        command(tmp_path, *words)
    assert judge_endpoint.asked == []
    scores = json.loads(command(tmp_path, *words, "--texts-may-leave"))
    assert scores["figures"]["labels"] == {
        "Useful": 1,
        "Unhelpful": 0,
        "Invalid": 1,
        "not_able_to_evaluate": 0,
    }
    assert (scores["figures"]["judge_unusable"], scores["method"]["name"]) == (1, "model_label")
    assert (scores["judge"]["model"], scores["judge"]["endpoint"]) == ("m", judge_endpoint.url)
    [pair] = scores["methods_compared"]
    assert (pair["with_nae"]["n"], pair["without_nae"]["n"]) == (3, 0)  # b has no reference: NAE by both


def test_a_prompt_of_ones_own_comes_from_a_file(judge_endpoint, tmp_path):
    judge_endpoint.otherwise = saying("Unhelpful")
    (tmp_path / "mine.txt").write_text("{text} | {question}", "utf-8")
    words = ["--model", "m", "--texts-may-leave", "--prompt", str(tmp_path / "mine.txt"), "--json"]
    scores = json.loads(command(tmp_path, "--method", "model_label", *words))
    assert judge_endpoint.asked[0].prompt == "Taxes fall. | Who will pay?"
    assert scores["judge"]["prompt"] == "{text} | {question}"
    with pytest.raises(CommandError, match="A prompt of your own goes with one method"):
        command(tmp_path, "--method", "model_label", "--method", "model_reference", *words)


@pytest.mark.django_db
def test_a_lead_has_a_model_judge_from_the_page_and_over_the_api(judge_endpoint, lead_client, settings):
    judge_endpoint.otherwise = saying("Useful")
    made, _ = questions_release()
    page = f"/p/{made.project.slug}/systems/new/"
    content = json.dumps(questions("A?", "B?", "C?")).encode()
    given = {"name": "Parrot", "place": "1.0/", "methods": ["model_label"], "replicates": "0", "seed": "1"}

    def sent(**more):
        return lead_client.post(page, {**given, "runs": SimpleUploadedFile("run1.json", content), **more})

    refused = sent(model="m", endpoint=judge_endpoint.url)
    assert list(refused.context["form"].errors) == ["texts_may_leave"] and judge_endpoint.asked == []
    assert list(sent(texts_may_leave="on").context["form"].errors) == ["model"]
    assert sent(model="m", endpoint=judge_endpoint.url, texts_may_leave="on").status_code == 302
    evaluation = Evaluation.objects.get()
    assert (evaluation.method, evaluation.parameters["model"]) == ("model_label", "m")
    evaluation_run(evaluation_id=evaluation.pk)
    assert evaluation.judge_answers.count() == 3
    address = f"/api/projects/{made.project.slug}/releases/1.0/evaluations/"
    body = {"system": "Parrot", "methods": ["model_label"], "model": "other", "texts_may_leave": "true"}
    made_by_api = lead_client.post(address, {**body, "files": SimpleUploadedFile("run1.json", content)})
    assert (made_by_api.status_code, made_by_api.json()[0]["parameters"]["model"]) == (202, "other")
    settings.LLM_ENDPOINTS = []
    assert "model" not in lead_client.get(page).context["form"].fields
