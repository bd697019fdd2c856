"""Splits: one file each, reproducible, and a withheld split's references stay inside."""

import io
import json
import zipfile
from collections import Counter

import pytest

from core.errors import Refused
from exports.releases.storage import file_pieces, write_release
from exports.selection.parameters import ParameterError, Parameters
from exports.selection.splits import is_published_test, most_balanced, normalised_entropy, seeded_splits
from tests import factories
from tests.factories import (
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
from tests.factories.releases import release, released


def judged(items=4, splits=("train", "test", "train", "")):
    made = focus_study(annotators=2, items=items)
    for item, split in zip(made.items, splits, strict=False):
        judge(made, item, {"VAT": [yes(item, item.text[:5])] * 2})
        item.split = split
        item.save()
    close(made)
    return made


def keys(path):
    return list(json.loads(path.read_bytes()))


@pytest.mark.django_db
def test_each_split_is_a_file_and_items_without_one_are_unassigned(tmp_path):
    folder = released(judged().project, tmp_path / "out")
    assert {path.name: keys(path) for path in folder.glob("focus*.json")} == {
        "focus.test.json": ["I-2"],
        "focus.train.json": ["I-1", "I-3"],
        "focus.unassigned.json": ["I-4"],
    }
    rows = [json.loads(row) for row in (folder / "data" / "train.jsonl").read_text().splitlines()]
    assert [row["argument_id"] for row in rows] == ["I-1", "I-3"]


@pytest.mark.django_db
def test_splits_by_topic_by_round_and_not_at_all(tmp_path):
    made = judged()
    by_topic = released(made.project, tmp_path / "topic", "t", split_by="topic")
    assert keys(by_topic / "focus.topic_1.json") == ["I-1", "I-3"]
    factories.add_items(made.project, 1)
    factories.open_round(made)
    close(made)
    by_round = released(made.project, tmp_path / "round", "r", split_by="round")
    assert keys(by_round / "focus.Round_1.json") == ["I-1", "I-2", "I-3", "I-4"]
    assert keys(by_round / "focus.Round_2.json") == ["I-5"]
    assert keys(released(made.project, tmp_path / "none", "n", split_by="none") / "focus.json") == [
        f"I-{number}" for number in range(1, 6)
    ]


@pytest.mark.django_db
def test_a_split_by_seed_is_the_same_again_and_another_with_another_seed(tmp_path):
    made = judged(items=4)
    choices = {"split_by": "seed", "split_sizes": {"train": 0.5, "test": 0.5}}

    def test_items(name, seed):
        folder = released(made.project, tmp_path / name, name, seed=seed, **choices)
        return keys(folder / "focus.test.json")

    assert test_items("a", 1) == test_items("b", 1)
    assert len(test_items("c", 1)) == 2
    assert len({tuple(test_items(f"s{seed}", seed)) for seed in range(5)}) > 1


def test_seeded_shares_are_cut_to_the_nearest_item():
    sizes = Counter(seeded_splits(10, [("train", 0.75), ("dev", 0.1), ("test", 0.15)], seed=3))
    assert sizes == {"train": 8, "test": 2}


@pytest.mark.parametrize(
    ("counts", "entropy"),
    [([4, 0, 0], 0.0), ([2, 2, 2], 1.0), ([1, 1], 0.63092975357146), ([2, 1], 0.57938016428)],
)
def test_normalised_entropy_is_over_three_labels(counts, entropy):
    # ln 2 / ln 3 and (ln 3 - 2/3 ln 2) / ln 3
    assert normalised_entropy(counts) == pytest.approx(entropy, abs=1e-11)


def test_the_most_balanced_items_come_first_and_ties_by_id():
    labels = {
        "b": Counter(USE=1, IN=1),
        "a": Counter(USE=1, UN=1),
        "c": Counter(USE=1, UN=1, IN=1),
        "d": Counter(USE=5),
        "e": Counter(),
    }
    assert most_balanced(labels, 3) == ["c", "a", "b"]
    assert most_balanced(labels, 9) == ["c", "a", "b", "d"]


@pytest.mark.django_db
def test_the_balanced_split_takes_the_items_with_the_most_even_labels_to_test(tmp_path):
    made = cqs_study(annotators=1, items=3, questions=3)
    answers = [[USEFUL, USEFUL, USEFUL], [USEFUL, UNHELPFUL, invalid()], [USEFUL, USEFUL, UNHELPFUL]]
    for item, three in zip(made.items, answers, strict=True):
        for question, answer in zip(item.questions.all(), three, strict=True):
            judge_question(made, question, [answer])
    close(made)
    folder = released(made.project, tmp_path / "out", split_by="balanced", split_sizes={"test": 1})
    assert keys(folder / "cqs_gen.test.json") == ["I-2"]
    assert keys(folder / "cqs_gen.validation.json") == ["I-1", "I-3"]
    with pytest.raises(ParameterError, match="3 items for the test split, the release has 3"):
        release(made.project, "2", split_by="balanced", split_sizes={"test": 3})


@pytest.mark.parametrize(
    ("item", "counts", "is_test"),
    [
        ("A_1", {"USE": 1, "UN": 1, "IN": 1}, True),
        ("A_1", {"USE": 2, "UN": 1, "IN": 1}, True),
        ("A_1", {"USE": 3, "UN": 1, "IN": 1}, False),
        ("A_1", {"USE": 1, "UN": 2}, False),
        ("A_1_2", {"USE": 1, "UN": 1, "IN": 1}, False),
        ("A", {"USE": 1, "UN": 1, "IN": 1}, False),
        ("A_1", {}, False),
    ],
)
def test_the_published_rule_takes_hard_whole_texts_to_test(item, counts, is_test):
    assert is_published_test(item, Counter(counts)) is is_test


@pytest.mark.django_db
def test_a_release_can_be_split_by_the_published_rule(tmp_path):
    made = cqs_study(annotators=1, items=2, questions=3)
    close(made)
    folder = released(made.project, tmp_path / "out", split_by="published")
    assert keys(folder / "cqs_gen.validation.json") == ["I-1", "I-2"]
    with pytest.raises(ParameterError, match="the published split is for questions with labels"):
        release(judged().project, "1", split_by="published")


@pytest.mark.django_db
def test_withheld_references_are_in_no_public_file_and_whole_inside(tmp_path):
    made = judged()
    secret = made.items[1]
    full = released(made.project, tmp_path / "full", "0.9", comments=True)
    row = release(made.project, "1.0", withheld=["test"], comments=True)
    names = write_release(row, tmp_path / "out")
    assert not [name for name in names if name.startswith("internal")]
    bare = {"argument_id": "I-2", "argument": secret.text, "dataset": "test", "topic": "topic 0"}
    assert json.loads((tmp_path / "out" / "focus.test.json").read_bytes()) == {"I-2": bare}
    assert json.loads((tmp_path / "out" / "data" / "test.jsonl").read_bytes()) == bare
    assert "I-2" not in (tmp_path / "out" / "judgements.csv").read_text()
    write_release(row, tmp_path / "inside", internal=True)
    inside = tmp_path / "inside" / "internal"
    for name in ("focus.test.json", "data/test.jsonl", "judgements.csv"):
        assert (inside / name).read_bytes() == (full / name).read_bytes()
    (archive,) = [file for file in row.files if file["archive"]]
    whole = b"".join(file_pieces(row.files, archive, 0, archive["size"]))
    with zipfile.ZipFile(io.BytesIO(whole)) as found:
        assert not [name for name in found.namelist() if "internal" in name]
        assert b"fsq_types" not in found.read(f"{made.project.slug}-1.0/focus.test.json")


@pytest.mark.django_db
def test_a_withheld_split_of_questions_has_the_published_withheld_form(tmp_path):
    made = cqs_study(annotators=1, items=2, questions=1)
    for item, split in zip(made.items, ("validation", "test"), strict=True):
        judge_question(made, item.questions.get(), [USEFUL])
        item.split = split
        item.save()
    close(made)
    folder = released(made.project, tmp_path / "out", withheld=["test"])
    assert json.loads((folder / "cqs_gen.test.json").read_bytes())["I-2"]["cqs"] == []
    assert json.loads((folder / "data" / "test.jsonl").read_bytes())["cqs"] == []
    assert len(json.loads((folder / "cqs_gen.validation.json").read_bytes())["I-1"]["cqs"]) == 1


@pytest.mark.django_db
def test_two_splits_that_would_share_a_file_are_refused():
    made = judged(splits=("dev/1", "dev 1", "train", "train"))
    with pytest.raises(Refused, match="would share the file name"):
        release(made.project)


@pytest.mark.django_db
def test_the_zip_holds_the_public_files_data_first_with_a_fixed_date_and_no_compression():
    made = judged()
    row = release(made.project)
    (archive,) = [file for file in row.files if file["archive"]]
    whole = b"".join(file_pieces(row.files, archive, 0, archive["size"]))
    entries = zipfile.ZipFile(io.BytesIO(whole)).infolist()
    folder = f"{made.project.slug}-1.0"
    assert archive["name"] == f"{folder}.zip"
    names = [entry.filename.removeprefix(f"{folder}/") for entry in entries]
    assert sorted(names) == sorted(file["name"] for file in row.files if not file["archive"])
    # The data come first: they are put in while the agreement is computed.
    data = ["annotator_matrix.csv", "data/test.jsonl", "data/train.jsonl", "data/unassigned.jsonl"]
    data += ["focus.test.json", "focus.train.json", "focus.unassigned.json"]
    data += ["gamma/spans.csv", "gamma/texts.csv", "judgements.csv", "judgements.parquet", "soft_labels.csv"]
    assert names[: len(data)] == data
    assert names[len(data) :] == sorted(names[len(data) :])
    assert {entry.date_time for entry in entries} == {(1980, 1, 1, 0, 0, 0)}
    assert {entry.compress_type for entry in entries} == {zipfile.ZIP_STORED}


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"split_by": "moon"}, "split_by: expected one of field"),
        ({"split_by": "seed", "split_sizes": {"a": 0.5, "b": 0.4}}, "shares that sum to 1"),
        ({"split_by": "seed", "split_sizes": {"a": 1}}, "two or more shares"),
        ({"split_by": "balanced", "split_sizes": {"test": 2.5}}, "number of items in"),
        ({"split_by": "topic", "split_sizes": {"test": 2}}, "has no meaning for a split by topic"),
        ({"split_sizes": {"test": True}}, "numbers above 0"),
        ({"jaccard": 0}, "jaccard: expected a number above 0"),
        ({"jaccard": True}, "jaccard: expected a number"),
        ({"seed": -1}, "seed: expected a whole number"),
        ({"rounds": "Round 1"}, "rounds: expected a list of names"),
        ({"withheld": ["a", "a"]}, "withheld: names one twice"),
        ({"judgements": "no"}, "judgements: expected true or false"),
        ({"licence": None}, "licence: expected a text"),
        ({"x": 1}, "x: there is no such choice"),
    ],
)
def test_choices_that_make_no_release_are_refused_with_what_was_expected(choices, message):
    with pytest.raises(ParameterError, match=message):
        Parameters.from_json(choices)


def test_choices_come_back_from_json_as_they_were():
    chosen = Parameters.from_json(
        {"rounds": ["a"], "split_by": "seed", "split_sizes": {"x": 0.25, "y": 0.75}, "withheld": ["y"]}
    )
    assert Parameters.from_json(json.loads(json.dumps(chosen.to_json()))) == chosen
