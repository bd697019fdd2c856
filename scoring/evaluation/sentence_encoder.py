"""One vector a sentence, for the method `sts`: the mean of an encoder's last hidden states, as they are.

All tokens of the attention mask count, start and end markers included, and nothing is normalised: so
sentence encoders are trained. The encoder of BERTScore drops the markers and normalises each token.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from agreement.spans.encoders import (
    INSTALL,
    INSTALL_TORCH,
    EncoderUnavailable,
    hub_folder,
    longest_input,
    onnx_file,
    sha256_of_files,
)
from scoring.evaluation.vector_store import VectorStore
from scoring.figures.figure import FloatArray

BATCH = 32


class SentenceEncoder:
    """An encoder of a folder, or of a hub's repository (`owner/name@revision`), as ONNX or by torch.

    Vectors are kept by text as long as it lives, and in the file `kept` where one is given. Raises
    EncoderUnavailable.
    """

    def __init__(self, wanted: str, kept: Path | None = None) -> None:
        folder = Path(wanted).expanduser()
        name, _, revision = wanted.partition("@")
        if folder.is_dir():
            name, revision = folder.resolve().name, ""
        elif Path(wanted).is_absolute() or wanted.startswith((".", "~")):
            raise EncoderUnavailable(f"there is no folder {wanted}")
        else:
            folder = hub_folder(name, revision or None, None)
        model = onnx_file(folder)
        if model is not None:
            self._embedded = _by_onnx(folder, model, name)
            files = [model, *model.parent.glob(f"{model.name}_data"), folder / "tokenizer.json"]
        else:
            self._embedded = _by_torch(folder, name)
            files = sorted(
                path for path in folder.iterdir() if path.suffix in {".json", ".safetensors", ".txt"}
            )
        self.name = name
        self.revision = folder.name if revision else sha256_of_files(files)
        self._vectors: dict[str, FloatArray] = {}
        self._store = VectorStore(kept, f"{name}@{self.revision}") if kept is not None else None

    def to_json(self) -> dict[str, str]:
        """Return what every figure of the encoder names."""
        return {"name": self.name, "revision": self.revision}

    def table(self, questions: Sequence[str], references: Sequence[str]) -> FloatArray:
        """Return the cosine of each question with each reference, (questions, references)."""
        first, second = self._of(questions), self._of(references)
        return first @ second.T

    def _of(self, texts: Sequence[str]) -> FloatArray:
        new = {text for text in texts if text not in self._vectors}
        if new and self._store is not None:
            self._vectors.update(self._store.get(sorted(new)))
            new -= self._vectors.keys()
        ordered = sorted(new, key=lambda text: (len(text), text))
        for at in range(0, len(ordered), BATCH):
            batch = ordered[at : at + BATCH]
            found = dict(zip(batch, self._embedded(batch), strict=True))
            self._vectors.update(found)
            if self._store is not None:
                self._store.put(found)
        vectors = np.array([self._vectors[text] for text in texts])
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.where(lengths > 0, lengths, 1), dtype=np.float64)


Embed = Callable[[Sequence[str]], FloatArray]
"""One vector a text, (texts, dimensions)."""


def _by_onnx(folder: Path, model: Path, name: str) -> Embed:
    try:
        import onnxruntime
        from tokenizers import Tokenizer
    except ImportError:
        raise EncoderUnavailable(f"run: {INSTALL}") from None
    try:
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    except Exception as error:  # both libraries raise classes of their own, some of them plain Exception
        raise EncoderUnavailable(f"{model.name} or tokenizer.json of {name} cannot be read") from error
    tokenizer.enable_truncation(longest_input(folder, (tokenizer.truncation or {}).get("max_length")))
    tokenizer.no_padding()
    inputs = {entry.name for entry in session.get_inputs()}
    states = [entry.name for entry in session.get_outputs() if len(entry.shape) == 3]
    if not states or not {"input_ids", "attention_mask"} <= inputs:
        raise EncoderUnavailable(f"{model.name} is no encoder that gives one vector a token")

    def embedded(texts: Sequence[str]) -> FloatArray:
        encodings = tokenizer.encode_batch(list(texts))
        shape = len(texts), max(len(encoding.ids) for encoding in encodings)
        feed = {name: np.zeros(shape, dtype=np.int64) for name in inputs}
        for row, encoding in enumerate(encodings):
            feed["input_ids"][row, : len(encoding.ids)] = encoding.ids
            feed["attention_mask"][row, : len(encoding.ids)] = 1
        (hidden,) = session.run([states[0]], feed)
        return _mean(hidden, feed["attention_mask"])

    return embedded


def _by_torch(folder: Path, name: str) -> Embed:
    try:
        import torch
        from transformers import AutoModel, AutoTokenizer
    except ImportError:
        raise EncoderUnavailable(
            f"{name} has no model.onnx: export it as ONNX, or run: {INSTALL_TORCH}"
        ) from None
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        model = AutoModel.from_pretrained(folder, local_files_only=True).eval()
    except Exception as error:  # missing files, unknown architectures, broken weights
        raise EncoderUnavailable(f"transformers cannot load {name} ({type(error).__name__})") from error
    longest = longest_input(folder, tokenizer.model_max_length)

    def embedded(texts: Sequence[str]) -> FloatArray:
        batch = tokenizer(list(texts), padding=True, truncation=True, max_length=longest, return_tensors="pt")
        with torch.inference_mode():
            hidden = model(**batch).last_hidden_state.float().numpy()
        return _mean(hidden, batch["attention_mask"].numpy())

    return embedded


def _mean(hidden: ArrayLike, attention: ArrayLike) -> FloatArray:
    """Return the mean state of the tokens that count: (texts, tokens, dimensions) and (texts, tokens)."""
    mask = np.asarray(attention, dtype=np.float64)[:, :, None]
    states = np.asarray(hidden, dtype=np.float64)
    return np.asarray((states * mask).sum(axis=1) / np.maximum(mask.sum(axis=1), 1), dtype=np.float64)
