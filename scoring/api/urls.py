"""Addresses of the API of evaluations, below /api/."""

from django.urls import path

from scoring.api import evaluations as api
from scoring.api.matching_rounds import MatchingRoundsApi

_EVALUATIONS = "projects/<slug:slug>/releases/<str:version>/evaluations/"

urlpatterns = [
    path(
        "projects/<slug:slug>/releases/<str:version>/matching-rounds/",
        MatchingRoundsApi.as_view(),
        name="api-matching-rounds",
    ),
    path(_EVALUATIONS, api.EvaluationListApi.as_view(), name="api-evaluations"),
    path(f"{_EVALUATIONS}compare/", api.ComparisonApi.as_view(), name="api-evaluations-compare"),
    path(f"{_EVALUATIONS}<int:evaluation_id>/", api.EvaluationApi.as_view(), name="api-evaluation"),
    path(
        f"{_EVALUATIONS}<int:evaluation_id>/cancel/",
        api.EvaluationCancelApi.as_view(),
        name="api-evaluation-cancel",
    ),
    path(
        f"{_EVALUATIONS}<int:evaluation_id>/again/",
        api.EvaluationAgainApi.as_view(),
        name="api-evaluation-again",
    ),
]
