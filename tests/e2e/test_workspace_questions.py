import pytest
from playwright.sync_api import expect

from annotation.models import AnnotationEvent, QuestionAnnotation
from tests import factories
from tests.e2e.workspace import address, press, ready, saved


@pytest.fixture
def study(transactional_db):
    made = factories.study("cqs_gen", annotators=2, items=2, questions=3)
    factories.open_round(made)
    return made


@pytest.fixture
def workspace(study, page, log_in):
    log_in(page, "ann", address(study.round))
    ready(page)
    return page


def rows():
    return {
        (row.assignment.item.external_id, row.question.position): row
        for row in QuestionAnnotation.objects.select_related("assignment__item", "question").order_by(
            "assignment__item", "question__position"
        )
    }


def test_a_round_is_done_by_keyboard_alone_from_the_log_in(study, page, log_in_by_keyboard):
    log_in_by_keyboard(page, "ann", address(study.round))
    ready(page)
    press(page, "1")
    press(page, "2 q Enter")
    press(page, "3 w")
    press(page, "3 e")
    page.keyboard.press("Control+a")
    page.keyboard.type("Were there others?")
    press(page, "Enter")
    press(page, "x")
    page.keyboard.type("not a sentence")
    press(page, "Enter 1")
    expect(page.locator("#ws-done-title")).to_have_text("Round 1 is done")
    saved(page)
    stored = rows()
    assert [(row.label, row.reason) for row in stored.values()] == [
        ("USE", ""),
        ("UN", ""),
        ("IN", "UR"),
        ("IN", "NC"),
        (None, ""),
        ("USE", ""),
    ]
    assert stored["I-1", 2].comment == "The answer is common sense."
    assert stored["I-2", 1].edited_question == "Were there others?"
    assert (stored["I-2", 2].cannot_judge, stored["I-2", 2].comment) == (True, "not a sentence")


def test_unhelpful_without_a_comment_is_not_stored_and_says_so(workspace):
    press(workspace, "2 Enter")
    expect(workspace.locator("#ws-note-error")).to_have_text("Unhelpful needs a comment that says why.")
    assert AnnotationEvent.objects.count() == 0
    workspace.keyboard.type("everybody knows")
    press(workspace, "Enter")
    saved(workspace)
    assert rows()["I-1", 1].comment == "everybody knows"


def test_what_is_begun_is_marked_survives_a_reload_and_is_met_again_before_the_round_is_done(workspace):
    press(workspace, "2 c")
    workspace.keyboard.type("half a thou")
    workspace.locator(".ws-question").nth(1).click()
    expect(workspace.locator(".ws-question").first).to_contain_text("begun as Unhelpful, not stored yet")
    press(workspace, "1 1 1 1 1")
    expect(workspace.locator(".ws-question").first).to_have_attribute("aria-current", "step")
    saved(workspace)
    workspace.reload()
    ready(workspace)
    expect(workspace.locator("#ws-note-text")).to_have_value("half a thou")
    press(workspace, "c")
    workspace.keyboard.type("ght")
    press(workspace, "Enter")
    expect(workspace.locator("#ws-done-title")).to_have_text("Round 1 is done")
    saved(workspace)
    assert rows()["I-1", 1].comment == "half a thought"


def test_an_edited_question_left_as_it_was_is_none(workspace):
    press(workspace, "3 e Enter")
    saved(workspace)
    row = rows()["I-1", 1]
    assert (row.label, row.reason, row.edited_question) == ("IN", "NC", "")


def test_escape_leaves_what_was_begun_and_records_nothing(workspace):
    press(workspace, "3 e Escape")
    expect(workspace.locator("#ws-choices")).to_be_visible()
    press(workspace, "Escape")
    expect(workspace.locator("#ws-choices")).to_be_hidden()
    expect(workspace.locator("[data-index='2'].ws-label")).to_have_attribute("aria-pressed", "false")
    assert AnnotationEvent.objects.count() == 0


def test_a_label_can_be_changed_and_undone(workspace):
    press(workspace, "1 ArrowUp 3 q")
    saved(workspace)
    assert (rows()["I-1", 1].label, rows()["I-1", 1].reason) == ("IN", "BR")
    press(workspace, "Backspace")
    expect(workspace.locator(".ws-question").first).to_have_attribute("aria-current", "step")
    saved(workspace)
    row = rows()["I-1", 1]
    assert (row.label, row.reason, row.revision) == ("USE", "", 3)


def test_the_text_and_all_its_questions_are_in_view(workspace, study):
    expect(workspace.locator("#ws-text")).to_have_text(factories.INTERVENTION)
    expect(workspace.locator(".ws-question")).to_have_count(3)
    press(workspace, "1 1 1")
    expect(workspace.locator("#ws-item")).to_have_text("I-2")


def test_labels_and_reasons_can_be_clicked(workspace):
    workspace.get_by_role("button", name="Invalid").click()
    workspace.get_by_role("button", name="Too General").click()
    saved(workspace)
    assert rows()["I-1", 1].reason == "TG"
