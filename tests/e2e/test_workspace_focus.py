import pytest
from playwright.sync_api import expect

from annotation.models import AnnotationEvent, TypeAnnotation
from tests import factories
from tests.e2e.workspace import address, highlighted, point_of, press, ready, saved

TEXT = "The library should stay open. Last term it closed at ten and everyone's grades went down. Refuse?"


@pytest.fixture
def study(transactional_db):
    made = factories.study("focus", annotators=2, items=2, texts=(TEXT, "Parks 🎉 make 👩‍👩‍👧 happy. Café!"))
    factories.open_round(made)
    return made


@pytest.fixture
def workspace(study, page, log_in):
    """Ann's workspace."""
    log_in(page, "ann", address(study.round))
    ready(page)
    return page


def rows(member_name="ann"):
    return {
        (row.assignment.item.external_id, row.type_code): row
        for row in TypeAnnotation.objects.filter(assignment__member__user__username=member_name)
        .select_related("assignment__item")
        .order_by("pk")
    }


def test_a_round_is_done_by_keyboard_alone_from_the_log_in(study, page, log_in_by_keyboard):
    log_in_by_keyboard(page, "ann", address(study.round))
    ready(page)
    press(page, "y ArrowRight ArrowRight Shift+ArrowRight Enter")
    press(page, "n " * 9)
    press(page, "n " * 10)
    expect(page.locator("#ws-done-title")).to_have_text("Round 1 is done")
    saved(page)
    stored = rows()
    assert len(stored) == 20
    yes = stored["I-1", "OSP"]
    assert (yes.applicable, yes.start, yes.end, yes.quote) == (True, 4, 18, "library should")
    assert [row.applicable for key, row in stored.items() if key != ("I-1", "OSP")] == [False] * 19


def test_the_question_is_live_and_the_highlight_is_what_is_stored(workspace):
    press(workspace, "y Control+ArrowRight Control+ArrowRight ArrowRight Shift+ArrowRight")
    assert highlighted(workspace) == "term it"
    expect(workspace.locator("#ws-live")).to_have_text(
        "What would other stakeholders with an opposing stance say about term it?"
    )
    press(workspace, "Control+Shift+ArrowRight Enter")
    saved(workspace)
    assert rows()["I-1", "OSP"].quote == "term it closed at ten and everyone's grades went down"


def test_letters_can_be_moved_one_by_one(workspace):
    press(
        workspace, "y ArrowRight Control+Alt+ArrowRight Control+Alt+ArrowRight Control+Alt+Shift+ArrowRight"
    )
    assert highlighted(workspace) == "he l"
    press(workspace, ", Enter")
    saved(workspace)
    assert rows()["I-1", "OSP"].quote == "he "


def test_escape_goes_back_to_yes_or_no_and_records_nothing(workspace):
    press(workspace, "y ArrowRight Escape")
    expect(workspace.locator("#workspace")).to_have_attribute("data-step", "1")
    expect(workspace.locator("#ws-yes")).to_be_visible()
    assert highlighted(workspace) == ""
    assert AnnotationEvent.objects.count() == 0
    press(workspace, "n")
    saved(workspace)
    assert rows()["I-1", "OSP"].applicable is False


def test_enter_without_a_span_records_nothing(workspace):
    press(workspace, "y Enter Enter")
    expect(workspace.locator("#workspace")).to_have_attribute("data-step", "2")
    assert AnnotationEvent.objects.count() == 0


def test_backspace_takes_the_last_decision_back_and_shows_it_again(workspace):
    press(workspace, "y ArrowRight Enter n")
    expect(workspace.locator("#ws-type")).to_have_text("Implicit Existence")
    press(workspace, "Backspace")
    expect(workspace.locator("#ws-type")).to_have_text("Temporal Contrast")
    saved(workspace)
    assert rows()["I-1", "TC"].applicable is None
    press(workspace, "Backspace")
    expect(workspace.locator("#ws-type")).to_have_text("Other Stakeholder Perspective")
    saved(workspace)
    undone = rows()["I-1", "OSP"]
    assert (undone.applicable, undone.quote, undone.revision) == (None, None, 2)


def test_undo_works_after_a_reload_too(workspace):
    press(workspace, "n n")
    saved(workspace)
    workspace.reload()
    ready(workspace)
    expect(workspace.locator("#ws-type")).to_have_text("Implicit Existence")
    press(workspace, "Backspace")
    expect(workspace.locator("#ws-type")).to_have_text("Temporal Contrast")
    saved(workspace)
    assert {code: row.applicable for (_, code), row in rows().items()} == {"OSP": False, "TC": None}


def test_cannot_judge_asks_why_and_is_not_stored_without(workspace):
    press(workspace, "x Enter")
    expect(workspace.locator("#ws-note-error")).to_have_text("Say why this cannot be judged.")
    assert AnnotationEvent.objects.count() == 0
    workspace.keyboard.type("cut off in the middle")
    press(workspace, "Enter")
    expect(workspace.locator("#ws-type")).to_have_text("Temporal Contrast")
    saved(workspace)
    row = rows()["I-1", "OSP"]
    assert (row.cannot_judge, row.applicable, row.comment) == (True, None, "cut off in the middle")


def test_a_flag_and_a_comment_go_with_the_decision_and_can_be_changed_later(workspace):
    press(workspace, "f c")
    workspace.keyboard.type("who is meant?")
    press(workspace, "Enter n")
    saved(workspace)
    row = rows()["I-1", "OSP"]
    assert (row.applicable, row.unsure, row.comment) == (False, True, "who is meant?")
    press(workspace, "k f")
    saved(workspace)
    row = rows()["I-1", "OSP"]
    assert (row.applicable, row.unsure, row.comment, row.revision) == (False, False, "who is meant?", 2)


def test_after_the_tenth_no_none_of_the_above_is_shown(workspace):
    press(workspace, "n " * 9)
    expect(workspace.locator("#ws-last")).not_to_contain_text("None of the Above")
    press(workspace, "n")
    expect(workspace.locator("#ws-last")).to_have_text("None of the Above · no to all types of I-1")


def test_the_list_shows_what_is_done_flagged_and_left_and_jumps(workspace):
    press(workspace, "n n f l")
    expect(workspace.locator("#ws-list-filter")).to_have_text("All 20Left 18Flagged 1Done 2")
    workspace.get_by_role("button", name="Flagged 1").click()
    expect(workspace.locator("#ws-list-items .ws-chip")).to_have_text(["IE"])
    workspace.get_by_role("button", name="Done 2").click()
    workspace.locator("#ws-list-items .ws-chip").first.click()
    expect(workspace.locator("#ws-type")).to_have_text("Other Stakeholder Perspective")
    expect(workspace.locator("#ws-answer")).to_have_text("You said no")


def test_a_decision_can_be_changed_and_its_span_comes_back_selected(workspace):
    press(workspace, "y ArrowRight ArrowRight Enter k")
    assert highlighted(workspace) == "library"
    press(workspace, "y Shift+ArrowRight Enter")
    saved(workspace)
    row = rows()["I-1", "OSP"]
    assert (row.quote, row.revision) == ("library should", 2)


def test_my_decisions_for_this_type_stand_beside_the_text(workspace):
    press(workspace, "y ArrowRight ArrowRight Enter")
    press(workspace, "n " * 9 + "m")
    expect(workspace.locator("#ws-mine")).to_contain_text("1 yes, 0 no")
    expect(workspace.locator("#ws-mine li")).to_have_text(["I-1yeslibrary"])


def test_the_guideline_opens_at_the_type_and_the_keys_still_decide(workspace):
    press(workspace, "n g")
    expect(workspace.locator("#ws-guideline-type h3")).to_have_text("Temporal Contrast")
    expect(workspace.locator("#ws-guideline-all")).to_contain_text("Probing an argument")
    press(workspace, "y ArrowRight Enter")
    saved(workspace)
    assert rows()["I-1", "TC"].quote == "The"


def test_a_mouse_drag_snaps_to_words_and_a_modifier_turns_that_off(workspace):
    press(workspace, "y")
    start, end = point_of(workspace, "brary should"), point_of(workspace, "sho", end=True)
    workspace.mouse.move(*start)
    workspace.mouse.down()
    workspace.mouse.move(*end, steps=4)
    workspace.mouse.up()
    assert highlighted(workspace) == "library should"
    workspace.keyboard.down("Alt")
    workspace.mouse.move(*start)
    workspace.mouse.down()
    workspace.mouse.move(*end, steps=4)
    workspace.mouse.up()
    workspace.keyboard.up("Alt")
    assert highlighted(workspace) in {"brary sh", "brary sho", "rary sho", "rary sh"}


def test_a_click_takes_a_word_and_a_second_one_extends(workspace):
    workspace.locator("#ws-yes").click()
    workspace.mouse.click(*point_of(workspace, "stay"))
    assert highlighted(workspace) == "stay"
    workspace.mouse.click(*point_of(workspace, "library", end=True))
    assert highlighted(workspace) == "library should stay"
    workspace.mouse.click(*point_of(workspace, "Last"))
    assert highlighted(workspace) == "Last"
    workspace.locator("#ws-keep").click()
    saved(workspace)
    assert rows()["I-1", "OSP"].quote == "Last"


def test_the_texts_node_never_changes_while_selecting(workspace):
    workspace.evaluate(
        """() => { window.changes = 0;
        new MutationObserver((all) => { window.changes += all.length; }).observe(
            document.getElementById('ws-text'), {childList: true, characterData: true, subtree: true}); }"""
    )
    press(workspace, "y ArrowRight Shift+ArrowRight Shift+ArrowDown ArrowUp Control+ArrowRight Enter n")
    assert workspace.evaluate("window.changes") == 0


def test_nothing_moves_when_the_step_changes(workspace):
    places = """
        () => ['text', 'dock', 'strip', 'rule-card', 'chips', 'yes', 'save'].map((name) => {
            const box = document.getElementById('ws-' + name).getBoundingClientRect();
            return [name, box.x, box.y, box.width, box.height];
        })"""
    before = workspace.evaluate(places)
    press(workspace, "y ArrowRight Shift+ArrowDown Shift+ArrowDown")
    assert workspace.evaluate(places) == before
    press(workspace, "c")
    assert workspace.evaluate(places) == before


def test_emoji_and_accents_are_stored_in_code_points(workspace):
    press(workspace, "n " * 10)
    press(workspace, "y ArrowRight ArrowRight Shift+ArrowRight Shift+ArrowRight Enter")
    saved(workspace)
    row = rows()["I-2", "OSP"]
    assert (row.start, row.end, row.quote) == (6, 18, "🎉 make 👩‍👩‍👧")


def drag(page, first: str, last: str, *, beyond: tuple[float, float] | None = None) -> None:
    page.mouse.move(*point_of(page, first))
    page.mouse.down()
    page.mouse.move(*point_of(page, last, end=True), steps=4)
    if beyond:
        page.mouse.move(*beyond, steps=4)
    page.mouse.up()


def test_words_selected_before_the_decision_are_the_span_that_y_shows(workspace):
    drag(workspace, "library", "stay")
    assert (highlighted(workspace), highlighted(workspace, "ws-chosen")) == ("", "library should stay")
    press(workspace, "y")
    assert highlighted(workspace) == "library should stay"
    assert highlighted(workspace, "ws-chosen") == ""
    assert workspace.evaluate("getSelection().toString()") == ""
    press(workspace, "Enter")
    drag(workspace, "Last", "term")
    press(workspace, "n")
    assert highlighted(workspace, "ws-chosen") == ""
    saved(workspace)
    assert [(code, row.applicable, row.quote) for (_, code), row in rows().items()] == [
        ("OSP", True, "library should stay"),
        ("TC", False, None),
    ]


def test_a_drag_that_leaves_the_text_keeps_its_words_and_keep_stands_at_its_end(workspace):
    press(workspace, "y")
    x, y = point_of(workspace, "Last")
    drag(workspace, "Last", "term", beyond=(5, y))
    assert highlighted(workspace) == "The library should stay open. Last"
    drag(workspace, "stay", "open", beyond=(1270, y))
    assert highlighted(workspace).startswith("stay open. Last term")
    workspace.mouse.click(x, y, click_count=3)
    assert highlighted(workspace).startswith("Last term it closed at ten")
    workspace.mouse.click(*point_of(workspace, "library"))
    assert highlighted(workspace) == "library"
    workspace.keyboard.down("Alt")
    drag(workspace, " should", " should")
    workspace.keyboard.up("Alt")
    workspace.mouse.click(*point_of(workspace, "ten"))
    workspace.locator("#ws-keep-here").click()
    saved(workspace)
    assert rows()["I-1", "OSP"].quote == "ten"


def test_letters_go_to_their_words_and_space_to_the_span_of_another_type(workspace):
    press(workspace, "y s Shift+O")
    assert highlighted(workspace) == "should stay open"
    press(workspace, "l")
    assert highlighted(workspace) == "Last"
    press(workspace, "z")
    expect(workspace.locator("#ws-last")).to_have_text("No word begins with “z” there.")
    press(workspace, "l Enter s y Space")
    assert (highlighted(workspace), highlighted(workspace, "ws-mine")) == ("library", "library")
    expect(workspace.locator("#ws-same-spans")).to_have_text("OSP")
    press(workspace, "Enter")
    saved(workspace)
    assert [row.quote for row in rows().values()] == ["library", "library"]


def test_the_guideline_follows_the_type_and_leaves_its_rule_in_sight(workspace):
    press(workspace, "g n")
    expect(workspace.locator("#ws-guideline-type h3")).to_have_text("Temporal Contrast")
    guideline, rule = (
        workspace.locator("#ws-guideline").bounding_box(),
        workspace.locator("#ws-rule-card").bounding_box(),
    )
    assert rule["x"] + rule["width"] <= guideline["x"]


def test_what_another_program_does_to_the_text_is_put_back_and_said(workspace):
    press(workspace, "y l")
    workspace.evaluate(
        """() => {
            const font = document.createElement('font');
            font.textContent = 'Die Bibliothek';
            document.getElementById('ws-text').firstChild.replaceWith(font);
        }"""
    )
    expect(workspace.locator("#ws-text")).to_have_text(TEXT)
    expect(workspace.locator("#ws-last")).to_contain_text("Another program changed the text")
    assert highlighted(workspace) == "library"
    assert workspace.evaluate("[document.getElementById('ws-text').translate, CSS.highlights.size > 0]") == [
        False,
        True,
    ]


@pytest.mark.parametrize("size", [(844, 390), (640, 450)])
def test_in_a_low_window_the_question_and_what_opens_stay_above_the_strip(workspace, size):
    workspace.set_viewport_size({"width": size[0], "height": size[1]})
    press(workspace, "y Control+End")
    strip = workspace.locator("#ws-strip").bounding_box()
    assert strip["y"] + strip["height"] <= size[1] + 1
    live = workspace.locator("#ws-live").bounding_box()
    assert live["y"] >= 0 and live["y"] + live["height"] <= strip["y"]
    at = workspace.evaluate("[...CSS.highlights.get('ws-cursor')][0].getBoundingClientRect().bottom")
    assert at <= workspace.locator("#ws-dock").bounding_box()["y"]
    workspace.locator("#ws-comment").click()
    note = workspace.locator("#ws-note-text").bounding_box()
    strip = workspace.locator("#ws-strip").bounding_box()
    assert note["y"] >= 0 and note["y"] + note["height"] <= strip["y"]
    assert workspace.evaluate("document.documentElement.scrollWidth") == size[0]
