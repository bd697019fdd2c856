"""CQs-Gen: the label of each question that a system asks, by a method, and what that makes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from exports.shipped.score import words
from scoring.evaluation.faults import CannotScore
from scoring.evaluation.judge_prompts import JUDGED
from scoring.evaluation.references import Benchmark, Intervention
from scoring.evaluation.submissions import Question, Submission
from scoring.figures.chrf import chrf_table
from scoring.figures.diversity import (
    SUBSETS,
    at_equal_n,
    cr_diversity,
    first_words,
    ngram_published,
    ngram_within,
)
from scoring.figures.figure import FloatArray
from scoring.figures.matching import LABELS, NAE, THRESHOLDS, USEFUL, Match, match_questions, question_scores
from scoring.figures.people import Outcome, match_by_people, match_by_reference, undecided
from scoring.figures.thresholds import GRIDS, Nearest, threshold_table

NO_ENCODER = "no_encoder"
NO_MATCHING_ROUND = "no_matching_round"
DEFAULT_METHODS = ("chrf",)
PAIR_MODELS = ("bleurt", "comet")
"""Methods by a trained measure of two sentences, which is installed apart; their thresholds must be given."""

MODEL_MISSING = {"sts": NO_ENCODER, "bleurt": "no_bleurt", "comet": "no_comet"}
"""Why there are no figures by a method whose model is not there."""

BY_PEOPLE = {"human_reference": match_by_reference, "human": match_by_people}
"""Methods that need what people decided in a matching round."""

People = Mapping[str, Mapping[Any, Outcome]]
"""What people decided: of each item, by `words_key` of the question."""

METHODS = ("exact", *THRESHOLDS, *PAIR_MODELS, *JUDGED, *BY_PEOPLE)
_THERE_ARE = f"there are {', '.join(METHODS[:-1])} and {METHODS[-1]}."

DIVERSITY: Mapping[str, Callable[[Sequence[str]], float | None]] = {
    "ngram_published": lambda questions: ngram_published(questions).score,
    "ngram_within": lambda questions: ngram_within(questions).score,
    "cr_diversity": cr_diversity,
}

Table = Callable[[Sequence[str], Sequence[str]], FloatArray]


class Method(NamedTuple):
    """How a question gets its label: by similarity above a threshold, by the same words, or by a model."""

    name: str
    threshold: float | None = None

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "threshold": self.threshold}

    def __str__(self) -> str:
        return self.name if self.threshold is None else f"{self.name}:{self.threshold:g}"


def read_method(given: str) -> Method:
    """Read METHOD or METHOD:THRESHOLD. Raises CannotScore with what there is.

    >>> read_method("chrf:35")
    Method(name='chrf', threshold=35.0)
    """
    name, colon, threshold = given.partition(":")
    if name not in METHODS:
        raise CannotScore(f"--method {name}: there is no such method; {_THERE_ARE}")
    if name in PAIR_MODELS:
        return Method(name, _threshold_of_pairs(given, name, threshold))
    if name not in THRESHOLDS:
        if colon:
            why = "people say so" if name in BY_PEOPLE else "the words are the same"
            why = "the model says so" if name in JUDGED else why
            raise CannotScore(f"--method {name}: has no threshold: {why}, or not.")
        return Method(name)
    if not colon:
        return Method(name, THRESHOLDS[name])
    most = 100.0 if name == "chrf" else 1.0
    try:
        value = float(threshold)
    except ValueError:
        value = -1.0
    if not 0 <= value <= most:
        raise CannotScore(
            f"--method {given}: expected a threshold from 0 to {most:g}, as in {name}:{THRESHOLDS[name]:g}."
        )
    return Method(name, value)


def _threshold_of_pairs(given: str, name: str, threshold: str) -> float:
    """Read a threshold of a measure that is on no fixed scale: BLEURT is often below 0."""
    try:
        value = float(threshold)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise CannotScore(f"--method {given}: has no threshold by default: give one, as in {name}:0.5.")
    return value


def labelled(
    benchmark: Benchmark,
    submission: Submission,
    method: Method,
    *,
    system: str = "",
    encoder: Table | None = None,
    people: People | None = None,
) -> dict[str, list[Match]] | None:
    """Return the match of each question by item; None where the method needs what is not there.

    That is what people decided for the methods of people, and for `sts`, `bleurt` and `comet` the table of
    their model, `encoder`.
    """
    if method.name in BY_PEOPLE:
        if people is None:
            return None
        own = benchmark.own.get(system, frozenset())
        return {
            item: _decided(benchmark.interventions[item], given, method, people.get(item, {}), own)
            for item, given in submission.questions.items()
        }
    table = {"exact": None, "chrf": chrf_table}.get(method.name, encoder)
    if method.name in MODEL_MISSING and table is None:
        return None
    own = benchmark.own.get(system, frozenset())
    return {
        item: _matches(benchmark.interventions[item], given, method, table, own)
        for item, given in submission.questions.items()
    }


def _decided(
    intervention: Intervention,
    given: Sequence[Question],
    method: Method,
    outcomes: Mapping[Any, Outcome],
    own: frozenset[str],
) -> list[Match]:
    if not intervention.questions:
        return [Match(None, None, NAE) for _ in given]
    labels = [found.label for found in intervention.questions]
    left_out = {at for at, found in enumerate(intervention.questions) if found.id in own}
    match = BY_PEOPLE[method.name]
    return [match(outcomes.get(words_key(one.words)), labels, left_out=left_out) for one in given]


def _matches(
    intervention: Intervention,
    given: Sequence[Question],
    method: Method,
    table: Table | None,
    own: frozenset[str],
) -> list[Match]:
    references = [found for found in intervention.questions if found.id not in own]
    if not given or not references:
        return [Match(None, None, NAE) for _ in given]
    places = [at for at, found in enumerate(intervention.questions) if found.id not in own]
    labels = [found.label for found in references]
    asked = [found.words for found in given]
    if table is None:
        matches = [_same_words(text, [found.words for found in references], labels) for text in asked]
    else:
        similarities = table(asked, [found.words for found in references])
        assert method.threshold is not None
        matches = match_questions(similarities, labels, threshold=method.threshold)
    return [
        match if match.reference is None else match._replace(reference=places[match.reference])
        for match in matches
    ]


def _same_words(question: str, references: Sequence[str], labels: Sequence[str]) -> Match:
    """Match a question with the same words; words with two labels give none."""
    same = [at for at, other in enumerate(references) if words_key(other) == words_key(question)]
    if not same:
        return Match(None, None, NAE)
    found = {labels[at] for at in same}
    return Match(same[0], 1.0, labels[same[0]] if len(found) == 1 else NAE)


def words_key(text: str) -> tuple[str, ...] | str:
    """Return what two questions with the same words have in common."""
    return tuple(words(text)) or text.strip()


def question_figures(
    benchmark: Benchmark,
    submission: Submission,
    matches: dict[str, list[Match]],
    *,
    replicates: int,
    seed: int,
) -> dict[str, Any]:
    """Return the figures of one run by one method."""
    items = [item for item, found in benchmark.interventions.items() if found.questions]
    labels = {
        item: [match.label for match in found]
        for item, found in matches.items()
        if benchmark.interventions[item].questions
    }
    scores = question_scores(labels, items, replicates=replicates, seed=seed)
    asked = [
        question.words for item in benchmark.interventions for question in submission.questions.get(item, ())
    ]
    return {
        **scores.to_json(),
        "judge_unusable": sum(match.label is None for found in matches.values() for match in found),
        "items_without_reference": len(benchmark.interventions) - len(items),
        "questions_twice": submission.twice,
        "undecided": sum(undecided(found) for found in matches.values()),
        "diversity": {
            "ngram_published": ngram_published(asked).to_json(),
            "ngram_within": ngram_within(asked).to_json(),
            "cr_diversity": cr_diversity(asked),
            "n": len(asked),
        },
        "diversity_at_equal_n": _at_equal_n(asked, _useful(benchmark, submission, matches), seed),
        "first_words": [{"words": words, "n": n, "share": n / len(asked)} for words, n in first_words(asked)],
    }


def _useful(
    benchmark: Benchmark, submission: Submission, matches: Mapping[str, Sequence[Match]]
) -> list[str]:
    return [
        question.words
        for item in benchmark.interventions
        for question, match in zip(submission.questions.get(item, ()), matches.get(item, ()), strict=True)
        if match.label == USEFUL
    ]


def _at_equal_n(asked: Sequence[str], useful: Sequence[str], seed: int) -> dict[str, Any]:
    """Return the diversity of all questions and of the useful ones at the number of the useful ones."""
    n = len(useful)
    found: dict[str, Any] = {"n": n, "subsets": SUBSETS, "seed": seed}
    for name, questions in (("all", asked), ("useful", useful)):
        found[name] = {
            measure: at_equal_n(questions, n, of, seed=seed) if n else None
            for measure, of in DIVERSITY.items()
        }
    return found


def threshold_rows(
    benchmark: Benchmark,
    submission: Submission,
    method: Method,
    matches: Mapping[str, Sequence[Match]],
    system: str,
    people: People | None = None,
) -> list[dict[str, Any]]:
    """Return what other thresholds would have given; none for a method that has no grid of these.

    People's labels of a question are those of the reference that the system asked itself in the same words,
    else what they decided in a matching round.
    """
    if method.name not in GRIDS:
        return []
    own = benchmark.own.get(system, frozenset())
    by_people = labelled(benchmark, submission, Method("human"), system=system, people=people or {}) or {}
    nearest: list[Nearest] = []
    human: list[str | None] = []
    for item, intervention in benchmark.interventions.items():
        labelled_own = {
            words_key(found.words): found.label for found in intervention.questions if found.id in own
        }
        for question, match, decided in zip(
            submission.questions.get(item, ()), matches.get(item, ()), by_people.get(item, ()), strict=True
        ):
            best = None if match.reference is None else intervention.questions[match.reference].label
            nearest.append(Nearest(match.similarity, best))
            label = decided.label if decided.label in LABELS else None
            human.append(labelled_own.get(words_key(question.words), label))
    return [row.to_json() for row in threshold_table(nearest, human, GRIDS[method.name])]


def question_answers(
    benchmark: Benchmark, submission: Submission, method: Method, matches: dict[str, list[Match]]
) -> Iterator[dict[str, Any]]:
    """Return one line a question, with its best reference."""
    for item, intervention in benchmark.interventions.items():
        for question, match in zip(submission.questions.get(item, ()), matches.get(item, ()), strict=True):
            best = None if match.reference is None else intervention.questions[match.reference]
            yield {
                "file": submission.file,
                "item": item,
                "question": question.number,
                "cq": question.words,
                "method": method.to_json(),
                "label": match.label,
                "similarity": match.similarity,
                "reference": best._asdict() if best else None,
            }


def all_labels(benchmark: Benchmark, matches: dict[str, list[Match]]) -> list[str | None]:
    """Return the labels of a run's questions in the order of the items, for comparing methods."""
    return [match.label for item in benchmark.interventions for match in matches.get(item, ())]
