"""The people of a project after they joined: roles, leaving, and reassigning their texts.

See docs/decisions/leads.md.
"""

from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.limits import LIMITS, refuse_unfit
from annotation.models import Membership, Project, ProjectEvent
from annotation.projects.projects import member_add
from core.errors import Refused


def member_edit(
    *, target: Membership, member: Membership, is_lead: bool, is_annotator: bool, background: str
) -> Membership:
    """Change a person's roles and the background that the data card may tell.

    Raises Refused for nobody's role, and where the project would be left without a lead.
    """
    if not (is_lead or is_annotator):
        raise Refused(
            "invalid", gettext("Choose annotator, lead or both. To let somebody go, deactivate them.")
        )
    refuse_unfit(LIMITS["membership"], background=background)
    with transaction.atomic():
        _locked(target)
        if target.is_lead and not is_lead:
            _refuse_without_lead(target)
        given = {"is_lead": is_lead, "is_annotator": is_annotator, "background": background.strip()}
        changed = [field for field, value in given.items() if getattr(target, field) != value]
        for field in changed:
            setattr(target, field, given[field])
        if changed:
            target.save(update_fields=changed)
            _log(target, member, "member edited", fields=changed)
    return target


def member_admit(*, project: Project, user: Any, is_lead: bool, is_annotator: bool) -> Membership:
    """Let an account take part without an invitation, as whoever runs the installation may.

    Whoever takes part already gets the roles they did not have. Raises Refused where there are none to give,
    and for a deactivated member.
    """
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=project.pk)
        target = project.memberships.filter(user=user).first()
        if target is None:
            target = member_add(project=project, user=user, is_lead=is_lead, is_annotator=is_annotator)
        elif not target.is_active:
            told = gettext("%(name)s was deactivated in this project: one of its leads can reactivate them.")
            raise Refused("not_ready", told % {"name": target.pseudonym})
        elif not add_roles(target, is_lead=is_lead, is_annotator=is_annotator):
            told = gettext("%(user)s takes part in this project already, as %(name)s.")
            raise Refused("taken", told % {"user": user, "name": target.pseudonym})
        roles = [name for name, has in (("annotator", is_annotator), ("lead", is_lead)) if has]
        _log(target, None, "member added", roles=roles)
    return target


def add_roles(target: Membership, *, is_lead: bool, is_annotator: bool) -> bool:
    """Give a member roles they do not have; return whether there was one to give."""
    if (target.is_lead or not is_lead) and (target.is_annotator or not is_annotator):
        return False
    target.is_lead = target.is_lead or is_lead
    target.is_annotator = target.is_annotator or is_annotator
    target.save(update_fields=["is_lead", "is_annotator"])
    return True


def member_deactivate(*, target: Membership, member: Membership, leave_out: bool = False) -> Membership:
    """Shut a person out of the project; nothing they judged is deleted.

    `leave_out` keeps their judgements out of figures and releases made from now on, as when an annotator
    withdraws from the study. Raises Refused where the project would be left without a lead.
    """
    with transaction.atomic():
        _locked(target)
        if target.is_lead:
            _refuse_without_lead(target)
        target.is_active = False
        target.left_out_at = timezone.now() if leave_out else None
        target.save(update_fields=["is_active", "left_out_at"])
        _log(target, member, "member deactivated", judgements="left out" if leave_out else "kept")
    return target


def member_reactivate(*, target: Membership, member: Membership) -> Membership:
    """Let a deactivated person in again; their judgements count again."""
    with transaction.atomic():
        _locked(target)
        target.is_active = True
        target.left_out_at = None
        target.save(update_fields=["is_active", "left_out_at"])
        _log(target, member, "member reactivated")
    return target


def _locked(target: Membership) -> None:
    # One change of people at a time in a project, so that two leads cannot remove each other.
    Project.objects.select_for_update().get(pk=target.project_id)
    target.refresh_from_db(fields=["is_lead", "is_annotator", "is_active", "background", "left_out_at"])


def _refuse_without_lead(target: Membership) -> None:
    others = Membership.objects.filter(project=target.project_id, is_lead=True, is_active=True)
    if not others.exclude(pk=target.pk).exclude(user=None).exists():
        raise Refused(
            "not_ready", gettext("A project keeps at least one lead: make somebody else a lead first.")
        )


def _log(target: Membership, member: Membership | None, action: str, **details: object) -> None:
    ProjectEvent.objects.create(
        project=target.project, member=member, action=action, details={"who": target.pseudonym, **details}
    )
