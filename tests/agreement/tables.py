"""Rating tables for the tests: those of the reference files, and random ones."""

import json
from functools import cache
from pathlib import Path

import numpy as np

REFERENCE = Path(__file__).resolve().parent.parent / "reference"


@cache
def known_answers() -> tuple[dict, ...]:
    return tuple(json.loads((REFERENCE / "known_answers.json").read_text(encoding="utf-8"))["cases"])


def known_answer(case_id: str) -> dict:
    return next(case for case in known_answers() if case["id"] == case_id)


def codes(ratings: list, categories: list, n_raters: int) -> np.ndarray:
    """Return (items, raters) codes of labels, -1 for None."""
    code = {label: number for number, label in enumerate(categories)}
    table = [[-1 if label is None else code[label] for label in row] for row in ratings]
    return np.array(table, dtype=np.int64).reshape(len(ratings), n_raters)


def case_ratings(case: dict) -> np.ndarray:
    return codes(case["ratings"], case["categories"], case["n_raters"])


def two_by_two(a: int, b: int, c: int, d: int) -> np.ndarray:
    """Return the ratings behind a 2x2 table: a both 0, b 0 and 1, c 1 and 0, d both 1."""
    return np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], [a, b, c, d], axis=0)


def random_ratings(
    rng: np.random.Generator,
    n_items: int,
    n_raters: int,
    q: int,
    *,
    accuracy: float = 0.7,
    missing: float = 0.0,
) -> np.ndarray:
    """Return ratings of which a share is right, the others any category, with cells missing at random."""
    shape = (n_items, n_raters)
    truth = rng.integers(q, size=(n_items, 1))
    ratings = np.where(rng.random(shape) < accuracy, truth, rng.integers(q, size=shape))
    return np.where(rng.random(shape) < missing, -1, ratings)
