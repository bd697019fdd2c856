"""The API of what people have a right to: their own data, and erasure. Each view calls one use case."""

import tempfile
from typing import Any

from django.http import FileResponse
from django.utils.translation import gettext
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.projects import REFUSALS, MemberView, validated
from annotation.items.erasure import item_erase
from annotation.projects.deletion import project_deletion_ask, project_deletion_take_back
from annotation.projects.erasure import erasure_effects, member_erase
from annotation.projects.own_data import own_data_write
from core.errors import NotFound, Refused


class TypedSerializer(serializers.Serializer[Any]):
    typed = serializers.CharField(max_length=200, help_text="The id or name of what it is about, again.")


class ErasedItemSerializer(serializers.Serializer[Any]):
    id = serializers.CharField(source="external_id")
    erased_at = serializers.DateTimeField()


class ErasedPersonSerializer(serializers.Serializer[Any]):
    pseudonym = serializers.CharField()
    effects = serializers.ListField(child=serializers.CharField(), help_text="What was done, in sentences.")


class DeletionSerializer(serializers.Serializer[Any]):
    slug = serializers.CharField()
    deletion_due_at = serializers.DateTimeField(allow_null=True)


class OwnDataApi(APIView):
    @extend_schema(responses={(200, "application/zip"): OpenApiTypes.BINARY, 403: REFUSALS[403]})
    def get(self, request: Request) -> FileResponse:
        """Download all that is stored of you: a ZIP with JSON and CSV."""
        target = tempfile.TemporaryFile()  # noqa: SIM115  # the response closes it
        own_data_write(request.user, target)
        target.seek(0)
        return FileResponse(
            target, as_attachment=True, filename="elenchus.zip", content_type="application/zip"
        )


class ItemEraseApi(MemberView):
    @extend_schema(request=TypedSerializer, responses={200: ErasedItemSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, external_id: str) -> Response:
        """Erase the text of an item for good, with what quotes it; releases that have it lose their files."""
        member = self.member(request, slug, lead=True)
        item = member.project.items.filter(external_id=external_id).first()
        if item is None:
            raise NotFound(gettext("There is no such item in this project."))
        erased = item_erase(item=item, member=member, typed=validated(TypedSerializer, request)["typed"])
        return Response(ErasedItemSerializer(erased).data)


class PersonEraseApi(MemberView):
    @extend_schema(request=TypedSerializer, responses={200: ErasedPersonSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, pseudonym: str) -> Response:
        """Erase who a person of the project is; what they judged stays under the pseudonym, or as promised"""
        member = self.member(request, slug, lead=True)
        target = member.project.memberships.filter(pseudonym=pseudonym).first()
        if target is None:
            raise NotFound(gettext("There is no such person in this project."))
        if validated(TypedSerializer, request)["typed"] != pseudonym:
            told = gettext("That is not the name: type %(pseudonym)s.") % {"pseudonym": pseudonym}
            raise Refused("invalid", told, errors={"typed": told})
        effects = erasure_effects(target)
        member_erase(target=target, member=member)
        return Response(ErasedPersonSerializer({"pseudonym": pseudonym, "effects": effects}).data)


class ProjectDeletionApi(MemberView):
    @extend_schema(request=TypedSerializer, responses={200: DeletionSerializer, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        """Have the project deleted in seven days; it is archived until then."""
        member = self.member(request, slug, lead=True)
        typed = validated(TypedSerializer, request)["typed"]
        project = project_deletion_ask(project=member.project, member=member, typed=typed)
        return Response(DeletionSerializer(project).data)

    @extend_schema(responses={200: DeletionSerializer, **REFUSALS})
    def delete(self, request: Request, slug: str) -> Response:
        """Keep a project that waits to be deleted."""
        member = self.member(request, slug, lead=True)
        project = project_deletion_take_back(project=member.project, member=member)
        return Response(DeletionSerializer(project).data)
