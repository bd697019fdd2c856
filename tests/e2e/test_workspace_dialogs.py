"""Dialogs let people out by Esc and give the focus back; nothing moves for people who asked for that."""

from pathlib import Path

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import expect

from annotation.models import TypeAnnotation
from tests import factories
from tests.e2e.workspace import address, press, ready, saved

TEMPLATES = Path(__file__).resolve().parents[2] / "frontend" / "templates"
FOCUSED = "document.activeElement.dataset.act ?? document.activeElement.id"


@pytest.fixture
def study(transactional_db):
    made = factories.study("focus", annotators=1, items=1)
    factories.open_round(made)
    return made


def opened(page, study, log_in, width, height):
    page.set_viewport_size({"width": width, "height": height})
    log_in(page, "ann", address(study.round))
    ready(page)
    return page


def test_every_dialog_is_left_by_escape_and_gives_the_focus_back(study, page, log_in):
    opened(page, study, log_in, 1500, 900)
    for act in ("list", "guideline", "keys"):
        page.locator(f".ws-strip [data-act={act}]").focus()
        press(page, "Enter")
        expect(page.locator(f"#ws-{act}")).to_be_visible()
        if act == "guideline":  # the focus stays with the text, and the keys for a page turn the guideline's
            press(page, "PageDown")
            assert page.locator("#ws-guideline").evaluate("one => one.scrollTop") > 100
        else:
            press(page, "Tab")
        press(page, "Escape")
        expect(page.locator(f"#ws-{act}")).to_be_hidden()
        assert page.evaluate(FOCUSED) == act
    # The others open by themselves: whatever had the focus gets it back.
    for dialog in ("ws-conflict", "ws-login", "ws-refused"):
        page.locator("#ws-unsure").focus()
        page.evaluate("id => document.getElementById(id).showModal()", dialog)
        for _ in range(7):
            press(page, "Tab")
            assert page.evaluate(
                "id => document.activeElement === document.body"
                " || document.getElementById(id).contains(document.activeElement)",
                dialog,
            )
        press(page, "Escape")
        expect(page.locator(f"#{dialog}")).to_be_hidden()
        assert page.evaluate(FOCUSED) == "unsure"
    assert page.locator("dialog").count() == 6
    assert page.locator("#ws-unsure").get_attribute("aria-pressed") == "false"


def test_no_other_page_has_a_dialog_of_its_own():
    found = {path.name for path in TEMPLATES.rglob("*.html") if "<dialog" in path.read_text("utf-8")}
    assert found == {"_dialogs.html"}


def test_on_a_phone_a_drawer_covers_the_page_and_keeps_the_focus_inside(study, page, log_in):
    opened(page, study, log_in, 360, 740)
    page.locator("#ws-who").focus()
    press(page, "Enter Tab Enter")
    expect(page.locator("#ws-list:modal")).to_be_visible()
    for _ in range(18):
        press(page, "Tab")
        assert page.evaluate("document.activeElement.closest('dialog, body').id") in {"ws-list", ""}
    press(page, "Escape")
    expect(page.locator("#ws-list")).to_be_hidden()
    assert page.evaluate(FOCUSED) == "ws-who"


def test_a_note_gives_the_focus_back_to_the_button_that_opened_it_by_keyboard(study, page, log_in):
    opened(page, study, log_in, 1280, 800)
    page.keyboard.press("Tab")  # from here on the browser knows a keyboard user
    page.locator("#ws-comment").focus()
    press(page, "Enter")
    expect(page.locator("#ws-note-text")).to_be_focused()
    press(page, "Escape")
    assert page.evaluate(FOCUSED) == "comment"
    press(page, "c Escape")
    assert page.evaluate(FOCUSED) == "comment"


def test_the_keyboard_stays_where_it_was_when_a_group_of_buttons_is_drawn_anew(study, page, log_in):
    opened(page, study, log_in, 1280, 800)
    page.keyboard.press("Tab")
    page.locator("#ws-chips [data-jump]").nth(3).focus()
    press(page, "Enter")
    expect(page.locator("#ws-type")).to_have_text("Bias and Subjectivity")
    assert page.evaluate("document.activeElement.textContent") == "BS"
    press(page, "l")
    page.locator("[data-filter=left]").click()
    assert page.evaluate("document.activeElement.dataset.filter") == "left"


@pytest.mark.parametrize(("wish", "running"), [("no-preference", 1), ("reduce", 0)])
def test_nothing_moves_for_people_who_asked_for_that(page, live_server, transactional_db, wish, running):
    page.emulate_media(reduced_motion=wish)
    page.goto(live_server.url + "/accounts/login/")
    found = page.evaluate(
        """() => {
            const made = document.createElement("span");
            Object.assign(made, {className: "status", textContent: "Running"}).dataset.state = "running";
            document.querySelector("main").append(made);
            return document.getAnimations().length;
        }"""
    )
    assert found == running


@pytest.mark.parametrize(("width", "dialog"), [(1280, "keys"), (360, "list")])
def test_a_dialog_that_is_open_when_the_session_ends_says_so_and_the_log_in_works_from_there(
    study, page, log_in, context, width, dialog
):
    opened(page, study, log_in, width, 740)
    context.set_offline(True)
    press(page, "n")
    expect(page.locator("#ws-type")).to_have_text("Temporal Contrast")
    page.evaluate("act => document.querySelector(`[data-act=${act}]`).click()", dialog)
    expect(page.locator(f"#ws-{dialog}:modal")).to_be_visible()
    if dialog == "keys":
        page.locator("#ws-letters").uncheck()
    Session.objects.all().delete()
    context.set_offline(False)
    notice = page.locator(f"#ws-{dialog} #ws-ended")
    expect(notice).to_contain_text("Your session has ended.")
    notice.get_by_role("button", name="Log in").click()
    expect(page.locator("#ws-login")).to_be_visible()
    page.fill("#ws-login-name", "ann")
    page.fill("#ws-login-password", "secret")
    press(page, "Enter")
    expect(page.locator("#ws-login")).to_be_hidden()
    # Back where the person was.
    expect(page.locator(f"#ws-{dialog}")).to_be_visible()
    expect(notice).to_be_hidden()
    if dialog == "keys":
        expect(page.locator("#ws-letters")).not_to_be_checked()
    press(page, "Escape")
    saved(page)
    row = TypeAnnotation.objects.get()
    assert (row.type_code, row.applicable) == ("OSP", False)
