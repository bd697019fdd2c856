"""A process killed in any state of an entry leaves nothing half done: it is scored once, and counted once."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.installation import Installation, script
from tests.migrated import copy_on_postgresql

# Each dies as a process does that runs out of memory, over an entry that nobody has begun.
DEATHS = """
import json, os, signal
from datetime import timedelta
from django.db import connections
from django.utils import timezone
from boards import tasks
from boards.life import entries, placings, versions
from boards.models import BoardVersion, Entry, Placing, UploadCheck
from scoring.models import Evaluation, SubmissionFile
from scoring.systems import evaluations
from tests import factories
from tests.boards.made import asked, files, handed_in, questions_board, team

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

def killed(module, name, act):
    connections.close_all()
    child = os.fork()
    if child == 0:
        try:
            setattr(module, name, die)
            act()
        finally:
            os._exit(1)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL, name

made, board = questions_board(per_day=20, in_all=20)
team(board)
for number in range(7):
    handed_in(board, asked(made, right=1, tag=str(number)), run=False)

def run_next():
    placings.placing_run(placing_id=Placing.objects.filter(state="queued").order_by("pk").first().pk)

def hand_in(tag):
    given = files(asked(made, right=1, tag=tag))
    return {"board": board, "user": factories.user("tina"), "files": given, "name": "Gadfly"}

# A worker: having claimed it, before and in its evaluation, after it, before and after its row is stored.
killed(placings, "_evaluated", run_next)
killed(placings, "evaluation_request", run_next)
killed(evaluations, "evaluate", run_next)
killed(evaluations, "answer_counts", run_next)
killed(placings, "_row", run_next)
killed(placings, "better_decide", run_next)
killed(placings, "_scores", lambda: placings.standing_refresh(version_id=Placing.objects.first().version_id))
# The web server: before an entry is stored, and when it is but no worker was told.
killed(entries, "_log", lambda: entries.entry_hand_in(**hand_in("7")))
killed(tasks, "send_after_commit", lambda: tasks.entry_start(**hand_in("8")))

def look():
    rows = Placing.objects.order_by("pk")
    return {
        "states": [row.state for row in rows],
        "values": [row.figures and round(row.figures["value"], 3) for row in rows],
        "better": [row.is_better for row in rows],
        "evaluations": Evaluation.objects.filter(state="done").count(),
        "slots": [entry.slot for entry in Entry.objects.order_by("pk")],
        "files": SubmissionFile.objects.count(),
    }

def sweep():
    "Bring what has waited, or lost its worker, to a worker, as beat does a minute later."
    past = timezone.now() - timedelta(hours=1)
    for model in (Placing, Evaluation, BoardVersion):
        model.objects.filter(state="running").update(lease_until=past)
        model.objects.filter(state="queued").update(enqueued_at=past)
    for version in versions.version_sweep():
        assert versions.version_run(version_id=version)
    for found in placings.placing_sweep():
        assert placings.placing_run(placing_id=found)
    for version in placings.standing_stale():
        placings.standing_refresh(version_id=version)

after = look()
# What was handed in to a server that died is handed in again, and counts once.
placings.placing_run(placing_id=entries.entry_hand_in(**hand_in("7")).pk)
# Over the first one three workers died.
Placing.objects.filter(pk=Placing.objects.earliest("pk").pk).update(attempts=3)
sweep()
done = look()
# A new version whose worker dies, too: every entry is scored for it, and the first version stays.
second = versions.version_create(board=board, by=made.lead, **{
    **versions.ranking_of(versions.version_now(board)), "methods": ["chrf:99"]})
killed(versions, "find_trivial_rows", lambda: versions.version_run(version_id=second.pk))
sweep()
second.refresh_from_db()
print("FOUND", json.dumps([after, done, {
    "version": second.state,
    "states": list(second.placings.order_by("entry").values_list("state", flat=True)),
    "apart": list(second.placings.order_by("entry").values_list("is_apart", flat=True)),
    "waits": Placing.objects.filter(state__in=["queued", "running"]).count()
        + Evaluation.objects.filter(state__in=["queued", "running"]).count(),
    "slots": [entry.slot for entry in Entry.objects.order_by("pk")],
}]))
"""


@pytest.fixture
def on_postgresql(tmp_path: Path) -> Iterator[Installation]:
    """An installation on a database of its own beside that of the tests."""
    server, name = os.environ["DATABASE_URL"].rpartition("/")[0], f"elenchus_killed_{os.getpid()}"
    copy_on_postgresql(server, name)
    yield Installation(tmp_path, database=f"{server}/{name}")
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_whoever_is_killed_over_an_entry_it_is_scored_and_counted_once(installation):
    holds_after_every_death(installation)


@pytest.mark.database
@pytest.mark.postgresql
def test_so_it_is_on_postgresql(on_postgresql):
    holds_after_every_death(on_postgresql)


def holds_after_every_death(installation: Installation) -> None:
    printed = installation.run(*script(DEATHS))
    after, done, second = json.loads(printed.rpartition("FOUND ")[2])
    # The seventh had no worker, the eighth was not stored, of the ninth nobody was told.
    assert after["states"] == ["running"] * 5 + ["done", "queued", "queued"]
    assert after["values"] == [None] * 5 + [0.167, None, None]
    assert after["slots"] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert after["files"] == 8
    assert done == {
        # Over the first one three workers died: it is given up, and gives its place back.
        "states": ["failed"] + ["done"] * 8,
        "values": [None] + [0.167] * 8,
        "better": [None, True] + [False] * 7,
        "evaluations": 8,
        "slots": [None, 2, 3, 4, 5, 6, 7, 8, 9],
        "files": 9,
    }
    assert second == {
        "version": "done",
        "states": ["done"] * 9,
        "apart": [False] * 7 + [None] * 2,  # the last two may not be shown
        "waits": 0,
        "slots": [None, 2, 3, 4, 5, 6, 7, 8, 9],
    }
