"""What tests about the life of a report share."""

from django.utils import timezone

from agreement.computation.compute import report_compute
from agreement.computation.requests import report_request
from annotation.models import TypeAnnotation

TEXT = "Everyone knows that buses are late."
QUICK = {"replicates": 100}


def change_judgement():
    row = TypeAnnotation.objects.filter(type_code="LE", applicable=False).first()
    TypeAnnotation.objects.filter(id=row.id).update(
        applicable=True,
        start=0,
        end=8,
        quote="Everyone",
        revision=row.revision + 1,
        decided_at=timezone.now(),
    )


def computed(round, **parameters):
    report = report_request(round=round, parameters={**QUICK, **parameters})
    assert report_compute(report_id=report.id)
    report.refresh_from_db()
    return report
