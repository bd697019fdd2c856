"""The TypedDicts of a release are what its row and its release.json hold: no key more, no key fewer."""

import json

import pytest

from exports.documentation.contents import Manifest, StoredFile
from exports.releases.storage import write_release
from tests.declared import drift
from tests.exports.test_stranger import judged
from tests.factories import USEFUL, close, cqs_study, judge_question
from tests.factories.releases import contents, release

pytestmark = pytest.mark.django_db


def declared(row, folder) -> dict:
    """Check the row of a release and its manifest, and return the manifest."""
    assert row.files and [found for file in row.files for found in drift(file, StoredFile)] == []
    write_release(row, folder)
    told = json.loads(contents(folder)["release.json"])
    assert drift(told, Manifest) == []
    return told


def test_a_release_of_types_with_splits(tmp_path):
    told = declared(release(judged().project, withheld=["test"], refined_questions=True), tmp_path / "out")
    assert told["types"][0]["code"] == "OSP" and told["labels_by_split"] and told["refinements"] == []


def test_a_release_of_questions(tmp_path):
    made = cqs_study()
    judge_question(made, made.items[0].questions.first(), [USEFUL] * 3)
    close(made)
    told = declared(release(made.project), tmp_path / "out")
    assert "types" not in told and told["rounds"][0]["annotators_an_item"] == {
        "median": 3.0,
        "items": {"3": 1},
    }
