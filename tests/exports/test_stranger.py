"""What a stranger does with a release: load it with common libraries, check it, score a system against it."""

import hashlib
import json
from collections import Counter

import pandas
import pytest

from tests.factories import NO, USEFUL, close, cqs_study, focus_study, judge, judge_question, yes
from tests.factories.releases import released

pytestmark = pytest.mark.django_db

# Of the libraries that read, about their own dependencies.
foreign_warnings = pytest.mark.filterwarnings("ignore")


def judged():
    """Four items; grades span gold in the first, all no in the second, undecided in the others."""
    made = focus_study(annotators=2, items=4)
    first, _, third, fourth = made.items
    judge(made, first, {"LE": [yes(first, "grades fell")] * 2, "WE": [yes(first, "The library"), NO]})
    judge(made, made.items[1], {})
    judge(made, third, {"VAT": [yes(third, "Café prices"), NO]})
    judge(made, fourth, {"VAT": [yes(fourth, "المكتبة"), NO]})
    for item, split in zip(made.items, ("train", "train", "test", "test"), strict=True):
        item.split = split
        item.save()
    close(made)
    return made


def load(path):
    return json.loads(path.read_bytes())


def test_pandas_reads_the_lines_and_the_judgements(tmp_path):
    folder = released(judged().project, tmp_path / "out")
    lines = pandas.read_json(folder / "data" / "train.jsonl", lines=True)
    assert list(lines.argument_id) == ["I-1", "I-2"]
    assert list(lines.fsq_types) == [["Lacks Evidence"], ["None of the Above"]]
    table = pandas.read_csv(folder / "judgements.csv")
    assert Counter(table.applicable) == {False: 75, True: 5}


@foreign_warnings
def test_datasets_loads_every_split_of_the_folder_with_one_line(tmp_path):
    datasets = pytest.importorskip("datasets")
    folder = released(judged().project, tmp_path / "out", withheld=["test"])
    loaded = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))
    assert {split: part.num_rows for split, part in loaded.items()} == {"test": 2, "train": 2}
    assert loaded["train"][0]["spans"] == ["grades fell"]
    assert loaded["test"][0]["argument_id"] == "I-3"
    table = datasets.load_dataset(
        "parquet", data_files=str(folder / "judgements.parquet"), cache_dir=str(tmp_path / "cache")
    )
    assert table["train"].num_rows == 40


@foreign_warnings
def test_splits_are_called_by_words_of_any_script_and_by_numbers(tmp_path):
    datasets = pytest.importorskip("datasets")
    made = judged()
    for item, topic in zip(made.items, ("教育", "交通", "2024", "no"), strict=True):
        made.project.items.filter(pk=item.pk).update(topic=topic)
    folder = released(made.project, tmp_path / "out", split_by="topic")
    loaded = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))
    assert {split: part["argument_id"] for split, part in loaded.items()} == {
        "教育": ["I-1"],
        "交通": ["I-2"],
        "2024": ["I-3"],
        "no": ["I-4"],
    }


@foreign_warnings
def test_datasets_loads_a_release_without_splits_too(tmp_path):
    datasets = pytest.importorskip("datasets")
    folder = released(judged().project, tmp_path / "out", split_by="none")
    loaded = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))
    assert {split: part.num_rows for split, part in loaded.items()} == {"whole": 4}


@foreign_warnings
@pytest.mark.parametrize("choices", [{}, {"withheld": ["test"]}, {"texts": False}])
def test_croissant_validates_and_its_records_can_be_read(choices, tmp_path):
    croissant = pytest.importorskip("mlcroissant")
    folder = released(judged().project, tmp_path / "out", licence="CC-BY-4.0", **choices)
    described = croissant.Dataset(str(folder / "croissant.json"))
    assert not described.metadata.ctx.issues.errors
    records = list(described.records("train"))
    assert [record["train/argument_id"] for record in records] == [b"I-1", b"I-2"]
    assert [record["test/argument_id"] for record in described.records("test")] == [b"I-3", b"I-4"]
    rows = list(described.records("judgements"))
    assert len(rows) == (40 if "withheld" in choices else 80)
    decided = {
        (label["train/labels/code"], label["train/labels/applicable"], label["train/labels/yes"])
        for label in records[0]["train/labels"]
    }
    assert {(b"LE", True, 2), (b"WE", None, 1), (b"TC", False, 0)} <= decided
    assert len(records[0]["train/labels"]) == 10
    spans = {
        name: [
            {key.rpartition("/")[2]: value for key, value in span.items()}
            for span in described.records(f"{name}_spans")
        ]
        for name in ("train_gold", "train_disagreement")
    }
    texts = choices.get("texts", True)
    told = {"text": b"grades fell"} if texts else {}
    (gold,) = spans["train_gold"]
    assert (b"grades fell" in gold.pop("question")) if texts else "question" not in gold
    shared = {"argument_id": b"I-1", "code": b"LE", "fsq_type": b"Lacks Evidence"}
    assert gold == {**shared, "start": 51, "end": 62, "support": 2, **told}
    (alone,) = spans["train_disagreement"]
    assert (alone["code"], alone["start"], alone["end"], alone["support"]) == (b"WE", 0, 11, 1)
    named = {record_set.id for record_set in described.metadata.record_sets}
    assert ("test_gold_spans" in named) == ("withheld" not in choices)
    if "withheld" not in choices:
        assert list(described.records("test_gold_spans")) == []
        arabic = list(described.records("test_disagreement_spans"))[1]
        assert arabic["test_disagreement_spans/argument_id"] == b"I-4"


@foreign_warnings
def test_croissant_has_nothing_that_its_own_reader_recommends_otherwise(tmp_path, caplog):
    croissant = pytest.importorskip("mlcroissant")
    made = judged()
    told = {"licence": "CC-BY-4.0", "published": "2026-03-31", "authors": "Ann Other, Ben Wu and Cleo Day"}
    folder = released(made.project, tmp_path / "out", **told)
    described = croissant.Dataset(str(folder / "croissant.json"))
    assert not described.metadata.ctx.issues.errors
    assert not described.metadata.ctx.issues.warnings
    assert caplog.text == ""
    people = ["Ann Other", "Ben Wu", "Cleo Day"]
    assert [creator.name for creator in described.metadata.creators] == people
    told = load(folder / "croissant.json")
    assert told["creator"] == [{"@type": "sc:Person", "name": name} for name in people]
    assert (told["datePublished"], told["inLanguage"]) == ("2026-03-31", ["en"])
    assert told["citeAs"] == f"{'; '.join(people)} (2026). {made.project.name}, version 1.0."


@foreign_warnings
def test_croissant_of_questions_can_be_read(tmp_path):
    croissant = pytest.importorskip("mlcroissant")
    made = cqs_study(annotators=1, items=2, questions=1)
    for item in made.items:
        judge_question(made, item.questions.get(), [USEFUL])
    close(made)
    described = croissant.Dataset(str(released(made.project, tmp_path / "out") / "croissant.json"))
    rows = list(described.records("all"))
    assert [row["all/intervention_id"] for row in rows] == [b"I-1", b"I-2"]
    question = made.items[1].questions.get()
    assert rows[1]["all/cqs"] == [
        {
            "all/cqs/id": question.external_id.encode(),
            "all/cqs/cq": question.text.encode(),
            "all/cqs/label": b"Useful",
        }
    ]


def test_the_croissant_file_has_the_sums_of_the_files(tmp_path):
    folder = released(judged().project, tmp_path / "out")
    for file in load(folder / "croissant.json")["distribution"]:
        assert hashlib.sha256((folder / file["contentUrl"]).read_bytes()).hexdigest() == file["sha256"]


def test_an_id_only_release_has_no_text_in_any_file(tmp_path):
    made = judged()
    folder = released(made.project, tmp_path / "out", texts=False)
    everything = b"\n".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    for words in ("grades fell", "Café prices", "المكتبة"):
        assert words.encode() not in everything
        assert json.dumps(words)[1:-1].encode() not in everything
    entry = load(folder / "focus.train.json")["I-1"]
    assert entry["argument_sha256"] == hashlib.sha256(made.items[0].text.encode()).hexdigest()
    assert entry["labels"][8]["gold_spans"] == [{"start": 51, "end": 62, "support": 2}]
