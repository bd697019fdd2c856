"""How long scoring a system takes: python bench/scoring.py [--large]

FOCUS with 300 items, ten types and 1,000 resamples; CQs-Gen with 34 items, three questions and 69 references
each by chrF; the check of a file of 34 items. --large adds FOCUS with 110,000 items. With an encoder in
ELENCHUS_SENTENCE_ENCODER the method sts is timed twice: the second time its vectors are kept. Prints seconds,
CPU and the largest memory so far.
"""

import argparse
import json
import os
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.embedded")

WORDS = [f"word{number}" for number in range(400)]


def measured(what: str, act: Callable[[], Any], goal: str) -> Any:
    """Do something and print how long it took."""
    cpu, started = time.process_time(), time.perf_counter()
    found = act()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    took, used = time.perf_counter() - started, time.process_time() - cpu
    print(f"{took:8.2f} s {used:8.2f} s CPU {memory:6} MB  {what} (goal {goal})", flush=True)
    return found


def focus_files(n_items: int) -> tuple[bytes, bytes]:
    """Return references and a system's answers about arguments of 60 words."""
    from scoring.evaluation.sources import codebook_named

    rng = random.Random(1)
    kinds = codebook_named("focus").types
    references, answers = {}, {}
    for number in range(n_items):
        words = rng.choices(WORDS, k=60)
        text, labels = " ".join(words), []
        for kind in kinds:
            label = {"code": kind.code, "fsq_type": kind.name, "applicable": rng.random() < 0.2}
            spans = [_span(text, words, rng)] if label["applicable"] else []
            labels.append({**label, "gold_spans": spans, "disagreement_spans": []})
        references[f"A{number}"] = {"argument": text, "labels": labels}
        said = rng.sample(kinds, 2)
        answers[f"A{number}"] = {
            "fsq_types": [kind.name for kind in said],
            "spans": [_span(text, words, rng)["text"] for _ in said],
        }
    return json.dumps(references).encode(), json.dumps(answers).encode()


def _span(text: str, words: list[str], rng: random.Random) -> dict[str, Any]:
    first = rng.randrange(50)
    start = len(" ".join(words[:first])) + (first > 0)
    end = start + len(" ".join(words[first : first + rng.randint(2, 8)]))
    return {"start": start, "end": end, "text": text[start:end]}


def question_files(n_items: int, n_references: int) -> tuple[bytes, bytes]:
    """Return references and a system's three questions about interventions."""
    rng = random.Random(2)
    references, answers = {}, {}
    for number in range(n_items):
        asked = [
            {
                "id": str(at),
                "cq": " ".join(rng.choices(WORDS, k=14)) + "?",
                "label": rng.choice(["Useful", "Invalid"]),
            }
            for at in range(n_references)
        ]
        references[f"I{number}"] = {"intervention": " ".join(rng.choices(WORDS, k=120)), "cqs": asked}
        questions = [{"id": at, "cq": _question(rng)} for at in range(3)]
        answers[f"I{number}"] = {"cqs": questions}
    return json.dumps(references).encode(), json.dumps(answers).encode()


def _question(rng: random.Random) -> str:
    return " ".join(rng.choices(WORDS, k=14)) + "?"


def score(codebook: str, files: tuple[bytes, bytes], methods: list[str], encoder: Any = None) -> Any:
    """Read both files and score, as the command does."""
    from scoring.evaluation.evaluate import Choices, evaluate
    from scoring.evaluation.questions import read_method
    from scoring.evaluation.references import read_benchmark
    from scoring.evaluation.sources import codebook_named
    from scoring.evaluation.submissions import read_submission

    benchmark = read_benchmark(files[0], "references.json", codebook_named(codebook))
    submission = read_submission(files[1], "answers.json", benchmark)
    choices = Choices(
        methods=[read_method(method) for method in methods],
        models={"sts": encoder} if encoder else {},
        with_answers=False,
    )
    return evaluate(benchmark, [(submission, "0" * 64)], choices)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="also 110,000 items of FOCUS")
    options = parser.parse_args()
    import django

    django.setup()
    score("focus", focus_files(5), [])
    score("cqs_gen", question_files(3, 3), ["chrf"])
    small = focus_files(300)
    measured("FOCUS, 300 items, 1,000 resamples", lambda: score("focus", small, []), "2 s")
    questions = question_files(34, 69)
    measured("chrF, 34 items x 3 x 69 references", lambda: score("cqs_gen", questions, ["chrf"]), "3 s")
    from scoring.evaluation.references import read_benchmark
    from scoring.evaluation.sources import codebook_named
    from scoring.evaluation.submissions import read_submission

    benchmark = read_benchmark(questions[0], "references.json", codebook_named("cqs_gen"))
    check = lambda: read_submission(questions[1], "answers.json", benchmark)  # noqa: E731
    measured("check of a file of 34 items", check, "0.2 s")
    if wanted := os.environ.get("ELENCHUS_SENTENCE_ENCODER"):
        from scoring.evaluation.sentence_encoder import SentenceEncoder

        with tempfile.TemporaryDirectory() as folder:
            kept = Path(folder) / "vectors.sqlite3"
            for what, goal in (("the first time", "30 s"), ("with kept vectors", "2 s")):
                encoder = SentenceEncoder(wanted, kept)
                act = lambda encoder=encoder: score("cqs_gen", questions, ["sts"], encoder)  # noqa: E731
                measured(f"sts, {what}", act, goal)
    if options.large:
        large = focus_files(110_000)
        measured("FOCUS, 110,000 items, 1,000 resamples", lambda: score("focus", large, []), "60 s, 500 MB")


if __name__ == "__main__":
    main()
