"""What is stored for good stays as it is, whoever writes: triggers refuse to change it."""

import pytest
from django.db import connection

from annotation.models import (
    AnnotationEvent,
    Assignment,
    Codebook,
    Item,
    ProjectEvent,
    Question,
    QuestionAnnotation,
    Round,
    RoundItem,
    RoundQuestion,
    TypeAnnotation,
)
from tests.annotation.database import missing_triggers, refused
from tests.factories import NO, add_items, record

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def test_events_and_the_audit_log_are_append_only(focus):
    record(focus.round, focus.annotators[0], focus.items[0], "LE", NO)
    assert "append-only" in refused(lambda: AnnotationEvent.objects.update(revision=9))
    assert "append-only" in refused(lambda: AnnotationEvent.objects.all().delete())
    assert "append-only" in refused(lambda: ProjectEvent.objects.update(action="nothing happened"))
    assert "append-only" in refused(lambda: ProjectEvent.objects.all().delete())
    assert AnnotationEvent.objects.get().revision == 1


def test_judgements_are_never_deleted(focus, cqs):
    record(focus.round, focus.annotators[0], focus.items[0], "LE", NO)
    record(cqs.round, cqs.annotators[0], cqs.items[0], cqs.items[0].questions.first(), {"label": "USE"})
    assert "never deleted" in refused(lambda: TypeAnnotation.objects.all().delete())
    assert "never deleted" in refused(lambda: QuestionAnnotation.objects.all().delete())


def test_a_codebook_in_use_is_immutable(focus):
    codebook = focus.round.codebook
    assert "immutable" in refused(lambda: Codebook.objects.update(guideline="other"))
    unused = Codebook.objects.create(
        project=focus.project, version=2, source="x", definition=codebook.definition, guideline=""
    )
    Codebook.objects.filter(pk=unused.pk).update(guideline="still a draft")
    assert Codebook.objects.get(pk=unused.pk).guideline == "still a draft"


def test_the_text_of_an_item_is_frozen_once_its_round_has_opened(focus):
    changed = {"text": "Another text.", "text_length": 13}
    for change in (changed, {"external_id": "X-1"}):
        assert "frozen" in refused(
            lambda change=change: Item.objects.filter(pk=focus.items[0].pk).update(**change)
        )
    fresh = add_items(focus.project, 1)[0]
    Item.objects.filter(pk=fresh.pk).update(**changed)
    assert Item.objects.get(pk=fresh.pk).text == "Another text."


def test_a_question_is_frozen_once_a_round_that_asks_it_has_opened(cqs):
    first, second = cqs.items[0], add_items(cqs.project, 1, 1)[0]
    asked = Question.objects.filter(pk=first.questions.first().pk)
    assert "a question is frozen" in refused(lambda: asked.update(text="Another one?"))
    assert "a question is frozen" in refused(lambda: asked.update(item=second, position=9))
    second.questions.update(text="Another one?")
    assert [question.text for question in second.questions.all()] == ["Another one?"]


def test_the_items_and_questions_of_an_opened_round_are_frozen(cqs):
    fresh = add_items(cqs.project, 1, 1)[0]
    assert "draft" in refused(lambda: RoundItem.objects.create(round=cqs.round, item=fresh, position=99))
    assert "frozen" in refused(lambda: RoundItem.objects.filter(round=cqs.round).delete())
    late = Question.objects.create(
        item=cqs.items[0], brought_by=cqs.items[0].brought_by, position=9, text="Late?"
    )
    assert "draft" in refused(lambda: RoundQuestion.objects.create(round=cqs.round, question=late))
    assert "frozen" in refused(lambda: RoundQuestion.objects.filter(round=cqs.round).delete())


def test_rounds_items_and_members_belong_to_one_project(focus, cqs):
    draft = Round.objects.create(
        project=focus.project, number=9, name="draft", codebook=focus.round.codebook, overlap=1
    )
    foreign = cqs.items[0]
    assert "own project" in refused(lambda: RoundItem.objects.create(round=draft, item=foreign, position=1))
    assert "belongs to its project" in refused(
        lambda: Round.objects.filter(pk=draft.pk).update(codebook=cqs.round.codebook)
    )
    stranger = cqs.annotators[0]
    assert "annotator of the project" in refused(
        lambda: Assignment.objects.create(
            round=focus.round, item=focus.items[0], member=stranger, position=99
        )
    )
    theirs = Assignment.objects.filter(round=focus.round, member=focus.annotators[0], item=focus.items[0])
    for change in ({"member": stranger}, {"item": foreign}, {"round": cqs.round}, {"member": focus.lead}):
        assert "annotator of the project" in refused(lambda change=change: theirs.update(**change))


def test_every_trigger_is_there_after_all_migrations():
    assert missing_triggers() == set()


@pytest.mark.postgresql
def test_codebooks_which_each_judgement_is_compared_with_lie_there_unpacked(focus):
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT octet_length(definition::text) > 10000, pg_column_compression(definition) "
            "FROM annotation_codebook WHERE id = %s",
            [focus.round.codebook_id],
        )
        assert cursor.fetchone() == (True, None)
