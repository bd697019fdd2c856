"""How long a save waits while a large round is made: python bench/waiting.py [--items N] [--annotators N]

All items are drawn into a round, which is opened, while another process writes every 50 ms. Prints how long
each took, and how long the longest of these writes waited. SQLite in a temporary folder; --folder begins
with a copy of the database that bench/lead.py keeps there.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EVERY = 0.05


def watch(stop: Path) -> None:
    """Write until the file `stop` is there; print the longest wait in milliseconds, and what was refused."""
    from django.contrib.auth.models import User
    from django.db import OperationalError
    from django.utils import timezone

    longest, refused = 0.0, 0
    while not stop.exists():
        started = time.perf_counter()
        try:
            User.objects.filter(username="lea").update(last_login=timezone.now())
        except OperationalError:
            refused += 1
        longest = max(longest, time.perf_counter() - started)
        time.sleep(EVERY)
    print(f"{1000 * longest:10.0f} ms  longest wait of another save; {refused} saves were refused")


def watched(what: str, act: Callable[[], object], folder: Path) -> None:
    """Do something while another process writes."""
    stop = folder / "stop"
    stop.unlink(missing_ok=True)
    watcher = subprocess.Popen([sys.executable, __file__, "--watch", str(stop)])
    started = time.perf_counter()
    try:
        act()
    finally:
        print(f"{1000 * (time.perf_counter() - started):10.0f} ms  {what}", flush=True)
        stop.touch()
        watcher.wait()


def draw_and_open(slug: str, n_items: int, n_annotators: int, folder: Path) -> None:
    """Draw all items into a new round, then open it."""
    from django.core.management import call_command

    from annotation.models import Project, Round
    from annotation.rounds.lifecycle import round_create, round_draw
    from annotation.rounds.opening import round_open
    from bench.large_project import fill

    call_command("migrate", verbosity=0)
    if not Round.objects.filter(project__slug=slug).exists():
        fill(slug, n_items, n_annotators)
    round = round_create(project=Project.objects.get(slug=slug), overlap=1)
    watched(f"drawing {n_items} items, in batches", lambda: round_draw(round), folder)
    watched(f"opening {n_items} items, in batches", lambda: round_open(round), folder)


def main() -> None:
    """Fill a database, make a round in it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=110_000)
    parser.add_argument("--annotators", type=int, default=30)
    parser.add_argument("--folder", type=Path, help="start from the database that bench/lead.py keeps here")
    parser.add_argument("--watch", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    os.environ.update(DJANGO_SETTINGS_MODULE="config.settings.embedded", DATABASE_URL="")
    sys.path.insert(0, str(ROOT))
    import django

    if options.watch:
        django.setup()
        watch(options.watch)
        return
    slug = f"bench-{options.items}-{options.annotators}"
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        if options.folder:
            shutil.copytree(options.folder / slug, folder, dirs_exist_ok=True)
        os.environ["ELENCHUS_DATA"] = str(folder)
        django.setup()
        draw_and_open(slug, options.items, options.annotators, folder)


if __name__ == "__main__":
    main()
