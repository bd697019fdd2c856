"""Rounds and annotators that are asked some types: reports are about these, and nothing else is missing."""

import numpy as np
import pytest

from agreement.computation.compute import report_compute
from agreement.computation.requests import report_request
from agreement.report.comparison import round_before, round_change
from agreement.report.label_figures import table_figures
from agreement.report.loading import read_judgements
from agreement.report.parameters import clean_parameters
from annotation.models import Assignment, Round
from tests.factories.stored import (
    close_stored,
    store_answers,
    store_items,
    store_members,
    store_project,
    store_round,
)

pytestmark = [pytest.mark.django_db, pytest.mark.database]

TEXT = "Everyone knows that buses are late."
PARAMETERS = {**clean_parameters({}), "replicates": 100, "live": False}


@pytest.fixture
def study():
    project = store_project()
    items = store_items(project, {f"i{number}": TEXT for number in range(6)})
    return project, list(items.values()), list(store_members(project, ["A1", "A2", "A3"]).values())


def judged(study, answers: dict[str, list[str]], **fields) -> Round:
    """Shut a round with a string of y, n and - (not asked) for each type and annotator."""
    project, items, members = study
    round = store_round(project, items, **fields)
    for place, member in enumerate(members):
        for number, item in enumerate(items):
            given = {code: rows[place][number] for code, rows in answers.items()}
            asked = {code: answer == "y" for code, answer in given.items() if answer != "-"}
            if asked:
                store_answers(round, item, member, {c: (0, 8) if yes else False for c, yes in asked.items()})
    return close_stored(round)


def codes(judgements) -> list[str]:
    return [kind.code for kind in judgements.types]


def test_a_report_lists_the_types_that_its_round_asked_and_no_other(study):
    round = judged(study, {"LE": ["yynnyn", "yynnnn", "ynnnyy"]}, types="LE")
    assert codes(read_judgements(round)) == ["LE"]
    report = report_request(round=round, parameters={"replicates": 100})
    assert report_compute(report_id=report.pk)
    report.refresh_from_db()
    assert [section["key"] for section in report.figures["sections"]] == ["type:LE", "all"]
    assert (report.figures["n_judgements"], report.figures["n_items"]) == (18, 6)


def test_whoever_was_not_asked_a_type_of_a_text_is_missing_there_and_moves_no_coefficient(study):
    """A3 takes over LE of three texts from A1: each text still has two judgements of LE."""
    shared = {"LE": ["yyn---", "yynnny", "---nyy"], "WE": ["yynnyn", "yynnny", "------"]}
    whole = {"LE": ["yynnyy", "yynnny", "------"], "WE": shared["WE"]}
    round, other = judged(study, shared), judged(study, whole)
    read, plain = read_judgements(round), read_judgements(other)
    found, expected = (
        table_figures(
            judgements.ratings(codes(judgements).index("LE")),
            key="type:LE",
            categories=("no", "yes"),
            parameters=PARAMETERS,
        )
        for judgements in (read, plain)
    )
    assert found["n_pairable"] == expected["n_pairable"] == 6
    for name in ("observed_agreement", "pabak", "gwet_ac1", "krippendorff_alpha"):
        assert found["estimates"][name]["value"] == pytest.approx(expected["estimates"][name]["value"])
    assert read.ratings(codes(read).index("LE"))[:, 2].tolist() == [-1, -1, -1, 0, 1, 1]


def test_the_change_compares_only_the_types_that_both_rounds_asked(study):
    before = judged(study, {"LE": ["yynnyn", "nnnnyy", "ynnnyy"], "WE": ["ynynyn", "nynyny", "nnnnyy"]})
    after = judged(study, {"LE": ["yynnyn", "yynnyn", "yynnyn"]}, types="LE")
    change = round_change(read_judgements(before), read_judgements(after), PARAMETERS)
    assert set(change) == {"type:LE", "all"}
    # All types are here LE alone, so that WE of the earlier round moves nothing.
    moved = [change[key]["differences"]["krippendorff_alpha"]["value"] for key in ("type:LE", "all")]
    assert moved[0] == pytest.approx(moved[1]) and moved[0] > 0
    assert change["all"]["n_both"] == 6


def test_types_taken_out_keep_their_judgements_in_place(study):
    read = read_judgements(judged(study, {"LE": ["yynnyn", "nnnnyy", "ynnnyy"], "WE": ["y-----"] * 3}))
    only = read.of_types(["WE", "LE"])
    assert codes(only) == [code for code in codes(read) if code in ("LE", "WE")]
    for place, code in enumerate(codes(only)):
        np.testing.assert_array_equal(only.ratings(place), read.ratings(codes(read).index(code)))
    assert len(only.unit_item) == 12


def test_a_round_is_compared_with_the_last_one_that_shares_a_type(study):
    first = judged(study, {"LE": ["yynnyn"] * 3, "WE": ["ynynyn"] * 3})
    second = judged(study, {"LE": ["yynnyn"] * 3}, types="LE")
    third = judged(study, {"WE": ["yynnyn"] * 3}, types="WE")
    assert (round_before(first), round_before(second), round_before(third)) == (None, first, first)
    report = report_request(round=third, parameters={"replicates": 100})
    assert report_compute(report_id=report.pk)
    report.refresh_from_db()
    assert (report.change["round"], report.change["types"]) == (1, ["WE"])


def test_handing_types_on_leaves_the_figures_of_what_is_judged(study):
    round = judged(study, {"LE": ["yynnyn", "nnnnyy", "ynnnyy"]})
    digest = read_judgements(round).digest()
    Assignment.objects.filter(round=round).update(types="LE")
    assert read_judgements(round).digest() == digest
