"""Changing a round after it was planned, and deleting a draft that is not wanted."""

from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext

from annotation.access import refuse_archived
from annotation.limits import LIMITS, refuse_unfit
from annotation.models import Membership, Project, Protocol, Round
from annotation.rounds.draft_claim import draft_claim, draft_work, locked_draft, round_log
from annotation.rounds.lifecycle import refuse_past, refuse_taken
from annotation.rounds.matching import matching_draft_empty
from core.delete_in_batches import delete_in_batches
from core.errors import Refused

_ALWAYS = ("due_on", "content_warning")
"""What only informs: it can be changed until the round closes."""
_UNTIL_OPENED = ("name", "overlap", "order", "shuffled", "pass_mark", "repeats", "live_agreement")
"""What opening makes use of. What the draw and the key rest on (types, codebook, seed) stays as planned."""
_WORDS = {
    "due_on": "due date",
    "content_warning": "content warning",
    "pass_mark": "pass mark",
    "live_agreement": "live agreement",
}


def fields_to_edit(round: Round) -> tuple[str, ...]:
    """Return which fields of a round can still be changed: none of a closed or imported one."""
    if round.imported or round.status == Round.Status.CLOSED:
        return ()
    if round.status == Round.Status.OPEN:
        return _ALWAYS
    training = round.purpose == Round.Purpose.TRAINING
    without = {"repeats" if training else "pass_mark"}
    if round.project.protocol != Protocol.FOCUS:
        without.add("order")
    return tuple(name for name in (*_UNTIL_OPENED, *_ALWAYS) if name not in without)


def round_edit(round: Round, *, by: Membership, **given: Any) -> Round:
    """Change what can still be changed of a round; the log names the fields.

    Raises Refused with a message a field for what cannot be changed any more, for a name in use and for a
    due date that is over, and where a worker is at the draft.
    """
    with transaction.atomic():
        refuse_archived(Project.objects.select_for_update().get(pk=round.project_id))
        current = Round.objects.select_for_update().get(pk=round.pk)
        if current.status == Round.Status.DRAFT:
            locked_draft(current, gettext("Change it afterwards."))
        changed = {name: value for name, value in given.items() if getattr(current, name) != value}
        fixed = sorted(set(changed) - set(fields_to_edit(current)))
        if fixed:
            told = gettext("%(name)s is %(status)s: this stays as it is.")
            message = told % {"name": current.name, "status": current.status_word}
            raise Refused("invalid", message, errors=dict.fromkeys(fixed, message))
        if "name" in changed:
            changed["name"] = changed["name"].strip() or current.name
            refuse_taken(current.project, changed["name"], besides=current)
        refuse_past(changed.get("due_on"))
        refuse_unfit(LIMITS["round"], **{name: changed[name] for name in LIMITS["round"] if name in changed})
        if changed:
            for name, value in changed.items():
                setattr(round, name, value)
            round.save(update_fields=list(changed))
            round_log(round, by, "round changed", fields=sorted(_WORDS.get(name, name) for name in changed))
    return round


def set_discussed_before(round: Round, *, by: Membership, discussed: bool | None) -> None:
    """Keep whether texts of the round before were discussed before this one, as a lead says; None: unsaid."""
    with transaction.atomic():
        refuse_archived(Project.objects.select_for_update().get(pk=round.project_id))
        current = Round.objects.select_for_update().get(pk=round.pk)
        if current.discussed_before == discussed:
            return
        round.discussed_before = discussed
        round.save(update_fields=["discussed_before"])
        round_log(round, by, "round changed", fields=["discussed before"])


def draft_delete(round: Round, *, by: Membership) -> None:
    """Delete a draft with its drawn items and its key; nothing was judged in it.

    The items go in batches, so that others' saves get their turn; stopped halfway, the draft is there without
    items and can be deleted again. Raises Refused where it is no draft or a worker is at it.
    """
    with transaction.atomic():
        locked_draft(round, gettext("Only a draft can be deleted."))
        last = round.round_items.aggregate(last=Max("pk"))["last"] or 0
        claim = draft_claim(round, Round.Work.DRAWING, draw={"items": 0, "after": last})
    with draft_work(round, claim) as work:
        if round.matching:
            with work.batch():
                matching_draft_empty(round)
        delete_in_batches(round.key_answers.all(), each=work.batch)
        for rows in (round.assignments, round.suggested, round.round_questions, round.round_items):
            delete_in_batches(rows.all(), each=work.batch)
        with transaction.atomic():
            work.end()
            round_log(round, by, "draft deleted")
            round.delete()
