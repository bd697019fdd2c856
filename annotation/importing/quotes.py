"""Where a quote stands in a text, for files that name the words of a span instead of its offsets."""

from __future__ import annotations

from django.utils.translation import gettext

from annotation.protocols.rules import RuleError


def place_quote(text: str, quote: str, occurrence: int | None) -> tuple[int, int]:
    """Return the offsets of a quote, of its `occurrence` (from 1) where it stands there more than once.

    Occurrences may overlap. Raises RuleError with what to write instead.
    """
    starts = [start for start in range(len(text) - len(quote) + 1) if text.startswith(quote, start)]
    if not starts:
        raise RuleError({"quote": gettext("“%(quote)s” does not stand in the text") % {"quote": quote}})
    if occurrence is None:
        if len(starts) > 1:
            raise RuleError(
                {
                    "occurrence": gettext(
                        "“%(quote)s” stands %(n)s times in the text: write which, 1 for the first"
                    )
                    % {"quote": quote, "n": len(starts)}
                }
            )
        occurrence = 1
    if not 1 <= occurrence <= len(starts):
        raise RuleError(
            {
                "occurrence": gettext("is %(occurrence)s, and “%(quote)s” stands %(n)s times in the text")
                % {"occurrence": occurrence, "quote": quote, "n": len(starts)}
            }
        )
    start = starts[occurrence - 1]
    return start, start + len(quote)


def span_fields(
    text: str, start: int | None, end: int | None, quote: str | None, occurrence: int | None
) -> dict[str, int | str | None]:
    """Return start, end and quote of a span that a file gives by its offsets, or by its words.

    An absent quote is taken from the text. Raises RuleError where words and offsets name two places.
    """
    if quote and (occurrence is not None or (start is None and end is None)):
        placed = place_quote(text, quote, occurrence)
        if occurrence is not None and (start, end) not in ((None, None), placed):
            raise RuleError(
                {
                    "occurrence": gettext("is at %(start)s to %(end)s, and not where the offsets say")
                    % {"start": placed[0], "end": placed[1]}
                }
            )
        return {"start": placed[0], "end": placed[1], "quote": quote}
    if quote is None and start is not None and end is not None:
        quote = text[max(start, 0) : max(end, 0)]
    return {"start": start, "end": end, "quote": quote}
