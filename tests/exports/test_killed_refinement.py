"""Real processes: a worker killed in the middle of a run and two workers on the rest ask nothing twice."""

import shutil

import pytest

from tests.exports.endpoint import KEY
from tests.installation import Installation, script

SETUP = """
import os
from tests.factories import close, focus_study, judge
from tests.factories import yes
from exports.refinement.parameters import refinement_choices
from exports.refinement.runs import refinement_request
texts = tuple(f"Parks make people {word}." for word in ("happy", "calm", "kind", "fit", "poor", "late"))
made = focus_study(annotators=2, items=6, texts=texts, slug="killed")
for item in made.items:
    judge(made, item, {"LE": [yes(item, item.text[:12])] * 2})
close(made)
given = {
    "endpoint": os.environ["ELENCHUS_LLM_ENDPOINTS"],
    "model": "tiny",
    "sources": [["test", ""]],
    "prompt": "{argument} {question}",
    "per_minute": 600,
}
refinement_request(project=made.project, choices=refinement_choices(given), texts_may_leave=True)
"""

# Dies as a process does that runs out of memory: the third answer has come and is not stored yet.
DIE = """
import os, signal
from exports.refinement import worker as work
real, answers = work.ask_endpoint, []
def dying(*arguments, **options):
    answers.append(real(*arguments, **options))
    if len(answers) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return answers[-1]
work.ask_endpoint = dying
work.refinement_work(run_id=1)
"""

LEASE_OVER = """
from datetime import timedelta
from django.utils import timezone
from exports.models import RefinementRun
from exports.refinement.runs import refinement_sweep
RefinementRun.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
assert refinement_sweep() == [1]
"""

WORK = """
from exports.refinement.worker import refinement_work
refinement_work(run_id=1)
"""

LOOK = """
select state, progress_done, progress_total, (select count(*) from exports_questionrefinement)
from exports_refinementrun
"""


@pytest.fixture
def installation(migrated, tmp_path, endpoint):
    named = {"ELENCHUS_LLM_ENDPOINTS": endpoint.url, "ELENCHUS_LLM_API_KEY": KEY}
    return Installation(shutil.copytree(migrated, tmp_path / "data"), **named)


def end(process):
    out, err = process.communicate()
    assert KEY not in out + err
    return process.returncode, out


def test_a_killed_worker_loses_no_answer_and_of_two_sent_after_it_one_asks_only_the_rest(
    installation, endpoint
):
    assert end(installation.begin(*script(SETUP + DIE))) == (-9, "")
    assert end(installation.begin(*script(LEASE_OVER))) == (0, "")
    assert installation.rows(LOOK) == [("queued", 2, 6, 2)]
    workers = [installation.begin(*script(WORK)) for _ in range(2)]
    assert [end(worker) for worker in workers] == [(0, "")] * 2
    assert installation.rows(LOOK) == [("done", 6, 6, 6)]
    prompts = [asked.prompt for asked in endpoint.asked]
    # Only the answer that was under way when the worker died is asked for a second time.
    assert (len(prompts), len(set(prompts))) == (7, 6)
    assert prompts[2] == prompts[3]
    keys = [asked.headers["Idempotency-Key"] for asked in endpoint.asked]
    assert (len(set(keys)), keys[2]) == (6, keys[3])
