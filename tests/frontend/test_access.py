"""Who may open which page: strangers see no project at all, annotators no lead's page."""

import pytest
from django.test import Client
from django.urls import get_resolver, reverse

from annotation.projects.invitations import invitation_create
from exports.models import Release
from exports.selection.parameters import Parameters
from tests import factories
from tests.conftest import client_of

pytestmark = pytest.mark.django_db

# Every route below a project: its name, and who may open it besides leads.
LEAD_ROUTES = {
    "audit",
    "audit_csv",
    "screening",
    "project_settings",
    "project_archive",
    "project_delete",
    "project_keep",
    "item_erase",
    "items_topics",
    "items_topics_progress",
    "person_erase",
    "project_restore",
    "agreement",
    "agreement_status",
    "agreement_compute",
    "agreement_competence",
    "agreement_influence",
    "agreement_units",
    "disagreements",
    "round_disagreements",
    "adjudicate_next",
    "unit_decide",
    "unit_undo",
    "unit_skip",
    "codebook_edit",
    "codebook_preview",
    "items",
    "item",
    "item_correct",
    "item_withdraw",
    "item_restore",
    "items_import",
    "upload",
    "upload_progress",
    "upload_refused",
    "import_undo",
    "releases",
    "release",
    "release_progress",
    "release_cancel",
    "release_publish",
    "release_unpublish",
    "refinements",
    "refinement_progress",
    "refinement_cancel",
    "refinement_reject",
    "refinement_restore",
    "assistants",
    "assistant_run",
    "assistant_progress",
    "assistant_submission",
    "assistant_judgements",
    "item_candidates",
    "systems",
    "system",
    "system_new",
    "matching_new",
    "matching_score",
    "matching_references",
    "systems_compare",
    "systems_compare_file",
    "evaluation",
    "evaluation_progress",
    "evaluation_cancel",
    "evaluation_again",
    "evaluation_file",
    "evaluation_answers",
    "answer_tag",
    "error_tag_new",
    "boards",
    "board_new",
    "lead_board",
    "lead_board_settings",
    "lead_board_version",
    "lead_board_switch",
    "lead_board_invite",
    "lead_board_export",
    "lead_board_hide",
    "lead_board_show",
    "people",
    "person",
    "person_deactivate",
    "person_reactivate",
    "person_reassign",
    "invitation_withdraw",
    "round_new",
    "study_size",
    "round",
    "round_progress",
    "round_asked",
    "round_draw",
    "round_key",
    "round_key_answer",
    "round_key_decided",
    "round_open",
    "round_pause",
    "round_change",
    "round_edit",
    "round_delete",
    "round_close",
    "round_reopen",
}
MEMBER_ROUTES = {
    "project",
    "codebook",
    "codebook_compare",
    "discussion",
    "my_decisions",
    "project_leave",
    "unit",
    "unit_comment",
}
# Open to anybody while a lead has switched it on: tests/exports/test_public_page.py.
PUBLIC_ROUTES = {"public_release", "public_release_file"}
# Of boards, whose people are of no project: tests/boards/test_disclosure_table.py.
BOARD_ROUTES = {
    "board",
    "board_file",
    "board_hand_in",
    "board_team",
    "board_team_progress",
    "board_entry",
    "board_withdraw",
}
ELSEWHERE_TESTED = {"workspace", *BOARD_ROUTES}

POST_ONLY = {
    "lead_board_switch",
    "lead_board_invite",
    "lead_board_export",
    "lead_board_show",
    "matching_score",
    "matching_references",
    "agreement_compute",
    "agreement_competence",
    "agreement_influence",
    "adjudicate_next",
    "unit_decide",
    "unit_undo",
    "unit_skip",
    "unit_comment",
    "codebook_preview",
    "item_restore",
    "import_undo",
    "project_keep",
    "project_restore",
    "person_reactivate",
    "invitation_withdraw",
    "round_pause",
    "release_cancel",
    "release_unpublish",
    "refinement_cancel",
    "refinement_reject",
    "refinement_restore",
    "evaluation_cancel",
    "evaluation_again",
    "answer_tag",
    "error_tag_new",
}


@pytest.fixture
def study():
    made = factories.study("focus", annotators=3, items=2, slug="guarded")
    factories.open_round(made)
    Release.objects.create(project=made.project, version="1.0", parameters=Parameters().to_json())
    return made


def address(name: str, made: factories.Study) -> str:
    known = {
        "slug": made.project.slug,
        "number": 1,
        "item_id": made.items[0].pk,
        "key": "LE",
        "upload_id": 1,
        "version": "1.0",
        "name": "best" if name.startswith("lead_board") else "focus.json",
        "entry_id": 1,
        "refinement_id": 1,
        "system_id": 1,
        "evaluation_id": 1,
        "answer_id": 1,
        "import_id": made.items[0].brought_by_id,
        "person_id": made.annotators[0].pk,
        "invitation_id": invitation_create(project=made.project, member=made.lead)[0].pk,
    }
    pattern = next(pattern for pattern in project_patterns() if pattern.name == name)
    wanted = pattern.pattern.converters
    return reverse(name, kwargs={key: known[key] for key in wanted})


def project_patterns() -> list:
    included = [entry for entry in get_resolver().url_patterns if getattr(entry, "url_patterns", None)]
    pages = [
        pattern
        for entry in included
        for pattern in entry.url_patterns
        if getattr(pattern, "lookup_str", "").startswith("frontend.")
    ]
    return [pattern for pattern in pages if "slug" in pattern.pattern.converters]


def ask(client: Client, name: str, made: factories.Study):
    send = client.post if name in POST_ONLY else client.get
    return send(address(name, made))


def test_every_route_below_a_project_is_in_one_of_the_lists():
    names = {pattern.name for pattern in project_patterns()}
    assert names - ELSEWHERE_TESTED == LEAD_ROUTES | MEMBER_ROUTES | PUBLIC_ROUTES


def test_an_outsider_is_told_on_every_page_that_there_is_no_such_project(study):
    factories.user("olu")
    client = client_of("olu")
    for name in LEAD_ROUTES | MEMBER_ROUTES:
        response = ask(client, name, study)
        assert response.status_code == 404, name
        assert "There is no project “guarded” that you take part in." in response.content.decode(), name


def test_whoever_is_not_logged_in_is_sent_to_the_log_in_from_every_page(study):
    client = Client()
    for name in LEAD_ROUTES | MEMBER_ROUTES:
        response = ask(client, name, study)
        assert response.status_code == 302, name
        assert response["Location"].startswith("/accounts/login/?next="), name


def test_an_annotator_is_told_on_every_page_for_leads_to_ask_one(study):
    client = client_of("ann")
    for name in LEAD_ROUTES:
        response = ask(client, name, study)
        assert response.status_code == 403, name
        assert "Only a lead of this project can do this." in response.content.decode(), name
        # A page whose form is for leads refuses what is sent to it just so.
        assert client.post(address(name, study)).status_code in (403, 405), name


def test_somebody_deactivated_is_let_in_nowhere_and_told_why(study):
    study.annotators[0].is_active = False
    study.annotators[0].save()
    client = client_of("ann")
    for name in LEAD_ROUTES | MEMBER_ROUTES:
        response = ask(client, name, study)
        assert response.status_code == 403, name
        assert "You were deactivated in this project." in response.content.decode(), name


@pytest.mark.parametrize("who", ["nobody", "olu", "ann", "lea"])
def test_a_release_that_is_not_public_is_not_there_for_anybody(who, study):
    factories.user("olu")
    client = Client() if who == "nobody" else client_of(who)
    for name in PUBLIC_ROUTES:
        response = ask(client, name, study)
        assert response.status_code == 404, name
        assert "There is no public release at this address." in response.content.decode(), name
