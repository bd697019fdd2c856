"""The life of a board: made hidden, opened, closed, hidden again, with settings that a lead may change.

See docs/decisions/boards.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_slug
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from annotation.access import refuse_archived
from annotation.limits import refuse_unfit
from annotation.models import Membership, Project, ProjectEvent
from boards.models import Board, TeamMember
from boards.triggers import LIMITS
from core.errors import NotFound, Refused
from core.lookalikes import seen_as

State = Board.State
MOST_IN_ALL = 1000
MOST_RUNS = 20
SETTINGS = (*("title", "description", "feedback", "entrance", "per_day", "in_all", "most_runs", "closes_at"),)


def board_create(*, project: Project, name: str, by: Membership | None = None, **settings: Any) -> Board:
    """Make a board that nobody sees yet but leads. Raises Refused, one message a field.

    Without a version it ranks nothing: `boards.life.versions.version_create` gives it one.
    """
    refuse_archived(project)
    name = name.strip()
    try:
        validate_slug(name)
    except ValidationError:
        raise _refused(
            "name", gettext("The address takes letters of English, digits, hyphens and low lines.")
        ) from None
    refuse_unfit(LIMITS["board"], name=name)
    values = settings_checked(settings)
    try:
        with transaction.atomic():
            board = Board.objects.create(project=project, name=name, created_by=by, **values)
            _log(board, by, "board made")
    except IntegrityError:
        if not project.boards.filter(name=name).exists():
            raise
        raise _refused("name", gettext("There is a board at this address already."), code="taken") from None
    return board


def settings_checked(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings as they are stored. Raises Refused for what no board can have, one message a field."""
    if unknown := sorted(set(given) - set(SETTINGS)):
        raise ValueError(f"A board has no setting {unknown[0]!r}.")
    values = dict(given)
    errors: dict[str, str] = {}
    if "title" in values:
        values["title"] = seen_as(values["title"])
        if not values["title"]:
            errors["title"] = gettext("Give the board a title.")
    if "description" in values:
        values["description"] = values["description"].strip()
    texts = {name: values[name] for name in ("title", "description") if name in values}
    refuse_unfit(LIMITS["board"], **texts)
    for name, choices in (("feedback", Board.Feedback), ("entrance", Board.Entrance)):
        if name in values and values[name] not in choices.values:
            errors[name] = gettext("Choose one of %(choices)s.") % {"choices": ", ".join(choices.values)}
    for name, most in (("per_day", MOST_IN_ALL), ("in_all", MOST_IN_ALL), ("most_runs", MOST_RUNS)):
        if name in values and not 1 <= values[name] <= most:
            errors[name] = gettext("Give a number from 1 to %(n)s.") % {"n": most}
    if not errors and values.get("per_day", 0) > values.get("in_all", MOST_IN_ALL):
        errors["per_day"] = gettext("A team cannot hand in more in a day than in all.")
    if errors:
        told = " ".join(f"{name}: {words}" for name, words in errors.items())
        raise Refused("invalid", told, errors=errors)
    return values


def board_edit(*, board: Board, by: Membership | None = None, **settings: Any) -> None:
    """Change settings, from now on; the log has which, from what to what."""
    now = {name: getattr(board, name) for name in SETTINGS}
    values = settings_checked({**now, **settings})
    changes = {name: value for name, value in values.items() if value != now[name]}
    if not changes:
        return
    with transaction.atomic():
        Board.objects.filter(pk=board.pk).update(**changes)
        shown = {name: value for name, value in changes.items() if name not in ("title", "description")}
        _log(
            board,
            by,
            "board settings changed",
            changed=sorted(changes),
            **{name: [_plain(now[name]), _plain(value)] for name, value in shown.items()},
        )
    board.refresh_from_db()


def board_switch(*, board: Board, state: str, by: Membership | None = None) -> None:
    """Open, close or hide a board. Raises Refused where it has nothing to rank by yet."""
    if state == State.OPEN:
        refuse_archived(board.project)
        if not board.versions.exists():
            raise Refused("not_ready", gettext("Choose the release and the method that rank first."))
        if board.closes_at is not None and board.closes_at <= timezone.now():
            raise Refused(
                "not_ready", gettext("The day of its close has passed: set a later one, or none, first.")
            )
    words = {State.OPEN: "board opened", State.CLOSED: "board closed", State.HIDDEN: "board hidden"}
    with transaction.atomic():
        if Board.objects.filter(pk=board.pk).exclude(state=state).update(state=state):
            _log(board, by, words[State(state)])
    board.refresh_from_db()


def boards_close_on_time(now: datetime | None = None) -> list[int]:
    """Close the boards whose day has come; return them."""
    due = Board.objects.filter(state=State.OPEN, closes_at__lte=now or timezone.now())
    closed = []
    for board in due.select_related("project"):
        with transaction.atomic():
            if Board.objects.filter(pk=board.pk, state=State.OPEN).update(state=State.CLOSED):
                _log(board, None, "board closed")
                closed.append(board.pk)
    return closed


def public_boards() -> QuerySet[Board]:
    """Return the boards of all projects that anybody may see."""
    return Board.objects.exclude(state=State.HIDDEN).filter(project__archived_at__isnull=True)


def public_board_or_404(slug: str, name: str, user: Any = None) -> Board:
    """Return a board that is not hidden, or that this user leads.

    Raises NotFound for any other, whether it exists or not.
    """
    found = Board.objects.select_related("project").filter(project__slug=slug, name=name).first()
    if found is None or (found.state == State.HIDDEN and not leads(found.project, user)):
        raise NotFound(gettext("There is no public board at this address."))
    return found


def board_or_404(project: Project, name: str) -> Board:
    """Return a board of a project, for its leads. Raises NotFound."""
    found = project.boards.select_related("project").filter(name=name).first()
    if found is None:
        raise NotFound(gettext("There is no such board in this project."))
    return found


def leads(project: Project, user: Any) -> bool:
    """Whether this user leads the project, and so may see all of its boards."""
    if user is None or not user.is_authenticated:
        return False
    return Membership.objects.filter(project=project, user=user.pk, is_lead=True, is_active=True).exists()


def team_member_of(board: Board, user: Any) -> TeamMember | None:
    """Return the user's place in a team of the board."""
    if user is None or not user.is_authenticated:
        return None
    found: TeamMember | None = (
        TeamMember.objects.filter(board=board, user=user.pk).select_related("team__board__project").first()
    )
    return found


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def _refused(field: str, message: str, *, code: str = "invalid") -> Refused:
    return Refused(code, message, errors={field: message})


def _log(board: Board, by: Membership | None, action: str, **details: object) -> None:
    ProjectEvent.objects.create(
        project=board.project, member=by, action=action, details={"board": board.name, **details}
    )
