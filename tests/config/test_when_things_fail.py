"""What people and programs are told where a text has a NUL, or database, disk or mail server fail."""

import errno
import re
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from django.core import mail
from django.db import OperationalError
from django.test import Client

from annotation.importing.files.rows import FileError
from config.private_files import make_folder_private
from tests import factories
from tests.config.test_doors import addresses
from tests.config.test_every_route import address, ask, patterns, study  # noqa: F401
from tests.conftest import client_of
from tests.installation import script

pytestmark = [pytest.mark.django_db, pytest.mark.database]

ROOT = Path(__file__).resolve().parents[2]
READ = re.compile(r"(?:GET|POST|query_params|asked)\.get(?:list)?\(\s*\"(\w+)\"")
PARAMETERS = sorted(
    {
        name
        for folder in ("frontend", "annotation", "agreement", "exports", "config")
        for file in (ROOT / folder).rglob("*.py")
        for name in READ.findall(file.read_text("utf-8"))
    }
    | {"page", "q", "next", "who", "since", "until", "width", "coefficient", "rows", "columns"}
)
"""Every name by which the code reads a value of an address or a form."""


def test_a_nul_anywhere_in_a_request_is_refused_and_fails_nowhere(study):  # noqa: F811
    client = client_of("lea")
    client.raise_request_exception = False
    assert len(PARAMETERS) > 25
    sent = dict.fromkeys(PARAMETERS, "a\0b")
    for name, pattern in patterns():
        url = address(pattern, study)
        response = client.get(url, sent)
        assert response.status_code == 400, name
        if name.startswith("api-"):
            assert response.json()["code"] == "invalid"
        # The fields of a form say so beside themselves.
        assert client.post(url, sent).status_code < 500, name
    for path in ("/", "/accounts/login/", "/accounts/signup/", "/accounts/password/reset/", "/projects/new/"):
        assert client.get(path, sent).status_code == 400
        assert client.post(path, sent).status_code < 500
        assert client.get(path, {"a\0b": ""}).status_code == 400


def test_a_nul_in_the_address_itself_or_a_cookie_or_a_json_body_is_no_failure(study):  # noqa: F811
    client = client_of("lea")
    for path in (
        "/join/%00/",
        "/p/guarded/releases/%00/",
        "/releases/s/%00/",
        "/p/guarded/rounds/1/units/1/%00/",
    ):
        assert client.get(path).status_code == 400, path
    stranger = Client()
    stranger.cookies["sessionid"] = "a\0b"
    assert stranger.get("/").status_code in (302, 400)
    for name in ("/api/projects/", "/api/projects/guarded/rounds/", "/api/projects/guarded/releases/"):
        response = client.post(name, '{"name": "a\\u0000b", "slug": "x\\u0000"}', "application/json")
        assert response.status_code in (400, 422), name


def broken_by(error: Exception):
    def fail(*args, **options):
        raise error

    return fail


@pytest.mark.parametrize(
    "error",
    [OperationalError("server closed the connection"), OSError(errno.ENOSPC, "No space left on device")],
)
@pytest.mark.parametrize(
    "place",
    [
        "django.contrib.auth.get_user",
        "annotation.access.member_or_404",
        "django.middleware.csrf.CsrfViewMiddleware.process_request",
    ],
)
def test_programs_are_told_in_json_that_the_database_or_the_disk_fails_and_people_on_a_page(
    study,  # noqa: F811
    monkeypatch,
    error,
    place,
):
    client = client_of("lea")
    client.raise_request_exception = False
    monkeypatch.setattr(place, broken_by(error))
    response = client.get("/api/projects/guarded/rounds/")
    assert (response.status_code, response.json()["code"]) == (503, "unavailable")
    assert response["Retry-After"] == "30" and "/" not in response.json()["message"]
    page = client.get("/p/guarded/")
    assert (page.status_code, page["Retry-After"]) == (503, "30")
    assert "The database does not answer, or the disk is full" in page.content.decode()


def test_programs_get_json_whatever_is_wrong_outside_the_api_s_own_views(monkeypatch):
    client = client_of("lea")
    client.raise_request_exception = False
    response = client.get("/api/no/such/address/")
    assert (response.status_code, response.json()["code"]) == (404, "not_found")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("django.contrib.auth.get_user", broken_by(RuntimeError("secret")))
        response = client.get("/api/projects/")
    assert (response.status_code, response.json()["code"]) == (500, "failed")
    assert "secret" not in response.content.decode()
    assert client.get("/no/such/page").headers["Content-Type"].startswith("text/html")


def test_a_mail_server_that_is_down_is_told_and_no_failure(monkeypatch):
    factories.user("ada")
    monkeypatch.setattr("django.core.mail.EmailMessage.send", broken_by(ConnectionRefusedError("down")))
    for email in ("ada@example.org", "nobody@example.org"):
        response = Client().post("/accounts/password/reset/", {"email": email})
        assert response.status_code == 503
        assert "The letter could not be sent: the mail server does not take it." in response.content.decode()
    assert mail.outbox == []


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_embedded_database_and_its_folder_are_its_owner_s_alone(tmp_path):
    data = tmp_path / "var"
    code = "from django.db import connection as c; c.cursor().execute('CREATE TABLE t (x)'); input()"
    environment = {"PATH": "/usr/bin:/bin", "ELENCHUS_DATA": str(data)}
    environment["DJANGO_SETTINGS_MODULE"] = "config.settings.embedded"
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, *script(code)], cwd=ROOT, env=environment, input="\n", text=True, check=False
        )
        if done.returncode == 0:
            break
    files = sorted(path.name for path in data.iterdir())
    assert "elenchus.sqlite3" in files
    assert mode(data) == 0o700
    assert {path.name: oct(mode(path)) for path in data.iterdir() if path.is_file()} == dict.fromkeys(
        files, "0o600"
    )


def test_a_folder_of_an_older_version_is_closed_and_one_of_others_left(tmp_path):
    ours, others = tmp_path / "ours", tmp_path / "others"
    for folder in (ours, others):
        folder.mkdir(mode=0o755)
    (ours / "elenchus.sqlite3").touch()
    for folder in (ours, others):
        make_folder_private(folder)
    assert (mode(ours), mode(others)) == (0o700, 0o755)


def test_no_message_about_a_file_names_the_copy_that_was_read():
    copy = f"{tempfile.gettempdir()}/tmpab12/upload"
    told = str(FileError("posts.xlsx", "", f"cannot be read: [Errno 2] no such file: '{copy}'"))
    assert told == "posts.xlsx: cannot be read: [Errno 2] no such file: 'posts.xlsx'"


def test_every_address_of_the_site_answers_a_nul_without_failing():
    client = Client(raise_request_exception=False)
    for path in sorted(set(addresses())):
        assert ask(client, "get", f"{path}?x=%00").status_code in (400, 405), path
