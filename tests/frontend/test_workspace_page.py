"""The workspace's page: who gets it, and what is not in it."""

import posixpath
import re
from pathlib import Path

import pytest
from django.test import Client

from annotation.models import Protocol
from tests import factories
from tests.conftest import client_of

JS = Path(__file__).resolve().parent.parent.parent / "frontend" / "static" / "frontend" / "js"
pytestmark = pytest.mark.django_db


@pytest.fixture
def address():
    made = factories.study("focus", annotators=2, items=1, slug="campus")
    factories.open_round(made)
    return "/p/campus/rounds/1/work/"


def imported_by(*scripts: str) -> set[str]:
    """Return the scripts with all that they import before they run."""
    reached, waiting = set(scripts), list(scripts)
    while waiting:
        name = waiting.pop()
        text = (JS / f"{name}.js").read_text("utf-8")
        found = re.findall(r'^import .* from "((?:\.{1,2}/)+[\w/]+)\.js"', text, re.MULTILINE)
        new = {posixpath.normpath(f"{posixpath.dirname(name)}/{path}") for path in found} - reached
        reached |= new
        waiting.extend(new)
    return reached


@pytest.mark.parametrize(
    ("protocol", "page"),
    [(Protocol.FOCUS, "focus/focus_page"), (Protocol.CQS_GEN, "questions/questions_page")],
)
def test_the_page_names_every_script_that_the_workspace_of_its_protocol_imports(protocol, page):
    made = factories.study(protocol, annotators=1, items=1, slug="campus")
    factories.open_round(made)
    shown = client_of("ann").get("/p/campus/rounds/1/work/").content.decode()
    named = re.findall(r'<link rel="modulepreload" href="/static/frontend/js/([\w/]+)\.js">', shown)
    assert sorted(named) == sorted(
        imported_by("pages/base", "workspace/main", f"workspace/{page}") - {"workspace/main"}
    )


def test_the_page_of_a_matching_round_names_its_own_scripts():
    made = factories.matching_study(annotators=1)
    shown = client_of("ann").get(f"/p/{made.project.slug}/rounds/1/work/").content.decode()
    named = re.findall(r'<link rel="modulepreload" href="/static/frontend/js/([\w/]+)\.js">', shown)
    assert sorted(named) == sorted(
        imported_by("pages/base", "workspace/main", "workspace/questions/matching_page") - {"workspace/main"}
    )
    assert 'data-matching="yes"' in shown
    assert 'id="ws-references"' in shown


def test_the_page_holds_no_text_and_no_name(address):
    page = client_of("ann").get(address).content.decode()
    assert 'data-round-key="' in page
    for private in (factories.ARGUMENTS[0][:20], "ann", "A2", "example.org"):
        assert f">{private}" not in page and f'"{private}' not in page


def test_two_annotators_get_the_same_page_but_for_the_form_token(address):
    pages = [
        re.sub(r'(csrfmiddlewaretoken" value=")\w+', r"\1", client_of(name).get(address).content.decode())
        for name in ("ann", "bea")
    ]
    assert pages[0] == pages[1]


def test_outsiders_meet_404_strangers_the_log_in_and_nobody_can_post(address):
    factories.user("olu")
    assert client_of("olu").get(address).status_code == 404
    assert Client().get(address)["Location"] == f"/accounts/login/?next={address}"
    assert client_of("ann").post(address).status_code == 405


def test_a_lead_who_does_not_annotate_is_told_why(address):
    response = client_of("lea").get(address)
    assert response.status_code == 403
    assert "do not annotate" in response.content.decode()


def test_the_worker_is_never_stale_and_reaches_all_workspaces(client):
    response = client.get("/p/offline-worker.js")
    assert response["Content-Type"].startswith("text/javascript")
    assert response["Cache-Control"] == "no-cache"
    assert b"addEventListener" in response.content


def test_the_end_of_a_round_can_lead_to_the_next_one_with_something_left():
    made = factories.study("focus", annotators=2, items=1, slug="campus")
    first = factories.open_round(made)
    second = factories.open_round(made, types=["LE"])
    ann = client_of("ann")
    address = f"/api/projects/campus/rounds/{first.number}/workspace/"
    assert ann.get(address).json()["others"] == [{"number": second.number, "name": second.name, "left": 1}]
    factories.record(second, made.annotators[0], made.items[0], "LE", factories.NO)
    assert ann.get(address).json()["others"] == []
    assert (
        ann.get(f"/api/projects/campus/rounds/{second.number}/workspace/").json()["others"][0]["left"] == 10
    )
