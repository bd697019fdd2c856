"""How long the lead's pages take on a large project: python bench/lead.py [--items N] [--annotators N]

Fills a database of its own in a temporary folder (seed 0): N items, an open round that shares them all out
and is half judged, and a closed round with disputed units. Prints the milliseconds of server time of each
page, the median of five, and exits with 1 where one takes longer than --limit.
"""

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BATCH = 2000
CODES = ("CTX", "TOP")
PAGES = (
    "/",
    "/p/bench/",
    "/p/bench/items/",
    "/p/bench/items/?page=2000",
    "/p/bench/items/?topic=topic 7",
    "/p/bench/people/",
    "/p/bench/codebook/",
    "/p/bench/import/",
    "/p/bench/log/",
    "/p/bench/rounds/1/",
    "/p/bench/rounds/1/progress/",
    "/p/bench/rounds/1/close/",
    "/p/bench/disagreements/",
    "/p/bench/rounds/2/disagreements/",
    "/p/bench/rounds/2/disagreements/?state=waiting",
    "/p/bench/rounds/2/discussion/",
)


def fill(n_items: int, n_annotators: int) -> None:
    """Store the project."""
    from django.contrib.auth.models import User
    from django.utils import timezone

    from agreement.models import AgreementReport, DisputedUnit
    from annotation.models import Assignment, Import, Item, Membership, Round, RoundItem, TypeAnnotation
    from annotation.projects import member_add, project_create
    from annotation.rounds import round_create
    from annotation.triggers import TRIGGERS, lifted_triggers

    rng = random.Random(0)
    lea = User.objects.create_user("lea")
    project = project_create(slug="bench", codebook="context_sufficiency", user=lea)
    Membership.objects.filter(user=lea).update(is_annotator=False)
    members = [
        member_add(project=project, user=User.objects.create_user(f"annotator{place}"))
        for place in range(n_annotators)
    ]
    brought_by = Import.objects.create(
        project=project, file_name="x", file_sha256="0" * 64, format="table", state="done"
    )
    running = round_create(project=project, overlap=1)
    closed = round_create(project=project, overlap=1)
    report = AgreementReport.objects.create(
        round=closed,
        parameters={"live": False},
        parameters_sha256="0" * 64,
        state="done",
        figures={"annotators": [{"pseudonym": member.pseudonym} for member in members]},
        computed_at=timezone.now(),
        digest="0" * 64,
        judgements_sha256="0" * 64,
    )
    with lifted_triggers(TRIGGERS):
        for first in range(0, n_items, BATCH):
            made = Item.objects.bulk_create(
                Item(
                    project=project,
                    brought_by=brought_by,
                    external_id=f"B-{number}",
                    text=(text := f"text {number} " + "and so it goes on and on " * 12),
                    text_length=len(text),
                    topic=f"topic {number % 40}",
                    source="bench",
                )
                for number in range(first, min(n_items, first + BATCH))
            )
            for round in (running, closed):
                RoundItem.objects.bulk_create(
                    RoundItem(round=round, item=item, position=first + place)
                    for place, item in enumerate(made)
                )
            assigned = Assignment.objects.bulk_create(
                Assignment(
                    round=running,
                    item=item,
                    member=members[(first + place) % n_annotators],
                    position=first + place,
                )
                for place, item in enumerate(made)
            )
            TypeAnnotation.objects.bulk_create(
                TypeAnnotation(
                    assignment=assignment,
                    type_code=code,
                    span_required=False,
                    text_length=assignment.item.text_length,
                    applicable=rng.random() < 0.5,
                    active_seconds=9,
                )
                for assignment in assigned[::2]
                for code in CODES
            )
            DisputedUnit.objects.bulk_create(
                DisputedUnit(
                    report=report,
                    item=item,
                    type_code="CTX",
                    why="undecided",
                    votes=[["no", 1], ["yes", 1]],
                    disputed=rng.random(),
                )
                for item in made[::5]
            )
    now = timezone.now()
    Round.objects.filter(pk=running.pk).update(status="open", opened_at=now)
    Round.objects.filter(pk=closed.pk).update(status="closed", opened_at=now, closed_at=now)


def measure(limit: float) -> bool:
    """Print the time of each page; return whether all kept the limit."""
    from django.contrib.auth.models import User
    from django.test import Client

    client = Client()
    client.force_login(User.objects.get(username="lea"))
    kept = True
    for path in PAGES:
        times = []
        for _ in range(5):
            started = time.perf_counter()
            response = client.get(path, headers={"host": "localhost"})
            times.append(1000 * (time.perf_counter() - started))
            assert response.status_code == 200, (path, response.status_code)
        median = statistics.median(times)
        kept = kept and median <= limit
        print(f"{median:8.1f} ms  {'' if median <= limit else 'TOO SLOW '}{path}")
    return kept


def main() -> None:
    """Fill a database, then ask for the pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=110_000)
    parser.add_argument("--annotators", type=int, default=30)
    parser.add_argument("--limit", type=float, default=100.0, help="milliseconds")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(
            DJANGO_SETTINGS_MODULE="config.settings.embedded", ELENCHUS_DATA=folder, DATABASE_URL=""
        )
        sys.path.insert(0, str(ROOT))
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        fill(options.items, options.annotators)
        sys.exit(0 if measure(options.limit) else 1)


if __name__ == "__main__":
    main()
