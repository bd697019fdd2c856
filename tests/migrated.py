"""A database is migrated once and copied for whoever wants an empty one; migrating takes twenty seconds.

The copies are of the code as it is: what decides what `migrate` makes is in the name of the original, which
stays in var/test, or on the server as a database, until other code replaces it.
"""

import fcntl
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
from django.conf import settings
from django.db import connection

from tests.installation import Installation
from tools.apps import APPS

ROOT = Path(__file__).resolve().parent.parent
DECIDING = re.compile(r"/(migrations|models|database|apps\.py|models\.py|triggers\.py|settings)(/|$)")
KEPT = "elenchus_migrated_"
LOCK = 20_261_129


@cache
def of_this_code() -> str:
    """Return a word that is another one where `migrate` could make another database."""
    found = {path for app in APPS for path in (ROOT / app).rglob("*.py")}
    deciding = {path for path in found if DECIDING.search(path.relative_to(ROOT).as_posix())}
    digest = sha256()
    for path in sorted({*deciding, ROOT / "requirements.txt", Path(__file__)}):
        digest.update(b"%s\0%d\0" % (str(path.relative_to(ROOT)).encode(), path.stat().st_size))
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def migrated_folder(kind: str = "plain", **chosen: str) -> Path:
    """Return a data folder with an empty SQLite, to be copied, migrated with settings that choose apps."""
    place = settings.DATA_DIR / f"migrated-{kind}-{of_this_code()}"
    with alone(settings.DATA_DIR / f"migrated-{kind}.lock"):
        if not place.exists():
            for old in settings.DATA_DIR.glob(f"migrated-{kind}-*"):
                shutil.rmtree(old)
            half_made = settings.DATA_DIR / f"half-migrated-{kind}"
            shutil.rmtree(half_made, ignore_errors=True)
            if chosen:  # the few migrations of the apps that come with them are left
                shutil.copytree(migrated_folder(), half_made)
            Installation(half_made, **chosen).migrate()
            half_made.rename(place)
    return place


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Have one process at a time in the block."""
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def copy_for_tests() -> None:
    """Put a migrated copy where Django looks for the database of the tests."""
    name = connection.creation._get_test_db_name()
    if connection.vendor == "sqlite":
        for end in ("", "-wal", "-shm"):
            Path(name + end).unlink(missing_ok=True)
        shutil.copyfile(migrated_folder() / "elenchus.sqlite3", name)
    else:
        copy_on_postgresql(os.environ["DATABASE_URL"], name)


def copy_on_postgresql(server: str, name: str) -> None:
    """Make a database of this name as a copy of a migrated one, on the server of an address."""
    url = urlsplit(server)
    original = f"{KEPT}{of_this_code()}"
    with psycopg.connect(urlunsplit(url._replace(path="/postgres")), autocommit=True) as connected:
        connected.execute("SELECT pg_advisory_lock(%s)", [LOCK])  # until the connection is closed
        found = connected.execute("SELECT datname FROM pg_database WHERE starts_with(datname, %s)", [KEPT])
        there = {name for (name,) in found}
        if original not in there:
            for old in there:
                connected.execute(f'DROP DATABASE "{old}" WITH (FORCE)')
            connected.execute(f'CREATE DATABASE "{KEPT}half"')
            half_made = urlunsplit(url._replace(path=f"/{KEPT}half"))
            Installation(settings.DATA_DIR / "migrating", database=half_made).migrate()
            connected.execute(f'ALTER DATABASE "{KEPT}half" RENAME TO "{original}"')
        connected.execute(f'DROP DATABASE IF EXISTS "{name}"')
        connected.execute(f'CREATE DATABASE "{name}" TEMPLATE "{original}"')
