"""No difference between rounds without what it is a difference of: texts, people, discussion, guideline."""

import csv
import io
import json

import pytest

from agreement.computation.compute import report_compute
from agreement.models import AgreementReport
from agreement.report.comparison import rounds_conditions
from agreement.report.conditions import conditions_brief, conditions_words, read_conditions
from annotation.adjudication.discussion import comment_add
from annotation.judging.recording import Unit
from annotation.projects.projects import codebook_publish
from annotation.rounds.editing import set_discussed_before
from annotation.rounds.lifecycle import round_close, round_create, round_draw
from annotation.rounds.opening import round_open
from tests import factories
from tests.factories.releases import released

pytestmark = pytest.mark.django_db


def judged(made, items, people):
    """Have these people judge these items in the next round, and close it."""
    round = round_create(project=made.project, overlap=len(people), member=made.lead)
    round_draw(round, external_ids=[item.external_id for item in items], member=made.lead)
    round_open(round, members=people, by=made.lead)
    for item in items:
        for member in people:
            factories.record(round, member, item, "LE", factories.NO)
    round_close(round, by=made.lead)
    return round


@pytest.fixture
def made():
    return factories.study("focus", annotators=3, items=4, slug="s")


def discuss(made, round, item):
    comment_add(round=round, item=item, unit=Unit(type_code="LE"), member=made.lead, text="Why not?")


@pytest.mark.parametrize(
    ("then", "now", "items", "n_both", "people_then", "people_now", "people", "again"),
    [
        ([0, 1], [0, 1], "same", 2, [0, 1], [0, 1], "same", 2),
        ([0, 1, 2], [0, 1], "same", 2, [0, 1, 2], [0, 1], "same", 2),
        ([0, 1], [1, 2, 3], "some", 1, [0, 1], [1, 2], "some", 1),
        ([0, 1], [2, 3], "new", 0, [0, 1], [0, 1], "same", 0),
        ([0, 1], [0, 1], "same", 2, [0], [1, 2], "new", 0),
    ],
)
def test_texts_and_people_are_the_same_or_new(
    made, then, now, items, n_both, people_then, people_now, people, again
):
    before = judged(made, [made.items[at] for at in then], [made.annotators[at] for at in people_then])
    after = judged(made, [made.items[at] for at in now], [made.annotators[at] for at in people_now])
    found = read_conditions(before, after)
    assert (found.items, found.n_items_both, found.n_items, found.against_n_items) == (
        items,
        n_both,
        len(now),
        len(then),
    )
    assert (found.annotators, found.n_items_again) == (people, again)
    words = " ".join(conditions_words(found))
    assert ("judges a text again may remember" in words) == (again > 0)
    assert ("Other texts may be easier" in words) == (items == "new")
    assert ("Not all people of Round 2" in words) == (people != "same")


def test_texts_judged_again_after_a_discussion_are_no_sign_of_a_better_guideline(made):
    before = judged(made, made.items, made.annotators)
    discuss(made, before, made.items[0])
    after = judged(made, made.items, made.annotators)
    discuss(made, before, made.items[1])  # too late to have any effect
    found = read_conditions(before, after)
    assert (found.discussed, found.n_items_discussed, found.again_after_discussion) == ("yes", 1, True)
    words = " ".join(conditions_words(found))
    assert "In between, 1 text of Round 1 was discussed here." in words
    assert "and not that the guideline got better" in words
    assert conditions_brief(found) == "same texts, same people, discussed in between"


def test_a_discussion_of_other_texts_does_not_count_as_one_of_those_judged_again(made):
    before = judged(made, made.items[:3], made.annotators)
    discuss(made, before, made.items[0])
    found = read_conditions(before, judged(made, made.items[1:], made.annotators))
    assert (found.n_items_again, found.discussed, found.again_after_discussion) == (2, "yes", False)
    assert "and not that the guideline" not in " ".join(conditions_words(found))


@pytest.mark.parametrize(
    ("said", "discussed", "sentence"),
    [
        (None, "not recorded", "No discussion of Round 1 is recorded; one held elsewhere is not known here."),
        (True, "yes", "In between, texts of Round 1 were discussed, as a lead says."),
        (False, "no", "Texts of Round 1 were not discussed in between, as a lead says."),
    ],
)
def test_a_discussion_held_elsewhere_is_what_a_lead_says(made, said, discussed, sentence):
    before, after = (judged(made, made.items[:2], made.annotators) for _ in range(2))
    set_discussed_before(after, by=made.lead, discussed=said)
    found = read_conditions(before, after)
    assert (found.discussed, found.again_after_discussion) == (discussed, said is True)
    assert sentence in conditions_words(found)
    event = made.project.events.order_by("-id").first()
    assert (event.action == "round changed") == (said is not None)


def test_the_page_keeps_what_a_lead_says(made, lead_client):
    rounds = [judged(made, made.items[:2], made.annotators) for _ in range(2)]
    for round in rounds:
        assert report_compute(report_id=AgreementReport.objects.get(round=round).pk)
    address = "/p/s/rounds/2/change/"
    assert "No discussion of Round 1 is recorded" in lead_client.get(address).content.decode()
    page = lead_client.post(address, {"discussed": "yes"}, follow=True).content.decode()
    assert "In between, texts of Round 1 were discussed, as a lead says." in page
    lead_client.post(address, {"discussed": "perhaps"})
    rounds[1].refresh_from_db()
    assert rounds[1].discussed_before is True


def test_every_place_that_tells_of_a_change_tells_its_conditions(made, lead_client, tmp_path):
    """The table of all of them: pages, API, CSV, chart, and a release's JSON, CSV and card."""
    before = judged(made, made.items, made.annotators)
    discuss(made, before, made.items[0])
    newest = made.project.codebooks.get()
    codebook_publish(project=made.project, source=newest.source.replace("thought-provoking", "good", 1))
    after = judged(made, made.items, made.annotators)
    for round in (before, after):
        assert report_compute(report_id=AgreementReport.objects.get(round=round).pk)
    told = read_conditions(before, after).to_json()["says"]
    assert "Guideline version 1 then, version 2 now." in told
    for path in ("/p/s/rounds/2/change/", "/p/s/rounds/2/agreement/"):
        page = lead_client.get(path).content.decode()
        assert all(sentence in page for sentence in conditions_words(read_conditions(before, after))), path
    assert "same texts, same people, discussed in between" in page
    api = "/api/projects/s/rounds/2/report/"
    assert lead_client.get(api).json()["change"]["conditions"]["says"] == told
    rows = list(csv.DictReader(io.StringIO(lead_client.get(f"{api}change.csv").content.decode())))
    assert {(row["says"], row["n_items"], row["against_n_items"], row["discussed"]) for row in rows} == {
        (told, "4", "4", "yes")
    }
    assert {row["figure"] for row in rows} >= {"krippendorff_alpha", "observed_agreement"}
    drawn = lead_client.get(f"{api}charts/change.svg").content.decode()
    assert "The same texts: all 4 items were in Round 1 too" in drawn
    assert lead_client.get("/api/projects/s/rounds/1/report/change.csv").status_code == 404

    folder = released(made.project, tmp_path / "out")
    first, second = json.loads((folder / "agreement" / "rounds.json").read_text())
    assert (first, second["says"]) == (
        {"round": 1, "name": "Round 1", "guideline": 1, "n_items": 4, "n_annotators": 3},
        told,
    )
    rows = list(csv.DictReader(io.StringIO((folder / "agreement" / "rounds.csv").read_text())))
    assert [row["says"] for row in rows] == ["", told]
    card = (folder / "README.md").read_text()
    assert f"Compared with Round 1: {told}" in card and "4 items, judged by 3 annotators." in card


def test_a_release_compares_the_rounds_that_it_has(made):
    rounds = [judged(made, made.items[:2], made.annotators) for _ in range(3)]
    rows = rounds_conditions(made.project, [rounds[0].pk, rounds[2].pk])
    assert [(row["round"], row.get("against")) for row in rows] == [(1, None), (3, 1)]
