"""How long a save waits while a large round opens: python bench/waiting.py [--items N] [--annotators N]

Another process tries to write every 50 ms meanwhile. Prints the seconds the opening took, and how long the
longest of these writes waited. SQLite in a temporary folder, or in --folder as bench/lead.py left it.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EVERY = 0.05


def watch(stop: Path) -> None:
    """Write until the file `stop` is there; print the longest wait in milliseconds."""
    from django.contrib.auth.models import User
    from django.utils import timezone

    longest = 0.0
    while not stop.exists():
        started = time.perf_counter()
        User.objects.filter(username="lea").update(last_login=timezone.now())
        longest = max(longest, time.perf_counter() - started)
        time.sleep(EVERY)
    print(f"{1000 * longest:10.0f} ms  longest wait of another save")


def open_large(slug: str, n_items: int, n_annotators: int, folder: Path) -> None:
    """Draw all items into a new round and open it, watched."""
    from django.core.management import call_command

    from annotation.models import Project, Round
    from annotation.opening import round_open
    from annotation.rounds import round_create, round_draw
    from bench.large_project import fill

    call_command("migrate", verbosity=0)
    if not Round.objects.filter(project__slug=slug).exists():
        fill(slug, n_items, n_annotators)
    round = round_create(project=Project.objects.get(slug=slug), overlap=1)
    round_draw(round)
    stop = folder / "stop"
    stop.unlink(missing_ok=True)
    watcher = subprocess.Popen([sys.executable, __file__, "--watch", str(stop)])
    started = time.perf_counter()
    try:
        round_open(round)
    finally:
        print(f"{1000 * (time.perf_counter() - started):10.0f} ms  opening {n_items} items", flush=True)
        stop.touch()
        watcher.wait()


def main() -> None:
    """Fill a database, open a round in it."""
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
        open_large(slug, options.items, options.annotators, folder)


if __name__ == "__main__":
    main()
