"""The pages of a release say what changed since the one before, and in public nothing of one that is not."""

import pytest
from django.test import Client

from exports import tasks
from exports.releases import comparison as changes
from exports.releases.publication import release_publish
from tests.exports.comparing import compared_study, lose_comparisons, lose_files
from tests.factories import adjudicate
from tests.factories.releases import release
from tests.pages import html_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def made():
    return compared_study()


def text(response):
    return " ".join(html_of(response).split())


def test_a_page_asks_a_worker_once_for_a_comparison_that_is_missing_and_then_shows_it(
    made, lead_client, monkeypatch
):
    first, second = release(made.project, "1.0"), release(made.project, "1.1", licence="MIT")
    lose_comparisons()
    sent = []
    monkeypatch.setattr(tasks.compare_releases, "delay", lambda *pair: sent.append(pair))
    monkeypatch.setattr(changes, "_compared", lambda before, after: pytest.fail("compared in the request"))
    for _ in range(2):
        page = text(lead_client.get("/p/s/releases/1.1/"))
        assert "being compared. Open this page again in a moment." in page
    assert sent == [(first.pk, second.pk)]
    monkeypatch.undo()
    tasks.compare_releases(*sent[0])
    monkeypatch.setattr(changes, "_compared", lambda before, after: pytest.fail("compared in the request"))
    page = text(lead_client.get("/p/s/releases/1.1/"))
    assert '<th scope="row">licence</th><td dir="auto">–</td><td dir="auto">MIT</td>' in page


def test_a_broker_that_is_down_leaves_the_page(made, lead_client, monkeypatch):
    release(made.project, "1.0")
    release(made.project, "1.1", licence="MIT")
    lose_comparisons()

    def down(*pair):
        raise OSError("no broker")

    monkeypatch.setattr(tasks.compare_releases, "delay", down)
    page = text(lead_client.get("/p/s/releases/1.1/"))
    assert "being compared. Open this page again in a moment." in page


def test_the_leads_page_and_the_public_one_show_the_changes(made, lead_client):
    first = release(made.project, "1.0")
    adjudicate(made, made.items[0], "LE", False)
    second = release(made.project, "1.1", licence="MIT")
    release_publish(release=first, by=made.lead)
    release_publish(release=second, by=made.lead)
    for page in (text(lead_client.get("/p/s/releases/1.1/")), text(Client().get("/releases/s/1.1/"))):
        assert "Changes since release 1.0" in page
        assert "<b>1</b> label changed" in page
        assert "<b>1</b> item with a change" in page
        assert '<td dir="auto">yes</td><td dir="auto">no</td>' in page
        assert '<th scope="row">licence</th><td dir="auto">–</td><td dir="auto">MIT</td>' in page
    assert "Changes since" not in text(lead_client.get("/p/s/releases/1.0/"))


def test_nothing_of_a_release_that_is_not_public_is_seen_through_the_next(made, lead_client):
    release(made.project, "1.0", licence="Secret-1.0")
    adjudicate(made, made.items[0], "LE", False)
    release_publish(release=release(made.project, "1.1"), by=made.lead)
    assert "Secret-1.0" in text(lead_client.get("/p/s/releases/1.1/"))
    page = text(Client().get("/releases/s/1.1/"))
    assert "Secret-1.0" not in page
    assert "Changes since" not in page


def test_the_list_of_changes_has_pages(made, lead_client, monkeypatch):
    monkeypatch.setattr("frontend.pages.releases.comparison.PAGE_SIZE", 4)
    release(made.project, "1.0")
    for item in made.items:
        adjudicate(made, item, "LE", False)
    release(made.project, "1.1")
    first, second = (text(lead_client.get(f"/p/s/releases/1.1/?page={n}")) for n in (1, 2))
    assert "1–4 / 6" in first
    assert "5–6 / 6" in second
    assert '<th scope="row">I-3</th>' not in first
    assert second.count('<th scope="row">I-3</th>') == 2


def test_a_lost_file_leaves_the_page_and_says_so(made, lead_client):
    first = release(made.project, "1.0")
    release(made.project, "1.1", licence="MIT")
    lose_files(first)
    lose_comparisons()
    page = text(lead_client.get("/p/s/releases/1.1/"))
    assert "cannot be compared: a file of theirs is missing in the storage" in page
