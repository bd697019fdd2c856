"""The API of runs: leads see what one would send, start, watch, cancel and resume it, read its answers."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import refuse_while_judging
from annotation.api.projects import REFUSALS, MemberView
from assist.api.listed import LISTED
from assist.filtering.checking import SHARE, context_check_figures, context_check_make
from assist.filtering.marking import filter_mark, filter_take_back, marks_of
from assist.models import AssistAnswer, AssistRun, ContextCheck
from assist.runs.parameters import run_choices
from assist.runs.results import (
    answers_in_order,
    answers_of,
    answers_shown,
    run_summary,
    submission_bytes,
)
from assist.runs.runs import run_cancel, run_or_404, run_preview
from assist.tasks import run_start, run_start_again

CHOICES = (
    "`task`, `model`, `sources` (names, or pairs of source and licence: their texts may be sent), and where "
    "they are not the defaults `endpoint`, `prompt`, `examples` (objects with an `id` and an `answer`), "
    "`items` (ids), `budget_requests`, `budget_tokens`, `temperature`, `seed`, `max_tokens`, `tokens_field`, "
    "`timeout`, `per_minute`, `again`. Each wrong one is refused with its name."
)


class BudgetSerializer(serializers.Serializer[Any]):
    budget_requests = serializers.IntegerField(required=False, allow_null=True, default=None)
    budget_tokens = serializers.IntegerField(required=False, allow_null=True, default=None)


class CheckInputSerializer(serializers.Serializer[Any]):
    passed = serializers.IntegerField(default=100, help_text="How many of the texts that passed.")
    share = serializers.FloatField(
        default=SHARE, help_text="Of those that were refused, above 0 and up to 1."
    )
    seed = serializers.IntegerField(default=0, min_value=0, max_value=2**63 - 1)


class AnswerSerializer(serializers.ModelSerializer[Any]):
    item = serializers.CharField(source="item.external_id")

    class Meta:
        model = AssistAnswer
        fields = [
            *("id", "item", "variant", "state", "raw", "found", "label", "problem", "reason", "ending"),
            *(
                "model",
                "prompt_tokens",
                "completion_tokens",
                "seconds",
                "tries",
                "answered_at",
                "prompt_sha256",
            ),
        ]


def shown(run: AssistRun) -> dict[str, Any]:
    """Return a run as the API shows it."""
    return {
        **run_summary(run),
        "sources": run.sources,
        "prompts": run.prompts,
        "fixed": run.fixed,
        "examples": run.examples,
        "temperature": run.temperature,
        "seed": run.seed,
        "max_tokens": run.max_tokens,
        "again": run.again,
        "applied_at": run.applied_at,
        "created_at": run.created_at,
        "finished_at": run.finished_at,
    }


class RunListApi(MemberView):
    @extend_schema(responses={200: LISTED, **REFUSALS}, operation_id="assist_runs_list")
    def get(self, request: Request, slug: str) -> Response:
        """List the runs of a project, newest first."""
        member = self.member(request, slug, lead=True)
        return Response([run_summary(run) for run in member.project.assist_runs.order_by("-number")[:100]])

    @extend_schema(
        request=OpenApiTypes.OBJECT, responses={202: OpenApiTypes.OBJECT, **REFUSALS}, description=CHOICES
    )
    def post(self, request: Request, slug: str) -> Response:
        """Start a run. A worker asks the model: look at the run's state until it has ended."""
        member = self.member(request, slug, lead=True)
        choices = run_choices(member.project, given_in(request))
        run = run_start(project=member.project, choices=choices, by=member)
        return Response(shown(run), status=status.HTTP_202_ACCEPTED)


class RunPreviewApi(MemberView):
    @extend_schema(
        request=OpenApiTypes.OBJECT, responses={200: OpenApiTypes.OBJECT, **REFUSALS}, description=CHOICES
    )
    def post(self, request: Request, slug: str) -> Response:
        """Say how many texts a run would send, of which sources, its first prompt and the tokens."""
        member = self.member(request, slug, lead=True)
        choices = run_choices(member.project, given_in(request))
        return Response(run_preview(project=member.project, choices=choices))


class RunApi(MemberView):
    @extend_schema(responses={200: OpenApiTypes.OBJECT, **REFUSALS})
    def get(self, request: Request, slug: str, number: int) -> Response:
        """Show a run, how far it is and what came of it."""
        member = self.member(request, slug, lead=True)
        return Response(shown(run_or_404(member.project, number)))


class RunCancelApi(MemberView):
    @extend_schema(request=None, responses={200: OpenApiTypes.OBJECT, **REFUSALS})
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Cancel a run; what it has stored stays."""
        member = self.member(request, slug, lead=True)
        run_cancel(run=run_or_404(member.project, number), by=member)
        return Response(shown(run_or_404(member.project, number)))


class RunResumeApi(MemberView):
    @extend_schema(request=BudgetSerializer, responses={202: OpenApiTypes.OBJECT, **REFUSALS})
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Let a run that stopped go on, with a higher budget where it is used up."""
        member = self.member(request, slug, lead=True)
        run = run_or_404(member.project, number)
        given = BudgetSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        run_start_again(run=run, by=member, **given.validated_data)
        return Response(shown(run_or_404(member.project, number)), status=status.HTTP_202_ACCEPTED)


class RunAnswersApi(MemberView):
    @extend_schema(
        parameters=[OpenApiParameter("page", int), OpenApiParameter("label", str)],
        responses={200: AnswerSerializer(many=True), **REFUSALS},
        operation_id="assist_answers_list",
    )
    def get(self, request: Request, slug: str, number: int) -> Response:
        """List the answers that count for a run, but for texts that you judge now; a page at a time."""
        member = self.member(request, slug, lead=True)
        label = request.query_params.get("label", "")
        keys = answers_shown(run_or_404(member.project, number), member, label)
        pages = PageNumberPagination()
        page = pages.paginate_queryset(keys, request, view=self)
        return pages.get_paginated_response(AnswerSerializer(answers_in_order(page or []), many=True).data)


class RunSubmissionApi(MemberView):
    @extend_schema(responses={200: OpenApiTypes.OBJECT, **REFUSALS})
    def get(self, request: Request, slug: str, number: int) -> Response:
        """Return the answers of a baseline as a system's file."""
        member = self.member(request, slug, lead=True)
        run = run_or_404(member.project, number)
        refuse_while_judging(member, answers_of(run).values("item"))
        return Response(json.loads(submission_bytes(run)))


class RunCheckApi(MemberView):
    @extend_schema(responses={200: OpenApiTypes.OBJECT, **REFUSALS})
    def get(self, request: Request, slug: str, number: int) -> Response:
        """Show the rounds in which people look at a sample of a filter, with its figures once they close."""
        member = self.member(request, slug, lead=True)
        run = run_or_404(member.project, number)
        return Response([check_shown(check) for check in run.checks.select_related("round", "run__project")])

    @extend_schema(request=CheckInputSerializer, responses={201: OpenApiTypes.OBJECT, **REFUSALS})
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Draw a sample of what a filter passed and refused into a draft round for two people."""
        member = self.member(request, slug, lead=True)
        run = run_or_404(member.project, number)
        given = CheckInputSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        check = context_check_make(run=run, by=member, **given.validated_data)
        return Response(check_shown(check), status=status.HTTP_201_CREATED)


class RunMarksApi(MemberView):
    @extend_schema(responses={200: OpenApiTypes.OBJECT, **REFUSALS})
    def get(self, request: Request, slug: str, number: int) -> Response:
        """Say how many items a filter marks as filtered, and how many insufficient ones nothing marks."""
        member = self.member(request, slug, lead=True)
        return Response(marks_of(run_or_404(member.project, number)))

    @extend_schema(request=None, responses={200: OpenApiTypes.OBJECT, **REFUSALS})
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Mark what a filter found insufficient: new rounds leave it out unless they include it."""
        member = self.member(request, slug, lead=True)
        run = run_or_404(member.project, number)
        filter_mark(run=run, by=member)
        return Response(marks_of(run))

    @extend_schema(request=None, responses={200: OpenApiTypes.OBJECT, **REFUSALS})
    def delete(self, request: Request, slug: str, number: int) -> Response:
        """Take the marks of a filter back."""
        member = self.member(request, slug, lead=True)
        run = run_or_404(member.project, number)
        filter_take_back(run=run, by=member)
        return Response(marks_of(run))


def check_shown(check: ContextCheck) -> dict[str, Any]:
    """Return a check as the API shows it; which texts the filter passed is told nowhere."""
    figures = context_check_figures(check)
    return {
        "round": check.round.number,
        "status": check.round.status,
        "passed_drawn": len(check.passed),
        "refused_drawn": len(check.refused),
        "passed_total": check.passed_total,
        "refused_total": check.refused_total,
        "precision": asdict(figures.precision) if figures else None,
        "recall": asdict(figures.recall) if figures else None,
    }


def given_in(request: Request) -> dict[str, Any]:
    """Return the object that a request has; an empty one for anything else."""
    return dict(request.data) if isinstance(request.data, dict) else {}
