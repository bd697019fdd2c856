"""The API of annotators' competence: asked for on a finished report, for leads."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from agreement.api.reports import ReportView, file_response, finished_report
from agreement.computation.competence import competence_current, posteriors_text
from agreement.display.competence import competence_csv
from agreement.models import CompetenceEstimate
from agreement.tasks import competence_start
from annotation.access import kept_from
from annotation.api.projects import REFUSALS
from core.errors import NotFound, Refused


class CompetenceSerializer(serializers.Serializer[Any]):
    """The state of an estimate; `result` only where it is done."""

    state = serializers.ChoiceField(["none", *CompetenceEstimate.State.values])
    error = serializers.CharField(allow_blank=True)
    result = serializers.DictField(allow_null=True)


class CompetenceApi(ReportView):
    @extend_schema(responses={200: CompetenceSerializer, **REFUSALS}, operation_id="rounds_competence")
    def get(self, request: Request, slug: str, number: int) -> Response:
        """Show the competence of the annotators of the newest report, beside what the majority says."""
        report = finished_report(self.round(request, slug, number))
        return Response(_json(competence_current(report)))

    @extend_schema(
        request=None, responses={202: CompetenceSerializer, **REFUSALS}, operation_id="rounds_competence_ask"
    )
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Have the competence computed by Dawid-Skene and MACE; asking twice is asking once."""
        report = finished_report(self.round(request, slug, number))
        return Response(_json(competence_start(report=report)), status=status.HTTP_202_ACCEPTED)


class CompetenceCsvApi(ReportView):
    @extend_schema(responses={(200, "text/csv"): str, **REFUSALS}, operation_id="rounds_competence_csv")
    def get(self, request: Request, slug: str, number: int) -> HttpResponse:
        """Download the competence of each annotator in each table as CSV."""
        estimate = _done(self, request, slug, number)
        return file_response(
            "\ufeff" + competence_csv(estimate.result), "text/csv", slug, number, "csv", part="competence"
        )


class PosteriorsCsvApi(ReportView):
    @extend_schema(responses={(200, "text/csv"): str, **REFUSALS}, operation_id="rounds_posteriors_csv")
    def get(self, request: Request, slug: str, number: int) -> HttpResponse:
        """Download for each unit its votes, its majority and how probable each method finds each answer."""
        estimate = _done(self, request, slug, number)
        if kept_from(self.reader, estimate.report.round):
            raise Refused(
                "not_allowed",
                gettext(
                    "An open round asks you about texts of this round: what others said of them stays hidden "
                    "from you until that round closes."
                ),
            )
        text = "\ufeff" + posteriors_text(estimate)
        return file_response(text, "text/csv", slug, number, "csv", part="posteriors")


def _done(view: ReportView, request: Request, slug: str, number: int) -> CompetenceEstimate:
    report = finished_report(view.round(request, slug, number))
    estimate = CompetenceEstimate.objects.filter(report=report, state=CompetenceEstimate.State.DONE).first()
    if estimate is None:
        raise NotFound(gettext("The competence of these annotators is not computed yet: ask for it first."))
    return estimate


def _json(estimate: CompetenceEstimate | None) -> dict[str, Any]:
    if estimate is None:
        return {"state": "none", "error": "", "result": None}
    return {"state": estimate.state, "error": estimate.error, "result": estimate.result}
