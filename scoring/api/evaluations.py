"""The API of evaluations: leads hand in a system's files for a release, and read what they are worth."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiResponse,
    extend_schema,
    extend_schema_serializer,
)
from rest_framework import serializers, status
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.projects import REFUSALS, MemberView
from annotation.models import Membership
from core.api import RefusalSerializer, refusal_body
from core.errors import NotFound
from exports.api.releases import release_or_404
from exports.models import Release
from exports.releases.reader_access import refuse_release_while_judging
from scoring.evaluation.focus import SCOPES
from scoring.evaluation.json_file import MOST_BYTES
from scoring.models import Evaluation, SubmissionFile
from scoring.systems.choices import MOST_REPLICATES, MOST_SEED, choices_read
from scoring.systems.evaluations import evaluation_cancel, evaluation_or_404
from scoring.systems.submissions import MOST_RUNS, FilesRefused, HandedIn
from scoring.tasks import answers_start, evaluation_start_again

_FIGURE = {"value": 0.75, "low": 0.6, "high": 0.9, "reason": None, "n": 300}
_EXAMPLE = {
    "id": 7,
    "system": "Parrot-7B",
    "release": "1.0",
    "split": "test",
    "files": [
        {
            "run": 1,
            "name": "run1.json",
            "sha256": "9f86d081…",
            "size": 4210,
            "items_missing": 0,
            "notes": [],
        }
    ],
    "method": "chrf",
    "threshold": 40.0,
    "scope": "",
    "replicates": 1000,
    "seed": 1,
    "parameters": {},
    "engine": 1,
    "release_digest": "2c26b46b…",
    "state": "done",
    "progress_done": 34,
    "progress_total": 34,
    "reason": "",
    "error": "",
    "headline": {"name": "score", **_FIGURE, "runs": 1, "sd": None, "nae": 10},
    "created_at": "2026-11-28T21:00:00Z",
    "finished_at": "2026-11-28T21:00:03Z",
}


class SubmissionFileSerializer(serializers.ModelSerializer):
    notes = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()),
        help_text="How the file was read: item, place and words of each note.",
    )

    class Meta:
        model = SubmissionFile
        fields = ["run", "name", "sha256", "size", "items_missing", "notes"]


@extend_schema_serializer(examples=[OpenApiExample("A system scored by chrF", _EXAMPLE, response_only=True)])
class EvaluationSerializer(serializers.ModelSerializer):
    system = serializers.CharField(source="submission.system.name")
    release = serializers.CharField(source="submission.release.version")
    split = serializers.CharField(source="submission.split")
    files = SubmissionFileSerializer(source="submission.files", many=True)
    headline = serializers.JSONField(
        allow_null=True, help_text="The score with its interval, or its deviation over runs; null until done."
    )
    parameters = serializers.JSONField(help_text="What else shapes the figures: encoder, prompt, model.")
    reason = serializers.CharField(help_text="The code of why there are no figures, such as `no_encoder`.")

    class Meta:
        model = Evaluation
        fields = [
            "id",
            "system",
            "release",
            "split",
            "files",
            "method",
            "threshold",
            "scope",
            "replicates",
            "seed",
            "parameters",
            "engine",
            "release_digest",
            "state",
            "progress_done",
            "progress_total",
            "reason",
            "error",
            "headline",
            "created_at",
            "finished_at",
        ]


class WholeEvaluationSerializer(EvaluationSerializer):
    figures = serializers.JSONField(
        allow_null=True,
        help_text="What `manage.py score --json` prints; null until done. See docs/scoring.md.",
    )

    class Meta(EvaluationSerializer.Meta):
        fields = [*EvaluationSerializer.Meta.fields, "figures"]


class FaultSerializer(serializers.Serializer):
    file = serializers.CharField()
    item = serializers.CharField()
    place = serializers.CharField()
    message = serializers.CharField()


class FilesRefusedSerializer(RefusalSerializer):
    faults = FaultSerializer(many=True, required=False, help_text="At most 50; `more` counts the others.")
    more = serializers.IntegerField(required=False)


@extend_schema_serializer(
    examples=[
        OpenApiExample(
            "Two runs by two methods",
            {
                "system": "Parrot-7B",
                "files": ["(run1.json)", "(run2.json)"],
                "split": "test",
                "methods": ["chrf:40", "exact"],
                "replicates": 1000,
                "seed": 1,
            },
            request_only=True,
            media_type="multipart/form-data",
        )
    ]
)
class EvaluationInputSerializer(serializers.Serializer):
    system = serializers.CharField(
        max_length=200, help_text="Its name: of a system of the project, or a new one."
    )
    description = serializers.CharField(required=False, default="", allow_blank=True, help_text="If new.")
    link = serializers.CharField(required=False, default="", allow_blank=True, help_text="If new.")
    files = serializers.ListField(
        child=serializers.FileField(allow_empty_file=True),
        max_length=MOST_RUNS,
        help_text=f"Each a run of the system, of at most {MOST_BYTES // 10**6} MB.",
    )
    split = serializers.CharField(
        required=False, default="", allow_blank=True, help_text="Left out: the one that has all the items."
    )
    methods = serializers.ListField(
        child=serializers.CharField(max_length=100),
        required=False,
        default=list,
        max_length=20,
        help_text="CQs-Gen: `METHOD` or `METHOD:THRESHOLD`, an evaluation each; chrf:40 where none is named.",
    )
    scope = serializers.ChoiceField(
        SCOPES, required=False, default="", allow_blank=True, help_text="FOCUS: the scope of the headline."
    )
    replicates = serializers.IntegerField(min_value=0, max_value=MOST_REPLICATES, default=1000)
    seed = serializers.IntegerField(min_value=0, max_value=MOST_SEED, default=1)

    def validate_files(self, files: list[Any]) -> list[Any]:
        for file in files:
            if file.size > MOST_BYTES:
                words = gettext("%(name)s is larger than %(n)s MB: submit fewer items.")
                raise serializers.ValidationError(words % {"name": file.name, "n": MOST_BYTES // 10**6})
        return files


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
        asked = choices_read(
            member.project,
            methods=values["methods"],
            scope=values["scope"],
            replicates=values["replicates"],
            seed=values["seed"],
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
