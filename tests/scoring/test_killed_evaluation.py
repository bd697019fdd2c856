"""A worker killed in the middle of an evaluation leaves nothing that counts; the next one completes it."""

import json

from tests.installation import script

SETUP = """
from tests.scoring.systems import RIGHT, WRONG, focus_release, submitted
from scoring.systems import evaluations
from scoring.systems.choices import read_choices
from scoring.models import Evaluation
made, release = focus_release()
asked = read_choices(made.project, replicates=20)[0]
evaluations.evaluation_request(submission=submitted(made, release, RIGHT, WRONG), asked=asked)
"""

# Dies as a process does that runs out of memory: with the answers stored in part.
DIE = """
import os, signal
evaluations.BATCH = 2
real, stored = evaluations.Answer.objects.bulk_create, []
def dying(rows):
    if len(stored) == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    stored.append(rows)
    return real(rows)
evaluations.Answer.objects.bulk_create = dying
evaluations.evaluation_run(evaluation_id=Evaluation.objects.get().pk)
"""

LOOK = """
import json
from scoring.models import Evaluation
row = Evaluation.objects.get()
print(json.dumps({"state": row.state, "answers": row.answers.count(), "attempts": row.attempts,
    "value": (row.headline or {}).get("value")}))
"""

AGAIN = """
from datetime import timedelta
from django.utils import timezone
from scoring.models import Evaluation
from scoring.systems.evaluations import evaluation_run, evaluation_sweep
Evaluation.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
(found,) = evaluation_sweep()
assert evaluation_run(evaluation_id=found)
"""


def test_an_evaluation_whose_worker_was_killed_is_done_by_the_next_one(installation):
    worker = installation.begin(*script(SETUP + DIE))
    _, errors = worker.communicate()
    assert worker.returncode == -9, errors
    after, done = map(json.loads, installation.run(*script(LOOK + AGAIN + LOOK)).splitlines())
    assert after == {"state": "running", "answers": 4, "attempts": 1, "value": None}
    assert done == {"state": "done", "answers": 6, "attempts": 2, "value": 0.75}
