"""What a file is that is no table of ours, told by its content, and what to do with it."""

from __future__ import annotations

import zipfile
from pathlib import Path

from django.utils.translation import gettext, gettext_noop

from annotation.importing.files.rows import FileError

_OLE = b"\xd0\xcf\x11\xe0"
_ZIPS = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_START = 16
_SEARCHED = 64 * 2**20

_AS_XLSX = gettext_noop("open it and save it as an Excel workbook (.xlsx) or as CSV UTF-8")
_UNPACK = gettext_noop("unpack it and choose the file in it")
_AS_TABLE = gettext_noop("export its table as CSV UTF-8")

_STARTS = (
    (b"\x09\x08", gettext_noop("is a workbook of a very old Excel"), _AS_XLSX),
    (b"\x09\x04\x06\x00", gettext_noop("is a workbook of a very old Excel"), _AS_XLSX),
    (b"\x1f\x8b", gettext_noop("is compressed (gzip)"), _UNPACK),
    (b"BZh", gettext_noop("is compressed (bzip2)"), _UNPACK),
    (b"\xfd7zXZ\x00", gettext_noop("is compressed (xz)"), _UNPACK),
    (b"\x28\xb5\x2f\xfd", gettext_noop("is compressed (Zstandard)"), _UNPACK),
    (b"7z\xbc\xaf\x27\x1c", gettext_noop("is an archive (7-Zip)"), _UNPACK),
    (b"Rar!\x1a\x07", gettext_noop("is an archive (RAR)"), _UNPACK),
    (b"PAR1", gettext_noop("is a Parquet file"), _AS_TABLE),
    (b"ARROW1", gettext_noop("is an Arrow file"), _AS_TABLE),
    (b"SQLite format 3\x00", gettext_noop("is a database (SQLite)"), _AS_TABLE),
    (b"\x89HDF", gettext_noop("is an HDF5 file"), _AS_TABLE),
    (b"$FL2", gettext_noop("is a file of SPSS"), _AS_TABLE),
    (b"<stata_dta>", gettext_noop("is a file of Stata"), _AS_TABLE),
    (b"%PDF", gettext_noop("is a PDF document"), _AS_TABLE),
    (b"{\\rtf", gettext_noop("is a text document (RTF)"), _AS_TABLE),
    (b"\x89PNG", gettext_noop("is a picture"), _AS_TABLE),
    (b"\xff\xd8\xff", gettext_noop("is a picture"), _AS_TABLE),
    (b"GIF8", gettext_noop("is a picture"), _AS_TABLE),
)

_OLE_STREAMS = (
    (
        "EncryptedPackage",
        gettext_noop("is protected by a password (encrypted)"),
        gettext_noop("open it with its password, take the password away and save it again"),
    ),
    ("WordDocument", gettext_noop("is a document of an old Word"), _AS_TABLE),
    ("PowerPoint Document", gettext_noop("is a presentation of an old PowerPoint"), _AS_TABLE),
)

_MEMBERS = (
    ("xl/workbook.bin", gettext_noop("is a binary Excel workbook (.xlsb)"), _AS_XLSX),
    ("word/document.xml", gettext_noop("is a Word document"), _AS_TABLE),
    ("ppt/presentation.xml", gettext_noop("is a PowerPoint presentation"), _AS_TABLE),
    (
        "index/document.iwa",
        gettext_noop("is a document of Apple Numbers, Pages or Keynote"),
        gettext_noop("export it as an Excel workbook or as CSV"),
    ),
    (
        "index.zip",
        gettext_noop("is a document of Apple Numbers, Pages or Keynote"),
        gettext_noop("export it as an Excel workbook or as CSV"),
    ),
)


def is_archive(start: bytes) -> bool:
    """Whether a file that begins so is a ZIP archive, as Excel workbooks are."""
    return start.startswith(_ZIPS)


def refuse_foreign(path: Path, name: str) -> None:
    """Refuse a file of another kind by how it begins. Raises FileError saying what it is and what to do."""
    with path.open("rb") as stream:
        start = stream.read(_START)
        if start.startswith(_OLE):
            # The names of what is inside are in UTF-16, wherever the directory lies.
            content = start + stream.read(_SEARCHED)
            _refuse_ole(content, name)
        if start.startswith((b"<", b"\xef\xbb\xbf<")):
            _refuse_markup(start + stream.read(4096), name)
    for beginning, what, instead in _STARTS:
        if start.startswith(beginning):
            raise _told(name, what, instead)


def refuse_other_archives(archive: zipfile.ZipFile, name: str) -> None:
    """Refuse an archive that is no Excel workbook. Raises FileError saying what it is and what to do."""
    members = {entry.filename.replace("\\", "/").lower(): entry for entry in archive.infolist()}
    if any(entry.flag_bits & 1 for entry in members.values()):
        raise _told(
            name,
            gettext_noop("is an archive protected by a password"),
            gettext_noop("take the password away and save it again"),
        )
    for member, what, instead in _MEMBERS:
        if member in members:
            raise _told(name, what, instead)
    kind = archive.read("mimetype")[:100] if "mimetype" in archive.namelist() else b""
    if kind.startswith(b"application/vnd.oasis.opendocument.spreadsheet"):
        raise _told(name, gettext_noop("is an OpenDocument spreadsheet (.ods)"), _AS_XLSX)
    if kind.startswith(b"application/vnd."):
        raise _told(name, gettext_noop("is a document of another program"), _AS_TABLE)
    if "[content_types].xml" in members or "xl/workbook.xml" in members:
        return
    told = gettext("is an archive and no Excel workbook: unpack it, or save the table in it as .xlsx")
    raise FileError(name, "", told)


def _refuse_ole(content: bytes, name: str) -> None:
    for stream, what, instead in _OLE_STREAMS:
        if stream.encode("utf-16-le") in content:
            raise _told(name, what, instead)
    raise FileError(name, "", gettext("is a workbook of an old Excel; save it as .xlsx"))


def _refuse_markup(start: bytes, name: str) -> None:
    small = start.lower()
    if b"excel.sheet" in small or b"urn:schemas-microsoft-com:office:spreadsheet" in small:
        raise _told(name, gettext_noop("is a workbook of Excel 2003 (XML)"), _AS_XLSX)
    if b"<html" in small or b"<table" in small or b"<!doctype html" in small:
        raise _told(name, gettext_noop("is a web page, whatever its name says"), _AS_XLSX)
    if small.lstrip(b"\xef\xbb\xbf").startswith(b"<?xml"):
        raise _told(name, gettext_noop("is XML and no table"), _AS_TABLE)


def _told(name: str, what: str, instead: str) -> FileError:
    return FileError(name, "", f"{gettext(what)}: {gettext(instead)}")
