"""What a report says about small rounds whose figures are known by hand."""

import numpy as np
import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from agreement.report.assembly import build_report
from agreement.report.label_figures import consensus_of
from agreement.report.loading import read_judgements, read_texts
from agreement.report.parameters import clean_parameters
from agreement.spans.consensus import label_consensus
from core.canonical_json import canonical_json
from tests.factories.stored import (
    store_answers,
    store_items,
    store_label,
    store_members,
    store_project,
    store_questions,
    store_round,
)

pytestmark = [pytest.mark.django_db, pytest.mark.database]

TEXT = "Everyone knows that buses are late because drivers sleep."
EVERYONE, BUSES, SLEEP = (0, 8), (20, 25), (51, 56)


def build(round, steps=None, **parameters):
    return build_report(
        read_judgements(round),
        {**clean_parameters({"replicates": 200}), "live": False, **parameters},
        texts=read_texts,
        progress=lambda *step: steps.append(step) if steps is not None else None,
    )


def section(report, key):
    return next(entry for entry in report.figures["sections"] if entry["key"] == key)


@pytest.fixture
def study():
    """Four items, three annotators. OG: all no; 2-1 yes; all yes, one gold span; all yes, spans apart."""
    project = store_project()
    items = store_items(project, {f"i{n}": TEXT for n in range(1, 5)}, topic="Transport")
    members = store_members(project, ["A1", "A2", "A3"])
    round = store_round(project, list(items.values()))
    answers = {
        "i1": (False, False, False),
        "i2": (EVERYONE, BUSES, False),
        "i3": (EVERYONE, (0, 14), EVERYONE),
        "i4": (EVERYONE, BUSES, SLEEP),
    }
    for name, row in answers.items():
        for member, answer in zip(members.values(), row, strict=True):
            store_answers(round, items[name], member, {"OG": answer, "LE": False})
    return round, items, members


def test_observed_agreement_is_the_mean_over_items_beside_the_focus_score(study):
    figures = section(build(study[0]), "type:OG")
    assert figures["estimates"]["observed_agreement"]["value"] == pytest.approx((1 + 1 / 3 + 1 + 1) / 4)
    assert figures["estimates"]["focus_score"]["value"] == pytest.approx((1 + 0.5 + 1 + 1) / 4)
    assert figures["estimates"]["pabak"]["value"] == pytest.approx(2 * 10 / 12 - 1)
    assert (figures["n_items"], figures["n_pairable"], figures["n_ratings"]) == (4, 4, 12)
    assert figures["labels"] == {"no": 4, "yes": 8}
    assert figures["yes_rate"] == pytest.approx(8 / 12)


def test_a_type_that_nobody_found_has_no_kappa_and_says_why(study):
    figures = section(build(study[0]), "type:LE")
    assert figures["estimates"]["observed_agreement"]["value"] == 1
    assert figures["estimates"]["krippendorff_alpha"]["value"] is None
    assert figures["estimates"]["krippendorff_alpha"]["reason"] == "no_variation"
    assert figures["spans"]["similarity"]["token_jaccard"]["value"] is None
    assert figures["spans"]["similarity"]["token_jaccard"]["reason"] == "no_pairs"
    assert figures["spans"]["u_alpha"]["reason"] == "no_spans"


def test_a_type_that_nobody_judged_is_undefined_throughout(study):
    figures = section(build(study[0]), "type:CF")
    assert figures["n_items"] == 0
    assert figures["yes_rate"] is None
    assert {entry["reason"] for entry in figures["estimates"].values()} == {"no_items"}


def test_similarity_is_the_mean_over_all_pairs_who_both_said_yes(study):
    spans = section(build(study[0]), "type:OG")["spans"]
    # i2: one pair, apart. i3: 1/2, 1, 1/2 (one token of two). i4: three pairs, apart.
    assert spans["similarity"]["token_jaccard"]["value"] == pytest.approx(2 / 7)
    assert spans["similarity"]["token_jaccard"]["n_pairs"] == 7
    assert spans["similarity"]["exact"]["value"] == pytest.approx(1 / 7)
    assert (
        spans["similarity"]["token_jaccard"]["low"] <= 2 / 7 <= spans["similarity"]["token_jaccard"]["high"]
    )


def test_gold_and_disagreement_spans_come_with_their_members(study):
    round, items, members = study
    rows = build(round).spans
    of_i3 = [row for row in rows if row["item_id"] == items["i3"].id]
    assert [(row["start"], row["end"], row["support"], row["kind"], row["text"]) for row in of_i3] == [
        (0, 8, 3, "gold", "Everyone")
    ]
    assert of_i3[0]["members"] == sorted(member.id for member in members.values())
    of_i4 = [row for row in rows if row["item_id"] == items["i4"].id]
    assert [(row["text"], row["support"], row["kind"]) for row in of_i4] == [
        ("Everyone", 1, "disagreement"),
        ("buses", 1, "disagreement"),
        ("sleep", 1, "disagreement"),
    ]


def test_the_queue_has_the_decided_yes_without_gold_span_and_not_what_is_settled(study):
    round, items, _ = study
    report = build(round)
    queue = {row["item_id"]: row for row in report.units}
    assert set(queue) == {items["i2"].id, items["i4"].id}
    assert queue[items["i2"].id]["why"] == queue[items["i4"].id]["why"] == "no_gold_span"
    assert queue[items["i2"].id]["votes"] == [["yes", 2], ["no", 1]]
    assert queue[items["i4"].id]["disputed"] == 1
    assert section(report, "all")["queue"] == {
        "total": 2,
        "undecided": 0,
        "no_gold_span": 2,
        "reason_open": 0,
        "disputed": 2,
    }


def test_a_tie_waits_for_a_decision_and_a_settled_majority_is_only_listed(study):
    round, items, members = study
    store_answers(round, items["i1"], members["A1"], {"WE": EVERYONE})
    store_answers(round, items["i1"], members["A2"], {"WE": False})
    store_answers(round, items["i2"], members["A1"], {"WE": EVERYONE})
    store_answers(round, items["i2"], members["A2"], {"WE": EVERYONE})
    store_answers(round, items["i2"], members["A3"], {"WE": False})
    report = build(round)
    assert section(report, "type:WE")["consensus"] == {
        "decided": {"no": 0, "yes": 1},
        "single": {"no": 0, "yes": 0},
        "undecided": 1,
    }
    rows = {row["item_id"]: row for row in report.units if row["type_code"] == "WE"}
    assert rows[items["i1"].id]["why"] == "undecided"
    assert rows[items["i2"].id]["why"] == ""
    assert rows[items["i2"].id]["disputed"] == pytest.approx(2 / 3)


def test_a_single_judgement_decides_but_is_shown_as_single_and_never_gold(study):
    round, items, members = study
    store_answers(round, items["i1"], members["A1"], {"WE": EVERYONE})
    report = build(round)
    figures = section(report, "type:WE")
    assert figures["consensus"]["single"] == {"no": 0, "yes": 1}
    assert figures["consensus"]["decided"] == {"no": 0, "yes": 0}
    assert [row["kind"] for row in report.spans if row["type_code"] == "WE"] == ["disagreement"]
    assert [row for row in report.units if row["type_code"] == "WE"] == []


def test_groups_and_all_types_pool_the_units_of_their_types(study):
    report = build(study[0])
    assert section(report, "group:cl")["n_items"] == 4
    everything = section(report, "all")
    assert everything["n_items"] == 8
    assert everything["labels"] == {"no": 16, "yes": 8}
    assert everything["estimates"]["observed_agreement"]["value"] == pytest.approx((4 + 10 / 3) / 8)
    assert everything["spans"]["similarity"]["token_jaccard"]["n_pairs"] == 7


def test_items_are_resampled_with_all_their_types_so_equal_types_narrow_no_interval():
    project = store_project("context_sufficiency")
    items = store_items(project, {f"i{n:02}": TEXT for n in range(30)})
    members = store_members(project, ["A1", "A2"])
    round = store_round(project, list(items.values()))
    for n, item in enumerate(items.values()):
        for member, answer in zip(members.values(), (n % 2 == 0, n % 3 == 0), strict=True):
            store_answers(round, item, member, {"CTX": answer, "TOP": answer})
    report = build(round, replicates=2000)
    single, pooled = (section(report, key)["estimates"]["observed_agreement"] for key in ("type:CTX", "all"))
    assert pooled["value"] == single["value"]
    # Independent units would give 0.71 of the width.
    assert pooled["high"] - pooled["low"] > 0.9 * (single["high"] - single["low"])


@given(st.lists(st.lists(st.integers(-1, 2), min_size=4, max_size=4), min_size=1, max_size=8))
def test_the_majority_of_a_table_is_that_of_each_unit(rows):
    found = consensus_of(np.array(rows), 3)
    for place, row in enumerate(rows):
        votes = [vote for vote in row if vote >= 0]
        known = label_consensus(votes)
        assert found.label[place] == (-1 if known.label is None else known.label)
        assert found.votes[place] == len(votes)
        assert found.undecided[place] == (known.status == "undecided")
        assert found.unanimous[place] == (len(set(votes)) == 1)


def test_each_annotator_has_rates_by_type_agreement_with_the_rest_and_median_seconds(study):
    round, items, members = study
    store_answers(round, items["i1"], members["A3"], {"WE": "?"}, seconds=40)
    people = {entry["pseudonym"]: entry for entry in build(round).figures["annotators"]}
    assert people["A3"]["types"]["OG"]["shares"]["yes"]["value"] == 0.5
    assert people["A1"]["types"]["OG"]["shares"]["yes"]["value"] == 0.75
    # On OG, A1 and A2 agree on all four items, A3 with each of them on three.
    assert people["A1"]["types"]["OG"]["with_rest"]["value"] == pytest.approx((1 + 0.75) / 2)
    assert people["A3"]["types"]["OG"]["with_rest"]["value"] == pytest.approx(0.75)
    assert {name: entry["n_cannot_judge"] for name, entry in people.items()} == {"A1": 0, "A2": 0, "A3": 1}
    assert people["A3"]["median_seconds"] == 10


def test_judgements_made_elsewhere_have_no_seconds(study):
    round, items, members = study
    store_answers(round, items["i1"], members["A1"], {"WE": False}, seconds=0)
    assert section(build(round), "type:WE")["median_seconds"] is None


def test_the_cross_table_says_whose_yes_it_counts():
    project = store_project()
    items = store_items(project, {"a": TEXT, "b": TEXT, "c": TEXT})
    for item, fallacies in zip(items.values(), (["hasty"], ["hasty", "straw"], ["straw"]), strict=True):
        item.metadata = {"fallacies": fallacies}
        item.save()
    members = store_members(project, ["A1", "A2", "A3"])
    round = store_round(project, list(items.values()))
    for member, answers in zip(members.values(), ("yyn", "ynn", "nnn"), strict=True):
        for item, answer in zip(items.values(), answers, strict=True):
            store_answers(round, item, member, {"OG": EVERYONE if answer == "y" else False})
    (table,) = build(round).figures["cross"]
    assert (table["field"], table["values"], table["n_items"]) == ("fallacies", ["hasty", "straw"], [2, 2])
    row = next(row for row in table["rows"] if row["code"] == "OG")
    assert (row["each"], row["any"], row["consensus"]) == ([3, 1], [2, 1], [1, 0])


def test_types_without_spans_need_no_span_figures():
    project = store_project("context_sufficiency")
    items = store_items(project, {"a": TEXT, "b": TEXT})
    members = store_members(project, ["A1", "A2"])
    round = store_round(project, list(items.values()))
    for item in items.values():
        store_answers(round, item, members["A1"], {"CTX": True, "TOP": True})
        store_answers(round, item, members["A2"], {"CTX": item.external_id == "a", "TOP": True})
    report = build(round)
    assert section(report, "type:CTX")["spans"] is None
    assert section(report, "all")["spans"] is None
    assert section(report, "type:CTX")["estimates"]["observed_agreement"]["value"] == 0.5
    assert [(row["type_code"], row["why"]) for row in report.units] == [("CTX", "undecided")]
    assert [entry["key"] for entry in report.figures["sections"]] == ["type:CTX", "type:TOP", "all"]


@pytest.fixture
def questions():
    project = store_project("cqs_gen")
    items = store_items(project, {"a": TEXT, "b": TEXT})
    asked = [*store_questions(items["a"], ["Why?", "Who?"]), *store_questions(items["b"], ["When?", "How?"])]
    members = store_members(project, ["A1", "A2", "A3"])
    round = store_round(project, list(items.values()))
    for question, row in zip(
        asked, ("USE USE USE", "USE UN IN:NC", "IN:NC IN:BR IN:NC", "UN UN IN:UR"), strict=True
    ):
        for member, answer in zip(members.values(), row.split(), strict=True):
            label, _, reason = answer.partition(":")
            store_label(round, question, member, label, reason=reason)
    return round, asked


def test_labels_are_compared_as_three_and_as_useful_against_not(questions):
    report = build(questions[0])
    three, useful = section(report, "labels"), section(report, "useful")
    assert three["estimates"]["observed_agreement"]["value"] == pytest.approx((1 + 0 + 1 + 1 / 3) / 4)
    assert three["labels"] == {"USE": 4, "UN": 3, "IN": 5}
    assert useful["estimates"]["observed_agreement"]["value"] == pytest.approx((1 + 1 / 3 + 1 + 1) / 4)
    assert useful["labels"] == {"not": 8, "USE": 4}


def test_reasons_are_compared_among_those_who_both_said_invalid(questions):
    reasons = section(build(questions[0]), "reasons")
    assert (reasons["n_items"], reasons["n_ratings"]) == (1, 3)
    assert reasons["estimates"]["observed_agreement"]["value"] == pytest.approx(1 / 3)
    assert reasons["labels"]["NC"] == 2


def test_questions_without_majority_or_with_an_open_reason_wait_for_a_decision(questions):
    round, asked = questions
    rows = {row["question_id"]: row for row in build(round).units}
    assert {key: row["why"] for key, row in rows.items()} == {
        asked[1].id: "undecided",
        asked[2].id: "reason_open",
        asked[3].id: "",
    }
    assert rows[asked[2].id]["votes"] == [["IN (NC)", 2], ["IN (BR)", 1]]


def test_same_judgements_give_the_same_bytes_and_another_seed_other_intervals(study):
    first, second = build(study[0]), build(study[0])
    assert canonical_json(first.figures) == canonical_json(second.figures)
    third = build(study[0], seed=2)
    figures = [[{**entry, "seed": 0} for entry in report.figures["sections"]] for report in (first, third)]
    values = [[entry["estimates"]["gwet_ac1"]["value"] for entry in sections] for sections in figures]
    assert values[0] == values[1]
    assert figures[0] != figures[1]


def test_the_order_of_storing_changes_no_byte():
    texts = []
    for slug, order in (("one", [0, 1, 2]), ("two", [2, 0, 1])):
        project = store_project(slug=slug)
        names = ["a", "b", "c"]
        items = store_items(project, {names[n]: TEXT for n in order})
        members = store_members(project, [f"A{n + 1}" for n in order])
        round = store_round(project, [items[names[n]] for n in order])
        for n in order:
            for m in order:
                answer = EVERYONE if (n + m) % 2 else False
                store_answers(round, items[names[n]], members[f"A{m + 1}"], {"OG": answer})
        texts.append(canonical_json(build(round).figures))
    assert texts[0] == texts[1]


def test_a_live_report_has_nothing_of_one_annotator_or_item(study):
    report = build(study[0], live=True)
    assert report.spans == [] and report.units == []
    assert report.figures["annotators"] == [] and report.figures["cross"] == []
    assert section(report, "type:OG")["pairs"] == []


def test_a_live_report_tells_nothing_of_fewer_items_than_five(study, monkeypatch):
    told = section(build(study[0], live=True), "type:OG")
    assert told["estimates"]["observed_agreement"]["reason"] == "kept_back"
    assert told["labels"] == {"no": None, "yes": None}
    monkeypatch.setattr("agreement.report.assembly.LIVE_ITEMS", 4)
    told = section(build(study[0], live=True), "type:OG")
    assert told["estimates"]["observed_agreement"]["value"] == pytest.approx(10 / 12)


def test_an_empty_round_is_undefined_and_not_an_error():
    project = store_project()
    report = build(store_round(project, list(store_items(project, {"a": TEXT}).values())))
    assert section(report, "all")["estimates"]["krippendorff_alpha"]["reason"] == "no_items"
    assert report.figures["n_judgements"] == 0


def test_a_round_whose_items_are_all_withdrawn_is_empty(study):
    round, items, _ = study
    for item in items.values():
        item.withdrawn_at, item.withdrawn_reason = timezone.now(), "taken down"
        item.save()
    report = build(round)
    assert report.figures["n_items"] == 0
    assert section(report, "all")["spans"]["similarity"]["exact"]["reason"] == "no_pairs"


def test_progress_reaches_its_total(study):
    steps = []
    build(study[0], steps)
    assert steps[0] == (0, 17)
    assert steps[-1] == (17, 17)


def test_a_long_pass_over_the_spans_says_that_it_is_alive(study, monkeypatch):
    monkeypatch.setattr("agreement.report.per_type.HEARTBEAT_UNITS", 2)
    steps = []
    build(study[0], steps)
    # Three units have a span: one sign of life after the second, beside the step at the start.
    assert steps[:3] == [(0, 17), (0, 17), (1, 17)]


def test_a_text_without_spaces_between_words_is_counted_by_characters():
    project = store_project()
    text = "公園は人々を幸せにする。誰もがそう言う。"
    items = store_items(project, {"a": text})
    members = store_members(project, ["A1", "A2"])
    round = store_round(project, list(items.values()))
    store_answers(round, items["a"], members["A1"], {"OG": (0, 4)})
    store_answers(round, items["a"], members["A2"], {"OG": (2, 6)})
    spans = section(build(round), "type:OG")["spans"]
    assert spans["counted_by_characters"] == 1
    assert spans["similarity"]["token_jaccard"]["value"] == pytest.approx(2 / 6)
    assert spans["similarity"]["rouge1"]["value"] is None
