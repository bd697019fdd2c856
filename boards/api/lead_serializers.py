"""What the API of boards takes from leads and shows to them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from boards.api.serializers import HandedInSerializer
from boards.models import Board
from scoring.systems.choices import MOST_SEED

_METHODS = "CQs-Gen: chrf:40, sts:0.65 or exact, the first of which ranks."


class SettingsSerializer(serializers.Serializer[Any]):
    """What shapes a board; `boards.life.boards.settings_checked` has the rules."""

    title = serializers.CharField(allow_blank=True, help_text="Stands above the board.")
    description = serializers.CharField(
        required=False, default="", allow_blank=True, help_text="Markdown: the task, whom to ask."
    )
    feedback = serializers.ChoiceField(
        Board.Feedback.choices, default="better", help_text="What a team reads of its submissions."
    )
    entrance = serializers.ChoiceField(
        Board.Entrance.choices, default="invited", help_text="Who may hand in."
    )
    per_day = serializers.IntegerField(default=1, help_text="Submissions of a team a day (UTC).")
    in_all = serializers.IntegerField(default=10, help_text="Submissions of a team in all.")
    most_runs = serializers.IntegerField(default=1, help_text="Files a submission, each a run.")
    closes_at = serializers.DateTimeField(
        required=False, allow_null=True, default=None, help_text="null: when a lead closes it."
    )


class RankingSerializer(serializers.Serializer[Any]):
    """What a board ranks by."""

    release = serializers.CharField(help_text="The version of a release that is built.")
    split = serializers.CharField(required=False, default="", allow_blank=True)
    methods = serializers.ListField(
        child=serializers.CharField(max_length=100),
        required=False,
        default=list,
        max_length=20,
        help_text=_METHODS,
    )
    scope = serializers.CharField(
        required=False, default="", allow_blank=True, help_text="FOCUS: decided or all."
    )
    replicates = serializers.IntegerField(required=False, default=1000, help_text="Of each interval.")
    seed = serializers.IntegerField(required=False, default=1, min_value=0, max_value=MOST_SEED)


class BoardInputSerializer(RankingSerializer, SettingsSerializer):
    name = serializers.CharField(help_text="The last word of its address, for good.")


class VersionSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    release = serializers.CharField()
    split = serializers.CharField()
    methods = serializers.ListField(child=serializers.CharField())
    scope = serializers.CharField(allow_blank=True)
    replicates = serializers.IntegerField()
    seed = serializers.IntegerField()
    engine = serializers.IntegerField(help_text="The version of the arithmetic.")
    items = serializers.IntegerField()
    state = serializers.CharField(help_text="Of its trivial rows: queued, running, done or failed.")
    waiting = serializers.IntegerField(help_text="Submissions that are still to be scored for it.")
    created_at = serializers.DateTimeField()


class LeadBoardSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    title = serializers.CharField()
    description = serializers.CharField()
    state = serializers.ChoiceField(Board.State.choices)
    feedback = serializers.CharField()
    entrance = serializers.CharField()
    per_day = serializers.IntegerField()
    in_all = serializers.IntegerField()
    most_runs = serializers.IntegerField()
    closes_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()
    teams = serializers.IntegerField()
    submissions = serializers.IntegerField()
    version = VersionSerializer(allow_null=True, help_text="The newest one, by which it ranks.")


class StateSerializer(serializers.Serializer[Any]):
    state = serializers.ChoiceField(Board.State.choices)


class LeadEntrySerializer(HandedInSerializer):
    team = serializers.CharField()
    state = serializers.CharField(help_text="queued, running, done, failed or cancelled.")
    error = serializers.CharField(allow_blank=True, help_text="Why it has no figures.")
    counted = serializers.BooleanField(help_text="Among the submissions of its team.")
    withdrawn = serializers.BooleanField()
    hidden = serializers.CharField(allow_blank=True, help_text="Why a lead hid it.")
    place = serializers.IntegerField(allow_null=True, help_text="By the exact figures of all.")
    is_better = serializers.BooleanField(
        allow_null=True, help_text="Whether it beat its team’s best by more than chance."
    )
    figures = serializers.JSONField(allow_null=True, help_text="Exact, whatever the board tells others.")
    same_files = serializers.ListField(
        child=serializers.IntegerField(), help_text="Submissions of other teams with a file of this one."
    )


class HideSerializer(serializers.Serializer[Any]):
    reason = serializers.CharField(allow_blank=True, help_text="Its team reads it.")


class ExportSerializer(serializers.Serializer[Any]):
    version = serializers.IntegerField(
        required=False, allow_null=True, default=None, min_value=1, help_text="null: the newest one."
    )
    internal = serializers.BooleanField(
        default=False, help_text="Also what the release keeps inside, its references among it."
    )


class InvitationInputSerializer(serializers.Serializer[Any]):
    note = serializers.CharField(required=False, default="", allow_blank=True, help_text="For leads.")
    days = serializers.IntegerField(required=False, default=30, help_text="For how many days it works.")


class InvitationSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    note = serializers.CharField()
    expires_at = serializers.DateTimeField()
    used = serializers.BooleanField()
    link = serializers.CharField(allow_null=True, help_text="Told once, when it is made.")
