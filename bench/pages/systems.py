"""How long the pages of Systems take in a project with 500 evaluations.

    .venv/bin/python -m bench.pages.systems [--systems 50] [--files 10] [--requests 40] [--postgresql]

Each line has the CPU of this process and the time on the clock for one request, p50 and p95: judge by the CPU
on a machine that does other work too. On PostgreSQL, a scratch one, what the database does is in the clock
alone. `MISSED` says what is over its goal, and then it exits with 1.
"""

from __future__ import annotations

import argparse
import gc
import sys
from typing import Any

from bench.pages.shared import get, main, measure

PAGE, WHOLE = 0.1, 0.5
"""Goals in seconds: a page, all evaluations of a release in one answer."""


def fill(systems: int, files: int) -> tuple[Any, Any, list[Any]]:
    """Score a file against 60 arguments, give it to so many systems so many times; half are those of teams.

    Returns the project, the evaluation that was computed, with its answers, and one of each of two systems.
    """
    from django.utils import timezone

    from boards.life.boards import board_create
    from scoring.models import Evaluation, Submission
    from scoring.systems.systems import system_create
    from tests.factories import NO, close, focus_study, judge, yes
    from tests.factories.releases import release
    from tests.scoring.systems import scored, submitted

    made = focus_study(annotators=3, items=60, slug="talk")
    for item in made.items:
        judge(made, item, {"LE": [yes(item, item.text[:11])] * 2 + [NO]})
    close(made)
    answers = {
        item.external_id: {"fsq_types": ["LE", "BS"], "spans": [item.text[:9], item.text[4:20]]}
        for item in made.items
    }
    whole = scored(submitted(made, release(made.project), answers), replicates=1000, scope="all")
    kept = {
        field.attname: getattr(whole, field.attname)
        for field in Evaluation._meta.concrete_fields
        if field.attname not in {"id", "submission_id", "finished_at"}
    }
    first = []
    board = board_create(project=made.project, name="best", title="Best", entrance="anyone", by=made.lead)
    for number in range(systems):
        system = system_create(project=made.project, name=f"System {number}", by=made.lead)
        if number % 2:
            board.teams.create(name=system.name, name_key=system.name_key, system=system)
        for at in range(files):
            handed_in = Submission.objects.create(
                system=system, release=whole.submission.release, digest=f"{number}-{at}"
            )
            row = Evaluation.objects.create(submission=handed_in, finished_at=timezone.now(), **kept)
            if at == 0 and number < 2:
                first.append(row)
    return made.project, whole, first


def run(given: argparse.Namespace) -> int:
    import django

    django.setup()

    from scoring import tasks
    from scoring.models import Evaluation
    from tests.conftest import client_of

    for task in (tasks.evaluate_submission, tasks.compare_evaluations):
        task.delay = lambda *_: None
    project, whole, two = fill(given.systems, given.files)
    gc.collect()
    gc.freeze()  # as config/web_server.py does
    print(f"{Evaluation.objects.count()} evaluations of {project.systems.count()} systems")
    lead, holds = client_of("lea"), True
    pair = "&".join(f"e={one.pk}" for one in two)
    for what, address, goal in (
        ("the list", "/p/talk/systems/", PAGE),
        ("the list, page 5", "/p/talk/systems/?page=5", PAGE),
        ("the list, of leads", "/p/talk/systems/?by=leads", PAGE),
        ("the list, of a board", "/p/talk/systems/?board=best&page=5", PAGE),
        ("a system", f"/p/talk/systems/{two[0].submission.system_id}/", PAGE),
        ("handing in", "/p/talk/systems/new/", PAGE),
        ("an evaluation", f"/p/talk/evaluations/{whole.pk}/", PAGE),
        ("its answers in the text", f"/p/talk/evaluations/{whole.pk}/answers/", PAGE),
        ("two compared", f"/p/talk/systems/compare/?{pair}", PAGE),
        ("by API, all of them", "/api/projects/talk/releases/1.0/evaluations/", WHOLE),
        ("by API, one", f"/api/projects/talk/releases/1.0/evaluations/{whole.pk}/", PAGE),
    ):
        holds &= measure(what, get(lead, address), given.requests, goal)
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(
        main(
            "bench.pages.systems", __doc__, run, {"systems": (50, "systems"), "files": (10, "files of each")}
        )
    )
