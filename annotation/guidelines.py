"""Guidelines as HTML that is safe to show."""

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore

# The commonmark preset lets raw HTML through; "js-default" does not, and refuses javascript: links.
_MARKDOWN = MarkdownIt("js-default", {"html": False, "linkify": False, "typographer": False})


def _headings_one_lower(state: StateCore) -> None:
    """The page has the one heading of the first level; what stands in it comes below."""
    for token in state.tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + 1, 6)}"


_MARKDOWN.core.ruler.push("headings_one_lower", _headings_one_lower)


def guideline_html(markdown: str) -> str:
    """Return the guideline's Markdown as HTML, its headings from h2 on; any HTML in it is shown as text."""
    return _MARKDOWN.render(markdown)
