"""Touch, other scripts, small and large windows, screen readers: the same work for everyone."""

import pytest
from playwright.sync_api import expect

from annotation.models import TypeAnnotation
from tests import factories
from tests.e2e.page_checks import COLOURS, load_axe
from tests.e2e.workspace import highlighted, opened, point_of, press, saved

ARABIC = "المكتبة يجب أن تبقى مفتوحة. الجميع يعرف ذلك."
HEBREW_MIXED = "הספרייה ב Cambridge University פתוחה כל הלילה."
JAPANESE = "図書館は一晩中開いているべきだ。"


def violations(page, scheme: str = "light") -> list[str]:
    """Return what axe finds wrong; in dark only what colours decide, since light asks all the rest."""
    if not page.evaluate("'axe' in window"):
        load_axe(page)
    options = {"resultTypes": ["violations"]} | ({"runOnly": COLOURS} if scheme == "dark" else {})
    found, passed = page.evaluate(
        """async options => {
            const done = await axe.run(document, options);
            return [done.violations, done.passes.length];
        }""",
        options,
    )
    assert passed > (0 if scheme == "dark" else 15)
    return [f"{rule['id']}: {node['html']}" for rule in found for node in rule["nodes"]]


@pytest.fixture
def focus(transactional_db):
    return factories.study("focus", annotators=2, items=2)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_state_of_the_focus_page_has_an_accessibility_violation(focus, page, log_in, scheme):
    page.emulate_media(color_scheme=scheme)
    opened(focus, page, log_in, content_warning="Some texts speak of violence.")
    assert violations(page, scheme) == []
    press(page, "Enter")
    expect(page.locator("#ws-text")).to_be_visible()
    assert violations(page, scheme) == []
    for keys in ("y a Shift+a", "Enter y Space", "Escape c", "Escape m", "l", "Escape g", "Escape Shift+?"):
        press(page, keys)
        assert violations(page, scheme) == [], keys
    press(page, "Escape")
    press(page, "n " * 19)
    expect(page.locator("#ws-done-title")).to_be_visible()
    assert violations(page, scheme) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_state_of_the_questions_page_has_an_accessibility_violation(
    transactional_db, page, log_in, scheme
):
    page.emulate_media(color_scheme=scheme)
    made = factories.study("cqs_gen", annotators=2, items=1, questions=3)
    opened(made, page, log_in)
    for keys in ("1", "2", "3", "e", "Escape Escape x"):
        press(page, keys)
        assert violations(page, scheme) == [], keys


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_log_in_pages_have_no_accessibility_violation(transactional_db, page, live_server, scheme):
    page.emulate_media(color_scheme=scheme)
    for path in ("/accounts/login/", "/accounts/password/reset/", "/signed-in/"):
        page.goto(live_server.url + path)
        assert violations(page, scheme) == [], path


@pytest.mark.parametrize(
    ("width", "height"),
    [(360, 740), (390, 844), (768, 1024), (1280, 800), (1920, 1080), (3840, 2160), (320, 256)],
)
def test_every_window_shows_text_question_and_controls_without_sideways_scrolling(
    focus, page, log_in, width, height
):
    page.set_viewport_size({"width": width, "height": height})
    opened(focus, page, log_in)
    press(page, "y ArrowRight")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for part in ("#ws-text", "#ws-live", "#ws-keep", "#ws-save-text"):
        page.locator(part).scroll_into_view_if_needed()
        box = page.locator(part).bounding_box()
        assert box and box["x"] >= 0 and box["x"] + box["width"] <= width, part


def test_people_who_listen_hear_type_step_selection_and_save_state(focus, page, log_in):
    opened(focus, page, log_in)
    heard = page.locator("#ws-say")
    expect(heard).to_have_text("I-1. Other Stakeholder Perspective. Yes or no?")
    press(page, "y")
    expect(heard).to_contain_text("Choose the span.")
    press(page, "ArrowRight Shift+ArrowRight")
    expect(heard).to_have_text("The library")
    press(page, "Enter")
    expect(heard).to_have_text("Temporal Contrast. Yes or no?")
    page.context.set_offline(True)
    press(page, "n")
    expect(page.locator("#ws-say-save")).to_have_text("Offline: 1 waiting")
    page.context.set_offline(False)
    expect(page.locator("#ws-say-save")).to_have_text("All saved")


def test_arabic_stands_right_to_left_and_arrows_follow_what_is_seen(transactional_db, page, log_in):
    made = factories.study("focus", annotators=2, items=1, texts=(ARABIC,))
    opened(made, page, log_in)
    assert page.evaluate("getComputedStyle(document.getElementById('ws-text')).direction") == "rtl"
    press(page, "y ArrowLeft ArrowLeft Shift+ArrowLeft")
    assert highlighted(page) == "يجب أن"
    press(page, "ArrowRight Enter")
    saved(page)
    row = TypeAnnotation.objects.get()
    assert row.quote == "يجب" == ARABIC[row.start : row.end]


def test_in_a_line_of_both_directions_an_arrow_goes_to_the_word_beside(transactional_db, page, log_in):
    made = factories.study("focus", annotators=2, items=1, texts=(HEBREW_MIXED,))
    opened(made, page, log_in)
    press(page, "y ArrowLeft")
    seen = []
    for _ in range(5):
        seen.append(
            (
                highlighted(page),
                page.evaluate("[...CSS.highlights.get('ws-span')][0].getBoundingClientRect().left"),
            )
        )
        press(page, "ArrowLeft")
    lefts = [left for _, left in seen]
    assert lefts == sorted(lefts, reverse=True)
    assert [word for word, _ in seen][:4] == ["הספרייה", "ב", "University", "Cambridge"]


def test_japanese_is_chosen_word_by_word(transactional_db, page, log_in):
    made = factories.study("focus", annotators=2, items=1, texts=(JAPANESE,))
    opened(made, page, log_in)
    press(page, "y ArrowRight Shift+ArrowRight Shift+ArrowRight Enter")
    saved(page)
    row = TypeAnnotation.objects.get()
    assert row.quote == "図書館は一晩" == JAPANESE[row.start : row.end]


def test_a_finger_taps_the_first_word_and_the_last_and_drags_handles(focus, browser, live_server, log_in):
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    opened(focus, page, log_in)
    page.locator("#ws-yes").tap()
    page.touchscreen.tap(*point_of(page, "stay"))
    assert highlighted(page) == "stay"
    page.touchscreen.tap(*point_of(page, "night"))
    assert highlighted(page) == "stay open all night"
    sizes = [handle.bounding_box() for handle in page.locator(".ws-handle").all()]
    assert all(size["width"] >= 44 and size["height"] >= 44 for size in sizes)
    handle = sizes[1]
    x, y = point_of(page, "open")
    client = context.new_cdp_session(page)

    def touch(kind, *points):
        client.send(
            "Input.dispatchTouchEvent",
            {"type": kind, "touchPoints": [{"x": px, "y": py} for px, py in points]},
        )

    touch("touchStart", (handle["x"] + 22, handle["y"] + 22))
    touch("touchMove", (x, y + 30))
    touch("touchMove", (x, y + 34))
    touch("touchEnd")
    assert highlighted(page) == "stay open"
    assert page.evaluate("getSelection().toString()") == ""
    page.locator("#ws-keep").tap()
    saved(page)
    assert TypeAnnotation.objects.get().quote == "stay open"
    context.close()


@pytest.mark.parametrize(
    ("language", "yes", "said", "saved_text"),
    [
        ("es", "Sí", "Tu respuesta: no", "Todo guardado"),
        ("ja", "はい", "あなたの回答:いいえ", "保存済み"),
    ],
)
def test_the_workspace_speaks_the_browsers_language(
    focus, browser, live_server, log_in, language, yes, said, saved_text
):
    context = browser.new_context(locale=language, viewport={"width": 1280, "height": 800})
    page = context.new_page()
    opened(focus, page, log_in)
    assert page.locator("html").get_attribute("lang") == language
    expect(page.locator("#ws-yes span")).to_have_text(yes)
    slots = page.locator(".ws-slot > button").evaluate_all(
        """buttons => buttons.map(button => {
            const words = button.querySelector("span");
            const [own, slot] = [button, button.parentElement].map(one => one.getBoundingClientRect());
            return own.width <= slot.width && words.scrollWidth <= words.clientWidth;
        })"""
    )
    assert slots == [True] * 4, "a button is cut off or lies over the next one"
    press(page, "n k")
    expect(page.locator("#ws-answer")).to_have_text(said)
    expect(page.locator("#ws-save-text")).to_have_text(saved_text)
    context.close()


def test_without_the_highlight_api_boxes_lie_under_the_words(focus, page, log_in):
    page.add_init_script(
        "delete CSS.highlights; Object.defineProperty(CSS, 'highlights', {value: undefined});"
    )
    opened(focus, page, log_in)
    press(page, "y ArrowRight Shift+ArrowRight")
    expect(page.locator("#ws-live-span")).to_have_text("the library")
    box = page.locator("#ws-overlay i:not(.cursor)").bounding_box()
    left, top = point_of(page, "The")
    right, _ = point_of(page, "library", end=True)
    assert box["x"] < left < right < box["x"] + box["width"]
    assert box["y"] < top < box["y"] + box["height"]
    press(page, "Enter")
    saved(page)
    assert TypeAnnotation.objects.get().quote == "The library"
