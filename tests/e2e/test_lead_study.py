"""From an empty project to decided units in a real browser, as a lead who has never seen the tool."""

import re

import pytest
from playwright.sync_api import expect

from agreement.computation.compute import report_compute
from agreement.models import AgreementReport
from annotation.models import Project, Round
from exports.models import Release
from exports.releases.lifecycle import release_run
from tests import factories
from tests.conftest import client_of
from tests.e2e.lead import picture
from tests.e2e.page_checks import too_wide

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CSV = (
    "id,text,topic\r\n"
    'a1,"The library should stay open all night. Everyone\'s grades fell when it closed.",Campus\r\n'
    'a2,"Parks make people happy 🎉, so every street needs one.",City\r\n'
)


@pytest.fixture
def lea(page, live_server):
    """A page as Lea; what the browser's console complains about fails the test."""
    factories.user("lea")
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    session = client_of("lea").cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    page.goto(live_server.url)
    yield page
    assert said == []


def test_a_lead_gets_from_nothing_to_a_second_round_and_a_public_release(lea, live_server, browser):
    lea.get_by_role("link", name="Create a project").click()
    lea.get_by_label("Name", exact=True).fill("Campus debates")
    lea.get_by_label("FOCUS: ten types").check()
    picture(lea, "1-new-project")
    lea.get_by_role("button", name="Create project").click()
    expect(lea.get_by_role("heading", name="From here to the first round")).to_be_visible()
    picture(lea, "2-checklist")

    lea.get_by_role("link", name="Import items").click()
    lea.get_by_label("File: drop it here").set_input_files(
        {"name": "texts.csv", "mimeType": "text/csv", "buffer": CSV.encode()}
    )
    lea.get_by_role("button", name="Check this file").click()
    expect(lea.get_by_text("2 new items", exact=True)).to_be_visible()
    picture(lea, "3-import")
    lea.get_by_role("button", name="Import 2 new items").click()
    lea.get_by_role("link", name="Go on with the project").click()

    lea.get_by_role("link", name="Invite people").click()
    lea.get_by_label("For whom, one a line").fill("Ann\nBea")
    lea.get_by_role("button", name="Make invitation links").click()
    picture(lea, "4-invitations")
    links = [field.input_value() for field in lea.locator(".copy-line input").all()]
    for name, link in zip(("ann", "bea"), links, strict=True):
        visitor = browser.new_context()
        theirs = visitor.new_page()
        theirs.goto(link)
        theirs.get_by_label("Username").fill(name)
        theirs.get_by_label("Password", exact=True).fill("quite-a-long-one-7")
        theirs.get_by_label("Password confirmation").fill("quite-a-long-one-7")
        theirs.get_by_role("button", name="Make an account and join the study").click()
        expect(theirs.get_by_text(re.compile("You annotate here as A[12]"))).to_be_visible()
        visitor.close()

    lea.get_by_role("link", name="Overview").click()
    lea.get_by_role("link", name="Plan round 1").click()
    lea.get_by_role("button", name="Plan the round and draw its items").click()
    lea.get_by_role("button", name="Preview this draw").click()
    picture(lea, "5-draw")
    lea.get_by_role("button", name="Draw 2 items into Round 1").click()
    lea.get_by_role("link", name="Open Round 1").click()
    expect(lea.get_by_text("up to 2 texts and about 20 judgements")).to_be_visible()
    picture(lea, "6-open")
    lea.get_by_role("button", name="Open Round 1").click()
    expect(lea.get_by_text("0 of 40 decided")).to_be_visible()

    _judge(1, agree=False)
    lea.reload()
    expect(lea.get_by_text("40 of 40 decided")).to_be_visible()
    picture(lea, "7-progress")
    lea.get_by_role("link", name="Close Round 1").click()
    lea.get_by_role("button", name="Close Round 1").click()
    report = AgreementReport.objects.get()
    assert report_compute(report_id=report.pk)

    lea.get_by_role("link", name="Browse disagreements").click()
    picture(lea, "8-disagreements")
    lea.get_by_role("button", name="Decide the next unit").click()
    lea.wait_for_url("**/units/**", wait_until="load")
    lea.keyboard.press("2")
    lea.keyboard.press("w")
    lea.keyboard.type("Nothing backs the claim.")
    picture(lea, "9-decide")
    lea.keyboard.press("Control+Enter")
    expect(lea.get_by_text("Nothing is left to decide in this round.")).to_be_visible()

    lea.get_by_role("link", name="Codebook").click()
    lea.get_by_role("link", name="Edit and publish the next version").click()
    lea.wait_for_url("**/codebook/edit/", wait_until="load")
    lea.get_by_label("Guideline (Markdown)").fill("# Sharper\n\nRead **twice**.")
    expect(lea.locator("#guideline-preview")).to_contain_text("Read twice.")
    lea.get_by_role("button", name="Publish version 2").click()
    expect(lea.get_by_text("Version 2 is published")).to_be_visible()
    lea.get_by_role("link", name="Compare versions").click()
    expect(lea.locator("ins").first).to_be_visible()
    lea.get_by_role("link", name="Log").click()
    expect(lea.get_by_role("cell", name="unit decided")).to_be_visible()
    picture(lea, "10-log")

    lea.get_by_role("link", name="Overview").click()
    lea.get_by_role("link", name="Plan a round").first.click()
    lea.get_by_role("button", name="Plan the round and draw its items").click()
    lea.get_by_role("button", name="Preview this draw").click()
    lea.get_by_role("button", name="Draw 2 items into Round 2").click()
    lea.get_by_role("link", name="Open Round 2").click()
    lea.get_by_role("button", name="Open Round 2").click()
    _judge(2, agree=True)
    lea.reload()
    expect(lea.get_by_text("40 of 40 decided")).to_be_visible()
    lea.get_by_role("link", name="Close Round 2").click()
    lea.get_by_role("button", name="Close Round 2").click()
    assert report_compute(report_id=AgreementReport.objects.get(round__number=2).pk)
    lea.get_by_role("link", name="Browse disagreements").click()
    expect(lea.get_by_role("heading", name="No unit is disputed")).to_be_visible()
    picture(lea, "11-second-round")

    lea.get_by_role("link", name="Releases").click()
    lea.get_by_label("Version").fill("1.0")
    lea.get_by_role("button", name="Show the counts").click()
    expect(lea.get_by_text("unit decided by a lead")).to_be_visible()
    lea.get_by_role("button", name="Build this release").click()
    assert release_run(release_id=Release.objects.get().pk)
    lea.reload()
    expect(lea.get_by_role("link", name="focus.json")).to_be_visible()
    picture(lea, "12-release")
    lea.get_by_role("link", name="Make it public").click()
    lea.get_by_role("button", name="public").click()
    lea.goto(f"{live_server.url}/releases/campus-debates/1.0/")
    expect(lea.get_by_role("heading", name="Known limits")).to_be_visible()
    picture(lea, "13-public")


def _judge(number: int, *, agree: bool) -> None:
    """Ann finds LE in the first text, Bea only where they agree; all else is no."""
    round = Round.objects.get(number=number)
    first = Project.objects.get().items.get(external_id="a1")
    for member in round.project.memberships.filter(user__username__in=["ann", "bea"]):
        for assignment in round.assignments.filter(member=member).select_related("item"):
            for entry in round.codebook.definition["types"]:
                there = (assignment.item, entry["code"]) == (first, "LE")
                said_yes = there and (agree or member.user.username == "ann")
                answer = factories.yes(first, "grades fell") if said_yes else factories.NO
                factories.record(round, member, assignment.item, entry["code"], answer)


def test_a_lead_on_a_small_phone_reads_every_page_without_scrolling_sideways(lea, live_server):
    made = factories.study("focus", annotators=3, items=4, slug="phone")
    factories.open_round(made, name="Calibration with a rather long name")
    lea.set_viewport_size({"width": 360, "height": 740})
    paths = {
        "home": "/",
        "project": "/p/phone/",
        "round": "/p/phone/rounds/1/",
        "close": "/p/phone/rounds/1/close/",
        "plan": "/p/phone/rounds/new/",
        "people": "/p/phone/people/",
        "items": "/p/phone/items/",
        "import": "/p/phone/import/",
        "codebook": "/p/phone/codebook/",
        "codebook-edit": "/p/phone/codebook/edit/",
        "disagreements": "/p/phone/disagreements/",
        "log": "/p/phone/log/",
        "settings": "/p/phone/settings/",
    }
    wide = {}
    for name, path in paths.items():
        lea.goto(live_server.url + path)
        picture(lea, f"phone-{name}")
        if over := too_wide(lea):
            wide[name] = over
    assert wide == {}


def test_the_progress_page_follows_the_annotators_by_itself(lea, live_server):
    made = factories.study("focus", annotators=2, items=1, slug="live")
    factories.open_round(made)
    lea.clock.install()
    lea.goto(f"{live_server.url}/p/live/rounds/1/")
    expect(lea.get_by_text("0 of 20 decided")).to_be_visible()
    factories.record(made.round, made.annotators[0], made.items[0], "LE", factories.NO)
    lea.clock.run_for(11_000)
    expect(lea.get_by_text("1 of 20 decided")).to_be_visible()
