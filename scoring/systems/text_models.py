"""The models that methods compare questions by, as the installation's settings name them."""

from __future__ import annotations

from django.conf import settings

from agreement.spans.encoders import EncoderUnavailable
from scoring.evaluation.evaluate import TextModel
from scoring.evaluation.pair_models import PairModel
from scoring.evaluation.sentence_encoder import SentenceEncoder


def model_wanted(method: str) -> str:
    """Return the folder or hub's name of the model of a method; empty for none."""
    wanted = {"sts": settings.SENTENCE_ENCODER, "bleurt": settings.BLEURT, "comet": settings.COMET}
    return str(wanted.get(method, ""))


def text_model(method: str, wanted: str) -> TextModel:
    """Load the model of a method. Raises EncoderUnavailable, with what to do."""
    if method != "sts":
        return PairModel(method, wanted)
    if not wanted:
        raise EncoderUnavailable("there is none: set ELENCHUS_SENTENCE_ENCODER")
    return SentenceEncoder(wanted, settings.SENTENCE_VECTORS)
