"""A release carries stored refinements beside the template questions, only if asked, and asks nobody."""

import json

import jsonschema
import pytest

from annotation.database.install import lifted_triggers
from core.errors import Refused
from exports.files.reconciliation import inputs_stamp
from exports.models import QuestionRefinement, Release
from exports.refinement.parameters import refinement_choices
from exports.refinement.runs import refined_reject, refined_restore, refinement_request
from exports.refinement.worker import refinement_work
from exports.selection.parameters import Parameters
from exports.selection.selection import read_selection
from exports.triggers import TRIGGERS
from tests.exports.endpoint import KEY, Clock, saying
from tests.factories import adjudicate, close, cqs_study, focus_study, judge, yes
from tests.factories.releases import release, released

pytestmark = [pytest.mark.django_db, pytest.mark.database]

foreign_warnings = pytest.mark.filterwarnings("ignore")

TEXTS = ("Parks make people happy.", "The tax is the cause.")


@pytest.fixture
def made(endpoint):
    """Two items with a gold span each: one question is refined, the answer to the other was refused."""
    made = focus_study(annotators=2, items=2, texts=TEXTS, slug="s")
    for item in made.items:
        judge(made, item, {"LE": [yes(item, item.text[:9])] * 2})
    close(made)
    endpoint.replies = [saying("What shows that parks make?", model="tiny-7"), saying("Parks do.")]
    refine(made, endpoint)
    return made


def refine(made, endpoint, **choices):
    given = {"endpoint": endpoint.url, "model": "tiny", "sources": [["test", ""]], **choices}
    run = refinement_request(
        project=made.project, choices=refinement_choices(given), texts_may_leave=True, by=made.lead
    )
    refinement_work(run_id=run.pk, timing=Clock().timing)
    run.refresh_from_db()
    return run


def gold_spans(folder):
    entries = json.loads((folder / "focus.json").read_bytes())
    return [span for entry in entries.values() for label in entry["labels"] for span in label["gold_spans"]]


def refined(folder):
    return [(span["question_refined"], span["refinement_run"]) for span in gold_spans(folder)]


def test_left_out_by_default_the_release_is_as_if_nobody_had_asked_a_model(made, tmp_path):
    assert Parameters().refined_questions is False
    folder = released(made.project, tmp_path / "plain")
    assert {frozenset(span) for span in gold_spans(folder)} == {
        frozenset({"start", "end", "text", "support", "question"})
    }
    told = json.loads((folder / "release.json").read_bytes())
    assert "refinements" not in told
    assert "questions_refined" not in told["counts"]
    assert "refined" not in (folder / "README.md").read_text().replace("refined_questions", "")
    assert "question_refined" not in (folder / "schemas/focus.schema.json").read_text()


def test_the_template_question_always_stays_and_the_refined_one_stands_beside_it(made, tmp_path):
    plain = gold_spans(released(made.project, tmp_path / "plain", "1.0"))
    folder = released(made.project, tmp_path / "refined", "1.1", refined_questions=True)
    assert plain == [
        {key: value for key, value in span.items() if key not in ("question_refined", "refinement_run")}
        for span in gold_spans(folder)
    ]
    assert refined(folder) == [("What shows that parks make?", 1), (None, None)]


def test_counts_and_card_say_how_many_were_refined_by_which_model_when_and_with_which_prompt(
    made, endpoint, tmp_path
):
    folder = released(made.project, tmp_path / "out", refined_questions=True)
    told = json.loads((folder / "release.json").read_bytes())
    run = made.project.refinement_runs.get()
    day = run.refinements.first().answered_at.date().isoformat()
    assert (told["counts"]["gold_spans"], told["counts"]["questions_refined"]) == (2, 1)
    assert told["refinements"] == [
        {
            "run": 1,
            "endpoint": endpoint.url.split("/")[2],
            "model": "tiny",
            "answered_as": ["tiny-7"],
            "first_day": day,
            "last_day": day,
            "temperature": 0.0,
            "seed": None,
            "max_tokens": 300,
            "questions": 1,
            "prompt": run.prompt,
        }
    ]
    card = (folder / "README.md").read_text()
    assert "1 of 2 also have a `question_refined`" in card
    host = endpoint.url.split("/")[2]
    assert f"| 1 | {host} | tiny | tiny-7 | {day} | 0 | not sent | 1 |" in card
    assert f"Prompt of run 1:\n\n```\n{run.prompt}\n```\n" in card
    assert Release.objects.get().counts["questions_refined"] == 1
    assert all(KEY.encode() not in path.read_bytes() for path in folder.rglob("*") if path.is_file())


@foreign_warnings
def test_the_schema_and_the_datasets_library_know_the_refined_questions(made, tmp_path):
    datasets = pytest.importorskip("datasets")
    folder = released(made.project, tmp_path / "out", refined_questions=True)
    schema = json.loads((folder / "schemas/focus.schema.json").read_bytes())
    whole = json.loads((folder / "focus.json").read_bytes())
    jsonschema.Draft202012Validator(schema).validate(whole)
    del next(span for entry in whole.values() for label in entry["labels"] for span in label["gold_spans"])[
        "question_refined"
    ]
    assert not jsonschema.Draft202012Validator(schema).is_valid(whole)
    rows = datasets.load_dataset(str(folder), split="all", cache_dir=str(tmp_path / "cache"))
    spans = [span for row in rows for label in row["labels"] for span in label["gold_spans"]]
    assert [(span["question_refined"], span["refinement_run"]) for span in spans] == refined(folder)


def test_a_rebuild_has_the_same_bytes_and_asks_no_model(made, endpoint, tmp_path, settings, monkeypatch):
    first = release(made.project, "1.0", refined_questions=True)
    settings.LLM_ENDPOINTS, settings.LLM_API_KEYS = [], {}
    monkeypatch.setattr("assist.asking.llm_client.httpx2.Client", None)
    before = len(endpoint.asked)
    again = release(made.project, "1.1", refined_questions=True)
    named = {file["name"]: file["sha256"] for file in first.files if not file["archive"]}
    rebuilt = {file["name"]: file["sha256"] for file in again.files if not file["archive"]}
    told = {name for name, sha256 in named.items() if rebuilt[name] != sha256}
    assert told == {"README.md", "croissant.json", "release.json", "SHA256SUMS"}  # they name the version
    assert first.digest == again.digest
    assert release(made.project, "1.0", refined_questions=True).pk == first.pk
    assert len(endpoint.asked) == before


def test_a_rejected_question_falls_back_to_the_template_and_needs_a_new_version(made, tmp_path):
    release(made.project, "1.0", refined_questions=True)
    row = made.project.refinement_runs.get().refinements.get(state="refined")
    refined_reject(refinement=row, by=made.lead)
    with pytest.raises(Refused, match="give this one a new version"):
        release(made.project, "1.0", refined_questions=True)
    folder = released(made.project, tmp_path / "rejected", "1.1", refined_questions=True)
    assert refined(folder) == [(None, None), (None, None)]
    assert json.loads((folder / "release.json").read_bytes())["refinements"] == []
    refined_restore(refinement=row, by=made.lead)
    assert release(made.project, "1.0", refined_questions=True).counts["questions_refined"] == 1


def test_the_newest_refinement_counts_and_a_rejected_newest_is_none(made, endpoint, tmp_path):
    endpoint.replies = [saying("Is it so that parks make?"), saying("Is the tax the cause?")]
    refine(made, endpoint, again=True)
    folder = released(made.project, tmp_path / "b", "1.1", refined_questions=True)
    assert refined(folder) == [("Is it so that parks make?", 2), ("Is the tax the cause?", 2)]
    newest = made.project.refinement_runs.get(number=2).refinements.first()
    refined_reject(refinement=newest, by=made.lead)
    folder = released(made.project, tmp_path / "c", "1.2", refined_questions=True)
    assert refined(folder) == [(None, None), ("Is the tax the cause?", 2)]


def test_a_refinement_of_another_span_stands_for_nothing(made, tmp_path):
    adjudicate(made, made.items[0], "LE", True, (0, 5))
    folder = released(made.project, tmp_path / "out", refined_questions=True)
    assert refined(folder) == [(None, None), (None, None)]


@pytest.mark.parametrize("what", ["question_template", "text_sha256"])
def test_a_refinement_of_another_text_or_wording_stands_for_nothing_and_is_asked_again(
    made, endpoint, tmp_path, what
):
    rows = QuestionRefinement.objects.filter(state="refined")
    with lifted_triggers(TRIGGERS):
        rows.update(**{what: "x"})
    folder = released(made.project, tmp_path / "out", refined_questions=True)
    assert refined(folder) == [(None, None), (None, None)]
    refine(made, endpoint)
    assert rows.filter(run__number=2, item=made.items[0]).exists()


def test_withheld_references_take_their_refined_questions_with_them(made, tmp_path):
    made.items[0].split, made.items[1].split = "test", "train"
    for item in made.items:
        item.save()
    folder = released(made.project, tmp_path / "out", refined_questions=True, withheld=["test"])
    public = [path for path in folder.rglob("*") if path.is_file()]
    assert all(b"What shows that parks make?" not in path.read_bytes() for path in public)
    assert json.loads((folder / "focus.train.json").read_bytes())["I-2"]["labels"]


def test_without_texts_there_are_no_questions_to_take_in():
    with pytest.raises(Refused, match="refined_questions: quote the texts"):
        Parameters.from_json({"texts": False, "refined_questions": True})


def test_the_other_protocol_has_none():
    with pytest.raises(Refused, match="only gold spans have questions"):
        release(cqs_study(annotators=1).project, refined_questions=True)


def test_an_answer_or_a_rejection_during_the_build_is_noticed(made, endpoint):
    selection = read_selection(made.project, Parameters(refined_questions=True))
    stamps = [inputs_stamp(selection)]
    refined_reject(refinement=made.project.refinement_runs.get().refinements.first(), by=made.lead)
    stamps.append(inputs_stamp(selection))
    refine(made, endpoint)
    stamps.append(inputs_stamp(selection))
    assert len(set(stamps)) == 3
    plain = read_selection(made.project, Parameters())
    before = inputs_stamp(plain)
    refine(made, endpoint, again=True)
    assert inputs_stamp(plain) == before
