"""The ZIP of a release lies nowhere: its sum is known beforehand, its bytes are made when asked for."""

import hashlib
import io
import struct
import zipfile

import pytest

from exports.files.zip_archive import PIECE, Archive, Entry, archive_parts


def files(folder):
    folder.mkdir()
    for name, content in (("b", b"b" * (2 * PIECE + 7)), ("a", b""), ("é.json", b"{}"), ("last", b"x")):
        (folder / name).write_bytes(content)
    return folder


def written_by_zipfile(folder, names) -> bytes:
    """Return the ZIP that releases had in their storage: the same bytes are promised for ever."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for name in names:
            entry = zipfile.ZipInfo(f"release-1.0/{name}", (1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.external_attr = 3, 0o100644 << 16
            archive.writestr(entry, (folder / name).read_bytes())
    return stream.getvalue()


def put_together(folder, entries, title="release-1.0") -> bytes:
    parts = archive_parts(title, entries)
    return b"".join(part if isinstance(part, bytes) else (folder / part.name).read_bytes() for part in parts)


def test_an_archive_that_was_never_written_has_the_bytes_of_one_that_was(tmp_path):
    folder = files(tmp_path / "files")
    with Archive(folder, "release-1.0") as archive:
        archive.add(lambda: ["b", "a"])
        archive.add(lambda: ["é.json", "last"])
        sha256 = archive.close()
    whole = put_together(folder, archive.entries)
    assert whole == written_by_zipfile(folder, ["a", "b", "last", "é.json"])
    assert (sha256, archive.size) == (hashlib.sha256(whole).hexdigest(), len(whole))
    with zipfile.ZipFile(io.BytesIO(whole)) as read:
        assert read.testzip() is None
        assert {(entry.date_time, entry.flag_bits & 8) for entry in read.infolist()} == {
            ((1980, 1, 1, 0, 0, 0), 0)
        }


def test_an_archive_beyond_four_gigabytes_says_sizes_and_places_in_its_longer_form():
    big = 5 * 2**30
    entries = [Entry("large", big, 1), Entry("after", 3, 2)]
    head, _, second, _, end = archive_parts("release-1.0", entries)
    assert struct.unpack("<Q", head[-16:-8]) == (big,)
    assert len(second) == 30 + len("release-1.0/after")
    assert struct.pack("<Q", len(head) + big) in end
    assert end.count(b"PK\x06\x06") == 1


def test_what_stands_in_the_way_of_an_entry_is_raised_and_the_thread_ends(tmp_path):
    folder = files(tmp_path / "files")
    with (
        pytest.raises(FileNotFoundError, match="nowhere"),
        Archive(folder, "release") as archive,
    ):
        archive.add(lambda: ["a", "nowhere", "b"])
        archive.close()
    assert not archive._thread._threads.pop().is_alive()


def test_an_archive_that_is_given_up_raises_nothing_of_its_own(tmp_path):
    folder = files(tmp_path / "files")
    with pytest.raises(ValueError, match="agreement"), Archive(folder, "r") as archive:
        archive.add(lambda: ["a", "b"])
        raise ValueError("agreement")


def test_what_is_to_be_done_before_is_done_before_the_names_are_asked_for(tmp_path):
    folder = files(tmp_path / "files")
    with Archive(folder, "r") as archive:
        made = archive.before(lambda: (folder / "made").write_bytes(b"12"))
        archive.add(lambda: sorted(path.name for path in folder.iterdir() if path.name < "n"))
        archive.close()
        assert made.result() == 2
    assert [entry.name for entry in archive.entries] == ["a", "b", "last", "made"]
