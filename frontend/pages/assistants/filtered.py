"""What a context filter did, for its page: counts by source and topic, and some texts of either kind."""

from __future__ import annotations

from collections import defaultdict
from random import Random
from typing import Any

from django.db.models import Count

from annotation.access import readable
from annotation.models import Membership
from assist.models import AssistAnswer, AssistRun
from assist.reading.model_answers import INSUFFICIENT, SUFFICIENT
from assist.runs.results import answers_in_order, answers_of, stamp_of
from core.cache import cached

SHOWN = 20
"""Texts of each kind, the same ones each time the page is opened."""

DRAWN = 400


def filtered_context(run: AssistRun, member: Membership) -> dict[str, Any]:
    """Return the counts of a filter by source and topic, and random texts of each kind."""
    stamp = stamp_of(run)
    drawn = cached(
        f"assist-drawn:{stamp}", lambda: {label: _drawn(run, label) for label in (SUFFICIENT, INSUFFICIENT)}
    )
    return {
        "counted": cached(f"assist-counted:{stamp}", lambda: _counted(run)),
        "sampled": [(label, _texts(keys, member)) for label, keys in drawn.items()],
    }


def _counted(run: AssistRun) -> list[tuple[str, str, int, int, int]]:
    rows = answers_of(run).order_by().values_list("item__source", "item__topic", "label")
    counted: dict[tuple[str, str], dict[str, int]] = defaultdict(
        lambda: {SUFFICIENT: 0, INSUFFICIENT: 0, "": 0}
    )
    for source, topic, label, n in rows.annotate(n=Count("id")):
        counted[source, topic][label] += n
    return [
        (source, topic, of[SUFFICIENT], of[INSUFFICIENT], of[""])
        for (source, topic), of in sorted(counted.items())
    ]


def _drawn(run: AssistRun, label: str) -> list[int]:
    """Draw more answers than are shown: a lead does not see those about texts that they judge now."""
    keys = list(answers_of(run).filter(label=label).order_by().values_list("pk", flat=True))
    return Random(f"{run.pk}:{label}").sample(sorted(keys), min(DRAWN, len(keys)))


def _texts(keys: list[int], member: Membership) -> list[AssistAnswer]:
    found = readable(AssistAnswer.objects.filter(pk__in=keys), member)
    may_be_read = set(found.order_by().values_list("pk", flat=True))
    return answers_in_order([key for key in keys if key in may_be_read][:SHOWN])
