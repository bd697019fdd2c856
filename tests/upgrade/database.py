"""An installation of an earlier version, restored from this folder to be upgraded."""

import gzip
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings as django_settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection, connections
from django.test import override_settings

FOLDER = Path(__file__).parent
NAME = "elenchus_of_before"
NOT_DATA = ("django_", "auth_permission", "sqlite_", "annotation_itemwords")
"""Beginnings of the tables that are the software's own, and of its index of words."""


@contextmanager
def restored(version: str, folder: Path) -> Iterator[None]:
    """Make the database of a version that of this process, its files those of the storage, for the block."""
    vendor, kept = connection.vendor, connections["default"]
    dump = gzip.decompress((FOLDER / version / f"elenchus.{vendor}.gz").read_bytes())
    settings, name = kept.settings_dict, kept.settings_dict["NAME"]
    if vendor == "postgresql":
        with kept.cursor() as cursor:
            cursor.execute(f'DROP DATABASE IF EXISTS "{name}_{NAME}"')
            cursor.execute(f'CREATE DATABASE "{name}_{NAME}" TEMPLATE template0')
        settings["NAME"] = f"{name}_{NAME}"
    else:
        (folder / f"{NAME}.sqlite3").write_bytes(dump)
        settings["NAME"] = str(folder / f"{NAME}.sqlite3")
    connections["default"] = type(kept)(settings, "default")
    try:
        if vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute(dump.decode())
        with override_settings(STORAGES=dict(django_settings.STORAGES)):  # a storage of its own
            _store_files(FOLDER / version / f"files.{vendor}.tar.gz")
            yield
    finally:
        connections["default"].close()
        connections["default"], settings["NAME"] = kept, name
        if vendor == "postgresql":
            with kept.cursor() as cursor:
                cursor.execute(f'DROP DATABASE "{name}_{NAME}"')


def _store_files(archive: Path) -> None:
    with tarfile.open(archive) as files:
        for member in files.getmembers():
            if stream := files.extractfile(member):
                default_storage.save(member.name, ContentFile(stream.read()))


def rows_by_table() -> dict[str, int]:
    """Return how many rows each table of data has."""
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
        counts = {}
        for table in tables:
            if not table.startswith(NOT_DATA):
                cursor.execute(f'SELECT COUNT(*) FROM "{table}"')
                counts[table] = cursor.fetchone()[0]
    return counts


def stored(name: str) -> bytes:
    """Return what a file of the storage holds."""
    with default_storage.open(name) as stream:
        return bytes(stream.read())
