"""Roles change, people leave and come back, and a project is never without a lead."""

import pytest

from annotation.errors import Refused
from annotation.models import ProjectEvent
from annotation.people import member_deactivate, member_edit, member_reactivate
from annotation.projects import member_add
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return factories.study("focus", annotators=2, items=1)


def test_roles_and_background_change_and_the_log_names_the_fields(study):
    ann = study.annotators[0]
    member_edit(target=ann, member=study.lead, is_lead=True, is_annotator=True, background="Linguist")
    ann.refresh_from_db()
    assert (ann.is_lead, ann.background) == (True, "Linguist")
    event = ProjectEvent.objects.filter(action="member edited").get()
    assert event.details == {"who": "A2", "fields": ["is_lead", "background"]}


def test_the_last_lead_stays_lead(study):
    with pytest.raises(Refused, match="at least one lead"):
        member_edit(target=study.lead, member=study.lead, is_lead=False, is_annotator=True, background="")
    with pytest.raises(Refused, match="at least one lead"):
        member_deactivate(target=study.lead, member=study.lead)
    study.lead.refresh_from_db()
    assert (study.lead.is_lead, study.lead.is_active) == (True, True)


def test_a_lead_without_an_account_is_no_other_lead(study):
    member_add(project=study.project, private_name="Imported", is_lead=True)
    with pytest.raises(Refused, match="at least one lead"):
        member_deactivate(target=study.lead, member=study.lead)


def test_leaving_keeps_the_judgements_unless_the_lead_leaves_them_out(study):
    ann, bea = study.annotators
    member_deactivate(target=ann, member=study.lead)
    member_deactivate(target=bea, member=study.lead, leave_out=True)
    assert (ann.is_active, ann.left_out_at) == (False, None)
    assert bea.left_out_at is not None
    member_reactivate(target=bea, member=study.lead)
    bea.refresh_from_db()
    assert (bea.is_active, bea.left_out_at) == (True, None)
