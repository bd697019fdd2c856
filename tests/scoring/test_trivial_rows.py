"""Trivial rows of a release's references: each is scored as a system that answers so."""

import json
from pathlib import Path

import pytest

from scoring.evaluation.evaluate import Choices, evaluate, figures_in
from scoring.evaluation.questions import Method
from scoring.evaluation.sources import ReleaseFiles, benchmark_of_release
from scoring.evaluation.submissions import read_submission
from scoring.evaluation.trivial_rows import trivial_rows

CODEBOOKS = Path(__file__).parents[2] / "annotation" / "codebooks"
LE_WE, BS_WE = (("LE", True), ("WE", True)), (("BS", True), ("WE", True))


def release(protocol, **splits):
    """Return a release of these splits, in memory."""
    codebook = (CODEBOOKS / f"{protocol}.toml").read_bytes()
    files = {"codebook.toml": codebook, "release.json": b'{"project": "talk", "version": "1.0"}'}
    files |= {f"{protocol}.{name}.json": json.dumps(entries).encode() for name, entries in splits.items()}
    return ReleaseFiles("talk 1.0", files, files.__getitem__)


def argument(*decided):
    labels = [{"code": code, "fsq_type": code, "applicable": value} for code, value in decided]
    return {"argument": "Taxes will rise.", "labels": labels}


def questions(*asked):
    return {
        "intervention": "Taxes will rise.",
        "cqs": [{"id": str(at), "cq": words, "label": label} for at, (words, label) in enumerate(asked)],
    }


FOCUS = release(
    "focus",
    test={"a": argument(*LE_WE), "b": argument(*LE_WE, ("BS", False)), "c": argument(("LE", True))},
    train={"t": argument(("LE", True))},
    validation={"v": argument(*BS_WE), "w": argument(*BS_WE)},
)


def rows_by_name(benchmark, **choices):
    rows = trivial_rows(benchmark, replicates=20, **choices)
    assert all(row["trivial"] is True for row in rows)
    return {row["name"]: row for row in rows}


def test_the_best_types_are_those_of_the_validation_split_and_are_scored_on_this_one():
    benchmark = benchmark_of_release(FOCUS, [], split="test")
    rows = rows_by_name(benchmark, hindsight=True)
    assert list(rows) == [
        *("none_of_the_above", "best_constant", "best_constant_of_this_split", "random_types")
    ]
    assert (rows["best_constant"]["answer"], rows["best_constant"]["chosen_by"]) == (
        ["BS", "WE"],
        "validation",
    )
    # WE is right twice; BS is decided once, no; LE is missed three times: 4 / (4 + 1 + 3).
    assert rows["best_constant"]["figures"]["decided"]["micro"]["f1"]["value"] == 0.5
    here = rows["best_constant_of_this_split"]
    assert (here["answer"], here["chosen_by"]) == (["LE", "WE"], "test")
    assert here["figures"]["decided"]["micro"]["f1"]["value"] == 1.0
    assert rows["none_of_the_above"]["answer"] == ["NONE"]
    assert rows["none_of_the_above"]["figures"]["decided"]["micro"]["f1"]["value"] == 0.0
    assert rows["random_types"]["answer"] is None
    assert rows_by_name(benchmark) == {name: row for name, row in rows.items() if name != here["name"]}


@pytest.mark.parametrize("named", ["none_of_the_above", "best_constant"])
def test_a_row_is_what_a_system_that_answers_so_is_worth(named):
    benchmark = benchmark_of_release(FOCUS, [], split="test")
    row = rows_by_name(benchmark)[named]
    types = [] if row["answer"] == ["NONE"] else row["answer"]
    file = {item: {"fsq_types": types, "spans": ["Null"] * len(types)} for item in "abc"}
    submission = read_submission(json.dumps(file).encode(), "constant.json", benchmark)
    found = evaluate(benchmark, [(submission, "0")], Choices(replicates=20)).scores["figures"]
    for scope in ("decided", "all"):
        assert row["figures"][scope] == found[scope]


def test_without_a_validation_split_it_is_the_train_split_and_then_the_split_itself():
    splits = {name: {"x": argument(("LE", True))} for name in ("test", "Train")}
    for names, chosen_by in ((("test", "Train"), "Train"), (("test",), "test")):
        files = release("focus", **{name: splits[name] for name in names})
        rows = rows_by_name(benchmark_of_release(files, [], split="test"), hindsight=True)
        assert rows["best_constant"]["chosen_by"] == chosen_by
        assert ("best_constant_of_this_split" in rows) == (chosen_by != "test")


QUESTIONS = release(
    "cqs_gen",
    test={
        "a": questions(("Who pays?", "Useful"), ("Who says so?", "Invalid")),
        "b": questions(("Why now?", "Useful"), ("How much?", "Useful"), ("Who pays?", "Unhelpful")),
    },
    validation={
        "v": questions(("Why now?", "Useful"), ("who pays", "Useful")),
        "w": questions(("Who pays?", "Invalid")),
    },
)


def test_questions_of_other_items_and_the_most_frequent_one_are_scored_by_the_method():
    benchmark = benchmark_of_release(QUESTIONS, [], split="test")
    rows = rows_by_name(benchmark, method=Method("exact"))
    assert list(rows) == ["references_of_other_items", "most_frequent_question"]
    # Useful about a, Unhelpful about b: 1/3 and 0.
    most = rows["most_frequent_question"]
    assert (most["answer"], most["chosen_by"]) == (["who pays"], "validation")
    assert (most["figures"]["score"]["value"], most["figures"]["score"]["n"]) == (pytest.approx(1 / 6), 2)
    # a gets all three of b, of which "Who pays?" is a reference of its own; b both of a.
    others = rows["references_of_other_items"]
    assert others["answer"] is None and others["figures"]["handed_in"] == 5
    assert others["figures"]["labels"] == {
        "Useful": 1,
        "Unhelpful": 1,
        "Invalid": 0,
        "not_able_to_evaluate": 3,
    }
    assert {name for name, _ in figures_in(others["figures"])} == {"score", "nae_share"}


@pytest.mark.parametrize(
    ("method", "reason"), [("human", "not_judged"), ("model_label", "not_judged"), ("sts", "no_encoder")]
)
def test_a_method_that_nobody_was_asked_by_gives_rows_with_a_reason(method, reason):
    benchmark = benchmark_of_release(QUESTIONS, [], split="test")
    rows = rows_by_name(benchmark, method=Method(method, 0.65 if method == "sts" else None))
    assert [(row["figures"], row["reason"]) for row in rows.values()] == [(None, reason)] * 2


def test_an_evaluation_has_the_trivial_rows_of_each_method():
    benchmark = benchmark_of_release(QUESTIONS, [], split="test")
    submission = read_submission(b'{"a": {"cqs": "Missing CQs"}}', "run.json", benchmark)
    methods = [Method("exact"), Method("human")]
    scores = evaluate(benchmark, [(submission, "0")], Choices(methods=methods, replicates=20)).scores
    assert [(row["method"]["name"], row["name"]) for row in scores["trivial"]] == [
        ("exact", "references_of_other_items"),
        ("exact", "most_frequent_question"),
        ("human", "references_of_other_items"),
        ("human", "most_frequent_question"),
    ]
    alone = rows_by_name(benchmark, method=Method("exact"))["most_frequent_question"]
    # What is kept for good has no words of a question: its text may be erased one day.
    assert scores["trivial"][1] == {"method": {"name": "exact", "threshold": None}, **alone, "answer": None}
    assert "who pays" not in repr(scores["trivial"])
