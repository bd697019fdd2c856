"""Each annotator's span against gold and disagreement spans: figures known by hand."""

import csv
import io
import re

import pytest

from agreement.display.cells import DASH
from agreement.display.csv_latex import figures_csv, latex_table
from agreement.spans.consensus import consensus_spans
from agreement.spans.gold_spans import COLUMNS, against_sums
from tests.agreement.test_report import EVERYONE, TEXT, build, section, study  # noqa: F401
from tests.conftest import client_of
from tests.factories.reports import disputed_study
from tests.factories.stored import close_stored


def place(words):
    return TEXT.index(words), TEXT.index(words) + len(words)


def mean_of(spans, name):
    sums, numbers, _ = against_sums(TEXT, spans, consensus_spans(TEXT, spans))
    at = COLUMNS.index(name)
    return sums[at] / numbers[at] if numbers[at] else None, numbers[at]


def test_disagreement_spans_of_others_count_and_ones_own_does_not():
    spans = [
        ("a", *EVERYONE),
        ("b", *EVERYONE),
        ("c", *place("buses are late because")),
        ("d", *place("late because drivers sleep")),
    ]
    assert mean_of(spans, "token_jaccard_against_gold") == (0.5, 4)
    # c and d share two words of six; to themselves they would be 1.
    third = pytest.approx((1 + 1 + 1 / 3 + 1 / 3) / 4)
    assert mean_of(spans, "token_jaccard_against_gold_and_disagreement") == (third, 4)


def test_of_several_gold_spans_the_best_match_counts():
    late = place("late because drivers")
    spans = [("a", *EVERYONE), ("b", *EVERYONE), ("c", *late), ("d", *late), ("e", *place("drivers sleep"))]
    # e shares one word of four with the second gold span, none with the first.
    assert mean_of(spans, "token_jaccard_against_gold") == (pytest.approx((4 + 1 / 4) / 5), 5)


def test_a_span_alone_is_compared_with_nothing():
    assert mean_of([("a", *EVERYONE)], "exact_against_gold") == (None, 0)
    assert mean_of([("a", *EVERYONE)], "exact_against_gold_and_disagreement") == (None, 0)


@pytest.mark.django_db
def test_a_report_has_the_means_with_number_of_spans_and_interval(study):  # noqa: F811
    against = section(build(study[0]), "type:OG")["spans"]["against"]
    gold, every = against["gold"], against["gold_and_disagreement"]
    assert gold["token_jaccard"]["value"] == pytest.approx(2.5 / 3)
    assert (gold["token_jaccard"]["n_spans"], gold["token_jaccard"]["interval_reason"]) == (3, "single_item")
    assert gold["exact"]["value"] == pytest.approx(2 / 3)
    assert every["token_jaccard"]["value"] == pytest.approx(2.5 / 8)
    assert every["token_jaccard"]["n_spans"] == 8
    assert 0 <= every["token_jaccard"]["low"] < 2.5 / 8 < every["token_jaccard"]["high"] <= 1
    # Of the eight only "Everyone knows" has a pair of words, and it is compared with "Everyone".
    assert (gold["bigram_jaccard"]["value"], gold["bigram_jaccard"]["n_spans"]) == (0, 1)


@pytest.mark.django_db
def test_a_similarity_that_is_the_same_everywhere_has_the_rule_of_three_instead_of_a_point(round):
    og = section(build(close_stored(round)), "type:OG")["spans"]
    for figure in (og["similarity"]["exact"], og["against"]["gold"]["rougeL"], og["alpha_token"]):
        found = [figure[name] for name in ("value", "high", "interval_method", "caution")]
        assert found == [1, 1, "rule_of_three", "few_texts"]
        assert figure["low"] < 1


@pytest.mark.django_db
def test_what_is_undefined_says_why(study):  # noqa: F811
    report = build(study[0])
    against = section(report, "type:LE")["spans"]["against"]
    assert (against["gold"]["exact"]["value"], against["gold"]["exact"]["reason"]) == (None, "no_gold")
    assert against["gold_and_disagreement"]["exact"]["reason"] == "no_pairs"
    assert section(report, "all")["spans"]["against"]["gold"]["exact"]["n_spans"] == 3


@pytest.mark.django_db
def test_files_have_them_under_their_names(study):  # noqa: F811
    figures = build(study[0]).figures
    rows = {(row["section"], row["figure"]): row for row in csv.DictReader(io.StringIO(figures_csv(figures)))}
    found = rows["type:OG", "token_jaccard_against_gold_and_disagreement"]
    assert (found["value"], found["n_spans"], found["n_pairs"]) == ("0.3125", "8", "")
    assert rows["type:LE", "exact_against_gold"]["reason"] == "no_gold"
    table = latex_table(figures, rows=["type:OG"], columns=["token_jaccard_against_gold"])
    assert "0.83" in table


@pytest.mark.django_db
def test_the_page_shows_both_comparisons_of_each_type():
    made = disputed_study()
    page = client_of("lea").get(f"/p/{made.project.slug}/rounds/{made.round.number}/agreement/")
    tables = re.findall(r"against-table.*?</table>", page.content.decode(), re.S)
    table = next(table for table in tables if "against gold only" in table)
    rows = [
        [re.sub(r"<[^>]+>", "", cell).strip() for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.S)]
        for row in re.findall(r"<tr>.*?</tr>", table, re.S)
    ]
    at = next(number for number, row in enumerate(rows) if row[0] == "Lacks Evidence")
    assert rows[at][1:4] == ["against gold only", "0", f"{DASH}d"]
    assert rows[at + 1][:3] == ["against gold plus disagreement spans", "2", "0.00c"]
    notes = dict(re.findall(r'<li id="spans-(\w)"><sup>\w</sup> (.*?)</li>', page.content.decode()))
    assert notes["d"] == "Undefined: no two annotators share a span, so there is no gold."
    assert notes["c"] == "No interval: one item alone gives no interval."
