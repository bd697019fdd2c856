"""The API of candidate questions: schemes filled, questions kept, edited or dropped, and made."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import refuse_while_judging, visible_items
from annotation.api.projects import REFUSALS, MemberView
from annotation.models import Item, Membership
from assist.api.listed import LISTED
from assist.candidates.proposals import (
    filling_questions,
    is_preselected,
    proposals_collect,
    proposals_decide,
    proposals_near,
    questions_make,
)
from assist.candidates.schemes import catalogue, filling_confirm, scheme_questions
from assist.models import ProposedQuestion, Scheme
from assist.runs.runs import run_or_404
from core.errors import NotFound


class DecisionSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    state = serializers.ChoiceField(ProposedQuestion.State.choices)
    text = serializers.CharField(required=False, allow_blank=True, default="")


class DecisionsSerializer(serializers.Serializer[Any]):
    decisions = DecisionSerializer(many=True)


class SchemeFillSerializer(serializers.Serializer[Any]):
    scheme = serializers.CharField(help_text="The id of a scheme.")
    slots = serializers.DictField(child=serializers.CharField(), help_text="Words by slot, as `<eventA>`.")


class MakeSerializer(serializers.Serializer[Any]):
    items = serializers.ListField(
        child=serializers.CharField(), required=False, allow_null=True, default=None
    )
    seed = serializers.IntegerField(default=0, min_value=-(2**63), max_value=2**63 - 1)


def item_of(member: Membership, item_id: int) -> Item:
    """Return an item of the member's project. Raises NotFound, and Refused while they judge it."""
    found = visible_items(member.project).filter(pk=item_id).first()
    if found is None:
        raise NotFound(gettext("There is no such item in this project."))
    refuse_while_judging(member, [item_id])
    return found


def candidates_shown(item: Item) -> dict[str, Any]:
    """Return the candidate questions of an item, near repeats together."""
    rows = list(item.proposed_questions.all())
    return {
        "item": item.external_id,
        "groups": [
            [
                {
                    "id": row.pk,
                    "external_id": row.external_id,
                    "origin": row.origin,
                    "text": row.text,
                    "edited": row.edited,
                    "state": row.state,
                    "made": row.question_id is not None,
                    "preselected": is_preselected(row, group),
                }
                for row in group.proposals
            ]
            for group in proposals_near(rows)
        ],
    }


class CollectApi(MemberView):
    @extend_schema(request=None, responses={200: OpenApiTypes.OBJECT, **REFUSALS})
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Take in what a run proposes: candidate questions, or words for schemes."""
        member = self.member(request, slug, lead=True)
        return Response({"proposed": proposals_collect(run_or_404(member.project, number))})


class SchemeListApi(MemberView):
    @extend_schema(responses={200: LISTED, **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """List the schemes of argument that this installation knows."""
        self.member(request, slug, lead=True)
        catalogue()
        return Response(
            [
                {
                    "id": scheme.code,
                    "name": scheme.name,
                    "aliases": scheme.aliases,
                    "slots": scheme.slots,
                    "form": {"premises": scheme.premises, "conclusion": scheme.conclusion},
                    "questions": scheme.questions,
                }
                for scheme in Scheme.objects.all()
            ]
        )


class CandidatesApi(MemberView):
    @extend_schema(responses={200: OpenApiTypes.OBJECT, **REFUSALS})
    def get(self, request: Request, slug: str, item_id: int) -> Response:
        """Show the candidate questions of an item, near repeats together with one preselected."""
        return Response(candidates_shown(item_of(self.member(request, slug, lead=True), item_id)))

    @extend_schema(request=DecisionsSerializer, responses={200: OpenApiTypes.OBJECT, **REFUSALS})
    def post(self, request: Request, slug: str, item_id: int) -> Response:
        """Keep, edit or drop candidate questions of an item."""
        member = self.member(request, slug, lead=True)
        item = item_of(member, item_id)
        given = DecisionsSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        decisions = {one["id"]: (one["state"], one["text"]) for one in given.validated_data["decisions"]}
        proposals_decide(item=item, decisions=decisions, by=member)
        return Response(candidates_shown(item))


class SchemeFillApi(MemberView):
    @extend_schema(request=SchemeFillSerializer, responses={201: OpenApiTypes.OBJECT, **REFUSALS})
    def post(self, request: Request, slug: str, item_id: int) -> Response:
        """Fill a scheme on an item: its questions wait with the other candidates."""
        member = self.member(request, slug, lead=True)
        item = item_of(member, item_id)
        given = SchemeFillSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        catalogue()
        scheme = Scheme.objects.filter(code=given.validated_data["scheme"]).first()
        if scheme is None:
            raise NotFound(gettext("There is no such scheme."))
        slots = given.validated_data["slots"]
        filling_questions(filling_confirm(item=item, scheme=scheme, slots=slots, by=member))
        return Response(
            {**candidates_shown(item), "questions": scheme_questions(scheme, slots)},
            status=status.HTTP_201_CREATED,
        )


class QuestionsMakeApi(MemberView):
    @extend_schema(request=MakeSerializer, responses={200: OpenApiTypes.OBJECT, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        """Make questions of the candidates that were kept, in a random order with a seed."""
        member = self.member(request, slug, lead=True)
        given = MakeSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        items = given.validated_data["items"]
        rows = None
        if items is not None:
            rows = list(
                visible_items(member.project).filter(external_id__in=items).values_list("pk", flat=True)
            )
        made = questions_make(
            project=member.project, items=rows, seed=given.validated_data["seed"], by=member
        )
        return Response({"made": made})
