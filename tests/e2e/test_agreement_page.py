"""A lead reads the agreement of a round in a real browser: while it is computed, then where it disagrees."""

import pytest
from playwright.sync_api import expect

from agreement.computation.compute import report_compute
from agreement.models import AgreementReport
from annotation.rounds.lifecycle import round_close
from tests import factories
from tests.conftest import client_of
from tests.e2e.lead import picture

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def study(live_server):
    """A closed round whose report waits for a worker: on LE two mark different words of the first text."""
    made = factories.study(items=2)
    factories.open_round(made)
    first, second = made.items
    for member, quote in zip(made.annotators, (None, "Everyone's grades", "The library"), strict=True):
        answer = factories.yes(first, quote) if quote else factories.NO
        factories.record(made.round, member, first, "LE", answer)
        factories.record(made.round, member, second, "LE", factories.NO)
    made.round = round_close(made.round, by=made.lead)
    return made


@pytest.fixture
def go(page, live_server):
    """Return a function that opens an address as Lea, who is logged in."""

    def act(path):
        session = client_of("lea").cookies["sessionid"].value
        page.context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
        page.goto(live_server.url + path)

    return act


@pytest.fixture
def errors(page):
    """What the console complained about, content security policy included."""
    found = []
    page.on("console", lambda message: found.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: found.append(str(error)))
    return found


def test_a_lead_waits_for_the_report_and_goes_from_a_number_to_its_texts(page, go, study, errors):
    there = f"/p/{study.project.slug}/rounds/{study.round.number}/agreement/"
    go(there)
    expect(page.get_by_text("The report waits for a worker")).to_be_visible()
    report_compute(report_id=AgreementReport.objects.get().id)
    # The page asks by itself, and shows the report without a click.
    expect(page.get_by_role("heading", name="By type, least agreed first")).to_be_visible()
    row = page.get_by_role("row", name="Lacks Evidence").first
    expect(row).to_contain_text("0.67")
    row.get_by_role("link", name="Lacks Evidence").click()
    expect(page.get_by_role("heading", name="Disputed units: Lacks Evidence")).to_be_visible()
    expect(page.locator(".by", has_text="Everyone's grades")).to_be_visible()
    page.go_back()
    page.get_by_role("link", name="unit to adjudicate").click()
    expect(page.get_by_role("heading", name="Waiting for a decision")).to_be_visible()
    assert errors == []


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_every_interval_is_in_sight_as_a_number_and_that_of_alpha_is_drawn(page, go, study, errors, width):
    report_compute(report_id=AgreementReport.objects.get().id)
    page.set_viewport_size({"width": width, "height": 900})
    go(f"/p/{study.project.slug}/rounds/{study.round.number}/agreement/")
    row = page.locator("table.agreement-table tr", has_text="Lacks Evidence").first
    for name, interval in (("pₐ", "[0.00, 1.00]"), ("PABAK", "[−1.00, 1.00]"), ("AC1", "[−0.80, 1.00]")):
        shown = row.locator(f'td[data-label="{name}"] .interval')
        expect(shown).to_contain_text(interval)
        box = shown.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= width
    assert page.evaluate("document.documentElement.scrollWidth") == width
    picture(page, f"agreement-{width}")
    if width != 768:
        expect(page.get_by_role("img", name="alpha 0.38").first).to_be_visible()
    assert errors == []
