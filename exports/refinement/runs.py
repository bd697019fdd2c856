"""What a lead does with refinements: ask for a run, cancel it, reject a question; and the sweep.

Asking the model itself is the worker's side: `exports.refinement.worker`.

See docs/decisions/refinement.md.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext

from annotation.access import refuse_while_judging
from annotation.models import Membership, Project, ProjectEvent
from core.errors import NotFound, Refused
from core.jobs import ATTEMPTS, cancel, sweep
from exports.models import QuestionRefinement, RefinementRun
from exports.refinement.candidates import refinable_selection, sources_of, splits_of
from exports.refinement.parameters import RefinementChoices
from exports.selection.refined_questions import refinements_of


def refinement_request(
    *,
    project: Project,
    choices: RefinementChoices,
    texts_may_leave: bool,
    by: Membership | None = None,
) -> RefinementRun:
    """Ask for a run. Raises Refused where texts may not leave, and while another run is at work."""
    selection = refinable_selection(project)
    if not texts_may_leave:
        raise Refused(
            "invalid",
            gettext("Confirm that the texts may be sent to this endpoint: they leave the installation."),
            errors={"texts_may_leave": gettext("Confirm this first: the texts leave the installation.")},
        )
    known = {(source, licence) for source, licence, _ in sources_of(selection)}
    if unknown := [pair for pair in choices.sources if pair not in known]:
        words = gettext("No item of the closed rounds has the source %(source)s with %(licence)s.") % {
            "source": repr(unknown[0][0]),
            "licence": repr(unknown[0][1]),
        }
        raise Refused("invalid", words, errors={"sources": words})
    if missing := sorted(set(choices.splits_left_out) - set(splits_of(selection))):
        words = gettext("No item of the closed rounds is in the split %(split)s.") % {
            "split": repr(missing[0])
        }
        raise Refused("invalid", words, errors={"splits_left_out": words})
    try:
        with transaction.atomic():
            last = project.refinement_runs.aggregate(last=Max("number"))["last"] or 0
            run = project.refinement_runs.create(number=last + 1, member=by, **choices.to_row())
            ProjectEvent.objects.create(
                project=project,
                member=by,
                action="refinement requested",
                details={
                    "run": run.number,
                    "endpoint": run.host,
                    "model": run.model,
                    "sources": [source or "not stated" for source, _ in choices.sources],
                    "questions_at_most": run.max_questions,
                    **({"splits_left_out": run.splits_left_out} if run.splits_left_out else {}),
                },
            )
    except IntegrityError:
        raise Refused(
            "taken", gettext("A run is at work already: wait until it is done, or cancel it.")
        ) from None
    return run


def refinement_sweep() -> list[int]:
    """Return the runs to send to a worker again; give up on those whose worker died ATTEMPTS times."""
    stopped = gettext(
        "The worker stopped %(attempts)s times without a new answer (killed, or out of memory)."
    ) % {"attempts": ATTEMPTS}
    return sweep(RefinementRun.objects.all(), stopped=stopped, finished_at=timezone.now()).again


def refinement_cancel(*, run: RefinementRun, by: Membership | None) -> None:
    """Stop a run. What is stored stays; an answer under way is dropped. Raises Refused where it has ended."""
    with transaction.atomic():
        rows = RefinementRun.objects.filter(pk=run.pk)
        if not cancel(rows, lease_until=None, finished_at=timezone.now()):
            raise Refused("not_ready", gettext("Run %(number)s has ended already.") % {"number": run.number})
        ProjectEvent.objects.create(
            project=run.project, member=by, action="refinement cancelled", details={"run": run.number}
        )


def refined_reject(*, refinement: QuestionRefinement, by: Membership) -> None:
    """Let the template question stand alone again in releases to come. Raises Refused where none stands."""
    _judge(refinement, by, rejected=True)


def refined_restore(*, refinement: QuestionRefinement, by: Membership) -> None:
    """Take the rejection of a refined question back."""
    _judge(refinement, by, rejected=False)


def _judge(refinement: QuestionRefinement, by: Membership, *, rejected: bool) -> None:
    values: dict[str, Any] = {"rejected_at": None, "rejected_by": None}
    if rejected:
        values = {"rejected_at": timezone.now(), "rejected_by": by}
    with transaction.atomic():
        changed = QuestionRefinement.objects.filter(
            pk=refinement.pk, state=QuestionRefinement.State.REFINED, rejected_at__isnull=rejected
        ).update(**values)
        if not changed:
            raise Refused(
                "not_ready", gettext("This question is rejected already, or has nothing to reject.")
            )
        ProjectEvent.objects.create(
            project=refinement.run.project,
            member=by,
            action="refined question rejected" if rejected else "refined question restored",
            details={
                "item": refinement.item.external_id,
                "type": refinement.type_code,
                "run": refinement.run.number,
            },
        )


def outcomes(run: RefinementRun) -> dict[str, int]:
    """Return how many questions of a run were refined, refused and failed."""
    states = Counter(run.refinements.order_by().values_list("state", flat=True))
    return {state: states[state] for state in QuestionRefinement.State.values}


def why_not_refined(run: RefinementRun) -> tuple[int, str]:
    """Return how many questions of a run got no answer to use, and the commonest reason."""
    reasons = Counter(run.refinements.exclude(reason="").order_by("id").values_list("reason", flat=True))
    return reasons.total(), reasons.most_common(1)[0][0] if reasons else ""


def run_or_404(project: Project, number: int) -> RefinementRun:
    """Return a run of the project by its number. Raises NotFound."""
    found = project.refinement_runs.select_related("project", "member").filter(number=number).first()
    if found is None:
        raise NotFound(gettext("There is no run %(number)s in this project.") % {"number": number})
    return found


def refinement_of(member: Membership, refinement_id: int) -> QuestionRefinement:
    """Return a refinement of the member's project. Raises NotFound, and Refused while they judge its text."""
    found = refinements_of(member.project).filter(pk=refinement_id).first()
    if found is None:
        raise NotFound(gettext("There is no such refined question in this project."))
    refuse_while_judging(member, [found.item_id])
    return found
