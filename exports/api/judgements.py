"""The API of raw judgements: leads download those of closed rounds without building a release."""

from __future__ import annotations

from typing import Any, ClassVar

from django.http import StreamingHttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from annotation.api.projects import REFUSALS, MemberView
from exports.files.raw_judgements import Format, judgements_export

_ROUND = OpenApiParameter(
    "round", int, description="One closed round by its number. Absent: all but training and matching rounds."
)


class _JudgementsApi(MemberView):
    format: ClassVar[Format]
    media_type: ClassVar[str]

    class AskedSerializer(serializers.Serializer[Any]):
        round = serializers.IntegerField(required=False, min_value=1, max_value=2**31 - 1)

    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        member = self.member(request, slug, lead=True)
        asked = self.AskedSerializer(data=request.query_params)
        asked.is_valid(raise_exception=True)
        number = asked.validated_data.get("round")
        pieces = judgements_export(project=member.project, format=self.format, number=number, by=member)
        response = StreamingHttpResponse(pieces, content_type=f"{self.media_type}; charset=utf-8")
        part = "judgements" if number is None else f"round-{number}-judgements"
        response.headers["Content-Disposition"] = f'attachment; filename="{slug}-{part}.{self.format}"'
        response.headers["Cache-Control"] = "no-store"
        return response


class JudgementsCsvApi(_JudgementsApi):
    format = "csv"
    media_type = "text/csv"

    @extend_schema(
        parameters=[_ROUND], responses={(200, "text/csv"): str, **REFUSALS}, operation_id="judgements_csv"
    )
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        """Download the judgements of closed rounds as CSV, one a row, by pseudonym. Leads only."""
        return super().get(request, slug)


class JudgementsLinesApi(_JudgementsApi):
    format = "jsonl"
    media_type = "application/jsonl"

    @extend_schema(
        parameters=[_ROUND],
        responses={(200, "application/jsonl"): str, **REFUSALS},
        operation_id="judgements_jsonl",
    )
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        """Download the judgements of closed rounds as JSON Lines, one a line, by pseudonym. Leads only."""
        return super().get(request, slug)
