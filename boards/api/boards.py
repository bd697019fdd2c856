"""The API of boards: anybody reads what the page shows, a team has files checked and hands them in."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import status
from rest_framework.parsers import JSONParser, MultiPartParser
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from boards.api.serializers import (
    BoardFilesSerializer,
    CheckedSerializer,
    EntryInputSerializer,
    EntrySerializer,
)
from boards.life.boards import public_board_or_404
from boards.life.checking import upload_check
from boards.life.entries import entry_of_team_or_404, entry_withdraw
from boards.life.placings import place_in_the_queue
from boards.life.shown import Row, board_json, team_rows
from boards.life.teams import team_or_refuse
from boards.life.versions import version_or_404
from boards.models import Board
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
        asked = request.query_params.get("version", "")
        number = int(asked[:9]) if asked.isdecimal() else None
        return Response(board_json(board, version_or_404(board, number)))


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
