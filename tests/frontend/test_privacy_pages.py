"""People have what is stored of them, leave, are forgotten; pages say before what becomes of releases."""

import io
import zipfile

import pytest
from django.utils import timezone

from annotation.models import Backup, Item, Membership, Project
from exports.models import Release
from tests import factories
from tests.conftest import client_of
from tests.factories.releases import release
from tests.pages import html_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    made = factories.study("focus", annotators=2, items=2, slug="s")
    factories.open_round(made)
    for member in made.annotators:
        for item in made.items:
            factories.record(made.round, member, item, "LE", factories.NO)
    factories.close(made)
    return made


def test_everybody_downloads_what_is_stored_of_them_alone(study):
    client = client_of("ann")
    assert "Download what is stored of you" in html_of(client.get("/account/data/"))
    for address in ("/account/data.zip", "/api/me/data/"):
        answer = client.get(address)
        with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as archive:
            assert b'"user name": "ann"' in archive.read("account.json")
            whole = b"".join(archive.read(name) for name in archive.namelist())
        assert b"A2" in whole and b"A3" not in whole
    assert client_of("ann").get("/account/data/").status_code == 200


def test_a_person_leaves_a_project_and_takes_their_judgements_out(study):
    client = client_of("ann")
    page = html_of(client.get("/p/s/leave/"))
    assert "Releases made so far stay as they are." in page
    client.post("/p/s/leave/", {"judgements": "leave_out"})
    left = Membership.objects.get(pk=study.annotators[0].pk)
    assert (left.is_active, left.left_out_at is None) == (False, False)
    assert client.get("/p/s/").status_code == 403
    assert "you were A2 there and left" in html_of(client.get("/account/data/"))


def test_the_last_lead_does_not_leave(lead_client, study):
    answer = lead_client.post("/p/s/leave/", {"judgements": "keep"}, follow=True)
    assert "make somebody else a lead first" in html_of(answer)


def test_a_lead_erases_a_person_after_typing_the_pseudonym(lead_client, study):
    address = f"/p/s/people/{study.annotators[0].pk}/erase/"
    page = html_of(lead_client.get(address))
    assert "What they judged stays, under the name A2 alone." in page
    assert "Figures stay as they are." in page
    assert "That is not the name" in html_of(lead_client.post(address, {"typed": "A3"}))
    lead_client.post(address, {"typed": "A2"})
    assert Membership.objects.get(pk=study.annotators[0].pk).user is None
    person = html_of(lead_client.get(f"/p/s/people/{study.annotators[0].pk}/"))
    assert "Has no account here any more" in person and "Erase who" not in person


def test_the_project_promises_in_its_settings_that_judgements_go_too(lead_client, study):
    given = {"name": "S", "licence": "", "languages": "en", "contact": "", "erases_judgements": "on"}
    lead_client.post("/p/s/settings/", given)
    assert Project.objects.get().erases_judgements is True
    page = html_of(lead_client.get(f"/p/s/people/{study.annotators[0].pk}/erase/"))
    assert "All that A2 judged is deleted too, as the project promised." in page


def test_the_page_before_names_the_releases_that_lose_their_files(lead_client, study):
    release(study.project, "1.0")
    Release.objects.update(is_public=True)
    item = study.items[0]
    address = f"/p/s/items/{item.pk}/erase/"
    assert "1.0 (public)" in html_of(lead_client.get(address))
    assert "That is not its id" in html_of(lead_client.post(address, {"typed": "x"}))
    lead_client.post(address, {"typed": item.external_id})
    assert Item.objects.get(pk=item.pk).erased_at is not None
    assert "Erased for good on" in html_of(lead_client.get(f"/p/s/items/{item.pk}/"))
    page = html_of(lead_client.get("/p/s/releases/1.0/"))
    assert "its files are deleted" in page and "Download all" not in page and "Make it public" not in page
    answer = lead_client.get("/api/projects/s/releases/1.0/files/focus.json")
    assert (answer.status_code, answer.json()["code"]) == (410, "taken_down")
    assert lead_client.get("/releases/s/1.0/").status_code == 404


def test_a_project_waits_seven_days_and_is_kept_by_any_lead(lead_client, study):
    release(study.project, "1.0")
    assert "with their files and public pages: 1.0." in html_of(lead_client.get("/p/s/delete/"))
    assert "not the short name" in html_of(lead_client.post("/p/s/delete/", {"typed": "other"}))
    lead_client.post("/p/s/delete/", {"typed": "s"})
    assert Project.objects.get().deletion_due_at is not None
    for address in ("/p/s/", "/p/s/settings/"):
        page = html_of(lead_client.get(address))
        assert "will be deleted for good on" in page and "Keep s" in page
    lead_client.post("/p/s/keep/")
    assert Project.objects.get().deletion_due_at is None


def test_the_api_erases_and_deletes_as_the_pages_do(lead_client, study):
    sent = {"content_type": "application/json"}
    item, people = study.items[0].external_id, "/api/projects/s/people/A2/erase/"
    assert lead_client.post(people, {"typed": "A3"}, **sent).status_code == 422
    assert lead_client.post(people, {"typed": "A2"}, **sent).json()["pseudonym"] == "A2"
    assert Membership.objects.get(pseudonym="A2").user is None
    erased = lead_client.post(f"/api/projects/s/items/{item}/erase/", {"typed": item}, **sent)
    assert erased.json()["id"] == item
    assert Item.objects.get(external_id=item).erased_at is not None
    asked = lead_client.post("/api/projects/s/deletion/", {"typed": "s"}, **sent)
    assert asked.json()["deletion_due_at"] is not None
    assert lead_client.delete("/api/projects/s/deletion/").json() == {"slug": "s", "deletion_due_at": None}
    assert client_of("bea").post("/api/projects/s/deletion/", {"typed": "s"}, **sent).status_code == 403


def test_the_lead_sees_when_the_last_backup_was_made(lead_client, study):
    assert "No backup of this installation was made yet" in html_of(lead_client.get("/p/s/"))
    Backup.objects.create(made_at=timezone.now(), name="x.zip", size=1, rows=1, files=0)
    assert "Last backup of this installation" in html_of(lead_client.get("/p/s/"))
