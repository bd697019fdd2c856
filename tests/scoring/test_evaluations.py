"""Evaluations as rows: submitted whole or not at all, done once, cancelled, asked again, kept by triggers."""

import io
import json

import pytest
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError
from django.utils import timezone

from core.errors import Refused
from scoring.models import Answer, Evaluation, Submission, SubmissionFile, System
from scoring.systems import evaluations as module
from scoring.systems.choices import read_choices
from scoring.systems.evaluations import (
    can_score_again,
    evaluation_again,
    evaluation_cancel,
    evaluation_request,
    evaluation_run,
    evaluation_sweep,
)
from scoring.systems.submissions import FilesRefused, submission_create
from scoring.systems.systems import system_create
from tests.factories import QUESTIONS
from tests.scoring.systems import (
    RIGHT,
    WRONG,
    focus_release,
    handed_in,
    questions,
    questions_release,
    scored,
    submitted,
)

pytestmark = [pytest.mark.django_db, pytest.mark.database]

State = Evaluation.State


@pytest.fixture
def talk():
    return focus_release()


def stored_folders():
    try:
        return set(default_storage.listdir("submissions")[0])
    except FileNotFoundError:
        return set()


def refused(change):
    with pytest.raises(IntegrityError), transaction.atomic():
        change()


def test_a_submission_is_scored_as_the_command_scores_it(talk):
    made, release = talk
    evaluation = scored(submitted(made, release, RIGHT, WRONG))
    assert (evaluation.state, evaluation.engine, evaluation.release_digest) == (
        "done",
        module.ENGINE_VERSION,
        release.digest,
    )
    runs = [row["figures"]["decided"]["micro"]["f1"]["value"] for row in evaluation.figures["evaluations"]]
    assert runs == [1.0, 0.5]
    assert evaluation.headline["name"] == "decided/micro/f1"
    assert (evaluation.headline["value"], evaluation.headline["runs"]) == (0.75, 2)
    assert evaluation.headline["sd"] == pytest.approx(0.125**0.5)
    rows = evaluation.answers.values_list("run", "item", "unit", "label", "is_right", "start", "end")
    assert list(rows) == [
        (1, "I-1", "LE", "hit", True, 51, 62),
        (1, "I-2", "NONE", "hit", True, None, None),
        (2, "I-1", "BS", "extra", False, 0, 11),
        (2, "I-1", "LE", "missed", False, None, None),
        (2, "I-1", "WE", "undecided", None, None, None),
        (2, "I-2", "NONE", "hit", True, None, None),
    ]
    hit, missed = evaluation.answers.get(run=1, unit="LE"), evaluation.answers.get(run=2, unit="LE")
    assert hit.references == missed.references == {"gold": [[51, 62]], "disagreement": [[0, 11]]}
    assert (hit.given, hit.similarity) == ("grades  fell", 1.0)
    assert evaluation.answers.get(run=2, unit="WE").given == "nowhere"


def test_a_question_has_its_best_reference_and_a_method_that_fails_leaves_the_others(settings):
    settings.SENTENCE_ENCODER = ""
    made, release = questions_release()
    submission = submitted(made, release, questions(QUESTIONS[0].upper(), "Who pays?"))
    done = {}
    for asked in read_choices(made.project, methods=["sts", "exact", "chrf:35"], replicates=0):
        evaluation = evaluation_request(submission=submission, asked=asked)
        evaluation_run(evaluation_id=evaluation.pk)
        done[asked.method] = Evaluation.objects.get(pk=evaluation.pk)
    assert [(one.state, one.reason) for one in done.values()] == [
        ("failed", "no_encoder"),
        ("done", ""),
        ("done", ""),
    ]
    assert "ELENCHUS_SENTENCE_ENCODER" in done["sts"].error
    assert done["exact"].headline["nae"] == 1
    first, second = done["exact"].answers.all()
    assert (first.label, first.is_right, first.similarity) == ("Useful", True, 1.0)
    assert first.references["best"]["words"] == QUESTIONS[0]
    assert (second.label, second.is_right, second.references) == ("not_able_to_evaluate", False, {})
    assert submission.files.get().notes[-1][2].startswith("1 of 2 items are missing")


def test_nothing_is_stored_where_a_row_is_refused(talk):
    made, release = talk
    before = stored_folders()
    system = system_create(project=made.project, name="Parrot")
    wrong = {f"X-{number}": {} for number in range(60)}
    with pytest.raises(FilesRefused) as refusal:
        submission_create(system=system, release=release, files=handed_in(RIGHT, wrong))
    assert len(refusal.value.faults) == 50
    assert refusal.value.more == 10
    assert refusal.value.faults[0] == (
        "run2.json",
        "X-0",
        "",
        "there is no such item: is it for another split?",
    )
    with pytest.raises(Refused) as refusal:
        submission_create(system=system, release=release, files=handed_in(RIGHT), split="dev")
    assert "split" in refusal.value.errors
    assert not Submission.objects.exists()
    assert stored_folders() == before


def test_the_same_files_are_the_same_submission_and_the_same_choices_the_same_evaluation(talk):
    made, release = talk
    before = stored_folders()
    first = submitted(made, release, RIGHT)
    assert submitted(made, release, RIGHT) == first
    assert submitted(made, release, RIGHT, WRONG) != first
    done = scored(first)
    assert scored(first) == done
    assert scored(first, seed=2) != done
    assert len(stored_folders() - before) == 2


@pytest.mark.parametrize("name", ["parrot", " PARROT\u200b", "Ｐarrot"])
def test_a_name_that_looks_like_another_is_refused(talk, name):
    made, _ = talk
    system_create(project=made.project, name="Parrot")
    with pytest.raises(Refused) as refusal:
        system_create(project=made.project, name=name)
    assert refusal.value.errors["name"].startswith("There is a system “Parrot” already")


@pytest.mark.parametrize("link", ["javascript:alert(1)", "ftp://a.b", "https://", "http://a b"])
def test_a_link_leads_to_the_web(talk, link):
    made, _ = talk
    with pytest.raises(Refused):
        system_create(project=made.project, name="Parrot", link=link)
    assert not System.objects.exists()
    if "://" not in link:
        refused(lambda: System.objects.create(project=made.project, name="a", name_key="a", link=link))


def test_what_is_done_never_changes(talk):
    made, release = talk
    evaluation = scored(submitted(made, release, RIGHT))
    rows = Evaluation.objects.filter(pk=evaluation.pk)
    for change in (
        {"figures": {"figures": 1}},
        {"headline": {}},
        {"state": "failed", "error": "x", "figures": None, "headline": None, "finished_at": None},
        {"method": "chrf"},
        {"seed": 9},
        {"finished_at": timezone.now()},
    ):
        refused(lambda change=change: rows.update(**change))
    refused(rows.delete)
    refused(lambda: evaluation.answers.update(label="hit", is_right=None))
    refused(lambda: evaluation.answers.all().delete())
    place = {"run": 1, "item": "a", "position": 9, "place": 1, "label": "hit"}
    refused(lambda: Answer.objects.create(evaluation=evaluation, **place))
    refused(lambda: Submission.objects.update(split="test"))
    refused(lambda: SubmissionFile.objects.update(sha256="0" * 64))
    with pytest.raises(ProtectedError):
        release.delete()
    waiting = evaluation_request(
        submission=evaluation.submission, asked=read_choices(made.project, seed=5)[0]
    )
    refused(lambda: Evaluation.objects.filter(pk=waiting.pk).update(state="done", finished_at=timezone.now()))


def test_a_new_engine_scores_again_beside_the_old_figures(talk, monkeypatch):
    made, release = talk
    old = scored(submitted(made, release, RIGHT))
    assert not can_score_again(old)
    with pytest.raises(Refused):
        evaluation_again(evaluation=old)
    newer = module.ENGINE_VERSION + 1
    for place in ("scoring.systems.evaluations", "scoring.systems.choices"):
        monkeypatch.setattr(f"{place}.ENGINE_VERSION", newer)
    assert can_score_again(old)
    again = evaluation_again(evaluation=old)
    assert evaluation_run(evaluation_id=again.pk)
    again.refresh_from_db()
    assert (again.pk != old.pk, again.engine, again.state) == (True, newer, "done")
    old.refresh_from_db()
    assert old.state == "done"


def test_an_evaluation_that_is_cancelled_meanwhile_stores_nothing(talk, monkeypatch):
    made, release = talk
    submission = submitted(made, release, RIGHT)
    asked = read_choices(made.project, replicates=0)[0]
    evaluation = evaluation_request(submission=submission, asked=asked)
    real = module.evaluate

    def cancelled(*arguments):
        evaluation_cancel(evaluation=evaluation)
        return real(*arguments)

    monkeypatch.setattr(module, "evaluate", cancelled)
    assert not evaluation_run(evaluation_id=evaluation.pk)
    evaluation.refresh_from_db()
    assert (evaluation.state, evaluation.figures, evaluation.answers.count()) == ("cancelled", None, 0)
    with pytest.raises(Refused):
        evaluation_cancel(evaluation=evaluation)
    monkeypatch.setattr(module, "evaluate", real)
    assert evaluation_request(submission=submission, asked=asked) == evaluation
    assert evaluation_run(evaluation_id=evaluation.pk)


def test_the_answers_of_a_worker_that_died_are_not_counted_twice(talk, monkeypatch):
    made, release = talk
    asked = read_choices(made.project, replicates=0)[0]
    evaluation = evaluation_request(submission=submitted(made, release, RIGHT, WRONG), asked=asked)
    monkeypatch.setattr(module, "BATCH", 2)

    def dies(scores, interval):
        raise SystemExit

    monkeypatch.setattr(module, "headline", dies)
    with pytest.raises(SystemExit):
        evaluation_run(evaluation_id=evaluation.pk)
    assert evaluation.answers.count() == 6
    monkeypatch.undo()
    assert evaluation_sweep() == [evaluation.pk]
    assert evaluation_run(evaluation_id=evaluation.pk)
    assert evaluation.answers.count() == 6


def test_files_that_the_storage_lost_fail_the_evaluation_with_what_to_do(talk):
    made, release = talk
    submission = submitted(made, release, RIGHT)
    default_storage.delete(submission.files.get().storage)
    evaluation = scored(submission)
    assert evaluation.state == "failed"
    assert submission.files.get().sha256 in evaluation.error


def test_the_command_saves_what_it_prints_and_what_a_worker_would_store(tmp_path, settings):
    settings.SENTENCE_ENCODER = ""
    made, release = questions_release()
    files = []
    for number, texts in enumerate((QUESTIONS[:2], QUESTIONS[1:]), start=1):
        path = tmp_path / f"run{number}.json"
        path.write_text(json.dumps(questions(*texts)))
        files.append(str(path))
    words = ["score", made.project.slug, release.version, *files, "--system", "Llama", "--json"]
    words += ["--method", "chrf", "--method", "exact", "--replicates", "20"]

    def printed(*more):
        out, err = io.StringIO(), io.StringIO()
        call_command(*words, *more, stdout=out, stderr=err)
        return out.getvalue(), err.getvalue()

    alone, _ = printed()
    assert not System.objects.exists()
    saved, told = printed("--save")
    assert saved == alone
    assert told.count("Stored as evaluation") == 2
    submission = Submission.objects.get()
    assert submission.system.name == "Llama"
    kept = {one.method: one for one in submission.evaluations.all()}
    other = submitted(made, release, questions(*QUESTIONS[:2]), questions(*QUESTIONS[1:]), name="Other")
    for method in ("chrf", "exact"):
        worked = scored(other, methods=[method])
        assert {**worked.figures, "system": "Llama"} == kept[method].figures
        columns = ("run", "item", "unit", "label", "similarity", "references")
        assert list(worked.answers.values_list(*columns)) == list(kept[method].answers.values_list(*columns))
    printed("--save")
    assert Evaluation.objects.count() == 4
