"""How long assistants take with 110,000 texts: python bench/assistants.py [--items N] [--queries]

Fills a database of its own: N items of ten sources, and a lead. Prints the seconds of CPU of a preview and
until a run over all is queued and counted, the time that one request takes of our own (the model answers at
once) with the memory of that worker, then gives every text an answer, marks a third of them as filtered, and
asks each page of assistants forty times: p95 of the CPU times of each, with p50 and the first. Exits with 1
where a goal is missed. --folder keeps the SQLite database; --database postgres://… measures PostgreSQL, its
process too.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENDPOINT = "http://127.0.0.1:9/v1"
BATCH = 5_000
ASKED = 400
TIMES = 40
QUEUED_SECONDS, PAGE_MS, REQUEST_MS, MEMORY_MB, PREVIEW_SECONDS = 10, 100, 5, 300, 1
PAGES = (
    "/p/{slug}/assistants/",
    "/p/{slug}/assistants/runs/1/",
    "/p/{slug}/assistants/runs/2/",
    "/p/{slug}/items/?filtered=yes",
    "/p/{slug}/items/?filtered=no",
    "/p/{slug}/rounds/1/draw/",
    "/api/projects/{slug}/assist/",
    "/api/projects/{slug}/assist/runs/1/",
    "/api/projects/{slug}/assist/runs/1/answers/",
    "/api/projects/{slug}/assist/runs/1/answers/?label=insufficient",
    "/api/projects/{slug}/assist/runs/1/marks/",
)


def fill(slug: str, n_items: int) -> None:
    """Store a project with so many items and a draft round, or leave the one that is there."""
    from django.contrib.auth.models import User

    from annotation.database.install import TRIGGERS, lifted_triggers
    from annotation.models import Import, Item, Project
    from annotation.projects.projects import project_create
    from annotation.rounds.lifecycle import round_create

    if Project.objects.filter(slug=slug).exists():
        return
    project = project_create(slug=slug, codebook="focus", user=User.objects.create_user("lea"))
    brought_by = Import.objects.create(
        project=project, file_name="x", file_sha256="0" * 64, format="table", state="done"
    )
    with lifted_triggers(TRIGGERS):
        for first in range(0, n_items, BATCH):
            rows = []
            for n in range(first, min(n_items, first + BATCH)):
                text = f"Text {n} says that parks make people happy, because they can rest there. " * 3
                row = Item(project=project, brought_by=brought_by, external_id=f"B-{n}", text=text)
                row.text_length, row.source, row.topic = len(text), f"source {n % 10}", f"topic {n % 7}"
                rows.append(row)
            Item.objects.bulk_create(rows)
    round_create(project=project, overlap=1)


def choices_of(slug: str, model: str):
    from annotation.models import Project
    from assist.runs.parameters import run_choices
    from assist.runs.units import sources_of

    project = Project.objects.get(slug=slug)
    sources = [[source, licence] for source, licence, _ in sources_of(project)]
    return run_choices(project, {"task": "context", "model": model, "sources": sources})


def queue(slug: str) -> tuple[float, float]:
    """Return the seconds of a preview of all texts, and until a run over them is queued and counted."""
    from annotation.models import Project
    from assist.models import AssistRun
    from assist.runs.counting import units_counted
    from assist.runs.runs import run_preview, run_request

    project = Project.objects.get(slug=slug)
    began = cpu()
    # A model that was not asked before: a folder that is used again has answers of the others.
    choices = choices_of(slug, f"tiny-{project.assist_runs.count()}")
    seen = run_preview(project=project, choices=choices)
    previewed = cpu() - began
    AssistRun.objects.filter(state__in=["queued", "running"]).update(state="cancelled", finished_at=now())
    began = cpu()
    run = run_request(project=project, choices=choices)
    counted = units_counted(run)
    queued = cpu() - began
    assert counted.asked == seen["count"], (counted, seen["count"])
    return previewed, queued


def work(slug: str) -> tuple[float, float, float]:
    """Ask about some texts; return milliseconds of our own for each, and megabytes of this process.

    First where the model takes longer than the pace, so that one request goes out as the last is answered,
    then where each waits for its turn.
    """
    from annotation.models import Project
    from assist.asking.llm_client import Answer, Timing
    from assist.models import AssistRun
    from assist.runs import worker

    run = AssistRun.objects.filter(project=Project.objects.get(slug=slug), state="queued").get()
    asked, clock, marks = [], [0.0], []

    def answering(_endpoint, _body, *, heartbeat, **_options):
        heartbeat()
        asked.append(1)
        if len(asked) in (100, ASKED, 2 * ASKED):
            marks.append(cpu())
        if len(asked) < ASKED:
            clock[0] += 1.01
        if len(asked) == 2 * ASKED:
            clock[0] += 10_000  # the slice is over
        return Answer("yes", "tiny", "stop", 90, 1, 1)

    def sleep(seconds):
        clock[0] += seconds

    worker.ask_endpoint = answering
    worker.units_asked = partial(worker.units_asked, slice_seconds=9_000)
    timing = Timing(lambda: clock[0], sleep, now)
    worker.run_work(run_id=run.pk, timing=timing)
    AssistRun.objects.filter(pk=run.pk).update(state="cancelled", finished_at=now(), lease_until=None)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    at_once, waiting = marks[1] - marks[0], marks[2] - marks[1]
    return 1000 * at_once / (ASKED - 100), 1000 * waiting / ASKED, memory


def answer_all(slug: str) -> float:
    """Give every text an answer of run 1, a third insufficient; return the seconds of marking these."""
    from annotation.models import Project
    from assist.filtering.marking import filter_mark
    from assist.models import AssistAnswer, AssistRun
    from assist.runs.units import units_waiting

    run = Project.objects.get(slug=slug).assist_runs.order_by("number").first()
    for _, left in units_waiting(run):
        rows = []
        for n, waiting in enumerate(left):
            label = "insufficient" if n % 3 == 0 else "sufficient"
            row = AssistAnswer(run=run, item=waiting.item, state="usable", raw="yes" * 10, label=label)
            row.recipe_sha256, row.unit_sha256 = waiting.recipe_sha256, waiting.unit_sha256
            row.prompt_sha256, row.found, row.tries, row.answered_at = "p", {"label": label}, 1, now()
            rows.append(row)
        AssistAnswer.objects.bulk_create(rows)
    AssistRun.objects.filter(pk=run.pk).update(state="done", finished_at=now(), lease_until=None)
    second = choices_of(slug, run.model)
    if not run.project.assist_runs.filter(number=2).exists():
        run.project.assist_runs.create(number=2, state="done", finished_at=now(), **second.to_row())
    began = cpu()
    run.refresh_from_db()
    filter_mark(run=run)
    return cpu() - began


def now():
    from django.utils import timezone

    return timezone.now()


DATABASE: list[int | None] = [None]


def cpu() -> float:
    from bench.lead import _cpu_of

    return time.process_time() + _cpu_of(DATABASE[0])


def pages(slug: str, *, queries: bool) -> list[tuple[float, float, float, str]]:
    """Return the first time, the median and the 95th of 100 of each page, in milliseconds of CPU."""
    from django.contrib.auth.models import User
    from django.test import Client

    from bench.lead import _print_queries

    client = Client()
    client.force_login(User.objects.get(username="lea"))
    found = []
    for template in PAGES:
        path = template.format(slug=slug)
        times = []
        for _ in range(TIMES + 1):
            began = cpu()
            response = client.get(path, headers={"host": "localhost"})
            times.append(1000 * (cpu() - began))
            assert response.status_code == 200, (path, response.status_code)
        p50, p95 = statistics.median(times[1:]), statistics.quantiles(times[1:], n=20)[-1]
        found.append((times[0], p50, p95, path))
        if queries:
            _print_queries(client, path)
    return found


def told(name: str, value: float, goal: float, unit: str) -> bool:
    print(f"{value:9.2f} {unit}  {'' if value <= goal else 'MISSED '}{name} (goal {goal} {unit})", flush=True)
    return value <= goal


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=110_000)
    parser.add_argument("--folder", type=Path, help="keep the SQLite database here and use it again")
    parser.add_argument("--database", default="", help="postgres://… to measure PostgreSQL; kept as well")
    parser.add_argument("--queries", action="store_true", help="print each page's slowest queries")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    slug = f"assistants-{options.items}"
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        os.environ.update(
            DJANGO_SETTINGS_MODULE="config.settings.embedded",
            ELENCHUS_DATA=str(folder.resolve()),
            DATABASE_URL=options.database,
            ELENCHUS_LLM_ENDPOINTS=ENDPOINT,
        )
        sys.path.insert(0, str(ROOT))
        import django

        django.setup()
        from bench.lead import _database_process

        DATABASE[0] = _database_process()
        if options.worker:
            print(*work(slug))
            return
        sys.exit(0 if measured(slug, folder, options) else 1)


def measured(slug: str, folder: Path, options: argparse.Namespace) -> bool:
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    fill(slug, options.items)
    previewed, queued = queue(slug)
    kept = [
        told("a preview of all texts", previewed, PREVIEW_SECONDS, "s"),
        told(f"{options.items:,} units queued and counted", queued, QUEUED_SECONDS, "s"),
    ]
    # A process of its own, as a worker is.
    given = ["--items", str(options.items), "--folder", str(folder), "--database", options.database]
    asked = subprocess.run(
        [sys.executable, __file__, *given, "--worker"], capture_output=True, text=True, check=True
    )
    own, waiting, memory = map(float, asked.stdout.split())
    kept += [
        told("our own time of a request", own, REQUEST_MS, "ms"),
        told("our own time of a request that waits for its turn", waiting, REQUEST_MS, "ms"),
        told("memory of a worker", memory, MEMORY_MB, "MB"),
        told("marking all that is insufficient", answer_all(slug), QUEUED_SECONDS, "s"),
    ]
    for first, p50, p95, path in pages(slug, queries=options.queries):
        kept.append(told(f"{path} (at first {first:.0f} ms, p50 {p50:.1f} ms)", p95, PAGE_MS, "ms"))
    return all(kept)


if __name__ == "__main__":
    main()
