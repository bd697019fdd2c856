"""Teams of a board and the links that let people in: into the board, or into a team of it."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext

from annotation.limits import refuse_unfit
from annotation.models import Membership, ProjectEvent
from boards.life.boards import team_member_of
from boards.models import Board, BoardInvitation, Team, TeamMember
from boards.triggers import LIMITS
from core.errors import NotAllowed, NotFound, Refused
from core.lookalikes import heard_as, seen_as
from scoring.models import System
from scoring.systems.systems import system_create

MAX_DAYS = 365
MOST_MEMBERS = 50


def may_hand_in(board: Board, user: Any) -> bool:
    """Whether an account may have a team: with the board's invitation where it asks for one."""
    if not user.is_authenticated:
        return False
    if board.entrance == Board.Entrance.ANYONE:
        return True
    return bool(
        team_member_of(board, user) or board.invitations.filter(used_by=user.pk, team__isnull=True).exists()
    )


def team_create(*, board: Board, name: str, user: Any) -> Team:
    """Make a team with its first member.

    Raises NotAllowed without an invitation where the board asks for one, and Refused for a name that looks
    like another team's, and for whoever is in a team.
    """
    if not may_hand_in(board, user):
        raise NotAllowed(gettext("This board takes whoever was invited: ask its organisers for a link."))
    name = _name(name)
    there = team_member_of(board, user)
    if there is not None:
        raise Refused("taken", gettext("You are in the team “%(name)s” already.") % {"name": there.team.name})
    try:
        with transaction.atomic():
            team = Team.objects.create(board=board, name=name, name_key=heard_as(name))
            team.system = _system(team)
            team.save(update_fields=["system"])
            TeamMember.objects.create(board=board, team=team, user=user)
            _log(board, "board team made", team=name)
    except IntegrityError:
        if board.teams.filter(name_key=heard_as(name)).exists():
            raise _refused(gettext("There is a team of this name already: choose another one.")) from None
        if team_member_of(board, user) is not None:
            raise Refused("taken", gettext("You are in a team of this board already.")) from None
        raise
    return team


def team_rename(*, team: Team, name: str, user: Any) -> None:
    """Give one's own team another name."""
    _refuse_stranger(team, user)
    name = _name(name)
    before = team.name
    if name == before:
        return
    try:
        with transaction.atomic():
            Team.objects.filter(pk=team.pk).update(name=name, name_key=heard_as(name))
            _log(team.board, "board team renamed", team=name, before=before)
    except IntegrityError:
        raise _refused(gettext("There is a team of this name already: choose another one.")) from None
    team.refresh_from_db()


def team_invite(*, team: Team, user: Any, days: int = 14) -> tuple[BoardInvitation, str]:
    """Return a link into one's own team, with its token, which is shown now and never again."""
    _refuse_stranger(team, user)
    with transaction.atomic():
        made = _invite(team.board, team, "", days)
        _log(team.board, "board invitation made", team=team.name, days=days)
    return made


def board_invite(
    *, board: Board, by: Membership, note: str = "", days: int = 30
) -> tuple[BoardInvitation, str]:
    """Return a link into the board: whoever accepts it may have a team."""
    refuse_unfit(LIMITS["boardinvitation"], note=note)
    with transaction.atomic():
        made = _invite(board, None, note.strip(), days)
        _log(board, "board invitation made", by, days=days)
    return made


def board_invitation_revoke(*, invitation: BoardInvitation, by: Membership) -> None:
    """Make an unused link worthless."""
    rows = BoardInvitation.objects.filter(pk=invitation.pk, used_at__isnull=True, revoked_at__isnull=True)
    with transaction.atomic():
        if rows.update(revoked_at=timezone.now()):
            _log(invitation.board, "board invitation revoked", by)


def find_invitation(token: str) -> BoardInvitation:
    """Return the usable invitation of a token. Raises NotFound with the reason where there is none."""
    found = (
        BoardInvitation.objects.select_related("board__project", "team")
        .filter(token_sha256=_digest(token))
        .first()
    )
    if found is None:
        raise NotFound(
            gettext("This is no invitation link. Check that you copied all of it, or ask for a new one.")
        )
    if found.used_at is not None:
        raise NotFound(gettext("This link was used already: it works once. Ask for a new one."))
    if found.revoked_at is not None or found.expires_at <= timezone.now():
        raise NotFound(gettext("This link is no longer valid. Ask for a new one."))
    return found


def invitation_accept(*, token: str, user: Any) -> BoardInvitation:
    """Let the user into the board, or the team, of an invitation, which is used up by it.

    Raises NotFound for one that is not usable, and Refused for whoever is in a team of the board.
    """
    with transaction.atomic():
        found = find_invitation(token)
        if team_member_of(found.board, user) is not None:
            raise Refused("taken", gettext("You are in a team of this board already."))
        now = timezone.now()
        usable = Q(used_at__isnull=True, revoked_at__isnull=True, expires_at__gt=now)
        if not BoardInvitation.objects.filter(usable, pk=found.pk).update(used_at=now, used_by=user):
            find_invitation(token)
        if found.team is not None:
            if found.team.members.count() >= MOST_MEMBERS:
                raise Refused("not_ready", gettext("A team has at most %(n)s members.") % {"n": MOST_MEMBERS})
            try:
                with transaction.atomic():
                    TeamMember.objects.create(board=found.board, team=found.team, user=user)
            except IntegrityError:
                # Of two links at once the other one came first.
                raise Refused("taken", gettext("You are in a team of this board already.")) from None
        _log(found.board, "board invitation accepted")
    return found


def team_or_refuse(board: Board, user: Any) -> Team:
    """Return the user's team of a board. Raises NotAllowed without one."""
    found = team_member_of(board, user)
    if found is None:
        raise NotAllowed(gettext("You are in no team of this board yet: make one, or ask a team for a link."))
    return found.team


def _invite(board: Board, team: Team | None, note: str, days: int) -> tuple[BoardInvitation, str]:
    if not 1 <= days <= MAX_DAYS:
        raise Refused("invalid", gettext("An invitation lives between 1 and %(n)s days.") % {"n": MAX_DAYS})
    token = secrets.token_urlsafe(32)
    made = BoardInvitation.objects.create(
        board=board,
        team=team,
        note=note,
        token_sha256=_digest(token),
        expires_at=timezone.now() + timedelta(days=days),
    )
    return made, token


def _system(team: Team) -> System:
    """Return what holds a team's files for scoring, in a name that no system of the leads has."""
    project, known = team.board.project, f"{team.name} · {team.board.name}"
    number = 1
    while True:
        name = f"{known[:190]} {number}" if number > 1 else known[:200]
        try:
            return system_create(project=project, name=name)
        except Refused as refused:
            if refused.code != "taken":
                raise
            number += 1


def _name(name: str) -> str:
    refuse_unfit(LIMITS["team"], name=name)
    name = seen_as(name)
    if not name:
        raise _refused(gettext("Give the team a name."))
    return name


def _refuse_stranger(team: Team, user: Any) -> None:
    if not team.members.filter(user=user.pk).exists():
        raise NotFound(gettext("There is no such team that you are in."))


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _refused(message: str) -> Refused:
    return Refused("invalid", message, errors={"team": message})


def _log(board: Board, action: str, by: Membership | None = None, **details: object) -> None:
    ProjectEvent.objects.create(
        project=board.project, member=by, action=action, details={"board": board.name, **details}
    )
