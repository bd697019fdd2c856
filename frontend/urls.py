"""The addresses of the pages, one a line."""

from django.urls import path

from frontend.pages import workspace

urlpatterns = [
    path("p/<slug:slug>/rounds/<int:number>/work/", workspace.workspace, name="workspace"),
]
