"""300 decisions while the web server is killed ten times and the network is cut twice."""

import random

from playwright.sync_api import expect

from tests.e2e.workspace import press, ready

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
    page.wait_for_url("**/work/")
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
    expect(page.locator("#ws-save-text")).to_have_text("All saved", timeout=60_000)
    assert len(chosen) == ITEMS * TYPES
    assert stored(installation) == chosen
    assert installation.rows("select count(*) from annotation_annotationevent") == [(events,)]


SELECTED = "() => [...CSS.highlights.get('ws-span')][0].toString()"
