"""Search engines find the pages of public releases, and read nothing else."""

import re

import pytest
from django.test import Client

from exports.releases.publication import release_publish
from tests.factories import close, focus_study, judge
from tests.factories.releases import release

pytestmark = pytest.mark.django_db


@pytest.fixture
def made():
    made = focus_study(annotators=2, items=1, slug="s")
    judge(made, made.items[0], {})
    close(made)
    return made


def text(path):
    response = Client().get(path)
    assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
    return response.content.decode()


def may_read(path):
    """Apply the rules as RFC 9309, 2.2.2: of those that match, the longest counts."""
    rules = re.findall(r"^(Allow|Disallow): (\S+)$", text("/robots.txt"), re.MULTILINE)
    matching = [
        (len(pattern), rule == "Allow")
        for rule, pattern in rules
        if re.match(re.escape(pattern).replace(r"\*", ".*"), path)
    ]
    return max(matching)[1]


def test_the_pages_of_public_releases_and_what_they_look_like_may_be_read():
    for path in ("/releases/s/1.0/", "/releases/sitemap.txt", "/static/frontend/css/base.css"):
        assert may_read(path) is True, path


@pytest.mark.parametrize(
    "path",
    [
        *("/", "/accounts/login/", "/admin/", "/api/schema/", "/join/abc/", "/p/s/", "/p/s/releases/1.0/"),
        *("/api/projects/s/releases/1.0/files/s-1.0.zip", "/releases/s/1.0/files/s-1.0.zip"),
    ],
)
def test_nothing_else_is_read(path):
    assert may_read(path) is False


def test_the_list_names_every_public_release_and_no_other(made):
    for version in ("1.0", "1.1", "2.0+a"):
        release(made.project, version)
    for version in ("2.0+a", "1.0"):
        release_publish(release=made.project.releases.get(version=version), by=made.lead)
    place = re.search(r"^Sitemap: (.+)$", text("/robots.txt"), re.MULTILINE)[1]
    assert place == "http://testserver/releases/sitemap.txt"
    listed = text("/releases/sitemap.txt").splitlines()
    assert listed == ["http://testserver/releases/s/1.0/", "http://testserver/releases/s/2.0+a/"]
    assert [Client().get(address).status_code for address in listed] == [200, 200]
