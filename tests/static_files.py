"""The static files of production lie in one folder of the checkout, which the tests' web servers share."""

import os
from collections.abc import Callable

from django.conf import settings

from tests.migrated import alone

# Without the bundles of the API's pages, whose hashing takes longest: make lint collects all.
LEFT_OUT = ["--ignore", "drf_spectacular_sidecar"]
COLLECT = ["manage.py", "collectstatic", "--clear", "--noinput", "-v", "0", *LEFT_OUT]


def collect_once(run: Callable[[list[str]], object]) -> None:
    """Have `run` collect them, the first time in a run of the tests: a test that cleared the folder later
    would take the files from under the web server that a test of another process has started.
    """
    this_run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    collected = settings.DATA_DIR / "static-files-collected"
    with alone(settings.DATA_DIR / "static-files.lock"):
        if not collected.exists() or collected.read_text() != this_run:
            run(["python", *COLLECT])
            collected.write_text(this_run)
