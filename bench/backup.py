"""What a backup and its restore take: .venv/bin/python -m bench.backup [--items N] [--database URL]

Fills a SQLite database (N texts, six judgements each; see bench/large_project.py), writes an archive of it
and restores that into a new SQLite database. With --database it is restored into that PostgreSQL as well,
which must be empty, written into an archive again, and restored from there into SQLite: the three archives
have the same digests of every table. Prints seconds, CPU and memory of each step.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SECONDS, MEGABYTES = 60, 300


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--items", type=int, default=110_000)
    parser.add_argument("--database", default="", help="address of an empty PostgreSQL")
    parser.add_argument("--folder", type=Path, help="where to keep the filled database for another run")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="elenchus-bench-") as scratch:
        work = Path(scratch)
        filled = given.folder or work / "filled"
        fill_once(filled, given.items)
        first = work / "first.zip"
        step("backup from SQLite", filled, "", "backup", first)
        step("restore into SQLite", work / "again", "", "restore", first)
        archives = [first]
        if given.database:
            second, third = work / "second.zip", work / "third.zip"
            step("restore into PostgreSQL", work / "moved", given.database, "restore", first)
            step("backup from PostgreSQL", work / "moved", given.database, "backup", second)
            step("restore into SQLite", work / "back", "", "restore", second)
            step("backup from SQLite", work / "back", "", "backup", third)
            archives += [second, third]
        print(f"archive {first.stat().st_size / 1e6:.0f} MB, {rows_of(first)} rows")
        digests = [digests_of(path) for path in archives]
        if any(one != digests[0] for one in digests):
            sys.exit("the archives differ")


def step(name: str, folder: Path, database: str, command: str, archive: Path) -> None:
    """Run a command in a process of its own and print what it took."""
    environment = {**os.environ, "ELENCHUS_DATA": str(folder), "DATABASE_URL": database}
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "manage.py", command, str(archive)],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    seconds, cpu, memory = time.monotonic() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    if status:
        sys.exit(f"{name} failed")
    verdict = "MISSED" if seconds > SECONDS or memory > MEGABYTES else "ok"
    print(f"{name:26} {seconds:6.1f} s  CPU {cpu:6.1f} s  {memory:5.0f} MB  {verdict}", flush=True)


def fill_once(folder: Path, n_items: int) -> None:
    """Fill the database in a folder unless an earlier run did."""
    if (folder / "elenchus.sqlite3").exists():
        return
    code = (
        "import django; django.setup()\n"
        "from django.core.management import call_command\n"
        "from bench.large_project import fill\n"
        f"call_command('migrate', verbosity=0); fill('bench', {n_items}, 30)"
    )
    environment = {
        **os.environ,
        "ELENCHUS_DATA": str(folder),
        "DATABASE_URL": "",
        "DJANGO_SETTINGS_MODULE": "config.settings.embedded",
    }
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=True)


def manifest_of(archive: Path) -> dict[str, list[dict[str, object]]]:
    with zipfile.ZipFile(archive) as opened:
        found: dict[str, list[dict[str, object]]] = json.loads(opened.read("manifest.json"))
    return found


def rows_of(archive: Path) -> int:
    return sum(int(str(table["rows"])) for table in manifest_of(archive)["tables"])


def digests_of(archive: Path) -> list[object]:
    # What was backed up is remembered in a row of its own, so that table differs.
    manifest = manifest_of(archive)
    return [
        table["sha256"]
        for table in manifest["tables"]
        if dict(table["table"])["name"] != "annotation_backup"  # type: ignore[call-overload]
    ]


if __name__ == "__main__":
    main()
