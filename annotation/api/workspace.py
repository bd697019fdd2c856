"""The API of the annotator's workspace: its texts page by page, and one decision at a time."""

from typing import Any

from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation import access
from annotation.api.projects import REFUSALS, MemberView
from annotation.api.seat import SeatView, checked
from annotation.judging.outline import (
    MAX_OUTLINE,
    newest_decided,
    position_of,
    standing,
    workspace_outline,
)
from annotation.judging.recording import Seen, Unit, judgement_record
from annotation.judging.workspace import (
    MAX_PAGE,
    recorded_json,
    units_around,
    units_of,
    workspace_overview,
    workspace_round,
    workspace_units,
)
from annotation.rounds.training import training_results


# A browser that goes back asks anew: what it kept would show yesterday's decisions.
@method_decorator(never_cache, name="dispatch")
class WorkspaceApi(SeatView):
    @extend_schema(responses={200: dict[str, Any], **REFUSALS})
    def get(self, request: Request, slug: str, number: int) -> Response:
        """Show the rules, the guideline and your progress in a round."""
        member = self.member(request, slug)
        access.require_annotator(member)
        return Response(workspace_overview(member, access.round_or_404(member, number)))


@method_decorator(never_cache, name="dispatch")
class UnitsApi(SeatView):
    class QuerySerializer(serializers.Serializer[Any]):
        after = serializers.IntegerField(min_value=0, default=0)
        limit = serializers.IntegerField(min_value=1, max_value=MAX_PAGE, default=20)
        here = serializers.BooleanField(default=False)
        at = serializers.IntegerField(min_value=1, max_value=2**63 - 1, required=False)
        only = serializers.RegexField(r"^[1-9]\d{0,17}(,[1-9]\d{0,17}){0,49}$", required=False)
        newest = serializers.CharField(max_length=8, allow_blank=True, required=False)

    @extend_schema(
        parameters=[
            OpenApiParameter("after", int),
            OpenApiParameter("limit", int),
            OpenApiParameter("here", bool, description="From where you stand on, with two texts before."),
            OpenApiParameter("at", int, description="The same around the text of this assignment."),
            OpenApiParameter("only", str, description="The texts of up to 50 assignments, apart by commas."),
            OpenApiParameter("newest", str, description="Your last decisions, of a type; empty: of any."),
        ],
        responses={200: dict[str, Any], **REFUSALS},
    )
    def get(self, request: Request, slug: str, number: int) -> Response:
        """Show your next texts and what you judged in them; `next` is the `after` of the page behind."""
        member = self.member(request, slug)
        access.require_annotator(member)
        query = checked(self.QuerySerializer, request.query_params)
        found, limit = workspace_round(member, number), query["limit"]
        if "only" in query:
            return Response(units_of(member, found, [int(pk) for pk in query["only"].split(",")]))
        if "newest" in query:
            newest = newest_decided(member, found, query["newest"], limit)
            return Response(units_of(member, found, newest))
        if query["here"] or "at" in query:
            position, type = position_of(member, found, query["at"]) if "at" in query else None, ""
            if position is None:
                position, type = standing(member, found)
            around = units_around(member, found, position=position, limit=limit)
            return Response({**around, "type": type})
        return Response(workspace_units(member, found, after=query["after"], limit=limit))


@method_decorator(never_cache, name="dispatch")
class OutlineApi(SeatView):
    class QuerySerializer(serializers.Serializer[Any]):
        after = serializers.IntegerField(min_value=0, default=0)
        limit = serializers.IntegerField(min_value=1, max_value=MAX_OUTLINE, default=MAX_OUTLINE)

    @extend_schema(
        parameters=[OpenApiParameter("after", int), OpenApiParameter("limit", int)],
        responses={200: dict[str, Any], **REFUSALS},
    )
    def get(self, request: Request, slug: str, number: int) -> Response:
        """Show all your texts without their words: what each asks, what is decided and flagged."""
        member = self.member(request, slug)
        access.require_annotator(member)
        query = checked(self.QuerySerializer, request.query_params)
        return Response(workspace_outline(member, workspace_round(member, number), **query))


class SuggestionInput(serializers.Serializer[Any]):
    id = serializers.IntegerField(min_value=1, max_value=2**63 - 1)
    taken = serializers.BooleanField(default=False, help_text="Whether the answer is it, taken by its key.")


class JudgementApi(SeatView):
    @extend_schema_serializer(component_name="JudgementInput")
    class InputSerializer(serializers.Serializer[Any]):
        event_id = serializers.CharField(max_length=80, help_text="Made by the client, one a decision.")
        assignment = serializers.IntegerField(min_value=1, max_value=2**63 - 1)
        type = serializers.CharField(max_length=8, required=False, default="")
        question = serializers.IntegerField(
            min_value=1, max_value=2**63 - 1, required=False, allow_null=True, default=None
        )
        base_revision = serializers.IntegerField(
            min_value=0, max_value=2**31 - 1, help_text="The revision seen; 0 for none."
        )
        answer = serializers.JSONField(
            allow_null=True, help_text="The answer's fields; null undoes to undecided."
        )
        active_seconds = serializers.IntegerField(min_value=0, max_value=86_400, required=False, default=0)
        suggestion = SuggestionInput(
            required=False,
            allow_null=True,
            default=None,
            help_text="The suggestion that was visible, in a round that has suggestions.",
        )

        def validate(self, given: dict[str, Any]) -> dict[str, Any]:
            if bool(given["type"]) == (given["question"] is not None):
                raise serializers.ValidationError({"type": "Give either a type or a question."})
            if given["answer"] is not None and not isinstance(given["answer"], dict):
                raise serializers.ValidationError({"answer": "Give an object, or null to undo."})
            return given

    @extend_schema_serializer(component_name="JudgementOutput")
    class OutputSerializer(serializers.Serializer[Any]):
        replayed = serializers.BooleanField()
        row = serializers.DictField()

    @extend_schema(request=InputSerializer, responses={200: OutputSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Record one decision. Sending the same event again changes nothing and shows the current row."""
        member = self.member(request, slug)
        access.require_annotator(member)
        given = checked(self.InputSerializer, request.data)
        recorded = judgement_record(
            member=member,
            round_number=number,
            assignment_id=given["assignment"],
            unit=Unit(given["type"], given["question"]),
            answer=given["answer"],
            base_revision=given["base_revision"],
            client_event_id=given["event_id"],
            active_seconds=given["active_seconds"],
            seen=Seen(told["id"], told["taken"]) if (told := given["suggestion"]) else None,
        )
        return Response({"replayed": recorded.replayed, "row": recorded_json(recorded.row)})


class TrainingApi(MemberView):
    @extend_schema(responses={200: dict[str, Any], **REFUSALS})
    def get(self, request: Request, slug: str, number: int) -> Response:
        """Show how one does against the key of a training round; leads see every annotator."""
        member = self.member(request, slug)
        found = access.round_or_404(member, number)
        results = training_results(found, member=None if member.is_lead else member)
        return Response({"results": [result.to_json() for result in results]})
