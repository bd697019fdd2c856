"""How long the pages of a board with 500 submissions take, and the check of an upload of 34 texts.

    .venv/bin/python -m bench.pages.boards [--teams 50] [--entries 10] [--requests 40] [--postgresql]

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

PAGE, WHOLE, CHECK = 0.1, 0.3, 0.2
"""Goals in seconds: a page, a file of all rows, the check of an upload."""
FEEDBACK = ("full", "better")


def fill(teams: int, entries: int) -> Any:
    """Make a board of so many teams, each of which had so many files scored; return it with its study."""
    from django.utils import timezone

    from boards.life.teams import team_create
    from boards.models import Entry, Placing
    from tests import factories
    from tests.boards.made import asked, handed_in, questions_board, team

    made, board = questions_board(
        items=68, methods=["chrf:40"], replicates=1000, per_day=entries + 1, in_all=entries + 1
    )
    team(board)
    first = handed_in(board, asked(made, right=7))
    version, evaluation, figures = first.version, first.evaluation, first.figures
    assert figures is not None
    now = timezone.now()
    for number in range(teams):
        own = team_create(board=board, name=f"Team {number}", user=factories.user(f"team{number}"))
        assert own.system is not None
        for at in range(1, entries + 1):
            submission = own.system.submissions.create(
                release=version.release, split=version.split, digest=f"{number}-{at}"
            )
            entry = Entry.objects.create(
                board=board,
                team=own,
                version=version,
                submission=submission,
                digest=f"{number}-{at}",
                day=now.date(),
                slot=at,
                day_slot=at,
                name=f"System {at} of {number}",
                line="Asks what nobody asked before, and says why",
                trained_on_validation=False,
                may_be_shown=True,
            )
            value = ((number * entries + at) % 103) / 102
            row = {**figures, "value": value, "low": max(0, value - 0.1), "high": min(1, value + 0.1)}
            done = {"state": "done", "evaluation": evaluation, "figures": row, "finished_at": now}
            better = {"is_better": True, "compared_with": first, "is_apart": at % 2 == 0}
            Placing.objects.create(version=version, entry=entry, **done, **better)
    return made, board


def run(given: argparse.Namespace) -> int:
    import django

    django.setup()
    from django.core.files.uploadedfile import SimpleUploadedFile
    from django.test import Client

    from boards import tasks
    from boards.life.boards import board_edit
    from boards.models import Placing, UploadCheck
    from tests.boards.made import asked, files
    from tests.conftest import client_of

    for task in (tasks.place_entry, tasks.prepare_version, tasks.compare_with_the_best):
        task.delay = lambda *_: None
    made, board = fill(given.teams, given.entries)
    gc.collect()
    gc.freeze()  # as config/web_server.py does
    print(f"{Placing.objects.count()} submissions of {board.teams.count()} teams")
    holds = True

    stranger, tina, lead = Client(), client_of("team1"), client_of("lea")
    for feedback in FEEDBACK:
        board_edit(board=board, feedback=feedback)
        for who, client, address, goal in (
            ("a stranger", stranger, "/boards/ask/best/", PAGE),
            ("a stranger, page 5", stranger, "/boards/ask/best/?page=5", PAGE),
            ("CSV", stranger, "/boards/ask/best/board.csv", WHOLE),
            ("JSON", stranger, "/boards/ask/best/board.json", WHOLE),
            ("a team, its own", tina, "/boards/ask/best/team/", PAGE),
            ("a team, progress", tina, "/boards/ask/best/team/progress/", PAGE),
            ("a team, by API", tina, "/api/boards/ask/best/submissions/", PAGE),
            ("a lead", lead, "/p/ask/boards/best/", PAGE),
            ("a lead, by API", lead, "/api/projects/ask/boards/best/submissions/", WHOLE),
        ):
            holds &= measure(f"{feedback}: {who}", get(client, address), given.requests, goal)
    data = files(asked(made, right=7, tag="check"))[0].data

    def check() -> None:
        UploadCheck.objects.all().delete()
        file = SimpleUploadedFile("mine.json", data)
        answer = tina.post("/api/boards/ask/best/check/", {"files": file})
        assert answer.status_code == 200, answer.content

    holds &= measure("check of an upload of 34 texts", check, given.requests, CHECK)
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(
        main(
            "bench.pages.boards",
            __doc__,
            run,
            {"teams": (50, "teams"), "entries": (10, "submissions of each")},
        )
    )
