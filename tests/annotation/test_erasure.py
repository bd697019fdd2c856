"""What is erased by right is gone everywhere, and nothing else passes the rules on the way."""

import csv
import io
import json
import zipfile
from datetime import timedelta

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection
from django.utils import timezone

from agreement.models import AgreementReport
from annotation.adjudication.discussion import comment_add
from annotation.database.erasure import BLOCK, door_open
from annotation.items.erasure import item_erase
from annotation.items.withdrawal import item_restore
from annotation.judging.recording import Unit
from annotation.models import (
    AnnotationEvent,
    Assignment,
    Comment,
    ErasureDoor,
    Import,
    Invitation,
    Item,
    Membership,
    Project,
    ProjectEvent,
    Question,
    QuestionAnnotation,
    TypeAnnotation,
    Upload,
)
from annotation.projects.deletion import (
    path_to_project,
    project_deletion_ask,
    project_deletion_take_back,
    projects_delete_due,
)
from annotation.projects.erasure import account_erase, erasure_effects, member_erase
from annotation.projects.invitations import invitation_create
from annotation.projects.own_data import own_data_write
from annotation.projects.projects import member_add, project_restore
from core.errors import Refused
from exports.models import Release
from exports.releases.storage import write_release
from tests import factories
from tests.annotation.database import refused
from tests.factories import NO, close, record, yes
from tests.factories.releases import release as build

pytestmark = [pytest.mark.django_db, pytest.mark.database]

SECRET = "Everyone's grades fell"
OURS = {"agreement", "annotation", "assist", "boards", "exports", "operations", "scoring"}


@pytest.fixture
def studied():
    """A closed FOCUS round of two annotators with quotes, a comment, a report's spans and a release."""
    made = factories.study("focus", items=2, annotators=2)
    factories.open_round(made)
    for member in made.annotators:
        record(made.round, member, made.items[0], "LE", yes(made.items[0], SECRET, comment="they say fell"))
        record(made.round, member, made.items[1], "LE", NO)
    close(made)
    comment_add(
        round=made.round,
        item=made.items[0],
        unit=Unit(type_code="LE"),
        member=made.annotators[0],
        text="Is “grades fell” the span? @A3",
    )
    return made


def everything() -> str:
    """Return all that the tables hold, as one text."""
    found = []
    with connection.cursor() as cursor:
        for model in apps.get_models(include_auto_created=True):
            if model._meta.app_label in {*OURS, "auth"}:
                cursor.execute(f"SELECT * FROM {connection.ops.quote_name(model._meta.db_table)}")
                found += [f"{model._meta.label}: {row!r}" for row in cursor.fetchall()]
    return "\n".join(found)


def lines_with(word: str) -> list[str]:
    lines = [line for line in everything().splitlines() if not line.startswith("annotation.Codebook")]
    return [line[:90] for line in lines if word in line]


def test_an_erased_text_is_in_no_table_and_in_no_file(studied, django_capture_on_commit_callbacks):
    release = build(studied.project)
    item = studied.items[0]
    assert SECRET in everything()
    files = [file["storage"] for file in release.files if file["storage"]]
    with django_capture_on_commit_callbacks(execute=True):
        item_erase(item=item, member=studied.lead, typed=item.external_id)
    assert lines_with("grades") == lines_with("they say") == []
    item.refresh_from_db()
    assert set(item.text) == {BLOCK}
    assert len(item.text) == item.text_length
    judged = TypeAnnotation.objects.filter(assignment__item=item).first()
    assert (judged.applicable, judged.quote) == (True, BLOCK * len(SECRET))
    assert AnnotationEvent.objects.filter(assignment__item=item).first().after["applicable"] is True
    assert not any(default_storage.exists(name) for name in files)
    event = ProjectEvent.objects.get(action="item erased")
    assert event.details == {"item": item.external_id, "releases": [release.version]}
    # The other text is as it was, and the door is shut again.
    assert Item.objects.get(pk=studied.items[1].pk).text == studied.items[1].text
    assert ErasureDoor.objects.count() == 0
    with pytest.raises(Refused, match="cannot be restored"):
        item_restore(item=item, member=studied.lead)


def test_a_release_with_an_erased_text_tells_why_it_has_no_files(studied, tmp_path):
    release = build(studied.project)
    Release.objects.filter(pk=release.pk).update(is_public=True)
    item_erase(item=studied.items[0], member=studied.lead, typed=studied.items[0].external_id)
    release.refresh_from_db()
    assert release.taken_down_at is not None
    assert release.is_public is False
    with pytest.raises(Refused, match="erased for good"):
        write_release(release, tmp_path / "out")
    later = build(studied.project, "2.0")
    assert later.taken_down_at is None
    assert later.counts["items"] == 1


def test_an_erased_text_takes_its_questions_with_it(cqs):
    question = cqs.items[0].questions.first()
    unhelpful = {"label": "UN", "comment": "What of the river?"}
    record(cqs.round, cqs.annotators[0], cqs.items[0], question, unhelpful)
    item_erase(item=cqs.items[0], member=None, typed=cqs.items[0].external_id)
    assert {*"".join(Question.objects.filter(item=cqs.items[0]).values_list("text", flat=True))} == {BLOCK}
    judged = QuestionAnnotation.objects.get()
    assert judged.label == "UN"
    assert {*judged.comment} == {BLOCK}
    assert lines_with("river?") == []


def test_another_id_erases_nothing(studied):
    with pytest.raises(Refused, match="That is not its id"):
        item_erase(item=studied.items[0], member=studied.lead, typed=studied.items[1].external_id)
    assert SECRET in Item.objects.get(pk=studied.items[0].pk).text


def test_the_door_of_an_item_lets_nothing_else_pass(studied):
    first, second = studied.items
    with door_open("item", first.pk):
        for write, told in (
            (lambda: Item.objects.filter(pk=first.pk).update(text="x" * first.text_length), "frozen"),
            (lambda: Item.objects.filter(pk=first.pk).update(external_id="other"), "frozen"),
            (lambda: Item.objects.filter(pk=second.pk).update(text=BLOCK * second.text_length), "frozen"),
            (
                lambda: AnnotationEvent.objects.filter(assignment__item=first).update(revision=9),
                "append-only",
            ),
            (
                lambda: AnnotationEvent.objects.filter(assignment__item=second).update(after=None),
                "append-only",
            ),
            (lambda: AnnotationEvent.objects.all().delete(), "append-only"),
            (lambda: TypeAnnotation.objects.all().delete(), "never deleted"),
            (lambda: ProjectEvent.objects.update(action="x"), "append-only"),
            (lambda: ProjectEvent.objects.all().delete(), "append-only"),
        ):
            assert told in refused(write)


def test_the_door_of_a_person_lets_only_their_judgements_go(studied):
    theirs, others = studied.annotators
    with door_open("person", theirs.pk):
        for write, told in (
            (lambda: AnnotationEvent.objects.filter(member=others).delete(), "append-only"),
            (lambda: AnnotationEvent.objects.filter(member=theirs).update(after=None), "append-only"),
            (lambda: TypeAnnotation.objects.filter(assignment__member=others).delete(), "never deleted"),
            (lambda: ProjectEvent.objects.all().delete(), "append-only"),
        ):
            assert told in refused(write)


def test_an_erased_person_leaves_judgements_under_the_pseudonym_alone(studied):
    target, other = studied.annotators
    User.objects.filter(pk=target.user_id).update(email="ann@example.org", first_name="Annabel")
    Membership.objects.filter(pk=target.pk).update(background="Grew up in Annatown")
    invitation_create(project=studied.project, member=studied.lead, note="for ann@example.org")
    name = User.objects.get(pk=target.user_id).username
    member_erase(target=target, member=studied.lead)
    target.refresh_from_db()
    assert (target.user, target.background, target.is_active) == (None, "", False)
    assert not User.objects.filter(username=name).exists()
    assert (
        lines_with("ann@") == lines_with("Annabel") == lines_with("Annatown") == lines_with("the span?") == []
    )
    assert Invitation.objects.count() == Comment.objects.count() == 0
    assert TypeAnnotation.objects.filter(assignment__member=target).count() == 2
    assert target.pseudonym == "A2"
    event = ProjectEvent.objects.get(action="person erased")
    assert (event.member, event.details) == (studied.lead, {"judgements": "kept"})
    assert other.user is not None


def test_a_lead_erases_no_account_that_runs_the_installation(studied):
    target = studied.annotators[0]
    User.objects.filter(pk=target.user_id).update(is_staff=True)
    target = Membership.objects.get(pk=target.pk)
    assert "They run this installation: their account stays" in " ".join(erasure_effects(target))
    user = target.user
    member_erase(target=target, member=studied.lead)
    assert User.objects.filter(pk=user.pk).exists()
    assert account_erase(user=user) == 0
    assert not User.objects.filter(pk=user.pk).exists()


def test_an_invitation_of_somebody_whose_name_only_begins_alike_stays(studied):
    target = studied.annotators[0]
    User.objects.filter(pk=target.user_id).update(first_name="Li", username="li")
    for note in ("for Julia", "for LI, of course"):
        invitation_create(project=studied.project, member=studied.lead, note=note)
    member_erase(target=Membership.objects.get(pk=target.pk), member=studied.lead)
    assert [one.note for one in Invitation.objects.all()] == ["for Julia"]


def test_the_name_that_a_file_of_judgements_had_is_forgotten_with_the_file(studied):
    target, other = studied.annotators
    people = {"Annatown, Ann": target.pseudonym, "Ben": other.pseudonym}
    values = {"project": studied.project, "member": studied.lead, "name": "j.csv", "size": 1}
    report = {"people": people, "rows": 2}
    brought = Import.objects.create(
        project=studied.project, file_name="j.csv", file_sha256="x", format="judgements", report=report
    )
    file = ContentFile("Annatown, Ann", name="j.csv")
    upload = Upload.objects.create(**values, file=file, report=report, found={"rows": [["Annatown, Ann"]]})
    member_erase(target=target, member=studied.lead)
    for row in (brought, upload):
        row.refresh_from_db()
        assert row.report == {"people": {"Ben": other.pseudonym}, "rows": 2}
    assert (upload.file.name, upload.found, lines_with("Annatown")) == ("", {}, [])


def test_no_text_is_erased_while_a_report_or_a_file_could_bring_it_back(studied):
    item = studied.items[0]
    values = {"project": studied.project, "member": studied.lead, "name": "t.csv", "size": 1}
    upload = Upload.objects.create(**values, file=ContentFile("x", name="t.csv"))
    with pytest.raises(Refused, match="A file is being read that may hold the text"):
        item_erase(item=item, member=studied.lead, typed=item.external_id)
    Upload.objects.filter(pk=upload.pk).update(state="done")
    lease = {"lease_token": "w", "lease_until": timezone.now()}
    AgreementReport.objects.update(state="running", **lease)
    with pytest.raises(Refused, match="A report that would quote the text is being computed"):
        item_erase(item=item, member=studied.lead, typed=item.external_id)
    assert SECRET in Item.objects.get(pk=item.pk).text
    AgreementReport.objects.update(state="queued", lease_token="", lease_until=None)
    item_erase(item=item, member=studied.lead, typed=item.external_id)
    upload.refresh_from_db()
    assert (upload.state, upload.file.name) == ("cancelled", "")


def test_where_it_was_promised_the_judgements_go_too(studied):
    target = studied.annotators[0]
    Project.objects.filter(pk=studied.project.pk).update(erases_judgements=True)
    member_erase(target=target, member=studied.lead)
    assert not TypeAnnotation.objects.filter(assignment__member=target).exists()
    assert not AnnotationEvent.objects.filter(member=target).exists()
    assert not Assignment.objects.filter(member=target).exists()
    assert TypeAnnotation.objects.count() == AnnotationEvent.objects.count() == 2
    assert ErasureDoor.objects.count() == 0


def test_an_account_with_other_projects_stays_for_them(studied):
    other = factories.study("focus", annotators=0)
    user = studied.annotators[0].user
    elsewhere = member_add(project=other.project, user=user)
    member_erase(target=studied.annotators[0], member=studied.lead)
    elsewhere.refresh_from_db()
    assert elsewhere.user == user
    assert account_erase(user=user) == 1
    assert not User.objects.filter(pk=user.pk).exists()


def test_the_last_lead_is_not_erased(studied):
    with pytest.raises(Refused, match="left without a lead"):
        account_erase(user=studied.lead.user)
    studied.lead.refresh_from_db()
    assert studied.lead.user is not None


def test_a_project_is_deleted_seven_days_after_its_name_was_typed(studied):
    release = build(studied.project)
    other = factories.cqs_study()
    record(
        other.round, other.annotators[0], other.items[0], other.items[0].questions.first(), {"label": "USE"}
    )
    project = studied.project
    with pytest.raises(Refused, match="not the short name"):
        project_deletion_ask(project=project, member=studied.lead, typed="other")
    project_deletion_ask(project=project, member=studied.lead, typed=project.slug)
    assert project.archived_at is not None
    assert timedelta(days=6) < project.deletion_due_at - timezone.now() <= timedelta(days=7)
    assert projects_delete_due() == 0
    Project.objects.filter(pk=project.pk).update(deletion_due_at=timezone.now())
    for late in (project_deletion_take_back, project_restore):
        with pytest.raises(Refused, match="too late"):
            late(project=project, member=studied.lead)
    assert projects_delete_due() == 1
    assert not Project.objects.filter(pk=project.pk).exists()
    for model in apps.get_models(include_auto_created=True):
        if path_to_project(model):
            assert not model._base_manager.filter(**{path_to_project(model): project.pk}).exists(), model
    assert not any(default_storage.exists(file["storage"]) for file in release.files if file["storage"])
    assert lines_with("grades") == []
    assert QuestionAnnotation.objects.count() == 1
    assert ErasureDoor.objects.count() == 0
    assert "append-only" in refused(lambda: ProjectEvent.objects.all().delete())


def test_a_deletion_is_taken_back_by_hand_or_by_restoring_the_project(studied):
    project = studied.project
    project_deletion_ask(project=project, member=studied.lead, typed=project.slug)
    project_deletion_take_back(project=project, member=studied.lead)
    assert project.deletion_due_at is None
    assert project.archived_at is not None
    project_deletion_ask(project=project, member=studied.lead, typed=project.slug)
    project_restore(project=project, member=studied.lead)
    assert (project.deletion_due_at, project.archived_at) == (None, None)


def test_each_table_that_can_belong_to_a_project_is_found():
    lost = {
        model._meta.label
        for model in apps.get_models(include_auto_created=True)
        if model._meta.app_label in OURS and path_to_project(model) is None
    }
    assert lost == {
        *("annotation.AccountName", "annotation.Backup", "annotation.ErasureDoor"),
        *("assist.Scheme", "boards.FrontPage", "operations.Heartbeat"),
    }


def test_a_person_gets_all_that_is_stored_of_them(studied):
    user = studied.annotators[0].user
    target = io.BytesIO()
    own_data_write(user, target)
    with zipfile.ZipFile(target) as archive:
        tables = {name.removesuffix(".json") for name in archive.namelist() if name.endswith(".json")}
        judgements = json.loads(archive.read("judgements.json"))
        rows = list(csv.DictReader(io.StringIO(archive.read("judgements.csv").decode("utf-8-sig"))))
        comments = json.loads(archive.read("comments.json"))
        account = json.loads(archive.read("account.json"))
    assert tables >= {"account", "memberships", "judgements", "decisions", "comments", "log"}
    assert [(row["item"], row["type code"], row["quote"]) for row in judgements] == [
        ("I-1", "LE", SECRET),
        ("I-2", "LE", None),
    ]
    assert rows[0]["quote"] == SECRET
    assert [row["text"] for row in comments] == ["Is “grades fell” the span? @A3"]
    assert account[0]["user name"] == user.username
