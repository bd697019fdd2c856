"""Questions matched to references: known answers, the authors' own program, systems with human labels."""

import hashlib
import json
from pathlib import Path

import pytest

from scoring.figures.chrf import chrf_table
from scoring.figures.comparison import kappa_of
from scoring.figures.matching import NAE, THRESHOLDS, match_questions, question_scores
from scoring.figures.thresholds import Nearest, threshold_table

REFERENCE = Path(__file__).parents[1] / "reference" / "scoring"


def known(name):
    return json.loads((REFERENCE / f"{name}.json").read_text("utf-8"))


@pytest.mark.parametrize("case", known("cqs_matching")["cases"], ids=lambda case: case["case"])
def test_the_known_answers_of_matching(case):
    found = match_questions(
        case["similarities"],
        case["reference_labels"],
        threshold=case["threshold"],
        origins=case.get("reference_origins"),
        system=case.get("system"),
    )
    assert [{"reference": one.reference, "label": one.label} for one in found] == case["expected"]
    scores = question_scores({"a": [one.label for one in found]}, ["a"], replicates=0)
    assert (scores.score.value, scores.nae) == (pytest.approx(case["score"], abs=1e-9), case["nae"])


@pytest.mark.parametrize("case", known("cqs_scores")["cases"])
def test_the_known_answers_of_scores(case):
    labels = {item: [] if given == "Missing CQs" else given for item, given in case["labels"].items()}
    scores, expected = question_scores(labels, list("abcd"), replicates=0), case["expected"]
    assert scores.score.value == pytest.approx(expected["score"], abs=1e-9)
    assert scores.nae == expected["nae"]
    assert scores.nae_share.value == expected["nae_share"]
    assert scores.missing_questions == expected.get("missing_questions", 0)
    assert scores.distribution == expected.get("distribution", scores.distribution)


def test_four_questions_and_an_item_of_another_split_are_refused():
    with pytest.raises(ValueError, match="a: 4 questions where 3"):
        question_scores({"a": ["Useful"] * 4}, ["a"])
    with pytest.raises(ValueError, match="no item 'zzz' in this split"):
        question_scores({"zzz": []}, ["a"])


def test_an_answer_of_a_judge_that_is_not_usable_is_no_label_and_no_nae():
    scores = question_scores({"a": ["Useful", None, NAE]}, ["a"], replicates=0)
    assert (scores.score.value, scores.nae, scores.handed_in) == (pytest.approx(1 / 3), 1, 3)
    assert sum(scores.labels.values()) == 2


def test_the_published_sample_gives_the_labels_of_the_authors_program(shared_data):
    truth = known("cqs_llama8")
    sample = json.loads((shared_data / "cqs_gen" / "sample.json").read_text("utf-8"))
    system = json.loads((shared_data / "cqs_gen" / "submission_llama8.json").read_text("utf-8"))
    tables = {
        item: chrf_table([q["cq"] for q in row["cqs"]], [q["cq"] for q in sample[item]["cqs"]])
        for item, row in system.items()
    }
    for row in truth["best_match"]:
        table = tables[row["intervention"]][row["question"]]
        assert int(table.argmax()) == row["chrf"]["reference_position"]
        assert table.max() == pytest.approx(row["chrf"]["score"], abs=1e-6)
    for threshold, score, nae in ((35, 0.1333, 8), (40, 0.1333, 10), (50, 0.0, 15)):
        labels = {
            item: [
                match.label
                for match in match_questions(
                    table, [q["label"] for q in sample[item]["cqs"]], threshold=threshold
                )
            ]
            for item, table in tables.items()
        }
        scores = question_scores(labels, list(sample), replicates=0)
        assert (round(scores.score.value, 4), scores.nae) == (score, nae)


@pytest.fixture(scope="module")
def made_systems(shared_data):
    """The six systems made of validation.json: of each intervention questions, references, human labels."""
    truth = known("cqs_validation_systems")
    published = json.loads((shared_data / "cqs_gen" / "validation.json").read_text("utf-8"))
    return truth, published


def split_of(published, item, positions):
    questions = published[item]["cqs"]
    chosen = [questions[at] for at in positions]
    return chosen, [question for at, question in enumerate(questions) if at not in positions]


@pytest.mark.parametrize("system", ["p1", "p3"])
def test_systems_with_human_labels_have_the_known_score_nae_and_kappa(made_systems, system):
    truth, published = made_systems
    labels, human, nearest = {}, [], []
    for item, positions in zip(truth["interventions"], truth["positions"][system], strict=True):
        chosen, references = split_of(published, item, positions)
        table = chrf_table([q["cq"] for q in chosen], [q["cq"] for q in references])
        found = match_questions(table, [q["label"] for q in references], threshold=THRESHOLDS["chrf"])
        labels[item] = [match.label for match in found]
        human += [q["label"] for q in chosen]
        nearest += [Nearest(m.similarity, references[m.reference]["label"]) for m in found]
    expected = next(
        value for key, value in truth["expected"][system].items() if "chrf" in key and "40" in key
    )
    scores = question_scores(labels, truth["interventions"], replicates=0)
    flat = [label for given in labels.values() for label in given]
    assert scores.score.value == pytest.approx(expected["score"], abs=1e-6)
    assert scores.nae_share.value == pytest.approx(expected["nae_share"], abs=1e-6)
    assert kappa_of(flat, human).value == pytest.approx(expected["kappa_with_human_nae_as_a_label"], abs=1e-6)
    [row] = threshold_table(nearest, human, [THRESHOLDS["chrf"]])
    assert row.nae / row.n == pytest.approx(expected["nae_share"], abs=1e-6)
    assert row.with_nae.value == pytest.approx(expected["kappa_with_human_nae_as_a_label"], abs=1e-6)


def test_with_more_references_fewer_questions_cannot_be_evaluated(made_systems):
    truth, published = made_systems
    growing = known("cqs_growing_references")
    tables = {}
    for row in growing["expected"]["chrf>40"]:
        labels, human = {}, []
        for item, positions in zip(
            truth["interventions"], truth["positions"][growing["system"]], strict=True
        ):
            chosen, references = split_of(published, item, positions)
            places = [at for at in range(len(published[item]["cqs"])) if at not in positions]
            order = sorted(
                range(len(references)),
                key=lambda at: hashlib.sha256(f"g|{item}|{places[at]}".encode()).hexdigest()[:12],
            )
            kept = sorted(order[: row["references_at_most"]])
            if item not in tables:
                tables[item] = chrf_table([q["cq"] for q in chosen], [q["cq"] for q in references])
            found = match_questions(
                tables[item][:, kept], [references[at]["label"] for at in kept], threshold=THRESHOLDS["chrf"]
            )
            labels[item] = [match.label for match in found]
            human += [q["label"] for q in chosen]
        scores = question_scores(labels, truth["interventions"], replicates=0)
        flat = [label for given in labels.values() for label in given]
        assert scores.nae_share.value == pytest.approx(row["nae_share"], abs=1e-6)
        assert scores.score.value == pytest.approx(row["score"], abs=1e-6)
        kappa = kappa_of(flat, human).value
        assert kappa == pytest.approx(row["kappa_with_human_nae_as_a_label"], abs=1e-6)
