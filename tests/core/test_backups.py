"""A backup holds everything, is the same from SQLite and PostgreSQL, and comes back whole or not at all."""

import json
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.contrib.sessions.models import Session
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.db import connection, connections
from django.utils import timezone

from annotation.backups import backup_make, last_backup
from annotation.models import AnnotationEvent, Item, Membership, Project, ProjectEvent, TypeAnnotation
from core.backups import backup, restore
from core.backups.archive import Tally, open_archive
from core.backups.backup import stored_files, write_backup
from core.backups.restore import backup_restore
from core.backups.tables import table_lines, tables_kept
from core.errors import Refused
from tests import factories
from tests.annotation.database import refused
from tests.factories import NO, record, yes
from tests.installation import Installation

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


@pytest.fixture
def filled():
    """Studies of both protocols with judgements, a file, and values that databases store differently."""
    made = factories.study("focus", items=2, annotators=2)
    factories.open_round(made)
    record(made.round, made.annotators[0], made.items[0], "LE", NO)
    record(made.round, made.annotators[1], made.items[0], "LE", yes(made.items[0], "library"))
    questions = factories.cqs_study()
    record(
        questions.round,
        questions.annotators[0],
        questions.items[0],
        questions.items[0].questions.first(),
        {"label": "USE"},
    )
    Item.objects.filter(pk=made.items[1].pk).update(
        metadata={"z": 1, "a": {"long": 1e16, "small": -0.0, "n": 10**20}, "zz": '日本\n"x"'}
    )
    Project.objects.filter(pk=made.project.pk).update(
        created_at=timezone.datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.get_fixed_timezone(60))
    )
    Session.objects.create(session_key="k", session_data="secret", expire_date=timezone.now())
    default_storage.save("uploads/2026/a.csv", ContentFile(b"id,text\n1,x\n"))
    return made


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


@pytest.mark.postgresql
def test_sqlite_and_postgresql_write_the_same_archive_and_read_each_others(filled, tmp_path):
    before = digests()
    write_backup(tmp_path / "of-postgresql.zip")
    on_sqlite = Installation(tmp_path / "sqlite")
    on_sqlite.run("manage.py", "restore", str(tmp_path / "of-postgresql.zip"))
    on_sqlite.run("manage.py", "backup", str(tmp_path / "of-sqlite.zip"))
    with open_archive(tmp_path / "of-sqlite.zip") as archive:
        assert {kept.table.name: (kept.rows, kept.sha256) for kept in archive.manifest.tables} == before
        assert archive.manifest.database == "sqlite"
    clear()
    backup_restore(tmp_path / "of-sqlite.zip")
    assert digests() == before
