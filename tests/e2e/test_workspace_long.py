"""Far into a long round: it opens where one stands, texts that are not here come when they are looked for."""

import pytest
from playwright.sync_api import expect

from annotation.models import Assignment, Item, TypeAnnotation
from tests import factories
from tests.e2e.workspace import address, kept_offline, press, ready, saved, until

TEXTS = 420
DONE = 400
KEPT = """
(await new Promise((done) => {
  indexedDB.databases().then(async (all) => {
    const request = indexedDB.open(all.find(({ name }) => name.startsWith("elenchus")).name);
    request.onsuccess = () => {
      const keys = request.result.transaction("texts").objectStore("texts").getAllKeys();
      keys.onsuccess = () => { request.result.close(); done(keys.result.map(String)); };
    };
  });
}))
"""


@pytest.fixture
def made(transactional_db):
    made = factories.study(annotators=1, items=1)
    brought_by = made.items[0].brought_by
    Item.objects.bulk_create(
        Item(
            project=made.project,
            brought_by=brought_by,
            external_id=f"I-{n}",
            text=f"This is text {n}.",
            text_length=len(f"This is text {n}."),
        )
        for n in range(2, TEXTS + 1)
    )
    return made


def decide_first(made):
    TypeAnnotation.objects.bulk_create(
        TypeAnnotation(
            assignment=assignment,
            type_code="LE",
            applicable=False,
            span_required=True,
            text_length=assignment.item.text_length,
            unsure=assignment.position == 7,
        )
        for assignment in Assignment.objects.filter(position__lte=DONE).select_related("item")
    )


def test_a_long_round_opens_where_one_stands_and_goes_on_without_a_network(made, page, log_in):
    factories.open_round(made, types=["LE"])
    decide_first(made)
    log_in(page, "ann", address(made.round))
    ready(page)
    expect(page.locator("#ws-item")).to_have_text(f"I-{DONE + 1}")
    expect(page.locator("#ws-position-long")).to_contain_text(f"{DONE + 1} of {TEXTS}")
    # What was decided last, on whichever page, is what undoing takes back; then it is decided again.
    press(page, "Backspace")
    expect(page.locator("#ws-item")).to_have_text(f"I-{DONE}")
    press(page, "n n")
    saved(page)
    expect(page.locator("#ws-item")).to_have_text(f"I-{DONE + 2}")
    assert page.evaluate("document.getElementById('ws-progress').value") == DONE + 1

    # The list counts all of them and begins with those around; a text that is not here is a jump away.
    press(page, "l")
    filters = page.locator("#ws-list-filter")
    expect(filters).to_contain_text(f"All {TEXTS}")
    expect(filters).to_contain_text(f"Done {DONE + 1}")
    page.locator("[data-filter=flagged]").click()
    expect(page.locator("#ws-list-items")).to_contain_text("This is text 7.")
    page.locator("[data-filter=all]").click()
    page.locator("[data-from]").first.click()
    rows = page.locator("#ws-list-items > li")
    expect(rows.nth(1)).to_contain_text("This is text 301.")
    rows.nth(1).locator("[data-jump]").click()
    expect(page.locator("#ws-item")).to_have_text("I-301")
    expect(page.locator("#ws-text")).to_have_text("This is text 301.")
    press(page, "Escape k")
    expect(page.locator("#ws-item")).to_have_text("I-300")
    press(page, "k")
    expect(page.locator("#ws-item")).to_have_text("I-299")

    # All that is left and what is flagged is kept here, and no more than was looked at of the rest.
    until(page, f"{KEPT}.filter((key) => key.includes(':item:')).length >= {TEXTS - DONE + 1}")
    kept = {
        int(key.rpartition(":")[2]) for key in page.evaluate(f"(async () => {KEPT})()") if ":item:" in key
    }
    assert {7, *range(DONE + 1, TEXTS + 1)} <= kept
    assert 150 not in kept
    kept_offline(page)

    page.context.set_offline(True)
    page.reload()
    ready(page)
    expect(page.locator("#ws-item")).to_have_text(f"I-{DONE + 2}")
    press(page, "n n")
    expect(page.locator("#ws-item")).to_have_text(f"I-{DONE + 4}")
    page.context.set_offline(False)
    saved(page)
    assert TypeAnnotation.objects.filter(applicable=False).count() == DONE + 3
