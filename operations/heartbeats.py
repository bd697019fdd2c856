"""Signs of life of web server, worker and beat: who writes them, and who was heard of.

See docs/decisions/operations.md.
"""

import hashlib
import logging
import socket
import tomllib
from datetime import timedelta
from functools import cache

from django.conf import settings
from django.db import Error, connection
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone

from operations.models import Heartbeat

logger = logging.getLogger(__name__)

EVERY_SECONDS = 30.0
SILENT = timedelta(minutes=2)
"""After so long without a sign a process counts as dead."""

FORGOTTEN = timedelta(days=1)
"""After so long the row of a machine that is no more is deleted."""


@cache
def code_sign() -> str:
    """Return the version of the code with a digest of its migrations, such as 0.2.0+1a2b3c4d."""
    file = settings.BASE_DIR / "pyproject.toml"
    version = tomllib.loads(file.read_text(encoding="utf-8"))["project"]["version"]
    names = sorted(MigrationLoader(None, ignore_no_migrations=True).disk_migrations)
    return f"{version}+{hashlib.sha256(repr(names).encode()).hexdigest()[:8]}"


def heartbeat_record(*, role: str, node: str = "") -> None:
    """Note that a process of this role on this machine lives."""
    Heartbeat.objects.update_or_create(
        role=role, node=node or socket.gethostname(), defaults={"at": timezone.now(), "code": code_sign()}
    )


def heartbeat_try(*, role: str) -> bool:
    """Do `heartbeat_record` from a process whose own work must not fail by it; say whether it was stored."""
    try:
        heartbeat_record(role=role)
    except Error as error:
        logger.warning("the sign of life of %s was not stored: %s", role, type(error).__name__)
        return False
    finally:
        # A process that forks must not leave its children an open connection.
        connection.close()
    return True


def silent_for(role: str) -> timedelta | None:
    """Return how long ago any process of a role was heard of; None where none ever was."""
    latest = Heartbeat.objects.filter(role=role).order_by("-at").first()
    return None if latest is None else timezone.now() - latest.at


def forget_heartbeats() -> int:
    """Delete the rows of machines that were not heard of for a day; return how many."""
    return Heartbeat.objects.filter(at__lt=timezone.now() - FORGOTTEN).delete()[0]
