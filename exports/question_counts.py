"""How many questions could be refined, remembered until something changes: a page cannot wait for the count.

Gold spans are not stored, so counting them reads every judgement: some seconds in a large project. There a
worker counts. What is remembered lies in the cache; where that loses it, it is counted again.
"""

from __future__ import annotations

from django.core.cache import cache
from django.db.models import Max

from exports.models import QuestionRefinement
from exports.records import Selection, items_chosen
from exports.refinable import QuestionTable, questions_table, sources_of

AT_ONCE = 200
"""Items up to which the questions are counted while whoever asks waits: some 50 ms."""

KEPT = 7 * 24 * 3600
ASKED_AGAIN = 120
"""Seconds until a count that has not come may be asked for again."""


def table_known(selection: Selection) -> QuestionTable | None:
    """Return the questions by source, counted now where that is little work; None where a worker has to."""
    place = _place(selection, "table")
    table: QuestionTable | None = cache.get(place)
    if table is None and items_chosen(selection).order_by("pk")[: AT_ONCE + 1].count() <= AT_ONCE:
        return questions_table(selection)
    return table


def table_work_out(selection: Selection) -> None:
    """Count the questions by source and remember the answer."""
    place = _place(selection, "table")  # before reading: a change in between has another place
    cache.set(place, questions_table(selection), KEPT)


def asked_first(selection: Selection) -> bool:
    """Say whether nobody has asked for this count lately, and note that somebody has now."""
    return cache.add(_place(selection, "asked"), True, ASKED_AGAIN)


def sources_known(selection: Selection) -> list[tuple[str, str, int]]:
    """Return what `sources_of` returns, remembered: grouping the items takes too long for a page."""
    place = _place(selection, "sources")
    found: list[tuple[str, str, int]] | None = cache.get(place)
    if found is None:
        found = sources_of(selection)
        cache.set(place, found, KEPT)
    return found


def _place(selection: Selection, what: str) -> str:
    """Return a key that changes with everything that the questions and their sources depend on.

    Whatever changes the judgements of closed rounds, the decisions, the items or the annotators stands in the
    project's log, and answers have rows of their own.
    """
    project = selection.project
    logged = project.events.aggregate(last=Max("pk"))["last"]
    answered = QuestionRefinement.objects.filter(run__project=project).aggregate(last=Max("pk"))["last"]
    return f"questions-{what}-{project.pk}-{logged}-{answered}"
