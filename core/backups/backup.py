"""Writing everything that an installation holds into one archive, while people go on working.

One transaction reads every table: REPEATABLE READ on PostgreSQL, a read transaction on SQLite in WAL, which
holds up nobody. Files are read after it began: rows of it name no file that came later.
"""

import os
import uuid
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from django.core.files.storage import default_storage
from django.db import connections, transaction
from django.db.migrations.recorder import MigrationRecorder

from core.backups.archive import MANIFEST, KeptFile, KeptTable, Manifest, chunks_of, write_member
from core.backups.tables import table_lines, tables_kept
from core.errors import Refused


def write_backup(path: Path, using: str = "default") -> Manifest:
    """Write the archive, whole or not at all. Raises Refused where the file is there or cannot be written."""
    if path.exists():
        raise Refused("taken", f"{path} is there already: name a new file, for example with the date in it.")
    half = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}")
    try:
        # Password hashes are in it: nobody but who runs the installation may read it.
        with open(os.open(half, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as stream:
            with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
                manifest = _write(archive, using)
            stream.flush()
            os.fsync(stream.fileno())
        os.rename(half, path)
    except OSError as error:
        raise Refused("not_written", f"{path} could not be written: {error.strerror or error}.") from error
    finally:
        half.unlink(missing_ok=True)
    return manifest


def _write(archive: zipfile.ZipFile, using: str) -> Manifest:
    with _snapshot(using):
        manifest = Manifest(
            made_at=datetime.now(UTC).isoformat(timespec="seconds"),
            database=connections[using].vendor,
            migrations=migrations_applied(using),
        )
        for table in tables_kept():
            tally = write_member(archive, f"tables/{table.name}.jsonl", table_lines(table, using))
            manifest.tables.append(KeptTable(table, tally.lines, tally.size, tally.sha256))
    for name in stored_files():
        try:
            stream = default_storage.open(name, "rb")
        except FileNotFoundError:
            continue  # deleted meanwhile by somebody who wanted it gone
        with stream:
            tally = write_member(archive, f"files/{name}", chunks_of(stream))
        manifest.files.append(KeptFile(name, tally.size, tally.sha256))
    archive.writestr(MANIFEST, manifest.as_json())
    return manifest


def migrations_applied(using: str) -> dict[str, list[str]]:
    """Return the names of the migrations that the database has, by app; none where it was never set up."""
    found: dict[str, list[str]] = {}
    for app, name in sorted(MigrationRecorder(connections[using]).applied_migrations()):
        found.setdefault(app, []).append(name)
    return found


def stored_files(folder: str = "") -> Iterator[str]:
    """Yield the places of all stored files, in order."""
    try:
        folders, files = default_storage.listdir(folder)
    except FileNotFoundError:
        return
    within = f"{folder}/" if folder else ""
    yield from (f"{within}{name}" for name in sorted(files))
    for name in sorted(folders):
        yield from stored_files(f"{within}{name}")


@contextmanager
def _snapshot(using: str) -> Iterator[None]:
    """Have all that the block reads be as it was at one moment; in a transaction it is that one's."""
    connection = connections[using]
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic(using=using):
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
    else:
        # Not atomic(): that begins IMMEDIATE here, which would keep everybody else from writing.
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
        try:
            yield
        finally:
            with connection.cursor() as cursor:
                cursor.execute("ROLLBACK")
