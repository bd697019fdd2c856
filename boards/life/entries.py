"""Handing in: checked whole, within the limits, then queued; withdrawn, renamed, hidden with a reason.

See docs/decisions/boards.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Count, F, QuerySet
from django.utils import timezone
from django.utils.translation import gettext, ngettext

from annotation.access import refuse_archived
from annotation.limits import refuse_unfit
from annotation.models import Membership, ProjectEvent
from boards.life.checking import upload_check
from boards.life.teams import team_or_refuse
from boards.life.versions import board_lock, version_or_404
from boards.models import Board, Entry, Placing, Team
from boards.triggers import LIMITS
from core.errors import NotFound, Refused
from core.lookalikes import seen_as
from core.stored_files import forget_stored
from scoring.models import SubmissionFile
from scoring.systems.submissions import HandedIn, store_submission
from scoring.systems.systems import link_of_the_web

_TRIES = 60


def entry_hand_in(
    *,
    board: Board,
    user: Any,
    files: Sequence[HandedIn],
    name: str,
    line: str = "",
    link: str = "",
    trained_on_validation: bool = False,
    may_be_shown: bool = False,
    now: datetime | None = None,
) -> Placing:
    """Store a team's files and queue them for scoring; return the place in the queue.

    Raises FilesRefused with every fault, and Refused for the rest: neither costs the team anything but a
    check.
    """
    now = now or timezone.now()
    team = team_or_refuse(board, user)
    described = _described(name=name, line=line, link=link)
    refuse_archived(board.project)
    _refuse_closed(board, now)
    day = now.astimezone(UTC).date()
    _free_slots(team, day)
    version = version_or_404(board)
    public, runs, named = upload_check(team=team, version=version, files=files, now=now)
    places: list[str] = []
    assert team.system is not None
    try:
        with transaction.atomic():
            board_lock(board)
            if version_or_404(board).pk != version.pk:
                raise Refused("taken", gettext("The board was changed just now: hand it in once more."))
            submission = store_submission(
                system=team.system, release=version.release, files=named, read=(public, runs)
            )
            places = list(submission.files.values_list("storage", flat=True))
            entry = _placed_within_the_limits(
                team,
                day,
                board=board,
                version=version,
                submission=submission,
                digest=submission.digest,
                trained_on_validation=trained_on_validation,
                may_be_shown=may_be_shown,
                created_by=user,
                **described,
            )
            placing = Placing.objects.create(version=version, entry=entry)
            _log(entry, None, "board entry handed in")
    except BaseException:
        _forget(places)
        raise
    return placing


def entry_rename(*, entry: Entry, user: Any, name: str, line: str = "", link: str = "") -> None:
    """Describe one's own entry in other words."""
    _refuse_stranger(entry, user)
    described = _described(name=name, line=line, link=link)
    with transaction.atomic():
        Entry.objects.filter(pk=entry.pk).update(**described)
        _log(entry, None, "board entry renamed", to=described["name"])
    entry.refresh_from_db()


def entry_consent(*, entry: Entry, user: Any, may_be_shown: bool) -> None:
    """Say whether one's own entry may stand on the public page."""
    _refuse_stranger(entry, user)
    with transaction.atomic():
        if (
            Entry.objects.filter(pk=entry.pk)
            .exclude(may_be_shown=may_be_shown)
            .update(may_be_shown=may_be_shown)
        ):
            _log(entry, None, "board entry shown" if may_be_shown else "board entry kept private")
    entry.refresh_from_db()


def entry_describe(*, entry: Entry, user: Any, may_be_shown: bool | None = None, **words: str) -> None:
    """Change of `name`, `line`, `link` and consent what is given; where one is refused, none is changed."""
    if words:
        named = {name: getattr(entry, name) for name in ("name", "line", "link")}
        entry_rename(entry=entry, user=user, **{**named, **words})
    if may_be_shown is not None:
        entry_consent(entry=entry, user=user, may_be_shown=may_be_shown)


def entry_withdraw(*, entry: Entry, user: Any) -> None:
    """Take one's own entry off the board for good. It counts all the same."""
    _refuse_stranger(entry, user)
    with transaction.atomic():
        if Entry.objects.filter(pk=entry.pk, withdrawn_at__isnull=True).update(withdrawn_at=timezone.now()):
            _log(entry, None, "board entry withdrawn")
    entry.refresh_from_db()


def entry_hide(*, entry: Entry, reason: str, by: Membership) -> None:
    """Take an entry off the board, for a reason that its team reads."""
    reason = reason.strip()
    refuse_unfit(LIMITS["entry"], hidden_reason=reason)
    if not reason:
        words = gettext("Say why: its team reads it.")
        raise Refused("invalid", words, errors={"reason": words})
    with transaction.atomic():
        Entry.objects.filter(pk=entry.pk).update(hidden_at=timezone.now(), hidden_reason=reason)
        _log(entry, by, "board entry hidden", reason=reason)
    entry.refresh_from_db()


def entry_show(*, entry: Entry, by: Membership) -> None:
    """Put an entry that was hidden back on the board."""
    with transaction.atomic():
        rows = Entry.objects.filter(pk=entry.pk, hidden_at__isnull=False)
        if rows.update(hidden_at=None, hidden_reason=""):
            _log(entry, by, "board entry shown again")
    entry.refresh_from_db()


def entry_of_team_or_404(team: Team, entry_id: int) -> Entry:
    """Return an entry of one's own team. Raises NotFound."""
    found = team.entries.select_related("team__board__project", "board__project").filter(pk=entry_id).first()
    if found is None:
        raise NotFound(gettext("There is no such submission of your team."))
    return found


def entry_or_404(board: Board, entry_id: int) -> Entry:
    """Return an entry of a board, for its leads. Raises NotFound."""
    found = board.entries.select_related("team", "board__project").filter(pk=entry_id).first()
    if found is None:
        raise NotFound(gettext("There is no such submission on this board."))
    return found


def entries_uncount(rows: QuerySet[Placing] | None = None) -> int:
    """Give the places of entries back whose evaluation failed on the server's side."""
    failed = (Placing.objects.all() if rows is None else rows).filter(
        state=Placing.State.FAILED, version=F("entry__version"), entry__slot__isnull=False
    )
    return Entry.objects.filter(pk__in=list(failed.values_list("entry", flat=True))).update(
        slot=None, day_slot=None
    )


def counted(team: Team, day: date) -> tuple[int, int]:
    """Return how many entries of a team count: on this day, and in all."""
    found = team.entries.filter(slot__isnull=False)
    return found.filter(day=day).count(), found.count()


def left_for(team: Team, day: date) -> tuple[int, int]:
    """Return how many entries a team may still hand in: on this day, and in all."""
    today, in_all = counted(team, day)
    left = max(0, team.board.in_all - in_all)
    return max(0, min(team.board.per_day - today, left)), left


def same_files(board: Board) -> list[list[Entry]]:
    """Return the entries of different teams that share a file, whatever else they hold, for leads."""
    files = SubmissionFile.objects.filter(submission__board_entries__board=board)
    twice = (
        files.values("sha256")
        .annotate(teams=Count("submission__board_entries__team", distinct=True))
        .filter(teams__gt=1)
        .values("sha256")
    )
    found: dict[str, list[int]] = {}
    shared = files.filter(sha256__in=twice).order_by("sha256", "submission__board_entries")
    for digest, key in shared.values_list("sha256", "submission__board_entries"):
        if key not in found.setdefault(digest, []):
            found[digest].append(key)
    entries = board.entries.select_related("team").in_bulk([key for keys in found.values() for key in keys])
    groups = sorted({tuple(keys) for keys in found.values()})
    return [[entries[key] for key in keys] for keys in groups]


def _placed_within_the_limits(team: Team, day: date, **values: Any) -> Entry:
    """Take the first free place of the day and of all; of two who try at once one takes the next.

    Raises Refused where there is none left.
    """
    for _ in range(_TRIES):
        slot, day_slot = _free_slots(team, day)
        try:
            with transaction.atomic():
                return Entry.objects.create(team=team, day=day, slot=slot, day_slot=day_slot, **values)
        except IntegrityError:
            if team.entries.filter(digest=values["digest"]).exists():
                raise Refused(
                    "taken",
                    gettext("Your team has handed in just these files before: nothing was counted."),
                ) from None
            _refuse_closed(Board.objects.get(pk=team.board_id), timezone.now())
    raise Refused("unavailable", gettext("Too many of your team hand in at once: try again."))


def _free_slots(team: Team, day: date) -> tuple[int, int]:
    """Return the first free places. Raises Refused where the team has had its day, or all."""
    board = Board.objects.get(pk=team.board_id)
    taken = list(team.entries.filter(slot__isnull=False).values_list("slot", "day", "day_slot"))
    today = {day_slot for _, when, day_slot in taken if when == day}
    if len(taken) >= board.in_all:
        words = ngettext(
            "Your team has handed in its one submission.",
            "Your team has handed in all of its %(n)s submissions.",
            board.in_all,
        )
        raise Refused("not_ready", words % {"n": board.in_all})
    if len(today) >= board.per_day:
        words = gettext(
            "Your team has handed in %(n)s of %(most)s for today. The day ends at 00:00 UTC; faults can be "
            "looked for meanwhile."
        )
        raise Refused("not_ready", words % {"n": len(today), "most": board.per_day})
    return _first_free({slot for slot, _, _ in taken}), _first_free(today)


def _first_free(taken: set[int | None]) -> int:
    return next(number for number in range(1, len(taken) + 2) if number not in taken)


def _described(**given: str) -> dict[str, str]:
    """Return name, line and link as they are stored. Raises Refused, one message a field."""
    refuse_unfit(LIMITS["entry"], **given)
    name, line, link = seen_as(given["name"]), " ".join(given["line"].split()), given["link"].strip()
    if not name:
        words = gettext("Give the system a name.")
        raise Refused("invalid", words, errors={"name": words})
    return {"name": name, "line": line, "link": link_of_the_web(link)}


def _refuse_closed(board: Board, now: datetime) -> None:
    if board.state != Board.State.OPEN or board.is_over(now):
        raise Refused("not_ready", gettext("This board is closed: it takes no submissions."))


def _refuse_stranger(entry: Entry, user: Any) -> None:
    if not entry.team.members.filter(user=user.pk).exists():
        raise NotFound(gettext("There is no such submission of your team."))


def _forget(places: Sequence[str]) -> None:
    """Delete the files of a submission that was not stored after all."""
    stored = SubmissionFile.objects.filter(storage__in=places).values_list("storage", flat=True)
    forget_stored(set(places) - set(stored))


def _log(entry: Entry, by: Membership | None, action: str, **details: object) -> None:
    ProjectEvent.objects.create(
        project=entry.board.project,
        member=by,
        action=action,
        details={
            "board": entry.board.name,
            "team": entry.team.name,
            "submission": entry.pk,
            "name": entry.name,
            **details,
        },
    )
