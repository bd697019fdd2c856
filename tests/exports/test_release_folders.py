"""The files of a release in a folder are those that were released, or nothing is written."""

import pytest
from django.core.files.storage import default_storage

from core.errors import Refused
from exports.releases.storage import write_release
from tests.factories import judged
from tests.factories.releases import contents, release, released

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def test_a_release_is_written_again_into_the_same_folder_and_changes_nothing(tmp_path):
    made = judged()
    folder = released(made.project, tmp_path / "out")
    before = contents(folder)
    write_release(release(made.project), folder)
    assert contents(folder) == before


def test_a_folder_with_anything_else_in_it_is_left_alone(tmp_path):
    made = judged()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "notes.txt").write_text("mine")
    with pytest.raises(Refused, match="has other files in it"):
        released(made.project, tmp_path / "out")
    assert contents(tmp_path) == {"out/notes.txt": b"mine"}


def test_a_file_damaged_in_the_storage_is_never_written(tmp_path):
    made = judged()
    row = release(made.project)
    (file,) = [file for file in row.files if file["name"] == "focus.json"]
    with default_storage.open(file["storage"], "wb") as stream:
        stream.write(b"{}")
    with pytest.raises(Refused, match=r"focus\.json in the storage is not the file that was released"):
        write_release(row, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []
