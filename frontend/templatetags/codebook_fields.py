"""Names of the fields of the codebook's form."""

from django import template

register = template.Library()


@register.filter
def add_index(prefix: str, index: int) -> str:
    """Return a field's prefix with the place of its entry: types-0."""
    return f"{prefix}{index}"
