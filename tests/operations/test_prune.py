"""What has had its time goes, what somebody still needs stays, and a dry run touches nothing."""

from datetime import timedelta
from io import StringIO

import pytest
from django.contrib.sessions.models import Session
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.utils import timezone

from agreement.models import AgreementReport
from annotation.importing.uploads import upload_import
from annotation.models import Upload
from exports.models import Release
from operations import prune as pruning
from operations.models import Heartbeat
from tests import factories
from tests.conftest import client_of
from tests.pages import html_of

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def put(name: str) -> str:
    return default_storage.save(name, ContentFile(b"x"))


@pytest.fixture
def installation(settings, monkeypatch):
    """An installation with one old and one young thing of each kind; the limit is 30 days."""
    settings.KEEP_DAYS = 30
    now = timezone.now()
    made = factories.study(annotators=1, items=1)
    factories.open_round(made)
    for key, ends in (("over", now - timedelta(days=1)), ("holds", now + timedelta(days=1))):
        Session.objects.create(session_key=key, session_data="", expire_date=ends)
    for name, state, days in (("old", "done", 31), ("young", "done", 29), ("waiting", "queued", 99)):
        upload = Upload.objects.create(
            project=made.project,
            member=made.lead,
            name=f"{name}.csv",
            size=1,
            state=state,
            file=put(f"uploads/2026/01/{name}.csv"),
            refused_file=put(f"uploads/2026/01/{name}.refused.csv"),
        )
        Upload.objects.filter(pk=upload.pk).update(enqueued_at=now - timedelta(days=days))
    for digest, days in (("a", 99), ("b", 98), ("c", 97)):
        done = {"figures": {}, "computed_at": now, "digest": digest, "judgements_sha256": digest}
        report = AgreementReport.objects.create(
            round=made.round, parameters={}, parameters_sha256="p", state="done", **done
        )
        AgreementReport.objects.filter(pk=report.pk).update(enqueued_at=now - timedelta(days=days))
    release = Release.objects.create(project=made.project, version="1", parameters={})
    for name in (f"releases/{release.pk}-token/kept.json", f"releases/{release.pk}-other/left.json"):
        put(name)
    built = {"digest": "d", "card": "c", "built_at": now, "lease_token": "t"}
    Release.objects.filter(pk=release.pk).update(
        state="done", files=[{"storage": f"releases/{release.pk}-token/kept.json"}], **built
    )
    put("releases/999-token/gone.json")
    put("submissions/ab/1")
    put("uploads/2026/01/nobody.csv")
    put("elsewhere/untouched.txt")
    Heartbeat.objects.create(role="web", node="gone", at=now - timedelta(days=2), code="x")
    Heartbeat.objects.create(role="web", node="here", at=now, code="x")
    monkeypatch.setattr(
        type(default_storage._wrapped or default_storage),
        "get_modified_time",
        lambda self, name: now - timedelta(days=0 if "submissions" in name else 3),
        raising=False,
    )
    return made


def stored(folder: str = "") -> set[str]:
    folders, files = default_storage.listdir(folder)
    return {f"{folder}/{name}".lstrip("/") for name in files} | {
        name for inner in folders for name in stored(f"{folder}/{inner}".lstrip("/"))
    }


@pytest.fixture
def empty_storage():
    from django.core.files.storage import InMemoryStorage

    default_storage._wrapped = InMemoryStorage()
    yield
    from django.utils.functional import empty

    default_storage._wrapped = empty


COUNTS = [
    ("sessions that ended", 1),
    ("files of uploads and refused rows", 2),
    ("reports that newer ones replaced", 2),
    ("files that no row names", 3),
    ("signs of life of machines that are no more", 1),
]


def test_a_dry_run_says_what_would_go_and_touches_nothing(empty_storage, installation):
    before = stored()
    out = StringIO()
    call_command("prune", "--dry-run", stdout=out)
    assert [line.split(maxsplit=1) for line in out.getvalue().splitlines()] == [
        [str(count), f"{what} would go"] for what, count in COUNTS
    ]
    assert stored() == before
    assert Session.objects.count() == 2 and AgreementReport.objects.count() == 3
    assert Heartbeat.objects.count() == 2
    assert Upload.objects.exclude(file="").count() == 3


def test_what_has_had_its_time_goes_and_all_else_stays(empty_storage, installation):
    before = stored()
    assert [(one.what, one.count) for one in pruning.prune()] == COUNTS
    release = Release.objects.get()
    assert before - stored() == {
        "uploads/2026/01/old.csv",
        "uploads/2026/01/old.refused.csv",
        "uploads/2026/01/nobody.csv",
        f"releases/{release.pk}-other/left.json",
        "releases/999-token/gone.json",
    }
    assert list(Session.objects.values_list("session_key", flat=True)) == ["holds"]
    assert list(AgreementReport.objects.values_list("digest", flat=True)) == ["c"]
    assert list(Heartbeat.objects.values_list("node", flat=True)) == ["here"]
    # The row says what came of the file; only the file itself is gone.
    assert Upload.objects.get(name="old.csv").file.name == ""
    assert [one.count for one in pruning.prune()] == [0, 0, 0, 0, 0]


def test_the_page_of_an_upload_whose_file_is_gone_says_so(empty_storage, installation):
    old = Upload.objects.get(name="old.csv")
    pruning.prune()
    client = client_of("lea")
    address = f"/p/{installation.project.slug}/import/{old.pk}/"
    told = "The file old.csv is kept here no longer: bring it once more."
    page = html_of(client.get(address))
    assert told in page and "Choose another file" in page and "<form" not in page.partition("<main")[2]
    # Whoever has an old page open, or asked before the file went, is told the same.
    for act in ("import", "retry", "columns"):
        assert told in html_of(client.post(address, {"act": act}, follow=True))
    assert Upload.objects.get(pk=old.pk).state == "done"
    Upload.objects.filter(pk=old.pk).update(state="queued", work="import", skip_invalid=True)
    assert upload_import(upload_id=old.pk)
    old.refresh_from_db()
    assert (old.state, old.error) == ("failed", told)
    refused = client.get(f"/p/{installation.project.slug}/import/{old.pk}/refused.csv")
    assert refused.status_code == 404
