"""The API of boards for leads: set up, opened, changed, closed, exported, with all that was handed in."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from typing import Any

from django.http import FileResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.projects import REFUSALS, MemberView, validated
from annotation.models import Membership
from boards.api.lead_serializers import (
    BoardInputSerializer,
    ExportSerializer,
    HideSerializer,
    InvitationInputSerializer,
    InvitationSerializer,
    LeadBoardSerializer,
    LeadEntrySerializer,
    RankingSerializer,
    SettingsSerializer,
    StateSerializer,
    VersionSerializer,
)
from boards.api.serializers import version_asked
from boards.life.boards import board_edit, board_or_404, board_switch
from boards.life.entries import entry_hide, entry_or_404, entry_show, same_files
from boards.life.export import board_export, export_name
from boards.life.shown import Row, lead_rows, waiting
from boards.life.teams import board_invitation_revoke, board_invite
from boards.life.versions import (
    methods_of,
    ranking_of,
    release_to_rank_by,
    version_now,
    version_or_404,
)
from boards.models import Board, BoardInvitation, BoardVersion, Entry
from boards.tasks import board_start, placing_start_again, standing_follow, version_start
from core.api import RefusalSerializer
from core.errors import NotFound

_VERSION = OpenApiParameter("version", int, description="An older version of the board.")


class LeadView(MemberView):
    """A view of one board of a project, for its leads."""

    def board(self, request: Request, slug: str, name: str) -> tuple[Membership, Board]:
        member = self.member(request, slug, lead=True)
        return member, board_or_404(member.project, name)


class LeadBoardListApi(MemberView):
    @extend_schema(
        responses={200: LeadBoardSerializer(many=True), **REFUSALS}, operation_id="project_boards_list"
    )
    def get(self, request: Request, slug: str) -> Response:
        """List the boards of a project, hidden ones too."""
        member = self.member(request, slug, lead=True)
        return Response([_board(board) for board in member.project.boards.order_by("title")])

    @extend_schema(
        request=BoardInputSerializer,
        responses={201: LeadBoardSerializer, **REFUSALS},
        operation_id="project_boards_create",
    )
    def post(self, request: Request, slug: str) -> Response:
        """Make a board on a split of a release, with its first version; leads alone see it until it opens.

        Where something is refused, nothing is made.
        """
        member = self.member(request, slug, lead=True)
        given = validated(BoardInputSerializer, request)
        ranking: dict[str, Any] = {str(name): given.pop(str(name)) for name in RankingSerializer().fields}
        ranking["release"] = release_to_rank_by(member.project, ranking["release"])
        made = board_start(project=member.project, ranking=ranking, by=member, **given)
        return Response(_board(made.board), status=status.HTTP_201_CREATED)


class LeadBoardApi(LeadView):
    @extend_schema(responses={200: LeadBoardSerializer, **REFUSALS}, operation_id="project_boards_retrieve")
    def get(self, request: Request, slug: str, name: str) -> Response:
        """Show how a board is set, and what it ranks by."""
        _, board = self.board(request, slug, name)
        return Response(_board(board))

    @extend_schema(
        request=SettingsSerializer(partial=True),
        responses={200: LeadBoardSerializer, **REFUSALS},
        operation_id="project_boards_edit",
    )
    def patch(self, request: Request, slug: str, name: str) -> Response:
        """Change settings from now on; those that are left out stay. More feedback cannot be taken back.

        What it ranks by is changed by a new version.
        """
        member, board = self.board(request, slug, name)
        board_edit(board=board, by=member, **_partly(SettingsSerializer, request))
        return Response(_board(board))


class LeadBoardStateApi(LeadView):
    @extend_schema(
        request=StateSerializer,
        responses={200: LeadBoardSerializer, **REFUSALS},
        operation_id="project_boards_switch",
    )
    def put(self, request: Request, slug: str, name: str) -> Response:
        """Open, close or hide a board."""
        member, board = self.board(request, slug, name)
        board_switch(board=board, state=validated(StateSerializer, request)["state"], by=member)
        return Response(_board(board))


class LeadVersionListApi(LeadView):
    @extend_schema(
        responses={200: VersionSerializer(many=True), **REFUSALS}, operation_id="project_boards_versions"
    )
    def get(self, request: Request, slug: str, name: str) -> Response:
        """List what a board ranked by, the newest first."""
        _, board = self.board(request, slug, name)
        rows = board.versions.select_related("release").order_by("-number")
        return Response([_version(version) for version in rows])

    @extend_schema(
        request=RankingSerializer(partial=True),
        responses={202: VersionSerializer, **REFUSALS},
        operation_id="project_boards_version",
    )
    def post(self, request: Request, slug: str, name: str) -> Response:
        """Rank by another release, split, method or threshold; what is left out stays as it is.

        All stored files are scored again by workers; the versions before stay readable with their figures.
        """
        member, board = self.board(request, slug, name)
        given = _partly(RankingSerializer, request)
        now = ranking_of(version_now(board))
        if "release" in given or not now:
            given["release"] = release_to_rank_by(member.project, given.get("release", ""))
        made = version_start(board=board, by=member, **{**now, **given})
        return Response(_version(made), status=status.HTTP_202_ACCEPTED)


class LeadEntryListApi(LeadView):
    @extend_schema(
        parameters=[_VERSION],
        responses={200: LeadEntrySerializer(many=True), **REFUSALS},
        operation_id="project_boards_entries",
    )
    def get(self, request: Request, slug: str, name: str) -> Response:
        """List all that was handed in with its exact figures, by place."""
        _, board = self.board(request, slug, name)
        version = version_or_404(board, version_asked(request))
        copies = _copies(board)
        return Response([_entry(row, copies) for row in lead_rows(version)])


class LeadEntryHideApi(LeadView):
    @extend_schema(
        request=HideSerializer,
        responses={204: None, **REFUSALS},
        operation_id="project_boards_hide",
    )
    def post(self, request: Request, slug: str, name: str, entry_id: int) -> Response:
        """Take a submission off the board, for a reason that its team reads. It still counts."""
        member, board = self.board(request, slug, name)
        entry = entry_or_404(board, entry_id)
        entry_hide(entry=entry, reason=validated(HideSerializer, request)["reason"], by=member)
        standing_follow(entry)
        return Response(status=status.HTTP_204_NO_CONTENT)


class LeadEntryShowApi(LeadView):
    @extend_schema(request=None, responses={204: None, **REFUSALS}, operation_id="project_boards_show")
    def post(self, request: Request, slug: str, name: str, entry_id: int) -> Response:
        """Put a submission that was hidden back on the board."""
        member, board = self.board(request, slug, name)
        entry = entry_or_404(board, entry_id)
        entry_show(entry=entry, by=member)
        standing_follow(entry)
        return Response(status=status.HTTP_204_NO_CONTENT)


class LeadEntryAgainApi(LeadView):
    @extend_schema(request=None, responses={202: None, **REFUSALS}, operation_id="project_boards_again")
    def post(self, request: Request, slug: str, name: str, entry_id: int) -> Response:
        """Have a submission scored again where that failed, in whichever version."""
        _, board = self.board(request, slug, name)
        for placing in entry_or_404(board, entry_id).placings.filter(state="failed"):
            placing_start_again(placing)
        return Response(status=status.HTTP_202_ACCEPTED)


class LeadBoardExportApi(LeadView):
    @extend_schema(
        request=ExportSerializer,
        responses={
            (200, "application/zip"): OpenApiTypes.BINARY,
            **REFUSALS,
            503: OpenApiResponse(RefusalSerializer, "The storage lost or changed a file (`damaged`)."),
        },
        operation_id="project_boards_export",
    )
    def post(self, request: Request, slug: str, name: str) -> HttpResponseBase:
        """Download a version of a board as a ZIP: files, figures, settings, and how to make them again."""
        member, board = self.board(request, slug, name)
        given = validated(ExportSerializer, request)
        version = version_or_404(board, given["version"])
        out = tempfile.TemporaryFile()  # noqa: SIM115  # the response closes it
        board_export(board=board, version=version, out=out, internal=given["internal"], by=member)
        out.seek(0)
        return FileResponse(
            out, as_attachment=True, filename=export_name(board, version), content_type="application/zip"
        )


class LeadInvitationListApi(LeadView):
    @extend_schema(
        responses={200: InvitationSerializer(many=True), **REFUSALS},
        operation_id="project_boards_invitations",
    )
    def get(self, request: Request, slug: str, name: str) -> Response:
        """List the links into a board that were not revoked."""
        _, board = self.board(request, slug, name)
        return Response([_invitation(one) for one in _invitations(board)])

    @extend_schema(
        request=InvitationInputSerializer,
        responses={201: InvitationSerializer, **REFUSALS},
        operation_id="project_boards_invite",
    )
    def post(self, request: Request, slug: str, name: str) -> Response:
        """Make a link into a board; it works once, and is told once."""
        member, board = self.board(request, slug, name)
        made, token = board_invite(board=board, by=member, **validated(InvitationInputSerializer, request))
        link = request.build_absolute_uri(reverse("board_join", args=[token]))
        return Response(_invitation(made, link), status=status.HTTP_201_CREATED)


class LeadInvitationRevokeApi(LeadView):
    @extend_schema(request=None, responses={204: None, **REFUSALS}, operation_id="project_boards_revoke")
    def post(self, request: Request, slug: str, name: str, invitation_id: int) -> Response:
        """Make an unused link worthless."""
        member, board = self.board(request, slug, name)
        found = _invitations(board).filter(pk=invitation_id).first()
        if found is None:
            raise NotFound(gettext("There is no such invitation of this board."))
        board_invitation_revoke(invitation=found, by=member)
        return Response(status=status.HTTP_204_NO_CONTENT)


def _partly(serializer: type[serializers.Serializer[Any]], request: Request) -> dict[str, Any]:
    """Return the fields that a request names, without defaults for the others."""
    given = serializer(data=request.data, partial=True)
    given.is_valid(raise_exception=True)
    found: dict[str, Any] = given.validated_data
    return found


def _invitations(board: Board) -> Any:
    return board.invitations.filter(team__isnull=True, revoked_at__isnull=True)


def _invitation(one: BoardInvitation, link: str | None = None) -> dict[str, Any]:
    return {
        "id": one.pk,
        "note": one.note,
        "expires_at": one.expires_at,
        "used": one.used_at is not None,
        "link": link,
    }


def _board(board: Board) -> dict[str, Any]:
    names = ("name", "title", "description", "state", "feedback", "entrance", "per_day", "in_all")
    version = version_now(board)
    return {
        **{name: getattr(board, name) for name in (*names, "most_runs", "closes_at", "created_at")},
        "teams": board.teams.count(),
        "submissions": board.entries.count(),
        "version": _version(version) if version else None,
    }


def _version(version: BoardVersion) -> dict[str, Any]:
    names = ("number", "split", "scope", "replicates", "seed", "engine", "state", "created_at")
    return {
        **{name: getattr(version, name) for name in names},
        "release": version.release.version,
        "methods": [str(method) for method in methods_of(version)],
        "items": version.facts["items"],
        "waiting": waiting(version),
    }


def _copies(board: Board) -> Mapping[int, list[int]]:
    """Return for each entry those of other teams that share a file with it."""
    found: dict[int, set[int]] = {}
    for group in same_files(board):
        for entry in group:
            others = {other.pk for other in group if other.team_id != entry.team_id}
            found.setdefault(entry.pk, set()).update(others)
    return {key: sorted(others) for key, others in found.items()}


def _entry(row: Row, copies: Mapping[int, list[int]]) -> dict[str, Any]:
    entry: Entry = row.entry
    names = ("name", "line", "link", "trained_on_validation", "may_be_shown", "day")
    return {
        "id": entry.pk,
        "team": entry.team.name,
        **{name: getattr(entry, name) for name in names},
        "state": row.placing.state,
        "error": row.placing.error,
        "counted": entry.slot is not None,
        "withdrawn": entry.withdrawn_at is not None,
        "hidden": entry.hidden_reason,
        "place": row.place,
        "is_better": row.placing.is_better,
        "figures": row.figures,
        "same_files": copies.get(entry.pk, []),
    }
