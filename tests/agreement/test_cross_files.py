"""Answers by a field of the items: the field that the page opens on, and CSV, LaTeX and charts of it."""

import csv
import io
import xml.etree.ElementTree as ElementTree

import pytest

from agreement.computation.compute import report_compute
from agreement.display.cross_files import CrossMissing, cross_fields, cross_latex, cross_of, cross_svg
from agreement.models import AgreementReport
from annotation.rounds.lifecycle import round_close
from tests import factories

TYPES = [{"code": "LE", "name": "Lacks_Evidence"}, {"code": "WE", "name": "Weak & old"}]


def table(field, values, n_items, **more):
    rows = [
        {"code": kind["code"], "each": [3] * len(values), "consensus": [1] * len(values)} for kind in TYPES
    ]
    return {"field": field, "values": values, "n_items": n_items, "rows": rows, **more}


def figures(*tables):
    return {"protocol": "focus", "cross": list(tables), "sections": TYPES, "categories": []}


FREE = table("comment", ["A long remark on what the speaker may have meant by it", "none"], [1, 9])
IDS = table("url", ["a", "b", "c"], [1, 1, 1])
MANY = table("day", [str(number) for number in range(30)], [2] * 30)
TOPIC = table("topic", ["parks", "taxes", "trams"], [4, 4, 2])
SOURCE = table("source", ["x", "y"], [5, 5])
FALLACIES = table("fallacies", list("abcdefghi"), [3] * 9)


@pytest.mark.parametrize(
    ("tables", "order"),
    [
        ([FREE, SOURCE], ["source", "comment"]),
        ([FALLACIES, IDS, MANY], ["fallacies", "day", "url"]),
        ([SOURCE, TOPIC], ["topic", "source"]),
    ],
)
def test_a_grouping_comes_before_free_text_and_ids(tables, order):
    assert cross_fields(tables) == order


def test_latex_escapes_names_and_says_whose_answers():
    text = cross_latex(cross_of(figures(table("to_pic", ["a_b", "50%"], [1, 2])), "", "consensus"))
    assert "% Answers by to_pic: units where more than half said so." in text
    assert r" & a\_b & 50\% & sum \\" in text and r"items & 1 & 2 &  \\" in text
    assert r"Lacks\_Evidence & 1 & 1 & 2 \\" in text and r"Weak \& old" in text


def test_what_was_not_asked_is_a_dash_in_every_file():
    one = table("topic", ["a", "b"], [3, 3])
    one["rows"][0]["each"] = [None, 4]
    found = cross_of(figures(one), "topic", "each")
    assert r"Lacks\_Evidence & -- & 4 & 4 \\" in cross_latex(found)
    texts = [node.text for node in ElementTree.fromstring(cross_svg(figures(one), found, title="R")).iter()]
    assert "–" in texts and "–: not asked." in texts


def test_the_chart_has_a_square_a_count_and_names_every_value():
    found = cross_of(figures(MANY), "day", "each")
    root = ElementTree.fromstring(cross_svg(figures(MANY), found, title="Round 1"))
    assert len([node for node in root.iter() if node.get("class") == "count"]) == 60
    texts = [node.text or "" for node in root.iter()]
    assert "Types by day: Round 1" in texts and "ad: 29 (2 items)" in texts


def test_a_table_that_is_not_there_is_named():
    for field, whose, told in (
        ("x", "each", "There is no field “x”; there are topic"),
        ("", "mine", "“mine”"),
    ):
        with pytest.raises(CrossMissing, match=told):
            cross_of(figures(TOPIC), field, whose)
    with pytest.raises(CrossMissing, match="No field"):
        cross_of(figures(), "", "each")


@pytest.mark.django_db
def test_a_lead_downloads_what_the_page_shows(lead_client):
    made = factories.study("focus", annotators=2, items=4, slug="s")
    for number, item in enumerate(made.items):
        item.topic = "parks" if number % 2 else "taxes"
        item.metadata = {
            "comment": f"What I thought when I read text {number} for the first time",
            "n": number // 2,
        }
        item.save()
    factories.open_round(made, types=["LE"])
    for item in made.items:
        for member in made.annotators:
            answer = factories.yes(item, item.text[:4]) if item.topic == "parks" else factories.NO
            factories.record(made.round, member, item, "LE", answer)
    round_close(made.round, by=made.lead)
    assert report_compute(report_id=AgreementReport.objects.get().pk)
    page = lead_client.get("/p/s/rounds/1/agreement/")
    assert page.context["cross"]["field"] == "topic"
    base = "/api/projects/s/rounds/1/report/cross"
    assert f'href="{base}.csv?field=topic&amp;whose=consensus"' in page.content.decode()
    rows = list(csv.reader(io.StringIO(lead_client.get(f"{base}.csv").content.decode())))
    assert rows == [
        ["code", "name", "whose", "parks", "taxes", "sum"],
        ["", "items", "", "2", "2", ""],
        ["LE", "Lacks Evidence", "consensus", "2", "0", "2"],
    ]
    each = lead_client.get(f"{base}.csv", {"field": "topic", "whose": "each"}).content.decode()
    assert "LE,Lacks Evidence,each,4,0,4" in each
    assert "Lacks Evidence & 2 & 0 & 2" in lead_client.get(f"{base}.tex").content.decode()
    assert lead_client.get(f"{base}.pdf").content.startswith(b"%PDF")
    assert lead_client.get(f"{base}.svg", {"field": "nothing"}).status_code == 404
