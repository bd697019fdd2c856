"""What the API of evaluations takes and gives, with examples for its documentation."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext
from drf_spectacular.utils import OpenApiExample, extend_schema_serializer
from rest_framework import serializers

from core.api import RefusalSerializer
from scoring.evaluation.focus import SCOPES
from scoring.evaluation.json_file import MOST_BYTES
from scoring.models import Evaluation, SubmissionFile
from scoring.systems.choices import MOST_REPLICATES, MOST_SEED
from scoring.systems.submissions import MOST_RUNS

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


class SubmissionFileSerializer(serializers.ModelSerializer[Any]):
    notes = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()),
        help_text="How the file was read: item, place and words of each note.",
    )

    class Meta:
        model = SubmissionFile
        fields = ["run", "name", "sha256", "size", "items_missing", "notes"]


@extend_schema_serializer(examples=[OpenApiExample("A system scored by chrF", _EXAMPLE, response_only=True)])
class EvaluationSerializer(serializers.ModelSerializer[Any]):
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


class ComparisonSerializer(serializers.Serializer[Any]):
    state = serializers.ChoiceField(["running", "done"])
    figures = serializers.JSONField(
        allow_null=True,
        help_text="`systems`, `pairs` with a paired interval each and, of questions, `methods`, "
        "`correlations` and `diversity`; null until done. See docs/scoring.md.",
    )


class FaultSerializer(serializers.Serializer[Any]):
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
class EvaluationInputSerializer(serializers.Serializer[Any]):
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
    endpoint = serializers.CharField(
        required=False, help_text="model_reference, model_label: one of those that the installation names."
    )
    model = serializers.CharField(required=False, help_text="Its name, as the endpoint knows it.")
    prompt = serializers.CharField(
        required=False, default="", allow_blank=True, help_text="Your own; else that of the CQs-Gen paper."
    )
    temperature = serializers.FloatField(required=False, help_text="0 unless given.")
    max_tokens = serializers.IntegerField(required=False)
    timeout = serializers.IntegerField(required=False, help_text="Seconds that an answer may take.")
    per_minute = serializers.IntegerField(required=False, help_text="Requests a minute.")
    texts_may_leave = serializers.BooleanField(
        required=False, default=False, help_text="You confirm that texts may be sent to the endpoint."
    )

    def validate_files(self, files: list[Any]) -> list[Any]:
        for file in files:
            if file.size > MOST_BYTES:
                words = gettext("%(name)s is larger than %(n)s MB: submit fewer items.")
                raise serializers.ValidationError(words % {"name": file.name, "n": MOST_BYTES // 10**6})
        return files
