"""Invitations: made by a lead, used once by whoever has the link."""

import hashlib
import secrets
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from annotation.access import deactivated_words, refuse_archived
from annotation.limits import LIMITS, refuse_unfit
from annotation.models import Invitation, Membership, Project, ProjectEvent
from annotation.projects.members import add_roles
from annotation.projects.projects import member_add
from core.errors import NotFound, Refused

MAX_DAYS = 365
MAX_AT_ONCE = 100


def invitation_create(
    *,
    project: Project,
    member: Membership,
    is_annotator: bool = True,
    is_lead: bool = False,
    note: str = "",
    days: int = 14,
) -> tuple[Invitation, str]:
    """Make an invitation; return it with its token, which is shown now and never again.

    `note` says for whom it is. Raises Refused without a role, or for a life of no or too many days.
    """
    if not (is_annotator or is_lead):
        raise Refused("invalid", gettext("Choose what the person will be: annotator, lead or both."))
    if not 1 <= days <= MAX_DAYS:
        raise Refused(
            "invalid",
            gettext("An invitation lives between 1 and %(max_days)s days.") % {"max_days": MAX_DAYS},
        )
    refuse_unfit(LIMITS["invitation"], note=note)
    token = secrets.token_urlsafe(32)
    with transaction.atomic():
        refuse_archived(project)
        invitation = Invitation.objects.create(
            project=project,
            token_sha256=_digest(token),
            note=note.strip(),
            is_annotator=is_annotator,
            is_lead=is_lead,
            invited_by=member,
            expires_at=timezone.now() + timedelta(days=days),
        )
        _log(invitation, member, "invitation made", days=days)
    return invitation, token


def invitations_waiting(project: Project) -> QuerySet[Invitation]:
    """Return the invitations that somebody could still accept."""
    return project.invitations.filter(
        used_at__isnull=True, revoked_at__isnull=True, expires_at__gt=timezone.now()
    )


def invitation_revoke(*, invitation: Invitation, member: Membership) -> None:
    """Make an unused invitation worthless. Raises Refused where it was used already."""
    with transaction.atomic():
        waiting = Invitation.objects.filter(pk=invitation.pk, used_at__isnull=True, revoked_at__isnull=True)
        if waiting.update(revoked_at=timezone.now()):
            _log(invitation, member, "invitation revoked")
        elif Invitation.objects.filter(pk=invitation.pk, used_at__isnull=False).exists():
            raise Refused(
                "in_use", gettext("This invitation was used already. Deactivate the person instead.")
            )


def find_invitation(token: str) -> Invitation:
    """Return the usable invitation of a token. Raises NotFound with the reason where there is none."""
    found = Invitation.objects.select_related("project").filter(token_sha256=_digest(token)).first()
    if found is None:
        raise NotFound(
            gettext("This is no invitation link. Check that you copied all of it, or ask for a new one.")
        )
    if found.used_at is not None:
        raise NotFound(
            gettext("This invitation was used already: it works once. Log in, or ask a lead for a new one.")
        )
    if found.revoked_at is not None or found.expires_at <= timezone.now():
        raise NotFound(gettext("This invitation is no longer valid. Ask a lead of the study for a new one."))
    return found


def invitation_adds_nothing(invitation: Invitation, user: Any) -> Membership | None:
    """Return the user's membership where it is active and has all roles of the invitation already."""
    member = invitation.project.memberships.filter(user=user.pk, is_active=True).first() if user.pk else None
    if member is None or (invitation.is_lead and not member.is_lead):
        return None
    return None if invitation.is_annotator and not member.is_annotator else member


def invitation_accept(*, token: str, user: Any, background: str = "") -> Membership:
    """Bring the user into the project by an invitation, which is used up by it.

    Whoever takes part already gets the roles they did not have. Of two people who accept at once one
    succeeds. Raises NotFound for an invitation that is not usable, Refused for a deactivated member.
    """
    with transaction.atomic():
        invitation = find_invitation(token)
        refuse_archived(invitation.project)
        usable = Invitation.objects.filter(
            pk=invitation.pk, used_at__isnull=True, revoked_at__isnull=True, expires_at__gt=timezone.now()
        )
        if not usable.update(used_at=timezone.now()):
            find_invitation(token)
        member = invitation.project.memberships.filter(user=user).first()
        if member is None:
            member = member_add(
                project=invitation.project,
                user=user,
                is_lead=invitation.is_lead,
                is_annotator=invitation.is_annotator,
                background=background.strip(),
            )
        elif not member.is_active:
            raise Refused("not_ready", deactivated_words())
        elif not add_roles(member, is_lead=invitation.is_lead, is_annotator=invitation.is_annotator):
            told = gettext("You take part in this project already, as %(name)s.") % {"name": member.pseudonym}
            raise Refused("taken", told)
        Invitation.objects.filter(pk=invitation.pk).update(used_by=member)
        _log(invitation, member, "invitation accepted")
    return member


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _log(invitation: Invitation, member: Membership, action: str, **details: object) -> None:
    roles = [
        name for name, has in (("annotator", invitation.is_annotator), ("lead", invitation.is_lead)) if has
    ]
    ProjectEvent.objects.create(
        project=invitation.project, member=member, action=action, details={"roles": roles, **details}
    )
