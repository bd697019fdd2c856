"""Near repeats: the same chrF as sacreBLEU's, extracted once, and the groups that follow from it."""

from random import Random

import numpy as np
import pytest
from sacrebleu.metrics.chrf import CHRF

from assist.candidates import proposals
from assist.candidates.near_repeats import Grams, chrf_score, near_groups
from assist.models import ProposedQuestion

WORDS = (
    "who",
    "what",
    "says",
    "shows",
    "that",
    "the",
    "tax",
    "cause",
    "of",
    "jobs",
    "fell",
    "because",
    "there",
)
TEXTS = (
    "Who says that the tax is the cause?",
    "Who says that the tax was the cause?",
    "who   says, that the tax is the cause",
    "Is there another cause of the jobs?",
    "aaaa aaaa aaaaaa",
    "aaa",
    "税金が原因だと誰が言うのか？",
    "税金が原因だと誰が言ったのか？",
    "?",
    "",
)


def test_the_scores_are_those_of_sacrebleu_for_all_pairs_and_both_directions():
    metric, grams = CHRF(), [Grams(text) for text in TEXTS]
    found = [[chrf_score(one, other) for other in grams] for one in grams]
    expected = [[metric.sentence_score(one, [other]).score for other in TEXTS] for one in TEXTS]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
    assert found[0][1] == pytest.approx(83.156, abs=0.001)
    assert found[0][3] < 40
    assert found[4][5] != pytest.approx(found[5][4])


def test_each_stands_with_the_first_group_that_has_a_near_repeat_of_it():
    assert near_groups(TEXTS) == [[0, 1, 2], [3], [4], [5], [6], [7], [8, 9]]
    assert near_groups([]) == []


def test_what_is_looked_at_first_parts_no_pair_that_chrf_puts_together():
    random = Random(5)
    texts = [" ".join(random.choices(WORDS, k=8)) for _ in range(12)]
    texts += [f"{text} {word}" for text in texts for word in WORDS[:4]]
    metric = CHRF()
    groups: list[list[int]] = []
    for place, one in enumerate(texts):
        near = (g for g in groups if any(metric.sentence_score(one, [texts[o]]).score > 80 for o in g))
        group = next(near, None)
        if group is None:
            groups.append([place])
        else:
            group.append(place)
    assert near_groups(texts) == groups
    assert len(groups) < len(texts)


def test_what_was_grouped_is_not_grouped_again_until_words_or_states_change(monkeypatch):
    grouped = []
    monkeypatch.setattr(
        proposals, "near_groups", lambda words: (grouped.append(words), near_groups(words))[1]
    )
    rows = [ProposedQuestion(pk=pk, text=text) for pk, text in enumerate(TEXTS[:4])]

    def groups():
        return [[row.pk for row in group.proposals] for group in proposals.proposals_near(rows)]

    assert [groups(), groups()] == [[[0, 1, 2], [3]]] * 2
    assert len(grouped) == 1
    rows[1].state = "kept"
    assert [groups(), groups()] == [[[1, 0, 2], [3]]] * 2
    rows[0].edited = "Is the deficit a cause?"
    assert [groups(), groups()] == [[[1], [0], [2], [3]]] * 2
    assert len(grouped) == 3
