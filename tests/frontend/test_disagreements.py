"""Leads browse disputed units by filter; nothing shows while a round is open."""

import pytest

from annotation.adjudication.adjudication import ResolutionInput, resolution_decide, unit_claim
from annotation.judging.recording import Unit
from annotation.projects.projects import member_add
from annotation.rounds.lifecycle import round_close
from frontend.pages import common
from tests import factories
from tests.conftest import client_of
from tests.factories.reports import compute_report, disputed_questions, disputed_study

pytestmark = pytest.mark.django_db

LIST = "/p/s/rounds/1/disagreements/"


def units(client, **asked) -> list[tuple[str, str]]:
    rows = client.get(LIST, asked).context["rows"]
    return [(row["unit"].item.external_id, row["key"]) for row in rows]


def test_the_most_disputed_unit_comes_first_with_votes_and_what_is_open(lead_client):
    made = disputed_study()
    item = made.items[0].external_id
    assert units(lead_client) == [(item, "LE"), (item, "WE")]
    page = lead_client.get(LIST).content.decode()
    assert "yes 2, no 1" in page and "yes, but no span is shared" in page
    assert "0 of 1 units that need a decision are decided" in page


def test_units_are_filtered_by_type_votes_pair_topic_and_state(lead_client):
    made = disputed_study()
    assert [key for _, key in units(lead_client, type="WE")] == ["WE"]
    assert [key for _, key in units(lead_client, pattern="yes 2, no 1")] == ["LE"]
    assert [key for _, key in units(lead_client, pair="A2~A3")] == ["WE"]
    assert [key for _, key in units(lead_client, pair="A3~A4")] == ["LE"]
    assert units(lead_client, topic="elsewhere") == []
    assert [key for _, key in units(lead_client, topic=made.items[0].topic)] == ["LE", "WE"]
    assert [key for _, key in units(lead_client, state="waiting")] == ["LE"]
    assert [key for _, key in units(lead_client, state="settled")] == ["WE"]
    assert units(lead_client, state="decided") == []


def test_questions_are_filtered_by_pair_too(lead_client):
    disputed_questions()
    rows = lead_client.get("/p/q/rounds/1/disagreements/", {"pair": "A2~A3"}).context["rows"]
    assert [row["unit"].question.position for row in rows] == [1]


def test_decided_and_taken_units_are_marked(lead_client):
    made = disputed_study()
    lou = member_add(project=made.project, user=factories.user("lou"), is_lead=True)
    unit_claim(item=made.items[0], unit=Unit("LE"), member=lou)
    assert "another lead has it" in lead_client.get(LIST).content.decode()
    resolution_decide(
        item=made.items[0],
        unit=Unit("LE"),
        member=lou,
        codebook=made.round.codebook,
        given=ResolutionInput(applicable=False, why="x"),
        seen=None,
    )
    assert [key for _, key in units(lead_client, state="decided")] == ["LE"]
    page = lead_client.get(LIST).content.decode()
    assert "1 of 1 units that need a decision are decided" in page
    assert "Everything that waited is decided." in page and "/p/s/codebook/edit/" in page


def test_an_open_round_shows_nothing_to_anybody(lead_client):
    made = factories.study("focus", annotators=2, items=1, slug="s")
    factories.open_round(made)
    factories.record(made.round, made.annotators[0], made.items[0], "LE", factories.NO)
    for path in (LIST, f"/p/s/rounds/1/units/{made.items[0].pk}/LE/", "/p/s/rounds/1/discussion/"):
        response = lead_client.get(path)
        assert response.status_code == 409
        assert "is open" in response.content.decode()
    assert "Round 1" not in lead_client.get("/p/s/disagreements/").content.decode()


def test_the_overview_says_how_much_is_left_and_takes_the_next_unit(lead_client):
    made = disputed_study()
    assert "0 of 1 decided" in lead_client.get("/p/s/disagreements/").content.decode()
    response = lead_client.post("/p/s/rounds/1/adjudicate/")
    assert response["Location"] == f"/p/s/rounds/1/units/{made.items[0].pk}/LE/"


def test_annotators_do_not_reach_the_list(lead_client):
    disputed_study()
    assert client_of("ann").get(LIST).status_code == 403


def test_pages_of_units_follow_one_another_whatever_the_filter(lead_client, monkeypatch):
    monkeypatch.setattr(common.page_of, "__defaults__", (4,))
    made = factories.study("context_sufficiency", annotators=2, items=5, slug="s")
    factories.open_round(made)
    for item in made.items:
        for code in ("CTX", "TOP"):
            factories.record(made.round, made.annotators[0], item, code, {"applicable": True})
            factories.record(made.round, made.annotators[1], item, code, factories.NO)
    round_close(made.round, by=made.lead)
    report = compute_report(made)
    for place, unit in enumerate(report.disputed_units.order_by("pk")):
        report.disputed_units.filter(pk=unit.pk).update(disputed=(7 * place % 10) / 10)
    in_order = [
        (unit.item.external_id, unit.type_code) for unit in report.disputed_units.select_related("item")
    ]
    assert len(in_order) == 10
    for asked in ({}, {"pair": "A2~A3"}, {"state": "waiting"}, {"pattern": "no 1, yes 1"}):
        pages = [units(lead_client, page=number, **asked) for number in (1, 2, 3)]
        assert [len(page) for page in pages] == [4, 4, 2]
        assert [unit for page in pages for unit in page] == in_order
    assert units(lead_client, pair="A2~A9") == []


def test_the_filters_count_types_and_votes_of_this_report(lead_client):
    disputed_study()
    context = lead_client.get(LIST).context
    assert context["types"] == [{"type_code": "LE", "n": 1}, {"type_code": "WE", "n": 1}]
    assert context["patterns"] == [("no 2, yes 1", 1), ("yes 2, no 1", 1)]
    assert context["topics"] == ["topic 0", "topic 1"]


def test_decisions_and_claims_in_another_project_count_there_alone(lead_client):
    disputed_study()
    other = disputed_study("other")
    lou = member_add(project=other.project, user=factories.user("lou"), is_lead=True)
    unit_claim(item=other.items[0], unit=Unit("LE"), member=lou)
    progress = lead_client.get("/p/other/rounds/1/disagreements/").context["progress"]
    assert (progress.total, progress.decided, progress.taken) == (1, 0, 1)
    progress = lead_client.get(LIST).context["progress"]
    assert (progress.total, progress.decided, progress.taken) == (1, 0, 0)
