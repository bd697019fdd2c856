"""The API of matching rounds: people say which reference each question of a system asks the same as."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.projects import REFUSALS, MemberView, RoundSerializer, validated
from annotation.limits import characters
from exports.api.releases import release_or_404
from exports.releases.reader_access import refuse_release_while_judging
from scoring.systems.choices import MOST_SEED
from scoring.systems.matching_rounds import MOST_OVERLAP, matching_make, newest_submissions


class MatchingInputSerializer(serializers.Serializer[Any]):
    systems = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        default=list,
        help_text="Names of systems, of each its newest submission for the release; all where none is named.",
    )
    split = serializers.CharField(required=False, allow_null=True, default=None)
    name = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=characters("round", "name"),
        help_text="Annotators read it: name no system in it.",
    )
    overlap = serializers.IntegerField(
        min_value=1, max_value=MOST_OVERLAP, default=2, help_text="Annotators for each text."
    )
    seed = serializers.IntegerField(min_value=0, max_value=MOST_SEED, default=0)


class MatchingMadeSerializer(serializers.Serializer[Any]):
    round = RoundSerializer()
    asked = serializers.IntegerField(help_text="Questions, identical ones once.")
    handed_in = serializers.IntegerField(help_text="Questions that the systems handed in.")
    without = serializers.IntegerField(help_text="Those about texts without references, which are not asked.")


class MatchingRoundsApi(MemberView):
    @extend_schema(
        request=MatchingInputSerializer,
        responses={201: MatchingMadeSerializer, **REFUSALS},
        operation_id="matching_rounds_create",
    )
    def post(self, request: Request, slug: str, version: str) -> Response:
        """Make a draft matching round of systems' newest submissions for a release."""
        member = self.member(request, slug, lead=True)
        release = release_or_404(member, version)
        refuse_release_while_judging(release, member)
        given = validated(MatchingInputSerializer, request)
        chosen = newest_submissions(member.project, release.version, given["systems"], given["split"])
        made = matching_make(
            submissions=chosen,
            name=given["name"],
            overlap=given["overlap"],
            seed=given["seed"],
            by=member,
        )
        return Response(MatchingMadeSerializer(made).data, status=status.HTTP_201_CREATED)
