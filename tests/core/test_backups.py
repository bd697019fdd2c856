"""A backup holds everything, is the same from SQLite and PostgreSQL, and comes back whole or not at all."""

import json
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.db import connection, connections

from annotation.backups import last_backup
from annotation.models import AnnotationEvent, Item, Membership, ProjectEvent, TypeAnnotation
from core.backups import backup, restore
from core.backups.archive import Tally, open_archive
from core.backups.backup import stored_files, write_backup
from core.backups.restore import backup_restore
from core.backups.tables import table_lines, tables_kept
from core.errors import Refused
from tests.annotation.database import refused
from tests.factories import NO, record

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


def clear() -> None:
    """Empty the database and the storage, as a new installation is."""
    call_command("flush", interactive=False, verbosity=0)
    for name in list(stored_files()):
        default_storage.delete(name)


def digests() -> dict[str, tuple[int, str]]:
    found = {}
    for table in tables_kept():
        tally = Tally()
        for lines in table_lines(table, "default"):
            tally.add(lines)
        found[table.name] = (tally.lines, tally.sha256)
    return found


def rules() -> dict[str, str]:
    """Return every trigger of the database with its whole text."""
    query = (
        "SELECT t.tgname, pg_get_triggerdef(t.oid) || pg_get_functiondef(t.tgfoid) "
        "FROM pg_trigger t WHERE NOT t.tgisinternal"
        if connection.vendor == "postgresql"
        else "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
    )
    with connection.cursor() as cursor:
        cursor.execute(query)
        return dict(cursor.fetchall())


def test_what_was_backed_up_comes_back_with_every_rule_of_the_database(filled, tmp_path):
    before, there = digests(), rules()
    manifest = write_backup(tmp_path / "all.zip")
    clear()
    assert Item.objects.count() == 0
    backup_restore(tmp_path / "all.zip")
    assert digests() == before
    assert rules() == there
    assert len(there) > 80
    assert manifest.rows == sum(rows for rows, _ in before.values())
    assert default_storage.open("uploads/2026/a.csv").read() == b"id,text\n1,x\n"
    assert "append-only" in refused(lambda: AnnotationEvent.objects.update(revision=9))
    assert "append-only" in refused(lambda: ProjectEvent.objects.all().delete())
    assert "frozen" in refused(lambda: Item.objects.filter(pk=filled.items[0].pk).update(external_id="X"))
    # New rows are numbered after those that came back, and the triggers count again.
    record(filled.round, filled.annotators[0], filled.items[1], "LE", NO)
    assert filled.round.progress.get(member=filled.annotators[0]).judgements == 2
    assert Item.objects.filter(metadata__zz='日本\n"x"').count() == 1


def test_people_go_on_working_and_the_archive_is_of_one_moment(filled, tmp_path, monkeypatch):
    def judge() -> None:
        try:
            record(filled.round, filled.annotators[0], filled.items[1], "LE", NO)
        finally:
            connections.close_all()

    def tables_while_somebody_judges():
        with ThreadPoolExecutor() as pool:
            pool.submit(judge).result(timeout=60)
        return tables_kept()

    monkeypatch.setattr(backup, "tables_kept", tables_while_somebody_judges)
    manifest = write_backup(tmp_path / "all.zip")
    rows = {kept.table.name: kept.rows for kept in manifest.tables}
    assert (rows["annotation_annotationevent"], AnnotationEvent.objects.count()) == (3, 4)
    assert (rows["annotation_typeannotation"], TypeAnnotation.objects.count()) == (2, 3)


def test_what_lets_somebody_in_for_a_while_is_not_in_it(filled, tmp_path):
    write_backup(tmp_path / "all.zip")
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        assert "tables/django_session.jsonl" not in archive.namelist()
        manifest = json.loads(archive.read("manifest.json"))
    assert manifest["format"] == "elenchus-backup"
    assert [file["name"] for file in manifest["files"]] == ["uploads/2026/a.csv"]
    assert (tmp_path / "all.zip").stat().st_mode & 0o777 == 0o600


def test_an_archive_goes_into_an_empty_database_only(filled, tmp_path):
    write_backup(tmp_path / "all.zip")
    before = digests()
    with pytest.raises(Refused, match="holds data already"):
        backup_restore(tmp_path / "all.zip")
    assert digests() == before
    clear()
    default_storage.save("releases/other.txt", ContentFile(b"x"))
    with pytest.raises(Refused, match=r"releases/other\.txt"):
        backup_restore(tmp_path / "all.zip")
    assert Item.objects.count() == 0


def damaged(path: Path, name: str, changed: bytes | None) -> Path:
    """Return a copy of an archive in which a member is another one or missing."""
    copy = path.with_name("damaged.zip")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(copy, "w") as new:
        for member in old.namelist():
            data = old.read(member)
            if member == name:
                if changed is None:
                    continue
                data = changed
            new.writestr(member, data)
    return copy


@pytest.mark.parametrize(
    ("member", "changed", "told"),
    [
        ("tables/annotation_item.jsonl", b"", "annotation_item"),
        ("files/uploads/2026/a.csv", None, "a.csv"),
        ("manifest.json", None, "no archive"),
        ("manifest.json", b'{"format": "elenchus-backup", "format_version": 99}', "later version"),
    ],
)
def test_a_damaged_archive_changes_nothing(filled, tmp_path, member, changed, told):
    write_backup(tmp_path / "all.zip")
    clear()
    before = digests()
    with pytest.raises(Refused, match=told):
        backup_restore(damaged(tmp_path / "all.zip", member, changed))
    assert digests() == before
    assert list(stored_files()) == []


def test_a_restore_that_fails_half_way_leaves_nothing(filled, tmp_path, monkeypatch):
    write_backup(tmp_path / "all.zip")
    clear()
    before, there = digests(), rules()
    store = restore._store_file

    def fail(archive, file, written):
        store(archive, file, written)
        raise OSError("the disk is full")

    monkeypatch.setattr(restore, "_store_file", fail)
    with pytest.raises(OSError, match="full"):
        backup_restore(tmp_path / "all.zip")
    assert digests() == before
    assert rules() == there
    assert list(stored_files()) == []


def test_a_table_that_is_not_as_the_archive_has_it_is_refused(filled, tmp_path, monkeypatch):
    write_backup(tmp_path / "all.zip")
    clear()
    load = restore.load_table

    def lossy(table, lines, using):
        return load(table, list(lines)[:-1] if table.name == "annotation_typeannotation" else lines, using)

    monkeypatch.setattr(restore, "load_table", lossy)
    with pytest.raises(Refused, match="annotation_typeannotation is not in the database"):
        backup_restore(tmp_path / "all.zip")
    assert TypeAnnotation.objects.count() == Membership.objects.count() == 0


def test_the_command_tells_what_it_wrote_and_remembers_when(filled, tmp_path, capsys):
    assert last_backup() is None
    call_command("backup", str(tmp_path / "all.zip"))
    assert f"{last_backup().rows} rows and 1 files" in capsys.readouterr().out
    assert last_backup().name == "all.zip"
    assert last_backup().size == (tmp_path / "all.zip").stat().st_size
    with pytest.raises(CommandError, match="is there already"):
        call_command("backup", str(tmp_path / "all.zip"))
    with pytest.raises(CommandError, match="could not be written"):
        call_command("backup", str(tmp_path / "nowhere" / "all.zip"))
    assert list(tmp_path.iterdir()) == [tmp_path / "all.zip"]


@pytest.mark.postgresql
def test_sqlite_and_postgresql_write_the_same_archive_and_read_each_others(filled, tmp_path, installation):
    before = digests()
    write_backup(tmp_path / "of-postgresql.zip")
    on_sqlite = installation
    on_sqlite.run("manage.py", "restore", str(tmp_path / "of-postgresql.zip"))
    on_sqlite.run("manage.py", "backup", str(tmp_path / "of-sqlite.zip"))
    with open_archive(tmp_path / "of-sqlite.zip") as archive:
        assert {kept.table.name: (kept.rows, kept.sha256) for kept in archive.manifest.tables} == before
        assert archive.manifest.database == "sqlite"
    clear()
    backup_restore(tmp_path / "of-sqlite.zip")
    assert digests() == before
