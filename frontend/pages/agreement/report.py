"""The agreement of a round: its overview, the state of its computing, and the units behind its numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseClientRefresh

from agreement.adjudication.against_decisions import agreement_with_decisions
from agreement.adjudication.answers import Answer, judged_units
from agreement.adjudication.queue import UnitView, disputed_units, units_of, units_view
from agreement.computation.competence import competence_current, is_without_library
from agreement.computation.influence import influence_current, influence_readable
from agreement.computation.requests import ReportHidden, figures_readable, report_current, report_visible
from agreement.display import overview
from agreement.display import tables as detail_tables
from agreement.display.cells import Notes, number
from agreement.display.competence import competence_table
from agreement.display.cross_files import cross_fields
from agreement.display.highlighting import Segment, excerpt_bounds, segments
from agreement.display.influence import influence_tables
from agreement.display.sample_size import PLANNED, PlanRefused, clean_plan, plan_report
from agreement.display.suggestions import suggestion_tables
from agreement.display.tables import crosscheck_table, crosscheck_whys
from agreement.display.wording import (
    COEFFICIENTS,
    LABEL_SIGNS,
    SIMILARITIES,
    WHY,
    bertscore_note,
    changed_since,
    reason_text,
)
from agreement.models import AgreementReport
from agreement.report.comparison import change_conditions
from agreement.report.conditions import conditions_brief, conditions_words
from agreement.report.cross_tables import WHOSE
from agreement.report.figures import GroupFigures, ReportFigures, SectionFigures
from agreement.tasks import competence_start, influence_start, report_start
from annotation import access
from annotation.models import Membership, Round
from annotation.rounds.asked_types import asked_words
from frontend.decorators import login_required
from frontend.middleware import refusals_as_notices
from frontend.pages.common import lead_or_403, page_of, project_page, query_without_page
from frontend.pages.jobs import job_progress, report_shown
from frontend.unit_view import same_as

PATTERNS = 6
"""How many kinds of underline the stylesheet has; with more annotators they repeat, and the name tells."""

UNITS_A_PAGE = 20
NOTED = ("people", "pairs", "coefficients", "spans", "change", "influence", "suggestions")
"""The tables of a report that have notes below them."""
OF_ONE_MIND = "not disputed"


@login_required
@require_GET
def agreement(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show where the annotators of a round disagree; leads only, and never while the round is blind."""
    member, round = _lead_and_round(request, slug, number)
    try:
        report_visible(member=member, round=round)
    except ReportHidden as hidden:
        return project_page(
            request, "agreement/hidden.html", member, tab="project", round=round, hidden=hidden
        )
    current = report_current(round=round, whole=True)
    context: dict[str, Any] = {"round": round, "current": current, "guideline": round.codebook.version}
    if current.pending:
        context["shown"] = report_shown(current.pending, round)
    if current.report:
        context |= _report_context(request, member, round, current.report)
    return project_page(request, "agreement/report.html", member, tab="project", **context)


@login_required
@require_GET
def agreement_status(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Return the progress alone, which the page asks for while a report is under way; reload it when done."""
    member, round = _lead_and_round(request, slug, number)
    report_visible(member=member, round=round)
    current = report_current(round=round)
    if current.pending is None:
        return HttpResponseClientRefresh()
    return job_progress(request, report_shown(current.pending, round))


@login_required
@require_POST
def agreement_compute(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Have the report computed from the judgements as they are now."""
    member, round = _lead_and_round(request, slug, number)
    report_visible(member=member, round=round)
    cluster = request.POST.get("cluster")
    if cluster is None:
        # Computing again keeps what the report was resampled by.
        shown = report_current(round=round).report
        cluster = shown.parameters.get("cluster") if shown else None
    with refusals_as_notices(request):
        report = report_start(round=round, parameters={"cluster": cluster} if cluster else None)
        if report.state == AgreementReport.State.DONE:
            messages.info(request, gettext("The report is that of the judgements as they are."))
    return redirect("agreement", slug, number)


@login_required
@require_POST
def agreement_competence(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Have the competence of the report's annotators computed."""
    member, round = _lead_and_round(request, slug, number)
    report_visible(member=member, round=round)
    report = report_current(round=round).report
    if report is not None:
        with refusals_as_notices(request):
            competence_start(report=report)
    return redirect(f"{reverse('agreement', args=[slug, number])}#competence")


@login_required
@require_POST
def agreement_influence(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Have the report's figures without each annotator computed."""
    member, round = _lead_and_round(request, slug, number)
    report_visible(member=member, round=round)
    report = report_current(round=round).report
    if report is not None:
        with refusals_as_notices(request):
            influence_start(report=report)
    return redirect(f"{reverse('agreement', args=[slug, number])}#influence")


@login_required
@require_GET
def agreement_units(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """List the disputed units behind the numbers: ?type= of one type, ?show= queue or all."""
    member, round = _lead_and_round(request, slug, number)
    report_visible(member=member, round=round)
    report = report_current(round=round).report
    if report is None or report.parameters["live"]:
        return redirect("agreement", slug, number)
    types = [section for section in report.figures["sections"] if section["kind"] == "type"]
    known = {section["code"] for section in types}
    chosen = [code for code in request.GET.getlist("type") if code in known]
    group = request.GET.get("group", "")
    if group:
        chosen = [section["code"] for section in types if section["group"] == group]
    section = next((found for found in types if [found["code"]] == chosen), None)
    only_queue = request.GET.get("show") == "queue"
    show_all = request.GET.get("show") == "all" and (section is not None or not types)
    if show_all:
        page = page_of(request, judged_units(round, member, section["code"] if section else ""), UNITS_A_PAGE)
        found = units_of(report, list(page), section["code"] if section else "")
    else:
        disputed = disputed_units(report, member=member, types=chosen, only_queue=only_queue)
        page = page_of(request, disputed, UNITS_A_PAGE)
        found = list(page.object_list)
    return project_page(
        request,
        "agreement/units.html",
        member,
        tab="project",
        round=round,
        report=report,
        types=types,
        chosen=chosen[0] if len(chosen) == 1 else "",
        section=section,
        of_one_mind=section["n_items"] - section["queue"]["disputed"] if section else 0,
        only_queue=only_queue,
        n_kept=len(access.kept_from(member, round)),
        show_all=show_all,
        page=page,
        query=query_without_page(request),
        units=_shown(report, units_view(report, found)),
    )


WHO_SHOWN = 40
"""Annotators of a report that are named below its table."""


def _lead_and_round(request: HttpRequest, slug: str, number: int) -> tuple[Membership, Round]:
    member = lead_or_403(request, slug)
    return member, access.round_or_404(member, number)


def _report_context(
    request: HttpRequest, member: Membership, round: Round, report: AgreementReport
) -> dict[str, Any]:
    figures = figures_readable(report, member)
    fields = cross_fields(figures["cross"])
    field = request.GET.get("field", "")
    field = field if field in fields else next(iter(fields), "")
    whose = request.GET.get("whose", "")
    named: list[str] = next((table.get("annotators", []) for table in figures["cross"]), [])
    whose = whose if whose in (*WHOSE, *named) else WHOSE[-1]
    notes = {key: Notes(key) for key in NOTED}
    coefficient_heads, coefficient_rows = detail_tables.coefficient_table(figures, notes["coefficients"])
    stacked_heads, stacked_rows = detail_tables.stacked_table(figures, notes["coefficients"])
    most_disputed = disputed_units(report, member=member, only_queue=True)[:1]
    conditions = change_conditions(report)
    estimate = None if report.parameters["live"] else competence_current(report)
    influence = None if report.parameters["live"] else influence_current(report)
    return {
        "estimate": estimate,
        "estimate_table": competence_table(estimate.result) if estimate and estimate.result else None,
        "estimate_again": bool(estimate and (estimate.state == "failed" or is_without_library(estimate))),
        "influence": influence,
        "influence_tables": influence_tables(influence_readable(influence, member), notes["influence"])
        if influence and influence.result
        else None,
        "report": report,
        "suggested": suggestion_tables(figures, notes["suggestions"]),
        "cluster_fields": _cluster_fields(figures),
        "asked": asked_words(round.asked) if round.asked else "",
        "notes": notes,
        "crosscheck_rows": crosscheck_table(report.crosscheck_result),
        "crosscheck_whys": crosscheck_whys(report.crosscheck_result),
        "figures": figures,
        "cards": overview.cards(figures, report.change),
        "conditions": conditions_words(conditions) if conditions else [],
        "conditions_brief": conditions_brief(conditions) if conditions else "",
        "again_after_discussion": bool(conditions and conditions.again_after_discussion),
        "overview": overview.overview(figures),
        "coefficient_heads": coefficient_heads,
        "coefficient_rows": coefficient_rows,
        "stacked_heads": stacked_heads,
        "stacked_rows": stacked_rows,
        "sets_rows": detail_tables.sets_table(figures, notes["coefficients"]),
        "changed_since": changed_since(figures),
        "span_heads": detail_tables.span_headers(figures),
        "bertscore_note": bertscore_note(figures),
        "encoder_missing": bool(figures.get("encoder", {}).get("reason")),
        "span_rows": detail_tables.span_table(figures, notes["spans"]),
        "against_rows": detail_tables.against_table(figures, notes["spans"]),
        "item_means_rows": detail_tables.item_means_table(figures, notes["spans"]),
        "item_means_heads": list(SIMILARITIES.values()),
        "against_heads": detail_tables.against_headers(figures),
        "n_similarities": len(SIMILARITIES),
        "change_heads": detail_tables.CHANGE_HEADERS,
        "change_rows": detail_tables.change_table(figures, report.change, notes["change"]),
        "answers": detail_tables.applicability(figures),
        "people": _people(report, notes["people"]) if figures["annotators"] else None,
        "who": _who(round, figures),
        "matrix": detail_tables.pair_matrix(figures, notes["pairs"]),
        "cross": detail_tables.cross_table(figures, field, whose),
        "cross_fields": fields,
        "n_kept": len(access.kept_from(member, round)),
        "cross_query": "?" + urlencode({"field": field, "whose": whose}),
        "plan": _plan(request, report),
        "whose": whose,
        "whose_choices": WHOSE,
        "most_disputed": next(iter(_shown(report, units_view(report, most_disputed))), None),
    }


def _cluster_fields(figures: ReportFigures) -> list[str]:
    """Return the fields that may name a cluster for each item; what is asked for is checked in full."""
    whole = figures["n_items_drawn"]
    return [table["field"] for table in figures["cross"] if sum(table["n_items"]) == whole]


def _who(round: Round, figures: ReportFigures) -> list[tuple[str, str]]:
    """Return pseudonym and name of the annotators of a report, for leads alone; none of a crowd."""
    pseudonyms = [person["pseudonym"] for person in figures["annotators"]]
    if len(pseudonyms) > WHO_SHOWN:
        return []
    members = round.project.memberships.filter(pseudonym__in=pseudonyms).select_related("user")
    names = {
        member.pseudonym: member.user.get_username() if member.user else member.private_name
        for member in members
    }
    return [(pseudonym, names[pseudonym]) for pseudonym in pseudonyms if names.get(pseudonym)]


def _people(report: AgreementReport, notes: Notes) -> dict[str, Any]:
    return detail_tables.annotator_table(report.figures, notes, agreement_with_decisions(report))


def _plan(request: HttpRequest, report: AgreementReport) -> dict[str, Any]:
    """Return the form that asks how many more items are needed, and the answer where it was asked."""
    given = request.GET.dict()
    chosen = given.get("coefficient") if given.get("coefficient") in PLANNED else PLANNED[0]
    plan: dict[str, Any] = {
        "width": given.get("width", "0.2"),
        "chosen": chosen,
        "choices": [(name, COEFFICIENTS[name]) for name in PLANNED],
        "rows": [],
        "errors": {},
    }
    if "width" not in given:
        return plan
    try:
        asked = clean_plan(given)
        found = plan_report(report, asked)
    except PlanRefused as refused:
        return plan | {"errors": refused.errors}
    rows = [
        {
            **row,
            "width": number(row["width"]),
            "name": overview.section_name({"key": row["key"], "name": row["name"]}),
            "why": gettext(reason_text(row["reason"])),
        }
        for row in found
    ]
    return plan | {"rows": rows, "coefficient": COEFFICIENTS[asked.coefficient]}


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """An answer beside the number of the underline that marks its span; `label` is its code in CQs-Gen."""

    answer: Answer
    name: str
    label: str
    pattern: int
    gold: bool


@dataclass(frozen=True, slots=True)
class ShownUnit:
    """A disputed unit ready to be shown: the text in pieces, and who answered what."""

    view: UnitView
    type_name: str
    hue: str
    letter: str
    why: str
    votes: list[str]
    pieces: list[tuple[Segment, list[str]]]
    cut_before: bool
    cut_after: bool
    answers: list[ShownAnswer]
    rows: int


def _shown(report: AgreementReport, views: list[UnitView]) -> list[ShownUnit]:
    sections = {section["code"]: section for section in report.figures["sections"]}
    groups = {group["key"]: group for group in report.figures["groups"]}
    everybody = [person["pseudonym"] for person in report.figures["annotators"]]
    names = overview.answer_names(report.figures)
    return [_shown_unit(view, sections, groups, everybody, names) for view in views]


def _shown_unit(
    view: UnitView,
    sections: dict[str, SectionFigures],
    groups: dict[str, GroupFigures],
    everybody: list[str],
    names: dict[str, str],
) -> ShownUnit:
    names = names | {one.answer: same_as(one.reference) for one in view.answers if one.reference}
    section = sections.get(view.unit.type_code)
    group = groups.get(section["group"] or "") if section else None
    # A small team keeps its underlines on every unit; of a crowd each unit has others.
    team = everybody if len(everybody) <= PATTERNS else [answer.pseudonym for answer in view.answers]
    pattern_of = {name: place % PATTERNS for place, name in enumerate(team)}
    gold = {member for span in view.spans if span.kind == "gold" for member in span.members}
    text = view.unit.item.text
    spans = [
        (place, answer.start, answer.end)
        for place, answer in enumerate(view.answers)
        if answer.start is not None and answer.end is not None
    ]
    low, high = excerpt_bounds(text, spans) if spans else (0, min(len(text), 600))
    cut = [(place, start - low, end - low) for place, start, end in spans]
    patterns = [pattern_of.get(answer.pseudonym, 0) for answer in view.answers]
    return ShownUnit(
        view=view,
        type_name=section["name"] if section else "",
        hue=group["hue"] if group else "",
        letter=group["letter"] if group else "",
        why=gettext(WHY[view.unit.why] if view.unit.pk else OF_ONE_MIND),
        votes=[f"{number} {names.get(answer, answer)}" for answer, number in _votes(view)],
        pieces=[
            (
                Segment(piece.text, tuple(patterns[place] for place in piece.by), piece.starts),
                [view.answers[place].pseudonym for place in piece.starts],
            )
            for piece in segments(text[low:high], cut)
        ],
        cut_before=low > 0,
        cut_after=high < len(text),
        answers=[
            ShownAnswer(
                answer,
                _answer_name(answer, names),
                _label_of(answer),
                patterns[place],
                answer.member_id in gold,
            )
            for place, answer in enumerate(view.answers)
        ],
        rows=max(patterns, default=0) + 1,
    )


def _votes(view: UnitView) -> list[tuple[str, int]]:
    """Count the answers themselves, reasons apart, most votes first."""
    counts = Counter(answer.answer for answer in view.answers)
    return sorted(counts.items(), key=lambda vote: (-vote[1], vote[0]))


def _label_of(answer: Answer) -> str:
    return answer.answer if answer.answer in LABEL_SIGNS else ""


def _answer_name(answer: Answer, names: dict[str, str]) -> str:
    name = names.get(answer.answer, answer.answer)
    return f"{name}: {names.get(answer.reason, answer.reason)}" if answer.reason else name
