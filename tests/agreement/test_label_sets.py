"""The set of types of a text as one label: alpha with the distances of MASI and Jaccard."""

from itertools import permutations

import krippendorff
import numpy as np
import pytest
from nltk.metrics import masi_distance

from agreement.display.cells import Notes
from agreement.display.csv_latex import figures_csv, latex_table
from agreement.display.tables import sets_table
from agreement.report.assembly import build_report
from agreement.report.unsaid import few_sets, section_unsaid
from agreement.statistics.label_sets import TOO_MANY_SETS, set_agreement, set_distances
from bench.report import judgements_make

NAMES = ("alpha_masi", "alpha_jaccard_sets")


def by_hand(answers, distance):
    """Return alpha, written out: over values of items with two or more, each pair over m - 1."""
    items = []
    for item in answers:
        whole = [rater for rater in item.T if (rater >= 0).all()]
        items.append([frozenset(np.flatnonzero(rater == 1).tolist()) for rater in whole])
    items = [values for values in items if len(values) > 1]
    n = sum(map(len, items))
    observed = sum(distance(a, b) / (len(values) - 1) for values in items for a, b in permutations(values, 2))
    every = [value for values in items for value in values]
    expected = sum(distance(a, b) for a, b in permutations(every, 2)) / (n - 1)
    return 1 - observed / expected


def test_the_worked_example_of_the_documentation():
    answers = [[[1, 1], [0, 1]], [[0, 0], [1, 1]], [[1, 0], [0, 0]]]
    found = set_agreement(answers, seed=1, replicates=0).estimates["alpha_jaccard_sets"]
    assert found.value == pytest.approx(1 - (1 / 2) / (22 / 30))


def masi(a, b):
    if not a and not b:
        return 0.0
    weight = 1 if a == b else 2 / 3 if a & b and (a <= b or b <= a) else 1 / 3 if a & b else 0
    return 1 - len(a & b) / len(a | b) * weight


def jaccard(a, b):
    return 1 - len(a & b) / len(a | b) if a | b else 0.0


def drawn(seed, n=40, types=4, raters=4, missing=0.05):
    rng = np.random.default_rng(seed)
    truth = rng.random((n, types, 1)) < 0.4
    answers = (truth ^ (rng.random((n, types, raters)) < 0.15)).astype(np.int8)
    answers[rng.random(answers.shape) < missing] = -1
    return answers


@pytest.mark.parametrize("seed", range(5))
def test_alpha_over_sets_is_what_the_definition_gives_written_out(seed):
    answers = drawn(seed)
    found = set_agreement(answers, seed=1, replicates=0)
    for name, distance in zip(NAMES, (masi, jaccard), strict=True):
        assert found.estimates[name].value == pytest.approx(by_hand(answers, distance), abs=1e-12)


def test_a_library_gives_the_same_alpha_with_these_distances():
    answers = drawn(7, missing=0)
    sets, codes = np.unique(answers.transpose(0, 2, 1).reshape(-1, 4) == 1, axis=0, return_inverse=True)
    ratings = codes.reshape(len(answers), -1).T
    distances = set_distances(sets)
    found = set_agreement(answers, seed=1, replicates=0)
    for name in NAMES:
        table = distances[name]

        def metric(v1, v2, i1, i2, n_v, dtype=np.float64, table=table):
            return table[v1.astype(int), v2.astype(int)].astype(dtype)

        library = krippendorff.alpha(reliability_data=ratings, level_of_measurement=metric)
        assert found.estimates[name].value == pytest.approx(library, abs=1e-9)


def test_the_distance_is_nltks_but_for_its_rounded_thirds():
    sets = np.array([[0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 1], [1, 0, 0]])
    table = set_distances(sets)["alpha_masi"]
    for i, a in enumerate(sets):
        for j, b in enumerate(sets):
            mine, theirs = (set(np.flatnonzero(one).tolist()) for one in (a, b))
            assert table[i, j] == pytest.approx(masi_distance(mine, theirs), abs=0.0034)


def test_two_empty_sets_are_the_same_and_an_empty_one_shares_nothing():
    for table in set_distances([[0, 0], [0, 0], [1, 0], [1, 1]]).values():
        assert table[0].tolist() == [0, 0, 1, 1]
    answers = np.zeros((3, 2, 2), dtype=int)
    answers[0] = 1
    found = set_agreement(answers, seed=1, replicates=0)
    assert [found.estimates[name].value for name in NAMES] == [1.0, 1.0]


def test_only_whole_sets_count_and_what_is_undefined_says_why():
    answers = np.array([[[1, 1], [0, -1]], [[1, 0], [1, 1]], [[-1, -1], [1, 1]]])
    found = set_agreement(answers, seed=1)
    assert (found.n_items, found.n_pairable, found.n_sets) == (2, 1, 3)
    one = found.estimates["alpha_masi"]
    assert (one.low, one.interval_reason) == (None, "single_item")
    reasons = {
        "no_items": np.full((2, 2, 2), -1),
        "no_pairs": np.array([[[1, -1], [0, -1]]]),
        "no_variation": np.ones((3, 2, 2), dtype=int),
    }
    for reason, table in reasons.items():
        assert set_agreement(table, seed=1).estimates["alpha_masi"].reason == reason


def test_the_interval_holds_the_value_and_depends_on_the_seed_alone():
    answers = drawn(3, n=60)
    found, again = (set_agreement(answers, seed=5, replicates=400) for _ in range(2))
    for name in NAMES:
        one = found.estimates[name]
        assert one == again.estimates[name]
        assert one.low < one.value < one.high
        assert 0.05 < one.high - one.low < 0.5
        # The order of items and raters is nothing.
        turned = set_agreement(answers[:, :, ::-1], seed=5, replicates=0).estimates[name]
        assert turned.value == pytest.approx(one.value)


def test_items_drawn_by_index_give_the_interval_of_items_drawn_by_kind(monkeypatch):
    answers = drawn(4, n=200)
    by_kind = set_agreement(answers, seed=5, replicates=1000)
    monkeypatch.setattr("agreement.statistics.label_sets._BY_INDEX", 0)
    by_index = set_agreement(answers, seed=5, replicates=1000)
    for name in NAMES:
        one, other = by_kind.estimates[name], by_index.estimates[name]
        assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=0.02)


def test_so_many_sets_that_their_distances_take_too_long_have_no_interval(monkeypatch):
    monkeypatch.setattr("agreement.statistics.label_sets.MOST_SETS", 3)
    one = set_agreement(drawn(1), seed=1).estimates["alpha_masi"]
    assert (one.low, one.interval_reason) == (None, TOO_MANY_SETS)


@pytest.fixture(scope="module")
def figures():
    judgements, texts = judgements_make(40)
    return build_report(
        judgements,
        {"seed": 1, "replicates": 100, "span_match": 0.5, "live": False, "encoder": None},
        texts=lambda ids: ((item, texts[item]) for item in ids),
        progress=lambda done, total: None,
    ).figures


def test_a_report_has_them_of_all_types_alone_on_its_page_and_in_its_files(figures):
    with_sets = [section for section in figures["sections"] if "sets" in section]
    assert [section["key"] for section in with_sets] == ["all"]
    sets = with_sets[0]["sets"]
    rows = sets_table(figures, Notes())
    assert [row["name"] for row in rows] == [
        "Alpha over sets of types, MASI distance",
        "Alpha over sets of types, Jaccard distance",
    ]
    assert rows[0]["counts"] == [sets[name] for name in ("n_items", "n_pairable", "n_sets")]
    lines = [line.split(",") for line in figures_csv(figures).splitlines()]
    at = {name: place for place, name in enumerate(lines[0])}
    written = {line[at["figure"]]: line for line in lines if line[at["figure"]] in NAMES}
    assert float(written["alpha_masi"][at["value"]]) == sets["alpha_masi"]["value"]
    assert written["alpha_masi"][at["n_pairable"]] == str(sets["n_pairable"])
    table = latex_table(figures, rows=["all"], columns=NAMES)
    assert f"{sets['alpha_masi']['value']:.2f}" in table
    assert "Passonneau 2006" in table


def test_what_speaks_of_few_texts_is_not_told(figures):
    sets = {"n_items": 9, "n_pairable": 3}
    assert few_sets(sets, 5)
    assert not few_sets({"n_items": 9, "n_pairable": 0}, 5)
    told = section_unsaid(next(section for section in figures["sections"] if "sets" in section))
    assert told["sets"]["alpha_masi"]["value"] is None
    assert told["sets"]["n_items"] is None
