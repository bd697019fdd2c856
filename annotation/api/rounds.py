"""The API of one round: how far it is, changing, deleting and pausing it."""

from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_serializer
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation import access
from annotation.api.projects import REFUSALS, MemberView, RoundSerializer, validated
from annotation.models import Membership, Round
from annotation.rounds.asked_types import (
    FIELD,
    FILE,
    JUDGEMENTS,
    asked_counts,
    asked_units,
    clean_asked,
    round_ask,
)
from annotation.rounds.editing import draft_delete, round_edit
from annotation.rounds.lifecycle import round_pause, round_resume
from annotation.rounds.progress import progress_of_round
from annotation.rounds.reassignment import round_reassign
from annotation.rounds.reassignment_by_type import round_reassign_types
from core.errors import Refused


class RoundApi(MemberView):
    @extend_schema_serializer(component_name="RoundOutput")
    class OutputSerializer(RoundSerializer):
        @extend_schema_serializer(component_name="RoundProgress")
        class ProgressSerializer(serializers.Serializer[Any]):
            pseudonym = serializers.CharField()
            decided = serializers.IntegerField()
            total = serializers.IntegerField()

        progress = ProgressSerializer(many=True)

        class Meta(RoundSerializer.Meta):
            fields = [*RoundSerializer.Meta.fields, "progress"]

    @extend_schema(responses={200: OutputSerializer, **REFUSALS})
    def get(self, request: Request, slug: str, number: int) -> Response:
        """Show a round; leads see how far each annotator is, annotators how far they are themselves."""
        member = self.member(request, slug)
        found = access.round_or_404(member, number)
        rows = progress_of_round(found, member=None if member.is_lead else member)
        progress = [
            {"pseudonym": row.member.pseudonym, "decided": row.decided, "total": row.total} for row in rows
        ]
        return Response({**RoundSerializer(found).data, "progress": progress})

    @extend_schema_serializer(component_name="RoundChangeInput")
    class ChangeSerializer(serializers.Serializer[Any]):
        name = serializers.CharField(required=False)
        overlap = serializers.IntegerField(min_value=1, max_value=1000, required=False)
        order = serializers.ChoiceField(Round.Order.choices, required=False)
        shuffled = serializers.BooleanField(required=False)
        pass_mark = serializers.IntegerField(min_value=0, max_value=100, required=False, allow_null=True)
        repeats = serializers.IntegerField(min_value=0, max_value=100, required=False)
        live_agreement = serializers.BooleanField(required=False)
        content_warning = serializers.CharField(required=False, allow_blank=True)
        due_on = serializers.DateField(required=False, allow_null=True)

    @extend_schema(request=ChangeSerializer, responses={200: RoundSerializer, **REFUSALS})
    def patch(self, request: Request, slug: str, number: int) -> Response:
        """Change a draft, or the due date and content warning of an open round."""
        member = self.member(request, slug, lead=True)
        found = access.round_or_404(member, number)
        given = validated(self.ChangeSerializer, request)
        return Response(RoundSerializer(round_edit(found, by=member, **given)).data)

    @extend_schema(responses={204: None, **REFUSALS})
    def delete(self, request: Request, slug: str, number: int) -> Response:
        """Delete a draft with its drawn items and its key."""
        member = self.member(request, slug, lead=True)
        draft_delete(access.round_or_404(member, number), by=member)
        return Response(status=status.HTTP_204_NO_CONTENT)


class RoundAskedApi(MemberView):
    @extend_schema_serializer(component_name="RoundAskedInput")
    class InputSerializer(serializers.Serializer[Any]):
        field = serializers.CharField(
            required=False, help_text="“topic”, “source” or a field of the items’ metadata."
        )
        types = serializers.DictField(
            child=serializers.ListField(child=serializers.CharField()),
            required=False,
            help_text="With `field`: the codes of the types for each of its values, “” for none.",
        )
        items = serializers.DictField(
            child=serializers.ListField(child=serializers.CharField()),
            required=False,
            help_text="Instead: the codes of the types for each drawn item, by its id.",
        )

    @extend_schema_serializer(component_name="RoundAsked")
    class OutputSerializer(serializers.Serializer[Any]):
        by = serializers.ChoiceField(["round", FIELD, FILE, JUDGEMENTS])
        field = serializers.CharField(allow_null=True)
        types = serializers.DictField(
            child=serializers.ListField(child=serializers.CharField()), allow_null=True
        )
        items_asked = serializers.DictField(
            child=serializers.IntegerField(), help_text="Of how many drawn items each type is asked."
        )
        judgements = serializers.IntegerField(help_text="Of an annotator who has all items.")

    @extend_schema(responses={200: OutputSerializer, **REFUSALS})
    def get(self, request: Request, slug: str, number: int) -> Response:
        """Show what a round asks of its items, and how that was chosen; for leads."""
        member = self.member(request, slug, lead=True)
        return Response(self._shown(access.round_or_404(member, number)))

    @extend_schema(request=InputSerializer, responses={200: OutputSerializer, **REFUSALS})
    def put(self, request: Request, slug: str, number: int) -> Response:
        """Choose what a draft asks of its items; an empty object: all types of the round."""
        member = self.member(request, slug, lead=True)
        found = access.round_or_404(member, number)
        given = validated(self.InputSerializer, request)
        round_ask(found, clean_asked(given, found), member=member)
        return Response(self._shown(found))

    def _shown(self, round: Round) -> dict[str, Any]:
        return {
            "by": round.asked.get("by", "round"),
            "field": round.asked.get("field"),
            "types": round.asked.get("types"),
            "items_asked": dict(asked_counts(round)),
            "judgements": asked_units(round),
        }


class RoundPauseApi(MemberView):
    @extend_schema(request=None, responses={200: RoundSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Pause an open round: nothing is recorded in it until it is resumed."""
        member = self.member(request, slug, lead=True)
        found = access.round_or_404(member, number)
        return Response(RoundSerializer(round_pause(found, by=member)).data)


class RoundResumeApi(MemberView):
    @extend_schema(request=None, responses={200: RoundSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Let a paused round go on."""
        member = self.member(request, slug, lead=True)
        found = access.round_or_404(member, number)
        return Response(RoundSerializer(round_resume(found, by=member)).data)


class ReassignApi(MemberView):
    @extend_schema_serializer(component_name="ReassignInput")
    class InputSerializer(serializers.Serializer[Any]):
        annotator = serializers.CharField(help_text="Pseudonym of the annotator whose texts are reassigned.")
        takers = serializers.ListField(child=serializers.CharField(), help_text="Pseudonyms.")
        types = serializers.ListField(
            child=serializers.CharField(),
            required=False,
            allow_null=True,
            default=None,
            help_text="Codes of the types whose undecided units are reassigned; whole texts where absent.",
        )

    @extend_schema(request=InputSerializer, responses={200: dict[str, int], **REFUSALS})
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Reassign unfinished texts, or the undecided units of some types; `moved` counts texts or units."""
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
