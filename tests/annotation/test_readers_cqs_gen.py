"""CQs-Gen JSON: interventions with questions, with labels, without, and from a system."""

import json
from collections import Counter

import pytest

from annotation.importing.files.rows import FileError, ItemRow, Notice, QuestionRow, Refusal
from tests.annotation.reading import read_items


def write(path, content):
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def of(kind, rows):
    return [row for row in rows if isinstance(row, kind)]


QUESTION = {"id": "T_1_T__3", "cq": "Why? ", "label": "Useful"}
INTERVENTION = {"intervention_id": "T_1", "intervention": 'A: "x\ny"', "dataset": "US2016", "cqs": [QUESTION]}


def test_an_intervention_comes_with_its_source_schemes_and_questions_exactly_as_given(tmp_path):
    path = write(tmp_path / "mine.json", {"T_1": {**INTERVENTION, "schemes": ["Example", "Example"]}})
    assert list(read_items(path)) == [
        ItemRow(
            external_id="T_1",
            text='A: "x\ny"',
            source="US2016",
            metadata={"schemes": ["Example", "Example"]},
            questions=(QuestionRow("T_1_T__3", "Why? ", "theory", "Useful", "T_1.cqs[0]"),),
            place="T_1",
        )
    ]


def test_an_absent_list_of_schemes_stays_absent(tmp_path):
    (item,) = read_items(write(tmp_path / "mine.json", {"T_1": INTERVENTION}))
    assert item.metadata == {}


@pytest.mark.parametrize(
    ("question_id", "origin"),
    [
        ("T_1_T__11", "theory"),
        ("T_1_LLM_US2016_D_meta-llama_Meta-Llama-3-70B-Instruct_4_S", "meta-llama_Meta-Llama-3-70B-Instruct"),
        (
            "T_1_LLM_moral_maze_schemes_D_meta-llama_Llama-2-13b-chat-hf_10_L",
            "meta-llama_Llama-2-13b-chat-hf",
        ),
        ("T_2_T__11", "mine"),
        ("T_1_T__x", "mine"),
        ("own", "mine"),
        (0, "mine"),
        (None, "mine"),
    ],
)
def test_the_origin_is_told_by_a_published_id_and_else_by_the_file_s_name(tmp_path, question_id, origin):
    content = {"T_1": {**INTERVENTION, "cqs": [{"id": question_id, "cq": "Why?"}]}}
    path = write(tmp_path / "upload.tmp", content)
    (item,) = read_items(path, name="submission_mine.json")
    assert [(q.external_id, q.origin, q.label) for q in item.questions] == [(question_id, origin, None)]
    (item,) = read_items(path, name="submission_mine.json", origin="ours")
    assert item.questions[0].origin == ("ours" if origin == "mine" else origin)


def test_a_repeated_id_within_an_item_is_kept_each_time(tmp_path):
    twice = {**INTERVENTION, "cqs": [QUESTION, {**QUESTION, "label": "Invalid"}]}
    (item,) = read_items(write(tmp_path / "mine.json", {"T_1": twice}))
    assert [(q.external_id, q.label) for q in item.questions] == [
        ("T_1_T__3", "Useful"),
        ("T_1_T__3", "Invalid"),
    ]


@pytest.mark.parametrize(
    ("change", "place", "reason"),
    [
        ({"intervention_id": "T_2"}, "T_1.intervention_id", "is 'T_2', expected the key 'T_1'"),
        ({"intervention": None}, "T_1.intervention", "expected a text"),
        ({"intervention": " \n"}, "T_1", "the text is blank"),
        ({"intervention": "a\x00"}, "T_1", "text: character 2 is NUL (U+0000), which cannot be stored"),
        ({"intervention": "a\ud800"}, "T_1", "text: character 2 is a lone surrogate (U+D800)"),
        ({"dataset": 7}, "T_1.dataset", "expected a text"),
        ({"dataset": "x" * 201}, "T_1", "source: 201 characters, at most 200 are kept"),
        ({"schemes": "Example"}, "T_1.schemes", "expected a list of texts"),
        ({"cqs": {}}, "T_1.cqs", "expected a list of questions"),
    ],
)
def test_an_intervention_that_breaks_the_shape_is_refused_with_its_json_path(tmp_path, change, place, reason):
    path = write(
        tmp_path / "mine.json",
        {"T_1": {**INTERVENTION, **change}, "T_9": {**INTERVENTION, "intervention_id": "T_9"}},
    )
    rows = list(read_items(path))
    assert [(row.place, row.reason) for row in of(Refusal, rows)] == [(place, reason)]
    assert [row.external_id for row in of(ItemRow, rows)] == ["T_9"]


@pytest.mark.parametrize(
    ("change", "place", "reason"),
    [
        ({"label": "useful"}, "T_1.cqs[1].label", "is 'useful', expected Useful, Unhelpful, Invalid"),
        ({"label": None}, "T_1.cqs[1].label", "is None, expected Useful, Unhelpful, Invalid"),
        ({"cq": None}, "T_1.cqs[1].cq", "expected a text"),
        ({"cq": "\u00a0"}, "T_1.cqs[1]", "the question is blank"),
        ({"id": 1.5}, "T_1.cqs[1].id", "expected a text or a whole number"),
        ({"id": True}, "T_1.cqs[1].id", "expected a text or a whole number"),
    ],
)
def test_a_question_that_breaks_the_shape_is_refused_alone_with_its_json_path(
    tmp_path, change, place, reason
):
    cqs = [QUESTION, {**QUESTION, **change}, QUESTION]
    rows = list(read_items(write(tmp_path / "mine.json", {"T_1": {**INTERVENTION, "cqs": cqs}})))
    assert [type(row) for row in rows] == [ItemRow, Refusal]
    assert [question.place for question in rows[0].questions] == ["T_1.cqs[0]", "T_1.cqs[2]"]
    assert (rows[1].place, rows[1].reason) == (place, reason)
    question = {**QUESTION, **change}
    assert rows[1].row == {
        "id": "T_1",
        "text": INTERVENTION["intervention"],
        "source": INTERVENTION["dataset"],
        "question_id": question["id"],
        "question": question["cq"],
        "origin": "theory" if isinstance(question["id"], str) else "mine",
        "published_label": question["label"],
    }


def test_keys_that_the_format_does_not_have_are_noticed_once(tmp_path):
    entry = {**INTERVENTION, "speaker": "A", "cqs": [{**QUESTION, "score": 1}, {**QUESTION, "score": 2}]}
    rows = list(read_items(write(tmp_path / "mine.json", {"T_1": entry})))
    assert rows[1:] == [
        Notice("*.speaker", "is no key of this format and is not kept"),
        Notice("*.cqs[*].score", "is no key of this format and is not kept"),
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            '{"T_1": {\n"intervention_id" "T_1"}}',
            "is no valid JSON: line 2, column 19: Expecting ':' delimiter",
        ),
        ('{"T_1": {},\n"T_1": {}}', "is no valid JSON: the name 'T_1' stands twice in one object"),
        ('{"T_1": {\n"intervention": NaN}}', "is no valid JSON: line 2, column 17: NaN is no JSON"),
        ('[{"intervention_id": 1}]', "row 1: is a JSON list; expected JSON Lines, one object a line"),
    ],
)
def test_json_that_cannot_be_trusted_is_refused_as_a_whole(tmp_path, content, message):
    with pytest.raises(FileError) as raised:
        list(read_items(write(tmp_path / "mine.json", content)))
    assert str(raised.value) == f"mine.json: {message}"


def test_a_refusal_can_be_stored_and_printed_whatever_it_reports(tmp_path):
    entry = {"intervention_id": "T\ud800", "intervention": "a\x00b", "dataset": 1e999}
    path = tmp_path / "mine.json"
    path.write_text('{"T\\ud800": ' + json.dumps(entry).replace("Infinity", "1e999") + "}", encoding="utf-8")
    (refusal,) = read_items(path)
    assert refusal.place == "T\\ud800.dataset"
    assert refusal.row == {"id": "T\\ud800", "text": "a\\x00b", "source": "inf"}


def test_the_published_validation_set_has_its_known_counts_labels_and_origins(shared_data):
    rows = list(read_items(shared_data / "cqs_gen" / "validation.json"))
    assert {type(row) for row in rows} == {ItemRow}
    questions = [question for item in rows for question in item.questions]
    assert (len(rows), len(questions)) == (186, 4136)
    assert Counter(question.label for question in questions) == {
        "Useful": 2790,
        "Unhelpful": 893,
        "Invalid": 453,
    }
    assert Counter(item.source for item in rows) == {
        "US2016": 80,
        "rrd": 72,
        "moral_maze_schemes": 20,
        "us2016reddit": 14,
    }
    assert Counter(question.origin for question in questions) == {
        "theory": 993,
        "meta-llama_Meta-Llama-3-70B-Instruct": 3111,
        "meta-llama_Llama-2-7b-chat-hf": 32,
    }


def test_the_published_validation_set_can_be_rebuilt_from_its_rows(shared_data):
    path = shared_data / "cqs_gen" / "validation.json"
    rebuilt = {
        item.external_id: {
            "intervention_id": item.external_id,
            "intervention": item.text,
            "dataset": item.source,
            **item.metadata,
            "cqs": [{"id": q.external_id, "cq": q.text, "label": q.label} for q in item.questions],
        }
        for item in read_items(path)
    }
    assert rebuilt == json.loads(path.read_text(encoding="utf-8"))


def test_one_published_item_has_three_ids_twice_and_all_six_questions_are_kept(shared_data):
    """In two of the pairs the labels agree, in the third they do not; the texts are equal in each."""
    repeated = {}
    for item in read_items(shared_data / "cqs_gen" / "validation.json"):
        counts = Counter(question.external_id for question in item.questions)
        for question in item.questions:
            if counts[question.external_id] > 1:
                repeated.setdefault((item.external_id, question.external_id), []).append(question)
    assert {item for item, _ in repeated} == {"TRUMP_240_2"}
    assert sorted([q.label for q in questions] for questions in repeated.values()) == [
        ["Invalid", "Useful"],
        ["Useful", "Useful"],
        ["Useful", "Useful"],
    ]
    assert all(len({q.text for q in questions}) == 1 for questions in repeated.values())


def test_the_published_test_set_has_items_without_questions(shared_data):
    rows = list(read_items(shared_data / "cqs_gen" / "test.json"))
    assert [type(row) for row in rows] == [ItemRow] * 34
    assert {row.questions for row in rows} == {()}


def test_a_system_s_submission_numbers_its_questions_and_names_its_origin(shared_data):
    rows = list(read_items(shared_data / "cqs_gen" / "submission_llama8.json"))
    assert [row.external_id for row in rows] == [
        "CLINTON_1_1",
        "Javier_84",
        "TRUMP_125_1",
        "travellots_133_1",
        "Zewstain__641",
    ]
    for row in rows:
        assert [(q.external_id, q.origin, q.label) for q in row.questions] == [
            (i, "llama8", None) for i in range(3)
        ]
