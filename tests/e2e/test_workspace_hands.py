"""Keys held down, double clicks, work left in the middle, and keys quicker than the network."""

import pytest
from playwright.sync_api import expect

from annotation.models import AnnotationEvent, QuestionAnnotation, TypeAnnotation
from annotation.projects.projects import member_add
from tests import factories
from tests.e2e.conftest import session_of
from tests.e2e.workspace import address, highlighted, opened, point_of, press, ready, saved, until

# Where the page was quicker the button is gone: then there is nothing to press.
TRY_AGAIN = "document.getElementById('ws-trouble-again')?.click()"
ARABIC = (
    "المكتبة يجب أن تبقى مفتوحة طوال الليل لأن الجميع يعرف أن الطلاب يدرسون في الليل ولا يستطيعون العمل "
    "في البيت. في الفصل الماضي أغلقت المكتبة في العاشرة وانخفضت درجات الجميع، ولذلك لا يوجد سبب للرفض."
)
# The words that stand on the same line as the last one highlighted: the first and the last of them.
LINE = """() => {
    const node = document.getElementById('ws-text').firstChild, range = document.createRange();
    const at = [...CSS.highlights.get('ws-cursor')][0].getBoundingClientRect();
    const segments = [...new Intl.Segmenter("ar", {granularity: "word"}).segment(node.data)];
    const words = segments.filter(({isWordLike}) => isWordLike);
    const line = words.filter(({index, segment}) => {
        range.setStart(node, index); range.setEnd(node, index + segment.length);
        const box = range.getBoundingClientRect();
        return Math.abs(box.top - at.top) < at.height / 2;
    });
    return [line[0].segment, line.at(-1).segment];
}"""


@pytest.fixture
def focus(transactional_db):
    return factories.study("focus", annotators=1, items=1)


def test_a_key_held_down_and_a_double_click_decide_one_unit_each(focus, page, log_in):
    opened(focus, page, log_in)
    for _ in range(4):
        page.keyboard.down("n")
    page.keyboard.up("n")
    saved(page)
    expect(page.locator("#ws-type")).to_have_text("Temporal Contrast")
    page.locator("#ws-no").dblclick()
    saved(page)
    page.locator("#ws-chips [data-jump]").nth(3).click()
    press(page, "y ArrowRight Escape")
    page.locator("#ws-yes").dblclick()  # “Keep this span” takes the place of “Yes”
    expect(page.locator("#workspace")).to_have_attribute("data-step", "2")
    press(page, "Escape")
    page.locator("#ws-chips [data-jump]").nth(2).click()
    expect(page.locator("#ws-type")).to_have_text("Implicit Existence")
    for _ in range(3):
        page.keyboard.down("Backspace")
    page.keyboard.up("Backspace")
    saved(page)
    assert list(AnnotationEvent.objects.order_by("id").values_list("type_code", "revision")) == [
        ("OSP", 1),
        ("TC", 1),
        ("TC", 2),
    ]


def test_a_span_and_a_comment_that_were_begun_come_back_after_a_jump_and_a_reload(focus, page, log_in):
    opened(focus, page, log_in)
    press(page, "y ArrowRight ArrowRight Shift+ArrowRight")
    page.locator("#ws-chips [data-jump]").nth(3).click()
    press(page, "k k k y")
    assert highlighted(page) == "library should"
    page.locator("#ws-comment").click()
    page.keyboard.type("half a thou")
    page.reload()
    ready(page)
    press(page, "c")
    expect(page.locator("#ws-note-text")).to_have_value("half a thou")
    press(page, "Enter y")
    assert highlighted(page) == "library should"
    press(page, "Enter")
    saved(page)
    row = TypeAnnotation.objects.get()
    assert (row.quote, row.comment) == ("library should", "half a thou")


def test_the_enter_that_ends_a_composition_keeps_no_note(focus, page, log_in):
    opened(focus, page, log_in)
    press(page, "x")
    page.keyboard.type("わけ")
    for ended in ({"isComposing": True}, {"keyCode": 229}):
        page.locator("#ws-note-text").evaluate(
            "(one, more) => one.dispatchEvent("
            "new KeyboardEvent('keydown', {key: 'Enter', bubbles: true, cancelable: true, ...more}))",
            ended,
        )
        expect(page.locator("#ws-note-text")).to_be_focused()
    press(page, "Enter")
    saved(page)
    assert list(AnnotationEvent.objects.values_list("type_code", flat=True)) == ["OSP"]
    assert TypeAnnotation.objects.get().comment == "わけ"


def test_home_and_end_go_to_the_ends_of_the_line_as_it_is_seen_also_from_right_to_left(
    transactional_db, page, log_in
):
    made = factories.study("focus", annotators=1, items=1, texts=(ARABIC,))
    opened(made, page, log_in)
    press(page, "y ArrowLeft ArrowLeft ArrowDown")
    first, last = page.evaluate(LINE)
    press(page, "Home")
    assert highlighted(page) == first
    press(page, "Shift+End")
    assert highlighted(page).startswith(first) and highlighted(page).endswith(last)
    assert len(highlighted(page).split()) > 3
    press(page, "Control+Home")
    assert highlighted(page) == ARABIC.split()[0]
    press(page, "Shift+Control+End Enter")
    saved(page)
    assert TypeAnnotation.objects.get().quote == ARABIC.removesuffix(".")


def test_a_drag_keeps_its_beginning_while_the_text_scrolls(transactional_db, page, log_in):
    text = " ".join(f"Sentence {number} speaks of the library." for number in range(1, 120))
    made = factories.study("focus", annotators=1, items=1, texts=(text,))
    opened(made, page, log_in)
    press(page, "y")
    page.mouse.move(*point_of(page, "Sentence 4"))
    page.mouse.down()
    page.mouse.move(*point_of(page, "Sentence 6"), steps=2)
    page.mouse.wheel(0, 150)
    until(page, "document.querySelector('.ws-read').scrollTop > 100")
    page.mouse.move(*point_of(page, "12", end=True), steps=3)
    page.mouse.up()
    chosen = highlighted(page)
    assert chosen.startswith("Sentence 4") and chosen.endswith("12")


def test_no_key_gets_past_a_content_warning(focus, page, log_in):
    opened(focus, page, log_in, content_warning="Speaks of violence.")
    press(page, "Enter n")
    saved(page)
    page.evaluate("sessionStorage.clear()")
    page.reload()
    ready(page)
    press(page, "Tab l Backspace n k")
    expect(page.locator("#ws-warning-text")).to_be_visible()
    assert (page.locator("#ws-list").is_visible(), page.locator("#ws-text").inner_text()) == (False, "")
    page.locator("#ws-warning-go").click()
    expect(page.locator("#ws-type")).to_have_text("Temporal Contrast")
    assert TypeAnnotation.objects.get().revision == 1


def test_who_has_no_text_in_a_round_is_told_so(focus, page, log_in):
    factories.open_round(focus)
    member_add(project=focus.project, user=factories.user("bea"))
    log_in(page, "bea", address(focus.round))
    ready(page)
    expect(page.locator("#ws-done-title")).to_have_text("Nothing is assigned to you")


def test_an_error_in_the_page_is_said_and_what_was_decided_stays_decided(focus, page, log_in):
    opened(focus, page, log_in)
    press(page, "n")
    page.evaluate("() => { setTimeout(() => { throw new Error('drawing'); }); }")
    expect(page.locator("#ws-last")).to_contain_text("Something went wrong on this page.")
    saved(page)
    assert TypeAnnotation.objects.get().applicable is False


def test_from_right_to_left_the_handles_stand_at_the_spans_own_ends_also_once_the_tablet_is_turned(
    transactional_db, browser, live_server, log_in
):
    made = factories.study("focus", annotators=1, items=1, texts=(ARABIC,))
    context = browser.new_context(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    page = opened(made, context.new_page(), log_in)
    page.locator("#ws-yes").tap()
    page.touchscreen.tap(*point_of(page, "تبقى"))
    page.touchscreen.tap(*point_of(page, "يستطيعون"))
    for size in ({"width": 360, "height": 740}, {"width": 740, "height": 700}):
        page.set_viewport_size(size)
        until(page, f"innerWidth === {size['width']}")
        for handle, word, end in (("start", "تبقى", False), ("end", "يستطيعون", True)):
            expect(page.locator(f".ws-handle[data-edge={handle}]")).to_be_visible()
            box = page.locator(f".ws-handle[data-edge={handle}]").bounding_box()
            x, y = point_of(page, word, end=end)
            assert abs(box["x"] + 22 - x) < 12 and 0 < box["y"] - y + 22 < 44, (size, handle)
    context.close()


def test_a_text_of_marks_alone_can_be_highlighted(transactional_db, page, log_in):
    made = factories.study("focus", annotators=1, items=1, texts=("?! … — !!",))
    opened(made, page, log_in)
    press(page, "y ArrowRight Shift+ArrowRight Enter")
    saved(page)
    assert TypeAnnotation.objects.get().quote == "?! …"


@pytest.mark.browser_context_args(service_workers="block")  # a worker's requests pass by the route
def test_while_the_next_text_is_on_its_way_no_key_reaches_the_one_before(transactional_db, page, log_in):
    made = factories.study("focus", annotators=2, items=12)
    page.route("**/units/?after=10*", lambda route: route.abort())
    opened(made, page, log_in, order="by_type")
    press(page, "y ArrowRight Enter " * 10 + "n Enter k")
    expect(page.locator("#ws-trouble-title")).to_have_text("The next text is on its way")
    saved(page)
    assert [row.applicable for row in TypeAnnotation.objects.all()] == [True] * 10
    # The page also tries by itself: who is logged in changes at once, and before the network lets it through.
    cookies = page.context.cookies()
    page.context.add_cookies([session_of("bea", page.url)])  # whose texts are not taken into Ann's page
    page.unroute("**/units/?after=10*")
    with page.expect_response("**/rounds/1/workspace/"):
        page.evaluate(TRY_AGAIN)
    expect(page.locator("#ws-trouble-title")).to_be_visible()
    assert page.evaluate("document.getElementById('ws-item').textContent") == "I-10"
    page.context.add_cookies(cookies)
    page.evaluate(TRY_AGAIN)
    expect(page.locator("#ws-item")).to_have_text("I-11")


def test_why_a_question_was_unhelpful_does_not_pass_to_another_label(transactional_db, page, log_in):
    made = factories.study("cqs_gen", annotators=1, items=1, questions=3)
    opened(made, page, log_in)
    press(page, "2 q Escape 1")
    press(page, "2 q Enter ArrowUp 1")
    saved(page)
    rows = QuestionAnnotation.objects.order_by("question__position")
    assert [(row.label, row.comment) for row in rows] == [("USE", ""), ("USE", "")]


def test_nothing_moves_while_a_label_asks_for_its_reason(transactional_db, page, log_in):
    made = factories.study("cqs_gen", annotators=1, items=1, questions=3)
    page.set_viewport_size({"width": 820, "height": 1180})
    opened(made, page, log_in)
    places = """
        () => [...document.querySelectorAll(
            '#ws-text, .ws-question, #ws-dock, #ws-strip button, #ws-save, #ws-position')].map((one) => {
            const box = one.getBoundingClientRect();
            return [one.id || one.textContent, box.x, box.y, box.width, box.height];
        })"""
    before = page.evaluate(places)
    for keys in ("2", "q", "Escape 3", "e", "Escape Escape", "f", "x"):
        press(page, keys)
        assert page.evaluate(places) == before, keys
