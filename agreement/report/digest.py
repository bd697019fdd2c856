"""What a report was computed from, in one number, and the encoder that is part of it."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from agreement.report.assembly import REPORT_VERSION
from agreement.spans.encoders import Encoder, MissingEncoder, encoder_label, encoder_or_missing
from core.canonical_json import sha256_of


def report_digest(
    judgements_sha256: str, parameters: dict[str, Any], encoder: Encoder | MissingEncoder | None = None
) -> str:
    """Return the SHA-256 that covers judgements, parameters, code version and the encoder, if any."""
    covered: list[Any] = [judgements_sha256, parameters, REPORT_VERSION]
    return sha256_of([*covered, encoder.to_json()] if encoder else covered)


def encoder_of(parameters: dict[str, Any]) -> Encoder | MissingEncoder | None:
    """Return the encoder that the report was asked to use; a worker may be set up otherwise than the web."""
    name = parameters.get("encoder")
    if name is None:
        return None
    here = settings.ENCODER
    if not here or encoder_label(here) != name:
        return MissingEncoder(name, "ELENCHUS_ENCODER of the worker names another encoder")
    return encoder_or_missing(here)
