"""All that I decided in a round, side by side: by type or label, or text by text."""

from dataclasses import dataclass, field
from typing import Any

from django.core.paginator import Page
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import get_language, gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from agreement.display.highlighting import Segment, excerpt_bounds, segments
from annotation import access
from annotation.codebooks.definition import Codebook as Definition
from annotation.codebooks.exemplar_questions import question_from_exemplar
from annotation.codebooks.translations import codebook_in
from annotation.judging.look_through import (
    CANNOT,
    Chosen,
    count_kinds,
    counted_by,
    decisions_about,
    decisions_of,
    decisions_with_words,
    kinds_of,
    with_texts,
)
from annotation.models import Assignment, Item, Membership, Protocol, Question, Round
from annotation.models.rounds import types_named
from annotation.rounds.progress import progress_of_round
from annotation.rounds.training import feedback, keys_for
from frontend.decorators import login_required
from frontend.pages.common import page_of, project_page
from frontend.unit_view import same_as

ROWS = 50
TEXTS = 10
MARGIN = 90


@dataclass(frozen=True, slots=True)
class Subject:
    """One entry of the list at the side: a type, a label or (under it) a reason, with its counts."""

    code: str
    name: str
    counts: str
    hue: str = ""
    under: bool = False
    chosen: bool = False


@dataclass(slots=True)
class Decision:
    """One decision ready to be shown: the words of it, its text around the span, and the way back to it."""

    row: Any
    item: Item
    question: Question | None
    name: str
    hue: str
    kind: str
    said: str
    asks: str = ""
    before: str = ""
    after: str = ""
    cut_before: bool = False
    cut_after: bool = False
    url: str = ""
    key: dict[str, Any] | None = None

    @property
    def is_whole(self) -> bool:
        return not (self.cut_before or self.cut_after)


@dataclass(slots=True)
class DecidedText:
    """One text with all that was decided about it."""

    item: Item
    pieces: list[tuple[Segment, str]]
    decisions: list[Decision] = field(default_factory=list)


@login_required
@require_GET
@never_cache
def my_decisions(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show what the reader decided in a round, and nobody else's."""
    member = access.member_or_404(request.user, slug)
    round = access.round_or_404(member, number)
    looking = _Looking(member, round, request)
    return project_page(request, "my_decisions/my_decisions.html", member, tab="project", **looking.context())


class _Looking:
    """One look at one's decisions: the address says by what, of what, which and with which words."""

    def __init__(self, member: Membership, round: Round, request: HttpRequest) -> None:
        self.member, self.round, self.request = member, round, request
        self.about_questions = member.project.protocol == Protocol.CQS_GEN
        stored = Definition.from_json(round.codebook.definition)
        self.definition = codebook_in(stored, get_language() or "")
        self.types = {entry.code: entry for entry in self.definition.types}
        self.groups = {group.key: group for group in self.definition.groups}
        asked = request.GET
        self.by_text = asked.get("by") == "text"
        self.kinds = kinds_of(member, round)
        show = asked.get("show", "")
        self.chosen = Chosen(
            of=asked.get("of", ""),
            show=show if show in self.kinds else "",
            words=asked.get("q", "").strip(),
        )

    def context(self) -> dict[str, Any]:
        rows = decisions_of(self.member, self.round)
        total = rows.count()
        if self.chosen.words:
            rows = decisions_with_words(rows, self.member.project.protocol, self.chosen.words)
        subjects = self.subjects(counted_by(rows))
        if not self.by_text:
            of = next((one.code for one in subjects if one.chosen), "")
            rows = decisions_about(rows, of)
        counts = count_kinds(rows, self.kinds)
        if self.chosen.show:
            rows = rows.filter(self.kinds[self.chosen.show])
        progress = next(iter(progress_of_round(self.round, member=self.member)), None)
        shown = self.texts(rows) if self.by_text else self.decisions(rows)
        return {
            "round": self.round,
            "about_questions": self.about_questions,
            "by_text": self.by_text,
            "subjects": subjects,
            "subject": next((one for one in subjects if one.chosen), None),
            "kinds": [
                (kind, name, counts[kind], self.address(show=kind), self.chosen.show == kind)
                for kind, name in self.kind_names()
            ],
            "words": self.chosen.words,
            "show": self.chosen.show,
            "total": total,
            "own": progress,
            "is_open": self.round.status == Round.Status.OPEN,
            "goes_on": self.can_change and progress is not None and progress.left,
            "can_change": self.can_change,
            "query": self.address().removeprefix("?"),
            "by_subject_url": self.address(by="", of=""),
            "by_text_url": self.address(by="text", of=""),
            **shown,
        }

    @property
    def can_change(self) -> bool:
        """Whether there is a way back into the workspace in which something can still be changed."""
        return (
            self.round.status == Round.Status.OPEN
            and self.member.is_annotator
            and not self.round.imported
            and self.member.project.archived_at is None
        )

    def kind_names(self) -> list[tuple[str, str]]:
        names = {
            "yes": gettext("yes"),
            "no": gettext("no"),
            "cannot": gettext("cannot judge"),
            "unsure": gettext("unsure"),
            "comment": gettext("with a comment"),
            "edited": gettext("with an edited question"),
            "differs": gettext("other than the key"),
        }
        return [("all", gettext("all")), *((kind, names[kind]) for kind in self.kinds)]

    def address(self, **changed: str) -> str:
        """Return the query of this look with some of it changed; the page starts anew."""
        query = self.request.GET.copy()
        query.pop("page", None)
        for name, value in changed.items():
            query[name] = value
        for name in list(query):
            if name not in ("by", "of", "show", "q") or not query[name] or query[name] == "all":
                del query[name]
        return f"?{query.urlencode()}"

    def subjects(self, counts: dict[str, tuple[int, int]]) -> list[Subject]:
        """Return the types or labels with their counts; chosen is the one asked for or the first decided."""
        if self.by_text:
            return []
        found: list[tuple[str, str, str, bool]] = []
        if self.about_questions:
            for label in self.definition.labels:
                found.append((label.code, label.name, f"label-{label.code}", False))
                if label.code == "IN":
                    found += [(f"IN:{one.code}", one.name, "", True) for one in self.definition.reasons]
            found.append((CANNOT, gettext("Cannot judge"), "", False))
        else:
            asked = self.round.type_codes
            found = [
                (one.code, one.name, self.hue(one.code), False)
                for one in self.types.values()
                if one.code in asked
            ]
        known = [code for code, *_ in found]
        of = (
            self.chosen.of
            if self.chosen.of in known
            else next((code for code in known if counts.get(code)), "")
        )
        of = of or (known[0] if known else "")
        return [
            Subject(
                code=code,
                name=name,
                counts=self.counted(*counts.get(code, (0, 0))),
                hue=hue,
                under=under,
                chosen=code == of,
            )
            for code, name, hue, under in found
        ]

    def counted(self, n: int, yes: int) -> str:
        return str(n) if self.about_questions else f"{yes} / {n}"

    def hue(self, code: str) -> str:
        entry = self.types.get(code)
        group = self.groups.get(entry.group or "") if entry else None
        return f"hue-{group.hue}" if group else ""

    def decisions(self, rows: Any) -> dict[str, Any]:
        """Return one page of one type's or label's decisions."""
        page = page_of(self.request, with_texts(rows), ROWS)
        return {"page": page, "rows": self.shown(list(page))}

    def texts(self, rows: Any) -> dict[str, Any]:
        """Return one page of texts, each with its decisions."""
        mine = Assignment.objects.filter(pk__in=rows.order_by().values("assignment"))
        page: Page[Any] = page_of(self.request, mine.order_by("position").values_list("pk", flat=True), TEXTS)
        texts: dict[int, DecidedText] = {}
        found = list(with_texts(rows.filter(assignment__in=list(page))))
        order = list(self.types)
        if not self.about_questions:
            found.sort(
                key=lambda row: (
                    row.place,
                    order.index(row.type_code) if row.type_code in order else len(order),
                )
            )
        for decision in self.shown(found):
            pk = decision.row.assignment_id
            if pk not in texts:
                texts[pk] = DecidedText(decision.item, [])
            texts[pk].decisions.append(decision)
        for text in texts.values():
            text.pieces = _pieces(text)
        return {"page": page, "texts": list(texts.values())}

    def shown(self, rows: list[Any]) -> list[Decision]:
        keys = keys_for(self.round, {row.assignment.item_id for row in rows})
        return [self.one(row, keys) for row in rows]

    def one(self, row: Any, keys: dict[Any, Any]) -> Decision:
        item = row.assignment.item
        unit = ("", row.question_id) if self.about_questions else (row.type_code, None)
        told = feedback(row, keys.get((item.pk, *unit)))
        made = Decision(
            row=row,
            item=item,
            question=row.question if self.about_questions else None,
            name="",
            hue="",
            kind=_kind(row),
            said="",
            key=None if told is None else {**told, "said": self.answer_words(told["key"])},
        )
        made.url = self.way_back(row)
        if self.about_questions:
            made.hue = f"label-{row.label}" if row.label else ""
            made.said = (
                gettext("Cannot judge")
                if row.cannot_judge
                else same_as(row.reference.text)
                if row.reference is not None
                else self.answer_words({"label": row.label, "reason": row.reason})
            )
            return made
        entry = self.types.get(row.type_code)
        made.name, made.hue = entry.name if entry else row.type_code, self.hue(row.type_code)
        made.said = {"yes": gettext("yes"), "no": gettext("no"), "cannot": gettext("cannot judge")}[made.kind]
        spans = [] if row.start is None else [(0, row.start, row.end)]
        low, high = excerpt_bounds(item.text, spans, MARGIN if spans else 2 * MARGIN)
        start, end = (row.start, row.end) if spans else (high, high)
        made.before, made.after = item.text[low:start], item.text[end:high]
        made.cut_before, made.cut_after = low > 0, high < len(item.text)
        if spans and entry and entry.exemplar:
            made.asks = question_from_exemplar(entry.exemplar, row.quote)
        return made

    def way_back(self, row: Any) -> str:
        """Return the address at which the workspace opens with this unit; none where it is not asked now."""
        assignment, part = row.assignment, row.question_id if self.about_questions else row.type_code
        asked = self.about_questions or part in types_named(assignment.types, self.round.type_codes)
        if not self.can_change or assignment.released_at is not None or not asked:
            return ""
        address = reverse("workspace", args=[self.member.project.slug, self.round.number])
        return f"{address}#unit={assignment.pk}:{part}"

    def answer_words(self, answer: dict[str, Any]) -> str:
        """Return an answer in words: of a key, or the label and reason of a decision."""
        if "label" in answer:
            label = next((one.name for one in self.definition.labels if one.code == answer["label"]), "")
            reason = self.definition.reason(answer["reason"]) if answer.get("reason") else None
            return f"{label}: {reason.name}" if reason else label
        if not answer["applicable"]:
            return gettext("no")
        return f"{gettext('yes')}: “{answer['quote']}”" if answer.get("quote") else gettext("yes")


def _kind(row: Any) -> str:
    if row.cannot_judge:
        return "cannot"
    return "yes" if getattr(row, "applicable", True) else "no"


def _pieces(text: DecidedText) -> list[tuple[Segment, str]]:
    """Return the text cut where spans begin and end, with the codes of the types whose spans begin there."""
    spanned = [
        decision.row for decision in text.decisions if getattr(decision.row, "start", None) is not None
    ]
    cut = segments(text.item.text, [(place, row.start, row.end) for place, row in enumerate(spanned)])
    return [(piece, " ".join(spanned[place].type_code for place in piece.starts)) for piece in cut]
