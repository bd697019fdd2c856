"""Files are the same bytes whatever language is asked for: only pages speak the reader's language."""

from pathlib import Path

import pytest
from django.test import Client
from django.utils import translation

from agreement.computation.compute import report_compute
from agreement.display.chart_files import CHARTS
from agreement.models import AgreementReport
from annotation.models import Project
from exports.releases.build import build_files
from exports.selection.parameters import Parameters
from exports.selection.selection import read_selection
from tests import factories
from tests.conftest import client_of
from tests.factories import USEFUL, close, cqs_study, focus_study, invalid, judge, judge_question

pytestmark = pytest.mark.django_db

LANGUAGES = ("en", "es", "ja")
CHOICES = {"exchange": ["label_studio", "doccano", "web_annotation"], "comments": True}
REPORT_FILES = ("figures.json", "figures.csv", "table.tex", *(f"charts/{name}.svg" for name in CHARTS))


@pytest.fixture(params=["focus", "cqs_gen"])
def made(request) -> factories.Study:
    if request.param == "focus":
        made = focus_study(annotators=2, items=2, slug="s")
        judge(made, made.items[0], {"LE": [factories.yes(made.items[0], "library"), factories.NO]})
        judge(made, made.items[1], {})
    else:
        made = cqs_study(annotators=2, items=1, questions=2, slug="s")
        first, second = made.items[0].questions.all()
        judge_question(made, first, [USEFUL, invalid()])
        judge_question(made, second, [USEFUL, USEFUL])
    close(made)
    return made


def built(project: Project, folder: Path, language: str) -> dict[str, bytes]:
    folder.mkdir()
    with translation.override(language):
        build_files(read_selection(project, Parameters.from_json(CHOICES)), "1.0", folder)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*.*"))}


def test_a_release_built_for_a_spanish_lead_is_the_english_one_byte_for_byte(made, tmp_path):
    files = {language: built(made.project, tmp_path / language, language) for language in LANGUAGES}
    assert {"README.md", "release.json"} <= set(files["en"])
    assert b"## Known limits" in files["es"]["README.md"]
    assert files["es"] == files["en"]
    assert files["ja"] == files["en"]


def downloaded(client: Client, language: str) -> dict[str, bytes]:
    found = {}
    for name in REPORT_FILES:
        answer = client.get(f"/api/projects/s/rounds/1/report/{name}", headers={"accept-language": language})
        found[name] = b"".join(answer) if answer.status_code == 200 else b""
    return found


def test_a_report_computed_and_fetched_in_spanish_has_the_english_bytes(made):
    report = AgreementReport.objects.get(round=made.round)
    lead = client_of(made.lead.user)
    with translation.override("es"):
        assert report_compute(report_id=report.pk)
    report.refresh_from_db()
    figures = report.figures
    AgreementReport.objects.filter(pk=report.pk).update(state=AgreementReport.State.QUEUED, digest="")
    assert report_compute(report_id=report.pk)
    report.refresh_from_db()
    assert report.figures == figures
    english = downloaded(lead, "en")
    assert b"alpha" in english["figures.json"] and b"<svg" in english["charts/alpha.svg"]
    assert downloaded(lead, "es") == english
    assert downloaded(lead, "ja") == english
