"""What a process holds in memory from its start: no library that only some work needs."""

import json
import subprocess
import sys

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
START = {
    "web server": "import config.wsgi\nfrom django.urls import get_resolver\nget_resolver().url_patterns",
    "worker": "import django\ndjango.setup()\nfrom config import celery_app\n"
    "celery_app.loader.import_default_modules()",
}


@pytest.mark.parametrize("process", START)
def test_a_server_starts_without_the_libraries_of_single_tasks(process, tmp_path):
    loaded = set(json.loads(Installation(tmp_path).run("-c", f"{START[process]}\n{LOADED}")))
    assert "frontend" in loaded
    assert loaded & HEAVY == set()


def test_the_supervisor_knows_no_django_and_no_tls():
    code = f"import core.supervisor\n{LOADED}"
    output = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert (
        set(json.loads(output.stdout)) & {"django", "celery", "ssl", "http", "email", "config", *HEAVY}
        == set()
    )
