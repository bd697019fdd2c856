"""The API of the figures without each annotator and by field: asked for on a finished report, for leads."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from agreement.api.reports import ReportView, file_response, finished_report
from agreement.computation.influence import influence_current, influence_readable
from agreement.display.influence import influence_csv, influence_latex
from agreement.models import InfluenceFigures
from agreement.tasks import influence_start
from annotation.api.projects import REFUSALS
from annotation.models import Membership
from core.errors import NotFound


class InfluenceSerializer(serializers.Serializer[Any]):
    """The state of the figures; `result` only where they are done."""

    state = serializers.ChoiceField(["none", *InfluenceFigures.State.values])
    error = serializers.CharField(allow_blank=True)
    result = serializers.DictField(allow_null=True)


class InfluenceApi(ReportView):
    @extend_schema(responses={200: InfluenceSerializer, **REFUSALS}, operation_id="rounds_influence")
    def get(self, request: Request, slug: str, number: int) -> Response:
        """Show every coefficient without each annotator, and by each field of the items."""
        report = finished_report(self.round(request, slug, number))
        return Response(_json(influence_current(report), self.reader))

    @extend_schema(
        request=None, responses={202: InfluenceSerializer, **REFUSALS}, operation_id="rounds_influence_ask"
    )
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Have the figures without each annotator computed; asking twice is asking once."""
        report = finished_report(self.round(request, slug, number))
        return Response(_json(influence_start(report=report), self.reader), status=status.HTTP_202_ACCEPTED)


class InfluenceCsvApi(ReportView):
    @extend_schema(responses={(200, "text/csv"): str, **REFUSALS}, operation_id="rounds_influence_csv")
    def get(self, request: Request, slug: str, number: int) -> HttpResponse:
        """Download every figure without each annotator, and by field, as CSV, one a row."""
        text = "\ufeff" + influence_csv(_done(self, request, slug, number))
        return file_response(text, "text/csv", slug, number, "csv", part="influence")


class InfluenceLatexApi(ReportView):
    @extend_schema(
        responses={(200, "application/x-tex"): str, **REFUSALS}, operation_id="rounds_influence_latex"
    )
    def get(self, request: Request, slug: str, number: int) -> HttpResponse:
        """Download alpha without each annotator, and by field, as a LaTeX table (booktabs)."""
        text = influence_latex(_done(self, request, slug, number))
        return file_response(text, "application/x-tex", slug, number, "tex", part="influence")


def _done(view: ReportView, request: Request, slug: str, number: int) -> dict[str, Any]:
    report = finished_report(view.round(request, slug, number))
    found = influence_current(report)
    if found is None or found.state != InfluenceFigures.State.DONE:
        raise NotFound(
            gettext("The figures without each annotator are not computed yet: ask for them first.")
        )
    return influence_readable(found, view.reader)


def _json(found: InfluenceFigures | None, reader: Membership) -> dict[str, Any]:
    if found is None:
        return {"state": "none", "error": "", "result": None}
    result = None if found.result is None else influence_readable(found, reader)
    return {"state": found.state, "error": found.error, "result": result}
