"""The life of a report: asked for, claimed once, stored whole, found again, never half shown."""

import logging
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from agreement import jobs, tasks
from agreement.jobs import ATTEMPTS, report_claim, report_compute, report_sweep
from agreement.models import AgreementReport, ConsensusSpan, DisputedUnit
from agreement.parameters import ParametersRefused
from agreement.reports import (
    ReportHidden,
    live_reports_due,
    report_current,
    report_request,
    report_visible,
)
from annotation.models import TypeAnnotation
from annotation.signals import round_closed
from tests.agreement.builders import (
    items_make,
    members_make,
    project_make,
    round_make,
    round_open,
    round_shut,
    type_judge,
)

pytestmark = [pytest.mark.django_db, pytest.mark.database]

TEXT = "Everyone knows that buses are late."
QUICK = {"replicates": 100}


@pytest.fixture(autouse=True)
def sent(monkeypatch):
    """What was sent to the broker, instead of a broker."""
    calls = []
    for task in (tasks.compute_report, tasks.crosscheck_report):
        monkeypatch.setattr(task, "delay", lambda report_id, name=task.name: calls.append((name, report_id)))
    return calls


@pytest.fixture
def round():
    project = project_make()
    items = items_make(project, {"a": TEXT, "b": TEXT})
    members = members_make(project, ["A1", "A2"])
    made = round_make(project, list(items.values()), live_agreement=True)
    round_open(made)
    for item in items.values():
        type_judge(made, item, members["A1"], {"OG": (0, 8), "LE": False})
        type_judge(made, item, members["A2"], {"OG": (0, 8), "LE": (20, 25)})
    return made


def change_judgement():
    row = TypeAnnotation.objects.filter(type_code="LE", applicable=False).first()
    TypeAnnotation.objects.filter(id=row.id).update(
        applicable=True, start=0, end=8, quote="Everyone", revision=row.revision + 1
    )


def computed(round, **parameters):
    report = report_request(round=round, parameters={**QUICK, **parameters})
    assert report_compute(report_id=report.id)
    report.refresh_from_db()
    return report


def test_a_computed_report_is_stored_whole(round):
    report = computed(round_shut(round))
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
    report = report_request(round=round_shut(round), parameters=QUICK)
    assert report_claim(report_id=report.id)
    assert report_claim(report_id=report.id) is None
    assert not report_compute(report_id=report.id)


def test_asking_twice_is_asking_once_before_and_after_computing(round):
    round_shut(round)
    first = report_request(round=round, parameters=QUICK)
    assert report_request(round=round, parameters=QUICK) == first
    report_compute(report_id=first.id)
    assert report_request(round=round, parameters=QUICK) == first
    assert AgreementReport.objects.count() == 1


def test_other_parameters_make_another_report(round):
    round_shut(round)
    assert computed(round).digest != computed(round, seed=2).digest


def test_a_changed_judgement_makes_the_report_out_of_date_until_it_is_computed_again(round):
    round_shut(round)
    computed(round)
    assert not report_current(round=round).out_of_date
    change_judgement()
    assert report_current(round=round).out_of_date
    again = computed(round)
    current = report_current(round=round)
    assert (current.report, current.out_of_date) == (again, False)


def test_a_decision_taken_back_is_not_out_of_date_and_needs_no_second_report(round):
    round_shut(round)
    first = computed(round)
    TypeAnnotation.objects.filter(type_code="LE").update(revision=5)
    assert not report_current(round=round).out_of_date
    second = report_request(round=round, parameters=QUICK)
    assert second != first
    assert report_compute(report_id=second.id)
    assert list(AgreementReport.objects.all()) == [first]
    assert report_request(round=round, parameters=QUICK) == first


def test_older_code_makes_a_report_out_of_date(round):
    report = computed(round_shut(round))
    AgreementReport.objects.filter(id=report.id).update(code_version=0)
    assert report_current(round=round).out_of_date


def test_a_worker_whose_lease_ran_out_stores_nothing_after_another_took_over(round, monkeypatch):
    report = report_request(round=round_shut(round), parameters=QUICK)
    build = jobs.report_build

    def overtaken(*args, **kwargs):
        AgreementReport.objects.filter(id=report.id).update(lease_until=timezone.now() - timedelta(seconds=1))
        monkeypatch.setattr(jobs, "report_build", build)
        assert report_compute(report_id=report.id)
        return build(*args, **kwargs)

    monkeypatch.setattr(jobs, "report_build", overtaken)
    assert not report_compute(report_id=report.id)
    report.refresh_from_db()
    assert (report.state, report.attempts) == ("done", 2)
    assert ConsensusSpan.objects.filter(report=report, type_code="OG").count() == 2


def test_what_a_dead_worker_left_behind_is_replaced(round):
    report = report_request(round=round_shut(round), parameters=QUICK)
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
    report = report_request(round=round_shut(round), parameters=QUICK)
    report_claim(report_id=report.id)
    assert report_sweep() == []


def test_a_report_that_waits_too_long_is_sent_again_but_not_at_every_sweep(round):
    report = report_request(round=round_shut(round), parameters=QUICK)
    assert report_sweep() == []
    AgreementReport.objects.update(enqueued_at=timezone.now() - timedelta(minutes=2))
    assert report_sweep() == [report.id]
    assert report_sweep() == []


def test_a_report_that_stops_every_worker_is_given_up_with_a_reason(round):
    report = report_request(round=round_shut(round), parameters=QUICK)
    report_claim(report_id=report.id)
    AgreementReport.objects.update(attempts=ATTEMPTS, lease_until=timezone.now() - timedelta(seconds=1))
    assert report_sweep() == []
    report.refresh_from_db()
    assert report.state == "failed"
    assert "stopped 3 times" in report.error


def test_an_error_is_stored_with_its_place_and_without_what_was_judged(round, monkeypatch, caplog):
    report = report_request(round=round_shut(round), parameters=QUICK)

    def broken(*args, **kwargs):
        raise ValueError("Everyone is no number")

    monkeypatch.setattr("agreement.report.annotator_figures", broken)
    with caplog.at_level(logging.ERROR):
        assert not report_compute(report_id=report.id)
    report.refresh_from_db()
    assert report.state == "failed"
    assert report.error.startswith("ValueError in tests/agreement/test_tasks.py, line ")
    assert "Everyone" not in report.error + caplog.text


def test_a_failed_report_can_be_asked_for_again(round):
    report = report_request(round=round_shut(round), parameters=QUICK)
    AgreementReport.objects.update(state="failed", error="ValueError")
    assert report_current(round=round).failed == report
    again = report_request(round=round, parameters=QUICK)
    assert list(AgreementReport.objects.all()) == [again]
    assert report_current(round=round).pending == again
    assert report_compute(report_id=again.id)
    current = report_current(round=round)
    assert (current.report, current.failed, current.pending) == (again, None, None)


def test_closing_a_round_writes_the_row_in_its_transaction_and_sends_it_after(
    round, sent, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        with transaction.atomic():
            round_closed.send(sender=type(round), round=round_shut(round))
            report = AgreementReport.objects.get()
        assert sent == []
    assert sent == [("agreement.compute_report", report.id)]
    assert report.parameters == {"live": False, "replicates": 1000, "seed": 1, "span_match": 0.5}


def test_a_closing_that_is_rolled_back_leaves_no_report(round):
    with pytest.raises(RuntimeError), transaction.atomic():
        round_closed.send(sender=type(round), round=round_shut(round))
        raise RuntimeError
    assert not AgreementReport.objects.exists()


def test_a_broker_that_is_down_leaves_the_report_to_the_sweep(
    round, monkeypatch, caplog, django_capture_on_commit_callbacks
):
    def down(report_id):
        raise OperationalError("connection refused")

    monkeypatch.setattr(tasks.compute_report, "delay", down)
    with django_capture_on_commit_callbacks(execute=True):
        tasks.report_start(round=round_shut(round))
    report = AgreementReport.objects.get()
    assert report.state == "queued"
    assert f"report {report.id} waits for the sweep" in caplog.text
    AgreementReport.objects.update(enqueued_at=timezone.now() - timedelta(minutes=2))
    assert report_sweep() == [report.id]


def test_a_computed_report_is_sent_to_be_checked_and_a_lost_one_is_swept(round, sent):
    report = report_request(round=round_shut(round), parameters=QUICK)
    tasks.compute_report(report.id)
    assert sent == [("agreement.crosscheck_report", report.id)]
    waiting = report_request(round=round, parameters={"seed": 3})
    AgreementReport.objects.filter(id=waiting.id).update(enqueued_at=timezone.now() - timedelta(minutes=2))
    tasks.sweep_reports()
    assert ("agreement.compute_report", waiting.id) in sent


def test_a_live_report_is_another_one_than_that_of_the_closed_round(round):
    live = computed(round)
    assert live.parameters["live"] and not live.consensus_spans.exists()
    assert report_current(round=round).report == live
    round_shut(round)
    assert report_current(round=round).report is None
    assert computed(round) != live


def test_a_new_live_report_takes_the_place_of_the_one_before(round):
    computed(round)
    change_judgement()
    newest = computed(round)
    assert list(AgreementReport.objects.all()) == [newest]


def test_a_live_report_is_due_when_judgements_changed(round):
    assert live_reports_due() == [round]
    computed(round)
    assert live_reports_due() == []
    change_judgement()
    assert live_reports_due() == [round]
    round_shut(round)
    assert live_reports_due() == []


def test_nobody_sees_a_report_of_an_open_round_without_live_agreement(round):
    round.live_agreement = False
    round.save()
    with pytest.raises(ReportHidden) as hidden:
        report_request(round=round)
    assert hidden.value.why == "open"
    (lead,) = members_make(round.project, ["L1"]).values()
    with pytest.raises(ReportHidden):
        report_visible(member=lead, round=round)
    report_visible(member=lead, round=round_shut(round))


def test_live_agreement_is_hidden_from_a_lead_who_annotates_in_the_round(round):
    members = members_make(round.project, ["A1", "L1"])
    report_visible(member=members["L1"], round=round)
    with pytest.raises(ReportHidden) as hidden:
        report_visible(member=members["A1"], round=round)
    assert hidden.value.why == "annotates"
    report_visible(member=members["A1"], round=round_shut(round))


def test_a_draft_has_no_report(round):
    draft = round_make(round.project, list(round.items.all()))
    with pytest.raises(ReportHidden) as hidden:
        report_request(round=draft)
    assert hidden.value.why == "draft"


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"replicates": 10}, "replicates"),
        ({"replicates": "1000"}, "replicates"),
        ({"seed": -1}, "seed"),
        ({"seed": True}, "seed"),
        ({"span_match": 0}, "span_match"),
        ({"span_match": float("nan")}, "span_match"),
        ({"bootstrap": 5}, "bootstrap"),
    ],
)
def test_wrong_parameters_are_refused_by_name(round, given, field):
    with pytest.raises(ParametersRefused) as refused:
        report_request(round=round_shut(round), parameters=given)
    assert list(refused.value.errors) == [field]


def refuses(**wrong):
    with pytest.raises(IntegrityError), transaction.atomic():
        AgreementReport.objects.update(**wrong)


def test_the_database_refuses_a_report_that_is_half_there(round):
    computed(round_shut(round))
    refuses(figures=None)
    refuses(digest="")
    refuses(state="failed")
    refuses(state="running")
    refuses(state="gone")
    refuses(progress_done=99)
    refuses(crosscheck="perhaps")


def test_the_database_refuses_two_reports_under_way_or_two_of_one_digest(round):
    report = computed(round_shut(round))
    AgreementReport.objects.create(round=round, parameters={}, parameters_sha256="x")
    with pytest.raises(IntegrityError), transaction.atomic():
        AgreementReport.objects.create(round=round, parameters={}, parameters_sha256="x")
    report.pk = None
    with pytest.raises(IntegrityError), transaction.atomic():
        report.save(force_insert=True)


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "gold", "support": 1},
        {"kind": "disagreement", "support": 2},
        {"start": 8, "end": 8, "text": ""},
        {"end": 9},
        {"kind": "silver"},
    ],
)
def test_the_database_refuses_a_consensus_span_that_cannot_be(round, wrong):
    report = report_request(round=round_shut(round), parameters=QUICK)
    fields = {"start": 0, "end": 8, "text": "Everyone", "support": 2, "kind": "gold", "members": [1, 2]}
    item = round.items.first()
    with pytest.raises(IntegrityError), transaction.atomic():
        ConsensusSpan.objects.create(report=report, item=item, type_code="OG", **{**fields, **wrong})
    ConsensusSpan.objects.create(report=report, item=item, type_code="OG", **fields)
    with pytest.raises(IntegrityError), transaction.atomic():
        ConsensusSpan.objects.create(report=report, item=item, type_code="OG", **fields)


@pytest.mark.parametrize("wrong", [{"disputed": 1.1}, {"type_code": ""}, {"why": "because"}])
def test_the_database_refuses_a_disputed_unit_that_cannot_be(round, wrong):
    report = report_request(round=round_shut(round), parameters=QUICK)
    fields = {"type_code": "OG", "why": "undecided", "votes": [], "disputed": 0.5}
    item = round.items.first()
    with pytest.raises(IntegrityError), transaction.atomic():
        DisputedUnit.objects.create(report=report, item=item, **{**fields, **wrong})
    DisputedUnit.objects.create(report=report, item=item, **fields)
    with pytest.raises(IntegrityError), transaction.atomic():
        DisputedUnit.objects.create(report=report, item=item, **fields)
