"""What models were asked and answered about a text that is erased for good, and runs of a deleted project."""

import pytest
from django.db import connection
from django.utils import timezone

from annotation.database.erasure import BLOCK
from annotation.items.erasure import item_erase
from annotation.models import Project
from annotation.projects.deletion import project_deletion_ask, projects_delete_due
from annotation.rounds.lifecycle import round_close
from assist.candidates.proposals import proposals_collect
from assist.models import AssistAnswer, AssistRun, ProposedQuestion
from tests.annotation.database import refused
from tests.assist.asking import SOURCES, asked
from tests.exports.endpoint import saying
from tests.factories import cqs_study

pytestmark = [pytest.mark.django_db, pytest.mark.database]

SECRET = "the river road"


@pytest.fixture
def run(endpoint) -> AssistRun:
    made = cqs_study(annotators=1, items=2, texts=(f"We closed {SECRET}.", "Another text."), slug="s")
    endpoint.otherwise = saying(f"Who says that {SECRET} was closed?")
    found = asked(made, endpoint, task="questions")
    proposals_collect(found)
    return found


def tables_with(word: str) -> set[str]:
    found = set()
    with connection.cursor() as cursor:
        for model in (AssistAnswer, AssistRun, ProposedQuestion):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(model._meta.db_table)}")
            found |= {model.__name__ for row in cursor.fetchall() if word in repr(row)}
    return found


def test_an_erased_text_is_in_no_answer_and_no_proposal(run):
    item = run.answers.first().item
    other = run.answers.exclude(item=item).first()
    assert tables_with(SECRET) == {"AssistAnswer", "ProposedQuestion"}
    item_erase(item=item, member=None, typed=item.external_id)
    assert not [row for row in AssistAnswer.objects.filter(item=item) if row.raw.strip(BLOCK)]
    assert not [row for row in ProposedQuestion.objects.filter(item=item) if row.text.strip(BLOCK)]
    assert SECRET not in repr([row.found for row in AssistAnswer.objects.filter(item=item)])
    assert SECRET in AssistAnswer.objects.get(pk=other.pk).raw
    assert "kept as it came" in refused(lambda: AssistAnswer.objects.filter(item=item).update(raw="x"))


def test_a_prompt_that_showed_an_erased_text_loses_its_examples(endpoint):
    made = cqs_study(annotators=1, items=2, texts=(f"We closed {SECRET}.", "Another text."), slug="s")
    run = AssistRun.objects.create(
        project=made.project,
        number=1,
        task="questions",
        endpoint="http://127.0.0.1/v1",
        model="tiny",
        max_tokens=10,
        timeout=10,
        per_minute=10,
        sources=SOURCES,
        state="done",
        finished_at=timezone.now(),
        prompts={"": "x"},
        recipes={"": "0" * 64},
        fixed={"examples": f"We closed {SECRET}.", "types": "kept"},
        examples=[{"id": made.items[0].external_id, "answer": SECRET}],
    )
    assert "never changes" in refused(lambda: AssistRun.objects.update(fixed={}))
    item_erase(item=made.items[0], member=made.lead, typed=made.items[0].external_id)
    run.refresh_from_db()
    assert tables_with(SECRET) == set()
    assert run.fixed["types"] == "kept"
    assert set(run.fixed["examples"]) == {BLOCK}


def test_a_project_with_runs_is_deleted_with_them(run):
    round_close(run.project.rounds.get())
    project_deletion_ask(project=run.project, member=None, typed="s")
    Project.objects.update(deletion_due_at=timezone.now())
    assert projects_delete_due() == 1
    assert (AssistRun.objects.count(), AssistAnswer.objects.count(), Project.objects.count()) == (0, 0, 0)
