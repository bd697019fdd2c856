"""manage.py agreement: the interface that other programs rely on, and the table for people."""

import csv
import json
import re
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.agreement.tables import known_answer, known_answers

ROOT = Path(__file__).resolve().parent.parent.parent
NAMES = {
    "observed_agreement": "percent_agreement",
    "fleiss_kappa": "fleiss_kappa",
    "pabak": "brennan_prediger",
    "gwet_ac1": "gwet_ac1",
    "krippendorff_alpha": "krippendorff_alpha",
}


@pytest.fixture
def rating_file(tmp_path):
    def rating_file(case):
        path = tmp_path / f"{case['id']}.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            # A table without items still has annotators.
            writer.writerow(["item", *(f"A{number + 1}" for number in range(case["n_raters"] or 2))])
            for number, row in enumerate(case["ratings"]):
                writer.writerow([f"i{number}", *("" if label is None else label for label in row)])
        return path

    return rating_file


def run(path, *arguments):
    out, err = StringIO(), StringIO()
    call_command("agreement", str(path), *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def run_json(path, *arguments):
    return json.loads(run(path, "--json", *arguments)[0])


@pytest.mark.parametrize("case", known_answers(), ids=lambda case: case["id"])
def test_json_has_the_exact_value_or_the_reason_of_every_reference_table(case, rating_file):
    declared = ",".join(map(str, case["categories"]))
    answer = run_json(rating_file(case), "--categories", declared, "--replicates", "50")
    assert answer["n_items"] == case["n_items_rated"]
    assert answer["n_pairable"] == case["n_items_pairable"]
    assert answer["n_raters"] == (case["n_raters"] or 2)
    assert answer["categories"] == [str(category) for category in case["categories"]]
    coefficients = answer["coefficients"]
    assert set(coefficients) == {*NAMES, "cohen_kappa"}
    kappa = "cohen_kappa" if "cohen_kappa" in case["values"] else "light_kappa"
    for name, reference in (NAMES | {"cohen_kappa": kappa}).items():
        if reference not in case["values"]:
            continue
        figure, expected = coefficients[name], case["values"][reference]
        assert {"value", "low", "high", "reason"} <= set(figure)
        if expected is None:
            assert figure["value"] is figure["low"] is figure["high"] is None
            assert figure["reason"] == case["undefined"][reference]["code"]
        else:
            assert figure["value"] == pytest.approx(expected, abs=1e-11)
            assert figure["reason"] is None
            assert figure["low"] is None or figure["low"] - 1e-9 <= figure["value"] <= figure["high"] + 1e-9


def test_cohens_kappa_lists_every_pair_beside_its_mean(rating_file):
    answer = run_json(rating_file(known_answer("pair_undefined")), "--categories", "yes,no")
    pairs = answer["coefficients"]["cohen_kappa"]["pairs"]
    found = [(pair["annotators"], pair["value"], pair["reason"], pair["n_common"]) for pair in pairs]
    assert found == [
        (["A1", "A2"], None, "no_variation", 20),
        (["A1", "A3"], 0.0, None, 20),
        (["A2", "A3"], 0.0, None, 20),
    ]
    assert answer["coefficients"]["cohen_kappa"]["value"] == 0.0
    assert answer["details"]["pairs_undefined"] == {"no_variation": 1}


def test_pairs_without_common_items_are_listed_and_left_out_of_the_mean(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("id,A,B,C\n1,x,x,\n2,y,y,\n3,x,y,\n4,,,x\n", encoding="utf-8")
    kappa = run_json(path)["coefficients"]["cohen_kappa"]
    found = {
        tuple(pair["annotators"]): (pair["value"], pair["reason"], pair["n_common"])
        for pair in kappa["pairs"]
    }
    assert found[("A", "B")] == (pytest.approx(0.4), None, 3)
    assert found[("A", "C")] == found[("B", "C")] == (None, "no_pairs", 0)
    assert kappa["value"] == pytest.approx(0.4)


def test_one_annotator_alone_has_no_pairs(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("id,A\n1,x\n2,y\n", encoding="utf-8")
    answer = run_json(path)
    assert (answer["n_items"], answer["n_pairable"], answer["n_raters"]) == (2, 0, 1)
    assert {figure["reason"] for figure in answer["coefficients"].values()} == {"no_pairs"}
    assert answer["coefficients"]["cohen_kappa"]["pairs"] == []


def test_categories_are_inferred_and_sorted_only_when_none_are_declared(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("id,A,B\n1,b,b\n2,a,b\n3,a,a\n", encoding="utf-8")
    inferred, declared = run_json(path), run_json(path, "--categories", "c,b,a,d")
    assert inferred["categories"] == ["a", "b"]
    assert declared["categories"] == ["c", "b", "a", "d"]
    assert inferred["coefficients"]["pabak"]["value"] == pytest.approx(1 / 3)
    assert declared["coefficients"]["pabak"]["value"] == pytest.approx((2 / 3 - 1 / 4) / (3 / 4))


def test_labels_nan_and_na_and_case_are_labels(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("id,A,B\n1,nan,nan\n2,NA,NA\n3,na,NA\n", encoding="utf-8")
    out, err = run(path, "--json")
    answer = json.loads(out)
    assert answer["categories"] == ["NA", "na", "nan"]
    assert answer["coefficients"]["observed_agreement"]["value"] == pytest.approx(2 / 3)
    notes = err.splitlines()
    assert notes[0] == "Note: 'NA', 'na' look alike and are counted as different labels."
    assert [note.partition(". Where")[0] for note in notes[1:]] == [
        "Note: 'NA' (3 cells) is counted as a label",
        "Note: 'na' (1 cell) is counted as a label",
        "Note: 'nan' (2 cells) is counted as a label",
    ]
    assert notes[1].endswith("leave the cell empty or say --missing=NA.")


def test_named_marks_are_missing_ratings_and_declared_ones_are_labels_without_a_note(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("id,A,B\n1,yes,yes\n2,-,yes\n3,?,no\n", encoding="utf-8")
    out, err = run(path, "--json", "--missing", "?", "--missing=-")
    assert (json.loads(out)["categories"], json.loads(out)["n_pairable"], err) == (["no", "yes"], 1, "")
    assert run(path, "--json", "--categories", "yes,no,-,?")[1] == ""


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (
            "id,A,A\u00a0\n1,x,x\n",
            "row 1, column 3: the annotator 'A\\xa0' looks exactly like 'A'",
        ),
        ("id,A,B\na1,x,x\na1 ,x,x\n", "row 3, column 1: the item 'a1 ' looks exactly like 'a1' in row 2"),
    ],
)
def test_names_that_cannot_be_told_apart_are_refused_with_their_place(tmp_path, content, told):
    path = tmp_path / "r.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(CommandError, match=re.escape(told)):
        run(path)


def test_annotators_and_items_that_differ_in_case_are_noted(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("id,Mona,mona\na1,x,x\nA1,x,y\n", encoding="utf-8")
    assert run(path, "--json")[1].splitlines() == [
        "Note: 'Mona', 'mona' look alike and are counted as different annotators.",
        "Note: 'a1', 'A1' look alike and are counted as different items.",
    ]


def test_the_seed_and_the_number_of_resamples_decide_the_interval(rating_file):
    path = rating_file(known_answer("gwet_raw4raters"))
    first, again, other = (run(path, "--json", "--seed", seed)[0] for seed in ("1", "1", "2"))
    assert first == again != other
    assert json.loads(first)["details"]["replicates"] == 1000
    none = run_json(path, "--replicates", "0")["coefficients"]["gwet_ac1"]
    assert (none["low"], none["high"]) == (None, None)
    assert none["value"] == pytest.approx(0.775444068126995, abs=1e-11)


def test_pairs_with_few_common_items_can_be_left_out(rating_file):
    answer = run_json(rating_file(known_answer("gwet_raw4raters")), "--min-common", "10")
    kappa = answer["coefficients"]["cohen_kappa"]
    assert [pair["annotators"] for pair in kappa["pairs"]] == [["A2", "A4"], ["A3", "A4"]]
    assert answer["details"]["pairs_undefined"] == {"too_few_common_items": 4}


def test_the_table_for_people_is_aligned_and_explains_itself(rating_file):
    out, _ = run(rating_file(known_answer("pair_undefined")), "--categories", "yes,no", "--replicates", "0")
    assert (
        out
        == """\
20 items with a rating (n), 20 with two or more (n'), 60 ratings compared (N)
3 annotators; 2 categories: yes, no

Coefficient                                 Value  95% interval     SE
Observed agreement (p_a, mean over items)   0.900             –  0.055  [1]
FOCUS score (1 / 0.5 / 0)                   0.925             –      –  [1]
Cohen's kappa (mean over pairs)             0.000             –      –  [1]
Conger's kappa                              0.000             –      –  [1]
Fleiss' kappa                              -0.053             –  0.030  [1]
PABAK (Brennan-Prediger)                    0.800             –  0.109  [1]
Gwet's AC1                                  0.890             –  0.066  [1]
Krippendorff's alpha (nominal)             -0.035             –  0.030  [1]

Pair     Cohen  95% interval    p_o  Items
A1 – A2      –             –  1.000     20  [2]
A1 – A3  0.000             –  0.850     20  [1]
A2 – A3  0.000             –  0.850     20  [1]
Pairs left out of the mean of Cohen's kappas: 1 (everyone used one and the same category, so chance \
agreement is 1 (0/0)).

[1] no interval: not asked for
[2] undefined: everyone used one and the same category, so chance agreement is 1 (0/0)

Fleiss' kappa (-0.05) is far below AC1 (0.89) and PABAK (0.80) although the annotators agree in 90% of the \
comparisons: 95% of the ratings are “no”, so kappa expects most of that agreement by chance and a few \
disagreements cost it much.
"""
    )


@pytest.mark.parametrize(
    ("content", "arguments", "message"),
    [
        (None, (), "cannot be read (No such file or directory)"),
        ("id,A,B\n1,x,y\n1,x,x\n", (), "row 3, column 1: the item '1' is already in row 2"),
        ("id,A,B\n1,x,y\n", ("--categories", "x,z"), "row 2, column 3 ('B'): the label 'y' is not one of"),
        ("id,A,B\n1,x,y\n", ("--categories", "x,x"), "The category 'x' is declared twice"),
        ("id,A,B\n1,x,y\n", ("--replicates", "-1"), "'-1' is not a whole number"),
        ("id,A,B\n1,x,y\n", ("--min-common", "0"), "must be 1 or more"),
    ],
)
def test_errors_name_their_place(tmp_path, content, arguments, message):
    path = tmp_path / "r.csv"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(CommandError) as error:
        run(path, *arguments)
    assert message in str(error.value)


def test_the_command_line_needs_no_database_and_exits_with_1_on_a_bad_file(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("id,A,B\n1,x,x\n2,x,y\n", encoding="utf-8")
    code = (
        "import sys, django.db.backends.base.base as base\n"
        "def refuse(self): raise SystemExit('a database connection was opened')\n"
        "base.BaseDatabaseWrapper.connect = refuse\n"
        "from django.core.management import execute_from_command_line\n"
        "execute_from_command_line(['manage.py', 'agreement', *sys.argv[1:]])\n"
    )
    good = subprocess.run(
        [sys.executable, "-c", code, str(path), "--json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert good.returncode == 0, good.stderr
    assert json.loads(good.stdout)["coefficients"]["observed_agreement"]["value"] == 0.5
    bad = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "none.csv")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert bad.returncode == 1
    assert bad.stdout == ""
    assert "none.csv: cannot be read" in bad.stderr
