"""Rounds of some types in a browser: planned from a guideline change, compared, and reassigned by type."""

import re

import pytest
from playwright.sync_api import expect

from agreement.computation.compute import report_compute
from agreement.models import AgreementReport
from annotation.models import Round
from annotation.projects.projects import codebook_publish
from annotation.rounds.lifecycle import round_close
from tests import factories
from tests.e2e.lead import looked_at, picture
from tests.e2e.workspace import address, press, ready, saved

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def judged(made, agree: bool) -> None:
    """Ann finds LE in the first text, Bea only where they agree; close, and compute the report."""
    for member in made.annotators:
        for item in made.items:
            found = item == made.items[0] and (agree or member == made.annotators[0])
            for code in made.round.type_codes:
                answer = factories.yes(item, "The library") if code == "LE" and found else factories.NO
                factories.record(made.round, member, item, code, answer)
    round_close(made.round, by=made.lead)
    assert report_compute(report_id=AgreementReport.objects.get(round=made.round).pk)


def sharpened(made) -> None:
    """Publish version 2: it says more about LE."""
    newest = made.project.codebooks.get()
    span = "the unsupported claim itself."
    source = newest.source.replace(span, f"{span} Mark the claim, not its reason.")
    assert codebook_publish(project=made.project, source=source, member=made.lead).version == 2


@pytest.fixture
def study(live_server):
    made = factories.study("focus", annotators=2, items=3, slug="s")
    factories.open_round(made, order="by_type")
    judged(made, agree=False)
    sharpened(made)
    return made


def test_a_guideline_change_becomes_a_round_of_what_it_touched(study, as_, live_server):
    lea = as_("lea")
    lea.goto(f"{live_server.url}/p/s/")
    looked_at(lea, "types-project")
    lea.get_by_role("link", name="What changed").click()
    looked_at(lea, "types-compare")
    lea.get_by_role("link", name="New round of LE, on the items of Round 1").click()
    expect(lea.get_by_label(re.compile(r"\bLE "))).to_be_checked()
    assert lea.locator("[name=types]:checked").count() == 1
    looked_at(lea, "types-plan")
    lea.get_by_role("button", name="Plan the round on these items").click()
    expect(lea.get_by_text("Round 2 is planned, on the items of Round 1.")).to_be_visible()
    looked_at(lea, "types-draft")
    lea.get_by_role("link", name="Open Round 2").click()
    expect(lea.get_by_text("3 texts and about 3 judgements")).to_be_visible()
    lea.get_by_role("button", name="Open Round 2").click()
    expect(lea.get_by_text("0 of 6 decided")).to_be_visible()

    ann = as_("ann")
    ann.goto(live_server.url + address(Round.objects.get(number=2)))
    ready(ann)
    expect(ann.get_by_text("Type 1 of 1 · argument 1 of 3")).to_be_visible()
    picture(ann, "types-workspace")
    press(ann, "n n n")
    expect(ann.locator("#ws-done-title")).to_have_text("Round 2 is done")
    saved(ann)
    lea.reload()
    expect(lea.get_by_text("3 of 6 decided")).to_be_visible()


def test_the_change_between_two_rounds_is_one_click_from_the_project(study, as_, live_server):
    factories.open_round(study, types=["LE"])
    judged(study, agree=True)
    lea = as_("lea")
    lea.goto(f"{live_server.url}/p/s/")
    lea.get_by_role("link", name="Change since Round 1").click()
    expect(lea.get_by_role("heading", name="Round 2 against Round 1")).to_be_visible()
    row = lea.get_by_role("row").filter(has_text="guideline changed")
    expect(row.get_by_role("cell").last).to_contain_text("+0.33")
    diff = lea.get_by_role("region", name="What changed in the codebook")
    expect(diff.locator("ins")).to_contain_text("Mark the claim, not its reason.")
    looked_at(lea, "types-change")
    table = lea.get_by_role("region", name="Coefficients by type")
    assert diff.bounding_box()["x"] > table.bounding_box()["x"]
    lea.set_viewport_size({"width": 360, "height": 740})
    assert diff.bounding_box()["y"] > table.bounding_box()["y"] + table.bounding_box()["height"]


def test_undecided_types_go_to_somebody_else_and_only_they_are_asked(as_, live_server):
    made = factories.study("focus", annotators=3, items=2, slug="s")
    ann, bea, cai = made.annotators
    made.annotators = [ann, bea]
    factories.open_round(made)
    factories.record(made.round, ann, made.items[0], "OSP", factories.NO)
    lea = as_("lea")
    lea.goto(f"{live_server.url}/p/s/people/{ann.pk}/")
    lea.get_by_role("link", name="Reassign what is undecided").click()
    expect(lea.get_by_label(re.compile(r"\bOSP\b"))).to_be_hidden()
    lea.get_by_label("What is undecided of some types").check()
    lea.get_by_label(re.compile(r"\bOSP .*\(1\)")).check()
    lea.get_by_label(re.compile(r"\bLE .*\(2\)")).check()
    lea.get_by_label(re.compile(r"\bA3\b")).uncheck()
    looked_at(lea, "types-reassign")
    lea.get_by_role("button", name="Reassign these").click()
    expect(lea.get_by_text("3 units of Round 1 are reassigned.")).to_be_visible()
    expect(lea.get_by_text("1 of 40 decided")).to_be_visible()
    picture(lea, "types-reassigned")

    theirs = as_("cai")
    theirs.goto(live_server.url + address(made.round))
    ready(theirs)
    expect(theirs.get_by_text("Argument 1 of 2 · type 1 of 1")).to_be_visible()
    press(theirs, "n")
    expect(theirs.get_by_text("Argument 2 of 2 · type 1 of 2")).to_be_visible()
    press(theirs, "n n")
    expect(theirs.locator("#ws-done-title")).to_have_text("Round 1 is done")
    saved(theirs)
    assert sorted(made.round.assignments.filter(member=cai).values_list("types", flat=True)) == [
        "LE",
        "OSP LE",
    ]
