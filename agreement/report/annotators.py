"""What each annotator does: which answers, how often the same as the others, how long it takes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agreement.report.figures import AnnotatorFigures, RepeatFigures, SharesFigures, WithSelfFigures
from agreement.report.intra_rater import intra_rater_agreement
from agreement.report.judgements import Columns, RoundJudgements
from agreement.report.label_figures import is_crowd, seed_of
from agreement.report.sections import Section
from agreement.report.span_figures import Texts
from agreement.statistics.raters import RaterFigures, rater_figures


def annotator_figures(
    judgements: RoundJudgements, sections: list[Section], parameters: dict[str, Any], *, texts: Texts
) -> list[AnnotatorFigures]:
    """Return one entry an annotator: label shares and agreement with the rest, whole and by type; seconds.

    The whole is the section of all types or of the three labels; only it has bootstrap intervals. Agreement
    with oneself is there where the round asked something twice.
    """
    whole = next(section for section in sections if section.kind in ("all", "labels"))
    figures = _figures(whole, parameters, parameters["replicates"])
    by_type = {
        section.code: _figures(section, parameters, 0) for section in sections if section.kind == "type"
    }
    columns = judgements.columns
    with_self = intra_rater_agreement(judgements, parameters, texts=texts)
    return [
        {
            "pseudonym": name,
            **_entry(figures[rater], whole),
            **_with_self(with_self.get(rater)),
            "n_others": figures[rater].n_others,
            "n_cannot_judge": int(((columns.rater == rater) & (columns.value < 0)).sum()),
            "median_seconds": median_seconds(columns, columns.rater == rater),
            "types": {code: _entry(of_type[rater], whole) for code, of_type in by_type.items()},
        }
        for rater, name in enumerate(judgements.raters)
    ]


def _with_self(found: WithSelfFigures | None) -> RepeatFigures:
    return {} if found is None else {"with_self": found}


def _figures(section: Section, parameters: dict[str, Any], replicates: int) -> tuple[RaterFigures, ...]:
    return rater_figures(
        section.ratings,
        q=len(section.categories),
        seed=seed_of(parameters["seed"], section.key),
        # Of a crowd each has few units with each other: all count here, and there is no interval to speak of.
        replicates=0 if is_crowd(section.ratings) else replicates,
        clusters=section.clusters,
    )


def _entry(figures: RaterFigures, section: Section) -> SharesFigures:
    return {
        "n": figures.n_ratings,
        "shares": {
            code: share.to_json() for code, share in zip(section.categories, figures.shares, strict=True)
        },
        "with_rest": figures.with_rest.to_json(),
    }


def median_seconds(columns: Columns, which: NDArray[np.bool_]) -> float | None:
    """Return the median active time of a judgement; None where none was measured (judged elsewhere)."""
    seconds = columns.seconds[which & (columns.seconds > 0)]
    return float(np.median(seconds)) if seconds.size else None
