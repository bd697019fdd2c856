"""What a page owes everybody, asked of the page itself in the browser."""

from pathlib import Path
from typing import Any

import axe_playwright_python
from playwright.sync_api import Page

AXE = next(Path(axe_playwright_python.__file__).parent.rglob("axe.min.js")).read_text("utf-8")

# The rules whose answer changes with colours or with the width; all others need one run only.
COLOURS = ["color-contrast", "link-in-text-block"]
WIDTHS = ["target-size", "scrollable-region-focusable"]

_RUN = """async ([only]) => {
    const options = only ? {runOnly: only} : {rules: {'target-size': {enabled: true}}};
    // Of what passes nothing is asked, so axe need not describe it.
    const done = await axe.run(document, {...options, resultTypes: ['violations']});
    return done.violations.flatMap(rule => rule.nodes.map(node => `${rule.id}: ${node.html}`));
}"""

# Of words in the same colours, size and weight, all the way up to the page, one stands for all: it takes axe
# some milliseconds each, and a table of figures has thousands. What lies over what is the same in both
# schemes, and a run by all rules asks of every word.
_COLOURS_ONCE = """async ([only]) => {
    const looks = new Map(), found = new Map();
    const look = one => {
        if (!one) return '';
        if (!looks.has(one)) {
            const style = getComputedStyle(one);
            const own = [style.color, style.backgroundColor, style.backgroundImage, style.opacity,
                style.fontSize, style.fontWeight, style.position, style.textShadow, style.mixBlendMode,
                style.textDecorationLine];
            looks.set(one, `${look(one.parentElement)} > ${one.localName} ${own}`);
        }
        return looks.get(one);
    };
    const worded = one => [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    for (const one of document.body.querySelectorAll('*'))
        if ((worded(one) || one.matches('input, textarea, select')) && one.checkVisibility()
            && !found.has(look(one))) found.set(look(one), one);
    const done = await axe.run([...found.values()], {runOnly: only, resultTypes: ['violations']});
    return done.violations.flatMap(rule => rule.nodes.map(node => `${rule.id}: ${node.html}`));
}"""

_OPEN_ALL = "document.querySelectorAll('main details').forEach(one => { one.open = true; })"

# Elements wider than the window stand first by how far they stick out, so that a failure names the culprit.
_TOO_WIDE = """() => {
    const root = document.documentElement;
    if (root.scrollWidth <= root.clientWidth) return [];
    const over = [...document.body.querySelectorAll('*')]
        .map(one => [one.getBoundingClientRect().right - root.clientWidth, one])
        .filter(([by, one]) => by > 0.5 && !one.parentElement.closest('.scroll-x, .tab-bar, pre'))
        .sort((a, b) => b[0] - a[0]);
    return [`${root.scrollWidth - root.clientWidth} px too wide`,
        ...over.slice(0, 3).map(([by, one]) => `${Math.round(by)} px: ${one.outerHTML.slice(0, 120)}`)];
}"""

# A title alone is out of reach of fingers and keys: what it says has to stand in the page as well. The
# workspace's titles only repeat what its own buttons open.
_TITLES_ALONE = """() => {
    const hidden = [...document.querySelectorAll('.visually-hidden')].filter(one => !one.hidden);
    hidden.forEach(one => { one.hidden = true; });
    const words = text => text.replace(/\\s+/g, ' ').trim().toLowerCase();
    const shown = words(document.body.innerText);
    hidden.forEach(one => { one.hidden = false; });
    return [...document.querySelectorAll('[title]')]
        .filter(one => one.checkVisibility() && !one.closest('body.ws-body'))
        .filter(one => !shown.includes(words(one.title)))
        .map(one => `only in a title: ${one.title}`);
}"""

# Words written over words: lines of text that cover each other by more than the gap that fonts leave, except
# where something is meant to lie on top (a menu, a stuck head) or is cut off by what it scrolls in.
_OVERWRITTEN = """() => {
    const lines = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    const unread = '.visually-hidden, .sr-only, script, style, noscript, option, textarea';
    while (walker.nextNode()) {
        const node = walker.currentNode, parent = node.parentElement;
        const shown = parent.checkVisibility({visibilityProperty: true, opacityProperty: true});
        if (!node.data.trim() || !shown || parent.closest(unread)) continue;
        const clip = {left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity};
        let layer = parent;
        for (; layer && layer !== document.body; layer = layer.parentElement) {
            const style = getComputedStyle(layer), box = layer.getBoundingClientRect();
            if (style.overflow !== 'visible' && style.display !== 'inline') {
                clip.left = Math.max(clip.left, box.left); clip.right = Math.min(clip.right, box.right);
                clip.top = Math.max(clip.top, box.top); clip.bottom = Math.min(clip.bottom, box.bottom);
            }
            if (['fixed', 'sticky', 'absolute'].includes(style.position)) break;
        }
        range.selectNodeContents(node);
        for (const box of range.getClientRects()) {
            const left = Math.max(box.left, clip.left), right = Math.min(box.right, clip.right);
            const top = Math.max(box.top, clip.top), bottom = Math.min(box.bottom, clip.bottom);
            if (right - left > 2 && bottom - top > 2) lines.push({left, right, top, bottom, layer, node});
        }
    }
    lines.sort((a, b) => a.top - b.top);
    const found = new Set();
    lines.forEach((one, at) => {
        for (let next = at + 1; next < lines.length && lines[next].top < one.bottom; next++) {
            const other = lines[next];
            if (other.node === one.node || other.layer !== one.layer) continue;
            const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
            const down = Math.min(one.bottom, other.bottom) - other.top;
            const height = Math.min(one.bottom - one.top, other.bottom - other.top);
            if (across > 3 && down > 0.45 * height)
                found.add(`${one.node.data.trim().slice(0, 30)} / ${other.node.data.trim().slice(0, 30)}`);
        }
    });
    return [...found].slice(0, 5).map(pair => `written over each other: ${pair}`);
}"""

# What keeps people from seeing where the focus is: "" if nothing does, null once it left the page.
# A part of a tall field in sight is enough (WCAG 2.2, 2.4.11).
_FOCUS = """() => {
    const at = document.activeElement;
    if (!at || at === document.body) return null;
    const style = getComputedStyle(at), box = at.getBoundingClientRect();
    const top = Math.max(box.top, 0), bottom = Math.min(box.bottom, innerHeight - 1);
    const seen = [0.1, 0.5, 0.9].some(part => {
        const there = document.elementFromPoint(
            Math.min(Math.max(box.left + box.width / 2, 0), innerWidth - 1), top + (bottom - top) * part);
        return there && (at.contains(there) || there.contains(at));
    });
    const ring = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
    if (seen && ring) return '';
    return `${ring ? 'covered or out of sight' : 'no ring'}: ${at.outerHTML.slice(0, 100)}`;
}"""


def _look(page: Page, script: str, asked: list | None = None) -> Any:
    """Run a script in the page that is there: a click on a link returns before the next page has a body."""
    page.wait_for_load_state("domcontentloaded")
    return page.evaluate(script, asked)


def load_axe(page: Page) -> None:
    """Put axe into the page, past the content security policy that pages themselves live under."""
    _look(page, AXE)


def violations(page: Page, only: list[str] | None = None) -> list[str]:
    """Return what axe finds wrong with the page as it is: by these rules, or by all and target sizes."""
    return _look(page, _RUN, [only])


def colour_violations(page: Page) -> list[str]:
    """Return what axe finds wrong with the colours of the page as it is, asking of each combination once."""
    return _look(page, _COLOURS_ONCE, [COLOURS])


def open_all(page: Page) -> None:
    """Open everything that can be unfolded, so that it is looked at as well."""
    _look(page, _OPEN_ALL)


def too_wide(page: Page) -> list[str]:
    """Return nothing where the page fits its window, else by how much it does not and what sticks out."""
    return _look(page, _TOO_WIDE)


def overwritten(page: Page) -> list[str]:
    """Return the pairs of words that the page writes over each other."""
    return _look(page, _OVERWRITTEN)


def titles_alone(page: Page) -> list[str]:
    """Return what the page says in a title and nowhere in sight."""
    return _look(page, _TITLES_ALONE)


def tab_through(page: Page, limit: int = 120) -> tuple[list[str], bool]:
    """Press Tab until the focus leaves the page.

    Return what people could not see on the way, and whether the focus got out within `limit` presses.
    """
    unseen = []
    for _ in range(limit):
        page.keyboard.press("Tab")
        found = page.evaluate(_FOCUS)
        if found is None:
            return unseen, True
        if found:
            unseen.append(found)
    return unseen, False
