"""What every test may ask for."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
from django.contrib.auth.management import create_permissions
from django.contrib.contenttypes.management import create_contenttypes
from django.core.cache import cache
from django.core.files.storage import InMemoryStorage, default_storage, storages
from django.core.management.color import no_style
from django.core.management.commands import flush
from django.core.management.sql import emit_post_migrate_signal
from django.db import connections
from django.db.models.signals import post_migrate
from django.test import Client
from django.test.utils import setup_databases, teardown_databases
from django.utils import translation
from hypothesis import HealthCheck, settings
from pytest_django import DjangoDbBlocker

from annotation.database.triggers import kept_triggers, run_statements
from core.backups.backup import stored_files
from tests import factories
from tests.installation import Installation
from tests.migrated import copy_for_tests, migrated_folder
from tests.open_orders import last_made_first

ROOT = Path(__file__).resolve().parent.parent
# A loaded machine is no reason to fail.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

LONG = {"browser", "migrated", "migrated_for_log_ins", "server", "production"}
"""The fixtures that start a browser or processes."""
TABLES_THAT_STAY = ("django_content_type", "auth_permission")
PERMISSIONS_MADE = "django.contrib.auth.management.create_permissions"
STRICT = os.environ.get("ELENCHUS_STRICT") == "1"


def unavailable(what: str, how: str) -> None:
    """Fail in strict mode, else skip with one line that says how to get what is missing."""
    message = f"{what}: {how}"
    if STRICT:
        pytest.fail(message, pytrace=False)
    pytest.skip(message)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the tests about PostgreSQL alone out of a run on SQLite; begin with the files that take long."""
    if not os.environ.get("DATABASE_URL", "").startswith("postgres"):
        left_out = [item for item in items if item.get_closest_marker("postgresql")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("postgresql")]
    # At the end of a run no worker then waits for the other's browser or processes.
    long = {item.path for item in items if LONG & set(getattr(item, "fixturenames", ()))}
    long |= {item.path for item in items if item.path.parent.name == "upgrade"}  # migrates for a minute
    items.sort(key=lambda item: item.path not in long)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real public data beside the checkout."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        unavailable("no ../shared/data", "the real data sets are not part of the repository")
    return folder


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None,
    django_db_blocker: DjangoDbBlocker,
    django_db_keepdb: bool,
    django_db_createdb: bool,
    django_db_modify_db_settings: None,
) -> Iterator[None]:
    """Begin with a copy of a migrated database: Django migrates it, and finds nothing left to do."""
    with django_db_blocker.unblock():
        if django_db_createdb or not django_db_keepdb:
            copy_for_tests()
        made = setup_databases(verbosity=0, interactive=False, keepdb=True, serialized_aliases=())
    yield
    if not django_db_keepdb:
        with django_db_blocker.unblock():
            teardown_databases(made, verbosity=0)


@pytest.fixture(scope="session")
def migrated() -> Path:
    """Return a data folder with an empty database, to be copied."""
    return migrated_folder()


@pytest.fixture(scope="session")
def migrated_for_log_ins() -> Path:
    """Return such a folder with the tables of log-ins elsewhere and of a second factor, too."""
    return migrated_folder(
        "log-ins",
        ELENCHUS_TWO_FACTOR="yes",
        ELENCHUS_OIDC_SERVER="https://login.example.org",
        ELENCHUS_OIDC_CLIENT="elenchus",
        ELENCHUS_OIDC_SECRET="secret",
    )


@pytest.fixture
def broker() -> str:
    """The address of a Redis with an empty queue that no other test's worker takes jobs from."""
    url = os.environ.get("ELENCHUS_TEST_REDIS_URL")
    if not url:
        unavailable("no Redis", "make test starts one; or set ELENCHUS_TEST_REDIS_URL")
    # One database for each process of the tests, from the last of a server's sixteen on: the first may be of
    # somebody's own installation, where a test's worker would take jobs and this would clear the queue.
    number = 15 - int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:]) % 15
    mine = f"{url.rpartition('/')[0]}/{number}"
    with redis.from_url(mine) as server:
        for pattern in ("celery*", "unacked*", "_kombu*", "elenchus*"):  # what earlier tests have left
            for key in server.scan_iter(pattern):
                server.delete(key)
    return mine


@pytest.fixture
def installation(migrated: Path, tmp_path: Path) -> Iterator[Installation]:
    """An installation of its own, with nobody in it; its web server is killed at the end."""
    made = Installation(shutil.copytree(migrated, tmp_path / "data"))
    yield made
    made.kill()


@pytest.fixture(scope="session", autouse=True)
def open_orders() -> Iterator[None]:
    """Give rows that a query does not order in an order that no test expects, always the same."""
    with last_made_first():
        yield


@pytest.fixture(scope="session", autouse=True)
def flush_past_the_triggers() -> Iterator[None]:
    """Let transactional tests clear the tables although triggers refuse to delete from some of them.

    Rows are numbered from 1 again, so that no test depends on which ran before it. The flush ends with
    post_migrate, which installs the triggers again. Content types and permissions stay: no test changes
    them, and Django makes them again one by one, which takes longer than all the rest.
    """
    handle = flush.Command.handle

    def handle_without_triggers(command: flush.Command, **options: Any) -> None:
        using = options["database"]
        connection = connections[using]
        run_statements(
            using,
            [sql for trigger in kept_triggers() for sql in trigger.drop_statements(connection.vendor)],
        )
        found = connection.introspection.django_table_names(only_existing=True, include_views=False)
        cleared = [name for name in found if name not in TABLES_THAT_STAY]
        connection.ops.execute_sql_flush(
            connection.ops.sql_flush(no_style(), cleared, reset_sequences=True, allow_cascade=False)
        )
        post_migrate.disconnect(create_contenttypes)
        post_migrate.disconnect(dispatch_uid=PERMISSIONS_MADE)
        try:
            emit_post_migrate_signal(0, False, using)
        finally:
            post_migrate.connect(create_contenttypes)
            post_migrate.connect(create_permissions, dispatch_uid=PERMISSIONS_MADE)

    flush.Command.handle = handle_without_triggers
    yield
    flush.Command.handle = handle


@pytest.fixture(autouse=True)
def no_log_ins_counted_yet() -> None:
    """Forget the log-ins of earlier tests: allauth counts them in the cache and slows them down."""
    cache.clear()


@pytest.fixture(autouse=True)
def no_file_stored_yet() -> None:
    """Forget the files of earlier tests, which lie in the memory of this process."""
    if isinstance(storages["default"], InMemoryStorage):
        for name in list(stored_files()):
            default_storage.delete(name)


@pytest.fixture
def lead_client(db) -> Client:
    """A browser in which Lea, who leads the studies of `tests.factories`, is logged in."""
    return client_of("lea")


def client_of(name: str) -> Client:
    """Return a client in which this user is logged in."""
    client = Client()
    client.force_login(factories.user(name))
    return client


@pytest.fixture(autouse=True)
def language_stays_here():
    """The middleware leaves the last request's language active in this thread: not for other tests."""
    with translation.override("en"):
        yield
