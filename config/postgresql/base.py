"""Django's PostgreSQL, which looks at a connection before it asks the server whether it still answers.

With CONN_HEALTH_CHECKS Django sends `SELECT 1` before the first query of each request: one statement in nine
of a decision. A server that has ended a connection has also closed it, and this machine knows of it.

See docs/decisions/running.md.
"""

from select import POLLIN, poll
from typing import Any

from django.db.backends.postgresql import base


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that is usable as long as nothing came in while no query ran."""

    errors_occurred: bool

    def is_usable(self) -> bool:
        """Return whether the server answers; without asking it where nothing tells of a change.

        While a connection rests, nothing comes in but the farewell of a server that ends it, or a notice.
        After an error the server is asked.
        """
        return (not self.errors_occurred and _is_quiet(self.connection)) or bool(super().is_usable())


def _is_quiet(connection: Any) -> bool:
    """Whether a psycopg connection is open and nothing waits to be read from it."""
    if connection is None or connection.closed:
        return False
    watched = poll()
    watched.register(connection.fileno(), POLLIN)
    return not watched.poll(0)
