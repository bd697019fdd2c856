"""An installation with data goes back to early migrations and forth: its data stays, and its rules hold.

One trip for all that apps have to say about it: each takes half a minute of processor, on both databases.
"""

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.db.migrations.loader import MigrationLoader

from annotation.importing.uploads import upload_check, upload_retry, uploads_sweep
from annotation.models import AnnotationEvent, Membership, Project, Upload
from annotation.projects.members import member_edit
from exports.models import Release
from tests import factories
from tests.annotation.database import missing_triggers, refused
from tests.annotation.test_progress import all_counts_are_true, counted, recounted
from tests.factories import NO, close, cqs_study, focus_study, judge, record
from tests.factories.releases import release

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

EARLY = {"exports": "0003", "annotation": "0002"}
LICENCE = "CC-BY-4.0 | own <terms> \\| more"
UPLOADS = ["new", "checking", "checked", "queued", "importing", "done", "failed"]
"""The states of files before uploads became jobs."""
UPLOADS_OF_TODAY = {
    "to be checked": ("check", "queued"),
    "checked": ("check", "done"),
    "check cancelled": ("check", "cancelled"),
    "to be imported": ("import", "queued"),
    "imported": ("import", "done"),
}
"""Files as jobs: what is worked on and how far it is."""


def before_jobs() -> str:
    """Return the migration before the one that made uploads jobs, whatever their numbers are."""
    nodes = MigrationLoader(None).graph.nodes
    [name] = [name for app, name in nodes if app == "annotation" and name.endswith("_upload_job")]
    [(_, before)] = [one for one in nodes["annotation", name].dependencies if one[0] == "annotation"]
    return before


def released() -> Project:
    """Store three releases, of a project with a licence of its own, with one of theirs, and without any."""
    made = focus_study(annotators=2, items=1)
    judge(made, made.items[0], {})
    close(made)
    made.project.name, made.project.licence = 'Old "näme"', LICENCE
    made.project.save()
    release(made.project, "1.0")
    release(made.project, "1.1", licence="CC0-1.0")
    made.project.licence = ""
    made.project.save()
    release(made.project, "1.2")
    made.project.name, made.project.licence = "New", "none"
    made.project.save()
    return made.project


def releases() -> list[tuple[str, ...]]:
    rows = Release.objects.order_by("version").values_list("version", "name", "licence", "description")
    return [tuple(row) for row in rows]


def judged() -> None:
    """Store decisions on types and questions, of somebody who has left, too."""
    types, questions = factories.study("context_sufficiency", annotators=2, items=3), cqs_study(annotators=2)
    factories.open_round(types)
    ann = types.annotators[0]
    record(types.round, ann, types.items[0], "CTX", NO, active_seconds=3)
    record(types.round, ann, types.items[0], "TOP", {"cannot_judge": True, "comment": "cut off"})
    question = questions.items[0].questions.first()
    record(questions.round, questions.annotators[0], questions.items[0], question, {"label": "USE"})
    member_edit(target=ann, member=types.lead, is_lead=True, is_annotator=False, background="")


def test_data_rules_counts_releases_and_files_come_through_all_migrations():
    project = released()
    judged()
    events, progress, before = AnnotationEvent.objects.count(), counted(), releases()
    assert events == 3
    assert [row[:3] for row in before] == [
        ("1.0", 'Old "näme"', LICENCE),
        ("1.1", 'Old "näme"', "CC0-1.0"),
        ("1.2", 'Old "näme"', ""),
    ]
    assert {row[3].partition(" (")[0] for row in before} == {
        "Arguments with the Socratic question types that can probe them"
    }
    between = before_jobs()
    lead = Membership.objects.get(project=project, is_lead=True)
    given = {
        "project_id": project.pk,
        "member_id": lead.pk,
        "size": 1,
        "rows_read": 7,
        "file": "uploads/a.csv",
    }
    for name, (work, state) in UPLOADS_OF_TODAY.items():
        Upload.objects.create(name=name, work=work, state=state, **given)
    try:
        call_command("migrate", "annotation", between, verbosity=0)
        old = uploads_of_before(between)
        assert dict(old.values_list("name", "state")) == {
            "checked": "checked",
            "to be checked": "new",
            "check cancelled": "failed",
            "to be imported": "queued",
            "imported": "done",
        }
        old.all().delete()
        for app, name in EARLY.items():
            call_command("migrate", app, name, verbosity=0)
        assert "annotation_keyanswer" not in connection.introspection.table_names()
        call_command("migrate", "annotation", between, verbosity=0)
        old = uploads_of_before(between)
        for state in UPLOADS:
            old.create(name=state, state=state, error="No text." if state == "failed" else "", **given)
    finally:
        call_command("migrate", verbosity=0)
    assert AnnotationEvent.objects.count() == events
    assert "append-only" in refused(lambda: AnnotationEvent.objects.update(revision=9))
    assert missing_triggers() == set()
    assert counted() == progress == recounted()
    assert all_counts_are_true()
    assert releases() == before
    with pytest.raises(IntegrityError, match="a release is immutable"), transaction.atomic():
        Release.objects.update(licence="CC0-1.0")
    files_go_on_where_they_were()


def uploads_of_before(migration: str):
    """Return the manager of uploads as they are after a migration."""
    apps = MigrationLoader(connection).project_state([("annotation", migration)]).apps
    return apps.get_model("annotation", "Upload").objects


def files_go_on_where_they_were() -> None:
    """Files that waited, were worked on or done before uploads became jobs."""
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
    Upload.objects.all().delete()
    assert upload_check(upload_id=failed.pk)  # gone: nothing to do
