"""An evaluation's answers in the text: people's and the system's words, or question and reference."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from agreement.display.cells import number
from agreement.display.highlighting import Segment, excerpt_bounds, segments
from annotation.codebooks.definition import Codebook
from annotation.models import Item
from core.errors import NotFound
from frontend.decorators import login_required
from frontend.middleware import refusals_as_notices
from frontend.pages.assistants.words import problem_said
from frontend.pages.common import (
    UncountedPage,
    number_in,
    project_page,
    query_without_page,
    uncounted_page_of,
)
from frontend.pages.systems.evaluation import evaluation_of, run_of
from frontend.pages.systems.shown import Chip, codebook_of, method_said, type_names
from frontend.pages.systems.words import LABEL_CODES, LABELS
from scoring.evaluation.judge_prompts import JUDGED
from scoring.evaluation.judges import CUT_OFF
from scoring.figures.matching import JUDGE_UNUSABLE
from scoring.models import Answer, ErrorTag, Evaluation, JudgeAnswer, TaggedAnswer
from scoring.systems.answers import Wanted, answer_counts, answer_or_404, answers_wanted
from scoring.systems.error_tags import SUGGESTED, answer_tag, error_tag_add, tag_or_404, tag_shares

PAGE_SIZE = 20
LONG = 1_500
"""Characters from which on a text is shown around what is marked in it."""

GOLD, DISAGREEMENT, SYSTEM = range(3)
"""The patterns of the underlines, as the stylesheet has them."""


@dataclass(slots=True)
class ShownAnswer:
    """An answer with what is around it.

    `elsewhere` is what the system answered instead, `people` decided; `best_label` is the best reference's.
    `words_differ`: people marked others, or the system gave none. `judged` is what a language model said of a
    question, `judge_problem` why that is no label.
    """

    answer: Answer
    name: str
    hue: str
    letter: str
    label: str
    label_code: str
    similarity: str
    best_label: str = ""
    pieces: list[Segment] = field(default_factory=list)
    cut_before: bool = False
    cut_after: bool = False
    text: str = ""
    elsewhere: list[str] = field(default_factory=list)
    people: list[str] = field(default_factory=list)
    withdrawn: bool = False
    without_place: list[str] = field(default_factory=list)
    tags: list[ErrorTag] = field(default_factory=list)
    words_differ: bool = False
    judged: JudgeAnswer | None = None
    judge_problem: str = ""

    @property
    def can_be_tagged(self) -> bool:
        """Whether there is an error to name, or one was named; a right type can have wrong words."""
        return self.answer.is_right is False or self.words_differ or bool(self.tags)


@login_required
@require_GET
def answers(request: HttpRequest, slug: str, evaluation_id: int) -> HttpResponse:
    """Show a page of answers, those that the address asks for."""
    member, found = evaluation_of(request, slug, evaluation_id, with_figures=False)
    if found.state != Evaluation.State.DONE:
        raise NotFound(gettext("This evaluation has no answers yet."))
    run = run_of(request, found)
    wanted = _wanted(request.GET, run)
    page = uncounted_page_of(request, answers_wanted(found, wanted), PAGE_SIZE)
    focus = bool(found.scope)
    definition = codebook_of(member.project) if focus else None
    names = type_names(definition) if definition is not None else {}
    counts = answer_counts(found, run)
    shares = tag_shares(found.submission, run)
    known = {share.tag.word_key for share in shares}
    suggested = [word for word in SUGGESTED.get(member.project.protocol, ()) if word.casefold() not in known]
    return project_page(
        request,
        "systems/answers.html",
        member,
        tab="systems",
        evaluation=found,
        system=found.submission.system,
        submission=found.submission,
        method=method_said(found),
        focus=focus,
        page=page,
        shown=_shown(found, page, definition, names),
        chips=_chips(request.GET, wanted, counts, focus=focus),
        types=[(code, name, counts.units[code]) for code, name in names.items() if counts.units[code]],
        wanted=wanted,
        runs=list(found.submission.files.order_by("run")),
        run=run,
        total=counts.total,
        shares=shares,
        tag_chips=[
            Chip(
                share.tag.word,
                share.count,
                _address(request.GET, tag=share.tag.pk),
                wanted.tag == share.tag.pk,
            )
            for share in shares
        ],
        all_tags=[share.tag for share in shares],
        suggested=suggested,
        query=query_without_page(request),
        here=request.get_full_path(),
    )


def _wanted(given: QueryDict, run: int) -> Wanted:
    sides = {"right": True, "wrong": False}
    return Wanted(
        run=run,
        label=given.get("label", "")[:24],
        unit=given.get("type", "")[:40],
        right=sides.get(given.get("only", "")),
        no_place=given.get("only") == "no-place",
        tag=number_in(given.get("tag")),
    )


def _chips(given: QueryDict, wanted: Wanted, counts: Any, *, focus: bool) -> list[Chip]:
    """Return the filters by verdict: of FOCUS right, missed and so on, of CQs-Gen the labels."""
    words = dict(Answer.Verdict.choices) if focus else LABELS
    none = not (wanted.label or wanted.no_place or wanted.right is not None)
    found = [
        Chip(gettext("all"), counts.total, _address(given, label="", only=""), none),
        Chip(
            gettext("right") if focus else gettext("useful"),
            counts.right,
            _address(given, only="right", label=""),
            wanted.right is True,
        ),
        Chip(
            gettext("wrong") if focus else gettext("not useful"),
            counts.wrong,
            _address(given, only="wrong", label=""),
            wanted.right is False,
        ),
    ]
    for label, said in words.items():
        if label in ("hit", "Useful"):
            continue
        address = _address(given, label=label, only="")
        found.append(Chip(str(said), counts.labels[label], address, wanted.label == label))
    if focus:
        address = _address(given, only="no-place", label="")
        found.append(Chip(gettext("words not in the text"), counts.no_place, address, wanted.no_place))
    return [chip for chip in found if chip.n or chip.chosen]


def _address(given: QueryDict, **changed: Any) -> str:
    query = {name: given[name] for name in ("run", "label", "type", "only", "tag") if given.get(name)}
    query.update({name: str(value) for name, value in changed.items()})
    return f"?{urlencode({name: value for name, value in query.items() if value})}"


def _shown(
    evaluation: Evaluation, page: UncountedPage, definition: Codebook | None, names: dict[str, str]
) -> list[ShownAnswer]:
    project = evaluation.submission.system.project
    named = project.items.filter(external_id__in={row.item for row in page})
    items = {item.external_id: item for item in named}
    tags = _tags(evaluation, page)
    if definition is None:
        judged = _judged(evaluation, page)
        return [
            _question(row, items.get(row.item), tags, judged.get((row.run, row.item, row.unit)))
            for row in page
        ]
    run = page[0].run if page else 1
    beside = Answer.objects.filter(
        evaluation=evaluation, run=run, position__in={row.position for row in page}
    )
    around: dict[int, list[Answer]] = defaultdict(list)
    for row in beside.order_by("position", "place"):
        around[row.position].append(row)
    groups = _groups(definition)
    return [_argument(row, items.get(row.item), around[row.position], names, groups, tags) for row in page]


def _tags(evaluation: Evaluation, page: UncountedPage) -> dict[tuple[str, str], list[ErrorTag]]:
    found: dict[tuple[str, str], list[ErrorTag]] = defaultdict(list)
    rows = TaggedAnswer.objects.filter(
        submission=evaluation.submission_id,
        run=page[0].run if page else 1,
        item__in={row.item for row in page},
    )
    for row in rows.select_related("tag").order_by("tag"):
        found[row.item, row.unit].append(row.tag)
    return found


def _judged(evaluation: Evaluation, page: UncountedPage) -> dict[tuple[int, str, str], JudgeAnswer]:
    if evaluation.method not in JUDGED:
        return {}
    rows = evaluation.judge_answers.filter(
        run__in={row.run for row in page}, item__in={row.item for row in page}
    )
    return {(row.run, row.item, str(row.question)): row for row in rows}


def _groups(definition: Codebook) -> dict[str, tuple[str, str]]:
    """Return hue and letter of each type."""
    groups = {group.key: (group.hue, group.letter) for group in definition.groups}
    return {entry.code: groups.get(entry.group or "", ("grey", "")) for entry in definition.types}


def _argument(
    row: Answer,
    item: Item | None,
    around: Sequence[Answer],
    names: dict[str, str],
    groups: dict[str, tuple[str, str]],
    tags: dict[tuple[str, str], list[ErrorTag]],
) -> ShownAnswer:
    """Show a pair of item and type: of what was missed, the words of what was answered instead."""
    text = item.text if item is not None else ""
    spans = [
        (who, *place)
        for key, who in (("gold", GOLD), ("disagreement", DISAGREEMENT))
        for place in row.references.get(key, ())
        if isinstance(place, list)
    ]
    answered = [other for other in around if other.label in ("hit", "extra", "undecided")]
    mine = [row] if row in answered else answered
    spans += [(SYSTEM, one.start, one.end) for one in mine if one.start is not None and one.end is not None]
    spans = [(who, start, end) for who, start, end in spans if end <= len(text)]
    low, high = excerpt_bounds(text, spans) if len(text) > LONG else (0, len(text))
    hue, letter = groups.get(row.unit, ("grey", ""))
    return ShownAnswer(
        row,
        names.get(row.unit, row.unit),
        hue,
        letter,
        str(Answer.Verdict(row.label).label),
        "",
        number(row.similarity) if row.similarity is not None else "",
        pieces=segments(text[low:high], [(who, start - low, end - low) for who, start, end in spans]),
        cut_before=low > 0,
        cut_after=high < len(text),
        elsewhere=[names.get(one.unit, one.unit) for one in answered if one is not row],
        people=[names.get(one.unit, one.unit) for one in around if one.label in ("hit", "missed")],
        withdrawn=item is not None and item.withdrawn_at is not None,
        without_place=[one.given for one in mine if one.given and one.start is None],
        tags=tags.get((row.item, row.unit), []),
        words_differ="gold" in row.references and row.similarity != 1,
    )


def _question(
    row: Answer, item: Item | None, tags: dict[tuple[str, str], list[ErrorTag]], judged: JudgeAnswer | None
) -> ShownAnswer:
    problem = ""
    if judged is not None and row.label == JUDGE_UNUSABLE:
        problem = judged.problem or (CUT_OFF if judged.ending == "length" else "")
    best = (row.references.get("best") or {}).get("label", "")
    return ShownAnswer(
        row,
        gettext("question %(n)s") % {"n": row.unit},
        "",
        "",
        str(LABELS.get(row.label, row.label)),
        LABEL_CODES.get(row.label, ""),
        number(row.similarity, 3) if row.similarity is not None else "",
        best_label=str(LABELS.get(best, best)),
        text=item.text if item is not None else "",
        withdrawn=item is not None and item.withdrawn_at is not None,
        tags=tags.get((row.item, row.unit), []),
        judged=judged,
        judge_problem=problem_said(problem),
    )


@login_required
@require_POST
def tag(request: HttpRequest, slug: str, evaluation_id: int, answer_id: int) -> HttpResponse:
    """Have the chosen words stand on an answer."""
    member, found = evaluation_of(request, slug, evaluation_id, with_figures=False)
    answer = answer_or_404(member.project, found, answer_id)
    with refusals_as_notices(request):
        chosen = [tag_or_404(member.project, number_in(key)) for key in request.POST.getlist("tag")[:40]]
        answer_tag(answer=answer, tags=chosen, by=member)
    return _back(request, slug, evaluation_id, f"answer-{answer_id}")


@login_required
@require_POST
def tag_new(request: HttpRequest, slug: str, evaluation_id: int) -> HttpResponse:
    """Add a word to the project's list."""
    member, _ = evaluation_of(request, slug, evaluation_id, with_figures=False)
    with refusals_as_notices(request):
        error_tag_add(project=member.project, word=request.POST.get("word", ""), by=member)
    return _back(request, slug, evaluation_id, "error-words")


def _back(request: HttpRequest, slug: str, evaluation_id: int, anchor: str) -> HttpResponse:
    """Return to the page of answers that the form was on; its filters alone are taken from the form."""
    place = reverse("evaluation_answers", args=[slug, evaluation_id])
    query = QueryDict(request.POST.get("query", "")[:500])
    kept = {name: query[name] for name in ("run", "label", "type", "only", "tag", "page") if query.get(name)}
    return redirect(f"{place}{'?' if kept else ''}{urlencode(kept)}#{anchor}")
