"""The JSON Schemas that ship with a release fit its files, and refuse what is no file of that shape."""

import copy
import json

import jsonschema
import pytest

from annotation.importing.items import items_import
from annotation.projects.projects import project_create
from tests.exports.test_stranger import judged, load
from tests.factories import USEFUL, adjudicate, close, cqs_study, judge_question
from tests.factories.releases import released

pytestmark = pytest.mark.django_db


def schema_of(folder, name):
    schema = load(folder / "schemas" / f"{name}.schema.json")
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def lines_fit(folder, schema):
    """Check every line of a release against the shape of a line."""
    line = schema.evolve(schema={"$defs": schema.schema["$defs"], "$ref": "#/$defs/line"})
    for path in (folder / "data").iterdir():
        with path.open(encoding="utf-8") as stream:
            for text in stream:
                line.validate(json.loads(text))


@pytest.mark.parametrize(
    "choices", [{}, {"withheld": ["test"]}, {"texts": False}, {"refined_questions": True}]
)
def test_arguments_fit_their_schema_in_files_and_in_lines(choices, tmp_path):
    made = judged()
    adjudicate(made, made.items[0], "WE", True, (4, 11))
    folder = released(made.project, tmp_path / "out", **choices)
    schema = schema_of(folder, "focus")
    for name in ("focus.train.json", "focus.test.json"):
        schema.validate(load(folder / name))
    lines_fit(folder, schema)


@pytest.mark.parametrize("choices", [{}, {"texts": False}])
def test_interventions_fit_their_schema_in_files_and_in_lines(choices, shared_data, tmp_path):
    for name in ("validation", "test"):
        project = project_create(slug=name, codebook="cqs_gen")
        items_import(project=project, path=shared_data / "cqs_gen" / f"{name}.json")
        folder = released(project, tmp_path / name, **choices)
        schema = schema_of(folder, "cqs_gen")
        schema.validate(load(folder / "cqs_gen.json"))
        lines_fit(folder, schema)
        if not choices:
            schema.validate(load(shared_data / "cqs_gen" / f"{name}.json"))


def gold(entry):
    return entry["labels"][8]["gold_spans"][0]


BREAKS = {
    "a key more": lambda entry: entry.update(note="x"),
    "a key less": lambda entry: entry.pop("topic"),
    "no text": lambda entry: entry.update(argument=""),
    "a type twice": lambda entry: entry["labels"].__setitem__(0, entry["labels"][1]),
    "another order": lambda entry: entry["labels"].reverse(),
    "a type less": lambda entry: entry["labels"].pop(),
    "a type more": lambda entry: entry["labels"].append(entry["labels"][0]),
    "another type's name": lambda entry: entry["labels"][0].update(fsq_type="Lacks Evidence"),
    "an answer in words": lambda entry: entry["labels"][0].update(applicable="yes"),
    "votes below none": lambda entry: entry["labels"][0]["votes"].update(yes=-1),
    "half a character": lambda entry: gold(entry).update(start=1.5),
    "a span without words": lambda entry: gold(entry).update(text=""),
    "a span without its question": lambda entry: gold(entry).pop("question"),
    "a span nobody chose": lambda entry: entry["labels"][9]["disagreement_spans"][0].update(support=0),
    "an unknown type": lambda entry: entry.update(fsq_types=["Irony"]),
    "none and one": lambda entry: entry.update(fsq_types=["None of the Above", "Lacks Evidence"]),
}


def test_arguments_that_are_broken_are_refused_each(tmp_path):
    folder = released(judged().project, tmp_path / "out")
    schema, whole = schema_of(folder, "focus"), load(folder / "focus.train.json")
    for how, broken_by in BREAKS.items():
        broken = copy.deepcopy(whole)
        broken_by(broken["I-1"])
        assert not schema.is_valid(broken), how


def test_interventions_that_are_broken_are_refused_each(tmp_path):
    made = cqs_study(annotators=1, items=1, questions=1)
    judge_question(made, made.items[0].questions.get(), [USEFUL])
    close(made)
    folder = released(made.project, tmp_path / "out")
    schema, whole = schema_of(folder, "cqs_gen"), load(folder / "cqs_gen.json")
    for broken in (
        {"cqs": [{"id": "1", "cq": "Why?", "label": "useful"}]},
        {"cqs": [{"id": "1", "cq": "Why?"}]},
        {"cqs": [{"id": "1", "cq": "", "label": "Useful"}]},
        {"cqs": {}},
        {"schemes": None},
        {"reason": "BR"},
    ):
        assert not schema.is_valid({"I-1": {**whole["I-1"], **broken}}), broken
    assert schema.is_valid(whole)


TOO_MANY = (
    {"fsq_types": ["Lacks Evidence"] * 2, "spans": ["a", "b"]},
    {"fsq_types": ["Lacks Evidence", "Weak Evidence", "Temporal Contrast"], "spans": ["a", "b", "c"]},
    {"fsq_types": ["None of the Above", "Lacks Evidence"], "spans": ["Null", "b"]},
)


def test_what_systems_hand_in_has_a_schema_too(shared_data, tmp_path):
    types = schema_of(released(judged().project, tmp_path / "types"), "submission")
    types.validate({"I-1": {"fsq_types": ["Lacks Evidence"], "spans": ["grades"]}})
    types.validate({"I-1": {"fsq_types": ["None of the Above"], "spans": ["Null"]}})
    for broken in (
        {"fsq_types": ["LE"], "spans": ["x"]},
        {"fsq_types": []},
        {"fsq_types": [], "spans": [1]},
        *TOO_MANY,
    ):
        assert not types.is_valid({"I-1": broken}), broken
    project = project_create(slug="validation", codebook="cqs_gen")
    items_import(project=project, path=shared_data / "cqs_gen" / "validation.json")
    folder = released(project, tmp_path / "questions")
    questions = schema_of(folder, "submission")
    questions.validate(load(folder / "submission_template.json"))
    questions.validate(load(shared_data / "cqs_gen" / "submission_llama8.json"))
    assert not questions.is_valid({"I-1": {"cqs": ["Why?"]}})
