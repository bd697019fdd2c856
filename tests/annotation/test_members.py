"""Roles change, people leave and come back, and a project is never without a lead."""

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from annotation.models import Membership, Project, ProjectEvent
from annotation.projects.members import member_deactivate, member_edit, member_reactivate
from annotation.projects.projects import member_add, slug_for
from core.errors import Refused
from tests import factories
from tests.conftest import client_of

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


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Campus debates", "campus-debates"),
        ("討論プロジェクト", "project"),
        ("Straße & café — Übung 🎓", "strasse-cafe-ubung"),
        ("snake_case", "snake-case"),
        ("x" * 200, "x" * 80),
    ],
)
def test_a_name_of_any_script_makes_a_short_name_that_is_free(name, slug):
    assert slug_for(name) == slug
    Project.objects.create(slug=slug, name=name, protocol="focus")
    assert slug_for(name) == f"{slug[:78]}-2"
    Project.objects.create(slug=f"{slug[:78]}-2", name=name, protocol="focus")
    assert slug_for(name) == f"{slug[:78]}-3"


def test_a_project_without_a_lead_is_opened_to_an_account_by_a_command(capsys):
    call_command("create_project", "scripted", "--codebook", "focus")
    assert "manage.py add_member scripted ACCOUNT --lead" in capsys.readouterr().out
    factories.user("olu")
    assert client_of("olu").get("/p/scripted/").status_code == 404
    call_command("add_member", "scripted", "olu", "--lead")
    assert capsys.readouterr().out == "olu takes part in scripted as L1.\n"
    assert client_of("olu").get("/p/scripted/settings/").status_code == 200
    member = Membership.objects.get()
    assert (member.is_lead, member.is_annotator) == (True, False)
    call_command("add_member", "scripted", "olu")
    member.refresh_from_db()
    assert (member.is_lead, member.is_annotator) == (True, True)
    events = ProjectEvent.objects.filter(action="member added").order_by("id")
    assert [event.details for event in events] == [
        {"who": "L1", "roles": ["lead"]},
        {"who": "L1", "roles": ["annotator"]},
    ]


@pytest.mark.parametrize(
    ("account", "told"),
    [
        ("nobody", "There is no account “nobody”."),
        ("ann", "ann takes part in this project already, as A2."),
        ("bea", "A3 was deactivated in this project"),
    ],
)
def test_adding_nobody_or_somebody_who_is_there_or_was_deactivated_is_refused(account, told):
    made = factories.study("focus", annotators=2, slug="s")
    member_deactivate(target=made.annotators[1], member=made.lead)
    with pytest.raises(CommandError, match=told):
        call_command("add_member", "s", account)
    assert not ProjectEvent.objects.filter(action="member added").exists()
