"""What every test may ask for."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import Client

from tests import factories

ROOT = Path(__file__).resolve().parent.parent
STRICT = os.environ.get("ELENCHUS_STRICT") == "1"


def unavailable(what: str, how: str) -> None:
    """Fail in strict mode, else skip with one line that says how to get what is missing."""
    message = f"{what}: {how}"
    if STRICT:
        pytest.fail(message, pytrace=False)
    pytest.skip(message)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real public data beside the checkout."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        unavailable("no ../shared/data", "the real data sets are not part of the repository")
    return folder


@pytest.fixture
def transactional_db(transactional_db) -> Iterator[None]:
    """Clear the tables afterwards although triggers refuse to delete from some of them."""
    yield
    from django.db import connection

    from annotation.triggers import TRIGGERS, run_statements

    # The flush that follows ends with post_migrate, which installs them again.
    run_statements(
        "default", [sql for trigger in TRIGGERS for sql in trigger.drop_statements(connection.vendor)]
    )


@pytest.fixture
def lead_client(db) -> Client:
    """A browser in which Lea, who leads the studies of `tests.factories`, is logged in."""
    return client_of("lea")


def client_of(name: str) -> Client:
    """Return a client in which this user is logged in."""
    client = Client()
    client.force_login(factories.user(name))
    return client
