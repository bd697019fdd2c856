"""What the workspace tests share: opening it, and waiting for what people wait for."""

from playwright.sync_api import Page, expect

from annotation.models import Round
from tests import factories


def address(round: Round) -> str:
    return f"/p/{round.project.slug}/rounds/{round.number}/work/"


def opened(made, page: Page, log_in, **options) -> Page:
    """Open a round of a study and show Ann her first unit of it."""
    factories.open_round(made, **options)
    log_in(page, "ann", address(made.round))
    ready(page)
    return page


def until(page: Page, condition: str) -> None:
    """Wait until the JavaScript `condition` (it may await) holds in the page.

    Playwright's wait_for_function evaluates a string again and again inside the page, which our
    Content-Security-Policy refuses from the second time on.
    """
    page.evaluate(
        f"""async () => {{
            const end = performance.now() + 30000;
            while (!({condition})) {{
                if (performance.now() > end) throw new Error("waited in vain");
                await new Promise((done) => setTimeout(done, 20));
            }}
        }}"""
    )


def ready(page: Page) -> None:
    """Wait until the first unit is on the screen."""
    expect(page.locator("#workspace")).not_to_have_attribute("data-state", "loading")


def kept_offline(page: Page) -> None:
    """Wait until the page opens without a network: it is kept last, after its files."""
    until(page, "(await caches.match(location.pathname)) !== undefined && navigator.serviceWorker.controller")


def saved(page: Page) -> None:
    """Wait until the server has every decision."""
    expect(page.locator("#ws-save-text")).to_have_text("All saved")


def press(page: Page, keys: str) -> None:
    """Press keys in a row, as in "y ArrowRight Shift+ArrowRight Enter"."""
    for key in keys.split():
        page.keyboard.press(key)


def highlighted(page: Page, name: str = "ws-span") -> str:
    """Return the text under a highlight as it is drawn."""
    return page.evaluate(
        "name => [...(CSS.highlights.get(name) ?? [])].map((range) => range.toString()).join('|')", name
    )


def point_of(page: Page, words: str, *, end: bool = False, within: str = "ws-text") -> tuple[float, float]:
    """Return the middle of the first (or last) letter of words in the text, in page coordinates."""
    x, y = page.evaluate(
        """([words, end, within]) => {
            const node = document.getElementById(within).firstChild;
            const at = node.data.indexOf(words) + (end ? words.length - 1 : 0);
            const range = document.createRange();
            range.setStart(node, at); range.setEnd(node, at + 1);
            const box = range.getBoundingClientRect();
            return [box.left + box.width / 2, box.top + box.height / 2];
        }""",
        [words, end, within],
    )
    return x, y
