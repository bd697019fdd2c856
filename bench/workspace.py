"""Time the annotator's workspace in a real Chromium against the product's web server.

Run with `python -m bench.workspace`. It prints, for 300 FOCUS units: milliseconds from a key press to the
next unit painted and to the decision stored on the server, the server's CPU milliseconds a unit, and what a
first load costs, of several without a cache. Goals: p95 painted at most 50 ms, server at most 10 ms of CPU a
unit, first load at most 80 KB compressed without texts, text visible within 400 ms.
"""

import gzip
import os
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, Response, sync_playwright

from tests.installation import Installation

ITEMS = 30
LOADS = 7
CHROMIUM = os.environ.get("ELENCHUS_TEST_CHROMIUM", "/usr/bin/chromium")
WATCH = """
() => {
  performance.setResourceTimingBufferSize(5000);
  window.pressed = []; window.painted = [];
  addEventListener('keydown', () => {
    const start = performance.now();
    pressed.push(start);
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => painted.push(performance.now() - start);
      channel.port2.postMessage(0);
    });
  }, true);
}
"""
SAVED = "() => document.getElementById('ws-save-text').textContent === 'All saved'"
STORED = """
() => performance.getEntriesByType('resource').filter(({name}) => name.endsWith('/judgements/'))
  .map(({responseEnd}) => responseEnd)
"""


def cpu_seconds(group: int) -> float:
    """Return user and system time of all processes of a process group."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group:
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def show(name: str, values: list[float]) -> None:
    quantiles = statistics.quantiles(values, n=20)
    print(f"{name:<44} p50 {statistics.median(values):7.1f} ms   p95 {quantiles[-1]:7.1f} ms")


def log_in(page: Page, url: str, name: str = "ann") -> None:
    page.goto(f"{url}/accounts/login/?next=/healthz")
    page.fill("[name=login]", name)
    page.fill("[name=password]", "secret")
    page.press("[name=password]", "Enter")
    page.wait_for_url("**/healthz")


def first_load(page: Page, address: str) -> tuple[float, list[bytes]]:
    """Return the milliseconds until the text is visible, and the bodies of all files but the texts."""
    first: dict[str, Response] = {}

    def note(response: Response) -> None:
        if response.ok and "/units/" not in response.url:
            first.setdefault(response.url, response)

    page.on("response", note)
    page.goto(address)
    page.wait_for_function("() => document.getElementById('ws-text').textContent.length > 0")
    visible = page.evaluate("performance.now()")
    page.wait_for_load_state("networkidle")
    page.remove_listener("response", note)
    return visible, [response.body() for response in first.values()]


def first_loads(browser: Browser, installation: Installation) -> Page:
    """Load the workspace in browser contexts that have nothing cached; return the last one's page."""
    loads: list[float] = []
    for _ in range(LOADS):
        for context in browser.contexts:
            context.close()
        page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
        log_in(page, installation.url)
        visible, files = first_load(page, f"{installation.url}/p/bench/rounds/1/work/")
        loads.append(visible)
    # Production serves its files compressed, the embedded server as they are: measure what production sends.
    compressed = sum(len(gzip.compress(body)) for body in files)
    middle, most = statistics.median(loads), max(loads)
    print(f"{'first load: text visible':<44} median {middle:4.0f} ms   most {most:4.0f} ms")
    print(f"{'first load: compressed, without texts':<44} {compressed / 1000:11.1f} KB in {len(files)} files")
    return page


def decide_all(page: Page, installation: Installation) -> None:
    """Press N through the round: the first half as fast as the page paints, the rest as the server stores."""
    page.evaluate(WATCH)
    before = cpu_seconds(installation.process.pid)
    units = ITEMS * 10
    for number in range(1, units + 1):
        page.keyboard.press("n")
        page.wait_for_function("(number) => painted.length >= number", arg=number)
        if number >= units // 2:
            page.wait_for_function(SAVED)
    spent = cpu_seconds(installation.process.pid) - before
    pressed, stored = page.evaluate("pressed"), page.evaluate(STORED)
    paced = list(zip(pressed, stored, strict=True))[units // 2 :]
    show("key press to the next unit painted", page.evaluate("painted"))
    show("key press to stored on the server", [end - start for start, end in paced])
    print(f"{'server CPU a unit':<44} {1000 * spent / units:11.1f} ms")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        installation = Installation(Path(folder))
        installation.migrate()
        installation.seed(items=ITEMS)
        installation.start()
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu", "--no-first-run"]
        )
        try:
            decide_all(first_loads(browser, installation), installation)
        finally:
            browser.close()
            installation.kill()


if __name__ == "__main__":
    main()
