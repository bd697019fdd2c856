"""The API of refinements: leads count what a run would ask, start, watch or cancel it, and reject answers."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.utils.translation import gettext
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import readable
from annotation.api.projects import REFUSALS, MemberView
from core.errors import Refused
from exports.models import QuestionRefinement, RefinementRun
from exports.refinement.candidates import count_sendable, question_example, refinable_selection
from exports.refinement.parameters import RefinementChoices, refinement_choices
from exports.refinement.prompt import fill_prompt
from exports.refinement.runs import (
    outcomes,
    refined_reject,
    refined_restore,
    refinement_cancel,
    refinement_of,
    run_or_404,
)
from exports.selection.refined_questions import refinements_current, refinements_of
from exports.tasks import counting_start, refinement_start


class RefinementRunSerializer(serializers.ModelSerializer[Any]):
    outcomes = serializers.SerializerMethodField()

    class Meta:
        model = RefinementRun
        fields = [
            "number",
            "state",
            "progress_done",
            "progress_total",
            "error",
            "endpoint",
            "model",
            "prompt",
            "temperature",
            "seed",
            "tokens_field",
            "max_tokens",
            "timeout",
            "per_minute",
            "max_questions",
            "again",
            "sources",
            "splits_left_out",
            "outcomes",
            "created_at",
            "finished_at",
        ]

    def get_outcomes(self, run: RefinementRun) -> dict[str, int]:
        return outcomes(run)


class RefinementSerializer(serializers.ModelSerializer[Any]):
    run = serializers.IntegerField(source="run.number")
    item = serializers.CharField(source="item.external_id")
    rejected = serializers.SerializerMethodField()

    class Meta:
        model = QuestionRefinement
        fields = [
            "id",
            "run",
            "item",
            "type_code",
            "start",
            "end",
            "question_template",
            "state",
            "question",
            "reason",
            "model",
            "tries",
            "answered_at",
            "rejected",
        ]

    def get_rejected(self, refinement: QuestionRefinement) -> bool:
        return refinement.rejected_at is not None


class QuestionCountsSerializer(serializers.Serializer[Any]):
    questions = serializers.IntegerField(help_text="Questions of gold spans.")
    refined = serializers.IntegerField(help_text="Of them refined already.")
    not_sent = serializers.IntegerField(help_text="Of sources or splits that are not to be sent.")
    asked = serializers.IntegerField(help_text="That this run would ask.")
    left_over = serializers.IntegerField(help_text="That its limit leaves to another run.")
    example = serializers.CharField(allow_null=True, help_text="One prompt as it would be sent.")


class ChoicesSerializer(serializers.Serializer[Any]):
    choices = serializers.DictField(
        help_text="`endpoint` (one that the installation names), `model` and `sources` (pairs of source and "
        "licence); what else is absent takes its default."
    )

    def checked(self) -> RefinementChoices:
        self.is_valid(raise_exception=True)
        return refinement_choices(self.validated_data["choices"])


class RunInputSerializer(ChoicesSerializer):
    texts_may_leave = serializers.BooleanField(
        default=False, help_text="You confirm that the texts may be sent to this endpoint."
    )


class RefinementRunListApi(MemberView):
    @extend_schema(
        responses={200: RefinementRunSerializer(many=True), **REFUSALS}, operation_id="refinement_runs_list"
    )
    def get(self, request: Request, slug: str) -> Response:
        """List the runs of a project, newest first."""
        member = self.member(request, slug, lead=True)
        runs = member.project.refinement_runs.order_by("-number")
        return Response(RefinementRunSerializer(runs, many=True).data)

    @extend_schema(request=RunInputSerializer, responses={202: RefinementRunSerializer, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        """Start a run. A worker asks the model: look at the run's state until it has ended."""
        member = self.member(request, slug, lead=True)
        given = RunInputSerializer(data=request.data)
        run = refinement_start(
            project=member.project,
            choices=given.checked(),
            texts_may_leave=given.validated_data["texts_may_leave"],
            by=member,
        )
        return Response(RefinementRunSerializer(run).data, status=status.HTTP_202_ACCEPTED)


class RefinementCountsApi(MemberView):
    @extend_schema(request=ChoicesSerializer, responses={200: QuestionCountsSerializer, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        """Count what a run with these choices would ask, with one prompt as sent. Nothing is asked.

        The questions of a large project are counted by a worker: until then the answer is 409 `not_ready`.
        """
        member = self.member(request, slug, lead=True)
        choices = ChoicesSerializer(data=request.data).checked()
        selection = refinable_selection(member.project)
        table = counting_start(selection)
        if table is None:
            raise Refused("not_ready", gettext("The questions are being counted: ask again in a moment."))
        counted = count_sendable(
            table,
            sources=choices.sources,
            again=choices.again,
            max_questions=choices.max_questions,
            splits_left_out=choices.splits_left_out,
        )
        found = question_example(selection, choices) if counted.asked else None
        example = fill_prompt(choices.prompt, found) if found else None
        return Response({**asdict(counted), "example": example})


class RefinementRunApi(MemberView):
    @extend_schema(responses={200: RefinementRunSerializer, **REFUSALS})
    def get(self, request: Request, slug: str, number: int) -> Response:
        """Show a run and how far it is."""
        member = self.member(request, slug, lead=True)
        return Response(RefinementRunSerializer(run_or_404(member.project, number)).data)


class RefinementRunCancelApi(MemberView):
    @extend_schema(request=None, responses={200: RefinementRunSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Cancel a run; what it has stored stays."""
        member = self.member(request, slug, lead=True)
        refinement_cancel(run=run_or_404(member.project, number), by=member)
        return Response(RefinementRunSerializer(run_or_404(member.project, number)).data)


class RefinementListApi(MemberView):
    pagination_class = PageNumberPagination

    @extend_schema(
        parameters=[
            OpenApiParameter("page", int),
            OpenApiParameter("run", int, description="All that this run brought, not only what stands."),
        ],
        responses={200: RefinementSerializer(many=True), **REFUSALS},
        operation_id="refinements_list",
    )
    def get(self, request: Request, slug: str) -> Response:
        """List the refined questions that stand, beside their templates, a page at a time."""
        member = self.member(request, slug, lead=True)
        number = request.query_params.get("run", "")
        if number:
            run = run_or_404(member.project, int(number[:9]) if number.isdecimal() else 0)
            rows = refinements_of(member.project).filter(run=run)
        else:
            rows = refinements_current(member.project)
        pages = self.pagination_class()
        rows = readable(rows, member).order_by("pk")
        page = pages.paginate_queryset(rows, request, view=self)
        return pages.get_paginated_response(RefinementSerializer(page, many=True).data)


class RefinementRejectApi(MemberView):
    @extend_schema(request=None, responses={200: RefinementSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, refinement_id: int) -> Response:
        """Reject a refined question: in releases to come its template stands alone."""
        member = self.member(request, slug, lead=True)
        refined_reject(refinement=refinement_of(member, refinement_id), by=member)
        return Response(RefinementSerializer(refinement_of(member, refinement_id)).data)


class RefinementRestoreApi(MemberView):
    @extend_schema(request=None, responses={200: RefinementSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, refinement_id: int) -> Response:
        """Take the rejection of a refined question back."""
        member = self.member(request, slug, lead=True)
        refined_restore(refinement=refinement_of(member, refinement_id), by=member)
        return Response(RefinementSerializer(refinement_of(member, refinement_id)).data)
