"""The scoring script that ships with a release: its figures, and what it tells people whose file is wrong."""

import json
import subprocess
import sys

import pytest

from exports.shipped import score as scorer
from tests.factories import (
    NO,
    UNHELPFUL,
    USEFUL,
    close,
    cqs_study,
    focus_study,
    invalid,
    judge,
    judge_question,
    yes,
)
from tests.factories.releases import released

pytestmark = pytest.mark.django_db


def types_released(folder, **choices):
    """Gold in the first item, all no in the second, yes without gold in the third, undecided in the last."""
    made = focus_study(annotators=2, items=4)
    first, second, third, fourth = made.items
    judge(made, first, {"LE": [yes(first, "grades fell")] * 2, "WE": [yes(first, "The library"), NO]})
    judge(made, second, {})
    judge(made, third, {"VAT": [yes(third, "Café prices"), yes(third, "anyone can see")]})
    judge(made, fourth, {"OG": [yes(fourth, "المكتبة"), NO]})
    for item, split in zip(made.items, ("train", "train", "test", "test"), strict=True):
        item.split = split
        item.save()
    close(made)
    return released(made.project, folder, **choices)


def questions_released(folder, **choices):
    made = cqs_study(annotators=1, items=2, questions=3)
    for item in made.items:
        for question, answer in zip(item.questions.all(), [USEFUL, invalid(), UNHELPFUL], strict=True):
            judge_question(made, question, [answer])
    close(made)
    return released(made.project, folder, **choices), [row.text for row in made.items[0].questions.all()]


def run(folder, shape, name, given, *options):
    """Run the script apart from this environment on what a system submitted."""
    path = folder.parent / "system.json"
    path.write_bytes(given if isinstance(given, bytes) else json.dumps(given).encode())
    words = [sys.executable, "-I", folder / "scripts" / "score.py", shape, folder / name, path, *options]
    return subprocess.run(words, capture_output=True, text=True, encoding="utf-8")


def scored(*arguments):
    ran = run(*arguments)
    assert (ran.returncode, ran.stderr) == (0, "")
    return json.loads(ran.stdout)


def refused(*arguments):
    ran = run(*arguments)
    assert (ran.returncode, ran.stdout) == (1, "")
    _, _, why = ran.stderr.strip().partition(".json: ")
    assert "\n" not in ran.stderr.strip()
    return why


@pytest.fixture
def types(tmp_path):
    return types_released(tmp_path / "out", split_by="none")


def test_types_and_spans_are_scored_as_counted_by_hand(types):
    system = {
        "I-1": {
            "fsq_types": ["Lacks Evidence", "Temporal Contrast"],
            "spans": ["grades fell when", "library"],
        },
        "I-2": {"fsq_types": ["None of the Above"], "spans": ["Null"]},
    }
    found = scored(types, "focus", "focus.json", system)
    assert (found["items"], found["answered"]) == (4, 2)
    # decided yes: LE of I-1, VAT of I-3. True positive LE, false positive TC, false negative VAT.
    assert (found["label_f1"]["Lacks Evidence"], found["label_f1"]["Temporal Contrast"]) == (1.0, 0.0)
    assert (found["label_f1"]["Vague or Ambiguous Terms"], found["label_f1"]["Weak Evidence"]) == (0.0, None)
    # None of the Above is right in I-2 and not in I-3; I-4 has no decision on one type.
    assert found["label_f1"]["None of the Above"] == pytest.approx(2 / 3)
    assert found["label_f1_micro"] == pytest.approx(4 / (4 + 2 + 1))
    assert found["label_precision_micro"] == pytest.approx(2 / 4)
    assert found["label_recall_micro"] == pytest.approx(2 / 3)
    assert found["label_f1_macro"] == pytest.approx((1 + 0 + 0 + 2 / 3) / 4)
    assert found["label_f1_macro_zero"] == pytest.approx((1 + 2 / 3) / 11)
    # grades fell | when: two of three words; the type without a gold span has nothing to compare with.
    assert (found["scored_spans"], found["span_jaccard_gold"]) == (1, pytest.approx(2 / 3))


def test_the_lists_of_the_release_score_below_one_where_a_type_has_no_gold_span_and_it_is_counted(types):
    reference = json.loads((types / "focus.json").read_text())
    copied = {name: {key: item[key] for key in ("fsq_types", "spans")} for name, item in reference.items()}
    found = scored(types, "focus", "focus.json", copied)
    assert (found["types_without_gold_span"], found["label_f1_micro"]) == (1, pytest.approx(2 / 3))
    copied["I-3"] = {"fsq_types": ["Vague or Ambiguous Terms"], "spans": ["Null"]}
    found = scored(types, "focus", "focus.json", copied)
    assert (found["label_f1_micro"], found["label_f1_macro"], found["span_jaccard_gold"]) == (1.0, 1.0, 1.0)


def test_an_empty_file_scores_nothing(types):
    found = scored(types, "focus", "focus.json", {})
    # Right about the item of which every type was decided no: 1 of 2 answers of None, 1 of 3 that are there.
    assert (found["answered"], found["label_f1_micro"]) == (0, pytest.approx(2 / 5))
    assert (found["label_f1"]["Lacks Evidence"], found["span_jaccard_gold"]) == (0.0, 0.0)


@pytest.mark.parametrize("given", [b"\xef\xbb\xbf{}", b"{\r\n}\r\n"])
def test_a_byte_order_mark_and_line_breaks_of_windows_do_no_harm(given, types):
    assert scored(types, "focus", "focus.json", given)["answered"] == 0


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (b"[]", "expected a JSON object with the items by their ids, not a list or a single value"),
        (b'{"I-1": ', "is no JSON: line 1, column 9: Expecting value"),
        (b"\xff{}", "is not UTF-8 (byte 1): save it as UTF-8"),
        ({"I-1": []}, "I-1: is []; expected an object"),
        (
            b'{"I-1": {}, "I-1": {}}',
            '"I-1" stands twice in one object: keep one of the two',
        ),
        (
            {"I-9": {}, "I-8": {}},
            '2 of its items are not in the reference, the first is "I-8": is it for another split?',
        ),
        (
            {"I-1": {"fsq_types": ["Lacks Evidence"]}},
            "I-1: fsq_types has 1 entries and spans 0; they are parallel: give each type its span, "
            'or "Null" where there is none',
        ),
        (
            {"I-1": {"fsq_types": "Lacks Evidence", "spans": []}},
            'I-1: fsq_types is "Lacks Evidence"; expected a list of texts',
        ),
        (
            {"I-1": {"fsq_types": ["Lacks Evidence"], "spans": [3]}},
            "I-1: spans is [3]; expected a list of texts",
        ),
    ],
)
def test_what_is_wrong_with_a_file_is_said_in_one_line(given, why, types):
    assert refused(types, "focus", "focus.json", given) == why


@pytest.mark.parametrize("name", ["LE", " lacks  EVIDENCE", "Lacks evidence?"])
def test_a_type_may_be_called_by_code_name_or_alias(name, types):
    for called, expected in ((name, 1.0), ("implicit assumption", 0.0)):
        system = {"I-1": {"fsq_types": [called], "spans": ["grades fell"]}}
        assert scored(types, "focus", "focus.json", system)["label_f1"]["Lacks Evidence"] == expected


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (["Lack Evidence"], '"Lack Evidence" is no type of this release; the nearest is "Lacks Evidence"'),
        (["LE", "Weak Evidence", "BS"], "3 types; at most 2 are asked for"),
        (
            ["LE", "Lacks Evidence"],
            '"Lacks Evidence" is named twice: name each type once, with its best span',
        ),
        (["None", "LE"], "None of the Above stands alone: a type is named beside it"),
    ],
)
def test_an_answer_that_no_annotator_could_give_is_refused(names, why, types):
    system = {"I-1": {"fsq_types": names, "spans": ["The library"] * len(names)}}
    assert refused(types, "focus", "focus.json", system) == f"I-1: {why}"


def test_spans_are_also_compared_with_what_one_annotator_alone_marked(types):
    reference = json.loads((types / "focus.json").read_text())
    reference["I-1"]["labels"][8]["disagreement_spans"] = [{"start": 0, "end": 3, "text": "grades fell when"}]
    system = {
        "I-1": {"fsq_types": ["LE"], "spans": ["grades fell when"]},
        "I-3": {"fsq_types": ["VAT"], "spans": ["anyone can see"]},
    }
    path = types / "changed.json"
    path.write_text(json.dumps(reference))
    found = scored(types, "focus", "changed.json", system)
    assert found["span_jaccard_gold"] == pytest.approx(2 / 3)
    assert found["span_jaccard_gold_and_disagreement_where_gold"] == found["scored_spans"] == 1
    assert found["span_jaccard_gold_and_disagreement"] == 1
    assert found["scored_spans_gold_and_disagreement"] == 2


def test_references_that_cannot_be_scored_against_say_what_to_do(tmp_path):
    folder = types_released(tmp_path / "out", withheld=["test"])
    assert refused(folder, "focus", "focus.test.json", {}).startswith(
        "I-3: the references of this split are withheld: only whoever made the release can score it"
    )
    assert refused(folder, "cqs_gen", "focus.test.json", {}) == "I-3: has no cqs: is this a FOCUS file?"
    assert refused(folder, "focus", "nowhere.json", {}) == "cannot be read: No such file or directory"


def test_a_release_without_texts_is_joined_before_it_is_scored(tmp_path):
    folder = types_released(tmp_path / "out", split_by="none", texts=False)
    why = "I-1: its spans have no texts: score what scripts/join_texts.py makes of it"
    assert refused(folder, "focus", "focus.json", {}) == why


def test_useful_questions_are_counted_of_three(tmp_path):
    folder, (first, second, _) = questions_released(tmp_path / "out")
    system = {
        "I-1": {
            "cqs": [
                {"id": 0, "cq": first.upper().rstrip("?")},
                {"id": 1, "cq": second},
                {"id": 2, "cq": "And who pays?", "label": "Useful"},
                {"id": 3, "cq": "A fourth?", "label": "Useful"},
            ]
        },
        "I-2": {"cqs": [{"id": 0, "cq": "Unheard of?"}, {"id": 1, "cq": first}, {"id": 2, "cq": first}]},
    }
    assert scored(folder, "cqs_gen", "cqs_gen.json", system)["own_labels_not_used"] == 1
    found = scored(folder, "cqs_gen", "cqs_gen.json", system, "--own-labels")
    assert found["own_labels"] is True
    assert found["score"] == pytest.approx((2 / 3 + 1 / 3) / 2)
    assert (found["questions_asked_twice"], found["questions_after_the_third"]) == (1, 1)
    assert found["questions_without_label"] == 1
    assert found["labels"] == {"Invalid": 1, "Useful": 3, "not labelled": 1}


def test_words_with_two_labels_in_the_reference_give_none():
    item = {"cqs": [{"cq": "Why so?", "label": "Useful"}, {"cq": "why so", "label": "Invalid"}]}
    assert scorer.known_labels(item) == {("why", "so"): None}


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("Why?", 'I-1, question 1 is "Why?"; expected an object with its text as "cq"'),
        ({"cq": 3}, 'I-1, question 1 is {"cq": 3}; expected an object with its text as "cq"'),
        (
            {"cq": "Why?", "label": "useful"},
            'I-1, question 1: label is "useful"; expected one of Useful, Unhelpful, Invalid, or none',
        ),
    ],
)
def test_a_question_that_is_none_is_named(question, why, tmp_path):
    folder, _ = questions_released(tmp_path / "out")
    assert refused(folder, "cqs_gen", "cqs_gen.json", {"I-1": {"cqs": [question]}}, "--own-labels") == why


def test_withheld_questions_are_scored_where_the_system_brings_labels_of_its_own(tmp_path):
    made = cqs_study(annotators=1, items=1, questions=1)
    made.items[0].split = "test"
    made.items[0].save()
    judge_question(made, made.items[0].questions.get(), [USEFUL])
    close(made)
    folder = released(made.project, tmp_path / "out", withheld=["test"])
    asked = {"I-1": {"cqs": [{"id": 0, "cq": "Why?"}]}}
    assert refused(folder, "cqs_gen", "cqs_gen.test.json", asked).startswith("the references of this split")
    asked["I-1"]["cqs"][0]["label"] = "Useful"
    assert scored(folder, "cqs_gen", "cqs_gen.test.json", asked, "--own-labels")["score"] == pytest.approx(
        1 / 3
    )


@pytest.mark.parametrize(
    ("a", "b", "index"),
    [
        ("The tax, the cause", "THE TAX!", 2 / 3),
        ("図書館は開いている", "図書館", 3 / 8),
        ("🎉", " 🎉 ", 1.0),
        ("🎉", "👩‍👩‍👧", 0.0),
        ("e\u0301tat", "\u00e9tat", 1.0),
        ("हिन्दी में", "हिन्दी", 1 / 2),
        ("", "x", 0.0),
    ],
)
def test_words_are_compared_in_any_script(a, b, index):
    assert scorer.jaccard(a, b) == pytest.approx(index)


def test_the_template_of_each_split_can_be_handed_in_as_it_is_and_scores_nothing(tmp_path):
    made = cqs_study(annotators=1, items=3, questions=1)
    for item, split in zip(made.items, ("dev", "test", "test"), strict=True):
        item.split = split
        item.save()
    for item in made.items[:2]:
        judge_question(made, item.questions.get(), [USEFUL])
    close(made)
    folder = released(made.project, tmp_path / "out")
    assert not (folder / "submission_template.json").exists()
    for split, items, without in (("dev", 1, 0), ("test", 2, 1)):
        template = json.loads((folder / f"submission_template.{split}.json").read_bytes())
        found = scored(folder, "cqs_gen", f"cqs_gen.{split}.json", template)
        assert (found["score"], found["items"], found["items_without_reference"]) == (0.0, items, without)
        assert (found["labels"], found["questions_missing"]) == ({}, 3 * items)
    assert scored(folder, "cqs_gen", "cqs_gen.dev.json", {"I-1": {"cqs": "Missing CQs"}})["score"] == 0.0
