"""The ZIP of a release is written and hashed by a thread of its own, beside the last files."""

import hashlib
import zipfile

import pytest

from exports.files.zip_archive import PIECE, Archive


def files(folder):
    folder.mkdir()
    for name, content in (("b", b"b" * (2 * PIECE + 7)), ("a", b""), ("é.json", b"{}"), ("last", b"x")):
        (folder / name).write_bytes(content)
    return folder


def written(folder, path):
    with Archive(path, folder, "release-1.0") as archive:
        archive.add(lambda: ["b", "a"])
        archive.add(lambda: ["é.json", "last"])
        return archive.close()


def test_the_sum_of_an_archive_is_that_of_its_bytes_and_the_same_for_the_same_files(tmp_path):
    folder = files(tmp_path / "files")
    sums = [written(folder, tmp_path / name) for name in ("1.zip", "2.zip")]
    assert sums == [hashlib.sha256((tmp_path / "1.zip").read_bytes()).hexdigest()] * 2
    with zipfile.ZipFile(tmp_path / "1.zip") as archive:
        assert archive.testzip() is None
        assert {entry.filename: archive.read(entry) for entry in archive.infolist()} == {
            f"release-1.0/{name}": (folder / name).read_bytes() for name in ("a", "b", "é.json", "last")
        }
        assert {(entry.date_time, entry.flag_bits & 8) for entry in archive.infolist()} == {
            ((1980, 1, 1, 0, 0, 0), 0)
        }
        assert archive.namelist() == [f"release-1.0/{name}" for name in ("a", "b", "last", "é.json")]


def test_what_stands_in_the_way_of_an_entry_is_raised_and_the_thread_ends(tmp_path):
    folder = files(tmp_path / "files")
    with (
        pytest.raises(FileNotFoundError, match="nowhere"),
        Archive(tmp_path / "1.zip", folder, "release") as archive,
    ):
        archive.add(lambda: ["a", "nowhere", "b"])
        archive.close()
    assert not archive._thread._threads.pop().is_alive()


def test_an_archive_that_is_given_up_raises_nothing_of_its_own(tmp_path):
    folder = files(tmp_path / "files")
    with pytest.raises(ValueError, match="agreement"), Archive(tmp_path / "1.zip", folder, "r") as archive:
        archive.add(lambda: ["a", "b"])
        raise ValueError("agreement")


def test_what_is_to_be_done_before_is_done_before_the_names_are_asked_for(tmp_path):
    folder = files(tmp_path / "files")
    with Archive(tmp_path / "1.zip", folder, "r") as archive:
        made = archive.before(lambda: (folder / "made").write_bytes(b"12"))
        archive.add(lambda: sorted(path.name for path in folder.iterdir() if path.name < "n"))
        archive.close()
        assert made.result() == 2
    with zipfile.ZipFile(tmp_path / "1.zip") as written:
        assert written.namelist() == ["r/a", "r/b", "r/last", "r/made"]
