"""Files that waited, were worked on or done before uploads became jobs go on where they were."""

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from annotation.importing.uploads import upload_check, upload_retry, uploads_sweep
from annotation.models import Upload
from tests import factories

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

BEFORE = ["new", "checking", "checked", "queued", "importing", "done", "failed"]


def migration_before() -> str:
    """Return the migration before the one that made uploads jobs, whatever their numbers are."""
    nodes = MigrationLoader(None).graph.nodes
    [name] = [name for app, name in nodes if app == "annotation" and name.endswith("_upload_job")]
    [(_, before)] = [one for one in nodes["annotation", name].dependencies if one[0] == "annotation"]
    return before


def test_uploads_of_before_are_carried_over_and_back():
    study = factories.study("focus", items=0)
    before = migration_before()
    given = {"project_id": study.project.pk, "member_id": study.lead.pk, "size": 1, "rows_read": 7}
    given["file"] = "uploads/texts.csv"
    try:
        call_command("migrate", "annotation", before, verbosity=0)
        apps = MigrationLoader(connection).project_state([("annotation", before)]).apps
        old = apps.get_model("annotation", "Upload").objects
        for state in BEFORE:
            old.create(name=state, state=state, error="No text." if state == "failed" else "", **given)
    finally:
        call_command("migrate", verbosity=0)
    found = {one.name: (one.work, one.state, one.error) for one in Upload.objects.all()}
    assert found == {
        "new": ("check", "queued", ""),
        "checking": ("check", "queued", ""),
        "checked": ("check", "done", ""),
        "queued": ("import", "queued", ""),
        "importing": ("import", "queued", ""),
        "done": ("import", "done", ""),
        "failed": ("check", "failed", "No text."),
    }
    assert set(Upload.objects.values_list("rows_read", "lease_token", "attempts")) == {(7, "", 0)}
    Upload.objects.update(enqueued_at="2020-01-01T00:00Z")
    assert sorted(one.name for one in uploads_sweep()) == ["checking", "importing", "new", "queued"]
    failed = Upload.objects.get(name="failed")
    upload_retry(upload=failed)
    assert (failed.work, failed.state) == ("check", "queued")
    Upload.objects.filter(name="new").update(state="cancelled")
    try:
        call_command("migrate", "annotation", before, verbosity=0)
        back = dict(old.values_list("name", "state"))
        old.all().delete()
    finally:
        call_command("migrate", verbosity=0)
    assert back == {
        **{state: state for state in BEFORE},
        "new": "failed",
        "checking": "new",
        "importing": "queued",
        "failed": "new",
    }
    assert upload_check(upload_id=failed.pk)  # gone: nothing to do
