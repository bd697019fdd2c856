"""BERTScore of the spans of a round: mean F1 of the pairs who both said yes, with its interval over items.

Added to a report only where the installation has an encoder. Precision and recall are left out: which of two
annotators is the candidate is chance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from agreement.encoders import Encoder, MissingEncoder
from agreement.results import NO_PAIRS, Estimate, undefined
from agreement.semantic import Embedded, pair_scores
from agreement.span_findings import Floats, ratio_estimate, resampled_sums

BERTSCORE = "bertscore"
DIGITS = 4
"""Digits after the point that a figure of an encoder keeps: more are not the same on every machine."""

ENCODER_UNAVAILABLE = "encoder_unavailable"
NO_ENCODER = "no_encoder"
NO_ENCODER_TOKEN = "no_encoder_token"


@dataclass(slots=True)
class SpanTexts:
    """The texts of the spans of a round, unit by unit, and what their pairs scored.

    rows: for each type {item: [sum of F1, number of pairs]}; n_without_token counts the pairs of each type
    that have no score, n_cut the spans that the encoder did not read to their end.
    """

    encoder: Encoder
    units: list[tuple[int, int, list[str]]] = field(default_factory=list)
    rows: dict[int, dict[int, Floats]] = field(default_factory=dict)
    n_without_token: dict[int, int] = field(default_factory=dict)
    n_cut: int = 0

    def add(self, kind: int, item: int, texts: list[str]) -> None:
        self.units.append((kind, item, texts))

    def score(self, *, alive: Callable[[], None]) -> None:
        """Encode and compare; `alive` is called after each batch, because this can take minutes."""

        def embed(texts: Sequence[str]) -> list[Embedded]:
            embedded = self.encoder.embed(texts)
            self.n_cut += sum(text.cut for text in embedded)
            alive()
            return embedded

        scored = pair_scores((texts for _, _, texts in self.units), embed)
        for (kind, item, _), scores in zip(self.units, scored, strict=True):
            found = [score.f1 for score in scores if score is not None]
            self.rows.setdefault(kind, {})[item] = np.array([sum(found), len(found)], dtype=np.float64)
            self.n_without_token[kind] = self.n_without_token.get(kind, 0) + len(scores) - len(found)

    def figures(
        self, sections: Mapping[str, Sequence[int]], *, n_items: int, parameters: dict[str, Any]
    ) -> dict[str, dict[str, Any]]:
        """Return the figure of each section, given by the types in it; one draw of resamples serves all."""
        items = sorted({item for rows in self.rows.values() for item in rows})
        place = {item: row for row, item in enumerate(items)}
        matrices = {}
        for key, kinds in sections.items():
            matrices[key] = np.zeros((len(items), 2))
            for kind in kinds:
                for item, row in self.rows.get(kind, {}).items():
                    matrices[key][place[item]] += row
        resampled = resampled_sums(matrices, len(items), n_items, parameters)
        return {
            key: {
                **_rounded(self._estimate(kinds, matrices[key], resampled.get(key))).to_json(),
                "n_pairs": int(matrices[key][:, 1].sum()),
            }
            for key, kinds in sections.items()
        }

    def _estimate(self, kinds: Sequence[int], sums: Floats, resampled: Floats | None) -> Estimate:
        if sums[:, 1].any():
            return ratio_estimate(sums, resampled)
        without = sum(self.n_without_token.get(kind, 0) for kind in kinds)
        return undefined(NO_ENCODER_TOKEN if without else NO_PAIRS)


def bertscore_add(
    spans: dict[str, dict[str, Any]],
    encoder: Encoder | MissingEncoder,
    texts: SpanTexts | None,
    sections: Mapping[str, Sequence[int]],
    *,
    n_items: int,
    parameters: dict[str, Any],
    alive: Callable[[], None],
) -> dict[str, Any]:
    """Put BERTScore among the similarities of each section; return what to say about the encoder."""
    if texts is None:
        missing = {**undefined(ENCODER_UNAVAILABLE).to_json(), "n_pairs": 0}
        found = dict.fromkeys(sections, missing)
    else:
        texts.score(alive=alive)
        found = texts.figures(sections, n_items=n_items, parameters=parameters)
    for key, figure in found.items():
        spans[key]["similarity"][BERTSCORE] = figure
    return {**encoder.to_json(), "n_cut": 0 if texts is None else texts.n_cut}


def _rounded(estimate: Estimate) -> Estimate:
    def kept(number: float | None) -> float | None:
        return None if number is None else round(number, DIGITS)

    return replace(estimate, value=kept(estimate.value), low=kept(estimate.low), high=kept(estimate.high))


def bertscore_figure(section: Mapping[str, Any]) -> dict[str, Any]:
    """Return BERTScore of a section of a report that has spans, undefined where none was computed."""
    found = section["spans"]["similarity"].get(BERTSCORE)
    return found or {**undefined(NO_ENCODER).to_json(), "n_pairs": 0}
