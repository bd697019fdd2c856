"""Checks of the database: whether it answers, keeps the rules, has had the migrations, and its clock."""

import re
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db import Error, connection
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone

from annotation.backups import last_backup
from annotation.database.triggers import kept_triggers
from operations.doctor.findings import Finding, failed, note, ok, skipped
from operations.heartbeats import code_sign
from operations.models import Heartbeat
from operations.readiness import database_problem, migrations_problem

NETWORK = {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "lustre", "fuse.sshfs"}
AWRY_SECONDS = 30.0
BACKUP_AGE = timedelta(days=7)
_CREATED = re.compile(r"CREATE (?:CONSTRAINT )?TRIGGER (?:IF NOT EXISTS )?\"?(\w+)\"?")


def reachable() -> Finding:
    problem = ""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error as error:
        problem = f"The database does not answer ({type(error).__name__})."
    if not problem and Heartbeat._meta.db_table in connection.introspection.table_names():
        problem = database_problem()
    if problem:
        return failed(
            "database",
            problem,
            "Start PostgreSQL and look at DATABASE_URL."
            if connection.vendor == "postgresql"
            else f"See that {connection.settings_dict['NAME']} and its folder can be written.",
        )
    return ok("database", f"{connection.display_name} answers and takes writes.")


def rules() -> Finding:
    """Compare the triggers that keep the rules with those that are there and switched on."""
    wanted = {
        name
        for trigger in kept_triggers()
        for sql in trigger.statements(connection.vendor)
        for name in _CREATED.findall(sql)
    }
    there = (
        "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgenabled <> 'D'"
        if connection.vendor == "postgresql"
        else "SELECT name FROM sqlite_master WHERE type = 'trigger'"
    )
    try:
        with connection.cursor() as cursor:
            cursor.execute(there)
            missing = sorted(wanted - {name for (name,) in cursor.fetchall()})
    except Error:
        return skipped("rules", "The database has to answer first.")
    if missing:
        return failed(
            "rules",
            f"{len(missing)} of {len(wanted)} triggers that keep the rules are missing: see {missing[0]}.",
            "Run manage.py migrate: it installs them again.",
        )
    return ok("rules", f"All {len(wanted)} triggers are in place.")


def sqlite() -> Finding:
    if connection.vendor != "sqlite":
        return skipped("sqlite", "The database is PostgreSQL.")
    try:
        mode = journal_mode()
    except Error:
        return skipped("sqlite", "The database has to answer first.")
    kind = file_system(Path(str(connection.settings_dict["NAME"])))
    if kind in NETWORK:
        return failed(
            "sqlite",
            f"The database is on a network drive ({kind}): there SQLite loses what was stored.",
            "Move ELENCHUS_DATA to a disk of this machine, or use PostgreSQL.",
        )
    if mode.lower() != "wal":
        return failed(
            "sqlite",
            f"SQLite's journal is {mode}, not WAL: readers and the writer wait for each other.",
            "Stop everything that has the database open, then start again: WAL is set at each start.",
        )
    return ok("sqlite", f"In WAL mode, on a disk of this machine ({kind or 'of an unknown kind'}).")


def journal_mode() -> str:
    """Return how SQLite keeps its journal."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA journal_mode")
        return str(cursor.fetchone()[0])


def file_system(path: Path, mounts: str | None = None) -> str:
    """Return the kind of file system that a path is on; empty where this machine does not say."""
    if mounts is None:
        try:
            mounts = Path("/proc/mounts").read_text(encoding="utf-8")
        except OSError:
            return ""
    best, kind = -1, ""
    for line in mounts.splitlines():
        place, found = line.split(" ")[1:3]
        place = place.replace("\\040", " ")
        if path.resolve().is_relative_to(place) and len(place) >= best:
            best, kind = len(place), found
    return kind


def migrations() -> Finding:
    """Compare the migrations of this code with those that the database has had, both ways."""
    try:
        missing = migrations_problem()
        loader = MigrationLoader(connection)
    except Error:
        return skipped("migrations", "The database has to answer first.")
    if missing:
        return failed(
            "migrations",
            missing,
            "Stop web servers and workers, make a backup, run manage.py migrate, start them again.",
        )
    ours = {app for app, _ in loader.graph.nodes}
    replaced = {old for migration in loader.disk_migrations.values() for old in migration.replaces}
    newer = sorted(
        f"{app}.{name}"
        for app, name in loader.applied_migrations
        if app in ours and (app, name) not in {*loader.disk_migrations, *replaced}
    )
    if newer:
        return failed(
            "migrations",
            f"The database is of a newer version than this code: it has had {newer[-1]}.",
            "Run the newer code again, or restore the backup from before the update.",
        )
    return ok("migrations", f"The database fits this code ({code_sign()}).")


def backup() -> Finding:
    """Say how old the last backup is; one made by other means is not known here, so nothing fails."""
    todo = "Have cron run manage.py backup every night (docs/deploy.md), unless you back up by other means."
    try:
        last = last_backup()
    except Error:
        return skipped("backup", "The database has to answer first.")
    if last is None:
        return note("backup", "manage.py backup has made none yet.", todo)
    age = timezone.now() - last.made_at
    told = f"The last one is {last.name}, of {last.made_at:%Y-%m-%d %H:%M} UTC"
    if age > BACKUP_AGE:
        return note("backup", f"{told}: {age.days} days old.", todo)
    return ok("backup", f"{told}.")


def clock() -> Finding:
    """Compare this machine's clock with the database's and with what was stored last."""
    now = timezone.now()
    try:
        latest = Heartbeat.objects.order_by("-at").values_list("at", flat=True).first()
        awry = _database_clock(now)
    except Error:
        return skipped("clock", "The database has to answer first.")
    if latest is not None:
        awry = max(awry, (latest - timezone.now()).total_seconds())
    if awry > AWRY_SECONDS:
        return failed(
            "clock",
            f"This machine's clock and that of the database or another machine differ by {awry:.0f} seconds.",
            "Switch time synchronisation on (timedatectl set-ntp true) on each of them.",
        )
    return ok("clock", f"{now:%Y-%m-%d %H:%M:%S} UTC, as on the others; pages show {settings.TIME_ZONE}.")


def _database_clock(now: datetime) -> float:
    if connection.vendor != "postgresql":
        return 0.0
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        (there,) = cursor.fetchone()
    return abs(float((there - now).total_seconds()))
