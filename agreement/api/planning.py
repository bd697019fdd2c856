"""The API of planning a study before there is any data."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from agreement.display.study_size import clean_study, plan_study
from annotation.api.projects import REFUSALS, MemberView


class StudyPlanApi(MemberView):
    @extend_schema_serializer(component_name="StudyPlan")
    class OutputSerializer(serializers.Serializer[Any]):
        alpha = serializers.FloatField()
        prevalence = serializers.FloatField()
        raters = serializers.IntegerField()
        width_wanted = serializers.FloatField()
        assurance = serializers.FloatField()
        n_texts = serializers.IntegerField(allow_null=True, help_text="Null where most_texts are too few.")
        reached = serializers.FloatField(help_text="Share of studies narrow enough, without a caution.")
        low = serializers.FloatField(allow_null=True, help_text="Median lower limit.")
        high = serializers.FloatField(allow_null=True, help_text="Median upper limit.")
        width = serializers.FloatField(allow_null=True, help_text="Median width.")
        cautioned = serializers.FloatField(help_text="Share of studies with a caution or no interval.")
        most_texts = serializers.IntegerField()
        seed = serializers.IntegerField()

    @extend_schema(
        parameters=[
            OpenApiParameter("alpha", float, required=True, description="Expected; 0 to below 1."),
            OpenApiParameter("prevalence", float, required=True, description="Expected share of yes."),
            OpenApiParameter("raters", int, required=True, description="Annotators for each text."),
            OpenApiParameter("width", float, required=True, description="From limit to limit."),
            OpenApiParameter("assurance", float, description="Share of studies.", default=0.8),
        ],
        responses={200: OutputSerializer, **REFUSALS},
        operation_id="projects_study_plan",
    )
    def get(self, request: Request, slug: str) -> Response:
        """Say how many texts give an interval of alpha narrower than `width`, by simulation."""
        self.member(request, slug, lead=True)
        return Response(plan_study(clean_study(request.query_params.dict())))
