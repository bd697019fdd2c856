"""Where a decision can only fail, nothing looks as if it could be made, and each key says why."""

import pytest
from playwright.sync_api import expect

from annotation.models import AnnotationEvent
from annotation.projects.projects import project_archive
from annotation.rounds.lifecycle import round_close
from tests import factories
from tests.e2e.workspace import address, press, ready, saved

KEYS = {"focus": "y n x f c Backspace", "cqs_gen": "1 2 3 x f c Backspace"}
BUTTONS = ", ".join(f"[data-act={act}]" for act in ("yes", "no", "label", "cannot", "unsure", "comment"))


def closed(made):
    round_close(made.round, by=made.lead)
    return "Round 1 is closed: judgements can be recorded only while it is open. Ask a lead."


def archived(made):
    why = closed(made)
    project_archive(project=made.project, member=made.lead)
    return why


@pytest.mark.parametrize("state", [closed, archived], ids=["closed", "archived"])
@pytest.mark.parametrize("protocol", ["focus", "cqs_gen"])
def test_a_round_that_takes_nothing_is_read_only_and_each_key_says_why(
    transactional_db, page, log_in, protocol, state
):
    made = factories.study(protocol, annotators=1, items=2)
    factories.open_round(made)
    log_in(page, "ann", address(made.round))
    ready(page)
    press(page, "n" if protocol == "focus" else "1")
    saved(page)
    why = state(made)
    page.reload()
    ready(page)
    expect(page.locator("#ws-save-text")).to_have_text("Closed")
    expect(page.locator("#ws-paused")).to_have_text(why)
    for button in page.locator(BUTTONS).all():
        expect(button).to_have_attribute("aria-disabled", "true")
    for key in KEYS[protocol].split():
        page.evaluate("document.getElementById('ws-last').textContent = ''")
        press(page, key)
        expect(page.locator("#ws-last")).to_have_text(why)
    expect(page.locator("[data-panel=note]")).to_be_hidden()
    press(page, "k")
    expect(page.locator("#ws-answer")).to_contain_text("You said")
    page.evaluate("document.querySelector('[data-act=unsure]').click()")
    expect(page.locator("#ws-save-text")).to_have_text("Closed")
    expect(page.locator("#ws-refused")).to_be_hidden()
    assert AnnotationEvent.objects.count() == 1


def test_a_round_that_closes_while_one_works_becomes_read_only_after_the_first_refusal(
    transactional_db, page, log_in
):
    made = factories.study("focus", annotators=1, items=1)
    factories.open_round(made)
    log_in(page, "ann", address(made.round))
    ready(page)
    round_close(made.round, by=made.lead)
    press(page, "n")
    expect(page.locator("#ws-refused")).to_be_visible()
    press(page, "Escape n n")
    expect(page.locator("#ws-last")).to_contain_text("Round 1 is closed")
    expect(page.locator("#ws-save-text")).to_have_text("1 not stored")
    expect(page.locator("#ws-type")).to_have_text("Temporal Contrast")
