"""A download is the file that was built, or says that it is not there any more."""

import hashlib
import io
import zipfile

import pytest
from django.core.cache import cache
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.test import Client, RequestFactory

from exports.api.releases import file_response
from exports.models import Release
from exports.releases import storage as intact
from exports.releases.publication import release_publish
from tests.factories import close, focus_study, judge
from tests.factories.releases import release, stored_files

pytestmark = pytest.mark.django_db

PUBLIC = "/releases/s/1.0/files/focus.json"
API = "/api/projects/s/releases/1.0/files/focus.json"


@pytest.fixture
def file():
    cache.clear()
    made = focus_study(annotators=2, items=2, slug="s")
    for item in made.items:
        judge(made, item, {})
    close(made)
    row = release(made.project)
    release_publish(release=row, by=made.lead)
    return next(file for file in row.files if file["name"] == "focus.json")


def body(response):
    return b"".join(response.streaming_content)


def put(name, content):
    default_storage.delete(name)
    assert default_storage.save(name, ContentFile(content)) == name


def refusals(lead_client):
    api, page = lead_client.get(API), Client().get(PUBLIC)
    return api.status_code, api.json()["code"], page.status_code, page.content.decode()


def test_a_file_that_the_storage_has_lost_is_not_begun(file, lead_client, caplog):
    default_storage.delete(file["storage"])
    status, code, page_status, page = refusals(lead_client)
    assert (status, code, page_status) == (503, "damaged", 503)
    assert f"put it back from a backup: its SHA-256 is {file['sha256']}" in page
    assert f"{file['storage']} of a release cannot be read" in caplog.text


@pytest.mark.parametrize("change", [lambda whole: whole[:-1], lambda whole: whole.replace(b"1", b"2", 1)])
def test_a_file_with_other_bytes_is_not_sent_although_it_was_sent_before(file, lead_client, change):
    whole = body(Client().get(PUBLIC))
    put(file["storage"], change(whole))
    assert refusals(lead_client)[:3] == (503, "damaged", 503)
    put(file["storage"], whole)
    assert body(Client().get(PUBLIC)) == whole


@pytest.fixture
def read(monkeypatch):
    """The names of the files that are read through to be checked."""
    read, sha256 = [], intact._sha256
    monkeypatch.setattr(
        intact, "_sha256", lambda files, file: read.append(file["storage"]) or sha256(files, file)
    )
    return read


def downloaded():
    for part in ("bytes=0-9", "bytes=10-19", None):
        response = Client().get(PUBLIC, headers={"Range": part} if part else {})
        assert response.status_code == (206 if part else 200)


def test_whoever_downloads_first_does_not_wait_until_the_file_is_read_through(file, read):
    downloaded()
    assert read == []


def test_a_file_is_read_through_once_in_a_week_while_nothing_changes(file, read):
    cache.clear()
    downloaded()
    assert read == [file["storage"]]


def test_a_file_that_changed_before_anybody_had_it_is_not_sent(file, read, lead_client):
    with default_storage.open(file["storage"]) as stream:
        whole = stream.read()
    put(file["storage"], whole.replace(b"1", b"2", 1))
    assert refusals(lead_client)[:3] == (503, "damaged", 503)
    assert read == [file["storage"]] * 2


ZIP = "/releases/s/1.0/files/s-1.0.zip"


def test_the_zip_is_in_no_storage_and_comes_whole_or_in_ranges_with_the_sum_that_was_said(file, read):
    row = Release.objects.get()
    (zipped,) = (one for one in row.files if one["archive"])
    assert zipped["storage"] == ""
    assert not [name for name in stored_files() if name.endswith(".zip")]
    whole = body(Client().get(ZIP))
    assert hashlib.sha256(whole).hexdigest() == zipped["sha256"]
    assert Client().get(ZIP).headers["Content-Length"] == str(len(whole)) == str(zipped["size"])
    assert read == []
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        named = {one["name"]: one["sha256"] for one in row.files if not one["archive"]}
        read_back = {name.removeprefix("s-1.0/"): archive.read(name) for name in archive.namelist()}
    assert {name: hashlib.sha256(content).hexdigest() for name, content in read_back.items()} == named
    steps = range(0, len(whole), 997)
    pieces = [Client().get(ZIP, headers={"Range": f"bytes={start}-{start + 996}"}) for start in steps]
    assert {piece.status_code for piece in pieces} == {206}
    assert b"".join(map(body, pieces)) == whole


@pytest.mark.parametrize("change", [lambda whole: whole[:-1], lambda whole: whole.replace(b"1", b"2", 1)])
def test_a_zip_with_a_file_that_changed_is_not_sent(file, change):
    cache.clear()
    with default_storage.open(file["storage"]) as stream:
        whole = stream.read()
    put(file["storage"], change(whole))
    assert Client().get(ZIP).status_code == 503
    put(file["storage"], whole)
    assert Client().get(ZIP).status_code == 200


def test_the_zip_of_a_release_from_before_is_read_from_the_storage(file):
    whole = body(Client().get(ZIP))
    row = Release.objects.get()
    place = default_storage.save("releases/old/s-1.0.zip", ContentFile(whole))
    files = [
        {name: value for name, value in one.items() if name != "entries"} | {"storage": place}
        if one["archive"]
        else one
        for one in row.files
    ]
    row.files = files
    default_storage.delete(file["storage"])
    request = RequestFactory().get(ZIP, headers={"Range": "bytes=5-"})
    (zipped,) = (one for one in files if one["archive"])
    assert body(file_response(request, row, zipped, caching="no-cache")) == whole[5:]


@pytest.mark.parametrize(("address", "caching"), [(PUBLIC, "no-cache"), (API, "no-store")])
def test_a_file_that_somebody_has_already_is_not_sent_again(file, lead_client, address, caching):
    sent = lead_client.get(address)
    assert (sent.headers["ETag"], sent.headers["Cache-Control"]) == (f'"{file["sha256"]}"', caching)
    again = lead_client.get(address, headers={"If-None-Match": sent.headers["ETag"]})
    assert (again.status_code, again.content, again.headers["Cache-Control"]) == (304, b"", caching)
    assert lead_client.get(address, headers={"If-None-Match": '"other"'}).status_code == 200


def test_a_cache_that_is_down_keeps_no_release_from_being_built(monkeypatch):
    def down(*given):
        raise ConnectionError("the cache is down")

    monkeypatch.setattr(cache, "set", down)
    made = focus_study(annotators=1, items=1)
    judge(made, made.items[0], {})
    close(made)
    assert release(made.project).state == "done"
