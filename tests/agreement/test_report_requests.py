"""Asking for a report: once is enough, what makes it out of date, who may see it."""

import pytest

from agreement.computation.compute import report_compute
from agreement.computation.requests import (
    ReportHidden,
    live_reports_due,
    report_current,
    report_request,
    report_visible,
)
from agreement.models import AgreementReport
from agreement.report.parameters import ParametersRefused
from annotation.models import TypeAnnotation
from tests.factories.reports import QUICK, change_judgement, computed
from tests.factories.stored import close_stored, store_members, store_round

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def test_asking_twice_is_asking_once_before_and_after_computing(round):
    close_stored(round)
    first = report_request(round=round, parameters=QUICK)
    assert report_request(round=round, parameters=QUICK) == first
    report_compute(report_id=first.id)
    assert report_request(round=round, parameters=QUICK) == first
    assert AgreementReport.objects.count() == 1


def test_other_parameters_make_another_report(round):
    close_stored(round)
    assert computed(round).digest != computed(round, seed=2).digest


def test_a_changed_judgement_makes_the_report_out_of_date_until_it_is_computed_again(round):
    close_stored(round)
    computed(round)
    assert not report_current(round=round).out_of_date
    change_judgement()
    assert report_current(round=round).out_of_date
    again = computed(round)
    current = report_current(round=round)
    assert (current.report, current.out_of_date) == (again, False)


def test_a_decision_taken_back_is_not_out_of_date_and_needs_no_second_report(round):
    close_stored(round)
    first = computed(round)
    TypeAnnotation.objects.filter(type_code="LE").update(revision=5)
    assert not report_current(round=round).out_of_date
    second = report_request(round=round, parameters=QUICK)
    assert second != first
    assert report_compute(report_id=second.id)
    assert list(AgreementReport.objects.all()) == [first]
    assert report_request(round=round, parameters=QUICK) == first


def test_older_code_makes_a_report_out_of_date(round):
    report = computed(close_stored(round))
    AgreementReport.objects.filter(id=report.id).update(code_version=0)
    assert report_current(round=round).out_of_date


def test_a_failed_report_can_be_asked_for_again(round):
    report = report_request(round=close_stored(round), parameters=QUICK)
    AgreementReport.objects.update(state="failed", error="ValueError")
    assert report_current(round=round).failed == report
    again = report_request(round=round, parameters=QUICK)
    assert list(AgreementReport.objects.all()) == [again]
    assert report_current(round=round).pending == again
    assert report_compute(report_id=again.id)
    current = report_current(round=round)
    assert (current.report, current.failed, current.pending) == (again, None, None)


def test_a_live_report_is_another_one_than_that_of_the_closed_round(round):
    live = computed(round)
    assert live.parameters["live"] and not live.consensus_spans.exists()
    assert report_current(round=round).report == live
    close_stored(round)
    assert report_current(round=round).report is None
    assert computed(round) != live


def test_a_new_live_report_takes_the_place_of_the_one_before(round, monkeypatch):
    monkeypatch.setattr("agreement.computation.requests.LIVE_ITEMS", 1)
    computed(round)
    change_judgement()
    newest = computed(round)
    assert list(AgreementReport.objects.all()) == [newest]


def test_a_live_report_of_one_changed_item_is_none_for_it_would_tell_of_it(round):
    """The difference to the report before would be what was said of that item."""
    shown = computed(round)
    change_judgement()
    assert live_reports_due() == []
    assert report_request(round=round, parameters=QUICK) == shown
    assert not report_current(round=round).out_of_date


def test_a_live_report_is_due_when_judgements_changed(round, monkeypatch):
    monkeypatch.setattr("agreement.computation.requests.LIVE_ITEMS", 1)
    assert live_reports_due() == [round]
    computed(round)
    assert live_reports_due() == []
    change_judgement()
    assert live_reports_due() == [round]
    close_stored(round)
    assert live_reports_due() == []


def test_nobody_sees_a_report_of_an_open_round_without_live_agreement(round):
    round.live_agreement = False
    round.save()
    with pytest.raises(ReportHidden) as hidden:
        report_request(round=round)
    assert hidden.value.why == "open"
    (lead,) = store_members(round.project, ["L1"]).values()
    with pytest.raises(ReportHidden):
        report_visible(member=lead, round=round)
    report_visible(member=lead, round=close_stored(round))


def test_live_agreement_is_hidden_from_a_lead_who_annotates_in_the_round(round):
    members = store_members(round.project, ["A1", "L1"])
    report_visible(member=members["L1"], round=round)
    with pytest.raises(ReportHidden) as hidden:
        report_visible(member=members["A1"], round=round)
    assert hidden.value.why == "annotates"
    report_visible(member=members["A1"], round=close_stored(round))


def test_a_draft_has_no_report(round):
    draft = store_round(round.project, list(round.items.all()))
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
        report_request(round=close_stored(round), parameters=given)
    assert list(refused.value.errors) == [field]
