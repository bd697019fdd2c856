import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.spans.unitizing import (
    Alpha,
    Disagreement,
    alpha,
    position_disagreement,
    unitizing_disagreement,
)

CASES = json.loads(
    (Path(__file__).parent.parent / "reference" / "unitizing.json").read_text(encoding="utf-8")
)["cases"]
case_names = {"ids": lambda case: case["id"]}


def units_of(case, category=None):
    """Return, per annotator, the (start, end, category) of a case from the begin of its continuum."""
    units = [[] for _ in range(case["raters"])]
    for unit in case["units"]:
        if category in (None, unit["category"]):
            start = unit["start"] - case["begin"]
            units[unit["rater"]].append((start, start + unit["length"], unit["category"]))
    return units


def unlabelled(units):
    return [[unit[:2] for unit in own] for own in units]


def categories_of(case):
    return case["categories"] or ["t"]


@pytest.mark.parametrize("case", CASES, **case_names)
def test_alpha_u_of_each_category_has_the_reference_disagreements(case):
    for category in categories_of(case):
        found = unitizing_disagreement(unlabelled(units_of(case, category)), case["length"])
        assert found.observed == pytest.approx(case["values"][f"{category}.Do"], rel=1e-12)
        assert found.expected == pytest.approx(case["values"][f"{category}.De"], rel=1e-12)
        expected = case["values"][f"{category}.alpha"]
        assert alpha([found]).value == (None if expected is None else pytest.approx(expected, abs=1e-12))


@pytest.mark.parametrize("case", CASES, **case_names)
def test_alpha_u_adds_up_the_disagreements_of_the_categories(case):
    found = alpha(
        unitizing_disagreement(unlabelled(units_of(case, category)), case["length"])
        for category in categories_of(case)
    )
    expected = case["values"]["alpha_u"]
    assert found.value == (None if expected is None else pytest.approx(expected, abs=1e-12))
    if expected is not None:
        assert found.value == pytest.approx(case["dkpro_java_alpha_u"], abs=1e-12)


@pytest.mark.parametrize("case", [case for case in CASES if case.get("published")], **case_names)
def test_alpha_u_prints_what_krippendorff_published(case):
    found = {
        category: unitizing_disagreement(unlabelled(units_of(case, category)), case["length"])
        for category in categories_of(case)
    }
    for name, published in case["published"].items():
        category, _, quantity = name.rpartition(".")
        value = {
            "Do": lambda part: part.observed,
            "De": lambda part: part.expected,
            "alpha": lambda part: alpha([part]).value,
            "alpha_u": lambda _: alpha(found.values()).value,
        }[quantity](found.get(category))
        assert value == pytest.approx(published["value"], abs=published["tolerance"])


@pytest.mark.parametrize("case", [case for case in CASES if "no_position" not in case], **case_names)
def test_binary_position_alpha_has_the_reference_value(case):
    for category in categories_of(case):
        found = alpha([position_disagreement(units_of(case, category), case["length"])])
        expected = case["values"][f"{category}.position_binary_alpha"]
        assert found.value == (None if expected is None else pytest.approx(expected, abs=1e-12))


@pytest.mark.parametrize(
    "case", [case for case in CASES if "position_nominal_alpha" in case["values"]], **case_names
)
def test_nominal_position_alpha_has_the_reference_value(case):
    found = alpha([position_disagreement(units_of(case), case["length"])])
    expected = case["values"]["position_nominal_alpha"]
    assert found.value == (None if expected is None else pytest.approx(expected, abs=1e-12))


def test_when_one_of_two_annotators_marks_nothing_alpha_u_is_negative():
    assert alpha([unitizing_disagreement([[(10, 30)], []], 100)]).value == pytest.approx(-0.49, abs=0.01)


def test_a_split_span_costs_alpha_u_much_and_position_alpha_little():
    split, whole = [(10, 19), (20, 30)], [(10, 30)]
    by_position = position_disagreement(
        [[(*unit, "t") for unit in split], [(*unit, "t") for unit in whole]], 100
    )
    assert alpha([unitizing_disagreement([split, whole], 100)]).value == pytest.approx(0.425, abs=0.03)
    assert alpha([by_position]).value == pytest.approx(0.968, abs=0.001)


@pytest.mark.parametrize("disagreement", [unitizing_disagreement, position_disagreement])
def test_fewer_than_two_annotators_or_no_span_at_all_leaves_alpha_undefined(disagreement):
    assert disagreement([], 10) == Disagreement(0, 0, "no_pairs")
    assert (
        disagreement([[(0, 3, "t")[: 2 if disagreement is unitizing_disagreement else 3]]], 10).reason
        == "no_pairs"
    )
    assert disagreement([[], []], 10) == Disagreement(0, 0, "no_spans")
    assert alpha([disagreement([[], []], 10)]) == Alpha(None, 0, 0, "no_spans")


def test_everything_marked_by_everyone_has_no_variation():
    assert position_disagreement([[(0, 9, "t")]] * 2, 9) == Disagreement(0, 0, "no_variation")
    assert unitizing_disagreement([[(0, 1)]] * 2, 1) == Disagreement(0, 0, "no_variation")


def test_alpha_over_texts_says_the_most_specific_reason():
    nobody, one, everything = (
        Disagreement(0, 0, reason) for reason in ("no_spans", "no_pairs", "no_variation")
    )
    assert alpha([]).reason == "no_items"
    assert alpha([one]).reason == "no_pairs"
    assert alpha([one, nobody]).reason == "no_spans"
    assert alpha([nobody, everything, one]).reason == "no_variation"


def test_texts_add_up_their_disagreements_with_equal_weight():
    short = unitizing_disagreement([[(0, 5)], [(1, 5)]], 20)
    long = unitizing_disagreement([[(10, 90)], [(100, 140)]], 400)
    together = alpha([short, long])
    assert together.value == 1 - (short.observed + long.observed) / (short.expected + long.expected)


def test_a_text_in_which_nobody_marks_anything_changes_nothing():
    marked = position_disagreement([[(0, 5, "t")], [(1, 5, "t")]], 20)
    assert alpha([marked, position_disagreement([[], []], 1000)]) == alpha([marked])


def test_chance_agreement_is_taken_within_each_text_and_not_across_texts():
    # Both mark nearly all of one text and nearly nothing of the other, never the same positions. Within each
    # text that is no agreement at all; positions pooled over both texts would agree at 0.96.
    full = [[(0, 99, "t")], [(1, 100, "t")]]
    bare = [[(0, 1, "t")], [(99, 100, "t")]]
    separate = alpha([position_disagreement(full, 100), position_disagreement(bare, 100)])
    joined = [
        [*units, *((start + 100, end + 100, "t") for start, end, _ in others)]
        for units, others in zip(full, bare, strict=True)
    ]
    assert separate.value == pytest.approx(-0.005, abs=1e-3)
    assert alpha([position_disagreement(joined, 200)]).value == pytest.approx(0.96, abs=1e-3)


@pytest.mark.parametrize(
    ("annotators", "message"),
    [
        ([[(0, 11)], []], "not inside a text of 10 positions"),
        ([[(3, 3)], []], "not inside"),
        ([[(0, 5), (4, 6)], []], "overlaps another unit of the same annotator"),
    ],
)
def test_units_that_cannot_be_are_refused(annotators, message):
    with pytest.raises(ValueError, match=message):
        unitizing_disagreement(annotators, 10)


def test_a_position_with_two_labels_is_refused():
    with pytest.raises(ValueError, match="second label"):
        position_disagreement([[(0, 5, "a"), (4, 6, "b")], []], 10)


@st.composite
def marked_text(draw):
    length = draw(st.integers(2, 25))
    annotators = []
    for _ in range(draw(st.integers(2, 4))):
        bounds = sorted(draw(st.sets(st.integers(0, length), max_size=6)))
        bounds = bounds[: len(bounds) // 2 * 2]
        annotators.append(list(zip(bounds[::2], bounds[1::2], strict=True)))
    return annotators, length


@given(marked_text())
def test_position_disagreement_is_that_of_the_definition_over_single_positions(case):
    annotators, length = case
    marked = [
        [any(start <= at < end for start, end in units) for units in annotators] for at in range(length)
    ]
    values = [value for position in marked for value in position]
    pairs_within = [(a, b) for position in marked for i, a in enumerate(position) for b in position[i + 1 :]]
    pairs_anywhere = [(a, b) for i, a in enumerate(values) for b in values[i + 1 :]]
    observed = Fraction(sum(a != b for a, b in pairs_within), len(pairs_within))
    expected = Fraction(sum(a != b for a, b in pairs_anywhere), len(pairs_anywhere))
    found = position_disagreement([[(*unit, "t") for unit in units] for units in annotators], length)
    assert found.observed == pytest.approx(float(observed), abs=1e-15)
    assert found.expected == pytest.approx(float(expected), abs=1e-15)


@given(marked_text(), st.randoms())
def test_the_order_of_annotators_and_units_changes_nothing(case, random):
    annotators, length = case
    shuffled = [random.sample(units, len(units)) for units in random.sample(annotators, len(annotators))]
    assert unitizing_disagreement(shuffled, length) == unitizing_disagreement(annotators, length)


@given(marked_text())
def test_identical_units_have_alpha_one_or_none(case):
    annotators, length = case
    same = [annotators[0]] * 3
    assert alpha([unitizing_disagreement(same, length)]).value in (1.0, None)
