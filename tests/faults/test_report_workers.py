"""Two workers on a real Redis, one killed in the middle: the other completes the report, bytes and all."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import unavailable

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.redis

SETUP = """
from annotation.rounds import round_close
from tests import factories
made = factories.study(items=4, annotators=2, slug="killed")
factories.open_round(made)
for number, item in enumerate(made.items):
    for member in made.annotators:
        word = item.text.split()[number % 2]
        factories.record(made.round, member, item, "LE", factories.yes(item, word))
        factories.record(made.round, member, item, "WE", factories.NO)
round_close(made.round, by=made.lead)
"""

# As if ten minutes had passed since the worker died and its messages were lost.
SWEEP = """
from datetime import timedelta
from django.utils import timezone
from agreement import tasks
from agreement.models import ReportPart
long_ago = timezone.now() - timedelta(minutes=11)
ReportPart.objects.filter(state="running").update(lease_until=long_ago)
ReportPart.objects.update(enqueued_at=long_ago)
tasks.sweep_reports()
"""

LOOK = """
import json
from agreement.canonical import canonical_json
from agreement.models import AgreementReport, ReportPart
from agreement.reading import judgements_read, texts_read
from agreement.report import report_build
report = AgreementReport.objects.get()
alone = report_build(
    judgements_read(report.round), report.parameters, texts=texts_read, progress=lambda done, total: None
)
print(json.dumps({
    "state": report.state,
    "parts": ReportPart.objects.count(),
    "same": canonical_json(report.figures) == canonical_json(alone.figures),
    "spans": report.consensus_spans.count(),
}))
"""


@pytest.fixture
def environment(tmp_path):
    redis = os.environ.get("ELENCHUS_TEST_REDIS_URL")
    if not redis:
        unavailable("no Redis", "make test starts one; or set ELENCHUS_TEST_REDIS_URL")
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings.embedded",
        "ELENCHUS_DATA": str(tmp_path / "data"),
        "DATABASE_URL": "",
        # A database of Redis of its own: other tests' workers listen to the first.
        "CELERY_BROKER_URL": f"{redis.rsplit('/', 1)[0]}/7",
    }


def run(environment, *words):
    done = subprocess.run([sys.executable, *words], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def script(environment, code):
    return run(environment, "-c", f"import django; django.setup()\n{code}")


def start(environment, kind, log):
    return subprocess.Popen(
        [sys.executable, "-m", "tests.faults.report_workers", kind],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=log,
        text=True,
    )


def read_until(worker, line, log):
    for said in worker.stdout:
        if said.strip() == line:
            return
    log.seek(0)
    raise AssertionError(f"the worker ended before it said {line!r}:\n{log.read()}")


def test_what_a_killed_worker_was_at_another_completes_and_the_bytes_are_those_of_one_task(
    environment, tmp_path
):
    run(environment, "manage.py", "migrate", "--verbosity", "0")
    script(environment, SETUP)
    with (tmp_path / "log").open("w+") as log:
        doomed = start(environment, "doomed", log)
        workers = [doomed]
        try:
            read_until(doomed, "holding", log)
            steady = start(environment, "steady", log)
            workers.append(steady)
            read_until(steady, "agreement.compute_part in_parts", log)
            doomed.kill()
            doomed.wait()
            assert json.loads(script(environment, LOOK))["state"] == "in_parts"
            script(environment, SWEEP)
            read_until(steady, "agreement.compute_part done", log)
        finally:
            for worker in workers:
                worker.kill()
                worker.communicate()
    assert json.loads(script(environment, LOOK)) == {"state": "done", "parts": 0, "same": True, "spans": 4}
