"""The demo's log-in page offers the people of the sample with one click; no other installation does."""

import importlib
import re
import threading

import pytest
from django.test import Client

from annotation.sample import LOGINS
from annotation.sample.loader import sample_load
from core import supervisor
from frontend.management.commands.serve import plan_supervisor
from tests import factories
from tests.pages import html_of

pytestmark = pytest.mark.django_db

OFFER = re.compile(r'name="login" value="(\w+)"><input type="hidden" name="password" value="(\w+)"')


def page(client=None) -> str:
    return html_of((client or Client()).get("/accounts/login/"))


@pytest.fixture
def shown(settings):
    settings.SAMPLE_LOGINS_SHOWN = True


def test_by_default_nobody_is_offered_even_where_the_sample_is_loaded():
    sample_load()
    assert OFFER.findall(page()) == [] and "elenchus" not in page().split("<main")[1]


def test_each_person_of_the_sample_is_one_click_with_a_word_who_they_are(shown):
    sample_load()
    offered = OFFER.findall(page())
    assert offered == [(login, password) for _, login, password in LOGINS]
    assert "leads both projects" in page() and "Chloé" in page()
    client = Client(enforce_csrf_checks=True)
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page(client)).group(1)
    login, password = offered[1]
    sent = {"login": login, "password": password, "csrfmiddlewaretoken": token}
    assert client.post("/accounts/login/", sent)["Location"] == "/"
    assert "Start Training" in html_of(client.get("/"))


def test_only_who_is_there_is_offered(shown):
    assert OFFER.findall(page()) == []
    factories.user("ben")
    assert [login for login, _ in OFFER.findall(page())] == ["ben"]


def test_an_installation_that_forbids_the_sample_never_offers_it(shown, settings):
    sample_load()
    settings.SAMPLE_LOGINS_ALLOWED = False
    assert OFFER.findall(page()) == []


@pytest.mark.parametrize(("sample_logins", "said"), [(False, None), (True, "sample-logins")])
def test_only_serve_with_the_flag_says_so_to_its_web_server(monkeypatch, sample_logins, said):
    # What an environment happens to hold is not passed on.
    monkeypatch.setenv("ELENCHUS_SERVED_WITH", "sample-logins")
    started = []

    class Process:
        def __init__(self, command, **options):
            started.append(options["env"].get("ELENCHUS_SERVED_WITH"))

    monkeypatch.setattr(supervisor.subprocess, "Popen", Process)
    monkeypatch.setattr(supervisor, "wait_until_ready", lambda *_: False)
    monkeypatch.setattr(supervisor, "stop_children", lambda *_: None)
    supervisor.run(plan_supervisor("127.0.0.1", 1, sample_logins=sample_logins), threading.Event())
    assert started == [said, None]


def test_no_settings_but_the_embedded_ones_read_it(monkeypatch):
    monkeypatch.setenv("ELENCHUS_SERVED_WITH", "sample-logins")
    base = importlib.reload(importlib.import_module("config.settings.base"))
    assert base.SAMPLE_LOGINS_SHOWN is False
