"""The closed sample rounds are complete, legal, and show what a real dashboard would."""

import itertools
import re
from collections import Counter, defaultdict

import pytest

from annotation.codebooks.toml_reader import load_shipped
from annotation.protocols.cqs_gen import check_question_judgement
from annotation.protocols.focus import check_type_judgement
from tests.annotation.sample_files import (
    ANNOTATORS,
    ARGUMENTS,
    CLOSED,
    CQS,
    FOCUS,
    INTERVENTIONS,
    JAPANESE,
    KEY,
    REASONS,
    TEXTS,
    TYPES,
)


def focus_votes():
    """Return {(item, type): {annotator: span, or None for "no"}}; missing judgements are absent."""
    votes = defaultdict(dict)
    for row in FOCUS:
        if not row["cannot_judge"]:
            yes = row["applicable"] == "yes"
            span = (int(row["start"]), int(row["end"])) if yes else None
            votes[row["item"], row["type"]][row["annotator"]] = span
    return votes


def cqs_votes():
    """Return {question: [(label, reason), ...]}."""
    votes = defaultdict(list)
    for row in CQS:
        votes[row["question"]].append((row["label"], row["reason"]))
    return votes


def positions(item, span):
    """Return the tokens that a span touches, or its characters where no spaces divide words."""
    start, end = span
    if item == JAPANESE:
        return set(range(start, end))
    tokens = re.finditer(r"\w+", TEXTS[item])
    return {n for n, token in enumerate(tokens) if token.start() < end and token.end() > start}


def jaccard(item, one, other):
    first, second = positions(item, one), positions(item, other)
    return len(first & second) / len(first | second)


def spans_of(votes):
    return [span for span in votes.values() if span]


def observed_agreement(counts):
    """Return the mean over items of the share of agreeing pairs; `counts` holds (yes votes, votes)."""
    shares = [1 - 2 * yes * (n - yes) / (n * (n - 1)) for yes, n in counts if n > 1]
    return sum(shares) / len(shares)


def nominal_alpha(counts):
    """Return Krippendorff's alpha of a yes/no type; `counts` holds (yes votes, votes)."""
    counts = [(yes, n) for yes, n in counts if n > 1]
    total, total_yes = sum(n for _, n in counts), sum(yes for yes, _ in counts)
    observed = sum(2 * yes * (n - yes) / (n - 1) for yes, n in counts) / total
    expected = 2 * total_yes * (total - total_yes) / (total * (total - 1))
    return 1 - observed / expected


def counts_of(code):
    votes = focus_votes()
    return [(len(spans_of(votes[item, code])), len(votes[item, code])) for item in CLOSED]


def matching_spans(item, votes):
    """Return how many annotators at most marked pairwise matching spans."""
    spans = spans_of(votes)
    for size in range(len(spans), 1, -1):
        for group in itertools.combinations(spans, size):
            if all(jaccard(item, a, b) >= 0.5 for a, b in itertools.combinations(group, 2)):
                return size
    return min(len(spans), 1)


# ---- the closed FOCUS round


def test_focus_judgements_cover_16_arguments_ten_types_and_three_annotators_but_for_two_units():
    units = [(row["item"], row["type"], row["annotator"]) for row in FOCUS]
    wanted = set(itertools.product(CLOSED, TYPES, ANNOTATORS))
    assert len(units) == len(set(units)) == 478
    assert wanted - set(units) == {("S-16", "LE", "Ben"), ("S-16", "WE", "Ben")}
    assert set(units) <= wanted


@pytest.mark.parametrize("rows", [FOCUS, KEY], ids=["judgements", "key"])
def test_the_protocol_accepts_every_focus_row_as_it_stands(rows):
    codebook = load_shipped("focus")
    for row in rows:
        answer = {
            "applicable": {"yes": True, "no": False, "": None}[row["applicable"]],
            "cannot_judge": row.get("cannot_judge") == "yes",
            "comment": row.get("comment", ""),
        }
        if row["start"]:
            answer |= {"start": int(row["start"]), "end": int(row["end"]), "quote": row["quote"]}
        stored = check_type_judgement(codebook, TEXTS[row["item"]], row["type"], answer)
        assert (stored.quote or "") == row["quote"]


def test_one_unit_is_answered_cannot_judge_with_a_word_why():
    rows = [row for row in FOCUS if row["cannot_judge"]]
    assert [(r["item"], r["type"], r["annotator"], r["applicable"]) for r in rows] == [
        ("S-13", "VAT", "Chloé", "")
    ]
    assert rows[0]["cannot_judge"] == "yes" and rows[0]["comment"].strip()
    assert all(row["applicable"] in {"yes", "no"} for row in FOCUS if not row["cannot_judge"])


def test_nobody_finds_flipped_causality_so_its_alpha_is_undefined():
    assert sum(yes for yes, _ in counts_of("CF")) == 0


def test_temporal_contrast_shows_the_kappa_paradox():
    counts = counts_of("TC")
    assert sum(yes for yes, _ in counts) == 2
    assert observed_agreement(counts) == pytest.approx(11 / 12)
    assert nominal_alpha(counts) == pytest.approx(-1 / 46)


def test_most_types_are_agreed_on_as_in_a_real_round():
    agreed = {code: observed_agreement(counts_of(code)) for code in TYPES}
    assert sum(0.75 <= value <= 0.9 for value in agreed.values()) >= 7
    assert min(agreed, key=agreed.get) == "VAT"


def test_ben_is_trigger_happy_on_vague_terms_and_chloe_is_strict():
    yes = Counter((row["annotator"], row["type"]) for row in FOCUS if row["applicable"] == "yes")
    assert [yes[name, "VAT"] for name in ("Ada", "Ben", "Chloé")] == [9, 14, 5]
    for code in TYPES:
        assert yes["Chloé", code] <= min(yes["Ada", code], yes["Ben", code])
    total = {name: sum(yes[name, code] for code in TYPES) for name in ANNOTATORS}
    assert total["Chloé"] < 0.75 * total["Ada"]
    assert total["Ben"] - yes["Ben", "VAT"] < 1.1 * (total["Ada"] - yes["Ada", "VAT"])


def test_every_annotator_is_alone_with_a_yes_somewhere():
    alone = {
        next(name for name, span in votes.items() if span)
        for votes in focus_votes().values()
        if len(votes) == 3 and len(spans_of(votes)) == 1
    }
    assert alone == ANNOTATORS


def test_gold_spans_by_two_and_by_three_and_disagreement_spans_are_present():
    support = Counter()
    with_disagreement = 0
    for (item, _), votes in focus_votes().items():
        spans = spans_of(votes)
        if len(spans) > 1:
            size = matching_spans(item, votes)
            support[size] += 1
            with_disagreement += size == 2 and len(spans) == 3
    assert support[3] >= 30 and support[2] >= 30
    assert with_disagreement >= 10


def test_split_spans_are_both_disjoint_and_overlapping_below_one_half():
    similarities = [
        jaccard(item, a, b)
        for (item, _), votes in focus_votes().items()
        for a, b in itertools.combinations(spans_of(votes), 2)
    ]
    assert sum(value == 0 for value in similarities) >= 3
    assert sum(0 < value < 0.5 for value in similarities) >= 3


def test_eleven_decided_yes_without_gold_span_and_one_tie_wait_for_adjudication():
    no_gold, ties = set(), set()
    for (item, code), votes in focus_votes().items():
        yes, cast = len(spans_of(votes)), len(votes)
        if 2 * yes == cast:
            ties.add((item, code))
        elif 2 * yes > cast and matching_spans(item, votes) < 2:
            no_gold.add((item, code))
    assert ties == {("S-13", "VAT")}
    assert len(no_gold) == 11
    assert {("S-02", "OSP"), ("S-03", "IE"), ("S-10", "QCE")} <= no_gold


def test_only_the_water_mains_argument_ends_as_none_of_the_above():
    votes = focus_votes()
    nothing = [
        item
        for item in CLOSED
        if all(2 * len(spans_of(votes[item, code])) < len(votes[item, code]) for code in TYPES)
    ]
    assert nothing == ["S-16"]
    assert next(a["fallacy"] for a in ARGUMENTS if a["id"] == "S-16") == "none"


# ---- the closed CQs-Gen round


def test_cqs_judgements_cover_eight_interventions_and_three_annotators_but_for_two_units():
    wanted = {
        (item, question["id"], name)
        for item in list(INTERVENTIONS)[:8]
        for question in INTERVENTIONS[item]["cqs"]
        for name in ANNOTATORS
    }
    units = [(row["item"], row["question"], row["annotator"]) for row in CQS]
    assert len(units) == len(set(units)) == 163
    assert wanted - set(units) == {
        ("SMP_03", "SMP_03_T__3", "Chloé"),
        ("SMP_06", "SMP_06_LLM_sample_0", "Chloé"),
    }
    assert set(units) <= wanted


def test_invalid_has_a_reason_unhelpful_a_comment_and_useful_no_reason():
    for row in CQS:
        assert row["label"] in {"USE", "UN", "IN"}
        assert (row["reason"] in REASONS) if row["label"] == "IN" else row["reason"] == ""
        assert row["label"] != "UN" or row["comment"].strip()


def test_the_protocol_accepts_every_question_row_as_it_stands():
    codebook = load_shipped("cqs_gen")
    for row in CQS:
        stored = check_question_judgement(codebook, {key: row[key] for key in ("label", "reason", "comment")})
        assert (stored.label, stored.reason) == (row["label"], row["reason"])


def test_all_labels_and_reasons_are_used_by_majorities_too():
    decided, reasons = Counter(), Counter()
    for votes in cqs_votes().values():
        label, count = Counter(label for label, _ in votes).most_common(1)[0]
        if 2 * count > len(votes):
            decided[label] += 1
            given = Counter(reason for reason_of, reason in votes if reason_of == "IN" == label)
            reasons.update(reason for reason, n in given.items() if 2 * n > sum(given.values()))
    assert set(decided) == {"USE", "UN", "IN"}
    assert min(decided.values()) >= 5
    assert set(reasons) == REASONS


def test_four_questions_have_three_different_labels():
    split = [question for question, votes in cqs_votes().items() if len({label for label, _ in votes}) == 3]
    assert split == [
        "SMP_01_LLM_sample_0",
        "SMP_03_LLM_sample_2",
        "SMP_05_LLM_sample_2",
        "SMP_08_LLM_sample_2",
    ]


def test_five_questions_are_invalid_by_majority_with_differing_reasons():
    invalid = {q: [reason for label, reason in votes if label == "IN"] for q, votes in cqs_votes().items()}
    assert sum(len(reasons) >= 2 and len(set(reasons)) > 1 for reasons in invalid.values()) == 5
    assert sorted(invalid["SMP_05_LLM_sample_0"]) == ["BR", "NC", "UR"]
