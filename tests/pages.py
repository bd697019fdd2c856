"""What a page says, whatever lines its template is broken into."""

import re
from typing import Any


def html_of(response: Any) -> str:
    """Return the HTML of an answer on one line, without the line breaks of its template beside tags.

    >>> from types import SimpleNamespace
    >>> html_of(SimpleNamespace(content=b"<td>\\n  <b>2 of\\n  3</b> left\\n</td>"))
    '<td><b>2 of 3</b> left</td>'
    """
    text = response.content.decode()
    text = re.sub(r"(?<=>)\s*\n\s*|\s*\n\s*(?=[<>])", "", text)
    return re.sub(r"\s*\n\s*", " ", text)
