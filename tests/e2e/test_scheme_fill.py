"""A lead fills a scheme in a browser: spans of the text by keyboard and by mouse, or typed words."""

import pytest
from playwright.sync_api import expect

from assist.candidates.schemes import catalogue, scheme_questions
from assist.models import SchemeFilling
from tests.conftest import client_of
from tests.e2e.lead import looked_at
from tests.e2e.workspace import highlighted, point_of, press
from tests.factories import study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TEXT = "The streets are wet this morning.\nIt rained all night, says Mia, so take a coat."


@pytest.fixture
def lea(page, live_server):
    """The candidate questions of an item with a scheme of two slots; an error of a script fails the test."""
    made = study("cqs_gen", annotators=1, items=1, questions=0, texts=(TEXT,), slug="s")
    said: list[str] = []
    page.on("pageerror", lambda error: said.append(str(error)))
    session = client_of("lea").cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    page.goto(f"{live_server.url}/p/s/assistants/items/{made.items[0].pk}/?scheme=sign")
    expect(page.locator("#fill-box")).to_be_visible()
    yield page
    assert said == []


def questions(page):
    return page.locator("#fill-questions li").all_inner_texts()


def slot(page, name):
    return page.get_by_role("textbox", name=name)


def filled(**slots):
    """Return what the server makes of words in the slots, which is what the page has to show."""
    return scheme_questions(catalogue()["sign"], {f"<{name}>": words for name, words in slots.items()})


def test_a_scheme_is_filled_by_keyboard_alone_and_its_questions_appear_as_it_is(lea):
    assert questions(lea) == filled()
    lea.locator("#fill-box").focus()
    press(lea, "t s Shift+ArrowRight Shift+ArrowRight")
    assert highlighted(lea) == "streets are wet"
    expect(slot(lea, "<eventA>")).to_have_value("streets are wet")
    assert questions(lea) == filled(eventA="streets are wet")
    press(lea, "Enter")
    expect(lea.locator("#fill-now")).to_have_text("<eventB>")
    assert (highlighted(lea), highlighted(lea, "ws-stored")) == ("", "streets are wet")
    press(lea, "i Shift+ArrowRight")
    expect(slot(lea, "<eventB>")).to_have_value("It rained")
    assert questions(lea) == filled(eventA="streets are wet", eventB="It rained")
    press(lea, "Enter")
    expect(lea.get_by_role("button", name="Add its questions")).to_be_focused()
    press(lea, "Enter")
    expect(lea.get_by_text("The scheme’s questions wait with the others.")).to_be_visible()
    found = SchemeFilling.objects.get()
    assert found.slots == {"<eventA>": "streets are wet", "<eventB>": "It rained"}
    texts = list(found.proposed.order_by("pk").values_list("text", flat=True))
    assert texts == filled(eventA="streets are wet", eventB="It rained")


def test_a_scheme_is_filled_by_mouse_and_typed_words_are_compared_with_the_text(lea):
    lea.locator("#fill-text").scroll_into_view_if_needed()
    lea.mouse.move(*point_of(lea, "wet", within="fill-text"))
    lea.mouse.down()
    lea.mouse.move(*point_of(lea, "morning", end=True, within="fill-text"), steps=4)
    lea.mouse.up()
    expect(slot(lea, "<eventA>")).to_have_value("wet this morning")
    slot(lea, "<eventB>").fill("it SNOWED")
    expect(lea.locator("#slot-2-not")).to_be_visible()
    expect(lea.locator("#slot-1-not")).to_be_hidden()
    assert questions(lea) == filled(eventA="wet this morning", eventB="it SNOWED")
    slot(lea, "<eventB>").fill("it RAINED  all")
    expect(lea.locator("#slot-2-not")).to_be_hidden()
    lea.mouse.click(*point_of(lea, "night", within="fill-text"))
    expect(slot(lea, "<eventB>")).to_have_value("night")
    looked_at(lea, "scheme-fill")
    lea.get_by_role("button", name="Add its questions").click()
    expect(lea.get_by_text("The scheme’s questions wait with the others.")).to_be_visible()
    assert SchemeFilling.objects.get().slots == {"<eventA>": "wet this morning", "<eventB>": "night"}


def test_escape_empties_the_slot_in_hand_and_a_slot_left_empty_is_refused(lea):
    lea.locator("#fill-box").focus()
    press(lea, "s Escape")
    expect(slot(lea, "<eventA>")).to_have_value("")
    assert (highlighted(lea), questions(lea)) == ("", filled())
    slot(lea, "<eventA>").fill("It snowed")
    lea.get_by_role("button", name="Add its questions").click()
    expect(lea.get_by_text("Some slots have no words yet.")).to_be_visible()
    expect(slot(lea, "<eventA>")).to_have_value("It snowed")
    expect(lea.locator("#slot-1-not")).to_be_visible()
