"""The doctor names the right fault of each broken installation, and says what to do about it."""

import json
import os
import smtplib
import subprocess
import sys
import urllib.error
from collections import namedtuple
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from annotation.models import Backup
from operations.doctor import database, services
from operations.doctor.doctor import CHECKS, examine
from operations.heartbeats import heartbeat_record
from operations.models import Heartbeat

pytestmark = [pytest.mark.django_db, pytest.mark.database]
ROOT = Path(__file__).resolve().parents[2]
Disk = namedtuple("Disk", "total used free")
Break = Callable[[Any, pytest.MonkeyPatch], None]


@pytest.fixture
def healthy(settings: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """An installation in production in which nothing is wrong."""
    settings.PRODUCTION = settings.HTTPS = True
    settings.SECURE_HSTS_SECONDS = 31_536_000
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    settings.ALLOWED_HOSTS = ["lab.example.org", "127.0.0.1"]
    settings.CSRF_TRUSTED_ORIGINS = ["https://lab.example.org"]
    settings.SECRET_KEY = "0123456789abcdefghijklmnopqrstuvwxyz-0123456789-abcdefgh"
    settings.TWO_FACTOR = True
    settings.EMAIL_HOST = "mail.example.org"
    settings.DATA_DIR = tmp_path
    root = User.objects.create_superuser("root", "", "x")
    monkeypatch.setattr("operations.doctor.settings.secured_accounts", lambda: [root.pk])
    monkeypatch.setattr(services, "_asked", lambda request: (405 if request.data else 200, b"ok\n"))
    monkeypatch.setattr("operations.doctor.database.file_system", lambda path: "ext4")
    if connection.vendor == "sqlite":
        monkeypatch.setattr("operations.doctor.database.journal_mode", lambda: "wal")
    for role in ("worker", "beat"):
        heartbeat_record(role=role)
    return settings


def failures() -> dict[str, tuple[str, str]]:
    return {found.check: (found.message, found.todo) for found in examine() if found.state == "failed"}


def test_nothing_fails_where_nothing_is_wrong(healthy):
    assert failures() == {}
    out = StringIO()
    call_command("doctor", stdout=out)
    assert "All is well." in out.getvalue()
    assert [line.split()[1] for line in out.getvalue().splitlines() if line[:4].strip()][:3] == [
        "debug",
        "secret",
        "hosts",
    ]


def change(**values: object) -> Break:
    def apply(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        for name, value in values.items():
            setattr(settings, name, value)

    return apply


def replace(place: str, stand_in: object) -> Break:
    return lambda settings, monkeypatch: monkeypatch.setattr(place, stand_in)


def raising(error: Exception) -> Callable[..., None]:
    def fail(*args: object, **options: object) -> None:
        raise error

    return fail


def silent(role: str, *, since: timedelta | None = None, **values: object) -> Break:
    def apply(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        at = {} if since is None else {"at": timezone.now() - since}
        Heartbeat.objects.filter(role=role).update(**values, **at)

    return apply


def newer_database(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    MigrationRecorder(connection).record_applied("annotation", "9999_from_the_future")


def older_database(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    MigrationRecorder(connection).record_unapplied("operations", "0001_heartbeats")


BROKEN: dict[str, tuple[str, Break, str, str]] = {
    "debug pages": ("debug", change(DEBUG=True), "Debug pages are on", "Unset ELENCHUS_DEBUG"),
    "a short secret": ("secret", change(SECRET_KEY="abc"), "short or easy", "Set ELENCHUS_SECRET_KEY"),
    "any host": ("hosts", change(ALLOWED_HOSTS=["*"]), "Any host name", "Set ELENCHUS_HOSTS"),
    "no origin": ("origins", change(CSRF_TRUSTED_ORIGINS=[]), "No address", "https://lab.example.org"),
    "an origin of another host": (
        "origins",
        change(CSRF_TRUSTED_ORIGINS=["https://lab.example.org", "https://old.example.org"]),
        "https://old.example.org",
        "ELENCHUS_HOSTS and ELENCHUS_ORIGINS",
    ),
    "no https": ("tls", change(HTTPS=False), "does not insist on HTTPS", "Unset ELENCHUS_HTTPS"),
    "no proxy believed": ("tls", change(ALLAUTH_TRUSTED_PROXY_COUNT=0), "redirects for ever", "PROXIES"),
    "short hsts": ("hsts", change(SECURE_HSTS_SECONDS=60), "60 seconds", "ELENCHUS_HSTS_SECONDS"),
    "one factor": ("second_factor", change(TWO_FACTOR=False), "log-in is off", "ELENCHUS_TWO_FACTOR=yes"),
    "staff without it": (
        "second_factor",
        replace("operations.doctor.settings.secured_accounts", list),
        "1 staff account",
        "Two-factor log-in",
    ),
    "a database that takes nothing": (
        "database",
        replace("operations.readiness.heartbeat_record", raising(OperationalError("read-only"))),
        "takes no writes (OperationalError)",
        "DATABASE_URL" if os.environ.get("DATABASE_URL", "").startswith("postgres") else "can be written",
    ),
    "migrations to come": (
        "migrations",
        older_database,
        "1 migrations were not applied",
        "manage.py migrate",
    ),
    "code of before": ("migrations", newer_database, "annotation.9999_from_the_future", "the newer code"),
    "no room": (
        "files",
        replace("shutil.disk_usage", lambda path: Disk(10**11, 10**11, 10**6)),
        "The disk has 0 MB left",
        "Make room",
    ),
    "files that cannot be written": (
        "files",
        replace(
            "django.core.files.storage.default_storage.save", raising(OSError(30, "Read-only file system"))
        ),
        "Read-only file system",
        "may write there",
    ),
    "no broker": (
        "broker",
        replace("kombu.Connection.ensure_connection", raising(ConnectionRefusedError())),
        "ConnectionRefusedError",
        "Start Redis",
    ),
    "a dead worker": (
        "worker",
        silent("worker", since=timedelta(minutes=7)),
        "for 7 minutes",
        "Start celery --app config worker",
    ),
    "a worker of the last version": (
        "worker",
        silent("worker", code="0.1.0"),
        "0.1.0",
        "Start the worker again",
    ),
    "a dead beat": (
        "beat",
        silent("beat", since=timedelta(hours=2)),
        "for 120 minutes",
        "exactly one celery --app config beat",
    ),
    "a mail server that refuses": (
        "mail",
        replace(
            "operations.doctor.settings.get_connection", raising(smtplib.SMTPAuthenticationError(535, b""))
        ),
        "SMTPAuthenticationError",
        "ELENCHUS_EMAIL_URL",
    ),
    "an encoder that is not there": ("encoder", change(ENCODER="/nowhere"), "no tokenizer.json", "/nowhere"),
    "a clock that is wrong": (
        "clock",
        silent("beat", at=timezone.now() + timedelta(days=30)),
        "differ by 25",  # less the time that the suite takes to come here
        "timedatectl",
    ),
    "a proxy that lets little through": (
        "proxy",
        replace("operations.doctor.services._asked", lambda request: (413 if request.data else 200, b"ok")),
        "refuses bodies of 3 MB",
        "client_max_body_size",
    ),
    "a proxy that leads elsewhere": (
        "proxy",
        replace("operations.doctor.services._asked", lambda request: (502, b"")),
        "answers 502",
        "X-Forwarded-Proto",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_the_doctor_names_the_fault_and_only_that(healthy, monkeypatch, case):
    check, break_it, message, todo = BROKEN[case]
    with monkeypatch.context() as broken:
        break_it(healthy, broken)
        out = StringIO()
        with pytest.raises(SystemExit) as ended:
            call_command("doctor", "--json", stdout=out)
    assert ended.value.code == 1
    told = json.loads(out.getvalue())
    assert told["ok"] is False
    (found,) = [one for one in told["checks"] if not one["ok"]]
    assert (found["check"], found["state"]) == (check, "failed")
    assert message in found["message"] and todo in found["todo"] + found["message"]
    assert [one["check"] for one in told["checks"]] == [name for name, _ in CHECKS]


def test_a_rule_that_is_gone_is_found_and_migrate_is_what_brings_it_back(healthy):
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("ALTER TABLE annotation_annotationevent DISABLE TRIGGER USER")
        else:
            cursor.execute(
                "SELECT name FROM sqlite_master WHERE type = 'trigger' "
                "AND tbl_name = 'annotation_annotationevent'"
            )
            for (name,) in cursor.fetchall():
                cursor.execute(f"DROP TRIGGER {name}")
    ((check, (message, todo)),) = failures().items()
    assert check == "rules" and "triggers that keep the rules are missing" in message
    assert "manage.py migrate" in todo


def test_a_network_drive_under_sqlite_is_named(healthy, monkeypatch):
    if connection.vendor != "sqlite":
        assert database.sqlite().state == "skipped"
        return
    monkeypatch.setattr("operations.doctor.database.file_system", lambda path: "nfs4")
    assert set(failures()) == {"sqlite"}
    monkeypatch.setattr("operations.doctor.database.file_system", lambda path: "ext4")
    monkeypatch.setattr("operations.doctor.database.journal_mode", lambda: "delete")
    assert "delete, not WAL" in failures()["sqlite"][0]


def test_the_file_system_of_a_path_is_that_of_the_longest_mount_above_it(tmp_path):
    mounts = f"/dev/sda / ext4 rw 0 0\nlab:/home {tmp_path} nfs4 rw 0 0\nx /mnt/a\\040b cifs rw 0 0"
    assert database.file_system(tmp_path / "var", mounts) == "nfs4"
    assert database.file_system(Path("/etc"), mounts) == "ext4"
    assert database.file_system(Path("/mnt/a b/c"), mounts) == "cifs"


def test_a_certificate_that_is_not_valid_is_told_from_an_address_that_cannot_be_reached(healthy, monkeypatch):
    import ssl

    failure = urllib.error.URLError(ssl.SSLCertVerificationError(1, "certificate verify failed"))
    monkeypatch.setattr(services, "_asked", raising(failure))
    assert "certificate" in failures()["proxy"][0]
    monkeypatch.setattr(services, "_asked", raising(urllib.error.URLError(OSError("unreachable"))))
    assert services.proxy().state == "note"


def test_a_check_that_fails_itself_ends_no_other(healthy, monkeypatch):
    monkeypatch.setattr("operations.doctor.services.silence_of", raising(RuntimeError("boom")))
    assert set(failures()) == {"worker", "beat"}


@pytest.mark.parametrize("as_json", [True, False])
def test_settings_that_do_not_load_are_a_finding_and_no_traceback(tmp_path, as_json):
    environment = {
        "PATH": os.environ["PATH"],
        "ELENCHUS_DATA": str(tmp_path),
        "ELENCHUS_HOSTS": "https://a.org",
    }
    done = subprocess.run(
        [sys.executable, "manage.py", "doctor", *(["--json"] if as_json else [])],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "")
    assert "'https://a.org' is no host name" in done.stdout
    if as_json:
        assert json.loads(done.stdout)["checks"][0]["check"] == "settings"


def told_of_the_backup() -> tuple[str, str]:
    (found,) = [one for one in examine() if one.check == "backup"]
    return found.state, found.message


def test_the_doctor_says_how_old_the_last_backup_is(healthy):
    assert told_of_the_backup() == ("note", "manage.py backup has made none yet.")
    made = timezone.now() - timedelta(days=9)
    Backup.objects.create(made_at=made, name="old.zip", size=1, rows=1, files=0)
    state, message = told_of_the_backup()
    assert (state, message.endswith("9 days old.")) == ("note", True)
    Backup.objects.create(made_at=timezone.now(), name="new.zip", size=1, rows=1, files=0)
    state, message = told_of_the_backup()
    assert (state, message.startswith("The last one is new.zip, of 20")) == ("ok", True)


def test_the_doctor_knows_the_rules_of_every_app():
    """Whatever `migrate` installs is looked for: the triggers that are there are just those that it wants."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal"
            if connection.vendor == "postgresql"
            else "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        )
        there = {name for (name,) in cursor.fetchall()}
    assert database.rules().message == f"All {len(there)} triggers are in place."
