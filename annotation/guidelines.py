"""Guidelines as HTML that is safe to show."""

from markdown_it import MarkdownIt

# The commonmark preset lets raw HTML through; "js-default" does not, and refuses javascript: links.
_MARKDOWN = MarkdownIt("js-default", {"html": False, "linkify": False, "typographer": False})


def guideline_html(markdown: str) -> str:
    """Return the guideline's Markdown as HTML; any HTML in it is shown as text."""
    return _MARKDOWN.render(markdown)
