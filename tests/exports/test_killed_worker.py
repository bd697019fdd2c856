"""A worker killed in the middle leaves no half release, and the next one completes it."""

import json

from tests.installation import script

SETUP = """
from tests.factories import close, focus_study, judge
from exports.selection.parameters import Parameters
from exports.releases.lifecycle import release_request
made = focus_study(annotators=2, items=3, slug="killed")
for item in made.items:
    judge(made, item, {})
close(made)
release_request(project=made.project, version="1.0", parameters=Parameters())
"""

# Dies as a process does that runs out of memory: with two files of the release in the storage.
DIE = """
import os, signal
from django.core.files.storage import default_storage
from exports.models import Release
from exports.releases import storage as attempts
from exports.releases import lifecycle as releases
real, saved = default_storage.save, []
class Dying:
    def __getattr__(self, name):
        return getattr(default_storage, name)
    def save(self, name, content):
        if len(saved) == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        saved.append(name)
        return real(name, content)
attempts.default_storage = Dying()
releases.release_run(release_id=Release.objects.get().pk)
"""

LOOK = """
import json
from pathlib import Path
from django.conf import settings
from exports.models import Release
row = Release.objects.get()
root = Path(settings.MEDIA_ROOT)
stored = sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())
# The ZIP is made when it is asked for.
files = [f["storage"] for f in row.files if not f["archive"]]
print(json.dumps({"state": row.state, "files": files, "stored": stored}))
"""

AGAIN = """
from datetime import timedelta
from django.utils import timezone
from exports.models import Release
from exports.releases.lifecycle import release_run, release_sweep
Release.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
(found,) = release_sweep()
assert release_run(release_id=found)
"""


def test_a_worker_killed_in_the_middle_leaves_no_half_release_and_the_retry_completes(installation, tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    installation.environment["TMPDIR"] = str(temporary)
    worker = installation.begin(*script(SETUP + DIE))
    _, errors = worker.communicate()
    assert worker.returncode == -9, errors
    assert len(list(temporary.glob("elenchus-release-*"))) == 1
    after, done = map(json.loads, installation.run(*script(LOOK + AGAIN + LOOK)).splitlines())
    assert (after["state"], after["files"], len(after["stored"])) == ("running", [], 2)
    assert done["state"] == "done"
    # What the dead worker had written and stored is gone.
    assert done["stored"] == sorted(done["files"])
    assert list(temporary.glob("elenchus-release-*")) == []
