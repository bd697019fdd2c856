"""The API of topics: looked for, read, named and applied."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.projects import REFUSALS, MemberView, validated
from assist.models import TopicModel
from assist.tasks import topics_start
from assist.topics.suggesting import topics_apply, topics_newest, topics_or_404, topics_shown
from core.errors import NotFound


class TopicsFindSerializer(serializers.Serializer[Any]):
    topics = serializers.IntegerField(default=7, min_value=-(2**31), max_value=2**31 - 1)
    seed = serializers.IntegerField(default=1, min_value=-(2**63), max_value=2**63 - 1)
    method = serializers.CharField(default="nmf", max_length=20, help_text="nmf or lda")


class TopicsApplySerializer(serializers.Serializer[Any]):
    names = serializers.ListField(
        child=serializers.CharField(allow_blank=True, max_length=1000),
        help_text="One a topic, in their order; an empty one leaves its texts as they are.",
    )


def topics_json(model: TopicModel) -> dict[str, Any]:
    """Return a search for topics as programs read it."""
    return {
        "id": model.pk,
        "state": model.state,
        "error": model.error,
        "method": model.method,
        "seed": model.seed,
        "applied_at": model.applied_at,
        "topics": [
            {
                **{name: topic[name] for name in ("number", "words", "n", "name")},
                "items": [text["external_id"] for text in topic["texts"]],
            }
            for topic in topics_shown(model)
        ],
    }


class TopicsApi(MemberView):
    @extend_schema(responses={200: OpenApiTypes.OBJECT, **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """Show the topics that were looked for last, or how far that is."""
        found = topics_newest(self.member(request, slug, lead=True).project)
        if found is None:
            raise NotFound(gettext("No topics were looked for in this project yet."))
        return Response(topics_json(found))

    @extend_schema(request=TopicsFindSerializer, responses={202: OpenApiTypes.OBJECT, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        """Look for topics. A worker does: look at the state until it has ended."""
        member = self.member(request, slug, lead=True)
        given = validated(TopicsFindSerializer, request)
        model = topics_start(project=member.project, by=member, **given)
        return Response(topics_json(model), status=status.HTTP_202_ACCEPTED)


class TopicsApplyApi(MemberView):
    @extend_schema(request=TopicsApplySerializer, responses={200: OpenApiTypes.OBJECT, **REFUSALS})
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Make the named topics those of the items; what a round or a release has stays."""
        member = self.member(request, slug, lead=True)
        model = topics_or_404(member.project, number)
        names = validated(TopicsApplySerializer, request)["names"]
        changed, kept = topics_apply(model=model, names=names, by=member)
        return Response({"changed": changed, "kept": kept})
