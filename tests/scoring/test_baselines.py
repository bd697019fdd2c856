"""A language model answers like a system: read strictly, with examples of other splits, scored like any."""

import csv
import io
import json
from pathlib import Path

import pytest
from django.core.management import call_command

from annotation.codebooks.toml_reader import load_shipped
from annotation.importing.items import items_import
from annotation.models import Item, QuestionAnnotation, TypeAnnotation
from assist.asking import llm_client
from assist.runs.judgement_file import judgements_bytes
from assist.runs.results import submission_bytes
from core.errors import Refused
from exports.models import Release
from scoring.baselines.submission import run_hand_in
from scoring.evaluation.references import type_names
from scoring.reading.focus_answers import AnswerRefused, focus_lists, read_focus_answer
from tests.assist.asking import answers, asked, choices
from tests.exports.endpoint import saying
from tests.factories import TYPES, close, cqs_study, focus_study, invalid, judge, judge_question, study, yes
from tests.factories.releases import release
from tests.scoring.test_reading import known

pytestmark = pytest.mark.django_db

SAID = 'Classification:\n["Lacks Evidence", "WE"]\n\nSpan:\n["Parks make people", "Null"]'


@pytest.fixture(autouse=True)
def quick(settings, monkeypatch):
    settings.STORAGES = dict(settings.STORAGES)
    monkeypatch.setattr(llm_client.Pause, "wait", lambda self: None)


@pytest.fixture
def made():
    made = study(
        "focus", annotators=1, items=3, texts=("Parks make people happy.", "It rains.", "Taxes."), slug="s"
    )
    for item, split in zip(made.items, ("test", "train", "test"), strict=True):
        Item.objects.filter(pk=item.pk).update(split=split)
    return made


@pytest.mark.parametrize("case", known("focus_answers")["cases"], ids=lambda case: str(case["fsq_types"]))
@pytest.mark.parametrize("form", ["lists", "object", "fence"])
def test_every_known_answer_is_read_from_what_a_model_writes(case, form):
    entry = {"fsq_types": case["fsq_types"], "spans": case["spans"]}
    raw = {
        "lists": f"Classification:\n{json.dumps(entry['fsq_types'])}\n\nSpan:\n{json.dumps(entry['spans'])}",
        "object": f"<think>[hm]</think>{json.dumps(entry)}",
        "fence": f"Here:\n```json\n{json.dumps(entry, indent=1)}\n```",
    }[form]
    read = focus_lists(raw)
    assert read == entry
    names, text = type_names(load_shipped("focus")), known("focus_answers")["text"]
    if "problem" in case["expected"]:
        with pytest.raises(AnswerRefused) as refusal:
            read_focus_answer(read, text, names)
        assert refusal.value.problem == case["expected"]["problem"]
    else:
        found = read_focus_answer(read, text, names)
        assert found.spans_not_in_text == case["expected"]["spans_not_in_text"]


@pytest.mark.parametrize(
    "raw", ["", "Lacks Evidence", "[3]", '{"fsq_types": "LE"}', '["a"] ["b"] ["c"]', '{"a": []}']
)
def test_what_is_not_two_lists_is_no_answer(raw):
    assert focus_lists(raw) is None


def test_types_and_spans_are_a_submission_that_is_taken_for_a_release(made, endpoint):
    endpoint.otherwise = lambda one: saying(SAID if "Parks" in one.prompt else "I would rather not.")
    run = asked(made, endpoint, "focus_answers", items=["I-1", "I-3"])
    assert answers(run) == [("I-1", "usable", "LE,WE"), ("I-3", "unusable", "not_in_the_form")]
    definition = next(kind for kind in load_shipped("focus").types if kind.code == "LE").description
    assert definition in endpoint.asked[0].prompt
    assert "{" not in endpoint.asked[0].prompt
    found = json.loads(submission_bytes(run))
    assert list(found) == ["I-1"]
    assert (found["I-1"]["fsq_types"], found["I-1"]["spans"]) == (
        ["Lacks Evidence", "WE"],
        ["Parks make people", "Null"],
    )


def test_a_baseline_is_imported_as_an_annotator_beside_people(made, endpoint, tmp_path):
    people = "item,annotator,type,applicable,start,end\r\nI-1,A2,LE,yes,0,17\r\nI-1,A2,TC,no,,\r\n"
    endpoint.otherwise = lambda one: saying(SAID if "Parks" in one.prompt else "I would rather not.")
    run = asked(made, endpoint, "focus_answers", items=["I-1", "I-3"])
    rows = list(csv.DictReader(io.StringIO(judgements_bytes(run).decode())))
    assert [row["type"] for row in rows] == list(TYPES)
    assert {row["annotator"] for row in rows} == {run.model} and {row["item"] for row in rows} == {"I-1"}
    said = {row["type"]: (row["applicable"], row["quote"], row["incomplete"]) for row in rows}
    assert said.pop("LE") == ("yes", "Parks make people", "")
    assert said.pop("WE") == ("yes", "", "yes")
    assert set(said.values()) == {("no", "", "")}
    for name, data in (("people.csv", people.encode()), ("model.csv", judgements_bytes(run))):
        Path(tmp_path, name).write_bytes(data)
        call_command("import_judgements", made.project.slug, str(tmp_path / name), "--round", "Baseline")
    stored = made.project.rounds.get(name="Baseline")
    found = TypeAnnotation.objects.filter(assignment__round=stored, type_code="LE")
    assert sorted(found.values_list("applicable", "quote")) == [(True, "Parks make people")] * 2
    assert stored.assignments.values("member").distinct().count() == 2


def test_both_files_of_a_baseline_are_on_the_page_of_its_run(made, endpoint, lead_client):
    endpoint.otherwise = saying(SAID)
    run = asked(made, endpoint, "focus_answers", items=["I-1"])
    page = f"/p/s/assistants/runs/{run.number}/"
    shown = lead_client.get(page).content.decode()
    for name, data in (("submission.json", submission_bytes(run)), ("judgements.csv", judgements_bytes(run))):
        assert f'href="{page}{name}"' in shown
        response = lead_client.get(page + name)
        assert response.content == data
        file = f"focus_answers-run-{run.number}.{name.rpartition('.')[2]}"
        assert response["Content-Disposition"] == f'attachment; filename="{file}"'


def test_a_task_that_answers_no_unit_has_no_judgements(made, endpoint):
    endpoint.otherwise = saying("yes")
    run = asked(made, endpoint, "context", items=["I-1"])
    with pytest.raises(Refused) as refusal:
        judgements_bytes(run)
    assert refusal.value.errors == {"task": "context answers nothing that annotators judge."}


def test_labels_of_questions_are_imported_as_an_annotators(endpoint, tmp_path):
    made = cqs_study(annotators=2, items=1, questions=2)
    said = iter(["Useful", "Invalid"])
    endpoint.otherwise = lambda one: saying(next(said))
    run = asked(made, endpoint, "question_labels")
    file = tmp_path / "model.csv"
    file.write_bytes(judgements_bytes(run))
    call_command("import_judgements", made.project.slug, str(file), "--round", "Baseline")
    found = QuestionAnnotation.objects.filter(assignment__round__name="Baseline").order_by(
        "question__position"
    )
    said = found.order_by("question__position").values_list("label", "incomplete")
    assert list(said) == [("USE", False), ("IN", True)]


def test_a_baseline_is_handed_in_as_a_system(endpoint):
    made = focus_study(annotators=2, items=1, texts=("Parks make people happy.",))
    judge(made, made.items[0], {"LE": [yes(made.items[0], "Parks")] * 2})
    close(made)
    release(made.project)
    assert Release.objects.get().state == "done"
    endpoint.otherwise = saying(SAID)
    run = asked(made, endpoint, "focus_answers")
    submission = run_hand_in(run=run, version="1.0", system="Tiny, zero shots")
    assert (submission.system.name, submission.files.get().items_missing) == ("Tiny, zero shots", 0)
    assert run_hand_in(run=run, version="1.0", system="Tiny, zero shots") == submission


def test_examples_show_what_the_lead_gives_or_people_decided(made, endpoint):
    endpoint.otherwise = saying(SAID)
    example = {"id": "I-2", "answer": {"fsq_types": ["Lacks Evidence"], "spans": ["It rains"]}}
    asked(made, endpoint, "focus_answers", items=["I-1"], examples=[example])
    shown = 'Argument:\nIt rains.\n\nClassification:\n["Lacks Evidence"]\n\nSpan:\n["It rains"]'
    assert shown in endpoint.asked[0].prompt


@pytest.mark.parametrize(
    ("task_given", "words"),
    [
        ({"items": ["I-1"], "examples": [{"id": "I-3", "answer": SAID}]}, "train, dev or validation"),
        ({"examples": [{"id": "I-2", "answer": SAID}]}, "which is answered"),
        ({"items": ["I-1"], "examples": [{"id": "I-2", "answer": {"fsq_types": ["Strawman"]}}]}, "no type"),
        ({"items": ["I-1"], "examples": [{"id": "I-2"}]}, "decided nothing"),
        ({"items": ["I-1"], "examples": [{"id": "I-2", "answer": SAID}] * 6}, "At most 5"),
    ],
)
def test_examples_of_what_is_answered_or_of_a_test_split_are_refused(made, endpoint, task_given, words):
    with pytest.raises(Refused) as refusal:
        choices(made, endpoint, "focus_answers", **task_given)
    assert list(refusal.value.errors) == ["examples"]
    assert words in refusal.value.errors["examples"]
    assert endpoint.asked == []


def test_the_first_three_questions_count_and_fewer_are_missing(endpoint):
    made = study("cqs_gen", annotators=1, items=3, questions=0, texts=("One.", "Two.", "Three."))
    said = {"One.": "1. A?\n2. B?\n3. C?\n4. D?", "Two.": "Only this?", "Three.": "I cannot."}
    endpoint.otherwise = lambda one: saying(next(words for text, words in said.items() if text in one.prompt))
    run = asked(made, endpoint, "three_questions")
    assert answers(run) == [
        ("I-1", "usable", "3"),
        ("I-2", "usable", "1"),
        ("I-3", "unusable", "no_question"),
    ]
    found = json.loads(submission_bytes(run))
    assert [found[item]["cqs"] for item in ("I-1", "I-2", "I-3")] == [
        [{"id": 0, "cq": "A?"}, {"id": 1, "cq": "B?"}, {"id": 2, "cq": "C?"}],
        [{"id": 0, "cq": "Only this?"}],
        "Missing CQs",
    ]


def test_an_example_shows_the_questions_that_most_people_found_useful(endpoint):
    made = cqs_study(annotators=3, items=2, questions=2)
    shown, answered = made.items
    useful, not_useful = shown.questions.order_by("position")
    judge_question(made, useful, [{"label": "USE"}, {"label": "USE"}, invalid()])
    judge_question(made, not_useful, [{"label": "USE"}, invalid(), invalid()])
    close(made)
    Item.objects.filter(pk=shown.pk).update(split="train")
    endpoint.otherwise = saying("Why?")
    run = asked(
        made, endpoint, "three_questions", items=[answered.external_id], examples=[{"id": shown.external_id}]
    )
    assert run.examples == [{"id": shown.external_id, "answer": useful.text}]


def test_the_34_test_interventions_give_a_file_that_the_check_of_submissions_takes(
    shared_data, endpoint, tmp_path, capsys
):
    made = study("cqs_gen", annotators=1, items=0, slug="debates")
    items_import(project=made.project, path=shared_data / "cqs_gen" / "test.json")
    endpoint.otherwise = saying("1. Who says so?\n2. Is it always so?\n3. What else could explain it?")
    path = tmp_path / "answers.json"
    given = ["--task=three_questions", "--model=m", "--all-sources", f"--submission={path}", "--json"]
    call_command("assist", "debates", *given)
    assert json.loads(capsys.readouterr().out)["outcomes"]["usable"] == 34
    # The published test file has no labels: any will do for a check.
    published = json.loads((shared_data / "cqs_gen" / "test.json").read_text("utf-8"))
    for item in published.values():
        item["cqs"] = [{"id": "1", "cq": "Why?", "label": "Useful"}]
    references = tmp_path / "references.json"
    references.write_text(json.dumps(published), "utf-8")
    call_command(
        "check_submission", str(path), "--references", str(references), "--codebook=cqs_gen", "--complete"
    )
    assert "34 of 34 items; nothing wrong" in capsys.readouterr().out
