"""The agreement page: what a lead reads, what waits, what failed, and what nobody may see yet."""

import re

import pytest

from agreement.computation.compute import report_compute
from agreement.display.cells import Notes
from agreement.display.tables import against_table, applicability, span_headers, span_table
from agreement.models import AgreementReport
from annotation.models import TypeAnnotation
from annotation.rounds.lifecycle import round_close
from tests import factories
from tests.conftest import client_of
from tests.pages import html_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    """Two texts, three annotators. LE: 2-1 and no shared span on the first, all no on the second."""
    made = factories.study(items=2)
    factories.open_round(made)
    first, second = made.items
    quotes = (None, "Everyone's grades", "The library")
    for member, quote in zip(made.annotators, quotes, strict=True):
        answer = factories.yes(first, quote) if quote else factories.NO
        factories.record(made.round, member, first, "LE", answer)
        factories.record(made.round, member, second, "LE", factories.NO)
        factories.record(made.round, member, second, "CF", factories.NO)
    return made


def address(made, rest=""):
    return f"/p/{made.project.slug}/rounds/{made.round.number}/agreement/{rest}"


def close(made, *, compute=True):
    made.round = round_close(made.round, by=made.lead)
    report = AgreementReport.objects.get()
    if compute:
        assert report_compute(report_id=report.id)
    return report


def words(response):
    """Return the page's text without tags and line breaks."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html_of(response)))


def row_of(response, name):
    """Return the cells of the first table row whose head holds the name."""
    for row in re.findall(r"<tr.*?</tr>", html_of(response), re.S):
        cells = re.findall(r"<t[hd].*?</t[hd]>", row, re.S)
        texts = [re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", cell)).strip() for cell in cells]
        if texts and name in texts[0]:
            return texts
    raise AssertionError(f"no row {name}")


def test_the_lead_reads_who_judged_what_and_the_figures_of_each_type(study, lead_client):
    close(study)
    response = lead_client.get(address(study))
    assert "2 items · 3 annotators · guideline version 1" in words(response)
    assert "from 9 judgements; not yet checked by a second implementation." in words(response)
    row = row_of(response, "Lacks Evidence")
    assert [cell.split()[0] for cell in row[1:7]] == ["2", "0.33", "0.67", "0.33", "0.40", "0.38"]
    assert row[-2:] == ["0.00 c", "1"]


def test_every_figure_has_its_interval_in_words_beside_it(study, lead_client):
    close(study)
    response = lead_client.get(address(study))
    estimates = AgreementReport.objects.get().figures["sections"][8]["estimates"]
    assert (estimates["pabak"]["low"], estimates["pabak"]["high"]) == (-1, 1)
    assert row_of(response, "Lacks Evidence")[4] == "0.33 [−1.00, 1.00] a"


def test_what_is_undefined_is_a_dash_with_a_letter_whose_note_is_below_the_table(study, lead_client):
    close(study)
    response = lead_client.get(address(study))
    html = html_of(response)
    dash, mark = row_of(response, "Causality Flipped")[6].split()
    assert dash == "–"
    why = "Undefined: everyone used one and the same category, so chance agreement is 1 (0/0)"
    assert f'aria-describedby="types-{mark}" title="{why}">–<sup>{mark}</sup>' in html
    assert f'<li id="types-{mark}"><sup>{mark}</sup> {why}.</li>' in html
    dash, mark = row_of(response, "Causality Flipped")[-2].split()
    note = "Undefined: no two annotators marked a span in the same text."
    assert f'<li id="types-{mark}"><sup>{mark}</sup> {note}</li>' in html


def test_the_least_agreed_type_comes_first_and_unjudged_ones_last(study, lead_client):
    close(study)
    html = html_of(lead_client.get(address(study)))
    order = [html.index(name) for name in ("Lacks Evidence</a>", "Causality Flipped", "Weak Evidence")]
    assert order == sorted(order)


def test_an_item_with_a_strange_name_or_text_is_shown_as_text(lead_client):
    made = factories.study(items=1, annotators=2, texts=("<script>alert(1)</script> is no argument.",))
    factories.open_round(made)
    factories.record(made.round, made.annotators[0], made.items[0], "LE", factories.NO)
    marked = factories.yes(made.items[0], "<script>alert(1)")
    factories.record(made.round, made.annotators[1], made.items[0], "LE", marked)
    close(made)
    html = html_of(lead_client.get(address(made)))
    assert "<script>alert" not in html
    assert ">&lt;script&gt;alert(1)</span>" in html


@pytest.mark.parametrize("rest", ["", "units/"])
def test_annotators_and_outsiders_are_refused(study, rest):
    close(study)
    factories.user("olu")
    assert client_of("ann").get(address(study, rest)).status_code == 403
    assert client_of("olu").get(address(study, rest)).status_code == 404


def test_an_open_round_says_why_nothing_is_shown(study, lead_client):
    response = lead_client.get(address(study))
    assert "Hidden while the round is open" in words(response)
    assert "Lacks Evidence" not in words(response)
    for rest in ("status/", "units/"):
        assert lead_client.get(address(study, rest)).status_code == 409
    assert lead_client.post(address(study, "compute/")).status_code == 409


def test_a_report_under_way_shows_its_progress_and_reloads_when_done(study, lead_client):
    report = close(study, compute=False)
    assert "The report waits for a worker" in words(lead_client.get(address(study)))
    AgreementReport.objects.filter(id=report.id).update(
        state="running", lease_token="x", lease_until="2100-01-01T00:00Z", progress_done=4, progress_total=17
    )
    fragment = lead_client.get(address(study, "status/"))
    assert "The report is being computed: 4 of 17 steps." in words(fragment)
    assert 'value="4"' in html_of(fragment)
    AgreementReport.objects.filter(id=report.id).update(state="queued")
    report_compute(report_id=report.id)
    assert lead_client.get(address(study, "status/")).headers["HX-Refresh"] == "true"


def test_a_failed_report_says_what_to_do_and_can_be_asked_for_again(study, lead_client):
    report = close(study, compute=False)
    AgreementReport.objects.filter(id=report.id).update(
        state="failed", error="ValueError in figures.py, line 3"
    )
    page = words(lead_client.get(address(study)))
    assert "The report could not be computed." in page
    assert "ValueError in figures.py, line 3" in page
    lead_client.post(address(study, "compute/"))
    assert AgreementReport.objects.filter(state="queued").count() == 1


def test_a_report_that_is_not_of_the_judgements_any_more_says_so(study, lead_client):
    close(study)
    assert "Out of date." not in words(lead_client.get(address(study)))
    TypeAnnotation.objects.filter(type_code="CF").update(active_seconds=50, revision=2)
    assert "Out of date." in words(lead_client.get(address(study)))


def test_a_report_that_differs_from_the_second_implementation_says_so_loudly(study, lead_client):
    report = close(study)
    differs = {"section": "all", "name": "pabak", "ours": 0.5, "theirs": 0.25, "library": "statsmodels"}
    AgreementReport.objects.filter(id=report.id).update(
        crosscheck="differs", crosscheck_result={"differs": [differs], "due": 1, "checked": 0}
    )
    page = words(lead_client.get(address(study)))
    assert "Do not publish these figures." in page
    assert "all, pabak: 0.5 here, 0.25 by statsmodels" in page


def test_behind_a_number_stand_the_texts_with_everybodys_marks(study, lead_client):
    close(study)
    response = lead_client.get(address(study, "units/?type=LE"))
    page = words(response)
    assert "1 unit, most disputed first. The annotators are of one mind on the other 1 judged text." in page
    assert "yes, but no span is shared" in page
    names = [member.pseudonym for member in study.annotators]
    assert f"{names[0]} no" in page
    assert f"{names[1]} yes Everyone's grades alone" in page.replace("&#x27;", "'")
    html = html_of(response)
    assert (
        f'<span class="who" translate="no">{names[2]}</span><span class="by by-2">The library</span>' in html
    )
    assert "Nothing is disputed here" in words(lead_client.get(address(study, "units/?type=CF")))


def test_all_judged_texts_of_a_type_can_be_listed_with_what_is_disputed_marked(study, lead_client):
    close(study)
    page = words(lead_client.get(address(study, "units/?type=LE&show=all")))
    assert "2 units, by their ids." in page
    assert page.index("I-1") < page.index("yes, but no span is shared") < page.index("I-2")
    assert "3 no not disputed" in page
    assert "Nobody judged this type." in words(lead_client.get(address(study, "units/?type=WE&show=all")))


def test_the_queue_card_counts_what_waits_for_a_decision(study, lead_client):
    close(study)
    html = html_of(lead_client.get(address(study)))
    assert re.search(r'units/\?show=queue"><b>1</b><span>unit to adjudicate', html)


def test_the_cross_table_answers_whose_yes_it_counts(study, lead_client):
    close(study)
    response = lead_client.get(address(study, "?field=topic&whose=each"))
    html = html_of(response)
    table = html[html.index('id="cross"') :]
    assert "Types by topic" in words(response)
    row = re.search(r"<tr><th scope=\"row\">Lacks Evidence</th>.*?</tr>", table, re.S)
    assert re.findall(r">(\d+)</td>", row[0]) == ["0", "2", "2"]


def test_a_wrong_address_of_a_filter_falls_back_to_all(study, lead_client):
    close(study)
    assert "1 unit, most disputed first." in words(
        lead_client.get(address(study, "units/?type=NOPE&page=99"))
    )
    assert lead_client.get(address(study, "?field=none&whose=me")).status_code == 200


def test_questions_show_their_answers_by_name(lead_client):
    made = factories.study("cqs_gen", items=1, annotators=3, questions=2)
    factories.open_round(made)
    first, second = made.items[0].questions.order_by("position")
    answers = (
        {"label": "USE"},
        {"label": "UN", "comment": "well known"},
        {"label": "IN", "reason": "NC"},
    )
    for member, answer in zip(made.annotators, answers, strict=True):
        factories.record(made.round, member, made.items[0], first, answer)
        factories.record(made.round, member, made.items[0], second, {"label": "USE"})
    close(made)
    page = words(lead_client.get(address(made)))
    assert "1 item · 2 questions · 3 annotators" in page
    assert "alpha, useful against not" in page
    units = words(lead_client.get(address(made, "units/")))
    assert "1 Invalid, 1 Unhelpful, 1 Useful" in units
    assert "Invalid: New Concept" in units
    everything = words(lead_client.get(address(made, "units/?show=all")))
    assert "2 units, by their ids." in everything
    assert "3 Useful not disputed" in everything
    assert "“well known”" in units


def test_the_change_against_the_round_before_stands_at_the_top(study, lead_client):
    close(study)
    factories.open_round(study)
    for member in study.annotators:
        factories.record(study.round, member, study.items[0], "LE", factories.yes(study.items[0], "library"))
        factories.record(study.round, member, study.items[1], "LE", factories.NO)
    study.round = round_close(study.round, by=study.lead)
    report = AgreementReport.objects.get(round=study.round)
    assert report_compute(report_id=report.id)
    page = words(lead_client.get(address(study)))
    # Before: of LE two units of three, two of six judgements yes: 1 - (2/6) / (16/30) = 0.375; of CF all no,
    # which adds nothing. Now all agree: 1.
    assert "+0.62 alpha against Round 1" in page


def test_a_live_report_shows_aggregates_and_no_annotator(lead_client):
    made = factories.study(items=1, annotators=2)
    factories.open_round(made, live_agreement=True)
    for member in made.annotators:
        factories.record(made.round, member, made.items[0], "LE", factories.NO)
    lead_client.post(address(made, "compute/"))
    report_compute(report_id=AgreementReport.objects.get().id)
    page = words(lead_client.get(address(made)))
    assert "The round is open: aggregates only." in page
    assert "Pair by pair" not in page
    assert lead_client.get(address(made, "units/")).status_code == 302


def test_the_page_needs_no_inline_style_or_script(study, lead_client):
    close(study)
    for rest in ("", "units/"):
        html = html_of(lead_client.get(address(study, rest)))
        assert " style=" not in html
        assert "<style" not in html
        assert not re.search(r"<script(?![^>]*\bsrc=)", html)


def test_numbers_in_drawings_keep_their_point_in_every_language(study, lead_client):
    close(study)
    html = html_of(lead_client.get(address(study), headers={"Accept-Language": "es"}))
    drawn = re.findall(r'<circle cx="([^"]+)"', html)
    assert drawn and all(re.fullmatch(r"\d+\.\d+", place) for place in drawn)


def test_the_page_costs_the_same_number_of_queries_however_many_units(
    study, lead_client, django_assert_max_num_queries
):
    close(study)
    with django_assert_max_num_queries(28):
        lead_client.get(address(study))
    with django_assert_max_num_queries(20):
        lead_client.get(address(study, "units/"))


def test_each_chart_downloads_as_svg_and_pdf(study, lead_client):
    close(study)
    shown = html_of(lead_client.get(address(study)))
    for name in ("alpha", "applicability"):
        for form in ("svg", "pdf"):
            assert f'/rounds/1/report/charts/{name}.{form}"' in shown
    assert "charts/change" not in shown


def test_the_change_of_every_type_stands_in_a_table_beside_its_chart(study, lead_client):
    close(study)
    first = study.round
    second = factories.open_round(study)
    for member in study.annotators:
        for item in study.items:
            factories.record(second, member, item, "LE", factories.NO)
            factories.record(second, member, item, "CF", factories.NO)
    study.round = round_close(second, by=study.lead)
    report = AgreementReport.objects.get(round=study.round)
    assert report_compute(report_id=report.id)
    response = lead_client.get(address(study))
    shown = html_of(response)
    assert f"Change against {first.name}" in shown
    assert "report/charts/change.svg" in shown
    assert "report/charts/change.pdf" in shown
    table = shown[shown.index(f"Change against {first.name}") :]
    row = re.search(r"<tr><th scope=\"row\">Lacks Evidence</th>.*?</tr>", table, re.S)[0]
    cells = [re.sub(r"<[^>]+>", " ", cell).split() for cell in re.findall(r"<td.*?</td>", row, re.S)]
    assert [cell[0] for cell in cells] == ["2", "0", "0", "+0.33", "+0.67", cells[5][0], "–"]
    assert "Undefined: everyone used one and the same category" in row


def test_labels_have_the_hues_and_signs_of_the_workspace(lead_client):
    made = factories.study("cqs_gen", items=2, annotators=3, questions=1)
    factories.open_round(made)
    first, second = (item.questions.get() for item in made.items)
    answers = ({"label": "USE"}, {"label": "UN", "comment": "well known"}, {"label": "IN", "reason": "NC"})
    for member, answer in zip(made.annotators, answers, strict=True):
        factories.record(made.round, member, made.items[0], first, answer)
        factories.record(made.round, member, made.items[1], second, {"label": "USE"})
    close(made)
    html = html_of(lead_client.get(address(made)))
    drawn = re.findall(
        r'<rect class="label-part label-(\w+)" x="([\d.]+)" y="1" width="([\d.]+)" height="12"/>'
        r'<text class="label-sign" x="([\d.]+)" y="11">(.)</text>',
        html,
    )
    assert drawn == [
        ("USE", "0.0", "160.0", "80.0", "●"),
        ("UN", "160.0", "40.0", "180.0", "○"),
        ("IN", "200.0", "40.0", "220.0", "✕"),
    ]
    named = re.findall(r'class="label-name label-(\w+)">([^<]+)<', html)
    # The annotators' table, the bar's head, the cross table, and the answers of the most disputed unit.
    pairs = (("USE", "Useful"), ("UN", "Unhelpful"), ("IN", "Invalid"))
    assert [named.count(pair) for pair in pairs] == [4, 4, 3]
    assert named.count(("IN", "Invalid: New Concept")) == 1
    assert "See the unit that waits" in words(lead_client.get(address(made)))


def test_a_part_of_a_bar_without_room_has_no_sign():
    section = {
        "key": "labels",
        "kind": "labels",
        "code": "labels",
        "name": "Three labels",
        "labels": {"USE": 99, "UN": 1, "IN": 0},
        "n_cannot_judge": 0,
    }
    names = [{"code": code, "name": code.title()} for code in ("USE", "UN", "IN")]
    (row,) = applicability({"protocol": "cqs_gen", "sections": [section], "categories": names})
    assert [(part["label"], part["sign"]) for part in row["bar"]] == [("USE", "●"), ("UN", ""), ("IN", "")]


def test_a_similarity_that_some_pairs_do_not_have_tells_of_how_many_it_is_the_mean(lead_client):
    """Single words have no pair of words: of the two pairs of spans one has a bigram Jaccard index."""
    made = factories.study(annotators=2, items=2)
    factories.open_round(made)
    for item, quote in zip(made.items, ("The library", "parks"), strict=True):
        for member in made.annotators:
            factories.record(made.round, member, item, "LE", factories.yes(item, quote))
    close(made)
    figures = AgreementReport.objects.get().figures
    row = span_table(figures, Notes("spans"))[8]
    below = dict(zip(span_headers(figures), [cell.below for cell in row["cells"]], strict=True))
    assert (row["name"], row["n_pairs"]) == ("Lacks Evidence", 2)
    assert {head: text for head, text in below.items() if text} == {"Bigram Jaccard": "n = 1"}
    gold = against_table(figures, Notes("spans"))[16]
    assert (gold["n_spans"], [cell.below for cell in gold["cells"] if cell.below]) == (4, ["n = 2"])
    assert "n = 1" in words(lead_client.get(address(made)))
