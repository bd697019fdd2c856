"""How long the lead's pages take on a large project: python bench/lead.py [--items N] [--annotators N]

Fills a database of its own (seed 0): N items, an open round that shares them all out and is half judged,
and a closed round with disputed units. Prints the milliseconds of server time of each page (CPU of the web
process and of the database's, the least of five), and exits with 1 where one takes longer than --limit.
The database is SQLite in a temporary folder or in --folder, or PostgreSQL on this machine at the address
--database; in these two it stays and is used again next time. --queries prints each page's slowest queries.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TIMES = 5
SHOWN = 3
QUEUE_PAGE = 50
PAGES = (
    "/",
    "/p/{slug}/",
    "/p/{slug}/items/",
    "/p/{slug}/items/?page=2000",
    "/p/{slug}/items/?topic=topic 7",
    "/p/{slug}/items/?topic=topic 7&page=50",
    "/p/{slug}/items/?withdrawn=1",
    "/p/{slug}/items/?q=B-109",
    "/p/{slug}/items/?q=nowhere",
    "/p/{slug}/items/{item}/",
    "/p/{slug}/items/?q=on",
    "/p/{slug}/items/?q=xq",
    "/p/{slug}/items/?q=-9",
    "/p/{slug}/items/?q=é",
    "/p/{slug}/items/?q=語",
    "/p/{slug}/items/?q=公園",
    "/p/{slug}/items/?topic=topic 7&q=xq",
    "/p/{slug}/items/?topic=topic 7&q=nowhere",
    "/p/{slug}/screening/",
    "/p/{slug}/people/",
    "/p/{slug}/people/{person}/",
    "/p/{slug}/people/{person}/deactivate/",
    "/p/{slug}/people/{person}/reassign/1/",
    "/p/{slug}/settings/",
    "/p/{slug}/codebook/",
    "/p/{slug}/codebook/edit/",
    "/p/{slug}/import/",
    "/p/{slug}/log/",
    "/p/{slug}/log/?page=400",
    "/p/{slug}/log/?action=items drawn",
    "/p/{slug}/rounds/1/",
    "/p/{slug}/rounds/1/progress/",
    "/p/{slug}/log/?who=A1",
    "/p/{slug}/log/?who=A1&action=items drawn&page=2",
    "/p/{slug}/log/?since=2020-01-01&until=2100-01-01",
    "/p/{slug}/log/?until=2020-01-01",
    "/p/{slug}/rounds/new/",
    "/p/{slug}/rounds/new/?items_of=2",
    "/p/{slug}/rounds/1/close/",
    "/p/{slug}/rounds/2/",
    "/p/{slug}/rounds/2/reopen/",
    "/p/{slug}/rounds/4/",
    "/p/{slug}/rounds/4/draw/",
    "/p/{slug}/rounds/4/open/",
    "/p/{slug}/rounds/2/agreement/",
    "/p/{slug}/rounds/2/agreement/units/",
    "/p/{slug}/rounds/2/agreement/units/?type=CTX&show=queue&page=400",
    "/p/{slug}/rounds/2/agreement/units/?type=CTX&show=all",
    "/p/{slug}/rounds/2/agreement/units/?type=CTX&show=all&page=4000",
    "/p/{slug}/disagreements/",
    "/p/{slug}/rounds/2/disagreements/",
    "/p/{slug}/rounds/2/disagreements/?page=400",
    "/p/{slug}/rounds/2/disagreements/?type=CTX",
    "/p/{slug}/rounds/2/disagreements/?topic=topic 5",
    "/p/{slug}/rounds/2/disagreements/?pattern=no 1, yes 1",
    "/p/{slug}/rounds/2/disagreements/?pair=A2~A3",
    "/p/{slug}/rounds/2/disagreements/?state=waiting",
    "/p/{slug}/rounds/2/disagreements/?state=decided",
    "/p/{slug}/rounds/2/units/{item}/CTX/?state=waiting",
    "/p/{slug}/rounds/2/discussion/",
    "/p/{slug}/rounds/2/discussion/?mine",
    "/p/{slug}/releases/",
    "/p/{slug}/releases/1.1/",
    "/releases/{slug}/1.1/",
    "/api/projects/",
    "/api/projects/{slug}/rounds/",
    "/api/projects/{slug}/rounds/1/",
    "/api/projects/{slug}/rounds/2/report/",
    "/api/projects/{slug}/rounds/2/report/queue/",
    "/api/projects/{slug}/rounds/2/report/queue/?page={last}",
    "/api/projects/{slug}/releases/",
)

READ_ALL = (
    "/p/{slug}/rounds/4/draw/?how=all",
    "/p/{slug}/rounds/4/draw/?how=sample&size=1000",
    "/p/{slug}/rounds/4/draw/?how=sample&size=1000&stratify_by=topic",
)
"""Pages that look at every key, whatever they show: they may take ten times the limit."""


def prepare(slug: str, n_items: int, n_annotators: int) -> None:
    """Bring the database up to date, and fill it unless an earlier run did."""
    from django.core.management import call_command
    from django.db import connection

    from annotation.importing.screening import screening_count
    from annotation.items.item_stretches import find_stretches
    from annotation.models import Project, Round
    from bench.large_project import fill

    call_command("migrate", verbosity=0)
    there = Round.objects.filter(project__slug=slug, number=1).first()
    if there is not None and there.status != Round.Status.OPEN:
        sys.exit("This database was left half filled: delete it and start again.")
    if there is None:
        fill(slug, n_items, n_annotators)
    # What a worker does as soon as somebody looks at the page.
    project = Project.objects.get(slug=slug)
    screening_count(project)
    find_stretches(project)
    if connection.vendor == "postgresql":
        # What autovacuum does in a database that is in use.
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")


def measure(slug: str, limit: float, *, queries: bool) -> bool:
    """Print the time of each page; return whether all kept the limit."""
    from django.contrib.auth.models import User
    from django.test import Client

    from agreement.models import DisputedUnit
    from annotation.models import Membership

    client = Client()
    client.force_login(User.objects.get(username="lea"))
    database = _database_process()
    disputed = DisputedUnit.objects.filter(
        report__round__project__slug=slug, report__round__number=2
    ).order_by("-disputed")
    item = disputed[disputed.count() // 2].item_id
    person = Membership.objects.get(project__slug=slug, user__username="annotator7").pk
    kept = True
    for template in (*PAGES, *READ_ALL):
        path = template.format(slug=slug, item=item, person=person, last=disputed.count() // QUEUE_PAGE)
        least = min(_server_time(client, path, database) for _ in range(TIMES))
        within = least <= (10 * limit if template in READ_ALL else limit)
        kept = kept and within
        print(f"{least:8.1f} ms  {'' if within else 'TOO SLOW '}{path}")
        if queries:
            _print_queries(client, path)
    return kept


def _server_time(client, path: str, database: int | None) -> float:
    """Return milliseconds of CPU that a page takes this process and the process of its database."""
    started = time.process_time() + _cpu_of(database)
    response = client.get(path, headers={"host": "localhost"})
    ended = time.process_time() + _cpu_of(database)
    assert response.status_code == 200, (path, response.status_code)
    return 1000 * (ended - started)


def _database_process() -> int | None:
    """Return the process that serves this connection: none of its own for SQLite."""
    from django.db import connection

    if connection.vendor != "postgresql":
        return None
    with connection.cursor() as cursor:
        # Workers beside it would not be counted.
        cursor.execute("SET max_parallel_workers_per_gather = 0")
        cursor.execute("SELECT pg_backend_pid()")
        return cursor.fetchone()[0]


def _cpu_of(process: int | None) -> float:
    """Return the seconds that another process of this machine has spent."""
    if process is None:
        return 0.0
    return int(Path(f"/proc/{process}/schedstat").read_text().split()[0]) / 1e9


def _print_queries(client, path: str) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as captured:
        client.get(path, headers={"host": "localhost"})
    print(f"             {len(captured)} queries")
    for query in sorted(captured, key=lambda query: -float(query["time"]))[:SHOWN]:
        print(f"             {query['time']} s  {query['sql'][:600]}")


def main() -> None:
    """Fill a database, then ask for the pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=110_000)
    parser.add_argument("--annotators", type=int, default=30)
    parser.add_argument("--limit", type=float, default=100.0, help="milliseconds")
    parser.add_argument("--folder", type=Path, help="keep the SQLite database here and use it again")
    parser.add_argument("--database", default="", help="postgres://… to measure PostgreSQL; kept as well")
    parser.add_argument("--queries", action="store_true", help="print each page's slowest queries")
    options = parser.parse_args()
    slug = f"bench-{options.items}-{options.annotators}"
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder / slug if options.folder else Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        os.environ.update(
            DJANGO_SETTINGS_MODULE="config.settings.embedded",
            ELENCHUS_DATA=str(folder.resolve()),
            DATABASE_URL=options.database,
        )
        sys.path.insert(0, str(ROOT))
        import django

        django.setup()
        prepare(slug, options.items, options.annotators)
        sys.exit(0 if measure(slug, options.limit, queries=options.queries) else 1)


if __name__ == "__main__":
    main()
