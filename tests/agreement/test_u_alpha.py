"""u_alpha of 2016: its known answers, a second way to it over single positions, and what it forgives."""

import json
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.spans.u_alpha import coincidences, u_alpha

CASES = json.loads((Path(__file__).parents[1] / "reference" / "unitizing_2016.json").read_text("utf-8"))[
    "cases"
]


def sums_of(texts):
    return [
        coincidences([[tuple(unit) for unit in own] for own in text["annotators"]], text["length"])
        for text in texts
    ]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_known_answers(case):
    found = u_alpha(sums_of(case["texts"]))
    if case["alpha"] is None:
        assert found.value is None and found.reason
        return
    assert found.value == pytest.approx(case["alpha"], abs=1e-12)
    assert found.observed == pytest.approx(case["observed"], abs=1e-12)
    assert found.expected == pytest.approx(case["expected"], abs=1e-12)


def position_by_position(texts):
    """Return u_alpha in exact fractions, counting every position of every ordered pair of annotators."""
    alike = {True: Fraction(0), False: Fraction(0)}
    totals = {True: Fraction(0), False: Fraction(0)}
    squares = unmarked = 0
    for annotators, length in texts:
        if len(annotators) < 2:
            continue
        marks = [[any(a <= at < b for a, b in own) for at in range(length)] for own in annotators]
        for first, second in permutations(marks, 2):
            for mine, theirs in zip(first, second, strict=True):
                totals[mine] += Fraction(1, len(annotators) - 1)
                if mine == theirs:
                    alike[mine] += Fraction(1, len(annotators) - 1)
        squares += sum((b - a) ** 2 for own in annotators for a, b in own)
        unmarked += sum(not mark for row in marks for mark in row)
    total = totals[True] + totals[False]
    if not totals[True] or not totals[False]:
        return None
    possible = total**2 - squares - unmarked
    expected = total * (totals[True] ** 2 - squares + totals[False] ** 2 - unmarked) / possible
    return 1 - (total - alike[True] - alike[False]) / (total - expected)


units = st.lists(st.integers(0, 12), max_size=4, unique=True).map(
    lambda cuts: list(zip(sorted(cuts)[::2], sorted(cuts)[1::2], strict=False))
)
texts = st.lists(st.tuples(st.lists(units, min_size=1, max_size=4), st.just(12)), min_size=1, max_size=3)


@given(texts)
def test_it_is_what_counting_single_positions_gives(drawn):
    expected = position_by_position(drawn)
    found = u_alpha([coincidences(annotators, length) for annotators, length in drawn])
    assert found.value == (None if expected is None else pytest.approx(float(expected), abs=1e-12))


def test_a_unit_in_two_halves_is_the_same_and_a_text_of_one_annotator_counts_for_nothing():
    whole = [coincidences([[(10, 30)], [(10, 30)]], 100)]
    halves = [coincidences([[(10, 30)], [(10, 20), (20, 30)]], 100)]
    assert u_alpha(whole).value == u_alpha(halves).value == 1.0
    shifted = [coincidences([[(10, 30)], [(12, 32)]], 100)]
    alone = coincidences([[(0, 50)]], 60)
    assert alone is None
    assert u_alpha([*shifted, alone]).value == u_alpha(shifted).value == pytest.approx(0.878)


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        ([], "no_items"),
        ([([[(0, 5)]], 10)], "no_pairs"),
        ([([[], []], 10)], "no_spans"),
        ([([[(0, 10)], [(0, 10)]], 10)], "no_variation"),
    ],
)
def test_it_says_why_it_is_undefined(texts, reason):
    found = u_alpha([coincidences(annotators, length) for annotators, length in texts])
    assert (found.value, found.reason) == (None, reason)


@pytest.mark.parametrize("wrong", [[[(5, 5)], []], [[(0, 11)], []], [[(0, 5), (4, 8)], []]])
def test_units_outside_the_text_or_over_each_other_are_refused(wrong):
    with pytest.raises(ValueError, match="unit"):
        coincidences(wrong, 10)
