"""Addresses of the API of assistants, below /api/."""

from django.urls import path

from assist.api import candidates, runs, topics

BASE = "projects/<slug:slug>/assist"

urlpatterns = [
    path(f"{BASE}/", runs.RunListApi.as_view(), name="api-assist"),
    path(f"{BASE}/preview/", runs.RunPreviewApi.as_view(), name="api-assist-preview"),
    path(f"{BASE}/runs/<int:number>/", runs.RunApi.as_view(), name="api-assist-run"),
    path(f"{BASE}/runs/<int:number>/cancel/", runs.RunCancelApi.as_view(), name="api-assist-cancel"),
    path(f"{BASE}/runs/<int:number>/resume/", runs.RunResumeApi.as_view(), name="api-assist-resume"),
    path(f"{BASE}/runs/<int:number>/answers/", runs.RunAnswersApi.as_view(), name="api-assist-answers"),
    path(
        f"{BASE}/runs/<int:number>/submission/", runs.RunSubmissionApi.as_view(), name="api-assist-submission"
    ),
    path(f"{BASE}/runs/<int:number>/check/", runs.RunCheckApi.as_view(), name="api-assist-check"),
    path(f"{BASE}/runs/<int:number>/marks/", runs.RunMarksApi.as_view(), name="api-assist-marks"),
    path(f"{BASE}/runs/<int:number>/proposals/", candidates.CollectApi.as_view(), name="api-assist-collect"),
    path(f"{BASE}/schemes/", candidates.SchemeListApi.as_view(), name="api-assist-schemes"),
    path(
        f"{BASE}/items/<int:item_id>/candidates/",
        candidates.CandidatesApi.as_view(),
        name="api-assist-candidates",
    ),
    path(
        f"{BASE}/items/<int:item_id>/schemes/",
        candidates.SchemeFillApi.as_view(),
        name="api-assist-scheme-fill",
    ),
    path(f"{BASE}/topics/", topics.TopicsApi.as_view(), name="api-assist-topics"),
    path(
        f"{BASE}/topics/<int:number>/apply/", topics.TopicsApplyApi.as_view(), name="api-assist-topics-apply"
    ),
    path(f"{BASE}/questions/", candidates.QuestionsMakeApi.as_view(), name="api-assist-questions"),
]
