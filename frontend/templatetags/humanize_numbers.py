"""Numbers, durations and draws in words, for the lead's pages."""

from typing import Any

from django import template
from django.utils.translation import gettext

from annotation.models import Round

register = template.Library()


@register.filter
def thousands(number: int) -> str:
    """Return a whole number with thin spaces between groups of thousands: 4 136."""
    return f"{number:,}".replace(",", "\u202f")


@register.filter
def details_words(details: dict[str, Any]) -> str:
    """Return an event's details as people read them: round Pilot; items 12."""
    said = []
    for key, value in details.items():
        shown = ", ".join(map(str, value)) if isinstance(value, list) else value
        if isinstance(value, dict):
            shown = ", ".join(f"{n} {what}" for what, n in value.items() if n)
        if shown not in ("", None, 0):
            said.append(f"{key.replace('_', ' ')} {shown}")
    return "; ".join(said)


@register.filter
def pair_words(pair: str) -> str:
    """Return two pseudonyms as people say them: A1 and A2."""
    return pair.replace("~", " and ")


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
    how = drawn.draw
    if not how:
        return "judged elsewhere and imported" if drawn.imported else "not drawn yet"
    if how.get("items_of"):
        said = gettext("the items of round %(number)s") % {"number": how["items_of"]}
    elif how.get("picked"):
        said = "named by hand"
    elif how.get("size"):
        said = f"a random sample of {how['size']} items"
    elif how.get("questions"):
        said = f"random items with {how['questions']} questions together"
    else:
        said = "all items"
    if how.get("stratify_by"):
        said += f", in the shares of each {how['stratify_by']}"
    if how.get("exclude_drawn"):
        said += ", without items of other rounds"
    return said
