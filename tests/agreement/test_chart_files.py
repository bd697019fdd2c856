"""Charts as files: where dots, whiskers and bars stand, what is said of doubt, and names that are hostile."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from agreement.display.chart_files import HUES, LABEL_HUES, ChartMissing, chart_pdf, chart_svg
from agreement.statistics.estimates import Estimate, undefined

TOKENS = Path(__file__).resolve().parents[2] / "frontend/static/frontend/css/tokens.css"
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '</text><script>&"B"\x00'


def section(code, alpha, *, name="", kind="type", group="re", labels=None, n=30):
    estimates = dict.fromkeys(
        ("observed_agreement", "pabak", "gwet_ac1", "krippendorff_alpha"), alpha.to_json()
    )
    return {
        "key": f"{kind}:{code}",
        "kind": kind,
        "code": code,
        "name": name or code,
        "group": group,
        "estimates": estimates,
        "labels": labels or {"no": 20, "yes": 10},
        "yes_rate": 1 / 3,
        "n_pairable": n,
        "n_cannot_judge": 0,
        "spans": None,
        "queue": {},
        "paradox": None,
    }


def figures(*sections, protocol="focus", **more):
    return {
        "protocol": protocol,
        "sections": list(sections),
        "groups": [{"key": "re", "name": "Reason", "letter": "E", "hue": "orange"}],
        "categories": [],
        "n_cannot_judge": 0,
        **more,
    }


def drawn(name, of, change=None):
    svg = chart_svg(name, of, change or {}, title="Dev II", guideline=3)
    return svg, ElementTree.fromstring(svg)


def marks(root, tag, role):
    return [element for element in root.iter(f"{SVG}{tag}") if element.get("class") == role]


def at(element, name):
    return float(element.get(name))


def texts(root):
    return [element.text for element in root.iter(f"{SVG}text")]


def place_of(root, value):
    """Return where the axis puts a value: between the first and the last tick, by their labels."""
    ticks = [at(tick, "x1") for tick in marks(root, "line", "tick")]
    labels = [
        float(element.text.replace("−", "-"))
        for element in root.iter(f"{SVG}text")
        if element.get("text-anchor") == "middle" and re.fullmatch(r"[−+]?[\d.]+", element.text)
    ]
    first, last = labels[0], labels[-1]
    return ticks[0] + (value - first) / (last - first) * (ticks[-1] - ticks[0])


def test_dot_and_whisker_stand_where_alpha_and_its_interval_are():
    _, root = drawn("alpha", figures(section("LE", Estimate(0.42, 0.3, 0.55))))
    (dot,), (whisker,) = marks(root, "circle", "dot"), marks(root, "line", "whisker")
    assert at(dot, "cx") == pytest.approx(place_of(root, 0.42), abs=0.2)
    assert at(whisker, "x1") == pytest.approx(place_of(root, 0.3), abs=0.2)
    assert at(whisker, "x2") == pytest.approx(place_of(root, 0.55), abs=0.2)
    assert "0.42 [0.30, 0.55]" in texts(root)
    assert "30" in texts(root)


def test_the_axis_reaches_below_zero_where_an_interval_does():
    _, root = drawn("alpha", figures(section("LE", Estimate(0.1, -0.33, 0.5))))
    (whisker,) = marks(root, "line", "whisker")
    assert at(whisker, "x1") == pytest.approx(place_of(root, -0.33), abs=0.2)
    assert at(whisker, "x1") < at(marks(root, "circle", "dot")[0], "cx") < at(whisker, "x2")


def test_the_least_agreed_type_is_on_top_and_what_pools_types_below():
    _, root = drawn(
        "alpha",
        figures(
            section("A", Estimate(0.8, 0.7, 0.9)),
            section("B", Estimate(0.2, 0.1, 0.3)),
            section("all", Estimate(0.5, 0.4, 0.6), kind="all", group=None, name="All types"),
        ),
    )
    names = [text for text in texts(root) if text in ("A", "B", "All types")]
    assert names == ["B", "A", "All types"]
    assert [at(dot, "cy") for dot in marks(root, "circle", "dot")] == [68, 90, 112]


def test_undefined_is_a_dash_without_a_dot_and_its_reason_is_below():
    _, root = drawn("alpha", figures(section("CF", undefined("no_variation"))))
    assert marks(root, "circle", "dot") == []
    assert "– (a)" in texts(root)
    note = next(text for text in texts(root) if text.startswith("– (a) undefined"))
    assert "one and the same category" in note


def test_an_interval_that_is_not_to_be_trusted_is_dashed_hollow_and_marked():
    doubtful = Estimate(0.4, 0.1, 0.9, caution="few_positives")
    _, root = drawn("alpha", figures(section("LE", doubtful), section("WE", Estimate(0.5, 0.4, 0.6))))
    assert [line.get("stroke-dasharray") for line in marks(root, "line", "whisker")] == ["4 3", None]
    assert [dot.get("fill") for dot in marks(root, "circle", "dot")] == ["#ffffff", HUES["orange"]]
    assert "0.40 [0.10, 0.90] *" in texts(root)
    assert any(text.startswith("Dashed, or a hollow dot, and marked *: so few items") for text in texts(root))


def test_a_group_is_told_by_its_letter_as_well_as_its_hue():
    _, root = drawn("alpha", figures(section("LE", Estimate(0.4, 0.3, 0.5))))
    letter = next(element for element in root.iter(f"{SVG}text") if element.text == "E")
    assert letter.get("fill") == HUES["orange"]


def test_bars_are_as_long_as_there_are_judgements():
    few = {"no": 5, "yes": 15}
    _, root = drawn(
        "applicability",
        figures(section("LE", undefined("no_items")), section("WE", undefined("no_items"), labels=few)),
    )
    yes, no = ([at(bar, "width") for bar in marks(root, "rect", role)] for role in ("yes", "no"))
    whole = yes[0] + no[0]
    assert yes == pytest.approx([whole * 10 / 30, whole * 15 / 30], abs=0.2)
    assert no == pytest.approx([whole * 20 / 30, whole * 5 / 30], abs=0.2)
    starts = [at(bar, "x") for bar in marks(root, "rect", "yes")]
    assert at(marks(root, "rect", "no")[0], "x") == pytest.approx(starts[0] + yes[0], abs=0.2)
    assert starts[0] == starts[1]
    assert {"10 yes, 20 no", "15 yes, 5 no"} <= set(texts(root))


def test_a_type_that_nobody_judged_has_no_bar_and_says_so():
    nothing = section("LE", undefined("no_items"), labels={"no": 0, "yes": 0})
    _, root = drawn("applicability", figures(nothing, n_cannot_judge=2))
    assert marks(root, "rect", "yes") == marks(root, "rect", "no") == []
    assert "not judged" in texts(root)
    assert "2 “cannot judge” are left out." in texts(root)


def test_questions_have_a_bar_for_each_label():
    labels = section("labels", undefined("no_items"), kind="labels", labels={"USE": 8, "UN": 0, "IN": 4})
    names = [("USE", "Useful"), ("UN", "Unhelpful"), ("IN", "Invalid")]
    categories = [{"code": code, "name": name} for code, name in names]
    _, root = drawn("applicability", figures(labels, protocol="cqs_gen", categories=categories))
    widths = [at(bar, "width") for bar in marks(root, "rect", "label")]
    assert widths == pytest.approx([widths[0], widths[0] / 2], abs=0.2)
    assert {"8 (0.67)", "0 (0.00)", "4 (0.33)", "Unhelpful"} <= set(texts(root))


def change_of(estimate):
    return {
        "name": "Dev I",
        "guideline": 2,
        "conditions": {"says": "The same texts."},
        "sections": {"type:LE": {"differences": {"krippendorff_alpha": estimate.to_json()}}},
    }


def test_change_is_drawn_from_zero_in_the_middle_for_the_sections_that_both_rounds_have():
    of = figures(section("LE", Estimate(0.6, 0.5, 0.7)), section("WE", Estimate(0.5, 0.4, 0.6)))
    _, root = drawn("change", of, change_of(Estimate(0.21, 0.08, 0.35)))
    (dot,), (whisker,) = marks(root, "circle", "dot"), marks(root, "line", "whisker")
    ticks = [at(tick, "x1") for tick in marks(root, "line", "tick")]
    zero = (ticks[0] + ticks[-1]) / 2
    assert ticks[2] == pytest.approx(zero, abs=0.1)
    assert at(dot, "cx") == pytest.approx(zero + 0.21 * (ticks[-1] - zero) / 0.5, abs=0.2)
    assert at(whisker, "x1") == pytest.approx(zero + 0.08 * (ticks[-1] - zero) / 0.5, abs=0.2)
    assert "+0.21 [+0.08, +0.35]" in texts(root)
    assert "WE" not in texts(root)
    assert "Change of alpha: Dev II against Dev I" in texts(root)
    assert any("guideline version 2, then 3" in text for text in texts(root))
    assert "The same texts." in texts(root)


def test_without_an_earlier_round_there_is_no_chart_of_change():
    with pytest.raises(ChartMissing, match="No closed round came before this one"):
        drawn("change", figures(section("LE", Estimate(0.6, 0.5, 0.7))))


def test_an_unknown_chart_is_refused_with_the_names_there_are():
    with pytest.raises(ChartMissing, match="there are alpha, applicability, change"):
        drawn("pie", figures())


def test_names_are_text_whatever_is_in_them():
    of = figures(section("LE", Estimate(0.6, 0.5, 0.7), name=HOSTILE))
    svg = chart_svg("alpha", of, {}, title='"><script>', guideline=1)
    root = ElementTree.fromstring(svg)
    assert list(root.iter(f"{SVG}script")) == []
    assert '</text><script>&"B"\ufffd' in texts(root)
    assert root.get("aria-label") == "Krippendorff's alpha: \"><script>"


def test_long_names_end_with_an_ellipsis_before_the_plot_begins():
    long = "Questions that nobody would ever ask about anything at all"
    wide = "根拠が弱い" * 8
    for name in (long, wide):
        _, root = drawn("alpha", figures(section("LE", Estimate(0.6, 0.5, 0.7), name=name)))
        shown = next(text for text in texts(root) if text.endswith("…"))
        assert name.startswith(shown[:-1])
        assert at(marks(root, "line", "tick")[0], "x1") > 40 + 262


def test_the_file_stands_alone_on_a_light_background_with_a_name_for_screen_readers():
    svg, root = drawn("alpha", figures(section("LE", Estimate(0.6, 0.5, 0.7))))
    assert root.get("role") == "img"
    assert root.get("aria-label") == root.find(f"{SVG}title").text == "Krippendorff's alpha: Dev II"
    assert root.find(f"{SVG}rect").get("fill") == "#ffffff"
    assert re.search(r"style|href|url\(|currentColor|var\(", svg) is None


def test_the_same_report_gives_the_same_bytes():
    of = figures(section("LE", Estimate(0.6, 0.5, 0.7)), section("WE", undefined("no_items")))
    assert drawn("alpha", of)[0] == drawn("alpha", of)[0]


def test_the_hues_are_those_of_the_stylesheet():
    css = TOKENS.read_text(encoding="utf-8")
    light = dict(re.findall(r"--(?:hue-)?(\w+): light-dark\((#\w+)", css))
    assert {name: light[name] for name in HUES} == HUES
    assert {"USE": light["green"], "UN": light["un"], "IN": light["in"]} == LABEL_HUES


def test_a_pdf_is_one_page_of_the_chart_s_size_with_its_fonts_inside_and_no_picture():
    svg, root = drawn("alpha", figures(section("LE", Estimate(0.6, 0.5, 0.7))))
    pdf = chart_pdf(svg)
    assert pdf.startswith(b"%PDF-")
    assert pdf.rstrip().endswith(b"%%EOF")
    box = re.search(rb"/MediaBox\s*\[([^\]]*)\]", pdf)[1]
    assert [float(side) for side in box.split()] == [0, 0, at(root, "width"), at(root, "height")]
    assert b"/FontFile2" in pdf
    assert b"/ToUnicode" in pdf
    assert b"/Subtype/Image" not in pdf.replace(b" ", b"")
