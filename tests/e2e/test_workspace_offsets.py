"""Generated texts and random ranges in a real browser: what is stored is what the screen highlighted."""

import json
import re
from dataclasses import dataclass

from hypothesis import example, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Page, expect

from annotation.importing.items import items_import
from annotation.models import TypeAnnotation
from tests import factories
from tests.e2e.workspace import address, press, ready, saved

WORDS = (
    *("word", "Everyone's", "3,000", "well-known", "U.S.", "“quoted”"),
    *("🎉", "👩‍👩‍👧", "🏳️‍🌈", "🇯🇵", "👍🏽", "𝔘𝔫𝔦"),
    *("cafe\u0301", "e\u0301\u0323", "नमस्ते", "שָׁלוֹם", "المكتبة", "مفتوحة،", "図書館は", "一晩中", "ไทยแลนด์"),
)
GAPS = (
    *(" ", " ", " ", "  ", "\r\n", "\n", "\r", "\t", ". ", "! "),
    *("\u2028", "\u2029", "\u0085", "\u00a0", "\u200b", "\u200f ", "\u202e"),
)
LONG = 20_000
KEYS = (
    *("ArrowRight", "ArrowLeft", "ArrowDown", "Control+ArrowRight"),
    *("Shift+ArrowRight", "Shift+ArrowLeft", "Shift+ArrowDown", "Shift+Control+ArrowRight", "."),
)

# Both read the page as it is drawn, and know nothing of the application's own offsets.
ON_SCREEN = """
() => {
  const text = document.getElementById('ws-text');
  const [range] = CSS.highlights.get('ws-span');
  const before = document.createRange();
  before.setStart(text, 0);
  before.setEnd(range.startContainer, range.startOffset);
  return {text: text.textContent, start: [...before.toString()].length, quote: range.toString()};
}
"""
POINT_OF_LETTER = """
share => {
  const node = document.getElementById('ws-text').firstChild;
  const column = node.parentElement.closest('.ws-read');
  const letter = document.createRange();
  const box = (at) => {
    letter.setStart(node, at);
    letter.setEnd(node, at + 1);
    return letter.getBoundingClientRect();
  };
  let at = Math.floor(share * (node.length - 1));
  while (at > 0 && box(at).width < 1) at -= 1;
  column.scrollTop += box(at).top - column.getBoundingClientRect().top - 100;
  const { left, top, width, height } = box(at);
  return [left + width / 2, top + height / 2];
}
"""


@dataclass(frozen=True)
class Choice:
    """A text, and how a span of it is chosen: the shares of it at which to click, then keys."""

    text: str
    clicks: tuple[float, ...]
    keys: tuple[str, ...]


def long_enough(text: str, length: int) -> str:
    """Return the text, repeated up to a length in code points if it is shorter."""
    return (text * (length // len(text) + 1))[:length] + text if length else text


letters = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), min_size=1, max_size=4)
pieces = st.lists(st.one_of(st.sampled_from(WORDS), st.sampled_from(GAPS), letters), max_size=40)
texts = st.builds(
    long_enough,
    pieces.map(lambda made: "".join(made) + " end."),
    st.sampled_from([0, 0, 0, 0, 0, 0, 0, LONG]),
)
choices = st.builds(
    Choice,
    texts,
    st.lists(st.floats(0, 1), max_size=2).map(tuple),
    st.lists(st.sampled_from(KEYS), max_size=6).map(tuple),
)


def choose(page: Page, choice: Choice) -> dict:
    """Say yes, choose the span, and return what the screen shows before it is kept."""
    press(page, "y")
    for share in choice.clicks:
        page.mouse.click(*page.evaluate(POINT_OF_LETTER, share))
    press(page, " ".join(("ArrowRight", *choice.keys) if not choice.clicks else choice.keys))
    return page.evaluate(ON_SCREEN)


def test_stored_offsets_slice_to_what_was_highlighted_on_the_screen(
    transactional_db, page, log_in, live_server, tmp_path
):
    factories.user("ann")
    log_in(page, "ann")
    expect(page.locator("body")).to_have_text("ok")

    # On a CI machine Hypothesis takes the same examples each time; elsewhere it looks further each time.
    @settings(max_examples=12)
    @example([Choice(long_enough("".join(WORDS) + "".join(GAPS), LONG), (0.31, 0.97), (".",))])
    @given(st.lists(choices, min_size=1, max_size=6))
    def all_of_it_is_stored_as_shown(chosen: list[Choice]) -> None:
        made = factories.study("focus", annotators=1, items=0)
        file = tmp_path / "texts.jsonl"
        rows = [{"id": f"I-{number}", "text": choice.text} for number, choice in enumerate(chosen)]
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        items_import(project=made.project, path=file)
        factories.open_round(made, order="by_type")
        page.goto(live_server.url + address(made.round))
        ready(page)
        shown = {}
        for _ in chosen:
            item = page.locator("#ws-item").inner_text()
            shown[item] = choose(page, chosen[int(item.removeprefix("I-"))])
            press(page, "Enter")
        saved(page)
        # A carriage return alone is drawn as a line break.
        assert {item: seen["text"] for item, seen in shown.items()} == {
            row["id"]: re.sub(r"\r(?!\n)", "\n", row["text"]) for row in rows
        }
        stored = TypeAnnotation.objects.filter(assignment__round=made.round)
        found = {row.assignment.item.external_id: row for row in stored.select_related("assignment__item")}
        assert {item: (row.start, row.quote.replace("\r", "\n")) for item, row in found.items()} == {
            item: (seen["start"], seen["quote"].replace("\r", "\n")) for item, seen in shown.items()
        }
        assert all(row.assignment.item.text[row.start : row.end] == row.quote for row in found.values())

    all_of_it_is_stored_as_shown()
