"""Invitations by e-mail, where the installation can send it."""

import logging
from smtplib import SMTPException

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail import send_mail
from django.core.validators import validate_email
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext

from annotation.models import Invitation

logger = logging.getLogger(__name__)


def mail_is_configured() -> bool:
    """Whether e-mail leaves this installation rather than being printed."""
    return not settings.EMAIL_BACKEND.endswith("console.EmailBackend")


def send_invitation(invitation: Invitation, url: str) -> bool:
    """Send the link where the note is an address and e-mail is configured; say whether it went."""
    if not mail_is_configured():
        return False
    try:
        validate_email(invitation.note)
        send_mail(
            subject=gettext("Invitation to %(name)s") % {"name": invitation.project.name},
            message=(
                gettext(
                    "You are invited to take part in %(name)s.\n\nOpen this link to join. It works once, "
                    "until %(expires_at)s:\n\n%(url)s\n"
                )
                % {
                    "name": invitation.project.name,
                    "expires_at": date_format(localtime(invitation.expires_at), gettext("j F Y")),
                    "url": url,
                }
            ),
            from_email=None,
            recipient_list=[invitation.note],
        )
    except ValidationError:
        return False
    except (SMTPException, OSError) as error:
        logger.warning("an invitation could not be sent by e-mail: %s", type(error).__name__)
        return False
    return True
