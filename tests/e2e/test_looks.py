"""Hover, focus, pressed, chosen and disabled are five looks of all that can be pressed, in light and dark."""

import re
from collections import defaultdict
from pathlib import Path

import pytest

from tests.e2e.looks import KINDS, PLAIN, force_states, looks, page_source

FRONTEND = Path(__file__).resolve().parent.parent.parent / "frontend"
# Words of a class that place a button and give it no look.
PLACES = {"button", "ws-rules-toggle", "ws-mine-toggle", "ws-guideline-here", "ws-fold", "see-all"}
WHEN_NOT_AT_REST = ("hover", "pressed", "chosen", "disabled", "focus")


@pytest.fixture(scope="module", params=["light", "dark"])
def shown(request, browser):
    page = browser.new_page(color_scheme=request.param, reduced_motion="reduce")
    page.set_content(page_source())
    force_states(page)
    yield looks(page)
    page.close()


def test_words_are_readable_in_every_state(shown):
    assert [(one["kind"], one["state"], round(one["text"], 2)) for one in shown if one["text"] < 4.5] == []


def test_the_ring_of_the_focus_is_seen_on_everything(shown):
    focused = [one for one in shown if one["state"] == "focus"]
    assert len(focused) == len(KINDS)
    assert [(one["kind"], round(one["ring"], 2)) for one in focused if one["ring"] < 3] == []


def test_a_control_has_an_edge_or_a_ground_that_is_seen(shown):
    bordered = [one for one in shown if one["edge"] > 1.05 and one["state"] in ("rest", "chosen", "disabled")]
    assert len(bordered) > 40
    assert [
        (one["kind"], one["state"], round(one["edge"], 2))
        for one in bordered
        if max(one["edge"], one["ground"]) < 3
    ] == []


def test_no_two_states_of_a_control_look_alike(shown):
    by_look = defaultdict(list)
    for one in shown:
        by_look[one["kind"], one["look"]].append(one["state"])
    # A field is not pressed: the pointer over it and the pointer down on it are one.
    alike = {
        kind: states
        for (kind, _), states in by_look.items()
        if len(states) > 1 and not (kind in PLAIN and set(states) <= {"rest", "hover", "pressed"})
    }
    assert alike == {}


def test_every_class_of_a_button_is_on_the_page_of_looks():
    made = " ".join(KINDS.values())
    known = set(re.findall(r"[\w-]+", " ".join(re.findall(r'class="([^"]*)"', made))))
    used: set[str] = set()
    for path in [*(FRONTEND / "templates").rglob("*.html"), *(FRONTEND / "static/frontend/js").rglob("*.js")]:
        text = re.sub(r"{%.*?%}|{{.*?}}|\$\{.*?\}", " ", path.read_text("utf-8"))
        found = re.findall(r'<button[^>]*?class="([^"]*)"|class="([^"]*\bbutton\b[^"]*)"', text)
        found += re.findall(r'element\("button", \{[^}]*?className: ["`]([^"`]*)()', text)
        used |= {word for pair in found for words in pair for word in words.split()}
    used = {word for word in used if not word.startswith(("button-row", "no-print", "label-", "hue-"))}
    assert used - known - PLACES == set(), "give a new kind of button a row in looks.py"
    assert {"go", "quiet", "small", "danger", "ws-chip", "ws-label"} <= used | {"ws-label"}
