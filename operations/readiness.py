"""Whether an installation can serve: asked by load balancers and by whoever is called at night.

See docs/decisions/operations.md.
"""

import shutil
import threading
import time
from contextlib import suppress
from datetime import timedelta

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import Error, connection
from django.db.migrations.executor import MigrationExecutor

from core.dispatch import broker_problem
from operations.heartbeats import SILENT, heartbeat_record, silent_for

FREE_BYTES = 200 * 2**20
"""With less room than this nothing big can be stored any more: no release, no upload."""

REMEMBERED_SECONDS = 5.0
"""Anybody may ask, so an answer holds for a while: it writes to the database and the disk."""

_lock = threading.Lock()
_answer: tuple[float, list[str]] = (float("-inf"), [])


def not_ready() -> list[str]:
    """Return what stands in the way of serving, one sentence each; empty where nothing does."""
    global _answer
    with _lock:
        asked_at, problems = _answer
        if time.monotonic() - asked_at >= REMEMBERED_SECONDS:
            problems = asked_now()
            _answer = (time.monotonic(), problems)
        return problems


def asked_now() -> list[str]:
    """Do `not_ready` without remembering."""
    found = [database_problem(), disk_problem()]
    if not found[0]:
        found += [migrations_problem(), silence_of("worker"), silence_of("beat")]
    broker = broker_problem()
    found.append(f"The broker cannot be reached ({broker})." if broker else "")
    return [problem for problem in found if problem]


def database_problem() -> str:
    """Write to the database: the sign of life of this web server."""
    try:
        heartbeat_record(role="web")
    except Error as error:
        return f"The database takes no writes ({type(error).__name__})."
    return ""


def disk_problem(minimum: int = FREE_BYTES) -> str:
    """Write a file where uploads and releases go, and look how much room is left."""
    name = ""
    try:
        name = default_storage.save("healthz/probe", ContentFile(b"."))
        free = shutil.disk_usage(settings.DATA_DIR).free
    except OSError as error:
        return f"Files cannot be written ({error.strerror or type(error).__name__})."
    finally:
        with suppress(OSError):
            if name:
                default_storage.delete(name)
    if free < minimum:
        return f"The disk has {free // 2**20} MB left."
    return ""


def migrations_problem() -> str:
    """Compare the migrations of the code with those that the database has had."""
    executor = MigrationExecutor(connection)
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if missing:
        return f"{len(missing)} migrations were not applied, the first {missing[0][0]}."
    return ""


def silence_of(role: str) -> str:
    """Say how long nothing was heard of a role."""
    silence = silent_for(role)
    if silence is None:
        return f"Nothing was ever heard of a {role}."
    if silence > SILENT:
        return f"Nothing was heard of a {role} for {silence // timedelta(minutes=1)} minutes."
    return ""
