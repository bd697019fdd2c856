"""The API that hands on what an annotator of an open round has not decided."""

from drf_spectacular.utils import extend_schema, extend_schema_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation import access
from annotation.api import REFUSALS, MemberView, validated
from annotation.errors import Refused
from annotation.models import Membership
from annotation.reassigning import round_reassign
from annotation.reassigning_types import round_reassign_types


class ReassignApi(MemberView):
    @extend_schema_serializer(component_name="ReassignInput")
    class InputSerializer(serializers.Serializer):
        annotator = serializers.CharField(help_text="Pseudonym of whoever hands on.")
        takers = serializers.ListField(child=serializers.CharField(), help_text="Pseudonyms.")
        types = serializers.ListField(
            child=serializers.CharField(),
            required=False,
            allow_null=True,
            default=None,
            help_text="Codes of the types whose undecided units are handed on; whole texts where absent.",
        )

    @extend_schema(request=InputSerializer, responses={200: dict[str, int], **REFUSALS})
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Hand on unfinished texts, or the undecided units of some types; `moved` counts texts or units."""
        member = self.member(request, slug, lead=True)
        found = access.round_or_404(member, number)
        given = validated(self.InputSerializer, request)
        target, *takers = _people(member, [given["annotator"], *given["takers"]])
        if given["types"] is None:
            result = round_reassign(round=found, target=target, members=takers, member=member)
        else:
            result = round_reassign_types(
                round=found, target=target, types=given["types"], members=takers, member=member
            )
        return Response({"moved": result.moved, "left_over": result.left_over})


def _people(member: Membership, pseudonyms: list[str]) -> list[Membership]:
    known = {one.pseudonym: one for one in member.project.memberships.filter(pseudonym__in=pseudonyms)}
    unknown = sorted(set(pseudonyms) - set(known))
    if unknown:
        raise Refused("invalid", f"These do not take part in the project: {', '.join(unknown)}.")
    return [known[pseudonym] for pseudonym in pseudonyms]
