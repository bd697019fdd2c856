"""Invitations by e-mail, where the installation can send it."""

import logging
from smtplib import SMTPException

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail import send_mail
from django.core.validators import validate_email

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
            subject=f"Invitation to {invitation.project.name}",
            message=(
                f"You are invited to take part in {invitation.project.name}.\n\n"
                f"Open this link to join. It works once, until {invitation.expires_at:%d %B %Y}:\n\n{url}\n"
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
