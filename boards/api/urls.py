"""Addresses of the API of boards, below /api/."""

from django.urls import path

from boards.api import boards as api
from boards.api import lead

_LEAD = "projects/<slug:slug>/boards/"
_ONE = f"{_LEAD}<slug:name>/"
_ENTRY = f"{_ONE}submissions/<int:entry_id>/"
_BOARD = "boards/<slug:slug>/<slug:name>/"

urlpatterns = [
    path(_BOARD, api.BoardApi.as_view(), name="api-board"),
    path(f"{_BOARD}check/", api.CheckApi.as_view(), name="api-board-check"),
    path(f"{_BOARD}submissions/", api.EntryListApi.as_view(), name="api-board-submissions"),
    path(f"{_BOARD}team/", api.TeamApi.as_view(), name="api-board-team"),
    path(f"{_BOARD}submissions/<int:entry_id>/", api.EntryApi.as_view(), name="api-board-submission"),
    path(
        f"{_BOARD}submissions/<int:entry_id>/withdraw/",
        api.EntryWithdrawApi.as_view(),
        name="api-board-withdraw",
    ),
    path(_LEAD, lead.LeadBoardListApi.as_view(), name="api-project-boards"),
    path(_ONE, lead.LeadBoardApi.as_view(), name="api-project-board"),
    path(f"{_ONE}state/", lead.LeadBoardStateApi.as_view(), name="api-project-board-state"),
    path(f"{_ONE}versions/", lead.LeadVersionListApi.as_view(), name="api-project-board-versions"),
    path(f"{_ONE}export/", lead.LeadBoardExportApi.as_view(), name="api-project-board-export"),
    path(f"{_ONE}invitations/", lead.LeadInvitationListApi.as_view(), name="api-project-board-invitations"),
    path(
        f"{_ONE}invitations/<int:invitation_id>/revoke/",
        lead.LeadInvitationRevokeApi.as_view(),
        name="api-project-board-revoke",
    ),
    path(f"{_ONE}submissions/", lead.LeadEntryListApi.as_view(), name="api-project-board-submissions"),
    path(f"{_ENTRY}hide/", lead.LeadEntryHideApi.as_view(), name="api-project-board-hide"),
    path(f"{_ENTRY}show/", lead.LeadEntryShowApi.as_view(), name="api-project-board-show"),
    path(f"{_ENTRY}again/", lead.LeadEntryAgainApi.as_view(), name="api-project-board-again"),
]
