"""How pages mark up what came from a file or a person: no translation, its own direction and language."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from annotation.models import Project

register = template.Library()


def text_language(project: Project | None) -> str:
    """Return the language of a project's texts; empty, HTML's unknown, where it names none or several."""
    tags = [tag.strip() for tag in (project.languages if project else "").split(",") if tag.strip()]
    return tags[0] if len(tags) == 1 else ""


@register.simple_tag(takes_context=True)
def as_given(context: template.Context) -> SafeString:
    """Write the attributes of an element that shows a text, a question or a quote of the project."""
    return format_html('dir="auto" translate="no" lang="{}"', text_language(context.get("project")))
