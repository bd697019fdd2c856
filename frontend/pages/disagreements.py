"""Where annotators of closed rounds disagree: all rounds, one round's units with filters, the discussion."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from agreement.adjudication import QueueProgress, queue_claim_next, queue_progress
from agreement.models import AgreementReport, DisputedUnit
from agreement.reports import report_current
from annotation import access
from annotation.adjudicating import with_state
from annotation.discussing import discussed_units, discussion_allowed
from annotation.errors import Refused
from annotation.models import Comment, Membership, QuestionAnnotation, Round, TypeAnnotation
from frontend.pages.common import lead_or_refuse, page_of, project_page, query_without_page
from frontend.unit_view import unit_key

ROUNDS_A_PAGE = 20
TOPICS_OFFERED = 200
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
    member = lead_or_refuse(request, slug)
    closed = member.project.rounds.filter(status=Round.Status.CLOSED).order_by("-number")
    page = page_of(request, closed, ROUNDS_A_PAGE)
    rows: list[tuple[Round, AgreementReport | None, QueueProgress | None]] = []
    for round in page:
        report = report_current(round=round).report
        rows.append((round, report, queue_progress(report, member) if report else None))
    return project_page(request, "disagreements.html", member, tab="disagreements", page=page, rows=rows)


@login_required
@require_GET
def round_disagreements(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """List a round's disputed units, most disputed first, by type, pair, pattern, topic and state."""
    member = lead_or_refuse(request, slug)
    round = access.round_or_404(member, number)
    report = closed_round_report(round)
    if report is None:
        return project_page(
            request, "round_disagreements.html", member, tab="disagreements", round=round, report=None
        )
    units = filtered_units(report, member, request.GET)
    page = page_of(request, units)
    spoken = round.comments.filter(act=Comment.Act.SAY, item__in=[unit.item_id for unit in page]).values_list(
        "item", "type_code", "question"
    )
    counts: dict[tuple[int, str, int | None], int] = {}
    for key in spoken:
        counts[key] = counts.get(key, 0) + 1
    return project_page(
        request,
        "round_disagreements.html",
        member,
        tab="disagreements",
        round=round,
        report=report,
        page=page,
        query=query_without_page(request),
        progress=queue_progress(report, member),
        rows=[
            {
                "unit": unit,
                "key": unit_key(unit.type_code, unit.question_id),
                "comments": counts.get((unit.item_id, unit.type_code, unit.question_id), 0),
            }
            for unit in page
        ],
        **_filters(round, report, request.GET),
    )


def filtered_units(report: AgreementReport, member: Membership, asked: Any) -> QuerySet[DisputedUnit]:
    """Return the disputed units that the filters of an address leave, with `decided` and `taken`."""
    units = with_state(report.disputed_units.select_related("item", "question"), member)
    if asked.get("type"):
        units = units.filter(type_code=asked["type"])
    if asked.get("topic"):
        units = units.filter(item__topic=asked["topic"])
    if asked.get("pattern"):
        units = units.filter(pk__in=_with_pattern(report, asked["pattern"]))
    first, _, second = asked.get("pair", "").partition("~")
    if first and second:
        units = units.filter(_differ(report.round, first, second))
    state = asked.get("state", "")
    if state == "waiting":
        units = units.exclude(why="").filter(decided=False)
    elif state == "decided":
        units = units.filter(decided=True)
    elif state == "settled":
        units = units.filter(why="", decided=False)
    return units.order_by("-disputed", "id")


def _pattern(votes: list[list[Any]]) -> str:
    """Return votes as people say them: yes 2, no 1."""
    return ", ".join(f"{answer} {n}" for answer, n in votes)


def _with_pattern(report: AgreementReport, pattern: str) -> list[int]:
    kinds = report.disputed_units.order_by().values_list("votes", flat=True).distinct()
    wanted = [votes for votes in kinds if _pattern(votes) == pattern]
    return list(report.disputed_units.filter(votes__in=wanted).values_list("pk", flat=True))


def _differ(round: Round, first: str, second: str) -> Q:
    """Return the condition that two annotators, by pseudonym, answered a unit differently."""
    if round.project.protocol == "focus":
        of_unit = {"assignment__item": OuterRef("item"), "type_code": OuterRef("type_code")}
        rows: QuerySet[Any] = TypeAnnotation.objects.all()
        field = "applicable"
        values: list[Any] = [True, False]
    else:
        of_unit = {"question": OuterRef("question")}
        rows, field, values = QuestionAnnotation.objects.all(), "label", ["USE", "UN", "IN"]
    rows = rows.filter(assignment__round=round, assignment__repeat=False, **of_unit)
    differ = Q()
    for value in values:
        left = rows.filter(assignment__member__pseudonym=first, **{field: value})
        others = [other for other in values if other != value]
        right = rows.filter(assignment__member__pseudonym=second, **{f"{field}__in": others})
        differ |= Q(Exists(left) & Exists(right))
    return differ


def _filters(round: Round, report: AgreementReport, asked: Any) -> dict[str, Any]:
    voted = report.disputed_units.order_by().values_list("votes").annotate(n=Count("id"))
    patterns = {_pattern(votes): n for votes, n in voted}
    figures = report.figures or {"annotators": []}
    names = [person["pseudonym"] for person in figures["annotators"]][:ANNOTATORS_OFFERED]
    topics = (
        round.project.items.exclude(topic="").order_by("topic").values_list("topic", flat=True).distinct()
    )
    of_type = report.disputed_units.exclude(type_code="").order_by().values("type_code")
    return {
        "types": list(of_type.annotate(n=Count("id")).order_by("type_code")),
        "patterns": sorted(patterns.items(), key=lambda entry: (-entry[1], entry[0]))[:PATTERNS_OFFERED],
        "pairs": [f"{a}~{b}" for place, a in enumerate(names) for b in names[place + 1 :]],
        "topics": list(topics[:TOPICS_OFFERED]),
        "asked": {key: asked.get(key, "") for key in ("type", "topic", "pattern", "pair", "state")},
    }


@login_required
@require_POST
def adjudicate_next(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Claim the most disputed unit that waits and go there; back to the list when none is left."""
    member = lead_or_refuse(request, slug)
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
    page = page_of(request, discussed_units(round, mentioning=member if mine else None))
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
        "discussion.html",
        member,
        tab="disagreements" if member.is_lead else "project",
        round=round,
        page=page,
        rows=rows,
        mine=mine,
        query=query_without_page(request),
    )
