"""Nothing of a page or an answer of the API stays in a cache, but for the routes that are named."""

import pytest
from django.test import Client
from django.urls import resolve

from config.security import CACHEABLE
from exports.releases.publication import release_publish
from tests.config.test_doors import addresses
from tests.config.test_every_route import address, api_routes, ask, patterns, study  # noqa: F401
from tests.conftest import client_of
from tests.factories import close, focus_study, judge
from tests.factories.releases import release

pytestmark = pytest.mark.django_db


def kept(response) -> bool:
    return "no-store" not in response.headers["Cache-Control"]


def test_no_page_and_no_answer_of_the_api_stays_in_a_cache(study):  # noqa: F811
    met = set()
    for client in (Client(), client_of("ann"), client_of("lea")):
        for name, pattern in patterns():
            response = client.get(address(pattern, study))
            met.add(response.status_code)
            assert not kept(response), name
    for name, pattern, method in api_routes():
        assert not kept(ask(client_of("ann"), method, address(pattern, study))), (name, method)
    assert {200, 302, 403, 404, 405, 409} <= met


def test_neither_does_any_address_outside_projects_but_those_that_tell_nobody_s_work():
    stranger = Client(raise_request_exception=False)
    answers = {path: stranger.get(path) for path in addresses() if not path.startswith("/p/")}
    found = {resolve(path).url_name for path, response in answers.items() if kept(response)}
    assert found == CACHEABLE - {"public_release", "public_release_file", "service-worker"}
    assert not kept(stranger.get("/no/such/page"))
    assert not kept(client_of("lea").get("/"))


def test_a_public_release_may_be_kept_and_is_asked_about_each_time():
    made = focus_study(annotators=2, items=1, slug="s")
    judge(made, made.items[0], {})
    close(made)
    release_publish(release=release(made.project), by=made.lead)
    page, file = "/releases/s/1.0/", "/releases/s/1.0/files/README.md"
    for path in (page, file):
        assert Client().get(path).headers["Cache-Control"] == "no-cache"
    assert client_of("lea").get(page).headers["Cache-Control"] == "no-store"
    assert Client().get("/p/offline-worker.js").headers["Cache-Control"] == "no-cache"


def test_static_files_have_the_caching_of_static_files():
    response = Client().get("/static/frontend/css/base.css")
    assert b"".join(response) and "no-store" not in response.headers["Cache-Control"]


def test_the_sign_of_the_site_is_found_by_programs_that_read_no_page():
    response = Client().get("/favicon.ico", follow=True)
    assert (response.status_code, response.headers["Content-Type"]) == (200, "image/svg+xml")
    assert b"<svg" in b"".join(response)
