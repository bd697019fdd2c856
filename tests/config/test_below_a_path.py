"""A site below a path of its host: no link, cookie, file or letter leads out of it."""

import json
import re
import runpy
from collections.abc import Iterator
from io import BytesIO

import pytest
from django.contrib.auth import get_user_model
from django.core import mail
from django.test import Client
from django.urls import clear_script_prefix, reverse, set_script_prefix

from annotation.projects.invitations import invitation_create
from config import wsgi
from config.settings import base
from exports.releases.publication import release_publish
from tests.config.test_doors import addresses
from tests.config.test_every_route import address, patterns, study  # noqa: F401
from tests.conftest import client_of
from tests.factories import close, focus_study, judge
from tests.factories.releases import release

pytestmark = pytest.mark.django_db

SITE = "/elenchus"
LINK = re.compile(r"""(?:href|src|action|formaction|hx-\w+|data-[\w-]+|content)="(/[^"/][^"]*|/)\"""")
WHOLE = re.compile(r"https?://testserver(/[^\s\"'<>&]*)?")


@pytest.fixture(autouse=True)
def below(settings) -> Iterator[None]:
    settings.SITE_PATH = settings.FORCE_SCRIPT_NAME = SITE
    settings.SESSION_COOKIE_PATH = settings.CSRF_COOKIE_PATH = settings.LANGUAGE_COOKIE_PATH = f"{SITE}/"
    settings.STATIC_URL = f"{SITE}/static/"
    set_script_prefix(f"{SITE}/")
    yield
    clear_script_prefix()


def leads_out(target: str) -> bool:
    return target != SITE and not target.startswith(f"{SITE}/")


def astray(response) -> set[str]:
    """Return what an answer names and lies outside of the site."""
    found: set[str] = set()
    location = response.headers.get("Location", "")
    if location.startswith("/") or "testserver" in location:
        found.add(location.removeprefix("http://testserver"))
    for cookie in response.cookies.values():
        found.add(cookie["path"])
    kind = response.headers.get("Content-Type", "")
    if not response.streaming and ("html" in kind or "json" in kind or "text/" in kind):
        text = response.content.decode()
        found |= {match[1] or "/" for match in WHOLE.finditer(text)}
        if "html" in kind:
            found |= set(LINK.findall(text))
        if "json" in kind:
            found |= set(paths_in(json.loads(text)))
    if response.streaming:
        b"".join(response.streaming_content)  # to its end, which closes the file
    return {target for target in found if leads_out(target)}


def paths_in(told: object) -> Iterator[str]:
    """Return the texts in JSON that look like paths of the site."""
    if isinstance(told, dict):
        for value in told.values():
            yield from paths_in(value)
    elif isinstance(told, list):
        for value in told:
            yield from paths_in(value)
    elif isinstance(told, str) and re.fullmatch(r"/(?:p|api|accounts|static|join|releases|i18n)/\S*", told):
        yield told


def test_no_route_leads_out_of_the_site_whoever_asks(study):  # noqa: F811
    root = get_user_model().objects.create_superuser("root", "root@example.org", "x")
    staff = Client()
    staff.force_login(root)
    checked = 0
    for client in (Client(), client_of("ann"), client_of("lea"), staff):
        urls = {address(pattern, study) for _, pattern in patterns()} | set(addresses())
        for url in sorted(urls):
            assert url.startswith(f"{SITE}/"), url
            if "logout" in url or "schema" in url:
                continue
            response = client.get(url.removeprefix(SITE))
            wrong = astray(response)
            at = response.content.find(b'"/"') if not response.streaming else 0
            assert wrong == set(), (url, response.status_code, response.content[max(0, at - 300) : at + 50])
            checked += 1
    assert checked > 400


def test_forms_lead_to_pages_of_the_site_and_cookies_stay_in_it(study):  # noqa: F811
    client = Client()
    response = client.post("/accounts/login/", {"login": "lea", "password": "secret"})
    assert (response.status_code, response["Location"]) == (302, f"{SITE}/")
    assert {cookie["path"] for cookie in response.cookies.values()} == {f"{SITE}/"}
    response = client.post("/i18n/setlang/", {"language": "es", "next": f"{SITE}/p/guarded/"})
    assert response["Location"] == f"{SITE}/p/guarded/"
    assert astray(response) == set()
    response = client.post("/p/guarded/archive/")
    assert astray(response) == set()
    response = client.post("/accounts/logout/")
    assert response["Location"] == f"{SITE}/"
    # Whoever is not logged in comes back to where they were.
    assert Client().get("/p/guarded/")["Location"] == f"{SITE}/accounts/login/?next={SITE}/p/guarded/"


def test_letters_and_invitations_name_the_site_with_its_path(study):  # noqa: F811
    Client().post("/accounts/password/reset/", {"email": "lea@example.org"})
    (letter,) = mail.outbox
    links = WHOLE.findall(letter.body)
    assert links and not any(leads_out(link or "/") for link in links)
    _, token = invitation_create(project=study.project, member=study.lead)
    page = Client().get(f"/join/{token}/")
    assert page.status_code == 200 and astray(page) == set()


def test_the_pages_for_everybody_and_for_programs_stay_inside():
    made = focus_study(annotators=2, items=1)
    judge(made, made.items[0], {})
    close(made)
    released = release(made.project)
    release_publish(release=released, by=made.lead)
    stranger = Client()
    for path in (
        "/robots.txt",
        reverse("sitemap").removeprefix(SITE),
        "/favicon.ico",
        f"/releases/{made.project.slug}/{released.version}/",
    ):
        response = stranger.get(path)
        assert response.status_code in (200, 302), path
        assert astray(response) == set(), path


def test_programs_read_in_the_schema_below_which_path_the_api_is(monkeypatch):
    monkeypatch.setenv("ELENCHUS_PATH", "/group/elenchus/")
    read = runpy.run_path(base.__file__)
    assert read["SPECTACULAR_SETTINGS"]["SERVERS"] == [{"url": "/group/elenchus"}]
    assert read["STATIC_URL"] == "/group/elenchus/static/"
    assert read["SESSION_COOKIE_PATH"] == read["CSRF_COOKIE_PATH"] == "/group/elenchus/"


@pytest.mark.parametrize("path", ["/elenchus/healthz/live", "/healthz/live"])
def test_a_proxy_may_take_the_path_away_or_leave_it(path):
    began: list[str] = []
    environ = {
        "REQUEST_METHOD": "GET",
        "PATH_INFO": path,
        "SCRIPT_NAME": "",
        "SERVER_NAME": "testserver",
        "SERVER_PORT": "80",
        "wsgi.input": BytesIO(),
        "wsgi.url_scheme": "http",
    }
    body = b"".join(wsgi.application(environ, lambda status, headers, *rest: began.append(status)))
    assert (began, body) == (["200 OK"], b"ok\n")


def test_what_only_begins_like_the_path_is_no_part_of_it():
    environ = {"PATH_INFO": "/elenchuses/healthz", "REQUEST_METHOD": "GET", "SERVER_NAME": "testserver"}
    environ |= {"SERVER_PORT": "80", "wsgi.input": BytesIO(), "wsgi.url_scheme": "http", "SCRIPT_NAME": ""}
    began: list[str] = []
    b"".join(wsgi.application(environ, lambda status, headers, *rest: began.append(status)))
    assert began == ["404 Not Found"]


def test_api_callers_get_json_below_a_path_too():
    response = Client().get("/api/no/such/address/")
    assert (response.status_code, response.json()["code"]) == (404, "not_found")
