"""The API of evaluations: leads hand in a system's files for a release, and read what they are worth."""

from __future__ import annotations

from django.db.models import QuerySet
from django.utils.translation import gettext
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import status
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.projects import REFUSALS, MemberView
from annotation.models import Membership
from core.api import refusal_body
from core.errors import NotFound
from exports.api.releases import release_or_404
from exports.models import Release
from exports.releases.reader_access import refuse_release_while_judging
from scoring.api.serializers import (
    ComparisonSerializer,
    EvaluationInputSerializer,
    EvaluationSerializer,
    FilesRefusedSerializer,
    WholeEvaluationSerializer,
)
from scoring.models import Evaluation
from scoring.systems.choices import read_choices
from scoring.systems.comparing import comparison_stored, evaluations_chosen
from scoring.systems.evaluations import evaluation_cancel, evaluation_or_404
from scoring.systems.judging import DEFAULTS
from scoring.systems.submissions import FilesRefused, HandedIn
from scoring.tasks import answers_start, comparison_start, evaluation_start_again


class EvaluationListApi(MemberView):
    parser_classes = (MultiPartParser,)

    @extend_schema(
        responses={200: EvaluationSerializer(many=True), **REFUSALS},
        operation_id="evaluations_list",
    )
    def get(self, request: Request, slug: str, version: str) -> Response:
        """List the evaluations against a release, newest first."""
        release = _release(self.member(request, slug, lead=True), version)
        rows = _evaluations(release).defer("figures")
        return Response(EvaluationSerializer(rows, many=True).data)

    @extend_schema(
        request={"multipart/form-data": EvaluationInputSerializer},
        responses={
            202: EvaluationSerializer(many=True),
            **REFUSALS,
            422: OpenApiResponse(FilesRefusedSerializer, "A rule is broken, or rows of files (`faults`)."),
        },
        operation_id="evaluations_create",
    )
    def post(self, request: Request, slug: str, version: str) -> Response:
        """Hand in a system's files and have them scored, an evaluation a method.

        The files are checked whole at once: where one row is refused nothing is stored. Workers score them:
        look at each evaluation's state until it has ended.
        """
        member = self.member(request, slug, lead=True)
        release = _release(member, version)
        given = EvaluationInputSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        values = given.validated_data
        asked = read_choices(
            member.project,
            methods=values["methods"],
            scope=values["scope"],
            replicates=values["replicates"],
            seed=values["seed"],
            judge={name: values[name] for name in DEFAULTS if name in values and name != "seed"},
            prompt=values["prompt"],
            texts_may_leave=values["texts_may_leave"],
        )
        try:
            made = answers_start(
                release=release,
                system=values["system"],
                description=values["description"],
                link=values["link"],
                files=[HandedIn(file.name or "", file.read()) for file in values["files"]],
                split=values["split"] or None,
                asked=asked,
                by=member,
            )
        except FilesRefused as refusal:
            body = {
                **refusal_body(refusal),
                "faults": [fault._asdict() for fault in refusal.faults],
                "more": refusal.more,
            }
            return Response(body, status=status.HTTP_422_UNPROCESSABLE_ENTITY)
        rows = _evaluations(release).filter(pk__in=[one.pk for one in made]).order_by("pk")
        return Response(EvaluationSerializer(rows, many=True).data, status=status.HTTP_202_ACCEPTED)


class ComparisonApi(MemberView):
    @extend_schema(
        parameters=[
            OpenApiParameter(
                "evaluation", int, many=True, description="Two to ten evaluations that are done."
            )
        ],
        responses={200: ComparisonSerializer, 202: ComparisonSerializer, **REFUSALS},
        operation_id="evaluations_compare",
    )
    def get(self, request: Request, slug: str, version: str) -> Response:
        """Compare evaluations against the same split; 202 while a worker does: ask again until it is 200."""
        member = self.member(request, slug, lead=True)
        release = _release(member, version)
        keys = [int(key) for key in request.query_params.getlist("evaluation") if key.isdecimal()]
        chosen = evaluations_chosen(member.project, keys)
        if any(one.submission.release_id != release.pk for one in chosen):
            raise NotFound(gettext("There is no such evaluation in this project."))
        found = comparison_stored(chosen)
        if found is None:
            comparison_start(chosen)
            return Response({"state": "running", "figures": None}, status=status.HTTP_202_ACCEPTED)
        return Response({"state": "done", "figures": found})


class EvaluationApi(MemberView):
    @extend_schema(
        responses={200: WholeEvaluationSerializer, **REFUSALS}, operation_id="evaluations_retrieve"
    )
    def get(self, request: Request, slug: str, version: str, evaluation_id: int) -> Response:
        """Show an evaluation: its state, why it has no figures, or its figures."""
        member = self.member(request, slug, lead=True)
        evaluation = _evaluation(member, version, evaluation_id)
        return Response(WholeEvaluationSerializer(evaluation).data)


class EvaluationCancelApi(MemberView):
    @extend_schema(request=None, responses={200: EvaluationSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, version: str, evaluation_id: int) -> Response:
        """Cancel an evaluation that waits or runs. It can be asked for again."""
        member = self.member(request, slug, lead=True)
        evaluation = _evaluation(member, version, evaluation_id)
        evaluation_cancel(evaluation=evaluation, by=member)
        return Response(EvaluationSerializer(evaluation).data)


class EvaluationAgainApi(MemberView):
    @extend_schema(request=None, responses={202: EvaluationSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, version: str, evaluation_id: int) -> Response:
        """Score the same files again, by the version and the encoder of now; the old figures stay."""
        member = self.member(request, slug, lead=True)
        again = evaluation_start_again(evaluation=_evaluation(member, version, evaluation_id), by=member)
        return Response(EvaluationSerializer(again).data, status=status.HTTP_202_ACCEPTED)


def _release(member: Membership, version: str) -> Release:
    release = release_or_404(member, version)
    refuse_release_while_judging(release, member)
    return release


def _evaluations(release: Release) -> QuerySet[Evaluation]:
    return (
        Evaluation.objects.filter(submission__release=release)
        .select_related("submission__system", "submission__release")
        .prefetch_related("submission__files")
    )


def _evaluation(member: Membership, version: str, evaluation_id: int) -> Evaluation:
    release = _release(member, version)
    evaluation = evaluation_or_404(member.project, evaluation_id)
    if evaluation.submission.release_id != release.pk:
        raise NotFound(gettext("There is no such evaluation in this project."))
    return evaluation
