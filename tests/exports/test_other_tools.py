"""What a release writes for Label Studio, doccano and readers of W3C Web Annotations."""

import json
import uuid
from collections import Counter
from xml.etree import ElementTree

import pytest

from exports.formats import exchange
from exports.selection.parameters import EXCHANGE, ParameterError, Parameters
from tests.exports.test_stranger import judged, load
from tests.factories import (
    USEFUL,
    close,
    cqs_study,
    focus_study,
    invalid,
    judge,
    judge_question,
    open_round,
    record,
    study,
    yes,
)
from tests.factories.releases import released

pytestmark = pytest.mark.django_db


def test_the_forms_of_other_tools_hold_every_answer_with_its_offsets(tmp_path):
    made = judged()
    folder = released(made.project, tmp_path / "out", exchange=list(EXCHANGE))
    tasks = load(folder / "exchange" / "label_studio.json")
    assert [task["data"]["id"] for task in tasks] == ["I-1", "I-2", "I-3", "I-4"]
    regions = [result for result in tasks[0]["annotations"][0]["result"] if result["type"] == "labels"]
    assert [region["value"] for region in regions] == [
        {"start": 51, "end": 62, "text": "grades fell", "labels": ["Lacks Evidence"]},
        {"start": 0, "end": 11, "text": "The library", "labels": ["Weak Evidence"]},
    ]
    choices = [result for result in tasks[0]["annotations"][0]["result"] if result["type"] == "choices"]
    assert Counter(choice["value"]["choices"][0] for choice in choices) == {"yes": 2, "no": 8}
    lines = [json.loads(row) for row in (folder / "exchange" / "doccano.jsonl").read_text().splitlines()]
    assert lines[0]["label"] == [[0, 11, "Weak Evidence"], [51, 62, "Lacks Evidence"]]
    assert (lines[0]["annotator"], lines[1]["annotator"]) == ("A2", "A3")
    annotations = [
        json.loads(row) for row in (folder / "exchange" / "web_annotation.jsonl").read_text().splitlines()
    ]
    assert len(annotations) == 80
    (arabic,) = [row for row in annotations if row["body"][0]["value"] == "Vague or Ambiguous Terms: yes"
                 and row["target"]["dcterms:identifier"] == "I-4"]  # fmt: skip
    position, quote = arabic["target"]["selector"]
    text = made.items[3].text
    assert text[position["start"] : position["end"]] == quote["exact"] == "المكتبة"
    assert text.startswith(quote["prefix"] + quote["exact"] + quote["suffix"])


def test_the_forms_of_other_tools_hold_question_labels(tmp_path):
    made = cqs_study(annotators=2, items=1, questions=1)
    judge_question(made, made.items[0].questions.get(), [USEFUL, invalid()])
    close(made)
    folder = released(made.project, tmp_path / "out", exchange=list(EXCHANGE))
    (task,) = load(folder / "exchange" / "label_studio.json")
    assert [found["result"][1]["value"]["choices"] for found in task["annotations"]] == [
        ["Useful"],
        ["Invalid"],
    ]
    lines = (folder / "exchange" / "doccano.jsonl").read_text().splitlines()
    assert [json.loads(row)["label"] for row in lines] == [["1: Useful"], ["1: Invalid"]]


def test_every_line_for_doccano_has_the_same_keys_whatever_was_answered(tmp_path):
    """doccano 1.8 fails on a file whose lines differ, and where `label` and `cats` both hold categories."""
    made = cqs_study(annotators=2, items=1, questions=2)
    first, second = made.items[0].questions.order_by("position")
    judge_question(made, first, [invalid("NC", edited="What holds?"), USEFUL])
    judge_question(made, second, [{"label": "UN", "comment": "Known."}, USEFUL])
    close(made)
    screened = study("context_sufficiency", annotators=1, items=1)
    open_round(screened)
    record(screened.round, screened.annotators[0], screened.items[0], "CTX", {"applicable": True})
    record(screened.round, screened.annotators[0], screened.items[0], "TOP", {"applicable": False})
    close(screened)
    found = {}
    for project in (made.project, judged().project, screened.project):
        folder = released(project, tmp_path / project.slug, exchange=["doccano"], comments=True)
        rows = [json.loads(row) for row in (folder / "exchange" / "doccano.jsonl").read_text().splitlines()]
        found[project.pk] = rows
    always = ["item", "text", "annotator", "offsets", "label"]
    questions, types, screening = found.values()
    assert [list(row) for row in questions] == [[*always, "reasons", "edited_questions", "comments"]] * 2
    assert [(row["reasons"], row["edited_questions"], row["comments"]) for row in questions] == [
        ({"1": "NC"}, {"1": "What holds?"}, {"2": "Known."}),
        ({}, {}, {}),
    ]
    assert [list(row) for row in types] == [[*always, "cats", "no", "comments"]] * 8
    assert [list(row) for row in screening] == [[*always, "no", "comments"]]
    assert (screening[0]["label"], screening[0]["no"]) == (["Context Sufficient"], ["Topic Related"])


def test_withheld_items_are_in_no_public_form_of_another_tool(tmp_path):
    folder = released(judged().project, tmp_path / "out", exchange=list(EXCHANGE), withheld=["test"])
    for path in (folder / exchange.BY_KEY[key].file for key in EXCHANGE):
        assert "I-3" not in path.read_text()
        assert "I-1" in path.read_text()


def test_every_form_that_can_be_chosen_has_a_writer():
    assert tuple(exchange.BY_KEY) == EXCHANGE
    with pytest.raises(ParameterError, match="the files of other tools have the texts in them"):
        Parameters.from_json({"texts": False, "exchange": ["doccano"]})
    with pytest.raises(ParameterError, match="expected some of label_studio"):
        Parameters.from_json({"exchange": ["brat"]})


def controls(task):
    """Return the controls that the annotations of a task name, by their type."""
    return {(found["from_name"], found["type"]) for each in task["annotations"] for found in each["result"]}


def test_the_labelling_interface_has_every_control_and_value_that_the_tasks_use(tmp_path):
    made = cqs_study(annotators=2, items=2, questions=2)
    for item in made.items:
        first, second = item.questions.all()
        judge_question(made, first, [USEFUL, invalid("NC", edited="What holds?")])
        judge_question(made, second, [{"label": "UN", "comment": "Known."}, USEFUL])
    close(made)
    types, questions = (
        released(project, tmp_path / project.slug, exchange=["label_studio"], comments=True) / "exchange"
        for project in (judged().project, made.project)
    )
    for folder in (types, questions):
        interface = ElementTree.parse(folder / "label_studio.xml")
        named = {(found.get("name"), found.tag.lower()) for found in interface.iter() if found.get("toName")}
        values = {found.get("value") for found in interface.iter() if found.tag in ("Label", "Choice")}
        for task in load(folder / "label_studio.json"):
            assert controls(task) <= named
            for result in (found for each in task["annotations"] for found in each["result"]):
                assert set(result["value"].get("labels", result["value"].get("choices", []))) <= values
            shown = [found.get("value") for found in interface.iter("Text")]
            assert all(value.removeprefix("$") in task["data"] for value in shown)


def test_label_studio_takes_the_tasks_because_no_user_is_named_and_the_pseudonym_stays(tmp_path):
    folder = released(judged().project, tmp_path / "out", exchange=["label_studio"])
    for task in load(folder / "exchange" / "label_studio.json"):
        assert ["completed_by" in found for found in task["annotations"]] == [False, False]
        assert [found["result"][0]["value"]["text"] for found in task["annotations"]] == [["A2"], ["A3"]]


def test_each_tool_has_offsets_as_it_counts_them(tmp_path):
    made = focus_study(annotators=1, items=1, texts=("👩‍👩‍👧 first 🎉 parks",))
    (item,) = made.items
    judge(made, item, {"VAT": [yes(item, "🎉 parks")]})
    close(made)
    folder = released(made.project, tmp_path / "out", exchange=list(EXCHANGE)) / "exchange"
    (task,) = load(folder / "label_studio.json")
    (region,) = [found["value"] for found in task["annotations"][0]["result"] if found["type"] == "labels"]
    assert (region["start"], region["end"]) == (12, 19)
    line = json.loads((folder / "doccano.jsonl").read_text())
    assert (line["label"], line["offsets"]) == ([[15, 23, "Vague or Ambiguous Terms"]], "utf-16")
    units = line["text"].encode("utf-16-le")
    assert units[30:46].decode("utf-16-le") == "🎉 parks"
    rows = [json.loads(row) for row in (folder / "web_annotation.jsonl").read_text().splitlines()]
    (position,) = [row["target"]["selector"][0] for row in rows if "selector" in row["target"]]
    assert (position["start"], position["end"]) == (12, 19)


def test_every_web_annotation_has_an_id_of_its_own_that_stays(tmp_path):
    project = judged().project
    found = []
    for version in ("1", "2"):
        folder = released(project, tmp_path / version, version, exchange=["web_annotation"])
        rows = (folder / "exchange" / "web_annotation.jsonl").read_text().splitlines()
        found.append([json.loads(row)["id"] for row in rows])
    assert found[0] == found[1]
    assert len({uuid.UUID(name.removeprefix("urn:uuid:")) for name in found[0]}) == len(found[0]) == 80
