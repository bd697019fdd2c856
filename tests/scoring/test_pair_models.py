"""BLEURT and COMET: with packages that stand in for theirs, and without."""

import json
import sys
from types import ModuleType, SimpleNamespace

import pytest

from agreement.spans.encoders import EncoderUnavailable
from scoring.evaluation.faults import CannotScore
from scoring.evaluation.pair_models import PairModel
from scoring.evaluation.questions import Method, read_method
from scoring.systems.choices import read_choices
from scoring.systems.evaluations import evaluation_request, evaluation_run
from tests.scoring.systems import questions, questions_release, submitted
from tests.scoring.test_score_command import run, write

REFERENCES = {
    "a": {
        "intervention": "Taxes will rise.",
        "cqs": [
            {"id": "0", "cq": "Who pays?", "label": "Useful"},
            {"id": "1", "cq": "Who says that taxes will rise?", "label": "Invalid"},
        ],
    }
}


def likeness(question, reference):
    """Return minus the difference of the lengths: a measure below 0, as BLEURT often is."""
    return -float(abs(len(question) - len(reference)))


@pytest.fixture
def comet(tmp_path, monkeypatch):
    """Give a folder with a checkpoint, and a package that reads it and remembers what it was asked."""
    asked = []

    def predict(data, *, batch_size, gpus, progress_bar):
        asked.extend(data)
        return {"scores": [likeness(row["mt"], row["ref"]) for row in data]}

    package = ModuleType("comet")
    package.load_from_checkpoint = lambda path: SimpleNamespace(predict=predict)
    monkeypatch.setitem(sys.modules, "comet", package)
    folder = tmp_path / "tiny-comet"
    (folder / "checkpoints").mkdir(parents=True)
    (folder / "checkpoints" / "model.ckpt").write_bytes(b"weights")
    return folder, asked


@pytest.fixture
def bleurt(tmp_path, monkeypatch):
    class BleurtScorer:
        def __init__(self, checkpoint):
            assert checkpoint.endswith("tiny-bleurt")

        def score(self, *, references, candidates, batch_size):
            return [likeness(*pair) for pair in zip(candidates, references, strict=True)]

    package, module = ModuleType("bleurt"), ModuleType("bleurt.score")
    module.BleurtScorer = BleurtScorer
    monkeypatch.setitem(sys.modules, "bleurt", package)
    monkeypatch.setitem(sys.modules, "bleurt.score", module)
    folder = tmp_path / "tiny-bleurt"
    folder.mkdir()
    (folder / "bleurt_config.json").write_text("{}")
    return folder


def test_a_threshold_must_be_given_and_may_lie_below_zero():
    assert read_method("bleurt:-0.3") == Method("bleurt", -0.3)
    assert read_method("comet:0.8") == Method("comet", 0.8)
    for given in ("bleurt", "comet:", "comet:high", "bleurt:nan", "comet:inf"):
        with pytest.raises(CannotScore, match=f"--method {given}: has no threshold by default: give one"):
            read_method(given)


def test_comet_reads_an_empty_source_and_no_pair_twice(comet):
    folder, asked = comet
    model = PairModel("comet", str(folder))
    table = model.table(["Who pays?", "Why?"], ["Who pays?", "Who is it?"])
    assert table.tolist() == [[0.0, -1.0], [-5.0, -6.0]]
    assert model.table(["Why?"], ["Who pays?"]).tolist() == [[-5.0]]
    assert len(asked) == 4 and asked[0] == {"src": "", "mt": "Who pays?", "ref": "Who pays?"}
    assert model.to_json()["name"] == "tiny-comet" and model.to_json()["revision"].startswith("sha256:")


def test_a_folder_that_is_not_there_or_holds_no_checkpoint_is_said(comet, tmp_path):
    folder, _ = comet
    (folder / "checkpoints" / "model.ckpt").unlink()
    for wanted, why in (
        (str(folder), "tiny-comet has 0 files"),
        (str(tmp_path / "away"), "there is no folder away at the path of ELENCHUS_COMET"),
        ("", "there is none: set ELENCHUS_COMET"),
    ):
        with pytest.raises(EncoderUnavailable, match=why):
            PairModel("comet", wanted)


def test_without_the_package_the_message_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "comet", None)
    with pytest.raises(EncoderUnavailable, match="run: pip install unbabel-comet"):
        PairModel("comet", str(tmp_path))


def test_the_command_scores_by_the_models_that_are_there(bleurt, tmp_path, settings):
    settings.BLEURT = str(bleurt)
    references = write(tmp_path, "refs.json", REFERENCES)
    file = {"a": {"cqs": [{"id": 0, "cq": "Who paid?"}, {"id": 1, "cq": "Who is it that pays?"}]}}
    answers = write(tmp_path, "run.json", file)
    words = ["score", "--references", references, "--answers", answers, "--codebook", "cqs_gen", "--json"]
    methods = ["--method", "bleurt:-0.5", "--method", "comet:0.8", "--method", "exact", "--replicates", "0"]
    scores = json.loads(run(*words, *methods)[0])
    found = {one["method"]["name"]: one for one in scores["evaluations"]}
    assert found["bleurt"]["method"] == {"name": "bleurt", "threshold": -0.5}
    assert found["bleurt"]["figures"]["labels"]["Useful"] == 1
    assert found["bleurt"]["figures"]["nae"] == 1
    assert found["bleurt"]["encoder"]["name"] == "tiny-bleurt"
    assert (found["comet"]["figures"], found["comet"]["reason"]) == (None, "no_comet")
    assert found["exact"]["figures"]["nae"] == 2
    reasons = {row["method"]["name"]: row["reason"] for row in scores["trivial"]}
    assert reasons == {"bleurt": None, "comet": "no_comet", "exact": None}


@pytest.mark.django_db
def test_an_evaluation_without_its_model_says_so_and_leaves_the_others(bleurt, settings):
    settings.BLEURT = str(bleurt)
    made, release = questions_release()
    submission = submitted(made, release, questions("Who pays?"))
    done = {}
    for asked in read_choices(made.project, methods=["bleurt:-9", "comet:0.5", "exact"], replicates=0):
        evaluation = evaluation_request(submission=submission, asked=asked)
        evaluation_run(evaluation_id=evaluation.pk)
        evaluation.refresh_from_db()
        done[asked.method] = evaluation
    assert {name: (one.state, one.reason) for name, one in done.items()} == {
        "bleurt": ("done", ""),
        "comet": ("failed", "no_comet"),
        "exact": ("done", ""),
    }
    assert "set ELENCHUS_COMET" in done["comet"].error
    assert done["bleurt"].parameters["encoder"] == "tiny-bleurt"
    assert done["bleurt"].figures["encoder"]["name"] == "tiny-bleurt"
