"""Where annotators of closed rounds disagree: all rounds, one round's units with filters, the discussion."""

from collections import Counter
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from agreement.adjudication.queue import QueueProgress, disputed_kinds, queue_claim_next, queue_progress
from agreement.computation.requests import report_current
from agreement.models import AgreementReport, DisputedUnit
from agreement.report.loading import judgements_stamp
from annotation import access
from annotation.adjudication.adjudication import with_state
from annotation.adjudication.discussion import discussed_units, discussion_allowed
from annotation.items.search import topics_of
from annotation.models import Assignment, Comment, Membership, QuestionAnnotation, Round, TypeAnnotation
from core.cache import cached
from core.errors import Refused
from frontend.decorators import login_required
from frontend.pages.common import in_order, lead_or_403, page_of, project_page, query_without_page
from frontend.unit_view import unit_key

FILTERS = ("type", "topic", "pattern", "pair", "state")
ROUNDS_A_PAGE = 20
PATTERNS_OFFERED = 30
ANNOTATORS_OFFERED = 30


def closed_round_report(round: Round) -> AgreementReport | None:
    """Return the newest finished report of a closed round. Raises Refused while the round is blind."""
    if round.status != Round.Status.CLOSED:
        raise Refused(
            "round_not_closed",
            gettext(
                "%(name)s is %(status)s. While a round is open nobody sees the judgements of others: "
                "close it, then its disagreements appear here."
            )
            % {"name": round.name, "status": round.status_word},
        )
    return report_current(round=round).report


@login_required
@require_GET
def disagreements(request: HttpRequest, slug: str) -> HttpResponse:
    """List the closed rounds with how much of each is still to be decided."""
    member = lead_or_403(request, slug)
    closed = member.project.rounds.filter(status=Round.Status.CLOSED).order_by("-number")
    page = page_of(request, closed, ROUNDS_A_PAGE)
    rows: list[tuple[Round, AgreementReport | None, QueueProgress | None]] = []
    for round in page:
        report = report_current(round=round).report
        rows.append((round, report, queue_progress(report, member) if report else None))
    return project_page(
        request, "adjudication/disagreements.html", member, tab="disagreements", page=page, rows=rows
    )


@login_required
@require_GET
def round_disagreements(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """List a round's disputed units, most disputed first, by type, pair, pattern, topic and state."""
    member = lead_or_403(request, slug)
    round = access.round_or_404(member, number)
    report = closed_round_report(round)
    if report is None:
        return project_page(
            request,
            "adjudication/round_disagreements.html",
            member,
            tab="disagreements",
            round=round,
            report=None,
        )
    page = page_of(request, _filtered_keys(report, member, request.GET))
    shown = report.disputed_units.select_related("item", "question")
    units = in_order(list(page), with_state(shown, member))
    spoken = round.comments.filter(
        act=Comment.Act.SAY, item__in=[unit.item_id for unit in units]
    ).values_list("item", "type_code", "question")
    counts: dict[tuple[int, str, int | None], int] = {}
    for key in spoken:
        counts[key] = counts.get(key, 0) + 1
    return project_page(
        request,
        "adjudication/round_disagreements.html",
        member,
        tab="disagreements",
        round=round,
        report=report,
        page=page,
        query=query_without_page(request),
        progress=queue_progress(report, member),
        n_kept=len(access.kept_from(member, round)),
        rows=[
            {
                "unit": unit,
                "key": unit_key(unit.type_code, unit.question_id),
                "comments": counts.get((unit.item_id, unit.type_code, unit.question_id), 0),
            }
            for unit in units
        ],
        **_filters(round, report, request.GET),
    )


def filtered_units(report: AgreementReport, member: Membership, asked: Any) -> QuerySet[DisputedUnit]:
    """Return the disputed units that the member may read and the filters leave, most disputed first."""
    return access.readable(_matching(report, member, asked), member)


def _matching(report: AgreementReport, member: Membership, asked: Any) -> QuerySet[DisputedUnit]:
    units: QuerySet[Any] = report.disputed_units.all()
    if asked.get("type"):
        units = units.filter(type_code=asked["type"])
    if asked.get("topic"):
        units = units.filter(item__in=report.round.project.items.filter(topic=asked["topic"]).values("pk"))
    if asked.get("pattern"):
        alike = [kind.votes for kind in disputed_kinds(report) if _pattern(kind.votes) == asked["pattern"]]
        units = units.filter(votes__in=alike)
    first, _, second = asked.get("pair", "").partition("~")
    if first and second:
        units = units.filter(_differ(report.round, first, second))
    state = asked.get("state", "")
    if state in ("waiting", "decided", "settled"):
        units = with_state(units, member)
    if state == "waiting":
        units = units.exclude(why="").filter(decided=False)
    elif state == "decided":
        units = units.filter(decided=True)
    elif state == "settled":
        units = units.filter(why="", decided=False)
    return units.order_by("-disputed", "id")


def _filtered_keys(
    report: AgreementReport, member: Membership, asked: QueryDict
) -> QuerySet[DisputedUnit, int] | list[int]:
    """Return the keys of `filtered_units`; where two annotators differ is found once, the rest each time."""
    keys = filtered_units(report, member, asked).values_list("pk", flat=True)
    if not asked.get("pair"):
        return keys
    pair = QueryDict(mutable=True)
    pair["pair"] = asked.get("pair", "")
    name = f"differ:{report.pk}:{report.digest}:{judgements_stamp(report.round)}:{pair.urlencode()}"
    differ = cached(name, lambda: list(_matching(report, member, pair).values_list("pk", flat=True)))
    others = asked.copy()
    others.pop("pair")
    if not any(others.get(key) for key in FILTERS) and not access.judging_now(member).exists():
        return differ
    known = set(differ)
    return [key for key in _filtered_keys(report, member, others) if key in known]


def _pattern(votes: list[list[Any]]) -> str:
    """Return votes as people say them: yes 2, no 1."""
    return ", ".join(f"{answer} {n}" for answer, n in votes)


def _differ(round: Round, first: str, second: str) -> Q:
    """Return the condition that two annotators, by pseudonym, answered a unit differently."""
    found = dict(
        round.project.memberships.filter(pseudonym__in=[first, second]).values_list("pseudonym", "pk")
    )
    if first not in found or second not in found:
        return Q(pk__in=[])
    left, right = found[first], found[second]
    if round.project.protocol == "focus":
        of_unit = {"assignment__item": OuterRef("item"), "type_code": OuterRef("type_code")}
        alike = {name: OuterRef(name) for name in ("assignment__item", "type_code")}
        rows: QuerySet[Any] = TypeAnnotation.objects.filter(applicable__isnull=False)
        answer = "applicable"
    else:
        of_unit, alike = {"question": OuterRef("question")}, {"question": OuterRef("question")}
        rows, answer = QuestionAnnotation.objects.filter(label__isnull=False), "label"
    rows = rows.filter(assignment__round=round, assignment__repeat=False)
    other = rows.filter(assignment__member=right, **alike).exclude(**{answer: OuterRef(answer)})
    differ = Exists(rows.filter(Exists(other), assignment__member=left, **of_unit))
    # The texts that both have leave few units to look at.
    also = Assignment.objects.filter(round=round, member=right, item=OuterRef("item"))
    both = round.assignments.filter(Exists(also), member=left).order_by()
    return Q(item__in=both.values("item"), question__isnull=round.project.protocol == "focus") & Q(differ)


def _filters(round: Round, report: AgreementReport, asked: Any) -> dict[str, Any]:
    types: Counter[str] = Counter()
    patterns: Counter[str] = Counter()
    for kind in disputed_kinds(report):
        types[kind.type_code] += kind.n
        patterns[_pattern(kind.votes)] += kind.n
    people = AgreementReport.objects.values_list("figures__annotators", flat=True).get(pk=report.pk) or []
    names = [person["pseudonym"] for person in people][:ANNOTATORS_OFFERED]
    return {
        "types": [{"type_code": code, "n": n} for code, n in sorted(types.items()) if code],
        "patterns": sorted(patterns.items(), key=lambda entry: (-entry[1], entry[0]))[:PATTERNS_OFFERED],
        "pairs": [f"{a}~{b}" for place, a in enumerate(names) for b in names[place + 1 :]],
        "topics": topics_of(round.project),
        "asked": {key: asked.get(key, "") for key in FILTERS},
    }


@login_required
@require_POST
def adjudicate_next(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Claim the most disputed unit that waits and go there; back to the list when none is left."""
    member = lead_or_403(request, slug)
    round = access.round_or_404(member, number)
    report = closed_round_report(round)
    found = queue_claim_next(report, member) if report else None
    if found is None:
        return redirect("round_disagreements", slug, number)
    return redirect("unit", slug, number, found.item_id, unit_key(found.type_code, found.question_id))


@login_required
@require_GET
def discussion(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """List the units of a closed round that people talk about, for leads and its annotators."""
    member = access.member_or_404(request.user, slug)
    round = access.round_or_404(member, number)
    discussion_allowed(round=round, member=member)
    mine = "mine" in request.GET
    units = discussed_units(round, mentioning=member if mine else None)
    page = page_of(request, access.readable(units, member))
    rows = [
        {
            **row,
            "key": unit_key(row["type_code"], row["question"]),
            "settled": (row["settle"] or 0) > (row["reopen"] or 0),
        }
        for row in page
    ]
    return project_page(
        request,
        "adjudication/discussion.html",
        member,
        tab="disagreements" if member.is_lead else "project",
        round=round,
        page=page,
        rows=rows,
        mine=mine,
        n_kept=len(access.kept_from(member, round)),
        query=query_without_page(request),
    )
