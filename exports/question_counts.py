"""How many questions could be refined: a page cannot wait for the count.

Gold spans are not stored, so counting them reads every judgement: some seconds in a large project. There a
worker counts.
"""

from __future__ import annotations

from django.db.models import Max

from annotation.remembering import WorkersCount, log_sign, remembered
from exports.models import QuestionRefinement
from exports.records import Selection, items_chosen
from exports.refinable import QuestionTable, questions_table, sources_of, splits_of

AT_ONCE = 200
"""Items up to which the questions are counted while whoever asks waits: some 50 ms."""


def table_known(selection: Selection) -> QuestionTable | None:
    """Return the questions by source, counted now where that is little work; None where a worker has to."""
    table, current = table_kept(selection).last()
    if current:
        return table
    if items_chosen(selection).order_by("pk")[: AT_ONCE + 1].count() <= AT_ONCE:
        return questions_table(selection)
    return None


def table_work_out(selection: Selection) -> None:
    """Count the questions by source and keep the answer."""
    kept = table_kept(selection)
    kept.keep(questions_table(selection))


def table_kept(selection: Selection) -> WorkersCount[QuestionTable]:
    """Return where a worker keeps the questions by source."""
    return WorkersCount(f"questions-by-split:{selection.project.pk}", _sign(selection))


def sources_known(selection: Selection) -> list[tuple[str, str, int]]:
    """Return what `sources_of` returns, remembered: grouping the items takes too long for a page."""
    name = f"question-sources:{selection.project.pk}:{_sign(selection)}"
    return remembered(name, lambda: sources_of(selection))


def splits_known(selection: Selection) -> list[str]:
    """Return what `splits_of` returns, remembered."""
    return remembered(
        f"question-splits:{selection.project.pk}:{_sign(selection)}", lambda: splits_of(selection)
    )


def _sign(selection: Selection) -> str:
    """Return a sign of change: answers of a language model have rows of their own, apart from the log."""
    answered = QuestionRefinement.objects.filter(run__project=selection.project).aggregate(last=Max("pk"))
    return f"{log_sign(selection.project)}.{answered['last']}"
