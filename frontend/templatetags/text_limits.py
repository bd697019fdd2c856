"""How long a text field may become."""

from django import template

from annotation.limits import characters

register = template.Library()
register.simple_tag(characters)
