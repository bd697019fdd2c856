"""Names of the fields of the codebook's form."""

from django import template

from annotation.codebooks.definition import BLANK

register = template.Library()


@register.filter
def add_index(prefix: str, index: int) -> str:
    """Return a field's prefix with the place of its entry: types-0."""
    return f"{prefix}{index}"


@register.filter
def around_blank(exemplar: str) -> list[str]:
    """Return the words of an exemplar before and after its blank; without one the whole alone."""
    return exemplar.split(BLANK, 1)
