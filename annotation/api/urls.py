"""Addresses of the annotation API, below /api/."""

from django.urls import path

from annotation.api import privacy as api_privacy
from annotation.api import projects as api
from annotation.api import rounds as api_reassigning
from annotation.api import rounds as api_round
from annotation.api import training_key as api_key
from annotation.api import workspace as api_workspace

urlpatterns = [
    path("me/data/", api_privacy.OwnDataApi.as_view(), name="api-own-data"),
    path("projects/<slug:slug>/deletion/", api_privacy.ProjectDeletionApi.as_view(), name="api-deletion"),
    path(
        "projects/<slug:slug>/people/<str:pseudonym>/erase/",
        api_privacy.PersonEraseApi.as_view(),
        name="api-person-erase",
    ),
    path(
        "projects/<slug:slug>/items/<path:external_id>/erase/",
        api_privacy.ItemEraseApi.as_view(),
        name="api-item-erase",
    ),
    path("projects/", api.ProjectListApi.as_view(), name="api-projects"),
    path("projects/<slug:slug>/", api.ProjectApi.as_view(), name="api-project"),
    path("projects/<slug:slug>/rounds/", api.RoundListApi.as_view(), name="api-rounds"),
    path("projects/<slug:slug>/rounds/<int:number>/", api_round.RoundApi.as_view(), name="api-round"),
    path("projects/<slug:slug>/rounds/<int:number>/draw/", api.RoundDrawApi.as_view(), name="api-draw"),
    path(
        "projects/<slug:slug>/rounds/<int:number>/asked/", api_round.RoundAskedApi.as_view(), name="api-asked"
    ),
    path("projects/<slug:slug>/rounds/<int:number>/open/", api.RoundOpenApi.as_view(), name="api-open"),
    path("projects/<slug:slug>/rounds/<int:number>/close/", api.RoundCloseApi.as_view(), name="api-close"),
    path(
        "projects/<slug:slug>/rounds/<int:number>/pause/", api_round.RoundPauseApi.as_view(), name="api-pause"
    ),
    path(
        "projects/<slug:slug>/rounds/<int:number>/resume/",
        api_round.RoundResumeApi.as_view(),
        name="api-resume",
    ),
    path(
        "projects/<slug:slug>/rounds/<int:number>/reassign/",
        api_reassigning.ReassignApi.as_view(),
        name="api-reassign",
    ),
    path("projects/<slug:slug>/rounds/<int:number>/reopen/", api.RoundReopenApi.as_view(), name="api-reopen"),
    path(
        "projects/<slug:slug>/rounds/<int:number>/workspace/",
        api_workspace.WorkspaceApi.as_view(),
        name="api-workspace",
    ),
    path(
        "projects/<slug:slug>/rounds/<int:number>/units/", api_workspace.UnitsApi.as_view(), name="api-units"
    ),
    path(
        "projects/<slug:slug>/rounds/<int:number>/outline/",
        api_workspace.OutlineApi.as_view(),
        name="api-outline",
    ),
    path(
        "projects/<slug:slug>/rounds/<int:number>/judgements/",
        api_workspace.JudgementApi.as_view(),
        name="api-judgements",
    ),
    path(
        "projects/<slug:slug>/rounds/<int:number>/key/workspace/",
        api_key.KeyWorkspaceApi.as_view(),
        name="api-key-workspace",
    ),
    path(
        "projects/<slug:slug>/rounds/<int:number>/key/units/",
        api_key.KeyUnitsApi.as_view(),
        name="api-key-units",
    ),
    path(
        "projects/<slug:slug>/rounds/<int:number>/key/judgements/",
        api_key.KeyAnswerApi.as_view(),
        name="api-key-judgements",
    ),
    path(
        "projects/<slug:slug>/rounds/<int:number>/training/",
        api_workspace.TrainingApi.as_view(),
        name="api-training",
    ),
]
