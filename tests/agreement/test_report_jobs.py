"""The life of a report: claimed once, stored whole, found again, never half shown."""

import logging
from datetime import timedelta

import pytest
from django.utils import timezone

from agreement.computation import compute as jobs
from agreement.computation.compute import report_claim, report_compute, report_sweep
from agreement.computation.requests import report_request
from agreement.models import AgreementReport, ConsensusSpan, DisputedUnit
from core.jobs import ATTEMPTS
from tests.factories.reports import QUICK, computed
from tests.factories.stored import close_stored

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def test_a_computed_report_is_stored_whole(round):
    report = computed(close_stored(round))
    assert report.state == "done"
    assert report.figures["n_judgements"] == 8
    assert report.progress_done == report.progress_total == 17
    assert [
        (span.text, span.support, span.kind) for span in report.consensus_spans.filter(type_code="OG")
    ] == [
        ("Everyone", 2, "gold"),
        ("Everyone", 2, "gold"),
    ]
    assert report.disputed_units.filter(type_code="LE", why="undecided").count() == 2
    assert report.lease_until is None


def test_a_second_claim_of_the_same_report_gets_nothing(round):
    report = report_request(round=close_stored(round), parameters=QUICK)
    assert report_claim(report_id=report.id)
    assert report_claim(report_id=report.id) is None
    assert not report_compute(report_id=report.id)


def test_a_worker_whose_lease_ran_out_stores_nothing_after_another_took_over(round, monkeypatch):
    report = report_request(round=close_stored(round), parameters=QUICK)
    build = jobs.build_report

    def overtaken(*args, **kwargs):
        AgreementReport.objects.filter(id=report.id).update(lease_until=timezone.now() - timedelta(seconds=1))
        monkeypatch.setattr(jobs, "build_report", build)
        assert report_compute(report_id=report.id)
        return build(*args, **kwargs)

    monkeypatch.setattr(jobs, "build_report", overtaken)
    assert not report_compute(report_id=report.id)
    report.refresh_from_db()
    assert (report.state, report.attempts) == ("done", 2)
    assert ConsensusSpan.objects.filter(report=report, type_code="OG").count() == 2


def test_a_worker_stores_nothing_while_another_has_its_report(round, monkeypatch):
    report = report_request(round=close_stored(round), parameters=QUICK)
    build = jobs.build_report

    def taken_over(*args, **kwargs):
        AgreementReport.objects.filter(id=report.id).update(lease_token="another")
        return build(*args, **kwargs)

    monkeypatch.setattr(jobs, "build_report", taken_over)
    assert not report_compute(report_id=report.id)
    report.refresh_from_db()
    assert (report.state, report.lease_token, report.consensus_spans.count()) == ("running", "another", 0)


def test_what_a_dead_worker_left_behind_is_replaced(round):
    report = report_request(round=close_stored(round), parameters=QUICK)
    report_claim(report_id=report.id)
    item = round.items.first()
    ConsensusSpan.objects.create(
        report=report,
        item=item,
        type_code="OG",
        start=0,
        end=8,
        text="Everyone",
        support=2,
        kind="gold",
        members=[],
    )
    DisputedUnit.objects.create(report=report, item=item, type_code="OG", votes=[], disputed=1)
    AgreementReport.objects.filter(id=report.id).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert report_sweep() == [report.id]
    assert report_compute(report_id=report.id)
    assert ConsensusSpan.objects.filter(type_code="OG").count() == 2
    assert not DisputedUnit.objects.filter(type_code="OG").exists()


def test_a_running_report_with_a_lease_is_left_alone(round):
    report = report_request(round=close_stored(round), parameters=QUICK)
    report_claim(report_id=report.id)
    assert report_sweep() == []


def test_a_report_that_waits_too_long_is_sent_again_but_not_at_every_sweep(round):
    report = report_request(round=close_stored(round), parameters=QUICK)
    assert report_sweep() == []
    AgreementReport.objects.update(enqueued_at=timezone.now() - timedelta(minutes=2))
    assert report_sweep() == [report.id]
    assert report_sweep() == []


def test_a_report_that_stops_every_worker_is_given_up_with_a_reason(round):
    report = report_request(round=close_stored(round), parameters=QUICK)
    report_claim(report_id=report.id)
    AgreementReport.objects.update(attempts=ATTEMPTS, lease_until=timezone.now() - timedelta(seconds=1))
    assert report_sweep() == []
    report.refresh_from_db()
    assert report.state == "failed"
    assert "stopped 3 times" in report.error


def test_an_error_is_stored_with_its_place_and_without_what_was_judged(round, monkeypatch, caplog):
    report = report_request(round=close_stored(round), parameters=QUICK)

    def broken(*args, **kwargs):
        raise ValueError("Everyone is no number")

    monkeypatch.setattr("agreement.report.assembly.annotator_figures", broken)
    with caplog.at_level(logging.ERROR):
        assert not report_compute(report_id=report.id)
    report.refresh_from_db()
    assert report.state == "failed"
    assert report.error.startswith("ValueError in tests/agreement/test_report_jobs.py, line ")
    assert "Everyone" not in report.error + caplog.text
