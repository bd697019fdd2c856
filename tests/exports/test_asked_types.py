"""A release of a round that asked two of ten types of each text has labels of these, and of nothing else."""

import csv
import json
import subprocess
import sys

import jsonschema
import pytest

from annotation.rounds.lifecycle import round_close
from exports.refinement.candidates import gold_questions, refinable_selection
from exports.releases.comparison import changes_between
from exports.releases.preview import release_preview
from exports.selection.parameters import Parameters
from exports.selection.selection import read_selection
from tests import factories
from tests.factories import adjudicate, asked_rounds, close, judged
from tests.factories.releases import release, released

pytestmark = pytest.mark.django_db


@pytest.fixture
def made():
    made = asked_rounds.judged()
    round_close(made.round, by=made.lead)
    return made


def read(folder, name):
    return json.loads((folder / name).read_bytes())


def test_labels_are_those_of_the_asked_types_and_none_follows_from_them(made, tmp_path):
    folder = released(made.project, tmp_path / "out", exchange=["label_studio", "doccano", "web_annotation"])
    entries = read(folder, "focus.json")
    labels = {
        item: {label["code"]: label["applicable"] for label in entry["labels"]}
        for item, entry in entries.items()
    }
    assert labels == {
        "I-1": {"OSP": False, "TC": False},
        "I-2": {"LE": True, "WE": False},
        "I-3": {"OSP": True, "TC": False},
        "I-4": {"LE": None, "WE": False},
    }
    assert {item: entry["fsq_types"] for item, entry in entries.items()} == {
        "I-1": ["None of the Above"],
        "I-2": ["Lacks Evidence"],
        "I-3": [],
        "I-4": [],
    }
    assert entries["I-1"]["spans"] == ["Null"]
    schema = read(folder, "schemas/focus.schema.json")
    jsonschema.validate(entries, schema)
    whole = schema["$defs"]["line"]["oneOf"][0]["properties"]["labels"]
    assert "was not asked" in whole["description"]
    manifest = read(folder, "release.json")
    assert manifest["counts"]["undecided_types"] == 1
    assert manifest["counts"]["types_not_asked"] == 4 * 8
    assert manifest["labels"] == {
        "LE undecided": 1,
        "LE yes": 1,
        "OSP no": 1,
        "OSP yes": 1,
        "TC no": 2,
        "WE no": 2,
    }
    assert manifest["rounds"][0]["asked"]["field"] == "topic"
    card = (folder / "README.md").read_text()
    assert "| type | yes | no | undecided | not asked | gold spans | disagreement spans |" in card
    assert "| Lacks Evidence | 1 | 0 | 1 | 2 | 1 | 1 |" in card
    assert "| Vague or Ambiguous Terms | 0 | 0 | 0 | 4 | 0 | 0 |" in card
    assert "each text asked some types, by its “topic”" in card
    with (folder / "judgements.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 23 and {row["type"] for row in rows} == {"OSP", "TC", "LE", "WE"}
    for name in ("label_studio.json", "doccano.jsonl", "web_annotation.jsonl"):
        assert "Causality Flipped" not in (folder / "exchange" / name).read_text()


def test_the_preview_counts_what_was_judged(made):
    assert release_preview(read_selection(made.project, Parameters())).judgements == 23


def test_the_questions_of_gold_spans_are_of_asked_types(made):
    found = [(one.external_id, one.type_code) for one in gold_questions(refinable_selection(made.project))]
    assert found == [("I-2", "LE")]


def test_a_type_that_a_lead_decided_is_a_label_also_where_the_round_did_not_ask_it(made, tmp_path):
    adjudicate(made, made.items[0], "VAT", False)
    entry = read(released(made.project, tmp_path / "out", agreement=False), "focus.json")["I-1"]
    assert [label["code"] for label in entry["labels"]] == ["OSP", "TC", "VAT"]


def test_texts_of_several_rounds_have_the_types_that_any_of_them_asked(made, tmp_path):
    factories.open_round(made, types=["VAT"])
    for member in made.annotators:
        factories.record(made.round, member, made.items[0], "VAT", factories.NO)
    close(made)
    entries = read(released(made.project, tmp_path / "out", agreement=False), "focus.json")
    assert [label["code"] for label in entries["I-1"]["labels"]] == ["OSP", "TC", "VAT"]
    # The second round asked VAT of it too, and nobody answered.
    assert [(one["code"], one["applicable"]) for one in entries["I-2"]["labels"]] == [
        ("VAT", None),
        ("LE", True),
        ("WE", False),
    ]
    assert entries["I-1"]["fsq_types"] == ["None of the Above"]


def test_releases_differ_by_what_is_asked_newly_and_not_by_what_never_was(made, tmp_path):
    before = release(made.project, "1.0", agreement=False)
    factories.open_round(made, types=["VAT"])
    for member in made.annotators:
        factories.record(made.round, member, made.items[0], "VAT", factories.NO)
    close(made)
    found = changes_between(before, release(made.project, "1.1", agreement=False))
    told = {(one.item, one.unit, one.before, one.after) for one in found.changes}
    assert told == {
        ("I-1", "Vague or Ambiguous Terms", "–", "no"),
        *((f"I-{number}", "Vague or Ambiguous Terms", "–", "undecided") for number in (2, 3, 4)),
    }


def test_a_system_is_scored_on_what_was_asked(made, tmp_path):
    folder = released(made.project, tmp_path / "out", agreement=False)
    answer = {
        "fsq_types": ["Lacks Evidence", "Other Stakeholder Perspective"],
        "spans": ["grades fell", "Null"],
    }
    (tmp_path / "system.json").write_text(json.dumps(dict.fromkeys(("I-1", "I-2", "I-3", "I-4"), answer)))
    command = [sys.executable, folder / "scripts/score.py", "focus", folder / "focus.json"]
    done = subprocess.run([*command, tmp_path / "system.json"], capture_output=True, text=True, check=True)
    scored = json.loads(done.stdout)
    # LE: right on I-2, not decided on I-4, not asked elsewhere. OSP: right on I-3, wrong on I-1.
    # None of the Above: in no item is every type of the codebook decided.
    found = {name: value for name, value in scored["label_f1"].items() if value is not None}
    assert found == {
        "Other Stakeholder Perspective": pytest.approx(2 / 3),
        "Lacks Evidence": 1.0,
    }
    assert len(scored["label_f1"]) == 11


def test_a_release_in_which_all_types_were_asked_stays_as_it_was(tmp_path):
    made = judged(items=1)
    folder = released(made.project, tmp_path / "out", agreement=False)
    labels = read(folder, "schemas/focus.schema.json")["$defs"]["line"]["oneOf"][0]["properties"]["labels"]
    assert (len(labels["prefixItems"]), labels["minItems"]) == (10, 10)
    assert len(read(folder, "focus.json")["I-1"]["labels"]) == 10
    assert "types_not_asked" not in read(folder, "release.json")["counts"]
    assert "not asked" not in (folder / "README.md").read_text()
