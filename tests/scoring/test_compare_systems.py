"""manage.py compare_systems: what is stored, and files against a release's folder."""

import json

import pytest

from tests.factories import QUESTIONS
from tests.scoring.systems import (
    RIGHT,
    WRONG,
    focus_release,
    questions,
    questions_release,
    scored,
    submitted,
)
from tests.scoring.test_score_command import refused, run, whole, write

pytestmark = pytest.mark.django_db


def told(*words):
    return json.loads(run("compare_systems", *words, json=True)[0])


def test_stored_systems_and_their_files_compare_alike(tmp_path):
    made, release = focus_release()
    for file, name in ((RIGHT, "Parrot"), (WRONG, "Crow")):
        scored(submitted(made, release, file, name=name), replicates=1000)
    stored = told("talk", "1.0", "Parrot", "Crow")
    right, wrong = (write(tmp_path, f"{name}.json", file) for file, name in ((RIGHT, "p"), (WRONG, "c")))
    of_files = told("--release", str(whole(tmp_path)), f"Parrot={right}", f"Crow={wrong}")
    (pair,) = stored["pairs"]
    assert (pair["first"], pair["second"], pair["value"], pair["n"]) == ("Parrot", "Crow", 0.5, 2)
    assert of_files["pairs"] == stored["pairs"]
    assert [row["system"] for row in stored["systems"]] == ["Parrot", "Crow"]
    for kept, found in zip(stored["systems"], of_files["systems"], strict=True):
        assert {**found, "evaluation": kept["evaluation"]} == kept
    assert {row["name"] for row in of_files["trivial"]} == {
        "none_of_the_above",
        "best_constant",
        "random_types",
    }
    text, _ = run("compare_systems", "talk", "1.0", "Parrot", "Crow")
    assert "Parrot - Crow: 0.5000" in text and "not told apart" in text


def test_runs_of_a_system_are_taken_together_and_methods_beside_each_other(tmp_path):
    questions_release()
    folder = str(whole(tmp_path))
    one, two, three = (
        write(tmp_path, f"{at}.json", questions(*asked))
        for at, asked in enumerate((QUESTIONS[:1], ["Why?"], ["Why?", QUESTIONS[1]]))
    )
    found = told("--release", folder, f"A={one},{two}", three, "--method", "exact", "--method", "chrf:99")
    # The first run of A has one useful question of three about one of two items.
    assert [row["value"] for row in found["systems"]] == pytest.approx([1 / 12, 0.0])
    (pair,) = found["methods"]
    assert (pair["first"], pair["second"]) == ("chrf:99", "exact")
    assert pair["with_nae"] == {"value": 1.0, "n": 4, "reason": None}
    assert [row["system"] for row in found["diversity"]["rows"]] == ["A", three]


def test_what_cannot_be_compared_is_said(tmp_path):
    made, release = focus_release()
    scored(submitted(made, release, RIGHT))
    assert refused("compare_systems", "talk", "1.0", "Parrot", code=1) == "Name 2 to 10 systems: there is 1."
    why = refused("compare_systems", "talk", "1.0", "Parrot", "Crow", code=1)
    assert why.startswith("Crow: has no evaluation of this kind for talk 1.0; there are those of Parrot.")
    folder, right = str(whole(tmp_path)), write(tmp_path, "p.json", RIGHT)
    assert "stands twice" in refused("compare_systems", "--release", folder, right, right, code=1)
    wrong = write(tmp_path, "w.json", {"X": {}})
    (fault,) = refused("compare_systems", "--release", folder, right, wrong)
    assert fault.startswith("w.json: X: there is no such item")
