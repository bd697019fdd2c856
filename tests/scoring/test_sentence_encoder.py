"""The encoder of sts: by torch where there is no ONNX file, and the published values by all-MiniLM-L6-v2."""

import json
import os
import sys
from contextlib import nullcontext
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from agreement.spans.encoders import EncoderUnavailable
from scoring.evaluation.sentence_encoder import SentenceEncoder
from tests.scoring.test_questions import known
from tests.scoring.test_score_command import run, write


class Tensor(np.ndarray):
    """An array with what of a tensor is asked for."""

    def float(self):
        return self

    def numpy(self):
        return np.asarray(self)


class Tokenizer:
    """One token a letter: its number in the alphabet."""

    model_max_length = 4

    def __call__(self, texts, *, padding, truncation, max_length, return_tensors):
        assert (padding, truncation, return_tensors) == (True, True, "pt")
        rows = [[ord(letter) - 96 for letter in text][:max_length] for text in texts]
        width = max(map(len, rows))
        ids = np.array([row + [0] * (width - len(row)) for row in rows])
        return {"input_ids": ids.view(Tensor), "attention_mask": (ids > 0).astype(int).view(Tensor)}


class Model:
    """The state of a token is its number and 1, that of padding is wild."""

    def eval(self):
        return self

    def __call__(self, *, input_ids, attention_mask):
        states = np.stack([input_ids, np.ones_like(input_ids)], axis=-1).astype(float)
        states[np.asarray(attention_mask) == 0] = 99.0
        return SimpleNamespace(last_hidden_state=states.view(Tensor))


@pytest.fixture
def by_torch(tmp_path, monkeypatch):
    torch, transformers = ModuleType("torch"), ModuleType("transformers")
    torch.inference_mode = nullcontext
    transformers.AutoTokenizer = SimpleNamespace(from_pretrained=lambda *args, **choices: Tokenizer())
    transformers.AutoModel = SimpleNamespace(from_pretrained=lambda *args, **choices: Model())
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "transformers", transformers)
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    return tmp_path


def test_without_an_onnx_file_torch_gives_the_states_whose_mean_is_compared(by_torch):
    encoder = SentenceEncoder(str(by_torch))
    # "ab" has the mean (1.5, 1), "c" (3, 1), and of "aaaaz" four letters are read: (1, 1).
    found = encoder.table(["ab"], ["c", "aaaaz"])
    expected = [(1.5 * 3 + 1) / np.hypot(1.5, 1) / np.hypot(3, 1), 2.5 / np.hypot(1.5, 1) / np.hypot(1, 1)]
    assert found[0].tolist() == pytest.approx(expected)
    assert encoder.revision.startswith("sha256:")


def test_without_torch_it_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(
        EncoderUnavailable, match=r"has no model\.onnx: export it as ONNX, or run: pip install"
    ):
        SentenceEncoder(str(tmp_path))


# A test only where the model is: 90 MB are not fetched for it.
if MINILM := os.environ.get("ELENCHUS_TEST_MINILM", ""):

    def test_all_minilm_gives_the_labels_of_the_authors_program(shared_data):
        cqs, truth = shared_data / "cqs_gen", known("cqs_llama8")
        words = ["--references", str(cqs / "sample.json"), "--codebook", "cqs_gen", "--encoder", MINILM]
        words += ["--answers", str(cqs / "submission_llama8.json"), "--method", "sts:0.6", "--method", "sts"]
        found = {
            one["method"]["threshold"]: one["figures"]
            for one in json.loads(run("score", *words, json=True, replicates=0)[0])["evaluations"]
        }
        for row in truth["results"]:
            if row["method"] == "sts_minilm" and row["threshold"] in found:
                figures = found[row["threshold"]]
                given = [label for labels in row["labels"].values() for label in labels]
                assert {label: given.count(label) for label in figures["labels"]} == figures["labels"]
        assert found[0.65]["score"]["value"] == pytest.approx(1 / 3)
        assert found[0.65]["nae"] == 5


def test_bertscore_is_a_measure_of_spans_where_an_encoder_is_set_up(tmp_path, settings):
    from agreement.spans.bertscore import bertscore
    from agreement.spans.encoders import load_encoder
    from tests.agreement.small_encoder import encoder_folder

    text = "Taxes will rise and jobs will go."
    references = {
        "a": {
            "argument": text,
            "labels": [
                {
                    "code": "LE",
                    "fsq_type": "LE",
                    "applicable": True,
                    "gold_spans": [{"start": 0, "end": 15, "text": text[:15]}],
                    "disagreement_spans": [],
                }
            ],
        }
    }
    answers = {"a": {"fsq_types": ["LE"], "spans": ["jobs will go"]}}
    words = ["--references", write(tmp_path, "refs.json", references), "--codebook", "focus"]
    words += ["--answers", write(tmp_path, "run.json", answers)]

    def scored():
        return json.loads(run("score", *words, json=True, replicates=0)[0])

    assert "bertscore" not in scored()["figures"]["spans"]["gold"]["mean"]
    (tmp_path / "encoder").mkdir()
    settings.ENCODER = str(encoder_folder(tmp_path / "encoder"))
    found = scored()
    expected = bertscore(*load_encoder(settings.ENCODER).embed(sorted([text[:15], "jobs will go"])))
    assert found["figures"]["spans"]["gold"]["mean"]["bertscore"]["value"] == pytest.approx(
        expected.f1, abs=1e-4
    )
    assert found["encoder"]["name"] == "minilm-int8"
    settings.ENCODER = str(tmp_path / "away")
    missing = scored()
    assert missing["encoder"]["reason"] and "bertscore" not in missing["figures"]["spans"]["gold"]["mean"]
