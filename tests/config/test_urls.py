"""Addresses that belong to the project and to no app."""

import pytest
from django.db import DatabaseError, connection

pytestmark = pytest.mark.django_db

POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


@pytest.mark.parametrize(
    "path", ["/healthz", "/accounts/login/", "/api/docs/", "/no-such-page", "/admin/login/"]
)
def test_every_response_carries_the_strict_content_security_policy(client, path):
    headers = client.get(path).headers
    assert headers["Content-Security-Policy"] == POLICY
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_static_files_carry_the_policy_too(client):
    response = client.get("/static/drf_spectacular_sidecar/swagger-ui-dist/swagger-ui.css")
    assert response.status_code == 200
    assert response.headers["Content-Security-Policy"] == POLICY
    assert b".swagger-ui" in b"".join(response)


def test_the_health_check_says_ok_while_the_database_answers(client):
    response = client.get("/healthz")
    assert (response.status_code, response.content) == (200, b"ok\n")
    assert "no-store" in response.headers["Cache-Control"]


def test_the_health_check_says_503_when_the_database_does_not_answer(client):
    def refuse(*args):
        raise DatabaseError("gone")

    with connection.execute_wrapper(refuse):
        response = client.get("/healthz")
    assert (response.status_code, response.content) == (503, b"database unavailable\n")


def test_the_api_pages_have_nothing_inline(client):
    page = client.get("/api/docs/").content.decode()
    assert "<style" not in page
    assert "style=" not in page
    assert page.count("<script src=") == page.count("<script") == 3
    assert '<script src="/api/docs/?script=">' in page
    assert "https://" not in page


def test_the_api_pages_show_our_schema(client):
    script = client.get("/api/docs/", {"script": ""})
    assert script.headers["Content-Type"].startswith("application/javascript")
    assert '"/api/schema/"' in script.content.decode()
    schema = client.get("/api/schema/", headers={"Accept": "application/json"}).json()
    assert schema["info"]["title"] == "Elenchus"


def test_nobody_makes_an_account_without_an_invitation(client):
    page = client.get("/accounts/signup/").content.decode()
    assert "Accounts come by invitation" in page and "Ask the lead of your study" in page


def test_a_link_for_a_new_password_that_is_used_up_says_where_to_get_another(client):
    page = client.get("/accounts/password/reset/key/1-wrong/").content.decode()
    assert "This link is not valid any more" in page and 'href="/accounts/password/reset/"' in page


def test_anybody_makes_an_account_where_the_installation_says_so(client, settings):
    settings.OPEN_SIGNUP = True
    assert 'name="password1"' in client.get("/accounts/signup/").content.decode()
