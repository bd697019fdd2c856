"""Sentence chrF, the similarity of CQs-Gen that needs no model: sacrebleu's, with its defaults.

References
----------
Popović M (2015) chrF: character n-gram F-score for automatic MT evaluation. WMT. doi:10.18653/v1/W15-3049
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scoring.figures.figure import FloatArray


def chrf_table(questions: Sequence[str], references: Sequence[str]) -> FloatArray:
    """Return chrF of each question against each reference, (questions, references), 0 to 100.

    Character n-grams of 1 to 6, beta 2, white space removed, case kept.

    >>> chrf_table(["Who says so?"], ["Who says so?", "xyz"]).round(1).tolist()
    [[100.0, 0.0]]
    """
    # Slow to import, and needed by nothing else.
    from sacrebleu.metrics.chrf import CHRF

    metric = CHRF()
    return np.array(
        [
            [metric.sentence_score(question, [reference]).score for reference in references]
            for question in questions
        ],
        dtype=np.float64,
    ).reshape(len(questions), len(references))
