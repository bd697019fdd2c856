"""300 decisions while the web server is killed ten times and the network is cut twice."""

import random
import shutil

from playwright.sync_api import expect

from tests.e2e.workspace import kept_offline, press, ready, saved
from tests.installation import Installation

ITEMS, TYPES, CHANGES = 30, 10, 20


def stored(installation) -> dict[tuple[int, str], tuple[int | None, str | None]]:
    return {
        (position, code): (applicable, quote)
        for position, code, applicable, quote in installation.rows(
            "select position, type_code, applicable, quote from annotation_typeannotation"
            " join annotation_assignment on annotation_assignment.id = assignment_id"
        )
    }


def test_300_decisions_through_ten_kills_and_two_cuts_are_stored_once_and_as_last_chosen(installation, page):
    installation.seed(items=ITEMS)
    installation.start()
    dice = random.Random(20)
    page.goto(f"{installation.url}/accounts/login/?next=/p/bench/rounds/1/work/")
    page.fill("[name=login]", "ann")
    page.fill("[name=password]", "secret")
    page.press("[name=password]", "Enter")
    page.wait_for_url(f"{installation.url}/p/bench/rounds/1/work/")
    ready(page)
    expect(page.locator("#ws-position")).to_have_text(f"Argument 1 of {ITEMS} · type 1 of {TYPES}")

    places = list(range(ITEMS * TYPES))
    kills = {5 + 29 * number + dice.randrange(20) for number in range(10)}
    cuts = {place: place + 15 for place in dice.sample(places[20:-40:40], 2)}
    changed = set(dice.sample(places[2:-1], CHANGES))
    chosen: dict[tuple[int, str], tuple[int, str | None]] = {}
    events = 0

    def decide() -> None:
        nonlocal events
        position = int(page.locator("#ws-item").inner_text().removeprefix("I-"))
        code = page.locator("#ws-chips [aria-current]").inner_text().strip("✓–?⚑")
        if dice.random() < 0.5:
            press(page, "y " + "ArrowRight " * dice.randint(1, 3) + "Shift+ArrowRight " * dice.randint(0, 2))
            chosen[position, code] = (1, page.locator("#ws-text").evaluate(SELECTED))
            press(page, "Enter")
        else:
            press(page, "n")
            chosen[position, code] = (0, None)
        events += 1

    for place in places:
        if place in kills:
            installation.kill()
        if place in cuts:
            page.context.set_offline(True)
        if place in cuts.values():
            page.context.set_offline(False)
        decide()
        if place in changed:
            press(page, "k")
            decide()
        if place - 4 in kills:
            installation.start()
    if installation.process is None:
        installation.start()
    page.context.set_offline(False)

    expect(page.locator("#ws-done-title")).to_have_text("Round 1 is done")
    page.locator("#ws-save").click()
    expect(page.locator("#ws-save-text")).to_have_text("All saved")
    assert len(chosen) == ITEMS * TYPES
    assert stored(installation) == chosen
    assert installation.rows("select count(*) from annotation_annotationevent") == [(events,)]


SELECTED = "() => [...CSS.highlights.get('ws-span')][0].toString()"


def test_below_a_path_of_a_host_the_workspace_reloads_offline_and_sends_all_when_it_is_back(
    migrated, tmp_path, page
):
    made = Installation(shutil.copytree(migrated, tmp_path / "data"), ELENCHUS_PATH="/elenchus")
    made.seed(items=2)
    made.start()
    site = f"{made.url}/elenchus/"
    asked: list[str] = []
    page.context.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: dialog.accept())
    try:
        page.goto(f"{site}accounts/login/?next=/elenchus/p/bench/rounds/1/work/")
        page.fill("[name=login]", "ann")
        page.fill("[name=password]", "secret")
        page.press("[name=password]", "Enter")
        page.wait_for_url(f"{site}p/bench/rounds/1/work/")
        ready(page)
        kept_offline(page)
        worker = page.evaluate("navigator.serviceWorker.controller.scriptURL")
        assert worker.endswith("/elenchus/p/offline-worker.js")
        press(page, "n")
        saved(page)
        page.context.set_offline(True)
        press(page, "n")
        expect(page.locator("#ws-save-text")).to_have_text("Offline: 1 waiting")
        page.reload()
        ready(page)
        expect(page.locator("#ws-type")).to_have_text("Implicit Existence")
        press(page, "y ArrowRight Enter")
        page.context.set_offline(False)
        saved(page)
        made.kill()
        press(page, "n")
        made.start()
        saved(page)
        found = made.rows("SELECT type_code, applicable FROM annotation_typeannotation ORDER BY id")
        assert found == [("OSP", 0), ("TC", 0), ("IE", 1), (found[3][0], 0)]
        # Nothing was asked of what else may live on the host.
        assert [url for url in asked if not url.startswith((site, "data:", "blob:"))] == []
    finally:
        made.kill()
