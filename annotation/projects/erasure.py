"""Erasing a person from a project, or from the installation: who they are goes, what they judged may stay.

See docs/decisions/storage.md.
"""

import re
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext

from annotation.database.erasure import door_open, uploads_empty
from annotation.models import (
    AnnotationEvent,
    Assignment,
    Claim,
    Comment,
    ErasureDoor,
    Import,
    Invitation,
    Membership,
    Project,
    ProjectEvent,
    QuestionAnnotation,
    TypeAnnotation,
    Upload,
)
from annotation.signals import account_erasing
from core.errors import Refused


def member_erase(*, target: Membership, member: Membership | None) -> None:
    """Erase who a member is from their project; `member` is the lead who does it, None whoever operates.

    Name, background, invitations and comments go; judgements stay under the pseudonym unless the project
    promised that they go too. The account goes with its last project. The log says that somebody was erased
    and not who. Raises Refused where the project would be left without a lead.
    """
    with door_open(ErasureDoor.Kind.PERSON, target.pk):
        project = Project.objects.select_for_update().get(pk=target.project_id)
        target.refresh_from_db()
        user = target.user
        _refuse_last_lead(target)
        _forget_words(target, user)
        promised = project.erases_judgements
        if promised:
            _forget_judgements(target)
        Membership.objects.filter(pk=target.pk).update(
            user=None,
            private_name="",
            background="",
            is_active=False,
            left_out_at=timezone.now() if promised else target.left_out_at,
        )
        ProjectEvent.objects.create(
            project=project,
            # A lead who erases themself is not named either.
            member=None if member is not None and member.pk == target.pk else member,
            action="person erased",
            details={"judgements": "erased" if promised else "kept"},
        )
        may_go = user is not None and (member is None or not _operates(user))
        if may_go and not Membership.objects.filter(user=user).exists():
            _forget_account(user)


def account_erase(*, user: Any) -> int:
    """Erase an account from the installation with all its places in projects; return how many these were.

    Raises Refused, with nothing changed, where one of them would be left without a lead.
    """
    with transaction.atomic():
        places = list(Membership.objects.filter(user=user).order_by("pk"))
        for place in places:
            member_erase(target=place, member=None)
        if get_user_model().objects.filter(pk=user.pk).exists():
            _forget_account(user)
    return len(places)


def erasure_effects(target: Membership) -> list[str]:
    """Say in sentences what erasing a member does."""
    others = (
        target.user is not None and Membership.objects.filter(user=target.user).exclude(pk=target.pk).exists()
    )
    name = {"name": target.pseudonym}
    stays: list[str] = []
    if others:
        stays = [gettext("They take part in other projects here too: their account stays for these.")]
    elif target.user is not None and _operates(target.user):
        stays = [gettext("They run this installation: their account stays, and who runs it can erase it.")]
    return [
        gettext("Their name, background, invitations and comments in this project are deleted for good.")
        if stays
        else gettext(
            "Their name, e-mail address, log-in, background, invitations and comments are deleted for good."
        ),
        *stays,
        gettext("All that %(name)s judged is deleted too, as the project promised.") % name
        if target.project.erases_judgements
        else gettext("What they judged stays, under the name %(name)s alone.") % name,
        gettext("Figures and releases made from now on are without their judgements.")
        if target.project.erases_judgements
        else gettext("Figures stay as they are."),
        gettext(
            "Releases made so far stay as they are: they have the pseudonym, and the background where their "
            "card prints it."
        ),
        gettext("The log says that somebody was erased, not who. Nobody can take it back."),
        gettext("Backups made before still hold it until they are deleted."),
    ]


def _operates(user: Any) -> bool:
    """Return whether an account is more than a place in projects: no lead may take it away."""
    return bool(user.is_staff or user.is_superuser)


def _refuse_last_lead(target: Membership) -> None:
    if not target.is_lead:
        return
    leads = Membership.objects.filter(
        project=target.project_id, is_lead=True, is_active=True, user__isnull=False
    )
    if leads.filter(pk=target.pk).exists() and not leads.exclude(pk=target.pk).exists():
        raise Refused(
            "not_ready",
            gettext(
                "%(project)s would be left without a lead: make somebody else a lead first, or delete the "
                "project."
            )
            % {"project": target.project.name},
        )


def _forget_words(target: Membership, user: Any) -> None:
    names = {target.private_name}
    if user is not None:
        names |= {user.get_username(), user.email, user.get_full_name()}
    named = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in names if name) or "$^", re.I)
    invitations = Invitation.objects.filter(project=target.project_id)
    theirs = [pk for pk, note in invitations.values_list("pk", "note") if named.search(note)]
    invitations.filter(Q(used_by=target) | Q(pk__in=theirs)).delete()
    Invitation.objects.filter(invited_by=target, used_at=None, revoked_at=None).update(
        revoked_at=timezone.now()
    )
    _forget_imported_name(target)
    Claim.objects.filter(member=target).delete()
    # A thread that they settled or opened again stays so, without their words.
    Comment.objects.filter(member=target, act=Comment.Act.SAY).delete()
    Comment.objects.filter(member=target).update(text="")


def _forget_imported_name(target: Membership) -> None:
    """Forget what a file of judgements called a person, and the file that has the name in it."""
    for model in (Import, Upload):
        for row in model.objects.filter(project=target.project_id).only("report"):
            people = row.report.get("people", {})
            left = {name: pseudonym for name, pseudonym in people.items() if pseudonym != target.pseudonym}
            if left != people:
                model.objects.filter(pk=row.pk).update(report={**row.report, "people": left})
                if isinstance(row, Upload):
                    uploads_empty(Upload.objects.filter(pk=row.pk))


def _forget_judgements(target: Membership) -> None:
    of_member = {"assignment__member": target}
    for rows in (
        AnnotationEvent.objects.filter(member=target),
        TypeAnnotation.objects.filter(**of_member),
        QuestionAnnotation.objects.filter(**of_member),
    ):
        rows._raw_delete("default")
    AnnotationEvent.objects.filter(**of_member)._raw_delete("default")
    Assignment.objects.filter(member=target)._raw_delete("default")


def _forget_account(user: Any) -> None:
    key = str(user.pk)
    for session in Session.objects.iterator():
        if session.get_decoded().get("_auth_user_id") == key:
            session.delete()
    account_erasing.send(sender=type(user), user=user)
    user.delete()
