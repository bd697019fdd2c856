"""A release in public: off until a lead switches it on, and then without the withheld labels."""

import hashlib

import pytest
from django.test import Client

from annotation.models import ProjectEvent
from core.errors import Refused
from exports.models import Release
from exports.releases.lifecycle import release_request
from exports.releases.publication import release_publish, release_unpublish
from exports.selection.parameters import Parameters
from tests import factories
from tests.conftest import client_of
from tests.factories import close, focus_study, judge
from tests.factories.releases import release

pytestmark = pytest.mark.django_db

PAGE = "/releases/s/1.0/"


@pytest.fixture
def made():
    made = focus_study(annotators=2, items=2, slug="s")
    for item, split in zip(made.items, ("train", "test"), strict=True):
        judge(made, item, {})
        item.split = split
        item.save()
    close(made)
    return made


def text(response):
    return " ".join(response.content.decode().split())


def body(response):
    return b"".join(response.streaming_content)


def test_the_page_is_there_while_the_switch_is_on_and_for_nobody_before_and_after(made, lead_client):
    release(made.project)
    factories.user("olu")
    visitors = [Client(), client_of("olu"), client_of("ann"), lead_client]
    places = [PAGE, f"{PAGE}files/focus.train.json"]

    def answers():
        return {visitor.get(place).status_code for visitor in visitors for place in places}

    assert answers() == {404}
    asked = lead_client.post("/p/s/releases/1.0/publish/")
    assert asked["Location"] == "/p/s/releases/1.0/"
    assert answers() == {200}
    assert "Anybody can open" in text(lead_client.get("/p/s/releases/1.0/"))
    lead_client.post("/p/s/releases/1.0/unpublish/")
    assert answers() == {404}
    logged = (
        ProjectEvent.objects.filter(details__version="1.0").order_by("id").values_list("action", "member")
    )
    assert list(logged)[-2:] == [
        ("release made public", made.lead.pk),
        ("release closed to the public", made.lead.pk),
    ]


def test_the_confirmation_says_what_becomes_public_and_changes_nothing(made, lead_client):
    release(made.project, withheld=["test"], comments=True)
    page = text(lead_client.get("/p/s/releases/1.0/publish/"))
    for words in (
        "Anybody can open http://testserver/releases/s/1.0/ without logging in.",
        "Among them are the texts.",
        "every annotator&#x27;s judgement under a pseudonym, with their comments.",
        "The labels of test stay inside: 12 files are not shown.",
        "of rounds whose labels or texts stay inside no figure speaks of fewer than 5 items.",
    ):
        assert words in page
    assert "all labels" not in page
    assert Release.objects.get().is_public is False


def test_the_confirmation_says_where_nothing_is_withheld(made, lead_client):
    release(made.project)
    page = text(lead_client.get("/p/s/releases/1.0/publish/"))
    assert "Among them are all labels: of no split are they withheld." in page


def test_whoever_publishes_without_licence_and_authors_is_warned(made, lead_client):
    release(made.project)
    page = text(lead_client.get("/p/s/releases/1.0/publish/"))
    assert "No licence is stated: nobody will know what they may do with it." in page
    assert "No authors are named, so it will be cited by its name alone." in page
    release(made.project, "1.1", licence="CC0-1.0", citation="@misc{night}")
    page = text(lead_client.get("/p/s/releases/1.1/publish/"))
    assert "No licence" not in page
    assert "No authors" not in page


def test_an_older_release_leads_to_the_newest_that_is_public(made):
    rows = [release(made.project, version) for version in ("1.0", "1.1", "1.2")]
    for row in rows[:2]:
        release_publish(release=row, by=made.lead)
    assert 'There is a newer release: <a href="/releases/s/1.1/">1.1</a>.' in text(Client().get(PAGE))
    assert "newer release" not in text(Client().get("/releases/s/1.1/"))


def test_the_page_shows_card_counts_agreement_checksums_and_citation(made):
    made.project.name = "Night <b>library</b>"
    made.project.save()
    factories.add_items(made.project, 1)
    row = release(made.project, authors="Ann Other")
    release_publish(release=row, by=made.lead)
    page = text(Client().get(PAGE))
    assert "<b>2</b> released items" in page
    assert "<b>40</b> judgements" in page
    assert "<h3>Agreement</h3>" in page
    assert "<td>Lacks Evidence</td>" in page
    assert "pretty_name" not in page
    assert "of them the latest of their annotator" not in page
    assert "left out" not in page.partition("<article")[0]
    assert "Night &lt;b&gt;library&lt;/b&gt;" in page
    assert "<b>library" not in page
    assert (
        f"Ann Other ({row.built_at.year}). Night &lt;b&gt;library&lt;/b&gt;, version 1.0. "
        "http://testserver/releases/s/1.0/" in page
    )
    for file in row.files:
        assert f"/releases/s/1.0/files/{file['name']}" in page
        assert file["sha256"] in page


def test_anybody_can_download_a_public_file_and_resume_it(made):
    row = release(made.project)
    release_publish(release=row, by=made.lead)
    for file in row.files:
        whole = body(Client().get(f"{PAGE}files/{file['name']}"))
        assert hashlib.sha256(whole).hexdigest() == file["sha256"]
    rest = Client().get(f"{PAGE}files/{row.files[-1]['name']}", headers={"Range": "bytes=10-"})
    assert rest.status_code == 206
    assert body(rest) == whole[10:]


def test_withheld_labels_stay_inside_also_by_their_address(made):
    row = release(made.project, withheld=["test"])
    release_publish(release=row, by=made.lead)
    inside = [file["name"] for file in row.files if file["internal"]]
    assert "internal/focus.test.json" in inside
    page = text(Client().get(PAGE))
    for name in inside:
        assert name not in page
        assert Client().get(f"{PAGE}files/{name}").status_code == 404
    assert b'"labels"' not in body(Client().get(f"{PAGE}files/focus.test.json"))


def test_a_release_that_is_not_built_cannot_be_made_public(made, lead_client):
    row = release_request(project=made.project, version="1.0", parameters=Parameters())
    with pytest.raises(Refused, match=r"Release 1\.0 is not built, so it cannot be made public\."):
        release_publish(release=row, by=made.lead)
    assert "is not built" in text(lead_client.post("/p/s/releases/1.0/publish/", follow=True))
    assert lead_client.get("/p/s/releases/1.0/publish/")["Location"] == "/p/s/releases/1.0/"
    assert Client().get(PAGE).status_code == 404


def test_switching_twice_is_logged_once(made):
    row = release(made.project)
    for _ in range(2):
        release_publish(release=row, by=made.lead)
    assert row.is_public is True
    for _ in range(2):
        release_unpublish(release=row, by=made.lead)
    actions = ProjectEvent.objects.filter(action__contains="public").values_list("action", flat=True)
    assert sorted(actions) == ["release closed to the public", "release made public"]


@pytest.mark.parametrize("act", ["publish", "unpublish"])
def test_annotators_cannot_switch_and_outsiders_find_nothing(made, act):
    row = release(made.project)
    factories.user("olu")
    assert client_of("ann").post(f"/p/s/releases/1.0/{act}/").status_code == 403
    assert client_of("olu").post(f"/p/s/releases/1.0/{act}/").status_code == 404
    row.refresh_from_db()
    assert row.is_public is False


def test_the_citation_has_the_year_of_the_day_of_publication_where_one_is_given(made):
    row = release(made.project, authors="Ann Other", published="1998-03-31")
    release_publish(release=row, by=made.lead)
    assert "Ann Other (1998). " in text(Client().get(PAGE))
