"""Addresses of the agreement API, below /api/."""

from django.urls import path

from agreement.api import competence, influence, planning, reports

_REPORT = "projects/<slug:slug>/rounds/<int:number>/report/"

urlpatterns = [
    path("projects/<slug:slug>/study-plan/", planning.StudyPlanApi.as_view(), name="api-study-plan"),
    path(_REPORT, reports.ReportApi.as_view(), name="api-report"),
    path(f"{_REPORT}queue/", reports.QueueApi.as_view(), name="api-report-queue"),
    path(f"{_REPORT}plan/", reports.PlanApi.as_view(), name="api-report-plan"),
    path(f"{_REPORT}figures.json", reports.FiguresJsonApi.as_view(), name="api-report-json"),
    path(f"{_REPORT}figures.csv", reports.FiguresCsvApi.as_view(), name="api-report-csv"),
    path(f"{_REPORT}competence/", competence.CompetenceApi.as_view(), name="api-competence"),
    path(f"{_REPORT}competence.csv", competence.CompetenceCsvApi.as_view(), name="api-competence-csv"),
    path(f"{_REPORT}posteriors.csv", competence.PosteriorsCsvApi.as_view(), name="api-posteriors-csv"),
    path(f"{_REPORT}influence/", influence.InfluenceApi.as_view(), name="api-influence"),
    path(f"{_REPORT}influence.csv", influence.InfluenceCsvApi.as_view(), name="api-influence-csv"),
    path(f"{_REPORT}influence.tex", influence.InfluenceLatexApi.as_view(), name="api-influence-latex"),
    path(f"{_REPORT}change.csv", reports.ChangeCsvApi.as_view(), name="api-report-change-csv"),
    path(f"{_REPORT}cross.csv", reports.CrossCsvApi.as_view(), name="api-report-cross-csv"),
    path(f"{_REPORT}cross.tex", reports.CrossLatexApi.as_view(), name="api-report-cross-latex"),
    path(f"{_REPORT}cross.svg", reports.CrossSvgApi.as_view(), name="api-report-cross-svg"),
    path(f"{_REPORT}cross.pdf", reports.CrossPdfApi.as_view(), name="api-report-cross-pdf"),
    path(f"{_REPORT}charts/<slug:name>.svg", reports.ChartSvgApi.as_view(), name="api-report-chart-svg"),
    path(f"{_REPORT}charts/<slug:name>.pdf", reports.ChartPdfApi.as_view(), name="api-report-chart-pdf"),
    path(f"{_REPORT}table.tex", reports.LatexApi.as_view(), name="api-report-latex"),
]
