"""Generated texts and random ranges in a real browser: what is stored is what was highlighted."""

import random

import pytest

from annotation.models import TypeAnnotation
from tests import factories
from tests.e2e.workspace import address, highlighted, press, ready, saved

PIECES = (
    *("word", "Everyone's", "3,000", "well-known", "U.S.", "“quoted”"),
    *("🎉", "👩‍👩‍👧", "🏳️‍🌈", "🇯🇵", "👍🏽", "𝔘𝔫𝔦"),
    *("cafe\u0301", "e\u0301\u0323", "नमस्ते", "שָׁלוֹם", "المكتبة", "مفتوحة،", "図書館は", "一晩中", "ไทยแลนด์"),
)
GAPS = (
    " ",
    " ",
    " ",
    "  ",
    "\r\n",
    "\n",
    "\r",
    "\u2028",
    "\u0085",
    "\u00a0",
    "\t",
    ". ",
    "! ",
    "\u200b",
    "\u200f ",
)


def text_of(dice: random.Random, pieces: int) -> str:
    return "".join(dice.choice(PIECES) + dice.choice(GAPS) for _ in range(pieces)) + "end."


@pytest.mark.parametrize("seed", [1, 2])
def test_stored_offsets_slice_to_what_was_highlighted_on_the_screen(transactional_db, page, log_in, seed):
    dice = random.Random(seed)
    texts = [text_of(dice, dice.randint(1, 60)) for _ in range(24)]
    long_text = text_of(dice, 6000)[:20_000].rstrip() + " end."
    texts.append(long_text)
    made = factories.study("focus", annotators=2, items=len(texts), texts=tuple(texts))
    factories.open_round(made, order="by_type")
    log_in(page, "ann", address(made.round))
    ready(page)
    screen = {}
    for number in range(len(texts)):
        item = page.locator("#ws-item").inner_text()
        press(page, "y" + " ArrowRight" * dice.randint(1, 12))
        way = dice.choice(
            ["Shift+ArrowRight", "Shift+ArrowLeft", "Shift+Control+ArrowRight", "Shift+ArrowDown"]
        )
        press(page, f"{way} " * dice.randint(0, 4))
        press(page, "Control+Alt+ArrowRight " * dice.choice([0, 0, 1, 3]))
        screen[item] = highlighted(page)
        assert screen[item] in texts[number]
        press(page, "Enter")
    saved(page)
    rows = TypeAnnotation.objects.select_related("assignment__item")
    assert {row.assignment.item.external_id: row.quote for row in rows} == screen
    for row in rows:
        assert row.assignment.item.text[row.start : row.end] == screen[row.assignment.item.external_id]
