"""Addresses of the API of judgements, releases and refinements, below /api/."""

from django.urls import path

from exports.api import judgements
from exports.api import refinement as refinement_api
from exports.api import releases as api

urlpatterns = [
    path(
        "projects/<slug:slug>/judgements.csv",
        judgements.JudgementsCsvApi.as_view(),
        name="api-judgements-csv",
    ),
    path(
        "projects/<slug:slug>/judgements.jsonl",
        judgements.JudgementsLinesApi.as_view(),
        name="api-judgements-jsonl",
    ),
    path("projects/<slug:slug>/releases/", api.ReleaseListApi.as_view(), name="api-releases"),
    path("projects/<slug:slug>/releases/<str:version>/", api.ReleaseApi.as_view(), name="api-release"),
    path(
        "projects/<slug:slug>/releases/<str:version>/cancel/",
        api.ReleaseCancelApi.as_view(),
        name="api-release-cancel",
    ),
    path(
        "projects/<slug:slug>/releases/<str:version>/public/",
        api.ReleasePublicApi.as_view(),
        name="api-release-public",
    ),
    path(
        "projects/<slug:slug>/releases/<str:version>/files/<path:name>",
        api.ReleaseFileApi.as_view(),
        name="api-release-file",
    ),
    path(
        "projects/<slug:slug>/refinements/",
        refinement_api.RefinementListApi.as_view(),
        name="api-refinements",
    ),
    path(
        "projects/<slug:slug>/refinements/counts/",
        refinement_api.RefinementCountsApi.as_view(),
        name="api-refinement-counts",
    ),
    path(
        "projects/<slug:slug>/refinements/runs/",
        refinement_api.RefinementRunListApi.as_view(),
        name="api-refinement-runs",
    ),
    path(
        "projects/<slug:slug>/refinements/runs/<int:number>/",
        refinement_api.RefinementRunApi.as_view(),
        name="api-refinement-run",
    ),
    path(
        "projects/<slug:slug>/refinements/runs/<int:number>/cancel/",
        refinement_api.RefinementRunCancelApi.as_view(),
        name="api-refinement-run-cancel",
    ),
    path(
        "projects/<slug:slug>/refinements/<int:refinement_id>/reject/",
        refinement_api.RefinementRejectApi.as_view(),
        name="api-refinement-reject",
    ),
    path(
        "projects/<slug:slug>/refinements/<int:refinement_id>/restore/",
        refinement_api.RefinementRestoreApi.as_view(),
        name="api-refinement-restore",
    ),
]
