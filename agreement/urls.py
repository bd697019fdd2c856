"""Addresses of the agreement API, below /api/."""

from django.urls import path

from agreement import api, api_competence

_REPORT = "projects/<slug:slug>/rounds/<int:number>/report/"

urlpatterns = [
    path(_REPORT, api.ReportApi.as_view(), name="api-report"),
    path(f"{_REPORT}queue/", api.QueueApi.as_view(), name="api-report-queue"),
    path(f"{_REPORT}plan/", api.PlanApi.as_view(), name="api-report-plan"),
    path(f"{_REPORT}figures.json", api.FiguresJsonApi.as_view(), name="api-report-json"),
    path(f"{_REPORT}figures.csv", api.FiguresCsvApi.as_view(), name="api-report-csv"),
    path(f"{_REPORT}competence/", api_competence.CompetenceApi.as_view(), name="api-competence"),
    path(f"{_REPORT}competence.csv", api_competence.CompetenceCsvApi.as_view(), name="api-competence-csv"),
    path(f"{_REPORT}posteriors.csv", api_competence.PosteriorsCsvApi.as_view(), name="api-posteriors-csv"),
    path(f"{_REPORT}change.csv", api.ChangeCsvApi.as_view(), name="api-report-change-csv"),
    path(f"{_REPORT}cross.csv", api.CrossCsvApi.as_view(), name="api-report-cross-csv"),
    path(f"{_REPORT}cross.tex", api.CrossLatexApi.as_view(), name="api-report-cross-latex"),
    path(f"{_REPORT}cross.svg", api.CrossSvgApi.as_view(), name="api-report-cross-svg"),
    path(f"{_REPORT}cross.pdf", api.CrossPdfApi.as_view(), name="api-report-cross-pdf"),
    path(f"{_REPORT}charts/<slug:name>.svg", api.ChartSvgApi.as_view(), name="api-report-chart-svg"),
    path(f"{_REPORT}charts/<slug:name>.pdf", api.ChartPdfApi.as_view(), name="api-report-chart-pdf"),
    path(f"{_REPORT}table.tex", api.LatexApi.as_view(), name="api-report-latex"),
]
