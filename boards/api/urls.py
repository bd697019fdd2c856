"""Addresses of the API of boards, below /api/."""

from django.urls import path

from boards.api import boards as api

_BOARD = "boards/<slug:slug>/<slug:name>/"

urlpatterns = [
    path(_BOARD, api.BoardApi.as_view(), name="api-board"),
    path(f"{_BOARD}check/", api.CheckApi.as_view(), name="api-board-check"),
    path(f"{_BOARD}submissions/", api.EntryListApi.as_view(), name="api-board-submissions"),
    path(
        f"{_BOARD}submissions/<int:entry_id>/withdraw/",
        api.EntryWithdrawApi.as_view(),
        name="api-board-withdraw",
    ),
]
