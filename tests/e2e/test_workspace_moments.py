"""At each moment of a round, a page that comes back shows what the server holds plus what waits here."""

from itertools import cycle

import pytest
from playwright.sync_api import expect

from annotation.models import Round, TypeAnnotation
from annotation.rounds.lifecycle import round_close, round_pause, round_resume
from tests import factories
from tests.e2e.workspace import address, highlighted, press, ready, saved

# What waits in this browser, in the order in which it was decided.
WAITING = """async () => {
    const [{name}] = (await indexedDB.databases()).filter(({name}) => name.startsWith('elenchus-member'));
    const database = await new Promise((resolve) => {
        const request = indexedDB.open(name); request.onsuccess = () => resolve(request.result); });
    const entries = await new Promise((resolve) => {
        const request = database.transaction('outbox').objectStore('outbox').getAll();
        request.onsuccess = () => resolve(request.result); });
    database.close();
    return entries.sort((a, b) => a.seq - b.seq).map(({unit, answer}) => [unit, answer]);
}"""
WAITS_HERE = {
    "a span that is begun",
    "the network is away",
    "it is back",
    "the round is paused",
    "it goes on",
}
"""The moments at which the browser holds, or has just handed over, what the server has not."""
LIST = "document.querySelector('[data-act=list]').click()"  # while a span is chosen, L is a letter
SHOWN = """() => [...document.querySelectorAll('#ws-list-items [data-jump]')].map(
    ({dataset, title}) => [dataset.jump, dataset.answer, title])"""


def kind(answer) -> str:
    if answer is None:
        return ""
    return "cannot" if answer["cannot_judge"] else {True: "yes", False: "no", None: ""}[answer["applicable"]]


def true_answers(waiting) -> dict[str, tuple[str, str]]:
    """Return what each unit was answered, by the server and then by what waits: the kind and the quote."""
    answers = {
        f"{row.assignment_id}:{row.type_code}": {
            "applicable": row.applicable,
            "cannot_judge": row.cannot_judge,
            "quote": row.quote,
        }
        for row in TypeAnnotation.objects.all()
    } | dict(waiting)
    return {unit: (kind(answer), (answer or {}).get("quote") or "") for unit, answer in answers.items()}


def check(page, told: str) -> None:
    """Compare every unit in the list, the save state and the place with the truth."""
    ready(page)
    waiting = page.evaluate(WAITING)
    page.evaluate(LIST)
    shown = {unit: (answer, title) for unit, answer, title in page.evaluate(SHOWN)}
    page.evaluate(LIST)
    for unit, (answer, quote) in true_answers(waiting).items():
        seen, title = shown.pop(unit)
        assert (seen, quote in title) == (answer, True), (told, unit)
    assert {answer for answer, _ in shown.values()} <= {""}, told
    if waiting:
        expect(page.locator("#ws-save-text")).to_contain_text("waiting")
    else:
        expect(page.locator("#ws-save-text")).to_have_text(told)


@pytest.mark.browser_context_args(service_workers="block")  # a worker's requests pass by the route
def test_a_page_that_comes_back_shows_what_the_server_holds_and_what_waits(
    transactional_db, page, context, log_in, live_server
):
    made = factories.study("focus", annotators=1, items=2)
    factories.open_round(made)
    place = live_server.url + address(made.round)
    log_in(page, "ann")
    page.goto(place)
    page.on("dialog", lambda dialog: dialog.accept())

    def hold(page):
        context.route("**/judgements/", lambda route: route.abort())
        press(page, "n")
        expect(page.locator("#ws-save-text")).to_have_text("Offline: 1 waiting")

    def let_go(page):
        context.unroute("**/judgements/")
        saved(page)

    def type_and_leave(page):
        press(page, "c")
        page.keyboard.type("half a thought")
        press(page, "Escape")

    def paused(page):
        round_pause(made.round, by=made.lead)
        press(page, "n")
        expect(page.locator("#ws-save-text")).to_contain_text("Paused: 1 waiting")

    def going_on(page):
        round_resume(made.round, by=made.lead)
        page.reload()  # which asks at once

    def closed(page):
        round_close(Round.objects.get(), by=made.lead)
        page.reload()

    def back(page, told):
        page.goto(f"{live_server.url}/healthz")
        page.go_back()
        check(page, told)

    def far_back_and_forth(page, told):
        page.goto(f"{live_server.url}/healthz")
        page.goto(place)
        page.go_back()
        page.go_back()
        check(page, told)
        page.go_forward()
        page.go_forward()
        check(page, told)

    def beside(page, told):
        twin = context.new_page()
        twin.goto(place)
        check(twin, told)
        twin.close()

    ways = (back, far_back_and_forth, beside)
    in_turn = cycle(ways)
    moments = {
        "nothing is decided": lambda page: None,
        "a no": lambda page: press(page, "n"),
        "a yes with its span": lambda page: press(page, "y t Enter"),
        "a span that is begun": lambda page: press(page, "y ArrowRight ArrowRight Shift+ArrowRight"),
        "taken back": lambda page: press(page, "Escape Backspace"),
        "cannot be judged": lambda page: (press(page, "x"), page.keyboard.type("cut"), press(page, "Enter")),
        "a comment given up": type_and_leave,
        "the network is away": hold,
        "it is back": let_go,
        "the round is paused": paused,
        "it goes on": going_on,
        "all is decided": lambda page: press(page, "n " * 14),
        "the round is closed": closed,
    }
    for name, act in moments.items():
        act(page)
        if name not in ("the network is away", "the round is paused", "the round is closed"):
            saved(page)
        told = "Closed" if name == "the round is closed" else "All saved"
        check(page, told)
        page.reload()
        check(page, told)
        if name == "a span that is begun":
            press(page, "y")
            assert highlighted(page) == "library should"
        # What waits here could be lost on any way; other moments take one way each in turn.
        for way in ways if name in WAITS_HERE else [next(in_turn)]:
            way(page, told)
        if name != "the round is closed":
            page.close()  # a restored tab is a new page with what the browser kept
            page = context.new_page()
            page.on("dialog", lambda dialog: dialog.accept())
            page.goto(place)
            check(page, told)
    assert TypeAnnotation.objects.filter(applicable=None, cannot_judge=False).count() == 0
