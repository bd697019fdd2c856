"""A person far into a long round: python -m bench.long_round [--items N] [--place N ...] [--folder FOLDER].

Makes rounds of 10,000 texts on SQLite, by argument and by type, with ten types and with one, and opens the
workspace of people who stand at texts 10, 5,000 and 9,000, in a Chromium with nothing cached. Prints the
milliseconds until the text is visible (the least and the median), the requests until all is quiet, and the
milliseconds from a key press to the next unit painted. Goals: 400 ms and 20 ms at each place.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from bench.workspace import CHROMIUM, WATCH, log_in
from tests.installation import Installation, script

ROUNDS = (
    ("short", 1, "30 texts, by argument, ten types"),
    ("long", 1, "by argument, ten types"),
    ("long", 2, "by argument, one type"),
    ("long", 3, "by type, ten types"),
    ("long", 4, "by type, one type"),
)
FILL = """
from django.utils import timezone
from annotation.models import Assignment, Import, Item, TypeAnnotation
from annotation.projects.projects import member_add, project_create
from annotation.rounds.lifecycle import round_create, round_draw
from annotation.rounds.opening import round_open
from tests.factories import user

from tests.factories import open_round, study
open_round(study(annotators=1, items=30, slug="short"), order="by_argument")
project = project_create(slug="long", codebook="focus")
lead = member_add(project=project, user=user("lea"), is_lead=True, is_annotator=False)
places = {places}
names = ["ann", "bea", "cai"][: len(places)]
people = [member_add(project=project, user=user(name)) for name in names]
brought_by = Import.objects.create(
    project=project, file_name="x", file_sha256="0" * 64, format="table", state="done"
)
text = "Parks make people happy, so every street needs one: nobody who ever saw one empty came back. " * 6
Item.objects.bulk_create(
    [
        Item(project=project, brought_by=brought_by, external_id=f"I-{{n}}", source="bench",
             text=f"{{n}}. {{text}}", text_length=len(f"{{n}}. {{text}}"))
        for n in range(1, {items} + 1)
    ],
    batch_size=2000,
)
spans = {{entry["code"]: entry["span"] for entry in project.codebooks.get().definition["types"]}}
codes = list(spans)
for order in ("by_argument", "by_type"):
    for asked in (codes, codes[:1]):
        made = round_create(project=project, overlap=len(people), member=lead, order=order, types=asked)
        round_draw(made, member=lead)
        round_open(made, members=people, by=lead)
        for person, place in zip(people, places):
            done = Assignment.objects.filter(round=made, member=person, position__lt=place)
            rows = []
            for pk, item in done.values_list("pk", "item__text_length"):
                for code in asked if order == "by_argument" else asked[:1]:
                    rows.append(TypeAnnotation(
                        assignment_id=pk, type_code=code, applicable=False, text_length=item,
                        span_required=spans[code],
                        decided_at=timezone.now(),
                    ))
            TypeAnnotation.objects.bulk_create(rows, batch_size=2000)
        print(made.number, order, len(asked), flush=True)
"""
VISIBLE = """
addEventListener('DOMContentLoaded', () => {
  const text = document.getElementById('ws-text');
  if (!text) return;
  new MutationObserver(() => { if (text.textContent) window.visibleAt ??= performance.now(); })
    .observe(text, { childList: true, characterData: true, subtree: true });
});
"""
PAINTED = """
async (number) => {
  const end = performance.now() + 10000;
  while (painted.length < number && performance.now() < end) await new Promise((done) => setTimeout(done, 5));
}
"""
SENT = """
() => 1 + performance.getEntriesByType('resource').filter(({ transferSize }) => transferSize > 0).length
"""
SEEN = """
async () => {
  const end = performance.now() + 60000;
  while (!window.visibleAt && performance.now() < end) await new Promise((done) => setTimeout(done, 10));
  return window.visibleAt;
}
"""


def opened(browser: Browser, installation: Installation, name: str, place: str, loads: int) -> None:
    """Open one person's workspace several times, decide a few units in the last; print what it took."""
    visible: list[float] = []
    requests: list[int] = []
    for _ in range(loads):
        for context in browser.contexts:
            context.close()
        page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
        log_in(page, installation.url, name)
        page.add_init_script(VISIBLE + "performance.setResourceTimingBufferSize(5000);")
        asked: list[str] = []
        page.on("request", lambda request, asked=asked: asked.append(request.url))
        page.goto(f"{installation.url}/p/{place}/work/", wait_until="commit")
        visible.append(page.evaluate(SEEN))
        page.wait_for_load_state("networkidle")
        before = -1
        while before != len(asked):
            before = len(asked)
            time.sleep(0.7)
        requests.append(page.evaluate(SENT))
    page.evaluate(WATCH)
    for press in range(1, 31):
        page.keyboard.press("n")
        page.evaluate(PAINTED, press)
    painted = page.evaluate("painted")
    where = page.text_content("#ws-position-long")
    p95 = statistics.quantiles(painted, n=20)[-1]
    print(
        f"    visible {min(visible):6.0f} / {statistics.median(visible):6.0f} ms   "
        f"{requests[-1]:4} requests   "
        f"painted p50 {statistics.median(painted):5.1f}, p95 {p95:5.1f} ms   {where}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--place", type=int, nargs="+", default=[10, 5_000, 9_000])
    parser.add_argument("--rounds", type=int, nargs="+", default=[0, 1, 2, 3, 4], help="which, from 0")
    parser.add_argument("--loads", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="kept, and used again where it is filled")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        installation = Installation(given.folder or Path(scratch))
        filled = (installation.folder / "elenchus.sqlite3").exists()
        installation.folder.mkdir(parents=True, exist_ok=True)
        installation.migrate()
        if not filled:
            installation.run(*script(FILL.format(items=given.items, places=given.place)))
        installation.start()
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu", "--no-first-run"]
        )
        try:
            for slug, number, told in (ROUNDS[place] for place in given.rounds):
                print(told)
                for name, place in zip(("ann", "bea", "cai"), given.place, strict=False):
                    if slug == "long" or place == given.place[0]:
                        print(f"  at text {place}")
                        opened(browser, installation, name, f"{slug}/rounds/{number}", given.loads)
        finally:
            browser.close()
            installation.kill()


if __name__ == "__main__":
    main()
