"""One way to write figures down, so that the same figures are the same bytes on every machine."""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any


def canonical(value: Any) -> Any:
    """Return plain JSON data with every float rounded to 12 significant digits.

    Raises ValueError for NaN and infinities: an undefined figure is None with a reason.
    """
    if isinstance(value, float):
        return canonical_float(value)
    if isinstance(value, dict):
        return {str(key): canonical(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [canonical(entry) for entry in value]
    return value


def canonical_json(value: Any) -> str:
    """Return JSON text with sorted keys and no spare space, ending in a newline.

    >>> canonical_json({"b": 1 / 3, "a": None})
    '{"a":null,"b":0.333333333333}\\n'
    """
    text = json.dumps(
        canonical(value), sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
    )
    return text + "\n"


def sha256_of(value: Any) -> str:
    """Return the SHA-256 of the canonical JSON of a value."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def canonical_float(value: float) -> float:
    """Round to 12 significant digits, so that one result has the same bytes on every machine.

    Raises ValueError for NaN and infinities: those are never a result.
    """
    if not math.isfinite(value):
        raise ValueError(f"A result must be a finite number, not {value!r}.")
    return float(f"{value:.12g}") + 0.0  # + 0.0 turns -0.0 into 0.0
