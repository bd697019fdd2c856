"""What pages say about the installation that they run on."""

from django import template

from frontend.inviting import mail_is_configured

register = template.Library()


@register.simple_tag
def sends_mail() -> bool:
    """Whether e-mail leaves this installation."""
    return mail_is_configured()
