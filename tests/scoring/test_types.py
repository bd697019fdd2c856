"""A system's types against decisions: known answers, scikit-learn's figures, intervals."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.figures.types import NONE, confusion_table, type_scores

REFERENCE = Path(__file__).parents[1] / "reference" / "scoring"
CASES = json.loads((REFERENCE / "focus_types.json").read_text("utf-8"))["cases"]
GPT4 = json.loads((REFERENCE / "focus_gpt4_1shot.json").read_text("utf-8"))
TYPES = ("OSP", "TC", "IE", "BS", "VAT", "OG", "QCE", "CF", "LE", "WE")
RATIOS = ("precision", "recall", "f1")


def near(value):
    return None if value is None else pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("scope", ["decided", "all"])
@pytest.mark.parametrize("case", [*CASES, GPT4], ids=lambda case: case["case"])
def test_the_known_answers(case, scope):
    scores = type_scores(case["decided"], case["system"], types=TYPES, scope=scope, replicates=0)
    expected = case["expected"][scope]
    for label, row in expected["labels"].items():
        score = scores.types[label]
        assert (score.tp, score.fp, score.fn) == (row["tp"], row["fp"], row["fn"]), label
        assert [getattr(score, name).value for name in RATIOS] == [near(row[name]) for name in RATIOS], label
    for ours, theirs in (("micro", "micro"), ("macro", "macro_defined"), ("macro_zero", "macro_zero")):
        found = getattr(scores, ours)
        assert [found[name].value for name in RATIOS] == [near(expected[theirs][name]) for name in RATIOS], (
            ours
        )


def test_the_papers_table_4_of_gpt_4_with_one_example():
    scores = type_scores(GPT4["decided"], GPT4["system"], types=TYPES, scope="all", replicates=0)
    printed = GPT4["printed_table_4"]
    assert len(printed) == 11
    for label, value in printed.items():
        assert round(scores.types[label].f1.value or 0.0, 3) == pytest.approx(float(value), abs=5e-4), label


decisions = st.dictionaries(st.sampled_from(TYPES[:4]), st.sampled_from([True, False, None]))
answers = st.lists(st.sampled_from(TYPES[:4]), max_size=2, unique=True)


@given(st.lists(st.tuples(decisions, answers), min_size=1, max_size=12))
def test_scope_all_is_what_scikit_learn_computes(rows):
    from sklearn.metrics import precision_recall_fscore_support
    from sklearn.preprocessing import MultiLabelBinarizer

    types = TYPES[:4]
    decided = {str(at): row for at, (row, _) in enumerate(rows)}
    system = {str(at): given for at, (_, given) in enumerate(rows)}
    binarizer = MultiLabelBinarizer(classes=[*types, NONE])
    truth = binarizer.fit_transform([[c for c in types if row.get(c)] or [NONE] for row, _ in rows])
    said = binarizer.fit_transform([given or [NONE] for _, given in rows])
    scores = type_scores(decided, system, types=types, scope="all", replicates=0)
    for average, found in (("micro", scores.micro), ("macro", scores.macro_zero)):
        theirs = precision_recall_fscore_support(truth, said, average=average, zero_division=0)[:3]
        assert [found[name].value or 0.0 for name in RATIOS] == pytest.approx(list(theirs), abs=1e-12)


def test_an_interval_holds_the_value_and_narrows_with_more_items():
    rng = np.random.default_rng(5)

    def study(n):
        decided = {str(at): {code: bool(rng.random() < 0.4) for code in TYPES} for at in range(n)}
        said = {
            item: [c for c in TYPES if row[c] and rng.random() < 0.7][:2] for item, row in decided.items()
        }
        return type_scores(decided, said, types=TYPES, scope="decided", seed=3).micro["f1"]

    small, large = study(40), study(1000)
    assert small.low < small.value < small.high and large.low < large.value < large.high
    assert large.high - large.low < (small.high - small.low) / 2


def test_the_order_of_items_changes_nothing():
    decided = {str(at): {"LE": at % 3 == 0, "WE": at % 4 == 0} for at in range(30)}
    system = {str(at): ["LE"] if at % 2 else ["WE"] for at in range(30)}
    turned = dict(reversed(decided.items()))
    first, second = (
        type_scores(items, system, types=("LE", "WE"), scope="decided", seed=3) for items in (decided, turned)
    )
    assert (first.micro, first.macro, first.types) == (second.micro, second.macro, second.types)


def test_what_was_answered_instead_of_a_missed_type_is_counted():
    decided = {"a": {"LE": True, "WE": False}, "b": {"LE": True, "WE": True}, "c": {"LE": True, "WE": False}}
    system = {"a": ["WE"], "b": ["LE"], "c": []}
    found = confusion_table(decided, system, types=("LE", "WE"))
    assert found == {"LE": {"WE": 1, "NONE": 1}, "WE": {"LE": 1}}


@pytest.mark.parametrize(
    ("system", "said"), [({"x": ["LE"]}, "no item 'x'"), ({"a": ["Strawman"]}, "a: 'Strawman' is no type")]
)
def test_unknown_items_and_types_are_refused(system, said):
    with pytest.raises(ValueError, match=said):
        type_scores({"a": {"LE": True}}, system, types=("LE",), scope="all")
