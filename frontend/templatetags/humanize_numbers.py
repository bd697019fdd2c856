"""Numbers, durations and draws in words, for the lead's pages."""

import re
from typing import Any

from django import template
from django.utils.html import format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, ngettext

from annotation.importing.files.rows import counted
from annotation.models import Round
from frontend import translated_values as stored_words

_BREAKS = re.compile(r"(?<=[_./-])")

register = template.Library()
register.filter(counted)


@register.filter
def thousands(number: int) -> str:
    """Return a whole number with thin spaces between groups of thousands: 4 136."""
    return f"{number:,}".replace(",", "\u202f")


@register.filter
def round_thousands(number: float) -> str:
    """Return a number to the next whole one, with thin spaces between groups of thousands."""
    return thousands(round(number))


@register.filter
def details_words(details: dict[str, Any]) -> str:
    """Return an event's details as people read them: round Pilot; items 12."""
    said = []
    for key, value in details.items():
        # Only these hold words of ours: a round may be called “finished”.
        words = stored_words.said if key in ("judgements", "roles") else str
        shown = ", ".join(map(words, value)) if isinstance(value, list) else value
        if isinstance(value, dict):
            shown = ", ".join(f"{n} {counted(what, n)}" for what, n in value.items() if n)
        if shown not in ("", None, 0):
            shown = words(shown) if isinstance(shown, str) else shown
            said.append(f"{stored_words.said(key.replace('_', ' '))} {shown}")
    return "; ".join(said)


@register.filter
def said(text: str) -> str:
    """Return a word that rows and files keep in English, in the reader's language."""
    return stored_words.said(text)


@register.filter
def votes_words(pattern: str) -> str:
    """Return counted answers in the reader's language: yes 2, no 1."""
    votes = (vote.rpartition(" ") for vote in pattern.split(", "))
    return ", ".join(f"{stored_words.said(answer)} {n}" for answer, _, n in votes)


@register.filter
def pair_options(pairs: list[str], chosen: str) -> str:
    """Return the options of a choice among pairs of pseudonyms, as people say them: A1 and A2.

    Of 30 annotators there are 435 pairs: as many turns of a template's loop take longer than the page.
    """
    words = gettext("%(first)s and %(second)s")
    options = []
    for pair in pairs:
        first, _, second = pair.partition("~")
        selected = mark_safe(" selected") if pair == chosen else ""
        options.append((pair, selected, words % {"first": first, "second": second}))
    return format_html_join("", '<option value="{}"{}>{}</option>', options)


@register.filter
def duration(seconds: float | None) -> str:
    """Return a time in the two largest units that say enough: 45 s, 12 min, 3 h 20 min."""
    whole = round(seconds or 0)
    if whole < 60:
        return f"{whole} s"
    minutes = round(whole / 60)
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"


@register.filter
def draw_sentence(drawn: Round) -> str:
    """Return how a round's items were drawn, from the parameters stored with it."""
    how = {} if drawn.claimed_for == Round.Work.DRAWING else drawn.draw
    if not how:
        return gettext("judged elsewhere and imported") if drawn.imported else gettext("not drawn yet")
    if how.get("matching"):
        said = gettext("the questions of systems, identical ones once")
    elif how.get("items_of"):
        said = gettext("the items of round %(number)s") % {"number": how["items_of"]}
    elif how.get("picked"):
        said = gettext("named by hand")
    elif how.get("size"):
        words = ngettext("a random item", "a random sample of %(size)s items", how["size"])
        said = words % {"size": how["size"]}
    elif how.get("questions"):
        words = ngettext(
            "random items with a question",
            "random items with %(questions)s questions together",
            how["questions"],
        )
        said = words % {"questions": how["questions"]}
    else:
        said = gettext("all items")
    if how.get("stratify_by"):
        each = {"topic": gettext("each topic"), "source": gettext("each source")}[how["stratify_by"]]
        said = gettext("%(draw)s, in the shares of %(each)s") % {"draw": said, "each": each}
    if how.get("exclude_drawn"):
        said = gettext("%(draw)s, without items of other rounds") % {"draw": said}
    if how.get("include_filtered"):
        said = gettext("%(draw)s, filtered ones too") % {"draw": said}
    return said


@register.filter
def breakable(text: str) -> SafeString:
    """Let a long name go on in the next line after its underscores, dots and dashes.

    >>> breakable("a_b<c")
    'a_<wbr>b&lt;c'
    """
    return format_html_join(mark_safe("<wbr>"), "{}", ([part] for part in _BREAKS.split(text)))
