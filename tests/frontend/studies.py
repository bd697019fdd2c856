"""A closed round with its report, for the pages that show disagreements."""

from agreement.computation.compute import report_compute
from agreement.models import AgreementReport
from annotation.rounds.lifecycle import round_close
from tests import factories

TEXT = "The library should stay open all night. Everyone's grades fell when it closed at ten."


def disputed_study(slug: str = "s", **options) -> factories.Study:
    """Ann and Bea say yes to LE with spans apart, Cai no; WE is no but for Ann; the rest is no."""
    made = factories.study("focus", annotators=3, items=2, texts=(TEXT,), slug=slug)
    factories.open_round(made, **options)
    ann, bea, cai = made.annotators
    item = made.items[0]
    answers = {
        ("LE", ann): factories.yes(item, "The library", comment="no source"),
        ("LE", bea): factories.yes(item, "grades fell"),
        ("WE", ann): factories.yes(item, "closed at ten"),
    }
    for entry in made.round.codebook.definition["types"]:
        for member in (ann, bea, cai):
            answer = answers.get((entry["code"], member), factories.NO)
            factories.record(made.round, member, item, entry["code"], answer)
    round_close(made.round, by=made.lead)
    computed(made)
    return made


def computed(made: factories.Study) -> AgreementReport:
    report = AgreementReport.objects.get(round=made.round)
    assert report_compute(report_id=report.pk)
    report.refresh_from_db()
    return report


def disputed_questions(slug: str = "q") -> factories.Study:
    """Three annotators, one text, its first question answered in three ways, its second in one."""
    made = factories.study("cqs_gen", annotators=3, items=1, questions=2, slug=slug)
    factories.open_round(made)
    first, second = made.items[0].questions.all()
    votes = ({"label": "USE"}, {"label": "UN", "comment": "well known"}, {"label": "IN", "reason": "NC"})
    for member, answer in zip(made.annotators, votes, strict=True):
        factories.record(made.round, member, made.items[0], first, answer)
        factories.record(made.round, member, made.items[0], second, {"label": "USE"})
    round_close(made.round, by=made.lead)
    computed(made)
    return made
