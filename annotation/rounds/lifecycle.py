"""Rounds from draft to closed. See docs/decisions/leads.md."""

from collections.abc import Iterable
from datetime import date, datetime

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext

from annotation.access import refuse_archived
from annotation.limits import LIMITS, REOPENING_WHY, refuse_unfit
from annotation.models import Codebook, Membership, Project, Round
from annotation.models.rounds import types_text
from annotation.rounds.draft_claim import round_log
from annotation.rounds.drawing import round_draw
from annotation.signals import round_closed
from core.errors import Refused


def round_create(
    *,
    project: Project,
    name: str = "",
    purpose: str = Round.Purpose.CALIBRATION,
    codebook: Codebook | None = None,
    types: Iterable[str] | None = None,
    overlap: int = 2,
    order: str = Round.Order.BY_ARGUMENT,
    shuffled: bool = False,
    seed: int = 0,
    content_warning: str = "",
    live_agreement: bool = False,
    due_on: date | None = None,
    pass_mark: int | None = None,
    imported: bool = False,
    matching: bool = False,
    items_of: Round | None = None,
    repeats: int = 0,
    member: Membership | None = None,
) -> Round:
    """Create a draft round on the given or the newest codebook.

    It asks the given `types`, or all of the codebook, and begins with the items of another round where
    `items_of` names one. Raises Refused for a name in use, for types that the codebook does not have, and
    for a due date that is over.
    """
    refuse_past(due_on)
    if pass_mark is not None and purpose != Round.Purpose.TRAINING:
        raise Refused(
            "invalid",
            gettext("A pass mark belongs to a training round."),
            errors={"pass_mark": gettext("Only a training round has a pass mark.")},
        )
    if repeats and purpose == Round.Purpose.TRAINING:
        message = gettext("A training round hides no repeats: the key is shown after the first answer.")
        raise Refused("invalid", message, errors={"repeats": message})
    refuse_unfit(LIMITS["round"], name=name, content_warning=content_warning)
    with transaction.atomic():
        refuse_archived(Project.objects.select_for_update().get(pk=project.pk))
        number = (project.rounds.aggregate(last=Max("number"))["last"] or 0) + 1
        name = name.strip() or f"Round {number}"
        refuse_taken(project, name)
        codebook = codebook or project.codebooks.latest("version")
        created = Round.objects.create(
            project=project,
            number=number,
            name=name,
            purpose=purpose,
            codebook=codebook,
            types=_types(codebook, types),
            overlap=overlap,
            order=order,
            shuffled=shuffled,
            seed=seed,
            content_warning=content_warning,
            live_agreement=live_agreement,
            due_on=due_on,
            pass_mark=pass_mark,
            imported=imported,
            matching=matching,
            repeats=repeats,
        )
        round_log(created, member, "round created")
    if items_of is not None:
        round_draw(created, items_of=items_of, member=member)
    return created


def refuse_past(due_on: date | None) -> None:
    """Refuse a due date that is over."""
    if due_on is not None and due_on < timezone.localdate():
        message = gettext("This day is over: choose today or a later one.")
        raise Refused("invalid", message, errors={"due_on": message})


def refuse_taken(project: Project, name: str, besides: Round | None = None) -> None:
    """Refuse a name that another round of the project has."""
    named = project.rounds.filter(name=name)
    if (named if besides is None else named.exclude(pk=besides.pk)).exists():
        message = gettext("This project has a round “%(name)s” already: choose another name.")
        raise Refused("taken", message % {"name": name}, errors={"name": message % {"name": name}})


def _types(codebook: Codebook, types: Iterable[str] | None) -> str | None:
    codes = [entry["code"] for entry in codebook.definition.get("types") or ()]
    if types is None:
        return None
    chosen = list(types)
    unknown = [code for code in chosen if code not in codes]
    if unknown:
        message = gettext("Version %(version)s of the codebook has no type %(unknown)s.") % {
            "version": codebook.version,
            "unknown": ", ".join(unknown),
        }
        raise Refused("invalid", message, errors={"types": message})
    if codes and not chosen:
        raise Refused(
            "invalid",
            gettext("Choose at least one type."),
            errors={"types": gettext("Choose at least one type.")},
        )
    return types_text(chosen, codes)


def round_close(round: Round, *, by: Membership | None = None) -> Round:
    """Close an open round for good and tell whoever listens, inside the same transaction."""
    with transaction.atomic():
        _lock_open(round, gettext("%(name)s is %(status)s: only an open round closes."))
        round.status = Round.Status.CLOSED
        round.closed_at = timezone.now()
        round.paused_at = None
        round.save(update_fields=["status", "closed_at", "paused_at"])
        round_log(round, by, "round closed")
        round_closed.send(sender=Round, round=round)
    return round


def round_reopen(round: Round, *, why: str, by: Membership) -> Round:
    """Reopen a closed round; what is judged from now on is marked and left out of the coefficients."""
    if not why.strip():
        raise Refused(
            "invalid", gettext("Say why the round is reopened."), errors={"why": gettext("Say why.")}
        )
    refuse_unfit({"why": REOPENING_WHY}, why=why)
    with transaction.atomic():
        current = Round.objects.select_for_update().get(pk=round.pk)
        if current.status != Round.Status.CLOSED or current.imported:
            raise Refused(
                "round_not_closed",
                gettext("%(name)s cannot be reopened: only a closed round that ran here can.")
                % {"name": current.name},
            )
        refuse_archived(round.project)
        round.status = Round.Status.OPEN
        round.closed_at = None
        round.reopened_at = timezone.now()
        round.save(update_fields=["status", "closed_at", "reopened_at"])
        round_log(round, by, "round reopened", why=why.strip())
    return round


def round_pause(round: Round, *, by: Membership) -> Round:
    """Let nothing be recorded in an open round until it goes on; nothing is lost by it."""
    return _set_pause(round, timezone.now(), by, "round paused")


def round_resume(round: Round, *, by: Membership) -> Round:
    """Let a paused round go on."""
    return _set_pause(round, None, by, "round resumed")


def _set_pause(round: Round, when: datetime | None, by: Membership, action: str) -> Round:
    with transaction.atomic():
        current = _lock_open(round, gettext("%(name)s is %(status)s: only an open round pauses."))
        if (current.paused_at is None) != (when is None):
            round.paused_at = when
            round.save(update_fields=["paused_at"])
            round_log(round, by, action)
    return round


def _lock_open(round: Round, refusal: str) -> Round:
    """Return an open round, locked until this transaction ends. Raises Refused where it is not open."""
    current = Round.objects.select_for_update().get(pk=round.pk)
    _refuse_importing(current)
    if current.status != Round.Status.OPEN:
        raise Refused("round_not_open", refusal % {"name": current.name, "status": current.status_word})
    return current


def _refuse_importing(round: Round) -> None:
    if round.is_importing:
        raise Refused(
            "round_not_open",
            gettext("Judgements are being imported into %(name)s: wait until that has ended.")
            % {"name": round.name},
        )
