"""What tests ask of the database itself."""

import pytest
from django.db import IntegrityError, connection, transaction

from annotation.database.install import TRIGGERS


def refused(write) -> str:
    """Run a write that the database must refuse and return what it said."""
    with pytest.raises(IntegrityError) as error, transaction.atomic():
        write()
    return str(error.value)


def missing_triggers() -> set[str]:
    """Return the names of the triggers that should be there and are not."""
    query = (
        "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal"
        if connection.vendor == "postgresql"
        else "SELECT name FROM sqlite_master WHERE type = 'trigger'"
    )
    with connection.cursor() as cursor:
        cursor.execute(query)
        there = {row[0] for row in cursor.fetchall()}
    expected = {
        statement.split()[2]
        for trigger in TRIGGERS
        for statement in trigger.statements(connection.vendor)
        if statement.startswith("CREATE TRIGGER")
    }
    assert expected
    return expected - there
