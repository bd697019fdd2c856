"""A file is dropped anywhere on the form that takes it; dropped elsewhere it does not take the page away."""

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Upload
from tests import factories
from tests.conftest import client_of

DRAG = """([selector, kind, names]) => {
    const dragged = new DataTransfer();
    const content = ["id,text\\nx1,A text.\\n"];
    for (const name of names) dragged.items.add(new File(content, name, {type: "text/csv"}));
    const event = new DragEvent(kind, {bubbles: true, cancelable: true, dataTransfer: dragged});
    return !document.querySelector(selector).dispatchEvent(event);  // whether the browser keeps its hands off
}"""


@pytest.fixture
def lea(page: Page, live_server, transactional_db) -> Page:
    factories.study("focus", items=0, slug="s")
    session = client_of("lea").cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    page.goto(f"{live_server.url}/p/s/import/")
    return page


def drag(page: Page, selector: str, kind: str, *names: str) -> bool:
    return page.evaluate(DRAG, [selector, kind, list(names or ["items.csv"])])


def test_the_form_asks_only_what_the_kind_of_file_needs(lea):
    shown = {}
    for kind in ("items", "judgements", "focus"):
        lea.locator(f"[name=holds][value={kind}]").check()
        fields = lea.locator(".import-form [name]:visible").evaluate_all("all => all.map((one) => one.name)")
        shown[kind] = sorted({*fields} - {"file", "holds", "keep_votes"})
    assert shown == {"items": ["correct"], "judgements": ["asked", "round_name"], "focus": ["set_name"]}


def test_a_file_dropped_on_the_form_is_chosen_and_checked(lea, live_server):
    form = lea.locator("form.import-form")
    assert drag(lea, "h1", "dragover")
    expect(form).to_have_attribute("data-drop", "near")
    assert drag(lea, "form.import-form h2", "dragover")
    expect(form).to_have_attribute("data-drop", "over")
    assert drag(lea, "form.import-form h2", "drop", "items.csv", "second.csv")
    expect(form).to_have_attribute("data-drop", "")
    chosen = "field => [...field.files].map((file) => file.name)"
    assert lea.locator("[type=file]").evaluate(chosen) == ["items.csv", "second.csv"]
    assert drag(lea, "form.import-form h2", "drop", "items.csv")
    assert lea.locator("[type=file]").evaluate(chosen) == ["items.csv"]
    lea.get_by_role("button", name="Check this file").click()
    expect(lea.get_by_text("1 new item", exact=True)).to_be_visible()
    assert Upload.objects.get().name == "items.csv"


def test_a_file_dropped_beside_the_form_leaves_the_page_and_the_choice_as_they_are(lea):
    assert drag(lea, "form.import-form", "drop")
    for kind in ("dragover", "drop"):
        assert drag(lea, "h1", kind, "another.csv")
    assert lea.locator("[type=file]").evaluate("field => field.files[0].name") == "items.csv"
    drag(lea, "h1", "dragover")
    lea.evaluate("document.dispatchEvent(new DragEvent('dragleave'))")  # the pointer left the window
    expect(lea.locator("form.import-form")).to_have_attribute("data-drop", "")


def test_a_dragged_selection_is_left_to_the_browser(lea):
    assert not lea.evaluate(
        """() => {
            const dragged = new DataTransfer();
            dragged.setData("text/plain", "words");
            const event = new DragEvent("dragover", {bubbles: true, cancelable: true, dataTransfer: dragged});
            return !document.querySelector("h1").dispatchEvent(event);
        }"""
    )
