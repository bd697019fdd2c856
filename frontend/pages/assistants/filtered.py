"""What a context filter did, for its page: counts by source and topic, and some texts of either kind."""

from __future__ import annotations

from collections import defaultdict
from random import Random
from typing import Any

from django.db.models import Count

from annotation.access import readable
from annotation.models import Membership
from assist.models import AssistRun
from assist.reading.model_answers import INSUFFICIENT, SUFFICIENT
from assist.runs.results import answers_of

SHOWN = 20
"""Texts of each kind, the same ones each time the page is opened."""


def filtered_context(run: AssistRun, member: Membership) -> dict[str, Any]:
    """Return the counts of a filter by source and topic, and random texts of each kind."""
    rows = answers_of(run).order_by().values_list("item__source", "item__topic", "label")
    counted: dict[tuple[str, str], dict[str, int]] = defaultdict(
        lambda: {SUFFICIENT: 0, INSUFFICIENT: 0, "": 0}
    )
    for source, topic, label, n in rows.annotate(n=Count("id")):
        counted[source, topic][label] += n
    return {
        "counted": [
            (source, topic, of[SUFFICIENT], of[INSUFFICIENT], of[""])
            for (source, topic), of in sorted(counted.items())
        ],
        "sampled": [(label, _texts(run, member, label)) for label in (SUFFICIENT, INSUFFICIENT)],
    }


def _texts(run: AssistRun, member: Membership, label: str) -> list[Any]:
    keys = list(readable(answers_of(run), member).filter(label=label).order_by().values_list("pk", flat=True))
    chosen = Random(f"{run.pk}:{label}").sample(sorted(keys), min(SHOWN, len(keys)))
    return list(answers_of(run).filter(pk__in=chosen))
