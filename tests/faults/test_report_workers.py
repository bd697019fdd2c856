"""Two workers on a real Redis, one killed in the middle: the other completes the report, bytes and all."""

import json
import shutil

import pytest

from tests.installation import Installation, script

pytestmark = pytest.mark.redis

SETUP = """
from annotation.rounds.lifecycle import round_close
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
from core.canonical_json import canonical_json
from agreement.models import AgreementReport, ReportPart
from agreement.report.loading import read_judgements, read_texts
from agreement.report.assembly import build_report
report = AgreementReport.objects.get()
alone = build_report(
    read_judgements(report.round), report.parameters, texts=read_texts, progress=lambda done, total: None
)
print(json.dumps({
    "state": report.state,
    "parts": ReportPart.objects.count(),
    "same": canonical_json(report.figures) == canonical_json(alone.figures),
    "spans": report.consensus_spans.count(),
}))
"""


@pytest.fixture
def installation(migrated, tmp_path, broker):
    return Installation(shutil.copytree(migrated, tmp_path / "data"), CELERY_BROKER_URL=broker)


def read_until(worker, line, log):
    for said in worker.stdout:
        if said.strip() == line:
            return
    log.seek(0)
    raise AssertionError(f"the worker ended before it said {line!r}:\n{log.read()}")


def test_what_a_killed_worker_was_at_another_completes_and_the_bytes_are_those_of_one_task(
    installation, tmp_path
):
    installation.run(*script(SETUP))
    with (tmp_path / "log").open("w+") as log:
        doomed = installation.begin("-m", "tests.faults.report_workers", "doomed", stderr=log)
        workers = [doomed]
        try:
            read_until(doomed, "holding", log)
            steady = installation.begin("-m", "tests.faults.report_workers", "steady", stderr=log)
            workers.append(steady)
            read_until(steady, "agreement.compute_part in_parts", log)
            doomed.kill()
            doomed.wait()
            assert installation.rows("select state from agreement_agreementreport") == [("in_parts",)]
            installation.run(*script(SWEEP))
            read_until(steady, "agreement.compute_part done", log)
        finally:
            for worker in workers:
                worker.kill()
                worker.communicate()
    looked = json.loads(installation.run(*script(LOOK)))
    assert looked == {"state": "done", "parts": 0, "same": True, "spans": 4}
