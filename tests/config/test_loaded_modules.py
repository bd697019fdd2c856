"""What a process holds in memory from its start: no library that only some work needs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.installation import ROOT, Installation

HEAVY = {
    "crowdkit",
    "jsonschema",
    "krippendorff",
    "nltk",
    "openpyxl",
    "pandas",
    "pyarrow",
    "rouge_score",
    "sacrebleu",
    "scipy",
    "statsmodels",
    "vl_convert",
}
LOADED = "import json, sys\nprint(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))"
PAGES = {
    "allauth.account.views",
    "drf_spectacular.views",
    "frontend.pages",
    "psycopg",
    "redis",
    "rest_framework.serializers",
    "unittest",
}
START = {
    "web server": "import config.wsgi\nfrom config.web_server import load_pages\nload_pages()",
    "worker": "import django\ndjango.setup()\nfrom config import celery_app\n"
    "celery_app.loader.import_default_modules()",
}


@pytest.mark.parametrize("process", START)
def test_a_server_starts_without_the_libraries_of_single_tasks(process, tmp_path):
    loaded = set(json.loads(Installation(tmp_path).run("-c", f"{START[process]}\n{LOADED}")))
    assert "frontend" in loaded
    assert loaded & HEAVY == set()


def test_a_worker_loads_nothing_that_only_pages_need(tmp_path):
    # As the program `celery worker` begins; Celery would have Django check all pages there.
    code = (
        "import json, sys\nfrom config import celery_app\ncelery_app.loader.import_default_modules()\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    loaded = set(json.loads(Installation(tmp_path).run("-c", code)))
    assert "annotation.tasks" in loaded
    assert loaded & PAGES == set()


FORKING = """
import gc, json, os, sys, threading
from config import web_server
def told():
    from django.db import connections
    from django.template import engines
    (loader,) = engines["django"].engine.template_loaders
    print(json.dumps({
        "threads": len(threading.enumerate()),
        "connections": sum(one.connection is not None for one in connections.all()),
        "frozen": gc.get_freeze_count(),
        "pages": "frontend.pages.agreement.report" in sys.modules,
        "templates": len(loader.get_template_cache),
        "folder": os.environ["PROMETHEUS_MULTIPROC_DIR"],
    }))
web_server.cli = told
web_server.main()
"""


def test_web_processes_are_forked_from_one_that_has_loaded_all_and_holds_nothing_open(tmp_path):
    found = json.loads(Installation(tmp_path, TMPDIR=str(tmp_path)).run("-c", FORKING))
    folder = found.pop("folder")
    assert folder.startswith(str(tmp_path)) and not Path(folder).exists()
    assert (found["threads"], found["connections"], found["pages"]) == (1, 0, True)
    assert found["frozen"] > 100_000 and found["templates"] > 100


def test_the_supervisor_knows_no_django_and_no_tls():
    code = f"import core.supervisor\n{LOADED}"
    output = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert (
        set(json.loads(output.stdout)) & {"django", "celery", "ssl", "http", "email", "config", *HEAVY}
        == set()
    )
