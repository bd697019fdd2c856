"""Closed rounds with their reports, for whatever shows or changes a report."""

from django.utils import timezone

from agreement.computation.compute import report_compute
from agreement.computation.requests import report_request
from agreement.models import AgreementReport
from annotation.models import Round, TypeAnnotation
from annotation.rounds.lifecycle import round_close
from tests.factories.judgements import NO, record, yes
from tests.factories.projects import Study, study
from tests.factories.rounds import open_round

TEXT = "Everyone knows that buses are late."
DISPUTED = "The library should stay open all night. Everyone's grades fell when it closed at ten."
QUICK = {"replicates": 100}


def change_judgement() -> None:
    """Turn one stored “no” to LE into a “yes” with a span, as somebody else's save does."""
    row = TypeAnnotation.objects.filter(type_code="LE", applicable=False).first()
    TypeAnnotation.objects.filter(id=row.id).update(
        applicable=True,
        start=0,
        end=8,
        quote="Everyone",
        revision=row.revision + 1,
        decided_at=timezone.now(),
    )


def computed(round: Round, **parameters) -> AgreementReport:
    """Ask for a report with these parameters and compute it."""
    report = report_request(round=round, parameters={**QUICK, **parameters})
    assert report_compute(report_id=report.id)
    report.refresh_from_db()
    return report


def disputed_study(slug: str = "s", **options) -> Study:
    """Ann and Bea say yes to LE with spans apart, Cai no; WE is no but for Ann; the rest is no."""
    made = study("focus", annotators=3, items=2, texts=(DISPUTED,), slug=slug)
    open_round(made, **options)
    ann, bea, cai = made.annotators
    item = made.items[0]
    answers = {
        ("LE", ann): yes(item, "The library", comment="no source"),
        ("LE", bea): yes(item, "grades fell"),
        ("WE", ann): yes(item, "closed at ten"),
    }
    for entry in made.round.codebook.definition["types"]:
        for member in (ann, bea, cai):
            answer = answers.get((entry["code"], member), NO)
            record(made.round, member, item, entry["code"], answer)
    round_close(made.round, by=made.lead)
    compute_report(made)
    return made


def compute_report(made: Study) -> AgreementReport:
    """Compute the report that closing the round asked for, as a worker does."""
    report = AgreementReport.objects.get(round=made.round)
    assert report_compute(report_id=report.pk)
    report.refresh_from_db()
    return report


def disputed_questions(slug: str = "q") -> Study:
    """Three annotators, one text, its first question answered in three ways, its second in one."""
    made = study("cqs_gen", annotators=3, items=1, questions=2, slug=slug)
    open_round(made)
    first, second = made.items[0].questions.all()
    votes = ({"label": "USE"}, {"label": "UN", "comment": "well known"}, {"label": "IN", "reason": "NC"})
    for member, answer in zip(made.annotators, votes, strict=True):
        record(made.round, member, made.items[0], first, answer)
        record(made.round, member, made.items[0], second, {"label": "USE"})
    round_close(made.round, by=made.lead)
    compute_report(made)
    return made
