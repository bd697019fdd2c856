"""Answers that know nothing of the text, against the figures of any system that answers so."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.figures.trivial import best_constant, none_for_all, random_answers
from scoring.figures.types import NONE, type_scores
from tests.scoring.test_types import GPT4, TYPES

FEW = TYPES[:4]
DECIDED = st.lists(st.dictionaries(st.sampled_from(FEW), st.sampled_from([True, False, None])), max_size=8)


def worth(decided, answer, types, scope):
    answers = {item: list(answer) for item in decided}
    return type_scores(decided, answers, types=types, scope=scope, replicates=0).micro["f1"].value


@pytest.mark.parametrize("scope", ["decided", "all"])
@given(rows=DECIDED)
def test_no_constant_answer_is_worth_more_than_the_row_says(scope, rows):
    decided = {str(at): row for at, row in enumerate(rows)}
    best = best_constant(decided, types=FEW, scope=scope)
    assert best.f1 == worth(decided, best.types, FEW, scope)
    assert none_for_all(decided, types=FEW, scope=scope).f1 == worth(decided, [NONE], FEW, scope)
    for n in (1, 2):
        for answer in combinations(FEW, n):
            found = worth(decided, answer, FEW, scope)
            assert found is None or found <= best.f1


def test_on_the_published_test_set_none_of_the_above_is_worth_more_than_any_two_types():
    best = best_constant(GPT4["decided"], types=TYPES, scope="all")
    assert (best.types, best.f1) == (("OSP", "BS"), pytest.approx(0.201219512, abs=1e-9))
    none = none_for_all(GPT4["decided"], types=TYPES, scope="all")
    assert (none.types, none.f1) == ((), pytest.approx(0.266081871, abs=1e-9))


def test_random_answers_are_two_types_and_the_same_for_a_seed():
    drawn = random_answers(["a", "b", "c"], types=TYPES, seed=7)
    assert drawn == random_answers(["a", "b", "c"], types=TYPES, seed=7)
    assert drawn != random_answers(["a", "b", "c"], types=TYPES, seed=8)
    assert all(len(set(row)) == 2 and set(row) <= set(TYPES) for row in drawn.values())
