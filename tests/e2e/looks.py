"""All that can be pressed or typed into, in every state, on one page that no address has and tests open."""

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

STATIC = Path(__file__).resolve().parent.parent.parent / "frontend" / "static" / "frontend" / "css"
SHEETS = ("tokens", "base", "lead", "agreement", "unit", "workspace", "questions", "my_decisions")

STATES = ("rest", "hover", "focus", "pressed", "chosen", "disabled")
_FORCED = {"hover": ["hover"], "focus": ["focus", "focus-visible"], "pressed": ["hover", "active"]}

# What stands for each kind: {attributes} makes it chosen or disabled. Rows with "link" cannot be disabled.
KINDS = {
    "button": "<button {attributes}>Search <kbd>Enter</kbd></button>",
    "go": '<button class="go" {attributes}>Keep this span <kbd>Enter</kbd></button>',
    "danger": '<button class="danger" {attributes}>Erase</button>',
    "quiet": '<button class="quiet" {attributes}>Undo <kbd>Z</kbd></button>',
    "small": '<button class="small" {attributes}>Done 4</button>',
    "go small": '<button class="go small" {attributes}>Keep <kbd>Enter</kbd></button>',
    "keep here": '<button class="go small ws-keep-here" {attributes}>Keep</button>',
    "quiet small": '<button class="quiet small" {attributes}>Cancel <kbd>Esc</kbd></button>',
    "button link": '<a class="button" href="#" {attributes}>New project</a>',
    "go link": '<a class="button go" href="#" {attributes}>Continue</a>',
    "danger link": '<a class="button danger" href="#" {attributes}>Delete</a>',
    "quiet link": '<a class="button quiet" href="#" {attributes}>Reopen</a>',
    "chip link": '<a class="chip" href="#" {attributes}>yes <span class="num">14</span></a>',
    "subject link": '<nav class="subjects"><a href="#" {attributes}>Useful <b class="num">35</b></a></nav>',
    "tab link": '<nav class="tabs"><a href="#" {attributes}>Overview</a></nav>',
    "menu button": '<div class="menu-list looks-menu"><button {attributes}>Log out</button></div>',
    "yes": '<div class="ws-slot"><button {attributes}>Yes <kbd>Y</kbd></button></div>',
    "tool": '<div class="ws-tools"><button class="quiet" {attributes}>Unsure <kbd>F</kbd></button></div>',
    "chip": '<button class="ws-chip hue-blue" {attributes}>OSP</button>',
    "chip yes": '<button class="ws-chip hue-orange" data-answer="yes" {attributes}>LE</button>',
    "chip no": '<button class="ws-chip hue-green" data-answer="no" {attributes}>CF</button>',
    "mine": '<div class="ws-mine"><button {attributes}><span>S-1</span><b class="yes">yes</b></button></div>',
    "save": '<button class="ws-save quiet small" data-state="saved" {attributes}>All saved</button>',
    "save trouble": '<button class="ws-save quiet small" data-state="trouble" {attributes}>Offline</button>',
    "save act": '<button class="ws-save quiet small" data-state="act" {attributes}>Log in</button>',
    "label": '<div class="ws-label-row label-USE"><button class="ws-label label-USE" {attributes}>'
    '<span class="ws-name"><b>Useful</b> <kbd>1</kbd></span><span class="ws-means">An answer could</span>'
    "</button></div>",
    "label short": '<button class="ws-label-short label-IN" {attributes}>Invalid <kbd>3</kbd></button>',
    "reason": '<button class="ws-reason" {attributes}>'
    '<span class="ws-name"><b>Unrelated</b> <kbd>W</kbd></span>'
    '<span class="ws-means">Nothing to do with it</span></button>',
    "reference": '<button class="ws-reference" {attributes}><span>1</span><span>Who pays?</span></button>',
    "none": '<button class="ws-none" {attributes}><span>0</span><span>None of these</span></button>',
    "back": '<button class="quiet small ws-back-to-references" {attributes}>Back to the references</button>',
    "quick": '<div class="ws-quick"><button {attributes}>Too General</button></div>',
    "start": '<div class="ws-starts"><button {attributes}>It is common sense. <kbd>Q</kbd></button></div>',
    "question": '<ol class="ws-question-list"><li><button class="ws-question" {attributes}>'
    '<span class="n">2</span><span class="q">What do barriers cost?</span></button></li></ol>',
    "input": '<input aria-label="a" value="typed" {attributes}>',
    "textarea": '<textarea aria-label="b" {attributes}>typed</textarea>',
    "note": '<div class="ws-note"><textarea aria-label="c" {attributes}>typed</textarea></div>',
    "select": '<select aria-label="d" {attributes}><option>chosen</option></select>',
    "link": '<p><a href="#" {attributes}>Read the guideline</a></p>',
    "summary link": '<details class="menu"><summary {attributes}>ada</summary></details>',
}
PLAIN = ("input", "textarea", "note", "select", "link", "summary link")
"""What is never chosen."""


def attributes(kind: str, state: str) -> str | None:
    """Return what makes a control of a kind be in a state; None where it is never in it."""
    if state == "chosen":
        if kind in PLAIN:
            return None
        current = "page" if kind == "tab link" else "true"
        return (
            f'aria-current="{current}"'
            if "link" in kind or kind.startswith("chip")
            else 'aria-pressed="true"'
        )
    if state == "disabled":
        if kind in PLAIN:
            return None if "link" in kind else "disabled"
        return None if "link" in kind else 'aria-disabled="true"'
    return ""


def page_source() -> str:
    """Return the page: a row a kind, a cell a state."""
    rows = []
    for kind, html in KINDS.items():
        cells = []
        for state in STATES:
            made = attributes(kind, state)
            cell = (
                ""
                if made is None
                else html.format(attributes=f'{made} data-kind="{kind}" data-state-of="{state}"')
            )
            cells.append(f"<td>{cell}</td>")
        rows.append(f"<tr><th>{kind}</th>{''.join(cells)}</tr>")
    heads = "".join(f"<th>{state}</th>" for state in STATES)
    style = "".join((STATIC / f"{name}.css").read_text("utf-8") for name in SHEETS)
    more = (
        "td{padding:.4rem;vertical-align:top}.looks-menu{position:static}.ws-question-list{padding:0;"
        "overflow:visible}.subjects,.ws-keep-here{position:static!important}body.looks{display:block;height:auto}"
    )
    return (
        f"<!doctype html><html lang=en><title>Looks</title><style>{style}{more}</style>"
        f'<body class="looks"><main class="ws-cqs_gen"><table><thead><tr><th></th>{heads}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></main></body></html>"
    )


def force_states(page: Page) -> None:
    """Put every cell into its state, as the pointer and the keyboard would."""
    client = page.context.new_cdp_session(page)
    client.send("DOM.enable")
    client.send("CSS.enable")
    root = client.send("DOM.getDocument")["root"]["nodeId"]
    for state, forced in _FORCED.items():
        found = client.send("DOM.querySelectorAll", {"nodeId": root, "selector": f"[data-state-of={state}]"})
        for node in found["nodeIds"]:
            client.send("CSS.forcePseudoState", {"nodeId": node, "forcedPseudoClasses": forced})


_LOOKS = """() => {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 1;
    const draw = canvas.getContext('2d', {willReadFrequently: true});
    // Colours one over the other, as they are seen.
    const seen = (...colours) => {
        draw.clearRect(0, 0, 1, 1);
        for (const colour of colours) { draw.fillStyle = colour; draw.fillRect(0, 0, 1, 1); }
        return [...draw.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const grounds = one => {
        const found = [];
        for (let at = one; at; at = at.parentElement) found.unshift(getComputedStyle(at).backgroundColor);
        return found;
    };
    const light = colour => {
        const [r, g, b] = colour.map(n => n / 255)
            .map(n => n <= 0.04045 ? n / 12.92 : ((n + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (one, other) => {
        const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
        return (high + 0.05) / (low + 0.05);
    };
    const hasWords = part => [...part.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    return [...document.querySelectorAll('[data-state-of]')].map(one => {
        const style = getComputedStyle(one), below = grounds(one.parentElement);
        const around = seen(...below), ground = seen(...grounds(one));
        const against = colour => contrast(seen(...below, colour), around);
        const text = Math.min(...[one, ...one.querySelectorAll('*')].filter(hasWords).map(part =>
            contrast(seen(...grounds(part), getComputedStyle(part).color), seen(...grounds(part)))));
        const edge = parseFloat(style.borderTopWidth) ? against(style.borderTopColor) : 1;
        const ringed = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
        return {
            kind: one.dataset.kind, state: one.dataset.stateOf, text, edge,
            ground: contrast(ground, around), ring: ringed ? against(style.outlineColor) : 0,
            look: [ground, seen(...grounds(one), style.color),
                edge > 1 ? style.borderTopColor + style.borderTopStyle : '', style.boxShadow,
                style.outlineStyle, style.textDecorationThickness, style.borderBottomColor].join(' '),
        };
    });
}"""


def looks(page: Page) -> list[dict[str, Any]]:
    """Return of each cell its contrasts (words, edge, ground, ring) and its look in one line."""
    return page.evaluate(_LOOKS)
