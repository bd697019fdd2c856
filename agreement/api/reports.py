"""The API of agreement: each view checks who asks, calls one use case, and shows what it gave back."""

from __future__ import annotations

from datetime import datetime
from typing import Any, TypedDict

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, extend_schema_serializer
from rest_framework import serializers, status
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request
from rest_framework.response import Response

from agreement.adjudication.queue import disputed_units, unit_json
from agreement.computation.requests import (
    CurrentReport,
    figures_readable,
    report_current,
    report_shown,
    report_visible,
)
from agreement.display.chart_files import CHARTS, ChartMissing, chart_pdf, chart_svg
from agreement.display.cross_files import CrossMissing, cross_csv, cross_latex, cross_of, cross_svg
from agreement.display.csv_latex import LATEX_DEFAULT, TableRefused, change_csv, figures_csv, latex_table
from agreement.display.sample_size import PLANNED, clean_plan, plan_report
from agreement.models import AgreementReport, DisputedUnit
from agreement.report.comparison import change_conditions
from agreement.report.figures import CrosscheckFigures, ReportFigures, ShownChange, ShownCrossTable
from agreement.tasks import report_start
from annotation import access
from annotation.api.projects import REFUSALS, MemberView
from annotation.models import Membership, Round
from core.canonical_json import canonical_json
from core.errors import NotFound, Refused


class ReportSerializer(serializers.Serializer[Any]):
    """The state of a round's report; `figures` only where one is finished."""

    @extend_schema_serializer(component_name="ReportProgress")
    class ProgressSerializer(serializers.Serializer[Any]):
        done = serializers.IntegerField()
        total = serializers.IntegerField()

    state = serializers.ChoiceField(["none", *AgreementReport.State.values])
    progress = ProgressSerializer(allow_null=True)
    error = serializers.CharField(allow_blank=True)
    out_of_date = serializers.BooleanField()
    parameters = serializers.DictField(allow_null=True)
    digest = serializers.CharField(allow_blank=True)
    computed_at = serializers.DateTimeField(allow_null=True)
    crosscheck = serializers.ChoiceField(AgreementReport.Crosscheck.values)
    crosscheck_result = serializers.DictField()
    change = serializers.DictField()
    figures = serializers.DictField(allow_null=True)


class QueueUnitSerializer(serializers.Serializer[Any]):
    @extend_schema_serializer(component_name="QueueUnitVote")
    class VoteSerializer(serializers.Serializer[Any]):
        answer = serializers.CharField()
        n = serializers.IntegerField()

    item = serializers.CharField()
    type = serializers.CharField(allow_null=True)
    question = serializers.IntegerField(allow_null=True)
    question_text = serializers.CharField(allow_null=True)
    why = serializers.ChoiceField(DisputedUnit.Why.values)
    disputed = serializers.FloatField()
    votes = VoteSerializer(many=True)


class ReportView(MemberView):
    """A view of a round's report: for leads, and only where the round shows its agreement."""

    reader: Membership
    """Who asks, once `round` has let them in."""

    def round(self, request: Request, slug: str, number: int) -> Round:
        self.reader = self.member(request, slug, lead=True)
        found = access.round_or_404(self.reader, number)
        report_visible(member=self.reader, round=found)
        return found


class ReportApi(ReportView):
    @extend_schema_serializer(component_name="ReportInput")
    class InputSerializer(serializers.Serializer[Any]):
        replicates = serializers.IntegerField(required=False)
        seed = serializers.IntegerField(required=False)
        span_match = serializers.FloatField(required=False)

    @extend_schema(responses={200: ReportSerializer, **REFUSALS})
    def get(self, request: Request, slug: str, number: int) -> Response:
        """Show the newest report of a round and whether it is still that of the judgements."""
        current = report_current(round=self.round(request, slug, number))
        return Response(_report_json(current, self.reader))

    @extend_schema(request=InputSerializer, responses={202: ReportSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Compute the report of the judgements as they are now; asking twice is asking once."""
        found = self.round(request, slug, number)
        if not isinstance(request.data, dict):
            raise Refused("invalid", 'Send the parameters of a report as an object, such as {"seed": 7}.')
        report_start(round=found, parameters=request.data)
        return Response(
            _report_json(report_current(round=found), self.reader), status=status.HTTP_202_ACCEPTED
        )


class QueueApi(ReportView):
    class Pagination(PageNumberPagination):
        page_size = 50
        page_size_query_param = "page_size"
        max_page_size = 500

    pagination_class = Pagination

    @extend_schema(
        parameters=[
            OpenApiParameter("type", str, description="Only this type, by its code."),
            OpenApiParameter("why", str, enum=["undecided", "no_gold_span", "reason_open"]),
            OpenApiParameter("all", bool, description="Also the units that a majority has settled."),
            OpenApiParameter("page", int),
            OpenApiParameter("page_size", int),
        ],
        responses={200: QueueUnitSerializer(many=True), **REFUSALS},
        operation_id="rounds_report_queue",
    )
    def get(self, request: Request, slug: str, number: int) -> Response:
        """List what waits for adjudication, most disputed first."""
        report = finished_report(self.round(request, slug, number))
        query = request.query_params
        units = disputed_units(
            report,
            member=self.reader,
            types=query.getlist("type"),
            why=query.get("why", ""),
            only_queue=query.get("all", "").lower() not in ("1", "true"),
        )
        pages = self.Pagination()
        # By their keys: the pages before are passed over in an index, without what is joined.
        page = pages.paginate_queryset(units.values_list("pk", flat=True), request, view=self) or []
        found = units.in_bulk(page)
        return pages.get_paginated_response([unit_json(found[key]) for key in page])


class PlanApi(ReportView):
    @extend_schema_serializer(component_name="ItemsNeeded")
    class OutputSerializer(serializers.Serializer[Any]):
        key = serializers.CharField()
        code = serializers.CharField()
        name = serializers.CharField()
        n_items = serializers.IntegerField(help_text="Items that the figure is of.")
        width = serializers.FloatField(allow_null=True, help_text="Of the interval from these items.")
        more = serializers.IntegerField(allow_null=True, help_text="Items it takes beyond those.")
        reason = serializers.CharField(allow_null=True, help_text="Why there is no such number.")

    @extend_schema(
        parameters=[
            OpenApiParameter("width", float, required=True, description="Above 0 and up to 2."),
            OpenApiParameter("coefficient", str, enum=PLANNED, default=PLANNED[0]),
        ],
        responses={200: OutputSerializer(many=True), **REFUSALS},
        operation_id="rounds_report_plan",
    )
    def get(self, request: Request, slug: str, number: int) -> Response:
        """Say how many more items each type needs until its interval is narrower than `width`."""
        report = finished_report(self.round(request, slug, number))
        asked = clean_plan(request.query_params.dict())
        return Response(plan_report(report, asked))


class FiguresJsonApi(ReportView):
    @extend_schema(responses={200: OpenApiResponse(dict[str, Any], "Canonical JSON.")})
    def get(self, request: Request, slug: str, number: int) -> HttpResponse:
        """Download every figure as canonical JSON: the same judgements give the same bytes."""
        figures = figures_readable(finished_report(self.round(request, slug, number)), self.reader)
        return file_response(canonical_json(figures), "application/json", slug, number, "json")


class FiguresCsvApi(ReportView):
    @extend_schema(responses={(200, "text/csv"): str})
    def get(self, request: Request, slug: str, number: int) -> HttpResponse:
        """Download every figure as CSV, one a row."""
        figures = figures_readable(finished_report(self.round(request, slug, number)), self.reader)
        # Excel on Windows takes a file without the mark for another encoding.
        return file_response("\ufeff" + figures_csv(figures), "text/csv", slug, number, "csv")


class ChangeCsvApi(ReportView):
    @extend_schema(responses={(200, "text/csv"): str, **REFUSALS}, operation_id="rounds_report_change_csv")
    def get(self, request: Request, slug: str, number: int) -> HttpResponse:
        """Download how agreement moved since the round before as CSV, with the conditions in every row."""
        report = finished_report(self.round(request, slug, number))
        change = _change_json(report)
        if not change:
            raise NotFound("No closed round came before this one, so there is no change.")
        return file_response(
            change_csv(report.figures, change), "text/csv", slug, number, "csv", part="change"
        )


class LatexApi(ReportView):
    @extend_schema(
        parameters=[
            OpenApiParameter("rows", str, description="Keys of sections with commas between; all if absent."),
            OpenApiParameter("columns", str, description="Names of columns with commas between."),
        ],
        responses={(200, "application/x-tex"): str},
    )
    def get(self, request: Request, slug: str, number: int) -> HttpResponse:
        """Download a LaTeX table (booktabs) with chosen rows and columns."""
        found = self.round(request, slug, number)
        rows = [name for name in request.query_params.get("rows", "").split(",") if name]
        columns = [name for name in request.query_params.get("columns", "").split(",") if name]
        try:
            text = latex_table(finished_report(found).figures, rows=rows, columns=columns or LATEX_DEFAULT)
        except TableRefused as refused:
            raise Refused("invalid", f"This table cannot be made: {refused}.") from None
        return file_response(text, "application/x-tex", slug, number, "tex")


_CROSS = [
    OpenApiParameter("field", str, description="Of the items; without it the one that the page opens on."),
    OpenApiParameter("whose", str, description="Whose answers.", default="consensus"),
]


class _CrossView(ReportView):
    def cross(self, request: Request, slug: str, number: int) -> tuple[Round, ReportFigures, ShownCrossTable]:
        """Return the round, its figures and the table that is asked for."""
        found = self.round(request, slug, number)
        figures: ReportFigures = finished_report(found).figures
        query = request.query_params
        try:
            return found, figures, cross_of(figures, query.get("field", ""), query.get("whose", "consensus"))
        except CrossMissing as missing:
            raise NotFound(str(missing)) from None


class CrossCsvApi(_CrossView):
    @extend_schema(
        parameters=_CROSS, responses={(200, "text/csv"): str, **REFUSALS}, operation_id="rounds_cross_csv"
    )
    def get(self, request: Request, slug: str, number: int) -> HttpResponse:
        """Download answers by a field of the items as CSV."""
        *_, table = self.cross(request, slug, number)
        return file_response(cross_csv(table), "text/csv", slug, number, "csv", part="cross")


class CrossLatexApi(_CrossView):
    @extend_schema(
        parameters=_CROSS,
        responses={(200, "application/x-tex"): str, **REFUSALS},
        operation_id="rounds_cross_latex",
    )
    def get(self, request: Request, slug: str, number: int) -> HttpResponse:
        """Download answers by a field of the items as a LaTeX table (booktabs)."""
        *_, table = self.cross(request, slug, number)
        return file_response(cross_latex(table), "application/x-tex", slug, number, "tex", part="cross")


class CrossSvgApi(_CrossView):
    @extend_schema(
        parameters=_CROSS,
        responses={(200, "image/svg+xml"): str, **REFUSALS},
        operation_id="rounds_cross_svg",
    )
    def get(self, request: Request, slug: str, number: int) -> HttpResponse:
        """Download answers by a field of the items as a chart in SVG."""
        round, figures, table = self.cross(request, slug, number)
        svg = cross_svg(figures, table, title=round.name)
        return file_response(svg, "image/svg+xml", slug, number, "svg", part="cross")


class CrossPdfApi(_CrossView):
    @extend_schema(
        parameters=_CROSS,
        responses={(200, "application/pdf"): OpenApiTypes.BINARY, **REFUSALS},
        operation_id="rounds_cross_pdf",
    )
    def get(self, request: Request, slug: str, number: int) -> HttpResponse:
        """Download answers by a field of the items as a chart in PDF."""
        round, figures, table = self.cross(request, slug, number)
        pdf = chart_pdf(cross_svg(figures, table, title=round.name))
        return file_response(pdf, "application/pdf", slug, number, "pdf", part="cross")


_CHART = [OpenApiParameter("name", str, OpenApiParameter.PATH, enum=list(CHARTS))]


class ChartSvgApi(ReportView):
    @extend_schema(
        parameters=_CHART,
        responses={(200, "image/svg+xml"): str, **REFUSALS},
        operation_id="rounds_chart_svg",
    )
    def get(self, request: Request, slug: str, number: int, name: str) -> HttpResponse:
        """Download a chart of the report as SVG."""
        svg = _chart(self.round(request, slug, number), name)
        return file_response(svg, "image/svg+xml", slug, number, "svg", part=name)


class ChartPdfApi(ReportView):
    @extend_schema(
        parameters=_CHART,
        responses={(200, "application/pdf"): OpenApiTypes.BINARY, **REFUSALS},
        operation_id="rounds_chart_pdf",
    )
    def get(self, request: Request, slug: str, number: int, name: str) -> HttpResponse:
        """Download a chart of the report as PDF, on one page of its size."""
        svg = _chart(self.round(request, slug, number), name)
        return file_response(chart_pdf(svg), "application/pdf", slug, number, "pdf", part=name)


def _chart(round: Round, name: str) -> str:
    report = finished_report(round)
    try:
        change = _change_json(report) if name == "change" else {}
        return chart_svg(name, report.figures, change, title=round.name, guideline=round.codebook.version)
    except ChartMissing as missing:
        raise NotFound(str(missing)) from None


def finished_report(round: Round) -> AgreementReport:
    report = report_current(round=round).report
    if report is None:
        raise NotFound("The report of this round is not computed yet.")
    return report


class Progress(TypedDict):
    """How far a worker is."""

    done: int
    total: int


class ReportAnswer(TypedDict):
    """What the API says of a round's report, finished or not; its keys are those of `ReportSerializer`."""

    state: str
    progress: Progress | None
    error: str
    out_of_date: bool
    parameters: dict[str, Any] | None
    digest: str
    computed_at: datetime | None
    crosscheck: str
    crosscheck_result: CrosscheckFigures
    change: ShownChange
    figures: ReportFigures | None


def _report_json(current: CurrentReport, reader: Membership) -> ReportAnswer:
    report, shown = current.report, report_shown(current)
    under_way = current.pending
    return {
        "state": shown.state if shown else "none",
        "progress": (
            {"done": under_way.progress_done, "total": under_way.progress_total} if under_way else None
        ),
        "error": current.failed.error if current.failed else "",
        "out_of_date": current.out_of_date,
        "parameters": report.parameters if report else None,
        "digest": report.digest if report else "",
        "computed_at": report.computed_at if report else None,
        "crosscheck": report.crosscheck if report else AgreementReport.Crosscheck.UNCHECKED,
        "crosscheck_result": report.crosscheck_result if report else {},
        "change": _change_json(report) if report else {},
        "figures": figures_readable(report, reader) if report else None,
    }


def _change_json(report: AgreementReport) -> ShownChange:
    """Return a report's change with its conditions, without which no difference leaves the server."""
    conditions = change_conditions(report)
    change: ShownChange = report.change
    return {**change, "conditions": conditions.to_json()} if conditions else {}


def file_response(
    content: str | bytes, content_type: str, slug: str, number: int, suffix: str, *, part: str = ""
) -> HttpResponse:
    charset = "; charset=utf-8" if isinstance(content, str) else ""
    response = HttpResponse(content, content_type=f"{content_type}{charset}")
    name = f"{slug}-round-{number}-agreement{f'-{part}' if part else ''}.{suffix}"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
