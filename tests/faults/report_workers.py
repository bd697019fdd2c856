"""A Celery worker that takes every report apart: `python -m tests.faults.report_workers steady|doomed`.

It prints the name of each task it has done with the state of the report. A doomed one stops for ever in the
middle of the first type it computes, and prints `holding` before.
"""

import signal
import sys

import django

django.setup()

from celery.signals import task_success  # noqa: E402

from agreement.computation import compute as jobs  # noqa: E402
from agreement.computation import parts  # noqa: E402
from agreement.models import AgreementReport  # noqa: E402
from config import celery_app  # noqa: E402


def say(words: str) -> None:
    print(words, file=sys.__stdout__, flush=True)  # Celery turns what is printed to sys.stdout into a log


@task_success.connect
def tell(sender: object, **_rest: object) -> None:
    say(f"{sender.name} {AgreementReport.objects.latest('id').state}")  # type: ignore[attr-defined]


def hold(*_args: object, **_options: object) -> None:
    say("holding")
    signal.pause()


jobs.IN_PARTS_FROM = 1
if sys.argv[1] == "doomed":
    parts.find_types = hold  # type: ignore[assignment]
celery_app.worker_main(["worker", "--pool", "solo", "--loglevel", "WARNING", "--without-mingle"])
