"""Which questions a run asks: those of gold spans not refined yet whose texts may be sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice

from django.db.models import Count, Max
from django.utils.translation import gettext

from annotation.codebooks.exemplar_questions import question_from_exemplar
from annotation.models import Project, Protocol
from annotation.projects.change_sign import project_stamp
from core.cache import BackgroundCount, cached
from core.errors import Refused
from exports.models import QuestionRefinement, RefinementRun
from exports.refinement.parameters import RefinementChoices
from exports.refinement.prompt import GoldQuestion
from exports.selection.parameters import Parameters
from exports.selection.records import read_records
from exports.selection.refined_questions import text_sha256
from exports.selection.selection import Selection, items_chosen, read_selection

Key = tuple[int, str, int, int]

LOOKED_AT = 2_000
"""Questions among which an example is looked for: a page cannot read a large project to its end."""

QuestionTable = dict[tuple[str, str, str], tuple[int, int]]
"""By source, licence and split: how many questions there are, and how many of them are refined."""


@dataclass(frozen=True, slots=True)
class QuestionCounts:
    """How many questions there are, and what a run would do about them.

    `refined` have an answer already, `not_sent` are of sources or splits that may not be sent, `asked` would
    be asked, and `left_over` wait for another run because of the limit.
    """

    questions: int
    refined: int
    not_sent: int
    asked: int
    left_over: int


def refinable_selection(project: Project) -> Selection:
    """Return what questions are taken from: every closed round, as a release takes them by default.

    Raises Refused for a project without spans.
    """
    if project.protocol != Protocol.FOCUS:
        raise Refused(
            "not_ready", gettext("Only the questions of gold spans can be refined: this project has none.")
        )
    return read_selection(project, Parameters())


def sources_of(selection: Selection) -> list[tuple[str, str, int]]:
    """Return each source and licence of the items with their number."""
    rows = items_chosen(selection).order_by().values_list("source", "licence").annotate(items=Count("id"))
    return sorted(rows)


def gold_questions(selection: Selection) -> Iterator[GoldQuestion]:
    """Yield the question of every gold span, item by item in the order of their import."""
    types = [kind for kind in selection.codebook.types if kind.span]
    for record in read_records(selection):
        item = record.item
        for kind in [kind for kind in types if kind.code in record.types]:
            for span in record.types[kind.code].gold:
                if not 0 <= span.start < span.end <= len(item.text):
                    continue  # a release says so; there is nothing to ask about
                words = item.text[span.start : span.end]
                yield GoldQuestion(
                    item.pk,
                    item.external_id,
                    item.text,
                    item.source,
                    item.licence,
                    kind.code,
                    kind.name,
                    span.start,
                    span.end,
                    question_from_exemplar(kind.exemplar or "", words),
                    item.split,
                )


def questions_table(selection: Selection) -> QuestionTable:
    """Read every question and count them by source, licence and split."""
    questions: Counter[tuple[str, str, str]] = Counter()
    refined: Counter[tuple[str, str, str]] = Counter()
    for kind, question in _sorted_out(selection, set(), again=False):
        place = question.source, question.licence, question.split
        questions[place] += 1
        refined[place] += kind == "refined"
    return {place: (number, refined[place]) for place, number in sorted(questions.items())}


def count_sendable(
    table: QuestionTable,
    *,
    sources: tuple[tuple[str, str], ...],
    again: bool,
    max_questions: int,
    splits_left_out: tuple[str, ...] = (),
) -> QuestionCounts:
    """Return what a run with these choices would do, without asking anything."""
    refined = 0 if again else sum(number for _, number in table.values())
    left = {place: number - (0 if again else answered) for place, (number, answered) in table.items()}
    waiting = sum(
        number
        for (source, licence, split), number in left.items()
        if (source, licence) in sources and split not in splits_left_out
    )
    return QuestionCounts(
        questions=sum(number for number, _ in table.values()),
        refined=refined,
        not_sent=sum(left.values()) - waiting,
        asked=min(waiting, max_questions),
        left_over=max(0, waiting - max_questions),
    )


def questions_waiting(run: RefinementRun) -> Iterator[GoldQuestion]:
    """Yield the questions that a run has still to ask, whatever its limit."""
    mine = set(run.refinements.values_list("item_id", "type_code", "start", "end"))
    sources = {(source, licence) for source, licence in run.sources}
    selection = refinable_selection(run.project)
    for kind, question in _sorted_out(selection, sources, again=run.again, without=run.splits_left_out):
        if kind == "waiting" and _key(question) not in mine:
            yield question


def question_example(selection: Selection, choices: RefinementChoices) -> GoldQuestion | None:
    """Return the first question that a run with these choices would ask, among the first LOOKED_AT."""
    found = _sorted_out(selection, set(choices.sources), again=choices.again, without=choices.splits_left_out)
    return next((question for kind, question in islice(found, LOOKED_AT) if kind == "waiting"), None)


def splits_of(selection: Selection) -> list[str]:
    """Return the splits that came with the items, in order; those that a release draws are none of them."""
    return sorted(set(items_chosen(selection).exclude(split="").order_by().values_list("split", flat=True)))


def _sorted_out(
    selection: Selection, sources: set[tuple[str, str]], *, again: bool, without: Collection[str] = ()
) -> Iterator[tuple[str, GoldQuestion]]:
    """Yield each question as refined, not_sent or waiting. A rejected one counts as refined: it was asked."""
    stored = {} if again else _stored(selection.project)
    hashed, sha256 = -1, ""
    for question in gold_questions(selection):
        answered = stored.get(_key(question))
        if answered and hashed != question.item:
            hashed, sha256 = question.item, text_sha256(question.argument)
        if answered == (question.question, sha256):
            yield "refined", question
        elif (question.source, question.licence) not in sources or question.split in without:
            yield "not_sent", question
        else:
            yield "waiting", question


def _stored(project: Project) -> dict[Key, tuple[str, str]]:
    rows = QuestionRefinement.objects.filter(
        run__project=project, state=QuestionRefinement.State.REFINED
    ).order_by("pk")
    return {
        (item, code, start, end): (template, sha256)
        for item, code, start, end, template, sha256 in rows.values_list(
            "item_id", "type_code", "start", "end", "question_template", "text_sha256"
        )
    }


def _key(question: GoldQuestion) -> Key:
    return question.item, question.type_code, question.start, question.end


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


def compute_question_table(selection: Selection) -> None:
    """Count the questions by source and keep the answer."""
    table_kept(selection).count(lambda: questions_table(selection))


def table_kept(selection: Selection) -> BackgroundCount[QuestionTable]:
    """Return where a worker keeps the questions by source."""
    return BackgroundCount(f"questions-by-split:{selection.project.pk}", _sign(selection))


def sources_known(selection: Selection) -> list[tuple[str, str, int]]:
    """Return what `sources_of` returns, from the cache: grouping the items takes too long for a page."""
    name = f"question-sources:{selection.project.pk}:{_sign(selection)}"
    return cached(name, lambda: sources_of(selection))


def splits_known(selection: Selection) -> list[str]:
    """Return what `splits_of` returns, from the cache."""
    return cached(f"question-splits:{selection.project.pk}:{_sign(selection)}", lambda: splits_of(selection))


def _sign(selection: Selection) -> str:
    """Return a sign of change: answers of a language model have rows of their own, apart from the log."""
    answered = QuestionRefinement.objects.filter(run__project=selection.project).aggregate(last=Max("pk"))
    return f"{project_stamp(selection.project)}.{answered['last']}"
