"""BERTScore from token vectors whose cosines are known by hand."""

import numpy as np
import pytest

from agreement.spans.bertscore import BertScore, Embedded, bertscore, pair_scores

EAST, NORTH, BETWEEN = [1.0, 0.0], [0.0, 1.0], [0.6, 0.8]


def embedded(*vectors, markers=0):
    counted = np.array([False] * markers + [True] * (len(vectors) - markers))
    return Embedded(np.array(vectors, dtype=np.float32).reshape(-1, 2), counted)


def test_precision_is_of_the_candidate_and_recall_of_the_reference():
    score = bertscore(embedded(EAST, NORTH), embedded(BETWEEN))
    assert score.precision == pytest.approx((0.6 + 0.8) / 2)
    assert score.recall == pytest.approx(0.8)
    assert score.f1 == pytest.approx(2 * 0.7 * 0.8 / 1.5)


def test_swapping_the_texts_swaps_precision_and_recall_and_keeps_f1():
    one, other = embedded(EAST, NORTH), embedded(BETWEEN)
    forth, back = bertscore(one, other), bertscore(other, one)
    assert (back.precision, back.recall, back.f1) == pytest.approx((forth.recall, forth.precision, forth.f1))


def test_each_token_takes_its_best_match_even_if_another_took_it():
    assert bertscore(embedded(EAST, EAST), embedded(EAST, NORTH)) == BertScore(1.0, 0.5, 2 / 3)


def test_markers_count_in_no_mean_but_can_be_the_best_match():
    with_marker = embedded(NORTH, EAST, markers=1)
    assert bertscore(with_marker, embedded(BETWEEN)).precision == pytest.approx(0.6)
    assert bertscore(embedded(NORTH), with_marker).precision == pytest.approx(1.0)
    assert bertscore(embedded(BETWEEN), with_marker).recall == pytest.approx(0.6)


def test_a_text_without_tokens_has_no_score():
    only_markers = embedded(NORTH, markers=1)
    assert bertscore(only_markers, embedded(EAST)) is None
    assert bertscore(embedded(EAST), only_markers) is None


def test_texts_that_point_apart_have_an_f1_of_zero_not_a_division_by_zero():
    assert bertscore(embedded(EAST), embedded([-1.0, 0.0])).f1 == 0.0


def test_the_pairs_of_a_group_come_in_order_with_themselves_and_different_texts_are_encoded_once_a_batch():
    vectors = {"e": embedded(EAST), "n": embedded(NORTH), "b": embedded(BETWEEN)}
    asked = []

    def embed(texts):
        asked.append(list(texts))
        return [vectors[text] for text in texts]

    groups = [["e", "n", "b"], ["e"], ["b", "b"], ["n", "e"]]
    found = [[score.f1 for score in scores] for scores in pair_scores(groups, embed, batch=3)]
    assert [pytest.approx(scores) for scores in found] == [[1, 0, 0.6, 1, 0.8, 1], [], [1, 1, 1], [1, 0, 1]]
    assert asked == [["e", "n", "b"], ["b", "n", "e"]]


def test_no_group_with_a_pair_needs_no_encoder():
    def embed(texts):
        raise AssertionError("asked to encode")

    assert list(pair_scores([["e"], []], embed)) == [[], []]
