"""People look at a sample of what a context filter passed and refused, blind to it; what that says of it.

See docs/decisions/assistants.md.
"""

from __future__ import annotations

import math
from random import Random

from django.db import transaction
from django.utils.translation import gettext

from annotation.access import refuse_archived
from annotation.models import Membership, Round
from annotation.rounds.drawing import round_draw
from annotation.rounds.lifecycle import round_create
from assist.filtering.sampled import FilterFigures, Sampled, filter_figures
from assist.filtering.votes import criterion_of, votes_of_people
from assist.models import AssistRun, ContextCheck
from assist.reading.model_answers import INSUFFICIENT, SUFFICIENT
from assist.runs.results import answers_of
from core.errors import Refused

SHARE = 0.10
"""Of what the filter refused, by default."""


def context_check_make(
    *,
    run: AssistRun,
    passed: int,
    share: float = SHARE,
    seed: int = 0,
    by: Membership | None = None,
) -> ContextCheck:
    """Make a draft round for two annotators: so many of the passed texts, and a share of the refused ones.

    Nothing in the round tells which is which. Raises Refused where the project has no criterion for context,
    where the run filtered nothing, and for numbers that draw none.
    """
    refuse_archived(run.project)
    criterion = criterion_of(run.project)
    if run.task != "context":
        raise Refused("invalid", gettext("Run %(number)s filters nothing.") % {"number": run.number})
    if not criterion:
        raise Refused(
            "not_ready",
            gettext(
                "People judge the context of texts in a project with the codebook context_sufficiency: make "
                "one, import the texts there and filter them there."
            ),
        )
    errors = {}
    if passed < 1:
        errors["passed"] = gettext("Draw at least one of the texts that passed.")
    if not 0 < share <= 1:
        errors["share"] = gettext("Expected a share above 0 and up to 1.")
    if errors:
        raise Refused("invalid", " ".join(errors.values()), errors=errors)
    rows = answers_of(run).values_list("item__external_id", "label")
    kinds: dict[str, list[str]] = {SUFFICIENT: [], INSUFFICIENT: []}
    for name, label in rows:
        if label in kinds:
            kinds[label].append(name)
    if not kinds[SUFFICIENT]:
        raise Refused("not_ready", gettext("No text passed the filter yet: there is nothing to look at."))
    random = Random(f"context:{seed}")
    drawn = {
        SUFFICIENT: random.sample(kinds[SUFFICIENT], min(passed, len(kinds[SUFFICIENT]))),
        INSUFFICIENT: random.sample(kinds[INSUFFICIENT], math.ceil(share * len(kinds[INSUFFICIENT]))),
    }
    names = sorted([*drawn[SUFFICIENT], *drawn[INSUFFICIENT]])
    with transaction.atomic():
        made = round_create(
            project=run.project,
            name=_free_name(run),
            purpose=Round.Purpose.MAIN,
            types=[criterion],
            overlap=2,
            shuffled=True,
            seed=seed,
            member=by,
        )
        check = ContextCheck.objects.create(
            run=run,
            round=made,
            seed=seed,
            passed=sorted(drawn[SUFFICIENT]),
            refused=sorted(drawn[INSUFFICIENT]),
            passed_total=len(kinds[SUFFICIENT]),
            refused_total=len(kinds[INSUFFICIENT]),
        )
    round_draw(made, external_ids=names, include_filtered=True, member=by)
    return check


def _free_name(run: AssistRun) -> str:
    number = 1
    while run.project.rounds.filter(name=f"Context check {number}").exists():
        number += 1
    return f"Context check {number}"


def context_check_figures(check: ContextCheck) -> FilterFigures | None:
    """Return precision and recall of the filter as people judged the sample; None until the round closes."""
    if check.round.status != Round.Status.CLOSED:
        return None
    votes = votes_of_people(check.run.project, round=check.round)
    by_name = dict(
        check.run.project.items.filter(pk__in=votes).values_list("external_id", "pk"),
    )
    return filter_figures(
        _sampled(check.passed, check.passed_total, by_name, votes),
        _sampled(check.refused, check.refused_total, by_name, votes),
        seed=check.seed,
    )


def _sampled(
    names: list[str], total: int, by_name: dict[str, int], votes: dict[int, tuple[int, int]]
) -> Sampled:
    said = [votes[by_name[name]] for name in names if name in by_name]
    return Sampled(
        total=total,
        yes=sum(yes > no for yes, no in said),
        no=sum(no > yes for yes, no in said),
        undecided=len(names) - sum(yes != no for yes, no in said),
    )
