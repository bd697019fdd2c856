"""A project's page, for leads and for annotators."""

import re

import pytest

from annotation.adjudication.adjudication import ResolutionInput, resolution_decide
from annotation.adjudication.discussion import comment_add
from annotation.judging.recording import Unit
from annotation.models import Comment, Membership, ProjectEvent
from annotation.projects.change_sign import project_stamp
from annotation.projects.invitations import invitation_create, invitation_revoke
from annotation.projects.projects import project_archive, project_create
from annotation.rounds.lifecycle import round_close, round_create, round_draw, round_reopen
from frontend.pages.project.project import annotators_there, checklist, items_there
from tests import factories
from tests.conftest import client_of
from tests.factories.reports import disputed_study
from tests.pages import html_of

pytestmark = pytest.mark.django_db


def steps_of(project) -> list[tuple[str, bool, bool]]:
    steps = checklist(project, items_there(project, project_stamp(project)), annotators_there(project))
    return [(step.title, step.done, step.is_next) for step in steps]


def test_an_empty_project_begins_with_the_import():
    project = project_create(slug="new", codebook="focus", user=factories.user("lea"))
    assert steps_of(project) == [
        ("Import items", False, True),
        ("Codebook", True, False),
        ("People", False, False),
        ("First round", False, False),
    ]


def test_the_next_step_follows_what_is_done():
    made = factories.study("focus", annotators=1, items=2)
    assert steps_of(made.project)[2] == ("People", False, True)
    made = factories.study("focus", annotators=2, items=2)
    assert steps_of(made.project)[3] == ("First round", False, True)


def said(project) -> str:
    return checklist(project, items_there(project, project_stamp(project)), annotators_there(project))[2].says


def test_the_checklist_says_how_many_invitations_wait():
    made = factories.study("focus", annotators=1, items=2)
    for _ in range(2):
        invitation, _ = invitation_create(project=made.project, member=made.lead)
    assert said(made.project).startswith("2 invitations wait to be accepted.")
    invitation_revoke(invitation=invitation, member=made.lead)
    assert said(made.project).startswith("One invitation waits to be accepted.")


def test_the_checklist_leaves_when_the_first_round_runs(lead_client):
    made = factories.study("focus")
    address = f"/p/{made.project.slug}/"
    assert "From here to the first round" in html_of(lead_client.get(address))
    factories.open_round(made)
    assert "From here to the first round" not in html_of(lead_client.get(address))


def test_a_lead_reads_each_annotators_progress_and_the_acts_that_fit(lead_client):
    made = factories.study("focus", annotators=2, items=2)
    factories.open_round(made, name="Pilot")
    factories.record(made.round, made.annotators[1], made.items[0], "LE", factories.NO)
    page = html_of(lead_client.get(f"/p/{made.project.slug}/"))
    assert "A3</span>" in page and "1 / 20" in page and "0 / 20" in page
    assert "Close Pilot" in page and "Open Pilot" not in page
    draft = round_create(project=made.project, name="Main")
    assert "Draw items" in html_of(lead_client.get(f"/p/{made.project.slug}/"))
    round_draw(draft)
    assert "Open Main" in html_of(lead_client.get(f"/p/{made.project.slug}/"))


def test_an_annotator_sees_neither_drafts_nor_others_progress():
    made = factories.study("focus", annotators=2, items=2)
    factories.open_round(made, name="Pilot")
    factories.record(made.round, made.annotators[1], made.items[0], "LE", factories.NO)
    round_create(project=made.project, name="Hidden draft")
    page = html_of(client_of("ann").get(f"/p/{made.project.slug}/"))
    assert "Start Pilot" in page and "0 of 20 decided" in page
    assert "Hidden draft" not in page and "1 of 20" not in page
    assert re.search(r"\bA3\b", page) is None  # the letters may stand in the form's random token


def test_an_annotator_finds_closed_rounds_below_open_ones():
    made = factories.study("focus", annotators=2, items=1)
    round_close(factories.open_round(made, name="First"), by=made.lead)
    factories.open_round(made, name="Second")
    page = html_of(client_of("ann").get(f"/p/{made.project.slug}/"))
    assert page.index("Start Second") < page.index("You decided 0 of 10.")


def test_settings_are_saved_and_logged(lead_client):
    made = factories.study("focus")
    given = {"name": "Campus", "licence": "CC BY 4.0", "languages": "en", "contact": "lea@example.org"}
    lead_client.post(f"/p/{made.project.slug}/settings/", given)
    made.project.refresh_from_db()
    assert {field: getattr(made.project, field) for field in given} == given
    event = ProjectEvent.objects.get(project=made.project, action="project edited")
    assert event.details == {"fields": ["contact", "licence", "name"]}


def test_archiving_asks_for_the_short_name(lead_client):
    made = factories.study("focus", slug="old-study")
    response = lead_client.post("/p/old-study/archive/", {"typed": "old"})
    assert "That is not the short name: type old-study." in html_of(response)
    made.project.refresh_from_db()
    assert made.project.archived_at is None
    lead_client.post("/p/old-study/archive/", {"typed": "old-study"})
    made.project.refresh_from_db()
    assert made.project.archived_at is not None
    lead_client.post("/p/old-study/restore/")
    made.project.refresh_from_db()
    assert made.project.archived_at is None
    actions = ProjectEvent.objects.filter(project=made.project).values_list("action", flat=True)
    assert list(actions)[:2] == ["project restored", "project archived"]


def test_a_project_with_an_open_round_is_not_archived(lead_client):
    made = factories.study("focus", slug="running")
    factories.open_round(made, name="Pilot")
    page = html_of(lead_client.post("/p/running/archive/", {"typed": "running"}, follow=True))
    assert "Pilot is open: close it before you archive the project." in page
    made.project.refresh_from_db()
    assert made.project.archived_at is None


def test_nothing_opens_in_an_archived_project(lead_client):
    made = factories.study("focus", slug="shelved")
    draft = round_create(project=made.project, name="Late")
    round_draw(draft)
    project_archive(project=made.project, member=made.lead)
    chosen = [member.pk for member in Membership.objects.filter(project=made.project, is_annotator=True)]
    page = html_of(
        lead_client.post("/p/shelved/rounds/1/open/", {"choose": "1", "annotators": chosen}, follow=True)
    )
    assert "is archived: restore it first" in page
    draft.refresh_from_db()
    assert draft.status == "draft"


def test_a_closed_round_says_what_still_waits_for_a_decision_and_what_is_talked_about(lead_client):
    made = disputed_study("s")
    item, unit, codebook = made.items[0], Unit("LE"), made.round.codebook
    talked = {"round": made.round, "item": item, "member": made.lead}
    comment_add(unit=unit, text="Whose span?", **talked)
    comment_add(unit=Unit("WE"), text="Why?", **talked)
    page = " ".join(html_of(lead_client.get("/p/s/")).split())
    assert '<a href="/p/s/rounds/1/disagreements/?state=waiting">1 unit waits for a decision</a>' in page
    assert '<a href="/p/s/rounds/1/discussion/">2 discussions are open</a>' in page
    comment_add(unit=unit, text="", act=Comment.Act.SETTLE, **talked)
    assert ">1 discussion is open</a>" in html_of(lead_client.get("/p/s/"))
    comment_add(unit=unit, text="", act=Comment.Act.REOPEN, **talked)
    assert ">2 discussions are open</a>" in html_of(lead_client.get("/p/s/"))
    no = ResolutionInput(applicable=False, why="No source is named.")
    resolution_decide(item=item, unit=unit, member=made.lead, codebook=codebook, given=no, seen=None)
    assert "for a decision" not in html_of(lead_client.get("/p/s/"))
    # An open round's judgements are nobody's business yet.
    round_reopen(made.round, why="One more text.", by=made.lead)
    assert "discussions are open" not in html_of(lead_client.get("/p/s/"))


def test_whoever_is_mentioned_finds_it_on_the_first_page_and_at_the_round(lead_client):
    study = factories.study("focus", annotators=2, items=1, slug="s")
    factories.open_round(study)
    factories.record(study.round, study.annotators[0], study.items[0], "LE", factories.NO)
    round_close(study.round, by=study.lead)
    where = {"round": study.round, "item": study.items[0], "unit": Unit("LE")}
    comment_add(**where, member=study.annotators[1], text="@A2, @A1: is this evidence?")
    ann = client_of("ann")
    assert "You are mentioned in an open discussion" in html_of(ann.get("/"))
    for client in (ann, lead_client):
        page = html_of(client.get("/p/s/"))
        assert '<a href="/p/s/rounds/1/discussion/?mine"><b>1 mentions you</b></a>' in page
    assert "mention" not in html_of(client_of("bea").get("/"))
    comment_add(**where, member=study.lead, text="No.", act="settle")
    assert "mention" not in html_of(ann.get("/"))


def test_an_annotator_looks_through_what_they_decided_in_a_closed_round():
    study = factories.study("focus", annotators=2, items=1, slug="s")
    factories.open_round(study)
    factories.record(study.round, study.annotators[0], study.items[0], "LE", factories.NO)
    round_close(study.round, by=study.lead)
    look = '<a href="/p/s/rounds/1/work/">Look through what you decided</a>'
    assert look in html_of(client_of("ann").get("/p/s/"))
    assert look not in html_of(client_of("bea").get("/p/s/"))
