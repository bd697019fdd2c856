"""The API of boards: anybody reads what the page shows, a team has files checked and hands them in."""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import status
from rest_framework.parsers import JSONParser, MultiPartParser
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.projects import validated
from boards.api.serializers import (
    BoardFilesSerializer,
    CheckedSerializer,
    DescribedSerializer,
    EntryInputSerializer,
    EntrySerializer,
    TeamInputSerializer,
    TeamSerializer,
    version_asked,
)
from boards.life.boards import public_board_or_404
from boards.life.checking import upload_check
from boards.life.entries import (
    counted,
    entry_describe,
    entry_of_team_or_404,
    entry_withdraw,
    left_for,
)
from boards.life.placings import place_in_the_queue
from boards.life.shown import Row, board_json, team_rows
from boards.life.teams import team_create, team_or_refuse
from boards.life.versions import version_or_404
from boards.models import Board, Team
from boards.tasks import entry_start, standing_follow
from core.api import RefusalSerializer, refusal_body
from core.jobs import WORKING
from scoring.api.serializers import FilesRefusedSerializer
from scoring.systems.submissions import FilesRefused, HandedIn

_REFUSED = {
    403: RefusalSerializer,
    404: RefusalSerializer,
    409: RefusalSerializer,
    422: OpenApiResponse(FilesRefusedSerializer, "A rule is broken, or rows of files (`faults`)."),
}


class BoardApi(APIView):
    permission_classes = (AllowAny,)

    @extend_schema(responses={200: dict, 404: RefusalSerializer}, operation_id="boards_retrieve")
    def get(self, request: Request, slug: str, name: str) -> Response:
        """Read a board as anybody may: its settings, its ranking, the trivial rows.

        `?version=` asks for an older version of it.
        """
        board = _board(request, slug, name)
        return Response(board_json(board, version_or_404(board, version_asked(request))))


class CheckApi(APIView):
    parser_classes = (MultiPartParser,)

    @extend_schema(
        request={"multipart/form-data": BoardFilesSerializer},
        responses={200: CheckedSerializer, **_REFUSED},
        operation_id="boards_check",
    )
    def post(self, request: Request, slug: str, name: str) -> Response:
        """Have files of one's team checked whole; it costs no submission, and at most 60 an hour are read."""
        board = _board(request, slug, name)
        given = BoardFilesSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        team = team_or_refuse(board, request.user)
        files = _files(given.validated_data["files"])
        try:
            public, _, _ = upload_check(team=team, version=version_or_404(board), files=files)
        except FilesRefused as refusal:
            return _refused(refusal)
        return Response({"accepted": True, "items": len(public.items)})


class EntryListApi(APIView):
    parser_classes = (MultiPartParser,)

    @extend_schema(responses={200: EntrySerializer(many=True), **_REFUSED}, operation_id="boards_entries")
    def get(self, request: Request, slug: str, name: str) -> Response:
        """List what one's team handed in, the newest first, with what may be told of it."""
        board = _board(request, slug, name)
        team = team_or_refuse(board, request.user)
        rows = team_rows(board, version_or_404(board), team)
        return Response([_entry(row) for row in rows])

    @extend_schema(
        request={"multipart/form-data": EntryInputSerializer},
        responses={202: EntrySerializer, **_REFUSED},
        operation_id="boards_hand_in",
    )
    def post(self, request: Request, slug: str, name: str) -> Response:
        """Hand in files of one's team. A file with faults is no submission; a worker scores the others."""
        board = _board(request, slug, name)
        given = EntryInputSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        values = dict(given.validated_data)
        files = _files(values.pop("files"))
        try:
            placing = entry_start(board=board, user=request.user, files=files, **values)
        except FilesRefused as refusal:
            return _refused(refusal)
        return Response(_entry(Row(placing, None)), status=status.HTTP_202_ACCEPTED)


class EntryApi(APIView):
    parser_classes = (JSONParser,)

    @extend_schema(responses={200: EntrySerializer, **_REFUSED}, operation_id="boards_entry")
    def get(self, request: Request, slug: str, name: str, entry_id: int) -> Response:
        """Read a submission of one's team: how far it is, its place in the queue, what may be told of it."""
        board = _board(request, slug, name)
        return Response(_entry(_own_row(board, request, entry_id)))

    @extend_schema(
        request=DescribedSerializer(partial=True),
        responses={200: EntrySerializer, **_REFUSED},
        operation_id="boards_entry_describe",
    )
    def patch(self, request: Request, slug: str, name: str, entry_id: int) -> Response:
        """Describe a submission of one's team in other words, or keep it off the public board."""
        board = _board(request, slug, name)
        entry = entry_of_team_or_404(team_or_refuse(board, request.user), entry_id)
        given = DescribedSerializer(data=request.data, partial=True)
        given.is_valid(raise_exception=True)
        entry_describe(entry=entry, user=request.user, **given.validated_data)
        standing_follow(entry)
        return Response(_entry(_own_row(board, request, entry_id)))


class TeamApi(APIView):
    parser_classes = (JSONParser,)

    @extend_schema(responses={200: TeamSerializer, **_REFUSED}, operation_id="boards_team")
    def get(self, request: Request, slug: str, name: str) -> Response:
        """Read one's own team, and how many submissions are left for it."""
        board = _board(request, slug, name)
        return Response(_team(team_or_refuse(board, request.user)))

    @extend_schema(
        request=TeamInputSerializer,
        responses={201: TeamSerializer, **_REFUSED},
        operation_id="boards_team_create",
    )
    def post(self, request: Request, slug: str, name: str) -> Response:
        """Make a team with oneself in it; where the board asks for one, only with its invitation."""
        board = _board(request, slug, name)
        given = validated(TeamInputSerializer, request)
        made = team_create(board=board, name=given["team"], user=request.user)
        return Response(_team(made), status=status.HTTP_201_CREATED)


class EntryWithdrawApi(APIView):
    parser_classes = (JSONParser,)

    @extend_schema(request=None, responses={204: None, **_REFUSED}, operation_id="boards_withdraw")
    def post(self, request: Request, slug: str, name: str, entry_id: int) -> Response:
        """Withdraw a submission of one's team. It counts all the same."""
        board = _board(request, slug, name)
        entry = entry_of_team_or_404(team_or_refuse(board, request.user), entry_id)
        entry_withdraw(entry=entry, user=request.user)
        standing_follow(entry)
        return Response(status=status.HTTP_204_NO_CONTENT)


def _board(request: Request, slug: str, name: str) -> Board:
    return public_board_or_404(slug, name, request.user)


def _own_row(board: Board, request: Request, entry_id: int) -> Row:
    team = team_or_refuse(board, request.user)
    rows = team_rows(board, version_or_404(board), team)
    found = next((row for row in rows if row.entry.pk == entry_id), None)
    return found or Row(entry_of_team_or_404(team, entry_id).placings.latest("version__number"), None)


def _team(team: Team) -> dict[str, Any]:
    day = timezone.now().date()
    today, in_all = counted(team, day)
    left_today, left = left_for(team, day)
    return {
        "name": team.name,
        "members": [one.user.get_username() for one in team.members.select_related("user")],
        "handed_in_today": today,
        "handed_in": in_all,
        "left_today": left_today,
        "left": left,
    }


def _files(given: Any) -> list[HandedIn]:
    return [HandedIn(file.name or "", file.read()) for file in given]


def _refused(refusal: FilesRefused) -> Response:
    faults = [fault._asdict() for fault in refusal.faults]
    body = {**refusal_body(refusal), "faults": faults, "more": refusal.more}
    return Response(body, status=status.HTTP_422_UNPROCESSABLE_ENTITY)


def _entry(row: Row) -> dict[str, Any]:
    entry, placing = row.entry, row.placing
    names = ("name", "line", "link", "trained_on_validation", "may_be_shown", "day")
    return {
        "id": entry.pk,
        **{name: getattr(entry, name) for name in names},
        "state": placing.state,
        "queue": place_in_the_queue(placing) if placing.state in WORKING else None,
        "counted": entry.slot is not None,
        "withdrawn": entry.withdrawn_at is not None,
        "hidden": entry.hidden_reason,
        "figures": row.figures,
        "why": row.why,
    }
