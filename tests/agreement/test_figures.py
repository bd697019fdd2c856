"""The TypedDicts of a report are what real reports hold: no key more, no key fewer."""

from typing import NotRequired, TypedDict

import pytest
from django.core.management import call_command

from agreement.api.reports import ReportAnswer, _report_json
from agreement.computation.compute import report_compute
from agreement.computation.requests import report_current, report_request
from agreement.models import AgreementReport
from agreement.report.figures import ReportFigures
from annotation.models import Membership, Project, Round
from tests.agreement.small_encoder import encoder_folder
from tests.declared import drift


@pytest.mark.django_db
def test_the_figures_of_both_protocols_have_the_keys_that_their_types_declare(settings, tmp_path):
    call_command("load_sample", verbosity=0)
    settings.ENCODER = str(encoder_folder(tmp_path))
    AgreementReport.objects.all().delete()
    reports = []
    for round in Round.objects.filter(status=Round.Status.CLOSED).exclude(purpose=Round.Purpose.TRAINING):
        report = report_request(round=round, parameters={"replicates": 100})
        assert report_compute(report_id=report.id)
        report.refresh_from_db()
        reports.append(report)
    assert {report.figures["protocol"] for report in reports} == {"focus", "cqs_gen"}
    assert any("encoder" in report.figures for report in reports)
    kinds = {section["kind"] for report in reports for section in report.figures["sections"]}
    assert kinds == {"type", "group", "all", "labels", "useful", "reasons"}
    assert [found for report in reports for found in drift(report.figures, ReportFigures)] == []
    for report in reports:
        answer = _report_json(report_current(round=report.round), lead_of(report.round.project))
        assert drift(answer, ReportAnswer) == []


def lead_of(project: Project) -> Membership:
    return project.memberships.filter(is_lead=True).first()


def test_a_key_more_a_key_fewer_and_another_type_are_found():
    class Inner(TypedDict):
        n: int
        value: float | None

    class Outer(TypedDict):
        rows: list[Inner]
        note: NotRequired[str]

    assert drift({"rows": [{"n": 1, "value": None}, {"n": 2, "value": 1}]}, Outer) == []
    assert drift({"rows": [{"n": 1}], "more": 1}, Outer) == [
        "report.more: is not declared",
        "report.rows[0].value: is missing",
    ]
    assert drift({"rows": [{"n": "1", "value": 0.5}], "note": None}, Outer) == [
        "report.rows[0].n: '1' is no int",
        "report.note: None is no str",
    ]
