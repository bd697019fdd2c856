"""How long the report of a FOCUS round takes: 140 items, 3 annotators, 10 types with spans.

Run with `python bench/report.py`. Prints CPU seconds, imports and the cross-check apart, and its parts.
"""

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from agreement.report.assembly import build_report
from agreement.report.judgements import AnnotationType, Columns, Group, RoundItems, RoundJudgements
from agreement.report.parameters import DEFAULTS

ITEMS, RATERS, TYPES, WORDS = 140, 3, 10, 80


def judgements_make(n_items: int, seed: int = 1) -> tuple[RoundJudgements, dict[int, str]]:
    """Return a round in which annotators mostly agree: prevalences from 2% to 70%, spans of 1 to 12 words."""
    rng = np.random.default_rng(seed)
    texts = {item: " ".join(f"word{rng.integers(500)}" for _ in range(WORDS)) for item in range(n_items)}
    starts = {item: _word_bounds(text) for item, text in texts.items()}
    rows = []
    for kind, rate in enumerate(np.linspace(0.02, 0.7, TYPES)):
        for item in range(n_items):
            truth, place, length = rng.random() < rate, int(rng.integers(60)), int(rng.integers(1, 12))
            for rater in range(RATERS):
                yes = truth if rng.random() < 0.85 else not truth
                first = min(max(place + int(rng.integers(-2, 3)), 0), WORDS - 13)
                span = (starts[item][first][0], starts[item][first + length][1]) if yes else (-1, -1)
                rows.append((kind * n_items + item, rater, int(yes), *span, -1, int(rng.integers(3, 60))))
    whole = np.array(rows, dtype=np.int64)
    names = list(Columns.__dataclass_fields__)
    judgements = RoundJudgements(
        protocol="focus",
        types=tuple(AnnotationType(f"T{n}", f"Type {n}", f"g{n // 2}", span=True) for n in range(TYPES)),
        groups=tuple(Group(f"g{n}", f"Group {n}", "ABCDE"[n], "blue") for n in range(TYPES // 2)),
        categories=("no", "yes"),
        category_names=("No", "Yes"),
        reasons=(),
        reason_names=(),
        items=RoundItems(
            ids=np.arange(n_items),
            external_ids=tuple(f"i{n:05}" for n in range(n_items)),
            fields={"topic": [(f"topic {n % 8}",) for n in range(n_items)]},
        ),
        raters=("A1", "A2", "A3"),
        rater_ids=(1, 2, 3),
        unit_item=np.tile(np.arange(n_items), TYPES),
        question_ids=np.empty(0, dtype=np.int64),
        columns=Columns(**{name: whole[:, place] for place, name in enumerate(names)}),
    )
    return judgements, texts


def _word_bounds(text: str) -> list[tuple[int, int]]:
    bounds, place = [], 0
    for word in text.split(" "):
        bounds.append((place, place + len(word)))
        place += len(word) + 1
    return bounds


def main() -> None:
    judgements, texts = judgements_make(ITEMS)
    for label in ("first", "second"):
        begun, begun_cpu = time.perf_counter(), time.process_time()
        report = build_report(
            judgements,
            {**DEFAULTS, "live": False},
            texts=lambda ids: ((item, texts[item]) for item in ids),
            progress=lambda done, total: None,
        )
        cpu, wall = time.process_time() - begun_cpu, time.perf_counter() - begun
        print(
            f"{label} run: {cpu:.2f} s CPU, {wall:.2f} s wall, {judgements.n_judgements} judgements, "
            f"{len(report.spans)} consensus spans, {len(report.units)} disputed units"
        )


if __name__ == "__main__":
    main()
