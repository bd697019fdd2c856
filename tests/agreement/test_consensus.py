import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.spans.consensus import (
    ConsensusSpan,
    Dispute,
    LabelConsensus,
    consensus_spans,
    label_consensus,
    question_dispute,
    reason_consensus,
    type_dispute,
)

#       0    5    10   15   20   25   30   35
TEXT = "one  two  thre four five six  sevn eigt"


def word(index, until=None):
    """Return the offsets of the words index to until, both counted from 0, of TEXT."""
    tokens = [(0, 3), (5, 8), (10, 14), (15, 19), (20, 24), (25, 28), (30, 34), (35, 39)]
    return tokens[index][0], tokens[index if until is None else until][1]


def found(spans, text=TEXT, **options):
    return [
        (span.start, span.end, span.kind, span.annotators) for span in consensus_spans(text, spans, **options)
    ]


def test_half_of_the_tokens_in_common_is_enough_for_a_gold_span():
    assert found([("A1", *word(0, 1)), ("A2", *word(0, 3))]) == [(*word(0, 1), "gold", ("A1", "A2"))]


def test_less_than_half_of_the_tokens_in_common_leaves_two_disagreement_spans():
    assert found([("A1", *word(0, 1)), ("A2", *word(0, 4))]) == [
        (*word(0, 1), "disagreement", ("A1",)),
        (*word(0, 4), "disagreement", ("A2",)),
    ]


def test_the_threshold_is_inclusive_for_every_decimal():
    text = "a b c d e f g h i j"
    assert [span.kind for span in consensus_spans(text, [(1, 0, 1), (2, 0, 19)], threshold=0.1)] == ["gold"]
    assert [span.kind for span in consensus_spans(text, [(1, 0, 13), (2, 0, 19)], threshold=0.7)] == ["gold"]


def test_a_gold_span_is_the_member_most_like_the_others():
    assert found([("A1", *word(0, 3)), ("A2", *word(0, 2)), ("A3", *word(0, 1))]) == [
        (*word(0, 2), "gold", ("A1", "A2", "A3"))
    ]


def test_the_most_central_member_counts_every_annotator_behind_a_span():
    spans = [("A1", *word(0, 3)), ("A2", *word(0, 3)), ("A3", *word(0, 2)), ("A4", *word(0, 1))]
    # Means over the other three: words 0-3: (1 + 3/4 + 1/2) / 3; words 0-2: (3/4 + 3/4 + 2/3) / 3.
    assert found(spans) == [(*word(0, 3), "gold", ("A1", "A2", "A3", "A4"))]


def test_ties_for_the_gold_text_go_to_the_first_and_then_the_shortest():
    assert found([("A1", *word(1, 2)), ("A2", *word(0, 2))])[0][:2] == word(0, 2)
    assert found([("A1", *word(1, 3)), ("A2", *word(1, 2))])[0][:2] == word(1, 2)


def test_a_full_stop_more_or_less_is_no_difference():
    text = "Taxes fall."
    assert consensus_spans(text, [("A1", 0, 11), ("A2", 0, 10)]) == (
        ConsensusSpan(0, 10, 2, "gold", ("A1", "A2")),
    )


def test_every_pair_of_a_cluster_matches_so_a_chain_does_not_grow():
    spans = [("A1", *word(0, 2)), ("A2", *word(1, 3)), ("A3", *word(2, 4))]
    assert found(spans) == [
        (*word(0, 2), "gold", ("A1", "A2")),
        (*word(2, 4), "disagreement", ("A3",)),
    ]


def test_the_best_pair_is_joined_before_an_earlier_one():
    spans = [("A1", *word(0, 3)), ("A2", *word(2, 5)), ("A3", *word(2, 6))]
    assert found(spans, threshold=0.3) == [
        (*word(0, 3), "disagreement", ("A1",)),
        (*word(2, 5), "gold", ("A2", "A3")),
    ]


def test_the_linkage_of_two_clusters_is_their_worst_pair():
    # 1 and 2 join at 6/7. 3 is then linked to them by 4/7 although it is at 5/7 from 2, so 3 and 4,
    # at 5/8, join each other.
    text = "a b c d e f g h i j"
    spans = [(1, 0, 11), (2, 0, 13), (3, 4, 13), (4, 4, 19)]
    assert found(spans, text) == [(0, 11, "gold", (1, 2)), (4, 13, "gold", (3, 4))]


def test_of_two_equal_joins_the_one_that_starts_first_is_made():
    # 1-2 and 2-3 tie at 3/4, so 1 and 2 join; then {1, 2} with 3 ties with 3-4 at 1/2, so 3 joins them.
    text = "a b c d e f g h"
    spans = [(1, 2, 7), (2, 2, 9), (3, 4, 9), (4, 4, 15)]
    assert found(spans, text) == [(2, 9, "gold", (1, 2, 3)), (4, 15, "disagreement", (4,))]


def test_one_span_alone_is_never_gold():
    assert found([("A1", *word(0, 1))]) == [(*word(0, 1), "disagreement", ("A1",))]


def test_no_spans_have_no_consensus():
    assert consensus_spans(TEXT, []) == ()


def test_spans_of_one_annotator_never_support_each_other():
    assert found([("A1", *word(0, 2)), ("A1", *word(0, 1)), ("A1", *word(0, 1))]) == [
        (*word(0, 1), "disagreement", ("A1",)),
        (*word(0, 2), "disagreement", ("A1",)),
    ]


def test_each_of_two_spans_of_an_annotator_can_find_support():
    spans = [("A1", *word(0, 1)), ("A2", *word(4, 5)), ("A2", *word(0, 1)), ("A1", *word(4, 5))]
    assert found(spans) == [(*word(0, 1), "gold", ("A1", "A2")), (*word(4, 5), "gold", ("A1", "A2"))]


def test_identical_emoji_spans_match_although_they_have_no_token():
    text = "So what 🎉🎉 now"
    assert found([("A1", 8, 9), ("A2", 8, 9)], text) == [(8, 9, "gold", ("A1", "A2"))]
    assert [entry[2] for entry in found([("A1", 8, 9), ("A2", 8, 10)], text)] == [
        "disagreement",
        "disagreement",
    ]


def test_chinese_spans_match_by_characters():
    text = "他说税收会下降而就业会增长"
    assert found([("A1", 2, 7), ("A2", 4, 7)], text) == [(2, 7, "gold", ("A1", "A2"))]
    assert [entry[2] for entry in found([("A1", 2, 7), ("A2", 8, 13)], text)] == [
        "disagreement",
        "disagreement",
    ]


@pytest.mark.parametrize("threshold", [0, -0.5, 1.01, float("nan")])
def test_a_threshold_outside_zero_and_one_is_refused(threshold):
    with pytest.raises(ValueError, match="threshold must be above 0 and at most 1"):
        consensus_spans(TEXT, [], threshold=threshold)


def test_a_span_outside_the_text_is_refused():
    with pytest.raises(ValueError, match=r"span \(3, 40\) is not inside a text of 39 code points"):
        consensus_spans(TEXT, [("A1", 3, 40)])


@st.composite
def judged_spans(draw):
    text = draw(st.text("ab 世.🎉", min_size=1, max_size=24))
    spans = []
    for _ in range(draw(st.integers(0, 8))):
        start = draw(st.integers(0, len(text) - 1))
        spans.append((draw(st.integers(0, 4)), start, draw(st.integers(start + 1, len(text)))))
    return text, spans


@given(judged_spans(), st.permutations(range(5)), st.randoms(), st.sampled_from([0.2, 0.5, 1.0]))
def test_neither_the_order_nor_the_names_of_annotators_change_the_consensus(case, names, random, threshold):
    text, spans = case
    renamed = [(names[annotator], start, end) for annotator, start, end in spans]
    random.shuffle(renamed)
    expected = {
        (span.start, span.end, span.kind, tuple(sorted(names[annotator] for annotator in span.annotators)))
        for span in consensus_spans(text, spans, threshold)
    }
    assert set(found(renamed, text, threshold=threshold)) == expected


@given(judged_spans())
def test_every_span_is_in_exactly_one_cluster_and_gold_is_what_two_support(case):
    text, spans = case
    consensus = consensus_spans(text, spans)
    assert sum(span.support for span in consensus) == len(set(spans))
    for span in consensus:
        assert span.kind == ("gold" if span.support > 1 else "disagreement")
        assert len(set(span.annotators)) == span.support
        assert (span.start, span.end) in {(start, end) for _, start, end in spans}


@pytest.mark.parametrize(
    ("votes", "label", "status"),
    [
        ([True, True, False], True, "decided"),
        ([True, True], True, "decided"),
        ([False], False, "single"),
        ([None, False, None], False, "single"),
        ([True, False], None, "undecided"),
        ([True, True, False, False], None, "undecided"),
        (["USE", "USE", "UN", "IN"], None, "undecided"),
        (["USE", "USE", "USE", "UN", "IN"], "USE", "decided"),
        (["USE", "UN", "IN"], None, "undecided"),
        ([], None, "none"),
        ([None, None], None, "none"),
    ],
)
def test_a_label_is_decided_by_more_than_half_of_the_votes_cast(votes, label, status):
    consensus = label_consensus(votes)
    assert (consensus.label, consensus.status) == (label, status)


def test_a_label_consensus_carries_the_votes():
    assert label_consensus(["UN", "IN", None, "IN"]) == LabelConsensus(
        "IN", "decided", (("IN", 2), ("UN", 1))
    )


@pytest.mark.parametrize(
    ("reasons", "reason", "status"),
    [
        (["too general", "too general"], "too general", "decided"),
        (["too general", None], "too general", "single"),
        (["too general", "unrelated"], None, "undecided"),
        (["too general", "too general", "unrelated"], None, "undecided"),
        ([], None, "none"),
    ],
)
def test_reasons_that_differ_stay_open(reasons, reason, status):
    consensus = reason_consensus(reasons)
    assert (consensus.label, consensus.status) == (reason, status)


def test_an_even_vote_is_disputed_by_its_share_of_disagreeing_pairs():
    assert type_dispute([True, False]) == Dispute("undecided", 1.0)
    assert type_dispute([True, True, False, False]) == Dispute("undecided", pytest.approx(2 / 3))


def test_a_decided_yes_without_a_gold_span_is_disputed_by_the_distance_of_its_spans():
    spans = consensus_spans(TEXT, [("A1", *word(0, 1)), ("A2", *word(1, 3))])
    assert type_dispute([True, True], text=TEXT, spans=spans) == Dispute("no_gold_span", 0.75)
    assert type_dispute([True, True, False], text=TEXT, spans=spans) == Dispute("no_gold_span", 0.75)


def test_spans_of_one_annotator_do_not_make_a_unit_less_disputed():
    spans = consensus_spans(TEXT, [("A1", *word(0, 1)), ("A1", *word(0, 2)), ("A2", *word(5))])
    assert type_dispute([True, True], text=TEXT, spans=spans) == Dispute("no_gold_span", 1.0)


def test_a_decided_yes_with_one_span_alone_is_fully_disputed():
    spans = consensus_spans(TEXT, [("A1", *word(0, 1))])
    assert type_dispute([True, True], text=TEXT, spans=spans) == Dispute("no_gold_span", 1.0)


@pytest.mark.parametrize("votes", [[True, True], [True, True, False]])
def test_a_decided_yes_with_a_gold_span_needs_nobody(votes):
    spans = consensus_spans(TEXT, [("A1", *word(0, 1)), ("A2", *word(0, 1))])
    assert type_dispute(votes, text=TEXT, spans=spans) is None


@pytest.mark.parametrize("votes", [[False, False], [False, False, True], [True], [None, True], []])
def test_a_decided_no_and_a_single_judgement_need_nobody(votes):
    spans = consensus_spans(TEXT, [("A1", *word(0, 1))])
    assert type_dispute(votes, text=TEXT, spans=spans) is None


def test_a_decided_yes_of_a_type_without_spans_needs_nobody():
    assert type_dispute([True, True, False]) is None


def test_a_question_without_a_majority_is_undecided():
    assert question_dispute(["USE", "UN"], [None, None]) == Dispute("undecided", 1.0)


def test_an_invalid_question_with_differing_reasons_has_its_reason_open():
    dispute = question_dispute(["IN", "IN", "UN"], ["unrelated", "too general", None])
    assert dispute == Dispute("reason_open", 1.0)
    three = question_dispute(["IN", "IN", "IN"], ["unrelated", "unrelated", "too general"])
    assert three == Dispute("reason_open", pytest.approx(2 / 3))


@pytest.mark.parametrize(
    ("votes", "reasons"),
    [
        (["IN", "IN", "UN"], ["unrelated", "unrelated", None]),
        (["IN"], ["unrelated"]),
        (["USE", "USE", "IN"], [None, None, "unrelated"]),
        ([], []),
    ],
)
def test_a_question_whose_label_and_reason_stand_needs_nobody(votes, reasons):
    assert question_dispute(votes, reasons) is None
