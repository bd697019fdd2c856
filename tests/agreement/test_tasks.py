"""What is sent to workers, and when."""

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from agreement import tasks
from agreement.computation import crosscheck
from agreement.computation.compute import report_sweep
from agreement.computation.requests import report_request
from agreement.models import AgreementReport
from annotation.signals import round_closed
from tests.factories.reports import QUICK
from tests.factories.stored import close_stored

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def test_closing_a_round_writes_the_row_in_its_transaction_and_sends_it_after(
    round, sent, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        with transaction.atomic():
            round_closed.send(sender=type(round), round=close_stored(round))
            report = AgreementReport.objects.get()
        assert sent == []
    assert sent == [("agreement.compute_report", report.id)]
    assert report.parameters == {"live": False, "replicates": 1000, "seed": 1, "span_match": 0.5}


def test_a_closing_that_is_rolled_back_leaves_no_report(round):
    with pytest.raises(RuntimeError), transaction.atomic():
        round_closed.send(sender=type(round), round=close_stored(round))
        raise RuntimeError
    assert not AgreementReport.objects.exists()


def test_a_broker_that_is_down_leaves_the_report_to_the_sweep(
    round, monkeypatch, caplog, django_capture_on_commit_callbacks
):
    def down(report_id):
        raise OperationalError("connection refused")

    monkeypatch.setattr(tasks.compute_report, "delay", down)
    with django_capture_on_commit_callbacks(execute=True):
        tasks.report_start(round=close_stored(round))
    report = AgreementReport.objects.get()
    assert report.state == "queued"
    assert f"agreement.compute_report ({report.id},) waits" in caplog.text
    AgreementReport.objects.update(enqueued_at=timezone.now() - timedelta(minutes=2))
    assert report_sweep() == [report.id]


def test_a_computed_report_is_sent_to_be_checked_and_a_lost_one_is_swept(round, sent):
    report = report_request(round=close_stored(round), parameters=QUICK)
    tasks.compute_report(report.id)
    assert sent == [("agreement.crosscheck_report", report.id)]
    waiting = report_request(round=round, parameters={"seed": 3})
    AgreementReport.objects.filter(id=waiting.id).update(enqueued_at=timezone.now() - timedelta(minutes=2))
    tasks.sweep_reports()
    assert ("agreement.compute_report", waiting.id) in sent


def test_a_worker_has_a_cross_check_made_in_a_process_that_ends(monkeypatch):
    started = []
    monkeypatch.setattr(
        crosscheck.subprocess, "run", lambda command, **options: started.append((command, options))
    )
    tasks.crosscheck_report.push_request(called_directly=False, is_eager=False)
    try:
        tasks.crosscheck_report.run(17)
    finally:
        tasks.crosscheck_report.pop_request()
    ((command, options),) = started
    assert command[1:] == ["-m", "agreement.computation.subprocess_main", "17"]
    assert options["check"] is True
