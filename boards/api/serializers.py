"""What the API of boards takes and gives."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request

from scoring.evaluation.json_file import MOST_BYTES


class BoardFilesSerializer(serializers.Serializer[Any]):
    files = serializers.ListField(
        child=serializers.FileField(allow_empty_file=True),
        help_text=f"The template, filled in; each a run of the system, of at most {MOST_BYTES // 10**6} MB.",
    )


class EntryInputSerializer(BoardFilesSerializer):
    name = serializers.CharField(help_text="Of the system, as it stands on the board.")
    line = serializers.CharField(required=False, default="", allow_blank=True)
    link = serializers.CharField(required=False, default="", allow_blank=True)
    trained_on_validation = serializers.BooleanField(required=False, default=False)
    may_be_shown = serializers.BooleanField(
        required=False, default=False, help_text="It may stand on the public board."
    )


class CheckedSerializer(serializers.Serializer[Any]):
    accepted = serializers.BooleanField()
    items = serializers.IntegerField(help_text="Items of the split, all of which the file answers.")


class HandedInSerializer(serializers.Serializer[Any]):
    """What its team said of a submission, and the day (UTC) it counts for."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    line = serializers.CharField()
    link = serializers.CharField()
    trained_on_validation = serializers.BooleanField()
    may_be_shown = serializers.BooleanField()
    day = serializers.DateField()


class EntrySerializer(HandedInSerializer):
    state = serializers.CharField(help_text="queued, running, done or failed.")
    queue = serializers.IntegerField(allow_null=True, help_text="Its place in the queue: 1 is next.")
    counted = serializers.BooleanField(help_text="Not where its scoring failed on the server's side.")
    withdrawn = serializers.BooleanField()
    hidden = serializers.CharField(allow_blank=True, help_text="Why the organisers hid it.")
    figures = serializers.JSONField(allow_null=True, help_text="What the board's feedback tells of it.")
    why = serializers.CharField(
        allow_null=True, help_text="Why no figures are told: not_better or after_the_close."
    )


class DescribedSerializer(serializers.Serializer[Any]):
    """What a team says about a submission, and may change."""

    name = serializers.CharField(allow_blank=True, help_text="Of the system, as it stands on the board.")
    line = serializers.CharField(allow_blank=True)
    link = serializers.CharField(allow_blank=True)
    may_be_shown = serializers.BooleanField(help_text="It may stand on the public board.")


class TeamInputSerializer(serializers.Serializer[Any]):
    team = serializers.CharField(allow_blank=True, help_text="Its name, as it stands on the board.")


class TeamSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    members = serializers.ListField(child=serializers.CharField())
    handed_in_today = serializers.IntegerField(help_text="Submissions that count, today in UTC.")
    handed_in = serializers.IntegerField(help_text="Submissions that count, in all.")
    left_today = serializers.IntegerField()
    left = serializers.IntegerField()


def version_asked(request: Request) -> int | None:
    """Return the version of a board that `?version=` names, None for the newest."""
    asked = request.query_params.get("version", "")
    return int(asked[:9]) if asked.isdecimal() else None
