"""A worker killed in any state of an entry leaves nothing half done: it is scored once, and counted once."""

import json

from tests.installation import script

SETUP = """
from tests.boards.made import asked, handed_in, questions_board, team
made, board = questions_board()
team(board)
for right, tag in ((1, "a"), (1, "b"), (1, "c"), (1, "d")):
    handed_in(board, asked(made, right=right, tag=tag), run=False)
"""

# Each dies as a process does that runs out of memory, over the first entry that nobody has begun.
DIE = """
import os, signal
from boards.life import placings
from boards.models import Placing
from scoring.systems import evaluations
def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
{where} = die
placings.placing_run(placing_id=Placing.objects.filter(state="queued").order_by("pk").first().pk)
"""

DEATHS = (
    "placings.evaluation_request",
    "evaluations.evaluate",
    "placings._row",
    "placings.better_decide",
)

LOOK = """
import json
from boards.models import Entry, Placing
from scoring.models import Evaluation
rows = Placing.objects.order_by("pk")
print(json.dumps({"states": [row.state for row in rows],
    "values": [row.figures and round(row.figures["value"], 3) for row in rows],
    "better": [row.is_better for row in rows],
    "evaluations": Evaluation.objects.filter(state="done").count(),
    "slots": [entry.slot for entry in Entry.objects.order_by("pk")]}))
"""

AGAIN = """
from datetime import timedelta
from django.utils import timezone
from boards.life.placings import placing_run, placing_sweep
from boards.models import Placing
from scoring.models import Evaluation
for model in (Placing, Evaluation):
    model.objects.filter(state="running").update(lease_until=timezone.now() - timedelta(seconds=1))
for found in placing_sweep():
    assert placing_run(placing_id=found)
"""


def test_entries_whose_workers_were_killed_are_scored_by_the_next_ones(installation):
    setup = SETUP
    for where in DEATHS:
        worker = installation.begin(*script(setup + DIE.format(where=where)))
        _, errors = worker.communicate()
        assert worker.returncode == -9, errors
        setup = ""
    after, done = map(json.loads, installation.run(*script(LOOK + AGAIN + LOOK)).splitlines())
    assert after["states"] == ["running", "running", "running", "done"]
    assert after["slots"] == [1, 2, 3, 4]
    assert done == {
        "states": ["done"] * 4,
        "values": [0.167] * 4,
        "better": [True, False, False, False],
        "evaluations": 4,
        "slots": [1, 2, 3, 4],
    }
