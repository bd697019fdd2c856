"""A lead chooses what goes into a release in a browser, with its counts in sight; a stranger cites it."""

import pytest
from playwright.sync_api import expect

from core.jobs import ClaimLost
from exports.releases.claim import release_claim
from exports.releases.publication import release_publish
from tests.e2e.lead import looked_at
from tests.factories import close, focus_study, judge
from tests.factories.releases import release

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def made():
    """A closed round with one item in the split train, one in test."""
    made = focus_study(annotators=2, items=2, slug="s")
    for item, split in zip(made.items, ("train", "test"), strict=True):
        judge(made, item, {})
        item.split = split
        item.save()
    close(made)
    return made


@pytest.fixture
def lea(made, as_, live_server):
    page = as_("lea")
    page.goto(f"{live_server.url}/p/s/releases/")
    return page


def counts(page):
    return page.locator("#preview")


def test_the_counts_follow_the_choices_and_a_wrong_one_is_named_beside_its_field(lea):
    expect(counts(lea)).to_contain_text("2 items (1 in test, 1 in train)")
    expect(lea.get_by_label("Sizes of the splits")).to_be_hidden()
    lea.get_by_label("Splits", exact=True).select_option("none")
    expect(counts(lea)).not_to_contain_text("in test")
    withheld = lea.get_by_label("Withhold the labels of")
    withheld.fill("dev")
    expect(lea.locator("#id_withheld_problem")).to_have_text("there is no split 'dev'")
    expect(withheld).to_be_focused()
    expect(withheld).to_have_value("dev")
    looked_at(lea, "release-1-wrong-choice")
    counts(lea).get_by_role("link", name="Withhold the labels of").click()
    expect(withheld).to_be_focused()
    withheld.fill("")
    expect(lea.locator("#id_withheld_problem")).to_be_empty()
    expect(counts(lea)).to_contain_text("2 items")
    looked_at(lea, "release-2-counts")


def test_the_answer_to_earlier_choices_never_takes_the_place_of_a_later_one(lea):
    expect(counts(lea)).to_contain_text("1 in test")
    held = []

    def hold_the_first(route):
        if held:
            route.continue_()
        else:
            held.append(route)

    lea.route("**/p/s/releases/", hold_the_first)
    with lea.expect_request("**/p/s/releases/"):
        lea.get_by_label("Withhold the labels of").fill("dev")
    with lea.expect_response("**/p/s/releases/"):
        lea.get_by_label("Withhold the labels of").fill("test")
    expect(counts(lea)).to_contain_text("1 in test")
    held[0].continue_()
    lea.get_by_label("Withhold the labels of").fill("test ")
    expect(counts(lea)).to_contain_text("1 in test")
    expect(lea.locator("#id_withheld_problem")).to_be_empty()


@pytest.mark.parametrize(
    "answer", [{"status": 500}, {"status": 200, "body": "<h1>Log in</h1>", "content_type": "text/html"}, None]
)
def test_counts_that_could_not_be_brought_up_to_date_say_so_until_they_are(lea, answer):
    expect(counts(lea)).to_contain_text("1 in test")
    told = lea.get_by_text("The counts could not be brought up to date")
    expect(told).to_be_hidden()
    lea.route("**/p/s/releases/", lambda route: route.fulfill(**answer) if answer else route.abort())
    lea.get_by_label("Splits", exact=True).select_option("none")
    expect(told).to_be_visible()
    expect(counts(lea)).to_contain_text("1 in test")
    lea.unroute_all()
    lea.get_by_label("Splits", exact=True).select_option("round")
    expect(counts(lea)).to_contain_text("2 in Round 1")
    expect(told).to_be_hidden()


def test_a_stranger_copies_the_citation_and_reads_the_same_without_scripts(made, browser, live_server):
    made.project.name = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerk" * 3
    made.project.save()
    release_publish(release=release(made.project, authors="Ann Other"), by=made.lead)
    address = f"{live_server.url}/releases/s/1.0/"
    stranger = browser.new_context(permissions=["clipboard-read", "clipboard-write"]).new_page()
    stranger.goto(address)
    looked_at(stranger, "release-3-public")
    stranger.get_by_role("button", name="Copy the BibTeX entry").press("Enter")
    expect(stranger.get_by_role("button", name="Copied")).to_be_visible()
    copied = stranger.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("@misc{s-1.0,\n  author = {Ann Other},")
    assert f"url = {{{address}}}" in copied
    words = stranger.locator("main").inner_text().replace("Copied", "Copy the BibTeX entry")
    without = browser.new_context(java_script_enabled=False).new_page()
    without.goto(address)
    assert without.locator("main").inner_text() == words
    stranger.context.close()
    without.context.close()


def test_a_refused_building_leaves_the_version_in_sight_with_what_was_said(made, lea):
    release(made.project)
    lea.reload()
    expect(counts(lea)).to_contain_text("1 in test")
    version = lea.get_by_label("Version")
    box = version.bounding_box()
    # Just within the window, where the counts at its lower edge would lie over it.
    lea.set_viewport_size({"width": 1280, "height": int(box["y"] + box["height"]) + 70})
    lea.get_by_label("Annotators' comments among them").check()
    lea.evaluate("scrollTo(0, 0)")
    version.fill("1.0")
    version.press("Enter")
    expect(lea.locator("#id_version_problem")).to_contain_text("give this one a new version")
    expect(version).to_be_focused()
    covered = """one => {
        const at = one.getBoundingClientRect();
        return document.elementFromPoint(at.left + at.width / 2, at.top + at.height / 2) !== one;
    }"""
    assert version.evaluate(covered) is False


def test_a_lead_cancels_a_release_that_is_being_built_and_asks_again_with_its_choices(lea, made):
    lea.get_by_label("Version").fill("1.0")
    lea.get_by_label("Withhold the labels of").fill("test")
    lea.get_by_role("button", name="Build this release").click()
    expect(lea.get_by_text("The release waits for a worker.")).to_be_visible()
    row = made.project.releases.get()
    lease = release_claim(row.pk)
    lease.progress(1, 2)
    expect(lea.get_by_text("1 of 2 items.")).to_be_visible()
    looked_at(lea, "release-3-being-built")
    lea.get_by_role("button", name="Cancel the release").click()
    expect(lea.get_by_text("It was cancelled before it was built; nothing was written.")).to_be_visible()
    with pytest.raises(ClaimLost):
        lease.renew()
    looked_at(lea, "release-4-cancelled")
    lea.get_by_role("link", name="ask for version 1.0 again").click()
    expect(lea.get_by_label("Version")).to_have_value("1.0")
    expect(lea.get_by_label("Withhold the labels of")).to_have_value("test")
    lea.get_by_role("button", name="Build this release").click()
    expect(lea.get_by_text("The release waits for a worker.")).to_be_visible()
    expect(lea.get_by_role("button", name="Cancel the release")).to_be_visible()
