"""No text that a person gives is of any length: the use cases say the limit, and the database keeps it."""

import json

import pytest
from django.apps import apps
from django.db import DatabaseError, connection, models, transaction

from annotation.adjudication.discussion import comment_add
from annotation.codebooks.toml_reader import CodebookError
from annotation.database.install import TRIGGERS
from annotation.database.triggers import install, run_statements
from annotation.importing.files.rows import ItemRow, QuestionRow, item_problem, question_problem
from annotation.importing.judgements import judgements_import
from annotation.items.withdrawal import item_withdraw
from annotation.judging.recording import Unit
from annotation.limits import LIMITS
from annotation.models import Comment, Item, Membership, Project, QuestionAnnotation, Round
from annotation.projects.invitations import invitation_create
from annotation.projects.members import member_edit
from annotation.projects.projects import codebook_publish, member_add, project_create, project_edit
from annotation.rounds.lifecycle import round_close, round_create, round_reopen
from assist.triggers import LIMITS as ASSIST_LIMITS
from boards.triggers import LIMITS as BOARD_LIMITS
from core.errors import Refused
from exports.triggers import LIMITS as EXPORT_LIMITS
from scoring.triggers import LIMITS as SCORING_LIMITS
from tests.annotation.test_constraints import refused
from tests.factories import NO, assignment_of, open_round, record, study

pytestmark = [pytest.mark.django_db, pytest.mark.database]

OURS = {
    # What the server writes itself, of whatever was checked before.
    "agreement.AgreementReport": {"lease_token", "error", "stamp", "judgements_sha256", "digest"}
    | {"parameters_sha256"},
    "agreement.ReportPart": {"key", "lease_token", "error"},
    "agreement.CompetenceEstimate": {"lease_token", "error"},
    "agreement.InfluenceFigures": {"lease_token", "error"},
    "agreement.ConsensusSpan": {"type_code", "text"},
    "agreement.DisputedUnit": {"type_code"},
    "annotation.AccountName": {"name_key", "email_key"},
    "annotation.AnnotationEvent": {"type_code", "payload_sha256"},
    "annotation.Assignment": {"types"},
    "annotation.Backup": {"name"},
    "annotation.Claim": {"type_code"},
    "annotation.Comment": {"type_code"},
    "annotation.Import": {"file_name", "file_sha256", "format"},
    "annotation.Invitation": {"token_sha256"},
    "annotation.KeyAnswer": {"type_code", "quote", "label", "reason"},
    "annotation.ProjectEvent": {"action"},
    "annotation.QuestionAnnotation": {"reason"},
    "annotation.Resolution": {"type_code", "label", "reason"},
    "annotation.Round": {"types", "suggestion_model"},
    "annotation.RoundItem": {"types"},
    "annotation.Suggestion": {"type_code", "quote", "label"},
    "annotation.TypeAnnotation": {"type_code", "quote"},
    "annotation.Upload": {"format", "error", "language", "lease_token"},
    "assist.AssistRun": {"lease_token", "error", "task"},
    "assist.AssistAnswer": {"variant", "recipe_sha256", "unit_sha256", "prompt_sha256", "raw", "label"}
    | {"problem", "reason", "ending", "model"},
    "assist.TopicModel": {"lease_token", "error"},
    "assist.ProposedQuestion": {"external_id", "origin", "text"},
    "exports.Release": {"lease_token", "error", "digest", "card", "name", "licence", "description"},
    "exports.RefinementRun": {"lease_token", "error"},
    "exports.QuestionRefinement": {"type_code", "text_sha256", "question_template", "question", "reason"}
    | {"model"},
    "operations.Heartbeat": {"node", "code"},
    "scoring.JudgeAnswer": {"item", "prompt_sha256", "raw", "model", "ending", "problem", "reason"},
    "scoring.System": {"name_key"},
    "scoring.Submission": {"split", "digest"},
    "scoring.SubmissionFile": {"sha256", "storage"},
    "scoring.Evaluation": {"lease_token", "error", "method", "scope", "parameters_digest", "release_digest"}
    | {"reason"},
    "scoring.Answer": {"item", "unit", "given", "label"},
    "scoring.ErrorTag": {"word_key"},
    "scoring.TaggedAnswer": {"item", "unit"},
    "boards.BoardVersion": {"lease_token", "error", "split", "scope"},
    "boards.Team": {"name_key"},
    "boards.BoardInvitation": {"token_sha256"},
    "boards.Entry": {"digest"},
    "boards.Placing": {"lease_token", "error"},
}


def test_every_text_of_every_table_has_a_limit_or_is_written_by_the_server():
    for app, limits in (
        *(("annotation", LIMITS), ("agreement", {}), ("exports", EXPORT_LIMITS)),
        *(("assist", ASSIST_LIMITS), ("scoring", SCORING_LIMITS)),
        *(("boards", BOARD_LIMITS), ("operations", {})),
    ):
        for model in apps.get_app_config(app).get_models():
            texts = {
                field.name: field
                for field in model._meta.get_fields()
                if isinstance(field, models.CharField | models.TextField)
                and not isinstance(field, models.FileField)
                and not field.choices
            }
            limited = limits.get(model._meta.model_name, {})
            assert limited.keys() | OURS.get(model._meta.label, set()) == texts.keys(), model
            for name, limit in limited.items():
                if texts[name].max_length is not None:
                    assert texts[name].max_length == limit.characters, (model, name)


def test_a_judgement_with_a_comment_longer_than_the_limit_is_refused_with_both_numbers(client):
    made = study(items=1, annotators=2)
    round = open_round(made)
    client.force_login(made.annotators[0].user)
    assignment = assignment_of(round, made.annotators[0], made.items[0])
    sent = {
        "assignment": assignment.pk,
        "type": "LE",
        "answer": {**NO, "comment": "x" * 10_001},
        "base_revision": 0,
        "event_id": "one",
    }
    address = f"/api/projects/{made.project.slug}/rounds/{round.number}/judgements/"
    answer = client.post(address, json.dumps(sent), content_type="application/json")
    assert answer.status_code == 422, answer.content
    assert answer.json()["errors"] == {"comment": "10,001 characters, at most 10,000 are kept."}
    sent["answer"]["comment"] = "é" * 10_000
    assert client.post(address, json.dumps(sent), content_type="application/json").status_code in (200, 201)


def test_an_edited_question_and_a_comment_are_told_apart():
    made = study("cqs_gen", items=1, annotators=2)
    round = open_round(made)
    question = made.items[0].questions.first()
    answer = {"label": "IN", "reason": "NC", "edited_question": "x" * 5_001, "comment": "x" * 10_002}
    with pytest.raises(Refused) as told:
        record(round, made.annotators[0], made.items[0], question, answer)
    assert told.value.errors == {
        "edited_question": "5,001 characters, at most 5,000 are kept.",
        "comment": "10,002 characters, at most 10,000 are kept.",
    }
    assert not QuestionAnnotation.objects.exists()


def test_what_people_write_about_a_study_is_refused_beyond_its_limit():
    made = study(items=1, annotators=2)
    round = open_round(made)
    round_close(round, by=made.lead)
    by, item, project = made.lead, made.items[0], made.project
    kept = {"licence": "", "languages": "en", "contact": ""}
    writes = {
        ("text", 10_000): lambda text: comment_add(
            round=round, item=item, unit=Unit("LE"), member=by, text=text
        ),
        ("withdrawn_reason", 1_000): lambda text: item_withdraw(item=item, member=by, why=text),
        ("why", 1_000): lambda text: round_reopen(round, why=text, by=by),
        ("background", 4_000): lambda text: member_edit(
            target=made.annotators[0], member=by, is_lead=False, is_annotator=True, background=text
        ),
        ("private_name", 200): lambda text: member_add(project=project, private_name=text),
        ("note", 200): lambda text: invitation_create(
            project=project, member=by, is_annotator=True, is_lead=False, note=text, days=1
        ),
        ("name", 200): lambda text: project_edit(project=project, member=by, name=text, **kept),
        ("content_warning", 2_000): lambda text: round_create(
            project=project, member=by, content_warning=text
        ),
    }
    for (field, limit), write_it in writes.items():
        with pytest.raises(Refused) as told:
            write_it("x" * (limit + 1))
        said = f"{limit + 1:,} characters, at most {limit:,} are kept"
        assert said in told.value.errors[field]
        assert said in told.value.message


def test_a_codebook_says_which_of_its_texts_is_too_long():
    made = study()
    source = made.project.codebooks.get().source
    title = f'title = "{"x" * 201}"'
    long = source.replace(source[source.index("title =") :].partition("\n")[0], title, 1)
    with pytest.raises(CodebookError, match="title: 201 characters, at most 200 are kept"):
        codebook_publish(project=made.project, source=long)
    with pytest.raises(CodebookError, match=r"500,0[0-9]{2} characters, at most 500,000 are kept"):
        codebook_publish(project=made.project, source=f"{source}\n#{'x' * (500_000 - len(source))}")


@pytest.mark.parametrize(
    ("model", "field", "limit"),
    [
        (Comment, "text", 10_000),
        (Round, "content_warning", 2_000),
        (Item, "withdrawn_reason", 1_000),
        (Membership, "background", 4_000),
        (Project, "name", 200),
    ],
)
def test_the_database_keeps_the_limit_whoever_writes(model, field, limit):
    made = study(items=1, annotators=2)
    round = open_round(made)
    round_close(round, by=made.lead)
    comment_add(round=round, item=made.items[0], unit=Unit("LE"), member=made.lead, text="Hm.")
    model.objects.update(**{field: "x" * limit})
    with pytest.raises(DatabaseError) as told, transaction.atomic():
        model.objects.update(**{field: "x" * (limit + 1)})
    # PostgreSQL's own VARCHAR refuses first where there is one.
    assert f"{field} {limit}" in str(told.value) or f"varying({limit})" in str(told.value)


def test_a_row_from_before_the_limit_stays_and_can_be_written_again():
    made = study(items=1, annotators=2)
    round = open_round(made)
    round_close(round, by=made.lead)
    comment = comment_add(round=round, item=made.items[0], unit=Unit("LE"), member=made.lead, text="Hm.")
    vendor = connection.vendor
    run_statements("default", [sql for trigger in TRIGGERS for sql in trigger.drop_statements(vendor)])
    Comment.objects.update(text="x" * 10_500)
    install(TRIGGERS, "default")
    comment.refresh_from_db()
    comment.act = Comment.Act.SETTLE
    comment.save()
    assert Comment.objects.get(act=Comment.Act.SETTLE).text == "x" * 10_500
    assert "text 10000" in refused(lambda: Comment.objects.update(text="y" * 10_500))


TURNED = "campus\u202edebates"


def test_names_without_controls_of_the_reading_direction_and_texts_with_them():
    made = study(items=1, annotators=2)
    round = open_round(made)
    round_close(round, by=made.lead)
    project, by = made.project, made.lead
    kept = {"licence": "", "languages": "en", "contact": ""}
    said = "Character 7 is U+202E, which turns the direction of reading: a name cannot have it."
    for field, write_it in (
        ("name", lambda: project_create(slug="other", name=TURNED, codebook="focus")),
        ("name", lambda: project_edit(project=project, member=by, name=TURNED, **kept)),
        (
            "languages",
            lambda: project_edit(project=project, member=by, name="x", **{**kept, "languages": TURNED}),
        ),
        ("name", lambda: round_create(project=project, member=by, name=TURNED)),
        ("private_name", lambda: member_add(project=project, private_name=TURNED)),
    ):
        with pytest.raises(Refused) as told:
            write_it()
        assert told.value.errors == {field: said}
    for control in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\x00":
        with pytest.raises(Refused, match=f"U\\+{ord(control):04X}"):
            project_edit(project=project, member=by, name=f"a{control}b", **kept)
    comment_add(round=round, item=made.items[0], unit=Unit("LE"), member=by, text=TURNED)
    assert Comment.objects.get().text == TURNED


def test_ids_and_tags_of_a_file_are_names_too():
    for field in ("external_id", "source", "topic", "split"):
        row = ItemRow(**{"external_id": "A-1", "text": TURNED, "place": "row 2", field: TURNED})
        word = "id" if field == "external_id" else field
        assert item_problem(row) == (
            f"{word}: character 7 is U+202E, which turns the direction of reading: a name cannot have it"
        )
    assert item_problem(ItemRow(external_id="A-1", text=TURNED, place="row 2")) is None
    assert item_problem(ItemRow(external_id="A-1", text="x" * 1_000_001, place="row 2")) == (
        "text: 1,000,001 characters, at most 1,000,000 are kept"
    )
    long = QuestionRow(external_id="x" * 201, text="Why?", origin="", label=None, place="row 2")
    assert question_problem(long) == "question id: 201 characters, at most 200 are kept"


def test_an_annotators_name_in_a_file_is_a_name(tmp_path):
    made = study(items=1)
    file = tmp_path / "judgements.csv"
    file.write_text(
        f"item,annotator,type,applicable\nI-1,{TURNED},LE,no\nI-1,{'x' * 201},LE,no\n", encoding="utf-8"
    )
    report = judgements_import(project=made.project, path=file, round_name="Before", dry_run=True)
    assert [refusal["reason"] for refusal in report.refusals] == [
        "annotator: character 7 is U+202E, which turns the direction of reading: a name cannot have it",
        "annotator: 201 characters, at most 200 are kept",
    ]


def test_the_api_says_how_long_a_name_is_and_may_be(client):
    made = study()
    client.force_login(made.lead.user)
    for address, sent, said in (
        (
            "/api/projects/",
            {"slug": "new", "codebook": "focus", "name": "x" * 201},
            "201 characters, at most 200",
        ),
        (f"/api/projects/{made.project.slug}/rounds/", {"name": "x" * 121}, "121 characters, at most 120"),
    ):
        answer = client.post(address, json.dumps(sent), content_type="application/json")
        assert answer.status_code == 422
        assert answer.json()["errors"] == {"name": f"{said} are kept."}
