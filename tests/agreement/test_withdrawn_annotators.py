"""An annotator who withdraws with their judgements is in no figure computed from then on."""

import pytest

from agreement.adjudication.answers import read_answers
from agreement.report.loading import judgements_digest, judgements_stamp, read_judgements
from annotation.projects.members import member_deactivate, member_reactivate
from tests import factories

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def study():
    made = factories.study("focus", annotators=3, items=1)
    factories.open_round(made)
    for member in made.annotators:
        factories.record(made.round, member, made.items[0], "LE", factories.NO)
    return made


def leave(study, *, out: bool) -> None:
    member_deactivate(target=study.annotators[0], member=study.lead, leave_out=out)


def test_their_judgements_are_left_out_and_the_report_knows_it_is_out_of_date(study):
    before = judgements_stamp(study.round), judgements_digest(study.round)
    leave(study, out=True)
    judgements = read_judgements(study.round)
    assert judgements.raters == ("A3", "A4")
    assert judgements.n_judgements == 2
    assert judgements_stamp(study.round) != before[0]
    assert judgements_digest(study.round) != before[1]
    key = (study.items[0].pk, "LE", None)
    assert sorted(answer.pseudonym for answer in read_answers(study.round, [key])[key]) == ["A3", "A4"]


def test_whoever_just_stops_stays_in_the_figures(study):
    before = judgements_stamp(study.round), judgements_digest(study.round)
    leave(study, out=False)
    assert (judgements_stamp(study.round), judgements_digest(study.round)) == before


def test_coming_back_brings_the_same_judgements_back(study):
    before = judgements_stamp(study.round), judgements_digest(study.round)
    leave(study, out=True)
    member_reactivate(target=study.annotators[0], member=study.lead)
    assert (judgements_stamp(study.round), judgements_digest(study.round)) == before
