"""The models that methods compare questions by, as the installation's settings name them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from django.conf import settings

from agreement.spans.encoders import (
    Encoder,
    EncoderUnavailable,
    MissingEncoder,
    encoder_label,
    encoder_or_missing,
)
from scoring.evaluation.evaluate import TextModel
from scoring.evaluation.faults import CannotScore
from scoring.evaluation.pair_models import PairModel
from scoring.evaluation.questions import MODEL_MISSING, Method
from scoring.evaluation.sentence_encoder import SentenceEncoder


def model_wanted(method: str) -> str:
    """Return the folder or hub's name of the model of a method; empty for none."""
    wanted = {"sts": settings.SENTENCE_ENCODER, "bleurt": settings.BLEURT, "comet": settings.COMET}
    return str(wanted.get(method, ""))


def models_of(
    methods: Iterable[Method], tell: Callable[[str], object], *, encoder: str | None = None
) -> dict[str, TextModel]:
    """Return the models that methods need; of one that is not there `tell` is told why.

    encoder : that of sts, where it is not that of the settings. Raises CannotScore where it is named and
    cannot be loaded.
    """
    found: dict[str, TextModel] = {}
    for name in {method.name for method in methods} & MODEL_MISSING.keys():
        wanted = encoder if name == "sts" and encoder is not None else model_wanted(name)
        try:
            if wanted:
                found[name] = text_model(name, wanted)
        except EncoderUnavailable as missing:
            if name == "sts":
                raise CannotScore(f"The sentence encoder cannot be loaded: {missing}") from None
            tell(f"{name}: not computed: {missing}")
    return found


def span_encoder() -> Encoder | MissingEncoder | None:
    """Return the encoder of BERTScore between spans; None where the installation names none."""
    return encoder_or_missing(settings.ENCODER) if settings.ENCODER else None


def span_parameters() -> dict[str, str]:
    """Return what names it in the parameters of an evaluation of types and spans."""
    return {"encoder": encoder_label(settings.ENCODER)} if settings.ENCODER else {}


def text_model(method: str, wanted: str) -> TextModel:
    """Load the model of a method. Raises EncoderUnavailable, with what to do."""
    if method != "sts":
        return PairModel(method, wanted)
    if not wanted:
        raise EncoderUnavailable("there is none: set ELENCHUS_SENTENCE_ENCODER")
    return SentenceEncoder(wanted, settings.SENTENCE_VECTORS)
