"""Judgements as Label Studio and doccano export them, read without a guess."""

import json

import pytest

from annotation.codebooks.toml_reader import load_shipped
from annotation.importing.files.rows import FileError, JudgementRow, Refusal
from annotation.importing.formats import doccano as doccano_judgements
from annotation.importing.formats import judgement_formats
from annotation.importing.formats import label_studio as label_studio_judgements
from annotation.importing.formats.judgement_formats import recognise

TYPES = {"lacks evidence": "LE", "le": "LE", "topic related": "TR", "tr": "TR"}
TEXT = "The library 👩 should stay open."


def said(row):
    """Return a row in short, or why there is none."""
    if isinstance(row, JudgementRow):
        unit = row.type_code or row.question_position
        answer = row.label or row.applicable
        return (row.item, row.annotator, unit, answer, row.start, row.end, row.quote)
    return (type(row).__name__, row.place, row.reason if isinstance(row, Refusal) else row.message)


def label_studio(tmp_path, *tasks):
    path = tmp_path / "ls.json"
    path.write_text(json.dumps(tasks), encoding="utf-8")
    return [said(row) for row in label_studio_judgements.read(path, name=path.name, types=TYPES)]


def task(*results, by="Ann", **more):
    annotation = {"id": 5, "completed_by": by, "result": list(results), **more}
    return {"id": 12, "data": {"id": "A", "text": TEXT}, "annotations": [annotation], "predictions": []}


def region(start, end, text, *labels):
    value = {"start": start, "end": end, "text": text, "labels": list(labels)}
    return {"id": "x", "from_name": "label", "to_name": "text", "type": "labels", "value": value}


def choice(name, *choices):
    value = {"choices": list(choices)}
    return {"from_name": name, "to_name": "text", "type": "choices", "value": value}


def doccano(tmp_path, *lines, name="admin.jsonl"):
    path = tmp_path / name
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return [said(row) for row in doccano_judgements.read(path, name=path.name, types=TYPES)]


def test_label_studio_regions_and_choices_are_answers(tmp_path):
    found = label_studio(
        tmp_path,
        task(region(4, 11, "library", "Lacks Evidence"), choice("type_LE", "yes"), choice("type_TR", "no")),
        task(choice("question_2", "Useful"), by={"id": 7, "email": "bea@example.org"}),
        task(choice("criteria", "Topic Related"), by=7),
    )
    assert found == [
        ("A", "Ann", "LE", True, 4, 11, "library"),
        ("A", "Ann", "TR", False, None, None, None),
        ("A", "bea@example.org", 2, "USE", None, None, None),
        ("A", "7", "TR", True, None, None, None),
    ]


def test_label_studio_annotations_that_say_two_things_of_a_type_are_refused_as_a_whole(tmp_path):
    two_spans = task(region(4, 11, "library", "LE"), region(0, 3, "The", "LE"), choice("type_TR", "yes"))
    yes_and_no = task(region(4, 11, "library", "LE"), choice("type_LE", "no"))
    assert label_studio(tmp_path, two_spans, yes_and_no) == [
        ("A", "Ann", "TR", True, None, None, None),
        ("Refusal", "[0].annotations[0].result[1]", "type LE has a second span; a judgement has one"),
        ("Refusal", "[1].annotations[0].result[1]", "type LE has another applicable; a judgement has one"),
    ]


def test_what_label_studio_has_and_we_do_not_is_refused_with_its_place(tmp_path):
    stars = {"from_name": "stars", "to_name": "text", "type": "rating", "value": {"rating": 4}}
    nameless = {"data": {"text": TEXT}, "annotations": []}
    assert label_studio(
        tmp_path,
        nameless,
        task(by=None),
        task(stars, region(0, 3, "The", "Irony"), choice("type_LE", "maybe"), choice("question_1", "Good")),
        task(region("0", 3, "The", "LE")),
        task(was_cancelled=True),
    ) == [
        ("Refusal", "[0]", "data.id does not name the item"),
        ("Refusal", "[1].annotations[0]", "completed_by names no annotator"),
        ("Refusal", "[2].annotations[0].result[0]", "a result of the type 'rating' is no judgement"),
        ("Refusal", "[2].annotations[0].result[1]", "'Irony' is no type of the codebook"),
        ("Refusal", "[2].annotations[0].result[2]", "type_LE is 'maybe', expected yes or no"),
        (
            "Refusal",
            "[2].annotations[0].result[3]",
            "label is 'Good', expected Useful, Unhelpful, Invalid",
        ),
        ("Refusal", "[3].annotations[0].result[0]", "start is '0', expected a whole number"),
        ("Notice", "[4].annotations[0]", "“A” was skipped by its annotator and is left out"),
    ]


def test_an_export_of_label_studio_with_several_annotators_relations_and_skipped_tasks_is_read(tmp_path):
    relation = {"from_id": "x", "to_id": "y", "type": "relation", "direction": "right"}
    own = region(4, 11, "library", "Lacks Evidence")
    exported = {
        "id": 12,
        "annotations": [
            {"id": 1, "completed_by": 3, "result": [own, choice("criteria", "Topic Related"), relation],
             "was_cancelled": False, "ground_truth": False, "lead_time": 8.4, "unique_id": "c8"},
            {"id": 2, "completed_by": 3, "result": [], "was_cancelled": True},
            {"id": 3, "completed_by": {"id": 4, "email": "bea@example.org"},
             "result": [choice("type_LE", "no")]},
        ],
        "file_upload": "tasks.json", "drafts": [], "predictions": [{"id": 9, "result": [own]}],
        "data": {"id": "A", "text": TEXT}, "meta": {}, "total_annotations": 2, "inner_id": 1,
    }  # fmt: skip
    assert label_studio(tmp_path, exported) == [
        (
            "Notice",
            "[0].annotations[0].result[2]",
            "a relation between regions is no judgement and is left out",
        ),
        ("A", "3", "LE", True, 4, 11, "library"),
        ("A", "3", "TR", True, None, None, None),
        ("Notice", "[0].annotations[1]", "“A” was skipped by its annotator and is left out"),
        ("A", "bea@example.org", "LE", False, None, None, None),
    ]
    smallest = {"id": 12, "text": TEXT, "label": []}
    ((_, _, why),) = label_studio(tmp_path, {"data": {"id": "A"}, **smallest})
    assert why == "has no list of annotations; export as JSON, not as JSON-MIN or CSV"


def test_the_control_annotator_names_who_answered_whoever_brought_the_tasks_into_label_studio(tmp_path):
    named = {"from_name": "annotator", "to_name": "text", "type": "textarea", "value": {"text": ["A2"]}}
    found = label_studio(tmp_path, task(choice("type_LE", "no"), named, by={"email": "lead@example.org"}))
    assert found == [("A", "A2", "LE", False, None, None, None)]


@pytest.mark.parametrize("quote", ["one\n\ntwo\n \tthree", "one\\n\\ntwo\\n \tthree", "one two three"])
def test_a_quote_is_the_texts_where_only_its_white_space_differs(quote, tmp_path):
    """Label Studio 1.23 stores what a browser says of a selection, every run of white space one space."""
    text = "Line one\r\ntwo\r \tthree  ."
    exported = task(region(5, 21, quote, "LE"))
    exported["data"]["text"] = text
    assert label_studio(tmp_path, exported) == [("A", "Ann", "LE", True, 5, 21, "one\r\ntwo\r \tthree")]


@pytest.mark.parametrize(("start", "end"), [(4, 21), (5, 22), (6, 21)])
def test_white_space_excuses_no_offsets_beside_the_words(start, end, tmp_path):
    text = "Line one\r\ntwo\r \tthree  ."
    exported = task(region(start, end, "one two three", "LE"))
    exported["data"]["text"] = text
    assert label_studio(tmp_path, exported) == [("A", "Ann", "LE", True, start, end, "one two three")]


def test_an_export_of_another_kind_is_told_which_one_to_choose(tmp_path):
    """JSON-MIN has neither annotations nor data."""
    ((_, place, why),) = label_studio(tmp_path, {"id": "1", "text": TEXT, "annotator": "1", "type_LE": "no"})
    assert (place, why) == ("[0]", "has no list of annotations; export as JSON, not as JSON-MIN or CSV")


@pytest.mark.parametrize(
    ("content", "message"), [("[{]", "no valid JSON"), ('{"data": {}}', "expected a JSON list of tasks")]
)
def test_a_file_that_is_no_list_of_tasks_is_refused_as_a_whole(content, message, tmp_path):
    path = tmp_path / "ls.json"
    path.write_text(content)
    with pytest.raises(FileError, match=message):
        list(label_studio_judgements.read(path, name=path.name, types=TYPES))


def test_doccano_lines_of_both_shapes_are_answers(tmp_path):
    found = doccano(
        tmp_path,
        {
            "id": "A",
            "text": TEXT,
            "annotator": "Bea",
            "label": [[12, 14, "Lacks Evidence"]],
            "cats": ["TR"],
            "offsets": "utf-16",
        },
        {"id": 3, "text": TEXT, "entities": [{"label": "LE", "start_offset": 4, "end_offset": 11}]},
        {"id": 3, "item": "B", "text": TEXT, "label": ["Topic Related"], "no": ["LE"], "Comments": []},
        {"id": "A", "text": TEXT, "annotator": "Bea", "label": [], "cats": ["2: Useful"]},
    )
    assert found == [
        ("A", "Bea", "LE", True, 12, 13, "👩"),
        ("A", "Bea", "TR", True, None, None, None),
        ("Notice", "line 2", "no annotator is named: “admin”, the file's name, stands for them"),
        ("3", "admin", "LE", True, 4, 11, "library"),
        ("B", "admin", "TR", True, None, None, None),
        ("B", "admin", "LE", False, None, None, None),
        ("A", "Bea", 2, "USE", None, None, None),
    ]


def test_doccano_lines_that_cannot_be_judgements_are_refused_with_their_place(tmp_path):
    bea = {"id": "A", "text": TEXT, "annotator": "Bea"}
    assert doccano(
        tmp_path,
        {**bea, "label": [[4, 99, "LE"], [4, 11], [0, 3, "Irony"]]},
        {**bea, "label": [[4, 11, "LE"], [0, 3, "LE"]]},
        {**bea, "label": [], "cats": ["1: Good"], "comments": {"LE": "hm"}},
        {"id": "A", "annotator": "Bea", "label": []},
        {"text": TEXT, "annotator": "Bea", "label": []},
    ) == [
        ("Refusal", "line 1", "the span 4–99 is not in its text of 31 characters"),
        ("Refusal", "line 1", "expected a span as [start, end, name]"),
        ("Refusal", "line 1", "'Irony' is no type of the codebook"),
        ("Refusal", "line 2", "type LE has a second span; a judgement has one"),
        ("Refusal", "line 3", "type LE has no answer"),
        ("Refusal", "line 3", "label is 'Good', expected Useful, Unhelpful, Invalid"),
        ("Refusal", "line 4", "text is None, expected the text of the item"),
        ("Refusal", "line 5", "id is None, expected a name"),
    ]


@pytest.mark.parametrize(
    ("content", "format"),
    [
        ("item,type,annotator,applicable\nA,LE,Ann,no\n", "long"),
        ('{"item": "A", "type": "LE", "annotator": "Ann", "applicable": false}\n', "long"),
        ('{"item": "A", "question": "q", "annotator": "Ann", "label": "USE", "text": "x"}\n', "long"),
        ("{broken\n", "long"),
        ("PK\x03\x04", "long"),
        ('\ufeff\n {"id": 1, "text": "x", "label": []}\n', "doccano"),
        ('{"id": 1, "text": "x", "entities": [], "relations": []}\n', "doccano"),
        ('\n[{"data": {}}]', "label_studio"),
    ],
)
def test_the_form_is_told_by_the_content_and_never_by_the_name(content, format, tmp_path):
    path = tmp_path / "export.txt"
    path.write_text(content, encoding="utf-8")
    assert recognise(path, path.name) == format


def test_the_names_of_a_type_are_its_code_its_name_and_its_aliases():
    names = judgement_formats.type_names(load_shipped("focus"))
    assert [names[name] for name in ("ie", "implicit existence", "implicit assumption")] == ["IE"] * 3


def test_offsets_of_doccano_are_counted_as_it_counts_and_where_that_matters_it_is_said(tmp_path):
    bea = {"id": "A", "text": TEXT, "annotator": "Bea"}
    ours = ("A", "Bea", "LE", True, 14, 20, "should")
    assert doccano(tmp_path, {**bea, "label": [[15, 21, "LE"]], "offsets": "utf-16"}) == [ours]
    assert doccano(tmp_path, {**bea, "label": [[14, 20, "LE"]], "offsets": "code points"}) == [ours]
    noticed, own = doccano(tmp_path, {**bea, "label": [[15, 21, "LE"]]})
    assert own == ours
    assert noticed[:2] == ("Notice", "line 1")
    assert "where they are code points" in noticed[2]
    # Before the first character that counts as two both are the same.
    assert doccano(tmp_path, {**bea, "label": [[4, 11, "LE"]]}) == [
        ("A", "Bea", "LE", True, 4, 11, "library")
    ]
    ((kind, _, why),) = doccano(tmp_path, {**bea, "label": [[13, 20, "LE"]]})
    assert (kind, why.startswith("13 lies inside of a character")) == ("Refusal", True)
    ((kind, _, why),) = doccano(tmp_path, {**bea, "label": [[4, 11, "LE"]], "offsets": "bytes"})
    assert (kind, why) == ("Refusal", "offsets is 'bytes', expected utf-16, code points")


def test_relations_of_doccano_are_left_out_and_that_is_said_once(tmp_path):
    line = {"id": "A", "text": TEXT, "annotator": "Bea", "entities": [], "relations": [{"from_id": 1}]}
    assert doccano(tmp_path, line, line) == [
        ("Notice", "line 1", "relations are no judgements and are left out")
    ]
