"""Addresses of the API of releases, below /api/."""

from django.urls import path

from exports import api

urlpatterns = [
    path("projects/<slug:slug>/releases/", api.ReleaseListApi.as_view(), name="api-releases"),
    path("projects/<slug:slug>/releases/<str:version>/", api.ReleaseApi.as_view(), name="api-release"),
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
]
