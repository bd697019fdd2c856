"""The FOCUS benchmark file holds what the annotators and the lead decided, and nothing else."""

import json
from pathlib import Path

import pytest

from tests.factories import NO, adjudicate, close, focus_study, judge, yes
from tests.factories.releases import released

pytestmark = pytest.mark.django_db

EXPECTED = Path(__file__).with_name("expected_focus.json")


def focus(project, folder, name="focus.json", **choices):
    return json.loads((released(project, folder, **choices) / name).read_bytes())


def labels(entry):
    return {label["code"]: label for label in entry["labels"]}


def test_a_release_is_the_expected_file_byte_for_byte(tmp_path):
    made = focus_study(annotators=3, items=2)
    library, parks = made.items
    grades, open_all = "Everyone's grades fell", "stay open all night"
    judge(
        made,
        library,
        {
            "LE": [yes(library, grades), yes(library, "Everyone's grades"), NO],
            "OSP": [yes(library, open_all), NO, NO],
            "CF": [yes(library, grades), yes(library, open_all), NO],
        },
    )
    judge(made, parks, {})
    close(made)
    adjudicate(made, library, "OSP", True, (library.text.index(open_all), library.text.index(open_all) + 19))
    assert (released(made.project, tmp_path / "out") / "focus.json").read_bytes() == EXPECTED.read_bytes()


def test_types_and_spans_are_parallel_with_one_entry_a_gold_span(tmp_path):
    made = focus_study(annotators=4, items=1)
    (item,) = made.items
    first, second = yes(item, "The library"), yes(item, "when it closed at ten")
    judge(made, item, {"VAT": [first, first, second, second], "LE": [first, first, first, NO]})
    close(made)
    entry = focus(made.project, tmp_path / "out")["I-1"]
    assert entry["fsq_types"] == ["Vague or Ambiguous Terms", "Vague or Ambiguous Terms", "Lacks Evidence"]
    assert entry["spans"] == ["The library", "when it closed at ten", "The library"]
    assert [span["support"] for span in labels(entry)["VAT"]["gold_spans"]] == [2, 2]


def test_all_ten_decided_no_is_none_of_the_above_with_a_null_span(tmp_path):
    made = focus_study(items=1)
    judge(made, made.items[0], {})
    close(made)
    entry = focus(made.project, tmp_path / "out")["I-1"]
    assert entry["fsq_types"] == ["None of the Above"]
    assert entry["spans"] == ["Null"]
    assert [label["applicable"] for label in entry["labels"]] == [False] * 10


def test_an_undecided_type_is_null_and_in_neither_list(tmp_path):
    made = focus_study(annotators=2, items=1)
    (item,) = made.items
    judge(made, item, {"WE": [yes(item, "grades fell"), NO]})
    close(made)
    entry = focus(made.project, tmp_path / "out")["I-1"]
    assert labels(entry)["WE"]["applicable"] is None
    assert labels(entry)["WE"]["votes"] == {"yes": 1, "no": 1}
    assert (entry["fsq_types"], entry["spans"]) == ([], [])


def test_a_single_judgement_decides_the_label_but_its_span_is_never_gold(tmp_path):
    made = focus_study(annotators=1, items=1)
    (item,) = made.items
    judge(made, item, {"WE": [yes(item, "grades fell")]})
    close(made)
    entry = focus(made.project, tmp_path / "out")["I-1"]
    label = labels(entry)["WE"]
    assert label["applicable"] is True
    assert label["votes"] == {"yes": 1, "no": 0}
    assert label["gold_spans"] == []
    assert [(span["text"], span["support"]) for span in label["disagreement_spans"]] == [("grades fell", 1)]
    assert (entry["fsq_types"], entry["spans"]) == ([], [])


def test_a_resolution_wins_over_the_majority_and_keeps_every_span(tmp_path):
    made = focus_study(annotators=3, items=1)
    (item,) = made.items
    near, far = yes(item, "grades fell"), yes(item, "The library should stay")
    judge(made, item, {"WE": [near, near, far], "LE": [far, far, far]})
    close(made)
    start = item.text.index("grades fell when")
    adjudicate(made, item, "WE", True, (start, start + len("grades fell when")))
    adjudicate(made, item, "LE", False)
    by_code = labels(focus(made.project, tmp_path / "out")["I-1"])
    assert by_code["WE"]["adjudicated"] is True
    assert [(span["text"], span["support"]) for span in by_code["WE"]["gold_spans"]] == [
        ("grades fell when", 2)
    ]
    assert [span["text"] for span in by_code["WE"]["disagreement_spans"]] == ["The library should stay"]
    assert (by_code["LE"]["applicable"], by_code["LE"]["gold_spans"]) == (False, [])
    assert [span["support"] for span in by_code["LE"]["disagreement_spans"]] == [3]
    assert by_code["LE"]["votes"] == {"yes": 3, "no": 0}


def test_a_superseded_resolution_no_longer_counts(tmp_path):
    made = focus_study(annotators=3, items=1)
    judge(made, made.items[0], {})
    round = close(made)
    old = adjudicate(made, made.items[0], "WE", True)
    old.superseded_at = round.closed_at
    old.save()
    label = labels(focus(made.project, tmp_path / "out")["I-1"])["WE"]
    assert (label["applicable"], label["adjudicated"]) == (False, False)


def test_adjudicated_only_leaves_what_no_lead_decided_undecided(tmp_path):
    made = focus_study(annotators=3, items=1)
    judge(made, made.items[0], {})
    close(made)
    adjudicate(made, made.items[0], "TC", False)
    found = labels(focus(made.project, tmp_path / "out", adjudicated_only=True)["I-1"])
    assert {
        code: label["applicable"] for code, label in found.items() if label["applicable"] is not None
    } == {"TC": False}
    assert found["WE"]["votes"] == {"yes": 0, "no": 3}


def test_cannot_judge_is_no_vote(tmp_path):
    made = focus_study(annotators=3, items=1)
    (item,) = made.items
    broken = {"cannot_judge": True, "comment": "The text is cut off."}
    judge(made, item, {"WE": [broken, NO, NO], "LE": [broken, broken, broken]})
    close(made)
    found = labels(focus(made.project, tmp_path / "out")["I-1"])
    assert (found["WE"]["applicable"], found["WE"]["votes"]) == (False, {"yes": 0, "no": 2})
    assert (found["LE"]["applicable"], found["LE"]["votes"]) == (None, {"yes": 0, "no": 0})


def test_every_slice_is_its_text_also_with_emoji_and_right_to_left(tmp_path):
    made = focus_study(annotators=2, items=4)
    quotes = ["Everyone's grades", "👩‍👩‍👧 first", "Café prices", "مفتوحة طوال"]
    for item, quote in zip(made.items, quotes, strict=True):
        judge(made, item, {"LE": [yes(item, quote)] * 2})
    close(made)
    found = focus(made.project, tmp_path / "out")
    spans = [labels(entry)["LE"]["gold_spans"][0] for entry in found.values()]
    assert [span["text"] for span in spans] == quotes
    for entry, span in zip(found.values(), spans, strict=True):
        assert entry["argument"][span["start"] : span["end"]] == span["text"]


def test_types_without_spans_stand_with_null(tmp_path):
    from tests import factories

    made = factories.study("context_sufficiency", annotators=2, items=1)
    factories.open_round(made)
    codes = [kind["code"] for kind in made.round.codebook.definition["types"]]
    for member in made.annotators:
        factories.record(made.round, member, made.items[0], codes[0], {"applicable": True})
        factories.record(made.round, member, made.items[0], codes[1], NO)
    close(made)
    entry = focus(made.project, tmp_path / "out")["I-1"]
    assert entry["fsq_types"] == [made.round.codebook.definition["types"][0]["name"]]
    assert entry["spans"] == ["Null"]
