"""Trained measures of two sentences, BLEURT and COMET, for the methods of their names.

Neither comes with Elenchus: each runs where its package is installed and ELENCHUS_BLEURT or ELENCHUS_COMET
names a checkpoint. COMET also reads a source, of which a question has none: it is empty, as in the CQs-Gen
authors' own program.

References
----------
Sellam T, Das D, Parikh A (2020) BLEURT: learning robust metrics for text generation. ACL.
doi:10.18653/v1/2020.acl-main.704
Rei R, Stewart C, Farinha AC, Lavie A (2020) COMET: a neural framework for MT evaluation. EMNLP.
doi:10.18653/v1/2020.emnlp-main.213
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from agreement.spans.encoders import EncoderUnavailable, sha256_of_files
from scoring.figures.figure import FloatArray

BATCH = 16
Score = Callable[[Sequence[str], Sequence[str]], Sequence[float]]
"""The similarity of each question with the reference at its place."""


class PairModel:
    """The model of a method, from a folder or a hub's repository (`owner/name@revision`).

    What it said of a pair is kept as long as it lives. Raises EncoderUnavailable, with what to do.
    """

    def __init__(self, method: str, wanted: str) -> None:
        if not wanted:
            raise EncoderUnavailable(f"there is none: set ELENCHUS_{method.upper()}")
        folder = Path(wanted).expanduser()
        name, _, revision = wanted.partition("@")
        if folder.is_dir():
            name, revision = folder.resolve().name, ""
        elif folder.is_absolute() or wanted.startswith("."):
            setting = f"ELENCHUS_{method.upper()}"
            raise EncoderUnavailable(f"there is no folder {folder.name} at the path of {setting}")
        else:
            folder = _hub_folder(name, revision or None)
        self.name = name
        try:
            self._score = LOADERS[method](folder)
        except ImportError as missing:
            raise EncoderUnavailable(f"run: {PACKAGES[method]} ({missing.name} is missing)") from None
        except EncoderUnavailable:
            raise
        except Exception as error:  # each library has classes of its own, some of them plain Exception
            raise EncoderUnavailable(f"{name} cannot be read ({type(error).__name__})") from error
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        self.revision = folder.name if revision else sha256_of_files(files)
        self._known: dict[tuple[str, str], float] = {}

    def to_json(self) -> dict[str, str]:
        """Return what every figure of the model names."""
        return {"name": self.name, "revision": self.revision}

    def table(self, questions: Sequence[str], references: Sequence[str]) -> FloatArray:
        """Return the similarity of each question with each reference, (questions, references)."""
        pairs = [(question, reference) for question in questions for reference in references]
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._known]
        if new:
            said = self._score([question for question, _ in new], [reference for _, reference in new])
            self._known.update(zip(new, map(float, said), strict=True))
        found = [self._known[pair] for pair in pairs]
        return np.array(found, dtype=np.float64).reshape(len(questions), len(references))


def _hub_folder(name: str, revision: str | None) -> Path:
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise EncoderUnavailable("run: pip install huggingface_hub, or name a folder") from None
    try:
        return Path(snapshot_download(name, revision=revision))
    except Exception as error:  # of the hub, the network, the disk: each with its own classes
        raise EncoderUnavailable(f"{name} cannot be had from the hub ({type(error).__name__})") from error


def _bleurt(folder: Path) -> Score:
    """Load a checkpoint of the authors' package, or one that was turned into PyTorch's form."""
    if (folder / "bleurt_config.json").exists():
        from bleurt.score import BleurtScorer

        scorer = BleurtScorer(str(folder))
        return lambda questions, references: scorer.score(
            references=list(references), candidates=list(questions), batch_size=BATCH
        )
    import torch
    from bleurt_pytorch import BleurtForSequenceClassification, BleurtTokenizer

    tokenizer = BleurtTokenizer.from_pretrained(str(folder))
    model = BleurtForSequenceClassification.from_pretrained(str(folder)).eval()

    def score(questions: Sequence[str], references: Sequence[str]) -> Sequence[float]:
        found: list[float] = []
        with torch.no_grad():
            for at in range(0, len(questions), BATCH):
                fed = tokenizer(
                    list(references[at : at + BATCH]),
                    list(questions[at : at + BATCH]),
                    padding="longest",
                    truncation=True,
                    max_length=512,
                    return_tensors="pt",
                )
                found += model(**fed).logits.flatten().tolist()
        return found

    return score


def _comet(folder: Path) -> Score:
    from comet import load_from_checkpoint

    checkpoints = sorted(folder.rglob("*.ckpt"))
    if len(checkpoints) != 1:
        raise EncoderUnavailable(f"{folder.name} has {len(checkpoints)} files *.ckpt where one is expected")
    model = load_from_checkpoint(str(checkpoints[0]))

    def score(questions: Sequence[str], references: Sequence[str]) -> Sequence[float]:
        data = [
            {"src": "", "mt": question, "ref": reference}
            for question, reference in zip(questions, references, strict=True)
        ]
        return list(model.predict(data, batch_size=BATCH, gpus=0, progress_bar=False)["scores"])

    return score


LOADERS: dict[str, Callable[[Path], Score]] = {"bleurt": _bleurt, "comet": _comet}
PACKAGES = {
    "bleurt": "pip install bleurt-pytorch torch transformers, or the authors’ package bleurt",
    "comet": "pip install unbabel-comet",
}
