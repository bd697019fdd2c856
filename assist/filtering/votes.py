"""What people said about the context of texts: the votes of closed rounds on the criterion for it."""

from __future__ import annotations

from django.db.models import Count, Q

from annotation.importing.screening import criteria_of
from annotation.models import Project, Round, TypeAnnotation

CODE = "CTX"
"""The criterion of the shipped codebook `context_sufficiency`."""


def criterion_of(project: Project) -> str:
    """Return the code of the criterion for context; empty where the project's codebook has none.

    That is `CTX`, or the only criterion of a codebook of one.
    """
    codes = [criterion.code for criterion in criteria_of(project)]
    if CODE in codes:
        return CODE
    return codes[0] if len(codes) == 1 else ""


def votes_of_people(
    project: Project, item: int | None = None, *, round: Round | None = None
) -> dict[int, tuple[int, int]]:
    """Return how many people said yes and no about each item, by its key; of one item or one round."""
    code = criterion_of(project)
    if not code:
        return {}
    rows = TypeAnnotation.objects.filter(
        assignment__round__project=project,
        assignment__round__status=Round.Status.CLOSED,
        assignment__member__left_out_at__isnull=True,
        assignment__repeat=False,
        type_code=code,
        after_reopening=False,
        applicable__isnull=False,
    ).exclude(assignment__round__purpose=Round.Purpose.TRAINING)
    if item is not None:
        rows = rows.filter(assignment__item=item)
    if round is not None:
        rows = rows.filter(assignment__round=round)
    counted = (
        rows.order_by()
        .values_list("assignment__item")
        .annotate(yes=Count("id", filter=Q(applicable=True)), no=Count("id", filter=Q(applicable=False)))
    )
    return {item: (yes, no) for item, yes, no in counted}
