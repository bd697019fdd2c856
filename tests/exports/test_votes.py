"""A release's shares of votes, its matrix of votes by annotator, and its spans for pygamma-agreement."""

import csv
import json
import re
from pathlib import Path

import pandas
import pytest

from agreement.files.ratings import read_ratings
from exports.formats.votes import share_columns
from exports.selection.parameters import Parameters
from exports.selection.selection import read_selection
from tests.factories import (
    NO,
    TYPES,
    USEFUL,
    adjudicate,
    close,
    cqs_study,
    focus_study,
    invalid,
    judge,
    judge_question,
    open_round,
    study,
    yes,
)
from tests.factories.releases import released

pytestmark = pytest.mark.django_db

DOCUMENTED = Path(__file__).parents[2] / "docs"
FIRST = "=SUM, said the mayor, is where the library lost its money"
SECOND = "The library closed. 😀 Grades fell"


def opened(annotators=3, **fields):
    """Return an open round of two texts, the first with an id that is a formula; set fields of the second."""
    made = study("focus", annotators=annotators, items=2, texts=(FIRST, SECOND))
    for item, values in zip(made.items, ({"external_id": "=1,a"}, fields), strict=True):
        for name, value in values.items():
            setattr(item, name, value)
        item.save()
    open_round(made)
    return made


def focus(**fields):
    """Return a closed round of three annotators; the third judged the first text only."""
    made = opened(**fields)
    first, second = made.items
    judge(
        made,
        first,
        {
            "LE": [yes(first, "the mayor"), yes(first, "the mayor"), NO],
            "WE": [{"cannot_judge": True, "comment": "Cut off."}, NO, None],
            "OSP": [None, None, None],
        },
    )
    judge(
        made,
        second,
        {"LE": [yes(second, "Grades fell"), NO, None]}
        | {code: [NO, NO, None] for code in ("OSP", "TC", "IE", "BS", "VAT", "OG", "QCE", "CF", "WE")},
    )
    adjudicate(made, first, "LE", False)
    close(made)
    return made


def lines(folder, name):
    return (folder / name).read_text(encoding="utf-8").splitlines()


def test_soft_labels_are_the_shares_of_the_votes_whatever_was_decided(tmp_path):
    folder = released(focus().project, tmp_path / "out")
    found = lines(folder, "soft_labels.csv")
    assert found[0] == "item,type,votes,share_yes,share_no"
    assert '"\'=1,a",LE,3,0.6666666666666666,0.3333333333333333' in found
    # Whoever cannot judge has no vote; a unit without any vote has no line.
    assert '"\'=1,a",WE,1,0.0,1.0' in found
    assert not any(line.startswith('"\'=1,a",OSP') for line in found)
    assert "I-2,LE,2,0.5,0.5" in found
    assert len(found) == 1 + 9 + 10
    table = pandas.read_csv(folder / "soft_labels.csv")
    assert (table.share_yes + table.share_no).tolist() == [1.0] * 19


def test_the_matrix_has_a_column_an_annotator_and_the_command_reads_it(tmp_path):
    folder = released(focus().project, tmp_path / "out")
    found = lines(folder, "annotator_matrix.csv")
    assert found[0] == "item,type,A2,A3,A4"
    assert '"\'=1,a",LE,yes,yes,no' in found
    assert '"\'=1,a",WE,,no,' in found
    assert "I-2,LE,yes,no," in found
    read = read_ratings(folder / "annotator_matrix.csv", strata="type")
    assert (read.annotators, read.categories) == (("A2", "A3", "A4"), ("no", "yes"))
    assert len(read.items) == 19


def test_questions_have_shares_of_three_labels_in_the_published_words(tmp_path):
    made = cqs_study(annotators=3, items=1, questions=2)
    first, second = made.items[0].questions.order_by("position")
    judge_question(made, first, [USEFUL, invalid(), USEFUL])
    judge_question(made, second, [{"cannot_judge": True, "comment": "Cut off."}, None, None])
    close(made)
    folder = released(made.project, tmp_path / "out")
    named = f"I-1,{'' if first.external_id is None else first.external_id},{first.position}"
    assert lines(folder, "soft_labels.csv") == [
        "item,question,question_position,votes,share_Useful,share_Unhelpful,share_Invalid",
        f"{named},3,0.6666666666666666,0.0,0.3333333333333333",
    ]
    assert lines(folder, "annotator_matrix.csv") == [
        "item,question,question_position,A2,A3,A4",
        f"{named},Useful,Invalid,Useful",
    ]
    assert not (folder / "gamma").exists()


def test_votes_of_a_withheld_split_and_whoever_only_judged_there_stay_inside(tmp_path):
    made = opened(annotators=2, split="test")
    first, second = made.items
    judge(made, first, {code: [NO, None] for code in TYPES} | {"LE": [yes(first, "the mayor"), None]})
    judge(made, second, {"LE": [NO, yes(second, "Grades fell")]})
    close(made)
    first.assignments.filter(member=made.annotators[1]).delete()
    folder = released(made.project, tmp_path / "out", withheld=["test"])
    assert lines(folder, "annotator_matrix.csv")[0] == "item,type,A2"
    assert "I-2" not in (folder / "annotator_matrix.csv").read_text()
    assert "I-2" not in (folder / "soft_labels.csv").read_text()
    assert lines(folder, "gamma/spans.csv") == ["A2,LE,11,20"]
    assert len(lines(folder, "gamma/texts.csv")) == 2


def test_without_judgements_there_are_no_votes_either(tmp_path):
    folder = released(focus().project, tmp_path / "out", judgements=False)
    for name in ("soft_labels.csv", "annotator_matrix.csv", "gamma"):
        assert not (folder / name).exists()


def test_croissant_describes_the_soft_labels_as_the_documentation_does(tmp_path):
    made = focus()
    folder = released(made.project, tmp_path / "out")
    described = json.loads((folder / "croissant.json").read_text())
    (soft,) = [found for found in described["recordSet"] if found["name"] == "soft_labels"]
    columns = share_columns(read_selection(made.project, Parameters()))
    assert [(field["name"], field["description"]) for field in soft["field"]] == [
        (name, text) for name, _, text in columns
    ]
    documented = (DOCUMENTED / "releases.md").read_text(encoding="utf-8")
    for name, _, _ in columns:
        assert f"`{name}`" in documented, name


def test_spans_stand_on_one_line_as_pygamma_agreement_reads_them(tmp_path):
    folder = released(focus().project, tmp_path / "out")
    rows = list(csv.reader(lines(folder, "gamma/spans.csv")))
    # No header, four cells, the texts one after the other with one code point between them.
    start = len(FIRST) + 1
    place = start + SECOND.index("Grades fell")
    assert rows == [
        ["A2", "LE", "11", "20"],
        ["A3", "LE", "11", "20"],
        ["A2", "LE", str(place), str(place + len("Grades fell"))],
    ]
    assert lines(folder, "gamma/texts.csv") == [
        "item,start,end,annotators",
        f'"\'=1,a",0,{len(FIRST)},A2 A3 A4',
        f"I-2,{start},{start + len(SECOND)},A2 A3",
    ]


def test_a_text_without_an_answer_has_no_stretch(tmp_path):
    made = focus_study(annotators=2, items=1)
    close(made)
    folder = released(made.project, tmp_path / "out", agreement=False)
    assert lines(folder, "gamma/texts.csv") == ["item,start,end,annotators"]
    assert lines(folder, "gamma/spans.csv") == []


def test_the_documented_columns_of_the_files_for_gamma_are_those_written():
    text = (DOCUMENTED / "gamma.md").read_text(encoding="utf-8")
    assert re.search(r"`annotator`, `annotation`, `segment_start`,\s+`segment_end`", text)
    for name in ("item", "start", "end", "annotators"):
        assert f"`{name}`" in text
