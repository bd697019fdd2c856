"""An archive of an earlier version is restored as that version was, and upgraded.

On SQLite alone: both databases write the same archive (`test_backups.py`), and this migrates half a minute.
"""

import json
import zipfile
from pathlib import Path

import pytest

from annotation.backups import backup_make
from core.backups.archive import Tally
from core.backups.restore import backup_restore
from core.errors import Refused
from tests.core.test_backups import clear
from tests.installation import Installation

pytestmark = pytest.mark.django_db(transaction=True)


def before_the_last_migration(path: Path) -> Path:
    """Return an archive as the version before wrote it: without its tables, columns and migrations."""
    old = path.with_name("old.zip")
    gone = {
        *("annotation_backup", "annotation_erasuredoor", "annotation_suggestion"),
        *("assist_topicmodel", "assist_filtereditem"),
    }
    columns = {
        *("erased_at", "erases_judgements", "deletion_due_at", "taken_down_at"),
        *("suggestions", "suggestion_run", "suggestion_model", "suggestion_id", "suggestion_taken"),
    }
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(old, "w") as new:
        manifest = json.loads(archive.read("manifest.json"))
        manifest["tables"] = [table for table in manifest["tables"] if table["table"]["name"] not in gone]
        for table in manifest["tables"]:
            name = f"tables/{table['table']['name']}.jsonl"
            kept = [
                place for place, one in enumerate(table["table"]["columns"]) if one["name"] not in columns
            ]
            rows = [json.loads(line) for line in archive.read(name).splitlines()]
            lines = [
                json.dumps([row[place] for place in kept], ensure_ascii=False, separators=(",", ":"))
                for row in rows
            ]
            tally = Tally()
            tally.add("".join(f"{line}\n" for line in lines).encode())
            table["table"]["columns"] = [table["table"]["columns"][place] for place in kept]
            table["size"], table["sha256"] = tally.size, tally.sha256
            new.writestr(name, "".join(f"{line}\n" for line in lines))
        for file in manifest["files"]:
            new.writestr(f"files/{file['name']}", archive.read(f"files/{file['name']}"))
        for app, name in (("annotation", "0022"), ("exports", "0008"), ("assist", "0002")):
            manifest["migrations"][app] = [one for one in manifest["migrations"][app] if one[:4] < name]
        new.writestr("manifest.json", json.dumps(manifest))
    return old


def test_an_older_archive_is_upgraded_in_a_database_without_tables(filled, tmp_path):
    backup_make(tmp_path / "all.zip")
    old = before_the_last_migration(tmp_path / "all.zip")
    clear()
    with pytest.raises(Refused, match=r"the archive has not\. Restore into a database without any tables"):
        backup_restore(old)
    made = Installation(tmp_path / "new")
    assert "Setting the database up as it was" in made.run("manage.py", "restore", str(old))
    assert made.rows("SELECT COUNT(*) FROM annotation_typeannotation") == [(2,)]
    assert made.rows("SELECT COUNT(*) FROM annotation_item WHERE erased_at IS NULL") == [(3,)]
    assert {name for (name,) in made.rows("SELECT name FROM sqlite_master WHERE type = 'trigger'")} >= {
        "annotationevent_append_only_update",
        "release_kept_delete",
    }
