"""What an archive is: a ZIP with a file of JSON lines for each table, the stored files, and a manifest.

`manifest.json` is written last and names every other member with its size and SHA-256: an archive that was
cut off has none. Any ZIP program opens it.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Any, cast

from core.backups.tables import Column, Table
from core.errors import Refused

FORMAT = "elenchus-backup"
FORMAT_VERSION = 1
MANIFEST = "manifest.json"
CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class KeptTable:
    """A table in an archive: `sha256` is of its lines, so of its rows in the order of their key."""

    table: Table
    rows: int
    size: int
    sha256: str

    @property
    def member(self) -> str:
        return f"tables/{self.table.name}.jsonl"


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A stored file in an archive, by its place in the storage."""

    name: str
    size: int
    sha256: str

    @property
    def member(self) -> str:
        return f"files/{self.name}"


@dataclass(slots=True)
class Manifest:
    """All that an archive says of itself. `migrations` has the names of those applied, by app."""

    made_at: str
    database: str
    migrations: dict[str, list[str]]
    tables: list[KeptTable] = field(default_factory=list)
    files: list[KeptFile] = field(default_factory=list)

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables)

    def as_json(self) -> bytes:
        whole = {"format": FORMAT, "format_version": FORMAT_VERSION, **asdict(self)}
        return json.dumps(whole, ensure_ascii=False, indent=1).encode()


def manifest_from(data: bytes) -> Manifest:
    """Return the manifest of these bytes. Raises Refused for what no version of Elenchus has written."""
    try:
        given: dict[str, Any] = json.loads(data)
        is_ours = given["format"] == FORMAT
        version = int(given["format_version"])
    except (ValueError, KeyError, TypeError):
        raise _no_archive() from None
    if not is_ours:
        raise _no_archive()
    if version > FORMAT_VERSION:
        raise Refused(
            "newer",
            "A later version of Elenchus made this archive: install that version, then restore again.",
        )
    return Manifest(
        made_at=given["made_at"],
        database=given["database"],
        migrations=given["migrations"],
        tables=[_table_from(table) for table in given["tables"]],
        files=[KeptFile(**file) for file in given["files"]],
    )


def _table_from(given: dict[str, Any]) -> KeptTable:
    table = given["table"]
    columns = tuple(Column(**column) for column in table["columns"])
    return KeptTable(
        Table(table["name"], table["app"], table["key"], columns),
        given["rows"],
        given["size"],
        given["sha256"],
    )


def _no_archive() -> Refused:
    return Refused("invalid", "This is no archive of manage.py backup: it has no manifest of one.")


@dataclass(slots=True)
class Tally:
    """The size and digest of what went through it."""

    size: int = 0
    lines: int = 0
    _digest: Any = field(default_factory=hashlib.sha256)

    def add(self, data: bytes) -> None:
        self.size += len(data)
        self.lines += data.count(b"\n")
        self._digest.update(data)

    @property
    def sha256(self) -> str:
        return str(self._digest.hexdigest())


def write_member(archive: zipfile.ZipFile, name: str, chunks: Iterable[bytes]) -> Tally:
    """Write one member as its bytes come; return what they were."""
    tally = Tally()
    with archive.open(name, "w", force_zip64=True) as member:
        for chunk in chunks:
            tally.add(chunk)
            member.write(chunk)
    return tally


def chunks_of(stream: IO[bytes]) -> Iterator[bytes]:
    while chunk := stream.read(CHUNK):
        yield chunk


class ArchiveReader:
    """An archive that is open for reading."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        try:
            data = archive.read(MANIFEST)
        except (KeyError, zipfile.BadZipFile):
            raise _no_archive() from None
        self.manifest = manifest_from(data)

    @contextmanager
    def open(self, member: str) -> Iterator[IO[bytes]]:
        """Open a member for reading by lines or chunks."""
        with self._archive.open(member) as raw, io.BufferedReader(cast(io.RawIOBase, raw), CHUNK) as stream:
            yield stream

    def verify(self) -> None:
        """Read everything. Raises Refused where a member is missing or is not what the manifest says."""
        members: list[KeptTable | KeptFile] = [*self.manifest.tables, *self.manifest.files]
        for kept in members:
            tally = Tally()
            try:
                with self.open(kept.member) as stream:
                    for chunk in chunks_of(stream):
                        tally.add(chunk)
            except (KeyError, zipfile.BadZipFile, EOFError, OSError, ValueError):
                raise _damaged(kept.member) from None
            if (tally.size, tally.sha256) != (kept.size, kept.sha256):
                raise _damaged(kept.member)
        for file in self.manifest.files:
            place = PurePosixPath(file.name)
            if place.is_absolute() or ".." in place.parts:
                raise _damaged(file.member)


def _damaged(member: str) -> Refused:
    return Refused(
        "damaged",
        f"The archive is damaged: {member} is missing or is not what was written. Nothing was changed. Take "
        "another copy of the archive, or an earlier one.",
    )


@contextmanager
def open_archive(path: Path) -> Iterator[ArchiveReader]:
    """Open an archive. Raises Refused for a file that is none."""
    try:
        archive = zipfile.ZipFile(path)
    except FileNotFoundError:
        raise Refused("not_found", f"There is no file {path}.") from None
    except (zipfile.BadZipFile, OSError) as error:
        raise Refused(
            "invalid", f"{path} cannot be read as an archive ({error}): it is damaged or cut off."
        ) from error
    with archive:
        yield ArchiveReader(archive)
