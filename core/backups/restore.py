"""Bringing an archive back into an installation that holds nothing: all of it or nothing.

The archive is read whole before anything changes. Then one transaction lifts the rules of the database, loads
every table, reads it back and compares its digest, puts the rules in place again and stores the files.

See docs/decisions/running.md.
"""

import hashlib
import logging
from collections.abc import Callable, Sequence
from pathlib import Path

from django.apps import apps
from django.core.files import File
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.core.management.sql import emit_post_migrate_signal, emit_pre_migrate_signal
from django.db import DatabaseError, connections, transaction
from django.db.migrations import Migration
from django.db.migrations.executor import MigrationExecutor

from core.backups.archive import ArchiveReader, KeptFile, KeptTable, Manifest, Tally, chunks_of, open_archive
from core.backups.backup import migrations_applied, stored_files
from core.backups.tables import (
    MADE_BY_MIGRATE,
    is_empty,
    load_table,
    set_sequences,
    table_clear,
    table_lines,
    tables_kept,
)
from core.errors import Refused

logger = logging.getLogger(__name__)

Progress = Callable[[str], None]

FEATURES = {"mfa": "ELENCHUS_TWO_FACTOR=yes", "socialaccount": "ELENCHUS_OIDC_SERVER"}


def backup_restore(path: Path, using: str = "default", told: Progress = logger.info) -> Manifest:
    """Restore an archive. `told` hears what is being done. Raises Refused, with nothing changed.

    The database is empty: one without tables is set up as it was when the archive was made, and upgraded at
    the end; one that was set up must have the migrations of the archive.
    """
    with open_archive(path) as archive:
        manifest = archive.manifest
        loaded = _tables_wanted(manifest)
        is_new = _refuse_unfit(manifest, using)
        told("Checking the archive.")
        archive.verify()
        if is_new:
            told("Setting the database up as it was.")
            _migrate_to(manifest, using)
        written: list[str] = []
        try:
            with transaction.atomic(using=using):
                _load(archive, loaded, using, told)
                told(f"Storing {len(manifest.files)} files.")
                for file in manifest.files:
                    _store_file(archive, file, written)
        except BaseException as error:
            for name in written:
                default_storage.delete(name)
            if isinstance(error, DatabaseError):
                raise Refused(
                    "not_restored",
                    f"The database refuses what is in the archive; nothing was stored: {error}",
                ) from error
            raise
    if is_new:
        told("Upgrading to this version.")
        call_command("migrate", database=using, verbosity=0)
    return manifest


def _tables_wanted(manifest: Manifest) -> list[KeptTable]:
    """Return the tables to load; those of a feature that is off here may be left out where they are empty."""
    here = {app.label for app in apps.get_app_configs()}
    wanted = [kept for kept in manifest.tables if kept.table.app in here]
    for kept in manifest.tables:
        if kept.table.app not in here and kept.rows:
            setting = FEATURES.get(kept.table.app, f"the app {kept.table.app}")
            raise Refused(
                "not_ready",
                f"The archive has {kept.rows} rows of {kept.table.name}, which is switched off here: set "
                f"{setting} as it was where the archive was made, then restore again.",
            )
    return wanted


def _refuse_unfit(manifest: Manifest, using: str) -> bool:
    """Return whether the database has no tables yet. Raises Refused where it cannot take the archive."""
    known = set(MigrationExecutor(connections[using]).loader.disk_migrations or ())
    here = {app.label for app in apps.get_app_configs()}
    archived = {(app, name) for app, names in manifest.migrations.items() if app in here for name in names}
    unknown = sorted(archived - known)
    if unknown:
        app, name = unknown[-1]
        raise Refused(
            "newer",
            f"The archive was made by a later version of Elenchus: this one has no migration {app} {name}. "
            "Install the version that made it, or a later one, then restore again.",
        )
    applied = {(app, name) for app, names in migrations_applied(using).items() for name in names}
    if applied:
        for table in tables_kept():
            if (
                _is_there(table.name, using)
                and table.name not in MADE_BY_MIGRATE
                and not is_empty(table.name, using)
            ):
                raise Refused(
                    "not_empty",
                    f"The database holds data already ({table.name} has rows): restore into a new, empty "
                    "one. Nothing was changed.",
                )
        apps_of_archive = set(manifest.migrations)
        odd = sorted(
            archived ^ {(app, name) for app, name in applied if app in apps_of_archive and app in here}
        )
        if odd:
            app, name = odd[0]
            has, lacks = ("database", "archive") if odd[0] in applied else ("archive", "database")
            raise Refused(
                "version",
                f"The {has} has the migration {app} {name}, the {lacks} has not. Restore into a database "
                "without "
                "any tables: it is set up as it was when the archive was made, then upgraded to this "
                "version.",
            )
    _refuse_other_files(manifest)
    return not applied


def _is_there(table: str, using: str) -> bool:
    return table in connections[using].introspection.table_names()


def _refuse_other_files(manifest: Manifest) -> None:
    # Files at places of the archive are what a restore left that was killed.
    places = {file.name for file in manifest.files}
    for name in stored_files():
        if name not in places:
            raise Refused(
                "not_empty",
                f"There are stored files that are not of the archive, such as {name}: move the folder of "
                "files away, then restore again. Nothing was changed.",
            )


def _migrate_to(manifest: Manifest, using: str) -> None:
    """Make the tables as they were when the archive was made."""
    executor = MigrationExecutor(connections[using])
    here = {app.label for app in apps.get_app_configs()}
    archived = {(app, name) for app, names in manifest.migrations.items() if app in here for name in names}
    graph = executor.loader.graph
    last = [
        node
        for node in sorted(archived & set(graph.nodes))
        if not any(
            child.key[0] == node[0] and child.key in archived for child in graph.node_map[node].children
        )
    ]
    executor.migrate(last)


def _load(archive: ArchiveReader, loaded: Sequence[KeptTable], using: str, told: Progress) -> None:
    """Load the tables and prove that the database holds what the archive does."""
    # Receivers take the rules away when there is something to migrate: here an empty step.
    step = [(Migration("restore", "core"), False)]
    emit_pre_migrate_signal(0, False, using, plan=step)
    for name in MADE_BY_MIGRATE:
        table_clear(name, using)
    for kept in loaded:
        if kept.rows:
            told(f"Loading {kept.rows} rows of {kept.table.name}.")
        with archive.open(kept.member) as lines:
            load_table(kept.table, lines, using)
    told("Comparing every table with the archive.")
    for kept in loaded:
        tally = Tally()
        for stored in table_lines(kept.table, using):
            tally.add(stored)
        if (tally.lines, tally.sha256) != (kept.rows, kept.sha256):
            raise Refused(
                "differs",
                f"{kept.table.name} is not in the database as the archive has it ({tally.lines} of "
                f"{kept.rows} rows, or another digest). Nothing was stored.",
            )
    if connections[using].vendor == "postgresql":
        # Foreign keys are looked at now: with checks that wait no index can be made.
        connections[using].check_constraints()
    set_sequences([kept.table for kept in loaded], using)
    told("Putting the rules of the database in place.")
    emit_post_migrate_signal(0, False, using)


def _store_file(archive: ArchiveReader, file: KeptFile, written: list[str]) -> None:
    if default_storage.exists(file.name):
        if _stored_sha256(file.name) == file.sha256:
            return
        default_storage.delete(file.name)
    written.append(file.name)
    with archive.open(file.member) as stream:
        stored = default_storage.save(file.name, File(stream))
    if stored != file.name or _stored_sha256(stored) != file.sha256:
        written.append(stored)
        raise Refused("differs", f"{file.name} was not stored as the archive has it. Nothing was stored.")


def _stored_sha256(name: str) -> str:
    digest = hashlib.sha256()
    with default_storage.open(name, "rb") as stream:
        for chunk in chunks_of(stream):
            digest.update(chunk)
    return digest.hexdigest()
