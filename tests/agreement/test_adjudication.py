"""The adjudication queue: most disputed first, each unit to one lead only."""

from threading import Thread

import pytest
from django.db import connection

from agreement.adjudication.queue import queue_claim_next, queue_progress
from agreement.computation.compute import report_compute
from agreement.models import AgreementReport
from annotation.adjudication.adjudication import ResolutionInput, resolution_decide
from annotation.judging.recording import Unit
from annotation.projects.projects import member_add
from annotation.rounds.lifecycle import round_close
from tests import factories


def split_study(items: int = 2) -> tuple[factories.Study, AgreementReport]:
    """A closed round of two annotators who differ on every unit of the two criteria."""
    made = factories.study("context_sufficiency", annotators=2, items=items)
    made.second = member_add(project=made.project, user=factories.user("lou"), is_lead=True)
    factories.open_round(made)
    ann, bea = made.annotators
    for item in made.items:
        for entry in made.round.codebook.definition["types"]:
            factories.record(made.round, ann, item, entry["code"], {"applicable": True})
            factories.record(made.round, bea, item, entry["code"], factories.NO)
    round_close(made.round, by=made.lead)
    report = AgreementReport.objects.get(round=made.round)
    assert report_compute(report_id=report.pk)
    report.refresh_from_db()
    return made, report


def decide(made, found, member):
    return resolution_decide(
        item=found.item,
        unit=Unit(found.type_code, found.question_id),
        member=member,
        codebook=made.round.codebook,
        given=ResolutionInput(applicable=False, why="x"),
        seen=None,
    )


@pytest.mark.django_db
def test_two_leads_are_given_different_units_until_none_is_left():
    made, report = split_study()
    first = queue_claim_next(report, made.lead)
    second = queue_claim_next(report, made.second)
    assert first.pk != second.pk
    assert queue_progress(report, made.lead).taken == 1
    decide(made, first, made.lead)
    decide(made, second, made.second)
    for _ in range(2):
        decide(made, queue_claim_next(report, made.lead), made.lead)
    assert queue_claim_next(report, made.lead) is None
    progress = queue_progress(report, made.lead)
    assert (progress.total, progress.decided, progress.left, progress.taken) == (4, 4, 0, 0)


@pytest.mark.django_db
def test_the_queue_can_be_of_one_type():
    made, report = split_study()
    code = made.round.codebook.definition["types"][1]["code"]
    assert queue_claim_next(report, made.lead, types=(code,)).type_code == code


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_two_leads_at_once_decide_each_of_100_units_once():
    made, report = split_study(items=50)
    decided: list[int] = []
    problems: list[Exception] = []

    def work(member):
        try:
            while (found := queue_claim_next(report, member)) is not None:
                decide(made, found, member)
                decided.append(found.pk)
        except Exception as error:
            problems.append(error)
        finally:
            connection.close()

    leads = [Thread(target=work, args=(member,)) for member in (made.lead, made.second)]
    for lead in leads:
        lead.start()
    for lead in leads:
        lead.join()
    assert problems == []
    assert sorted(decided) == sorted(report.disputed_units.values_list("pk", flat=True))
    assert len(decided) == 100
