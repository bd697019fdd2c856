"""Loading encoders for BERTScore: a folder or the name of a hub's repository, by onnxruntime or by torch.

Nothing of this is imported before an encoder is asked for: `pip install -r requirements-semantic.txt` brings
onnxruntime and tokenizers. Encoders without an ONNX file need torch and transformers besides.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from agreement.spans.bertscore import Embed, Embedded

INSTALL = "pip install -r requirements-semantic.txt"
INSTALL_TORCH = "pip install torch transformers"

LAYERS = {"roberta-large": 17}
"""Encoders whose BERTScore is by convention that of an earlier layer than the last (Zhang et al. 2020)."""

LONGEST = 512
"""Tokens that are read where an encoder does not say how many it reads."""

ONNX_FILES = ("model.onnx", "onnx/model.onnx")
_HUB_ONNX = ["*.json", "*.txt", "*.model", *ONNX_FILES, *(f"{name}_data" for name in ONNX_FILES)]
_HUB_TORCH = ["*.json", "*.txt", "*.model", "*.safetensors"]


class EncoderUnavailable(Exception):
    """The encoder cannot be loaded here; the message says what to do, and quotes no text that was judged."""


class EncoderNamed(TypedDict):
    """An encoder as a report names it; reason says why it could not be loaded."""

    name: str
    revision: str | None
    runtime: str | None
    layer: int | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class Encoder:
    """An encoder that is ready.

    revision: a commit of the hub, or sha256:... of the files of a folder; layer: the hidden layer whose
    vectors are compared, None for the last.
    """

    name: str
    revision: str
    runtime: str
    layer: int | None
    embed: Embed

    def to_json(self) -> EncoderNamed:
        return {
            "name": self.name,
            "revision": self.revision,
            "runtime": self.runtime,
            "layer": self.layer,
            "reason": None,
        }


@dataclass(frozen=True, slots=True)
class MissingEncoder:
    """An encoder that the installation names and that could not be loaded; `why` says what to do."""

    name: str
    why: str

    def to_json(self) -> EncoderNamed:
        return {"name": self.name, "revision": None, "runtime": None, "layer": None, "reason": self.why}


def encoder_label(wanted: str) -> str:
    """Return what to call an encoder: its name on the hub, or the last part of a folder's path.

    >>> encoder_label("/srv/encoders/minilm"), encoder_label("owner/name@4f2a")
    ('minilm', 'owner/name@4f2a')
    """
    folder = Path(wanted).expanduser()
    return folder.resolve().name if _is_path(wanted) or folder.is_dir() else wanted


def encoder_or_missing(wanted: str) -> Encoder | MissingEncoder:
    """Return the encoder, or why it cannot be loaded here: a report does not fail for want of it."""
    try:
        return load_encoder(wanted)
    except EncoderUnavailable as missing:
        return MissingEncoder(encoder_label(wanted), str(missing))


def _is_path(wanted: str) -> bool:
    return Path(wanted).is_absolute() or wanted.startswith((".", "~"))


def load_encoder(wanted: str) -> Encoder:
    """Return the encoder of a folder, or of a hub's repository: `owner/name`, or `owner/name@revision`.

    A folder holds `tokenizer.json` and `model.onnx` (or `onnx/model.onnx`), or what transformers reads.
    Raises EncoderUnavailable.
    """
    folder = Path(wanted).expanduser()
    if folder.is_dir():
        return _of_folder(folder, folder.resolve().name, revision=None)
    if _is_path(wanted):
        raise EncoderUnavailable(f"there is no folder {folder.name} at the path of ELENCHUS_ENCODER")
    name, _, revision = wanted.partition("@")
    return _of_folder(hub_folder(name, revision or None, _layer(name)), name, revision=revision)


def _layer(name: str) -> int | None:
    return LAYERS.get(name.rstrip("/").rpartition("/")[2])


def hub_folder(name: str, revision: str | None, layer: int | None) -> Path:
    """Return the local copy of a hub's repository, fetched where it is not there yet."""
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise EncoderUnavailable(f"run: {INSTALL}") from None
    try:
        folder = Path(snapshot_download(name, revision=revision, allow_patterns=_HUB_ONNX))
        if layer is not None or onnx_file(folder) is None:
            folder = Path(snapshot_download(name, revision=revision, allow_patterns=_HUB_TORCH))
    except Exception as error:  # of the hub, the network, the disk: each with its own classes
        raise EncoderUnavailable(f"{name} cannot be had from the hub ({type(error).__name__})") from error
    return folder


def _of_folder(folder: Path, name: str, *, revision: str | None) -> Encoder:
    layer, onnx = _layer(name), onnx_file(folder)
    # An ONNX file ends with the last layer: where another one is the convention, torch has to give it.
    if onnx is not None and layer is None:
        files = [onnx, *onnx.parent.glob(f"{onnx.name}_data"), folder / "tokenizer.json"]
        embed, runtime = _onnx_embed(folder, onnx), "onnxruntime"
    else:
        files = sorted(path for path in folder.iterdir() if path.suffix in {".json", ".safetensors", ".txt"})
        embed, runtime = _torch_embed(folder, layer), "transformers"
    return Encoder(
        name=name,
        # A snapshot of the hub lies in a folder that is called like its commit.
        revision=sha256_of_files(files) if revision is None else folder.name,
        runtime=runtime,
        layer=layer,
        embed=embed,
    )


def onnx_file(folder: Path) -> Path | None:
    return next((folder / name for name in ONNX_FILES if (folder / name).is_file()), None)


def _onnx_embed(folder: Path, model: Path) -> Embed:
    try:
        import onnxruntime
        from tokenizers import Tokenizer
    except ImportError:
        raise EncoderUnavailable(f"run: {INSTALL}") from None
    try:
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    except Exception as error:  # both libraries raise classes of their own, some of them plain Exception
        raise EncoderUnavailable(f"{model.name} or tokenizer.json of {folder.name} cannot be read") from error
    tokenizer.enable_truncation(longest_input(folder, (tokenizer.truncation or {}).get("max_length")))
    tokenizer.no_padding()
    inputs = {entry.name for entry in session.get_inputs()}
    output = next((entry.name for entry in session.get_outputs() if len(entry.shape) == 3), None)
    if output is None or not {"input_ids", "attention_mask"} <= inputs <= _ONNX_INPUTS:
        raise EncoderUnavailable(f"{model.name} is no encoder that gives one vector a token")

    def embed(texts: Sequence[str]) -> list[Embedded]:
        encodings = tokenizer.encode_batch(list(texts))
        shape = len(texts), max(len(encoding.ids) for encoding in encodings)
        feed = {name: np.zeros(shape, dtype=np.int64) for name in inputs}
        for row, encoding in enumerate(encodings):
            feed["input_ids"][row, : len(encoding.ids)] = encoding.ids
            feed["attention_mask"][row, : len(encoding.ids)] = 1
        (hidden,) = session.run([output], feed)
        return [
            _embedded(states[: len(encoding.ids)], encoding.special_tokens_mask, bool(encoding.overflowing))
            for states, encoding in zip(hidden, encodings, strict=True)
        ]

    return embed


_ONNX_INPUTS = {"input_ids", "attention_mask", "token_type_ids"}


def _torch_embed(folder: Path, layer: int | None) -> Embed:
    try:
        import torch
        from transformers import AutoConfig, AutoModel, AutoTokenizer
    except ImportError:
        why = "has no ONNX file" if layer is None else f"is to be read at layer {layer}"
        raise EncoderUnavailable(f"{folder.name} {why}: run {INSTALL_TORCH}") from None
    # A model with fewer layers than its file computes no more than what is compared.
    options = {} if layer is None else {"num_hidden_layers": layer}
    try:
        if layer is not None and AutoConfig.from_pretrained(folder).num_hidden_layers < layer:
            raise EncoderUnavailable(f"{folder.name} has fewer than {layer} layers")
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        model = AutoModel.from_pretrained(folder, local_files_only=True, **options).eval()
    except EncoderUnavailable:
        raise
    except Exception as error:  # missing files, unknown architectures, broken weights
        raise EncoderUnavailable(
            f"transformers cannot load {folder.name} ({type(error).__name__})"
        ) from error
    longest = longest_input(folder, tokenizer.model_max_length)

    def embed(texts: Sequence[str]) -> list[Embedded]:
        whole = tokenizer(list(texts), verbose=False)["input_ids"]
        batch = tokenizer(
            list(texts),
            padding=True,
            truncation=True,
            max_length=longest,
            return_special_tokens_mask=True,
            return_tensors="pt",
        )
        markers = batch.pop("special_tokens_mask").numpy()
        lengths = batch["attention_mask"].sum(dim=1).tolist()
        with torch.inference_mode():
            hidden = model(**batch).last_hidden_state.float().numpy()
        return [
            _embedded(states[:length], marker[:length], len(ids) > length)
            for states, marker, length, ids in zip(hidden, markers, lengths, whole, strict=True)
        ]

    return embed


def _embedded(states: NDArray[np.floating], markers: Iterable[int], cut: bool) -> Embedded:
    vectors = np.asarray(states, dtype=np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return Embedded(
        (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32),
        np.asarray([not marker for marker in markers], dtype=np.bool_),
        cut,
    )


def longest_input(folder: Path, declared: int | None) -> int:
    """Return how many tokens the encoder reads: what its tokenizer declares, LONGEST at most."""
    config = folder / "tokenizer_config.json"
    if config.is_file():
        declared = json.loads(config.read_text(encoding="utf-8")).get("model_max_length", declared)
    return int(min(declared or LONGEST, LONGEST))


def sha256_of_files(files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in files:
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return f"sha256:{digest.hexdigest()}"
