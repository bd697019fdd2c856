"""Deciding a unit by keyboard and pointer, with offsets that hold for emoji and carriage returns."""

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import expect

from annotation.adjudication.adjudication import resolution_current
from annotation.judging.recording import Unit
from annotation.rounds.lifecycle import round_close
from tests import factories
from tests.conftest import client_of
from tests.e2e.lead import picture
from tests.factories.reports import compute_report

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TEXT = "Emoji 👩‍👩‍👧 first:\r\nparks make people happy 🎉, so every street\rneeds one."
LE = Unit("LE")


@pytest.fixture
def study(live_server):
    made = factories.study("focus", annotators=3, items=1, texts=(TEXT,), slug="s")
    factories.open_round(made)
    ann, bea, cai = made.annotators
    for member, quote in ((ann, "people happy"), (bea, "every street"), (cai, None)):
        answer = factories.yes(made.items[0], quote) if quote else factories.NO
        factories.record(made.round, member, made.items[0], "LE", answer)
    round_close(made.round, by=made.lead)
    compute_report(made)
    return made


@pytest.fixture
def unit_page(page, live_server, study):
    session = client_of("lea").cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    page.goto(f"{live_server.url}/p/s/rounds/1/units/{study.items[0].pk}/LE/")
    return page


def decided(study) -> list[str]:
    return [TEXT[start:end] for start, end in resolution_current(study.items[0], LE).spans]


def test_the_whole_text_is_shown_with_its_carriage_returns_and_one_alone_breaks_the_line(unit_page):
    assert (
        unit_page.evaluate("[...document.querySelectorAll('.piece')].map(n => n.textContent).join('')")
        == "Emoji 👩‍👩‍👧 first:\r\nparks make people happy 🎉, so every street\nneeds one."
    )
    picture(unit_page, "unit")


def test_a_side_is_taken_and_its_span_adjusted_by_keys_alone(unit_page, study):
    unit_page.keyboard.press("2")
    expect(unit_page.locator("#filled")).to_contain_text("people happy")
    unit_page.keyboard.press("[")
    unit_page.keyboard.press("{")
    expect(unit_page.locator("#filled")).to_contain_text("make people")
    expect(unit_page.get_by_label("Yes, with another span")).to_be_checked()
    unit_page.keyboard.press("w")
    unit_page.keyboard.type("Shorter.")
    unit_page.keyboard.press("Control+Enter")
    expect(unit_page.get_by_text("Nothing is left to decide")).to_be_visible()
    assert decided(study) == ["make people"]


def test_deciding_without_a_reason_leads_to_the_reason(unit_page):
    unit_page.keyboard.press("1")
    unit_page.keyboard.press("Control+Enter")
    expect(unit_page.get_by_label("Why")).to_be_focused()


def test_a_span_selected_in_the_text_is_stored_where_it_stands(unit_page, study):
    unit_page.evaluate(
        """() => {
          const nodes = [...document.querySelectorAll('#unit-text .piece')].map((node) => node.firstChild);
          const [first, last] = [nodes.find((n) => n.data.includes('🎉')), nodes.at(-1)];
          const range = document.createRange();
          range.setStart(first, first.data.indexOf('🎉'));
          range.setEnd(last, last.data.indexOf(' one'));
          getSelection().removeAllRanges();
          getSelection().addRange(range);
          const lifted = new PointerEvent('pointerup', { bubbles: true });
          document.getElementById('unit-text').dispatchEvent(lifted);
        }"""
    )
    expect(unit_page.get_by_label("Yes, with another span")).to_be_checked()
    unit_page.get_by_label("Why").fill("All of it.")
    unit_page.get_by_role("button", name="Decide", exact=True).click()
    expect(unit_page.get_by_role("button", name="Undo this decision")).to_be_visible()
    assert decided(study) == ["🎉, so every street\rneeds"]


def test_j_goes_to_the_next_unit_and_typing_is_no_command(unit_page, study):
    unit_page.keyboard.press("c")
    unit_page.keyboard.type("j2w")
    expect(unit_page.get_by_label("Comment")).to_have_value("j2w")
    unit_page.get_by_role("button", name="Say it").click()
    expect(unit_page.locator(".thread")).to_contain_text("j2w")


@pytest.mark.parametrize(("key", "field"), [("w", "#why"), ("c", "#comment")])
def test_words_that_were_typed_and_not_sent_are_not_left_behind_unnoticed(unit_page, key, field):
    unit_page.keyboard.press(key)
    unit_page.keyboard.type("Half a sen")
    asked = []
    unit_page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    with unit_page.expect_event("dialog"):
        unit_page.get_by_role("link", name="Disagreements").first.click(no_wait_after=True)
    assert asked == ["beforeunload"]
    assert unit_page.input_value(field) == "Half a sen"


def test_a_side_alone_is_left_without_a_question_and_so_is_what_is_being_sent(unit_page, study):
    asked = []
    unit_page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    unit_page.keyboard.press("c")
    unit_page.keyboard.type("A comment")
    unit_page.get_by_role("button", name="Say it").click()
    expect(unit_page.get_by_text("A comment")).to_be_visible()
    unit_page.keyboard.press("2")
    unit_page.get_by_role("link", name="Disagreements").first.click()
    unit_page.wait_for_url("**/disagreements/")
    assert asked == []


def test_a_codebook_that_is_being_edited_is_not_left_behind_unnoticed(unit_page, live_server):
    unit_page.goto(f"{live_server.url}/p/s/codebook/edit/")
    unit_page.get_by_label("Guideline (Markdown)").press_sequentially("# Sharper")
    asked = []
    unit_page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    unit_page.get_by_role("link", name="Edit as TOML").click()
    unit_page.wait_for_url("**?toml")
    assert asked == ["beforeunload"]


def log_in_again(page):
    expect(page.get_by_text("You were logged out meanwhile: nothing was stored.")).to_be_visible()
    page.fill("[name=login]", "lea")
    page.fill("[name=password]", "secret")
    page.press("[name=password]", "Enter")


def test_what_was_sent_after_the_session_ended_stands_in_its_form_after_the_log_in(unit_page, study):
    Session.objects.all().delete()
    unit_page.keyboard.press("3")
    unit_page.keyboard.press("w")
    unit_page.keyboard.type("Because of this.")
    unit_page.get_by_role("button", name="Decide", exact=True).click()
    log_in_again(unit_page)
    expect(unit_page.get_by_label("Why")).to_have_value("Because of this.")
    unit_page.get_by_role("button", name="Decide", exact=True).click()
    expect(unit_page.get_by_role("button", name="Undo this decision")).to_be_visible()
    assert decided(study) == ["every street"]
    unit_page.reload()
    expect(unit_page.get_by_label("Comment")).to_have_value("")


def test_a_guideline_that_was_sent_after_the_session_ended_is_not_lost(unit_page, live_server, study):
    unit_page.goto(f"{live_server.url}/p/s/codebook/edit/")
    unit_page.get_by_label("Guideline (Markdown)").fill("# Written for an hour")
    Session.objects.all().delete()
    unit_page.get_by_role("button", name="Publish version 2").click()
    log_in_again(unit_page)
    expect(unit_page.get_by_label("Guideline (Markdown)")).to_have_value("# Written for an hour")
    unit_page.get_by_role("button", name="Publish version 2").click()
    expect(unit_page.get_by_text("Version 2 is published")).to_be_visible()
    assert study.project.codebooks.latest("version").guideline == "# Written for an hour"
