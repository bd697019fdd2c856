"""A connection to PostgreSQL is looked at before each request, and the server asked if need be."""

from contextlib import closing
from select import POLLIN, poll

import pytest
from django.db import Error, connection
from django.db.backends.postgresql import base

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.database,
    pytest.mark.postgresql,
]


@pytest.fixture
def kept():
    """Yield a connection of its own between two requests."""
    made = connection.copy()
    made.connect()
    with closing(made):
        made.close_if_unusable_or_obsolete()
        yield made


@pytest.fixture
def asked(monkeypatch):
    """Return the list of what Django's own check, which asks the server, has found."""
    found = []
    ask = base.DatabaseWrapper.is_usable

    def noted(self):
        found.append(ask(self))
        return found[-1]

    monkeypatch.setattr(base.DatabaseWrapper, "is_usable", noted)
    return found


def backend(kept):
    with kept.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return cursor.fetchone()[0]


def test_one_that_was_left_alone_is_used_again_without_a_question(kept, asked):
    first = backend(kept)
    kept.close_if_unusable_or_obsolete()
    assert backend(kept) == first
    assert asked == []


def test_one_that_the_server_has_ended_is_made_anew_before_the_first_query(kept, asked):
    first = backend(kept)
    kept.close_if_unusable_or_obsolete()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", [first])
    farewell = poll()
    farewell.register(kept.connection.fileno(), POLLIN)
    assert farewell.poll(30_000)
    assert backend(kept) != first
    assert asked == [False]


def test_after_an_error_the_server_is_asked(kept, asked):
    first = backend(kept)
    with pytest.raises(Error), kept.cursor() as cursor:
        cursor.execute("SELECT 1 / 0 FROM nothing_there")
    kept.close_if_unusable_or_obsolete()
    assert backend(kept) == first
    assert asked == [True]


def test_one_that_is_closed_here_is_not_usable(kept):
    kept.connection.close()
    assert kept.is_usable() is False
