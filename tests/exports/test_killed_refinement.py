"""Real processes: a worker killed in the middle of a run and two workers on the rest ask nothing twice."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.exports.endpoint import KEY

ROOT = Path(__file__).resolve().parent.parent.parent

SETUP = """
import os
from tests.exports.studies import close, focus_study, judge
from tests.factories import yes
from exports.refinement_choices import refinement_choices
from exports.refining import refinement_request
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
from exports import refinement_work as work
real, answers = work.answer_ask, []
def dying(*arguments, **options):
    answers.append(real(*arguments, **options))
    if len(answers) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return answers[-1]
work.answer_ask = dying
work.refinement_work(run_id=1)
"""

LEASE_OVER = """
from datetime import timedelta
from django.utils import timezone
from exports.models import RefinementRun
from exports.refining import refinement_sweep
RefinementRun.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
assert refinement_sweep() == [1]
"""

WORK = """
from exports.refinement_work import refinement_work
refinement_work(run_id=1)
"""

LOOK = """
from exports.models import QuestionRefinement, RefinementRun
run = RefinementRun.objects.get()
print(run.state, run.progress_done, run.progress_total, QuestionRefinement.objects.count())
"""


@pytest.fixture
def begin(tmp_path, endpoint):
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings.embedded",
        "ELENCHUS_DATA": str(tmp_path / "data"),
        "ELENCHUS_LLM_ENDPOINTS": endpoint.url,
        "ELENCHUS_LLM_API_KEY": KEY,
        "DATABASE_URL": "",
    }

    def begin(script):
        return subprocess.Popen(
            [sys.executable, "-c", f"import django; django.setup()\n{script}"],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    migrated = subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], cwd=ROOT, env=environment)
    assert migrated.returncode == 0
    assert end(begin(SETUP)) == (0, "")
    return begin


def end(process):
    out, err = process.communicate()
    assert KEY not in out + err
    return process.returncode, out


def test_a_killed_worker_loses_no_answer_and_of_two_sent_after_it_one_asks_only_the_rest(begin, endpoint):
    assert end(begin(DIE)) == (-9, "")
    assert end(begin(LEASE_OVER + LOOK)) == (0, "running 2 6 2\n")
    workers = [begin(WORK), begin(WORK)]
    assert [end(worker) for worker in workers] == [(0, "")] * 2
    assert end(begin(LOOK)) == (0, "done 6 6 6\n")
    prompts = [asked.prompt for asked in endpoint.asked]
    # Only the answer that was under way when the worker died is asked for a second time.
    assert (len(prompts), len(set(prompts))) == (7, 6)
    assert prompts[2] == prompts[3]
