import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from agreement.spans.similarity import MEASURES

ROOT = Path(__file__).parent.parent.parent

TAXES = "If taxes fall, jobs will grow 🎉 soon."
GROW = TAXES.index("jobs"), TAXES.index("jobs") + len("jobs will grow")


def line(item="i1", annotator="A1", start=None, end=None, text=TAXES):
    return {"item": item, "text": text, "annotator": annotator, "start": start, "end": end}


def written(tmp_path, lines, encoding="utf-8"):
    path = tmp_path / "spans.jsonl"
    rows = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in lines]
    path.write_bytes("\n".join(rows).encode(encoding))
    return path


def run(path, *options):
    out = StringIO()
    call_command("span_agreement", str(path), *options, stdout=out)
    return out.getvalue()


def report_of(tmp_path, lines, *options):
    return json.loads(run(written(tmp_path, lines), "--json", *options))


def refusal_of(tmp_path, lines):
    out = StringIO()
    path = written(tmp_path, lines)
    with pytest.raises(CommandError) as refusal:
        call_command("span_agreement", str(path), "--json", stdout=out)
    assert out.getvalue() == ""
    return str(refusal.value).replace(f"{path}:", "")


TWO_ITEMS = [
    line("i1", "A1", 3, 13),  # taxes fall
    line("i1", "A2", 3, 8),  # taxes
    line("i1", "A3"),
    line("i2", "A1", *GROW),
    line("i2", "A2", *GROW),
    line("i2", "A3", GROW[0], GROW[1] + 2),  # with the emoji
]


def test_similarities_are_means_over_the_pairs_that_both_marked(tmp_path):
    similarity = report_of(tmp_path, TWO_ITEMS)["similarity"]
    assert tuple(similarity) == MEASURES
    assert all(set(figure) == {"value", "low", "high", "n_pairs", "reason"} for figure in similarity.values())
    expected = {
        "exact": 1 / 4,
        "character_jaccard": (5 / 10 + 1 + 2 * 14 / 16) / 4,
        "token_jaccard": (1 / 2 + 3) / 4,
        "unigram_jaccard": (1 / 2 + 3) / 4,
        "bigram_jaccard": (0 + 3) / 4,
        "token_f1": (2 / 3 + 3) / 4,
        "edit": (5 / 10 + 1 + 2 * 14 / 16) / 4,
        "rouge1": (2 / 3 + 3) / 4,
        "rougeL": (2 / 3 + 3) / 4,
    }
    assert {measure: figure["value"] for measure, figure in similarity.items()} == pytest.approx(expected)
    assert {figure["n_pairs"] for figure in similarity.values()} == {4}
    assert {figure["reason"] for figure in similarity.values()} == {None}


def test_alphas_add_up_the_disagreement_of_each_text(tmp_path):
    report = report_of(tmp_path, TWO_ITEMS)
    # Seven tokens and three annotators: 21 values a text. Item 1 has 3 values marked, two of three in one
    # token and one of three in the next; item 2 has 9 values marked, three tokens by everybody.
    observed = [(2 * 2 + 2 * 2) / 2 / 21, 0]
    expected = [(21**2 - 3**2 - 18**2) / (21 * 20), (21**2 - 9**2 - 12**2) / (21 * 20)]
    assert report["alpha_token_within"]["value"] == pytest.approx(1 - sum(observed) / sum(expected))
    assert report["alpha_token_within"]["reason"] is None
    assert report["details"]["alpha_u_2004"]["value"] == pytest.approx(ALPHA_U)
    # All positions together: 42 values, 12 of them marked, and 4 ordered pairs that differ over (3 - 1).
    pooled = (42**2 - 12**2 - 30**2) / (42 * 41)
    assert report["alpha_token"]["value"] == pytest.approx(1 - 4 / 42 / pooled)


def test_u_alpha_makes_one_continuum_of_the_texts(tmp_path):
    report = report_of(tmp_path, TWO_ITEMS)
    # Code points: 222 in all, 15 + 44 marked. Over ordered pairs of the three annotators, halved: i1 has 5
    # marked by two of three and 5 by one, i2 14 by all and 2 by one.
    both, one = (5 * 2 + 14 * 6) / 2, (5 * 2 + 5 * 2 + 2 * 2) / 2
    squares, unmarked = 10**2 + 5**2 + 14**2 + 14**2 + 16**2, 222 - 59
    possible = 222**2 - squares - unmarked
    expected = 222 - 222 * ((both + one) ** 2 - squares + (222 - both - one) ** 2 - unmarked) / possible
    assert report["u_alpha"]["value"] == pytest.approx(1 - 2 * one / expected)


# By hand for TWO_ITEMS, L = 37 code points and m = 3. Item 1 has units of 10 and 5, gaps 3, 24 | 3, 29 | 37;
# its ordered pairs differ by 2 (5^2 + 10^2 + 5^2). Item 2 has units of 14, 14 and 16 that start at 15, gaps
# 15, 8 | 15, 8 | 15, 6, and 2 (0 + 2^2 + 2^2).
def _expected_u(units, gaps):
    chance = sum((len(units) - 1) * (2 * u**3 - 3 * u**2 + u) / 3 for u in units)
    chance += sum(u * u * (g - u + 1) for u in units for g in gaps if g >= u)
    return 2 / 37 * chance / (111 * 110 - sum(u * (u - 1) for u in units))


ALPHA_U = 1 - (2 * 150 + 2 * 8) / (6 * 37**2) / (
    _expected_u([10, 5], [3, 24, 3, 29, 37]) + _expected_u([14, 14, 16], [15, 8, 15, 8, 15, 6])
)


def test_items_carry_their_gold_and_disagreement_spans_with_code_point_offsets(tmp_path):
    far = line("i3", "A1", TAXES.index("🎉"), TAXES.index("🎉") + 1)
    report = report_of(tmp_path, [*TWO_ITEMS, far])
    assert report["items"] == [
        {
            "item": "i1",
            "gold": [{"start": 3, "end": 8, "text": "taxes", "support": 2}],
            "disagreement": [],
        },
        {
            "item": "i2",
            "gold": [{"start": 15, "end": 29, "text": "jobs will grow", "support": 3}],
            "disagreement": [],
        },
        {"item": "i3", "gold": [], "disagreement": [{"start": 30, "end": 31, "text": "🎉", "support": 1}]},
    ]


def test_the_threshold_decides_what_is_gold(tmp_path):
    report = report_of(tmp_path, TWO_ITEMS[:3], "--threshold", "0.6")
    assert [len(report["items"][0][kind]) for kind in ("gold", "disagreement")] == [0, 2]
    assert report["parameters"] == {"threshold": 0.6, "replicates": 1000, "seed": 0}


def many_items():
    return [
        row
        for number in range(20)
        for row in (line(number, "A1", 3, 13), line(number, "A2", 3, 8 if number % 2 else 13))
    ]


def test_intervals_are_percentiles_of_resampled_items(tmp_path):
    figure = report_of(tmp_path, many_items())["similarity"]["exact"]
    # Half of twenty items agree: the share in a resample is binomial, 95% of it between 6/20 and 14/20.
    assert figure["value"] == 0.5
    assert (figure["low"], figure["high"]) == (pytest.approx(0.3, abs=0.051), pytest.approx(0.7, abs=0.051))
    assert figure["low"] < figure["value"] < figure["high"]


def test_the_same_seed_gives_the_same_report_in_any_order_of_the_lines(tmp_path):
    def figures(lines, *options):
        report = report_of(tmp_path, lines, *options)
        return report["similarity"], report["alpha_token"], report["u_alpha"]

    lines = [
        row
        for number in range(20)
        for row in (line(number, "A1", 3, 13), line(number, "A2", number % 8, 9 + number))
    ]
    assert figures(lines) == figures(lines[::-1])
    assert figures(lines) != figures(lines, "--seed", "1")


def test_a_figure_of_one_item_has_no_interval_and_the_notes_say_so(tmp_path):
    report = report_of(tmp_path, TWO_ITEMS[:3])
    assert report["similarity"]["exact"] == {
        "value": 0.0,
        "low": None,
        "high": None,
        "n_pairs": 1,
        "reason": None,
    }
    assert report["notes"]["no_interval"]["exact"] == "single_item"


def test_a_measure_that_is_the_same_in_every_item_has_the_rule_of_three_instead_of_a_point(tmp_path):
    lines = [
        line(item, annotator, *place)
        for item in ("i1", "i2", "i3")
        for annotator, place in (("A1", (3, 8)), ("A2", (9, 13)))
    ]
    report = report_of(tmp_path, lines)
    assert report["similarity"]["exact"] == {
        "value": 0,
        "low": 0,
        "high": 1,
        "n_pairs": 3,
        "reason": None,
    }
    assert report["notes"]["no_interval"] == {}
    for figure in ("exact", "alpha_token"):
        assert report["notes"]["interval_method"][figure] == "rule_of_three"
        assert report["notes"]["caution"][figure] == "few_texts"
    assert report["alpha_token"]["low"] < report["alpha_token"]["high"]
    assert "limits by the rule of three" in run(written(tmp_path, lines))


def test_too_many_undefined_resamples_leave_no_interval(tmp_path):
    empty = [line(f"e{number}", annotator) for number in range(40) for annotator in ("A1", "A2")]
    report = report_of(tmp_path, TWO_ITEMS + empty)
    assert report["similarity"]["exact"]["value"] == 0.25
    assert report["similarity"]["exact"]["low"] is None
    assert report["notes"]["no_interval"]["exact"] == "not_estimable"


@pytest.mark.parametrize(
    ("lines", "similarity_reason", "alpha_reason"),
    [
        ([], "no_items", "no_items"),
        ([line(start=0, end=2)], "no_span_pairs", "no_pairs"),
        ([line(), line(annotator="A2")], "no_span_pairs", "no_spans"),
    ],
)
def test_what_cannot_be_computed_is_null_with_a_reason(tmp_path, lines, similarity_reason, alpha_reason):
    report = report_of(tmp_path, lines)
    undefined = {"value": None, "low": None, "high": None}
    assert report["similarity"]["edit"] == {**undefined, "n_pairs": 0, "reason": similarity_reason}
    assert report["alpha_token"] == {**undefined, "reason": alpha_reason}
    assert report["alpha_token_within"] == {**undefined, "reason": alpha_reason}
    assert report["u_alpha"] == {**undefined, "reason": alpha_reason}


def test_pairs_without_a_rouge_token_are_left_out_and_counted(tmp_path):
    cyrillic = [line("c", name, 0, 3, text="мир меняется") for name in ("A1", "A2")]
    report = report_of(tmp_path, cyrillic)
    assert report["similarity"]["rouge1"]["reason"] == "no_rouge_token"
    assert report["similarity"]["rouge1"]["value"] is None
    assert report["similarity"]["exact"]["value"] == 1
    mixed = report_of(tmp_path, cyrillic + TWO_ITEMS)
    assert mixed["similarity"]["rouge1"]["n_pairs"] == 4
    assert mixed["notes"]["undefined_pairs"] == {"bigram_jaccard": 1, "rouge1": 1, "rougeL": 1}


def test_a_chinese_text_is_counted_by_characters_and_the_notes_say_so(tmp_path):
    text = "他说税收会下降而就业会增长"
    report = report_of(tmp_path, [line("zh", "A1", 2, 7, text), line("zh", "A2", 4, 7, text)])
    assert report["similarity"]["token_jaccard"]["value"] == 0.6
    assert report["notes"]["counted_by_characters"] == [{"item": "zh", "reason": "unspaced_script"}]


def test_a_byte_order_mark_windows_line_ends_and_blank_lines_are_accepted(tmp_path):
    path = tmp_path / "spans.jsonl"
    rows = "\r\n".join([json.dumps(row) for row in TWO_ITEMS] + ["", ""])
    path.write_bytes(b"\xef\xbb\xbf" + rows.encode())
    assert json.loads(run(path, "--json")) == report_of(tmp_path, TWO_ITEMS)


def test_a_line_separator_inside_a_text_does_not_end_the_line(tmp_path):
    report = report_of(tmp_path, [line(text="so\u2028what", start=3, end=7)])
    assert report["items"][0]["disagreement"][0]["text"] == "what"


def test_a_carriage_return_in_a_text_counts_as_a_code_point(tmp_path):
    report = report_of(tmp_path, [line(text="so\r\nwhat", start=4, end=8)])
    assert report["items"][0]["disagreement"][0]["text"] == "what"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("{", "is not JSON"),
        ("[1]", "is not a JSON object"),
        ('{"item": "a", "text": "t", "annotator": "A", "start": null}', "has no 'end'"),
        ('{"item": "a"}', "has no 'text', 'annotator', 'start', 'end'"),
        ('{"item": "a", "item": "b"}', "has the same key twice"),
        (line(start=0), "must both be null or both be whole numbers"),
        (line(end=2), "must both be null or both be whole numbers"),
        (line(start=True, end=2), "'start' is not a whole number"),
        (line(start=0, end=2.0), "'end' is not a whole number"),
        (line(start="0", end=2), "'start' is not a whole number"),
        (line(start=2, end=2), "span 2 to 2 is not a stretch"),
        (line(start=5, end=2), "span 5 to 2 is not a stretch"),
        (line(start=-1, end=2), "span -1 to 2 is not a stretch"),
        (line(start=0, end=len(TAXES) + 1), "of a text of 37 code points"),
        (json.dumps(line(text="so \ud83d", start=0, end=2)), "'text' has a lone surrogate at character 3"),
        (line(text=None), "'text' is not a string"),
        (line(item=None), "'item' is neither"),
        (line(item=True), "'item' is neither"),
        (line(annotator=""), "'annotator' is neither"),
        (line(annotator=1.5), "'annotator' is neither"),
        ('{"item": ' + "[" * 100_000, "is nested too deeply"),
    ],
)
def test_a_line_that_breaks_a_rule_is_refused_with_its_number(tmp_path, row, message):
    refusal = refusal_of(tmp_path, [line(annotator="other"), row])
    assert refusal.startswith("2: ")
    assert message in refusal


def test_a_second_line_for_an_item_and_annotator_is_refused(tmp_path):
    refusal = refusal_of(tmp_path, [line(7, "A1"), line(8, "A1"), line("7", "A1", 0, 2)])
    assert refusal == "3: a second line for item 7 and annotator 'A1'"


def test_two_texts_for_one_item_are_refused(tmp_path):
    refusal = refusal_of(tmp_path, [line(), line(annotator="A2", text=TAXES + " ")])
    assert refusal == "2: item 'i1' has another text on an earlier line"


def test_all_refused_lines_are_listed_up_to_twenty(tmp_path):
    refusal = refusal_of(tmp_path, ["{"] * 25).split("\n")
    assert [entry.split(":")[0] for entry in refusal[:20]] == [str(number) for number in range(1, 21)]
    assert refusal[20:] == ["and 5 more"]


def test_another_encoding_is_refused_with_the_place(tmp_path):
    path = written(tmp_path, [line(text="cafe"), line(annotator="A2", text="café")], encoding="latin-1")
    with pytest.raises(CommandError, match=r"spans\.jsonl:2: is not UTF-8 \(byte \d+ of the line\)"):
        run(path)


def test_a_missing_file_is_an_error_that_names_it(tmp_path):
    with pytest.raises(CommandError, match=r"nowhere\.jsonl: No such file"):
        run(tmp_path / "nowhere.jsonl")


@pytest.mark.parametrize(
    "options", [("--threshold", "0"), ("--threshold", "x"), ("--replicates", "-1"), ("--seed", "-1")]
)
def test_parameters_that_make_no_sense_are_refused(tmp_path, options):
    with pytest.raises(CommandError, match=f"argument {options[0]}"):
        run(written(tmp_path, TWO_ITEMS), *options)


def test_without_json_a_person_reads_a_table(tmp_path):
    lines = run(written(tmp_path, TWO_ITEMS)).splitlines()
    assert lines[0].split() == ["figure", "value", "low", "high", "pairs", "note"]
    assert lines[1].split()[:2] == ["exact", "0.250"]
    assert lines[1].split()[4] == "4"
    assert lines[-1] == "Intervals: 1000 bootstrap resamples of texts, seed 0"
    assert [entry.split()[0] for entry in lines[2:14]] == [
        *MEASURES[1:],
        "u_alpha",
        "alpha_token",
        "alpha_token_within",
        "alpha_u_2004",
    ]
    assert lines[-2] == "2 texts: 2 gold spans, 0 disagreement spans (threshold 0.5)"


def test_the_table_says_why_a_figure_is_missing(tmp_path):
    lines = run(written(tmp_path, [line(), line(annotator="A2")])).splitlines()
    assert lines[1].split(maxsplit=5) == [
        "exact",
        *("-", "-", "-", "0"),
        "no two annotators marked a span in the same text",
    ]
    assert lines[10].split(maxsplit=4) == ["u_alpha", "-", "-", "-", "nobody marked a span"]


def test_the_table_counts_what_it_leaves_out_and_what_it_counts_by_characters(tmp_path):
    chinese = [line("zh", name, 2, 5, "他说税收会下降") for name in ("A1", "A2")]
    lines = run(written(tmp_path, TWO_ITEMS + chinese), "--replicates", "0").splitlines()
    rouge = next(row for row in lines if row.startswith("rouge1"))
    assert "1 pairs left out: ROUGE sees no word in a span" in rouge
    assert lines[-1] == "Counted by characters, not words: 1 texts"


def test_without_replicates_no_interval_is_computed(tmp_path):
    report = report_of(tmp_path, many_items(), "--replicates", "0")
    assert report["similarity"]["exact"]["value"] == 0.5
    assert report["similarity"]["exact"]["low"] is None
    assert report["notes"]["no_interval"]["exact"] == "not_computed"


def test_a_refused_file_ends_with_code_one_and_an_empty_standard_output(tmp_path):
    path = written(tmp_path, [line(start=3, end=1)])
    finished = subprocess.run(
        [sys.executable, "manage.py", "span_agreement", str(path), "--json"],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings.test"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 1
    assert finished.stdout == ""
    assert f"{path}:1: span 3 to 1 is not a stretch" in finished.stderr
