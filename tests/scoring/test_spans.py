"""A system's spans against people's: known answers, and that more references lower nothing."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.spans.similarity import unigram_jaccard
from scoring.figures.spans import Place, References, span_figures

REFERENCE = Path(__file__).parents[1] / "reference" / "scoring"
CASES = json.loads((REFERENCE / "focus_spans.json").read_text("utf-8"))["cases"]


def words(a, b):
    return unigram_jaccard(a.words, b.words).value or 0.0


def references_of(rows):
    return {
        item: {
            code: References(*(tuple(map(Place, found[name])) for name in ("gold", "disagreement")))
            for code, found in types.items()
        }
        for item, types in rows.items()
    }


def answers_of(rows):
    return {
        item: [(code, Place(span) if span else None) for code, span in said] for item, said in rows.items()
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["case"])
def test_the_known_answers(case):
    found = span_figures(references_of(case["decided_yes"]), answers_of(case["system"]), words, replicates=0)
    for name, row in case["expected"].items():
        figures = found[name]
        expected = (row["unigram_jaccard"], row["when_the_type_is_named"], row["whatever_the_type"])
        values = [None if value is None else pytest.approx(value, abs=1e-9) for value in expected]
        assert [figure.value for figure in figures.values()] == values, name
        assert (figures["mean"].n, figures["when_the_type_is_named"].n) == (row["n"], row["n_named"]), name
        assert all((figure.value is None) == bool(figure.reason) for figure in figures.values())


spans = st.lists(
    st.sampled_from(["taxes rise", "jobs", "the end of jobs", "all taxes"]), max_size=3, unique=True
)
types = st.dictionaries(
    st.sampled_from(["LE", "WE"]), st.fixed_dictionaries({"gold": spans, "disagreement": spans})
)
said = st.lists(
    st.tuples(st.sampled_from(["LE", "WE", "BS"]), st.sampled_from(["", "jobs", "taxes"])), max_size=2
)


@given(st.dictionaries(st.sampled_from("abc"), types), st.dictionaries(st.sampled_from("abc"), said))
def test_on_the_same_types_more_references_lower_no_value(decided, system):
    found = span_figures(references_of(decided), answers_of(system), words, replicates=0)
    for mean in found["gold"]:
        gold, more = found["gold"][mean], found["all_on_types_with_gold"][mean]
        assert gold.n == more.n
        assert gold.value is None or more.value >= gold.value


def test_an_interval_resamples_items_and_types_can_be_chosen():
    decided = references_of({str(at): {"LE": {"gold": ["jobs"], "disagreement": []}} for at in range(40)})
    system = answers_of({str(at): [("LE", "jobs" if at % 2 else "taxes")] for at in range(40)})
    mean = span_figures(decided, system, words, seed=2)["gold"]["mean"]
    assert mean.value == 0.5 and 0.3 < mean.low < 0.5 < mean.high < 0.7
    assert span_figures(decided, system, words, replicates=0, types=["WE"])["gold"]["mean"].n == 0
