"""What people read of a report: places in charts, pieces of marked texts, numbers, and tables as files."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.display.cells import Cell, Notes, cell, number
from agreement.display.charts import Axis, axis_of, level, stacked_bar, whisker_of
from agreement.display.csv_latex import TableRefused, figures_csv, latex_table
from agreement.display.highlighting import excerpt_bounds, segments
from agreement.display.wording import COEFFICIENTS
from core.canonical_json import canonical_json, sha256_of


def estimate(value, low=None, high=None, **fields):
    names = {"reason": None, "se": None, "interval_reason": None, "caution": None}
    return {"value": value, "low": low, "high": high, **names, **fields}


def section(key, kind, name, alpha):
    estimates = {coefficient: estimate(0.5) for coefficient in COEFFICIENTS}
    return {
        "key": key,
        "kind": kind,
        "name": name,
        "n_items": 3,
        "n_pairable": 2,
        "n_ratings": 5,
        "yes_rate": 0.25,
        "spans": None,
        "estimates": {**estimates, "krippendorff_alpha": alpha},
    }


def test_the_axis_starts_at_zero_or_below_the_lowest_interval():
    assert axis_of([estimate(0.5, 0.1, 0.9), estimate(None)]) == Axis(0.0)
    assert axis_of([estimate(0.5, -0.12, 0.9)]) == Axis(-0.2)
    assert axis_of([estimate(-1.0)]) == Axis(-1.0)


def test_dot_and_whisker_stand_in_proportion_and_doubt_is_drawn_otherwise():
    axis = Axis(0.0)
    drawn = whisker_of(estimate(0.5, 0.25, 1.0), axis)
    assert (drawn.x_low, drawn.x, drawn.x_high, drawn.trusted) == (36.0, 66.0, 126.0, True)
    assert not whisker_of(estimate(0.5, 0.25, 1.0, caution="few_positives"), axis).trusted
    lonely = whisker_of(estimate(0.5, interval_reason="not_estimable"), axis)
    assert (lonely.x_low, lonely.trusted) == (None, False)
    assert whisker_of(estimate(None, reason="no_items"), axis) is None


def test_the_parts_of_a_bar_follow_each_other_and_the_longest_fills_the_width():
    assert stacked_bar([3, 1], 4) == [{"x": 0.0, "width": 180.0}, {"x": 180.0, "width": 60.0}]
    assert stacked_bar([0, 0], 0) == [{"x": 0.0, "width": 0.0}, {"x": 0.0, "width": 0.0}]


def test_tints_have_five_steps_and_none_for_what_is_undefined():
    assert [level(value) for value in (-0.2, 0.0, 0.2, 0.99, 1.0, None)] == [0, 0, 1, 4, 4, None]


def test_overlapping_spans_cut_the_text_where_they_start_and_end():
    pieces = segments("Buses are late 🚌 again", [(0, 0, 14), (1, 6, 16), (2, 6, 9)])
    assert [(piece.text, piece.by, piece.starts) for piece in pieces] == [
        ("Buses ", (0,), (0,)),
        ("are", (0, 1, 2), (1, 2)),
        (" late", (0, 1), ()),
        (" 🚌", (1,), ()),
        (" again", (), ()),
    ]


@given(st.text(min_size=1), st.data())
def test_the_pieces_put_together_are_the_text(text, data):
    bound = st.integers(0, len(text))
    drawn = data.draw(st.lists(st.tuples(bound, bound), max_size=5))
    spans = [(who, low, high) for who, (low, high) in enumerate(map(sorted, drawn)) if low < high]
    pieces = segments(text, spans)
    assert "".join(piece.text for piece in pieces) == text
    for who, low, high in spans:
        assert "".join(piece.text for piece in pieces if who in piece.by) == text[low:high]


@given(st.text(alphabet="ab ", min_size=1, max_size=600), st.data())
def test_an_excerpt_holds_every_span(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    low, high = excerpt_bounds(text, [(0, start, end)], margin=20)
    assert 0 <= low <= start < end <= high <= len(text)


def test_a_cell_has_its_interval_or_its_reason():
    assert cell(estimate(-0.004, -0.2, 0.31)) == Cell("0.00", interval="[−0.20, 0.31]", level=0)
    assert cell(estimate(None, reason="no_pairs")) == Cell("–", why="no item has two ratings to compare")
    assert cell(estimate(None, reason="no_pairs"), spans=True).why.startswith("no two annotators marked")
    assert cell(estimate(0.21, 0.08, 0.35), signed=True).text == "+0.21"
    assert number(None) == "–"


def test_a_note_has_the_letter_of_its_first_cell_and_is_listed_once():
    notes = Notes("types")
    certain = cell(estimate(0.5, 0.4, 0.6))
    undefined = cell(estimate(None, reason="no_pairs"))
    doubtful = cell(estimate(0.5, 0.1, 0.9, caution="few_positives"))
    alone = cell(estimate(0.5, interval_reason="single_item"))
    found = notes.each([certain, undefined, doubtful, undefined, alone])
    assert [(one.mark, one.note) for one in found] == [
        ("", ""), ("a", "types-a"), ("b", "types-b"), ("a", "types-a"), ("c", "types-c"),
    ]  # fmt: skip
    assert [sentence.partition(":")[0] for _, sentence in notes.listed] == [
        "Undefined",
        "Interval not to be trusted",
        "No interval",
    ]


def test_a_latex_table_escapes_names_and_numbers_its_reasons():
    figures = {
        "sections": [
            section("type:A", "type", "50% & more_or {less}", estimate(-0.5, -0.6, 0.1)),
            section("all", "all", "All types", estimate(None, reason="no_variation")),
        ]
    }
    assert latex_table(figures, columns=("n", "krippendorff_alpha", "interval", "exact")) == (
        "\\begin{tabular}{lrrrr}\n"
        "\\toprule\n"
        " & $n$ & $\\alpha$ & 95\\% interval of $\\alpha$ & exact \\\\\n"
        "\\midrule\n"
        "50\\% \\& more\\_or \\{less\\} & 3 & $-$0.50 & [$-$0.60, 0.10] & -- \\\\\n"
        "\\midrule\n"
        "All types & 3 & --$^{a}$ & -- & -- \\\\\n"
        "\\bottomrule\n"
        "\\multicolumn{5}{l}{\\footnotesize $^{a}$ undefined: everyone used one and the same category, "
        "so chance agreement is 1 (0/0)} \\\\\n"
        "\\multicolumn{5}{l}{\\footnotesize $\\alpha$: Krippendorff, nominal} \\\\\n"
        "\\multicolumn{5}{l}{\\footnotesize Groups and all types: types stacked into one table} \\\\\n"
        "\\end{tabular}\n"
    )


def test_a_latex_table_marks_intervals_that_are_missing_or_not_to_be_trusted():
    figures = {
        "sections": [
            section("type:A", "type", "A", estimate(0.5, -0.1, 0.9, caution="few_positives")),
            section("type:B", "type", "B", estimate(0.5, interval_reason="single_item")),
            section("type:C", "type", "C", estimate(0.5, 0.4, 0.6)),
            section("type:D", "type", "D", estimate(0.6, 0.1, 0.9, caution="few_positives")),
        ]
    }
    lines = latex_table(figures, columns=("krippendorff_alpha", "interval")).splitlines()
    assert lines[4:8] == [
        r"A & 0.50 & [$-$0.10, 0.90]$^{a}$ \\",
        r"B & 0.50 & --$^{b}$ \\",
        r"C & 0.50 & [0.40, 0.60] \\",
        r"D & 0.60 & [0.10, 0.90]$^{a}$ \\",
    ]
    assert r"$^{a}$ interval not to be trusted: so few items carry a less common label that" in lines[9]
    assert r"$^{b}$ no interval: " in lines[10]


def test_the_csv_says_which_intervals_are_not_to_be_trusted():
    doubtful = estimate(0.5, -0.1, 0.9, caution="few_positives")
    rows = list(
        csv.DictReader(io.StringIO(figures_csv({"sections": [section("type:A", "type", "A", doubtful)]})))
    )
    found = {row["figure"]: row["caution"] for row in rows}
    assert (found["krippendorff_alpha"], found["pabak"]) == ("few_positives", "")


def test_a_latex_table_with_an_unknown_row_says_which_there_are():
    figures = {"sections": [section("all", "all", "All types", estimate(0.5))]}
    with pytest.raises(TableRefused, match="no row or column type:X; rows: all; columns: n, "):
        latex_table(figures, rows=["type:X"])


def test_csv_cells_that_a_spreadsheet_would_run_are_marked_and_numbers_stay_numbers():
    figures = {"sections": [section("all", "all", "=HYPERLINK()", estimate(-0.5, -0.6, 0.1))]}
    rows = list(csv.DictReader(io.StringIO(figures_csv(figures))))
    found = next(row for row in rows if row["figure"] == "krippendorff_alpha")
    assert (found["name"], found["value"], found["low"], found["high"]) == (
        "'=HYPERLINK()", "-0.5", "-0.6", "0.1",
    )  # fmt: skip
    assert (found["n_items"], found["n_pairable"], found["n_ratings"]) == ("3", "2", "5")


def test_canonical_json_rounds_sorts_and_refuses_what_is_no_number():
    assert (
        canonical_json({"b": [1 / 3, -0.0], "a": {"é": None}})
        == '{"a":{"é":null},"b":[0.333333333333,0.0]}\n'
    )
    assert sha256_of({"a": 0.1 + 0.2}) == sha256_of({"a": 0.3})
    with pytest.raises(ValueError, match="finite"):
        canonical_json({"a": float("nan")})
