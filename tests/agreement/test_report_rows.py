"""What the database refuses to store of a report."""

import pytest
from django.db import IntegrityError, transaction

from agreement.computation.requests import report_request
from agreement.models import AgreementReport, ConsensusSpan, DisputedUnit, ReportPart
from tests.factories.reports import QUICK, computed
from tests.factories.stored import close_stored

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def refuses(**wrong):
    with pytest.raises(IntegrityError), transaction.atomic():
        AgreementReport.objects.update(**wrong)


def test_the_database_refuses_a_report_that_is_half_there(round):
    computed(close_stored(round))
    refuses(figures=None)
    refuses(digest="")
    refuses(state="failed")
    refuses(state="running")
    refuses(state="gone")
    refuses(progress_done=99)
    refuses(crosscheck="perhaps")


def test_the_database_refuses_two_reports_under_way_or_two_of_one_digest(round):
    report = computed(close_stored(round))
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
    report = report_request(round=close_stored(round), parameters=QUICK)
    fields = {"start": 0, "end": 8, "text": "Everyone", "support": 2, "kind": "gold", "members": [1, 2]}
    item = round.items.first()
    with pytest.raises(IntegrityError), transaction.atomic():
        ConsensusSpan.objects.create(report=report, item=item, type_code="OG", **{**fields, **wrong})
    ConsensusSpan.objects.create(report=report, item=item, type_code="OG", **fields)
    with pytest.raises(IntegrityError), transaction.atomic():
        ConsensusSpan.objects.create(report=report, item=item, type_code="OG", **fields)


@pytest.mark.parametrize("wrong", [{"disputed": 1.1}, {"type_code": ""}, {"why": "because"}])
def test_the_database_refuses_a_disputed_unit_that_cannot_be(round, wrong):
    report = report_request(round=close_stored(round), parameters=QUICK)
    fields = {"type_code": "OG", "why": "undecided", "votes": [], "disputed": 0.5}
    item = round.items.first()
    with pytest.raises(IntegrityError), transaction.atomic():
        DisputedUnit.objects.create(report=report, item=item, **{**fields, **wrong})
    DisputedUnit.objects.create(report=report, item=item, **fields)
    with pytest.raises(IntegrityError), transaction.atomic():
        DisputedUnit.objects.create(report=report, item=item, **fields)


@pytest.mark.parametrize(
    "wrong",
    [
        {"state": "running"},
        {"state": "done"},
        {"state": "gone"},
        {"result": {}},
        {"state": "running", "lease_token": "a"},
    ],
)
def test_the_database_refuses_a_part_that_is_half_there(round, wrong):
    report = report_request(round=close_stored(round), parameters=QUICK)
    with pytest.raises(IntegrityError), transaction.atomic():
        ReportPart.objects.create(report=report, key="pooled", position=0, **wrong)
    ReportPart.objects.create(report=report, key="pooled", position=0)
    with pytest.raises(IntegrityError), transaction.atomic():
        ReportPart.objects.create(report=report, key="pooled", position=1)
