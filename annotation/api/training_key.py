"""The API of the workspace in which a lead sets a training round's key; the same shapes as an annotator's."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation import access
from annotation.api.projects import REFUSALS, MemberView, validated
from annotation.api.workspace import JudgementApi, UnitsApi
from annotation.judging.recording import Unit
from annotation.training.key_workspace import key_answer_record, key_overview, key_units


class KeyWorkspaceApi(MemberView):
    @extend_schema(responses={200: dict[str, Any], **REFUSALS})
    def get(self, request: Request, slug: str, number: int) -> Response:
        """Show the rules, the guideline and how far the key of a draft training round is; leads only."""
        member = self.member(request, slug, lead=True)
        return Response(key_overview(member, access.round_or_404(member, number)))


class KeyUnitsApi(MemberView):
    @extend_schema(
        parameters=[OpenApiParameter("after", int), OpenApiParameter("limit", int)],
        responses={200: dict[str, Any], **REFUSALS},
    )
    def get(self, request: Request, slug: str, number: int) -> Response:
        """Show the round's next texts and what the key says of them; leads only."""
        member = self.member(request, slug, lead=True)
        query = UnitsApi.QuerySerializer(data=request.query_params)
        query.is_valid(raise_exception=True)
        after, limit = query.validated_data["after"], query.validated_data["limit"]
        return Response(key_units(member, access.round_or_404(member, number), after=after, limit=limit))


class KeyAnswerApi(MemberView):
    @extend_schema(
        request=JudgementApi.InputSerializer, responses={200: JudgementApi.OutputSerializer, **REFUSALS}
    )
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Write one answer of the key; `assignment` is that of the units here, `comment` the reason shown."""
        member = self.member(request, slug, lead=True)
        access.round_or_404(member, number)
        given = validated(JudgementApi.InputSerializer, request)
        row = key_answer_record(
            member=member,
            round_number=number,
            item_id=given["assignment"],
            unit=Unit(given["type"], given["question"]),
            answer=given["answer"],
            base_revision=given["base_revision"],
        )
        return Response({"replayed": False, "row": row})
