"""What the command prints, computed again by scikit-learn, by sacrebleu and by the definition of chrF."""

import json
from collections import Counter

import numpy as np
import pytest
from sacrebleu import sentence_chrf
from sklearn.metrics import cohen_kappa_score, precision_recall_fscore_support
from sklearn.preprocessing import MultiLabelBinarizer

from tests.scoring.test_score_command import GPT4, argument, run, write

NAE = "not able to evaluate"


def chrf(hypothesis, reference, most=6, beta=2):
    """Return chrF: precision and recall of n-grams of 1 to 6 characters, averaged, then their F."""
    texts = ["".join(text.split()) for text in (hypothesis, reference)]
    precisions, recalls = [], []
    for n in range(1, most + 1):
        said, there = (Counter(text[at : at + n] for at in range(len(text) - n + 1)) for text in texts)
        if said and there:
            common = (said & there).total()
            precisions.append(common / said.total())
            recalls.append(common / there.total())
    precision, recall = (np.mean(found) if found else 0.0 for found in (precisions, recalls))
    below = beta**2 * precision + recall
    return 100 * (1 + beta**2) * precision * recall / below if below else 0.0


def test_chrf_labels_score_and_kappa_of_the_published_answers(shared_data, tmp_path):
    folder = shared_data / "cqs_gen"
    words = ["--references", str(folder / "sample.json"), "--codebook", "cqs_gen"]
    words += [
        "--answers",
        str(folder / "submission_llama8.json"),
        "--method",
        "chrf:35",
        "--method",
        "chrf:50",
    ]
    out, _ = run("score", *words, "--replicates", "0", "--json", "--out", str(tmp_path / "out"))
    scores = json.loads(out)
    published = json.loads((folder / "sample.json").read_bytes())
    lines = [
        json.loads(line) for line in (tmp_path / "out" / "answers.jsonl").read_text("utf-8").splitlines()
    ]
    labels = {35.0: [], 50.0: []}
    useful = Counter()
    for line in lines:
        references = published[line["item"]]["cqs"]
        similarities = [chrf(line["cq"], one["cq"]) for one in references]
        theirs = [sentence_chrf(line["cq"], [one["cq"]]).score for one in references]
        assert similarities == pytest.approx(theirs, abs=1e-9)
        best = int(np.argmax(similarities))
        assert (line["reference"]["words"], line["similarity"]) == (
            references[best]["cq"],
            pytest.approx(similarities[best], abs=1e-9),
        )
        threshold = line["method"]["threshold"]
        label = references[best]["label"] if similarities[best] > threshold else NAE
        labels[threshold].append(label)
        assert (line["label"] or NAE).replace("_", " ") == label
        useful[threshold] += label == "Useful"
    assert len(lines) == 2 * 15
    for evaluation in scores["evaluations"]:
        threshold = evaluation["method"]["threshold"]
        assert evaluation["figures"]["score"]["value"] == pytest.approx(
            useful[threshold] / 3 / len(published)
        )
        assert evaluation["figures"]["nae"] == labels[threshold].count(NAE)
    (pair,) = scores["methods_compared"]
    kappa = cohen_kappa_score(labels[35.0], labels[50.0])
    assert pair["with_nae"]["value"] == (None if np.isnan(kappa) else pytest.approx(kappa, abs=1e-9))


def test_f1_of_the_published_answers(tmp_path):
    references = {item: argument("Words.", decided) for item, decided in GPT4["decided"].items()}
    system = {
        item: {"fsq_types": types, "spans": ["Null"] * len(types)} for item, types in GPT4["system"].items()
    }
    words = ["--references", write(tmp_path, "r.json", references), "--codebook", "focus"]
    words += ["--answers", write(tmp_path, "s.json", system), "--replicates", "0", "--json"]
    figures = json.loads(run("score", *words)[0])["figures"]["all"]
    codes = list(figures["types"])
    binarizer = MultiLabelBinarizer(classes=codes)
    truth = binarizer.fit_transform(
        [
            [code for code, there in decided.items() if there] or ["NONE"]
            for decided in GPT4["decided"].values()
        ]
    )
    said = binarizer.fit_transform([GPT4["system"].get(item) or ["NONE"] for item in GPT4["decided"]])
    by_type = np.array(precision_recall_fscore_support(truth, said, average=None, zero_division=0)[:3]).T
    names = ("precision", "recall", "f1")
    for code, expected in zip(codes, by_type, strict=True):
        found = [figures["types"][code][name]["value"] or 0.0 for name in names]
        assert found == pytest.approx(list(expected), abs=1e-12), code
    for average, ours in (("micro", "micro"), ("macro", "macro_zero")):
        expected = precision_recall_fscore_support(truth, said, average=average, zero_division=0)[:3]
        assert [figures[ours][name]["value"] for name in names] == pytest.approx(list(expected), abs=1e-12)
