"""The API of one round: how far it is, changing, deleting and pausing it."""

from drf_spectacular.utils import extend_schema, extend_schema_serializer
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation import access
from annotation.api import REFUSALS, MemberView, RoundSerializer, validated
from annotation.models import Round
from annotation.progress import progress_of_round
from annotation.round_changing import draft_delete, round_edit
from annotation.rounds import round_pause, round_resume


class RoundApi(MemberView):
    @extend_schema_serializer(component_name="RoundOutput")
    class OutputSerializer(RoundSerializer):
        @extend_schema_serializer(component_name="RoundProgress")
        class ProgressSerializer(serializers.Serializer):
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
    class ChangeSerializer(serializers.Serializer):
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
