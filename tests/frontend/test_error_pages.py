"""When something goes wrong people meet a page of this site that says what was done and what to do."""

import pytest
from django.test import Client, override_settings
from django.urls import reverse

from annotation.models import Project
from tests import factories
from tests.conftest import client_of
from tests.pages import html_of

pytestmark = pytest.mark.django_db


def words(response) -> str:
    return " ".join(html_of(response).split())


def test_a_form_from_before_the_log_in_says_that_nothing_was_changed():
    client = Client(enforce_csrf_checks=True)
    client.force_login(factories.user("lea"))
    response = client.post(reverse("project_new"), {"name": "X", "codebook": "focus"})
    assert response.status_code == 403
    assert "<h1>This form is out of date</h1><p>Nothing was changed." in words(response)
    assert "<style" not in html_of(response)
    assert not Project.objects.exists()


def test_an_error_nobody_expected_is_told_without_the_database(monkeypatch):
    def broken(*args, **options):
        raise RuntimeError("a bug")

    client = client_of("lea")
    client.raise_request_exception = False
    monkeypatch.setattr("django.contrib.auth.get_user", broken)
    response = client.get("/")
    assert response.status_code == 500
    assert "<h1>Something broke on our side</h1>" in words(response)
    assert "tell whoever runs this installation" in words(response)


def test_a_form_of_ten_megabytes_is_told_how_much_it_may_be():
    made = factories.study("focus", slug="s")
    response = client_of("lea").post("/p/s/codebook/edit/", {"guideline": "x" * 10 * 2**20})
    assert response.status_code == 413
    assert "A form takes 2.5 MB at most, and nothing was changed." in words(response)
    assert made.project.codebooks.count() == 1


@override_settings(ALLOWED_HOSTS=["elsewhere.example"])
def test_an_address_that_the_site_does_not_know_is_told_which_setting_lacks_it():
    response = Client().get("/")
    assert response.status_code == 400
    assert "<h1>The site does not know this address</h1>" in words(response)
    assert "ELENCHUS_HOSTS" in words(response)


def test_a_form_from_an_origin_that_is_not_trusted_is_told_which_settings_to_look_at():
    client = Client(enforce_csrf_checks=True)
    client.get("/accounts/login/")
    sent = {"login": "lea", "password": "x", "csrfmiddlewaretoken": client.cookies["csrftoken"].value}
    response = client.post("/accounts/login/", sent, headers={"origin": "https://lab.example.org"})
    assert response.status_code == 403
    assert "<h1>The site does not know this address</h1>" in words(response)
    assert "ELENCHUS_ORIGINS" in words(response) and "out of date" not in words(response)


def test_a_request_that_cannot_be_read_gets_a_page_too():
    response = client_of("lea").post("/projects/new/", {f"field{n}": "" for n in range(10_001)})
    assert response.status_code == 400
    assert "<h1>This request cannot be read</h1>" in words(response)
