"""The API of releases: leads ask for them, watch them being built and download their files."""

from __future__ import annotations

import mimetypes
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiResponse,
    extend_schema,
    extend_schema_field,
    extend_schema_serializer,
)
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.projects import REFUSALS, MemberView
from annotation.models import Membership
from core.api import RefusalSerializer
from core.errors import NotFound
from exports.documentation.contents import StoredFile
from exports.models import Release
from exports.releases.claim import release_cancel
from exports.releases.http_range import byte_range
from exports.releases.publication import release_publish, release_unpublish
from exports.releases.reader_access import refuse_release_while_judging
from exports.releases.storage import file_pieces, refuse_taken_down, verify_file
from exports.selection.parameters import (
    EXCHANGE,
    LEAST_CELL,
    MOST_CELL,
    PUBLISHED_LABELS,
    SPLIT_BY,
    Parameters,
)
from exports.tasks import release_start


class ReleaseSerializer(serializers.ModelSerializer[Any]):
    @extend_schema_serializer(component_name="ReleaseFile")
    class FileSerializer(serializers.Serializer[Any]):
        name = serializers.CharField()
        sha256 = serializers.CharField()
        size = serializers.IntegerField()
        archive = serializers.BooleanField(help_text="The ZIP of all files that are not internal.")
        internal = serializers.BooleanField(
            help_text="Withheld references or systems' questions: keep it to yourselves."
        )

    files = FileSerializer(many=True)

    class Meta:
        model = Release
        fields = [
            "version",
            "state",
            "progress_done",
            "progress_total",
            "error",
            "digest",
            "parameters",
            "counts",
            "files",
            "created_at",
            "built_at",
            "is_public",
        ]


class ParametersSerializer(serializers.Serializer[Any]):
    """What the documentation says of the choices; `Parameters.from_json` checks them."""

    rounds = serializers.ListField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="Names of closed rounds. null: all but training rounds, with labels published in a file.",
    )
    adjudicated_only = serializers.BooleanField(help_text="Only what a lead decided, nothing by majority.")
    jaccard = serializers.FloatField(help_text="From which index spans match, above 0 and up to 1.")
    split_by = serializers.ChoiceField(SPLIT_BY, help_text="`field` is the items' own split.")
    split_sizes = serializers.DictField(
        child=serializers.FloatField(),
        help_text='`seed`: shares that sum to 1, as {"train": 0.8, "test": 0.2}; `balanced`: {"test": 34}.',
    )
    split_names = serializers.DictField(
        child=serializers.CharField(),
        help_text='`field`, `round`, `topic`: another name of splits, as {"Round 1": "train"}.',
    )
    seed = serializers.IntegerField(help_text="Of the split by `seed`.")
    withheld = serializers.ListField(
        child=serializers.CharField(), help_text="Splits whose labels stay with the leads."
    )
    published_labels = serializers.ChoiceField(
        PUBLISHED_LABELS,
        help_text="`stand`: a label that came with a file wins over votes; `votes`: only where nobody voted.",
    )
    min_cell = serializers.IntegerField(
        min_value=LEAST_CELL,
        max_value=MOST_CELL,
        help_text="Least number of items that a public figure speaks of where labels or texts stay inside.",
    )
    edited_questions = serializers.BooleanField(help_text="CQs-Gen: in place of invalid questions.")
    refined_questions = serializers.BooleanField(help_text="FOCUS: a language model's beside the template's.")
    judgements = serializers.BooleanField(help_text="The raw judgements, by pseudonym.")
    agreement = serializers.BooleanField(help_text="The agreement report of each round.")
    comments = serializers.BooleanField(help_text="Annotators' comments among the judgements.")
    texts = serializers.BooleanField(help_text="false: ids, offsets, labels and hashes only.")
    quoting_questions = serializers.BooleanField(
        help_text="CQs-Gen without texts: questions as they were written, also where they quote a text."
    )
    exchange = serializers.ListField(
        child=serializers.ChoiceField(EXCHANGE), help_text="Also in the forms of other tools."
    )
    licence = serializers.CharField(help_text="Empty: the project's.")
    authors = serializers.CharField(help_text="Separated by semicolons.")
    citation = serializers.CharField(help_text="In your own words or as BibTeX.")
    contact = serializers.CharField(help_text="Empty: the project's.")
    published = serializers.CharField(help_text="The day that card and citation name, as 2026-03-31.")

    def get_fields(self) -> dict[str, Any]:
        fields = super().get_fields()
        for name, default in Parameters().to_json().items():
            fields[name].required = False
            fields[name].default = default
        return fields


@extend_schema_field(ParametersSerializer)
class ParametersField(serializers.DictField):
    """The choices as they were sent; the schema names each."""


class ReleaseListApi(MemberView):
    @extend_schema_serializer(component_name="ReleaseListInput")
    class InputSerializer(serializers.Serializer[Any]):
        version = serializers.CharField(max_length=40)
        parameters = ParametersField(
            required=False, default=dict, help_text="The choices; what is absent takes its default."
        )

    @extend_schema(responses={200: ReleaseSerializer(many=True), **REFUSALS}, operation_id="releases_list")
    def get(self, request: Request, slug: str) -> Response:
        """List the releases of a project, newest first."""
        member = self.member(request, slug, lead=True)
        return Response(ReleaseSerializer(member.project.releases.all(), many=True).data)

    @extend_schema(request=InputSerializer, responses={202: ReleaseSerializer, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        """Ask for a release. It is built by a worker: look at its state until it is done."""
        member = self.member(request, slug, lead=True)
        given = self.InputSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        release = release_start(
            project=member.project,
            version=given.validated_data["version"],
            parameters=Parameters.from_json(given.validated_data["parameters"]),
            by=member,
        )
        return Response(ReleaseSerializer(release).data, status=status.HTTP_202_ACCEPTED)


class ReleaseApi(MemberView):
    @extend_schema(responses={200: ReleaseSerializer, **REFUSALS})
    def get(self, request: Request, slug: str, version: str) -> Response:
        """Show a release and how far its building is."""
        member = self.member(request, slug, lead=True)
        return Response(ReleaseSerializer(release_or_404(member, version)).data)


class ReleaseCancelApi(MemberView):
    @extend_schema(request=None, responses={200: ReleaseSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, version: str) -> Response:
        """Cancel a release that waits or is being built. Its version can be asked for again."""
        member = self.member(request, slug, lead=True)
        release = release_or_404(member, version)
        release_cancel(release=release, by=member)
        return Response(ReleaseSerializer(release).data)


class ReleasePublicApi(MemberView):
    @extend_schema_serializer(component_name="ReleasePublicInput")
    class InputSerializer(serializers.Serializer[Any]):
        is_public = serializers.BooleanField(help_text="Whether anybody may open the page and the files.")

    @extend_schema(request=InputSerializer, responses={200: ReleaseSerializer, **REFUSALS})
    def put(self, request: Request, slug: str, version: str) -> Response:
        """Open the public page of a release at /releases/SLUG/VERSION/, or close it again.

        Anybody then reads the data card and downloads every file that is not internal, judgements by
        pseudonym among them. The project's log says who switched it.
        """
        member = self.member(request, slug, lead=True)
        release = release_or_404(member, version)
        given = self.InputSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        switch = release_publish if given.validated_data["is_public"] else release_unpublish
        switch(release=release, by=member)
        return Response(ReleaseSerializer(release).data)


class ReleaseFileApi(MemberView):
    @extend_schema(
        responses={
            (200, "application/octet-stream"): OpenApiTypes.BINARY,
            **REFUSALS,
            410: OpenApiResponse(RefusalSerializer, "A text in it was erased for good (`taken_down`)."),
            503: OpenApiResponse(RefusalSerializer, "The storage lost or changed the file (`damaged`)."),
        }
    )
    def get(self, request: Request, slug: str, version: str, name: str) -> HttpResponseBase:
        """Download a file of a release; a Range header resumes a download that broke off."""
        member = self.member(request, slug, lead=True)
        release = release_or_404(member, version)
        refuse_release_while_judging(release, member)
        file = next((file for file in release.files if file["name"] == name), None)
        if file is None:
            raise NotFound(
                gettext("Release %(version)s has no file “%(name)s”.") % {"version": version, "name": name}
            )
        refuse_taken_down(release)
        return file_response(request, release, file, caching="no-store")


def release_or_404(member: Membership, version: str) -> Release:
    """Return a release of the member's project by its version."""
    release = member.project.releases.filter(version=version).first()
    if release is None:
        raise NotFound(gettext("There is no release %(version)s in this project.") % {"version": version})
    return release


def file_response(
    request: HttpRequest | Request, release: Release, file: StoredFile, *, caching: str
) -> HttpResponseBase:
    """Return a file of a release as a download in pieces, or the part of it that was asked for.

    `caching` is its Cache-Control. Raises Refused where the storage does not have these bytes any more.
    """
    tag, size = f'"{file["sha256"]}"', file["size"]
    known = get_conditional_response(request, etag=tag)
    if known is not None:
        known.headers["Cache-Control"] = caching
        return known
    verify_file(release.files, file)
    wanted, if_range = request.headers.get("Range"), request.headers.get("If-Range")
    part = byte_range(wanted if if_range in (None, tag) else None, size)
    if part is None:
        response: HttpResponseBase = HttpResponse(status=status.HTTP_416_REQUESTED_RANGE_NOT_SATISFIABLE)
        response.headers["Content-Range"] = f"bytes */{size}"
        return response
    kind = mimetypes.guess_type(file["name"])[0] or "application/octet-stream"
    response = StreamingHttpResponse(
        file_pieces(release.files, file, part.start, part.end),
        content_type=kind,
        status=206 if part.partial else 200,
    )
    if part.partial:
        response.headers["Content-Range"] = f"bytes {part.start}-{part.end - 1}/{size}"
    response.headers["Content-Length"] = str(part.end - part.start)
    response.headers["Accept-Ranges"] = "bytes"
    response.headers["ETag"] = tag
    response.headers["Cache-Control"] = caching
    response.headers["Content-Disposition"] = f'attachment; filename="{file["name"].rpartition("/")[2]}"'
    return response
