"""Real processes: workers killed again and again lose no answer, ask nothing twice and pass no budget."""

import shutil

import pytest

from assist.asking.llm_client import Pause
from tests.exports.endpoint import KEY, saying
from tests.installation import Installation, script

ITEMS, KILLS = 24, 3

SETUP = f"""
import os
from tests.factories import study
from assist.runs.parameters import run_choices
from assist.runs.runs import run_request
texts = tuple(f"Text {{n}}." for n in range({ITEMS}))
made = study("focus", annotators=1, items={ITEMS}, slug="killed", texts=texts)
given = {{"task": "context", "model": "tiny", "sources": ["test"], "budget_requests": {ITEMS + KILLS}}}
run_request(project=made.project, choices=run_choices(made.project, given))
"""

# Dies as a process does that runs out of memory: the third answer of each worker has come and is not stored.
DIE = """
import os, signal
from datetime import timedelta
from django.utils import timezone
from assist.models import AssistRun
from assist.runs import worker as work
AssistRun.objects.filter(state="running").update(lease_until=timezone.now() - timedelta(seconds=1))
real, answers = work.ask_endpoint, []
def dying(*arguments, **options):
    answers.append(real(*arguments, **options))
    if len(answers) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return answers[-1]
work.ask_endpoint = dying
work.run_work(run_id=1)
"""

# As where the model takes longer than the pace: an answer is stored together with the count of what is next.
AT_ONCE = """
from assist.asking.llm_client import Pause
Pause.wait, Pause.is_over = lambda self: None, lambda self: True
"""

WORK = """
from datetime import timedelta
from django.utils import timezone
from assist.models import AssistRun
from assist.runs.worker import run_work
AssistRun.objects.filter(state="running").update(lease_until=timezone.now() - timedelta(seconds=1))
run_work(run_id=1)
"""


@pytest.fixture
def installation(migrated, tmp_path, endpoint):
    named = {"ELENCHUS_LLM_ENDPOINTS": endpoint.url, "ELENCHUS_LLM_API_KEY": KEY}
    return Installation(shutil.copytree(migrated, tmp_path / "data"), **named)


def end(process):
    out, err = process.communicate()
    assert KEY not in out + err
    return process.returncode, out


def test_the_pace_that_is_left_out_is_one_that_waits():
    assert {"wait", "is_over"} <= vars(Pause).keys()


@pytest.mark.parametrize("pace", ["", AT_ONCE], ids=["each waits for its turn", "at once"])
def test_killed_workers_lose_one_request_each_and_no_answer(installation, endpoint, pace):
    endpoint.otherwise = saying("yes", usage=(10, 1))
    assert end(installation.begin(*script(SETUP)))[0] == 0
    for _ in range(KILLS):
        assert end(installation.begin(*script(pace + DIE))) == (-9, "")
    assert end(installation.begin(*script(pace + WORK))) == (0, "")
    state, requests, tokens, reserved, answers = installation.rows(
        "select state, requests, tokens, reserved, (select count(*) from assist_assistanswer) "
        "from assist_assistrun"
    )[0]
    assert (state, requests, tokens, answers) == ("done", ITEMS + KILLS, 11 * ITEMS, ITEMS)
    assert reserved > 0  # what the lost answers cost nobody knows
    prompts = [asked.prompt for asked in endpoint.asked]
    # Only the answer that was under way when a worker died is asked for a second time.
    assert (len(prompts), len(set(prompts))) == (ITEMS + KILLS, ITEMS)
    # It says so: an endpoint that knows the header answers, and is paid for, once a text.
    assert len({(one.headers["Idempotency-Key"], one.prompt) for one in endpoint.asked}) == ITEMS
