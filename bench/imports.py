"""How long a file of texts takes from its upload to its items: python bench/imports.py [--items N]

A CSV of texts of 550 characters is checked and imported through the use cases of the page, reading in a
process of its own included. Prints seconds and CPU of this process and that one; beside them what no import
can do without: reading the CSV, hashing, plain inserts and the index of three-letter pieces, in one process,
on the same database.
SQLite in a temporary folder; --database postgres://… uses that database, which must be empty.
"""

import argparse
import csv
import hashlib
import os
import random
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import psycopg

ROOT = Path(__file__).resolve().parent.parent
WORDS = [f"word{number}" for number in range(3_000)]


def file_make(path: Path, n_items: int) -> None:
    """Write a table of texts, the same for the same number."""
    rng = random.Random(1)
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "text", "topic", "source"])
        for number in range(n_items):
            text = " ".join(rng.choices(WORDS, k=70))
            writer.writerow([f"T{number}", text, f"topic {number % 7}", "forum"])


def least(path: Path, folder: Path, database: str) -> None:
    """Do what no import can do without, on the same kind of database."""
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        hashlib.sha256(row["text"].encode()).digest()
    if database:
        _least_postgres(rows, database)
    else:
        _least_sqlite(rows, folder)


def _least_sqlite(rows: list[dict[str, str]], folder: Path) -> None:
    database = sqlite3.connect(folder / "least.sqlite3")
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, external_id UNIQUE, text, topic, source)")
    with database:
        database.executemany("INSERT INTO item VALUES (NULL, :id, :text, :topic, :source)", rows)
        database.execute(
            "CREATE VIRTUAL TABLE words USING fts5(text, content='item', tokenize='trigram', detail=none)"
        )
        database.execute("INSERT INTO words (words) VALUES ('rebuild')")
    database.close()


def _least_postgres(rows: list[dict[str, str]], address: str) -> None:
    with psycopg.connect(address, autocommit=True) as database:
        database.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
        database.execute(
            "CREATE TABLE least (id bigint GENERATED ALWAYS AS IDENTITY, external_id text UNIQUE, text text, "
            "topic text, source text)"
        )
        with database.cursor().copy("COPY least (external_id, text, topic, source) FROM STDIN") as copy:
            for row in rows:
                copy.write_row((row["id"], row["text"], row["topic"], row["source"]))
        database.execute("CREATE INDEX ON least USING gin (upper(text) gin_trgm_ops)")
        database.execute("DROP TABLE least")


def measured(what: str, act: Callable[[], object]) -> None:
    """Do something and print how long it took."""
    cpu, started = _cpu(), time.perf_counter()
    act()
    print(f"{time.perf_counter() - started:8.2f} s {_cpu() - cpu:8.2f} s CPU  {what}", flush=True)


def _cpu() -> float:
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def bring(path: Path) -> None:
    """Check and import the file as the page does."""
    from django.contrib.auth.models import User
    from django.core.files import File
    from django.core.management import call_command

    from annotation.importing.uploads import upload_check, upload_create, upload_import, upload_request_import
    from annotation.models import Item, Membership
    from annotation.projects.projects import project_create

    call_command("migrate", verbosity=0)
    lea = User.objects.create_user("lea")
    project = project_create(slug="bench", codebook="focus", user=lea)
    member = Membership.objects.get(user=lea)
    with path.open("rb") as stream:
        upload = upload_create(project=project, member=member, file=File(stream), name=path.name)
    measured("checked", lambda: upload_check(upload_id=upload.pk))
    upload.refresh_from_db()
    upload_request_import(upload=upload, skip_invalid=False)
    measured("imported", lambda: upload_import(upload_id=upload.pk))
    print(
        f"{Item.objects.filter(brought_by__state='done').count()} items, at most "
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB in this process"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--database", default="", help="postgres://…; SQLite if it is not given")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {
            "ELENCHUS_DATA": folder,
            "DATABASE_URL": options.database,
            "DJANGO_SETTINGS_MODULE": "config.settings.embedded",
        }
        sys.path.insert(0, str(ROOT))
        import django

        django.setup()
        path = Path(folder) / "texts.csv"
        file_make(path, options.items)
        measured("the least that it can take", lambda: least(path, Path(folder), options.database))
        bring(path)


if __name__ == "__main__":
    main()
