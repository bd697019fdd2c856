"""What answers score that know nothing of the text, against the references that a system is scored against.

FOCUS: None of the Above for every item, the one or two types that are worth most everywhere, two types drawn
for each item. CQs-Gen: three references of other items, and the question that is asked most often.

See docs/decisions/scoring.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from scoring.evaluation.focus import SCOPES, types_json
from scoring.evaluation.judge_prompts import JUDGED
from scoring.evaluation.questions import BY_PEOPLE, MODEL_MISSING, Method, Table, labelled, words_key
from scoring.evaluation.references import Benchmark
from scoring.evaluation.submissions import Question, Submission
from scoring.figures.matching import QUESTIONS, question_scores
from scoring.figures.trivial import best_constant, random_answers
from scoring.figures.types import NONE, Scope, type_scores

NONE_OF_THE_ABOVE = "none_of_the_above"
BEST_CONSTANT, BEST_HERE = "best_constant", "best_constant_of_this_split"
RANDOM_TYPES = "random_types"
OTHER_REFERENCES, MOST_FREQUENT = "references_of_other_items", "most_frequent_question"

NOT_JUDGED = "not_judged"
"""Why there are no figures by a method that asks people or language models: these were not asked."""

_STREAM = 2

Row = dict[str, Any]


def trivial_rows(
    benchmark: Benchmark,
    *,
    method: Method | None = None,
    encoder: Table | None = None,
    scope: Scope = "decided",
    replicates: int = 1000,
    seed: int = 1,
    hindsight: bool = False,
) -> list[Row]:
    """Return the trivial rows of a split, each scored as a system's answers are.

    method : CQs-Gen: how a question gets its label, with the `encoder` of one that needs it
    scope : FOCUS: the figures by which the best types are the best; a row has those of both scopes
    hindsight : also the constant answer that is worth most on this very split, which says something about
        references that are withheld: no constant answer stands above it

    A row is `{"name", "trivial": True, "answer", "chosen_by", "figures", "reason"}`. `answer` is what every
    item is answered with, codes of types or words of a question; None where answers differ. `chosen_by` is
    the split that it was chosen by: the development split of the release where there is one, else the split
    itself, None in a release without splits. `figures` are named as those of a system, or None for a
    `reason`.
    """
    if benchmark.is_focus:
        return _focus(benchmark, scope, replicates, seed, hindsight=hindsight)
    if method is None:
        raise ValueError("Questions are scored by a method: name one.")
    return _cqs_gen(benchmark, method, encoder, replicates, seed)


def _row(
    name: str,
    figures: Mapping[str, Any] | None,
    *,
    answer: list[str] | None = None,
    chosen_by: str | None = None,
    reason: str | None = None,
) -> Row:
    return {
        "name": name,
        "trivial": True,
        "answer": answer,
        "chosen_by": chosen_by,
        "figures": figures,
        "reason": reason,
    }


def _focus(benchmark: Benchmark, scope: Scope, replicates: int, seed: int, *, hindsight: bool) -> list[Row]:
    types = benchmark.types
    decided = {item: found.decided for item, found in benchmark.arguments.items()}

    def figures(answers: Mapping[str, list[str]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name in SCOPES:
            scores = type_scores(decided, answers, types=types, scope=name, replicates=replicates, seed=seed)
            found[name] = types_json(scores)
        return found

    def constant(name: str, answer: list[str], chosen_by: str | None = None) -> Row:
        return _row(name, figures(dict.fromkeys(decided, answer)), answer=answer, chosen_by=chosen_by)

    development = benchmark.development() or benchmark
    chosen = {item: found.decided for item, found in development.arguments.items()}
    best = list(best_constant(chosen, types=types, scope=scope).types)
    rows = [
        constant(NONE_OF_THE_ABOVE, [NONE]),
        constant(BEST_CONSTANT, best, development.provenance.get("split")),
    ]
    if hindsight and development is not benchmark:
        here = list(best_constant(decided, types=types, scope=scope).types)
        rows.append(constant(BEST_HERE, here, benchmark.provenance.get("split")))
    drawn = random_answers(list(decided), types=types, seed=seed)
    return [*rows, _row(RANDOM_TYPES, figures(drawn))]


def _cqs_gen(
    benchmark: Benchmark, method: Method, encoder: Table | None, replicates: int, seed: int
) -> list[Row]:
    development = benchmark.development() or benchmark
    most = _most_frequent(development)
    answers: list[tuple[str, dict[str, tuple[str, ...]], dict[str, Any]]] = [
        (OTHER_REFERENCES, _other_references(benchmark, seed), {}),
        (
            MOST_FREQUENT,
            dict.fromkeys(benchmark.interventions, (most,)),
            {"answer": [most], "chosen_by": development.provenance.get("split")},
        ),
    ]
    rows = []
    for name, asked, told in answers:
        if method.name in (*JUDGED, *BY_PEOPLE):
            rows.append(_row(name, None, reason=NOT_JUDGED, **told))
            continue
        numbered = {
            item: tuple(Question(number, words) for number, words in enumerate(given, start=1))
            for item, given in asked.items()
        }
        matches = labelled(benchmark, Submission("", questions=numbered), method, encoder=encoder)
        if matches is None:
            rows.append(_row(name, None, reason=MODEL_MISSING[method.name], **told))
            continue
        items = [item for item, found in benchmark.interventions.items() if found.questions]
        labels = {item: [match.label for match in matches[item]] for item in items}
        scores = question_scores(labels, items, replicates=replicates, seed=seed)
        rows.append(_row(name, scores.to_json(), **told))
    return rows


def _most_frequent(benchmark: Benchmark) -> str:
    """Return the question that is asked most often, about however many items; of equals the first."""
    asked = [found.words for one in benchmark.interventions.values() for found in one.questions]
    counted = Counter(words_key(words) for words in asked)
    return max(asked, key=lambda words: counted[words_key(words)])


def _other_references(benchmark: Benchmark, seed: int) -> dict[str, tuple[str, ...]]:
    """Draw for each item three references of others in different words; fewer where there are fewer."""
    rng = np.random.default_rng([seed, _STREAM])
    asked = [(item, found.words) for item, one in benchmark.interventions.items() for found in one.questions]
    drawn: dict[str, tuple[str, ...]] = {}
    for item in benchmark.interventions:
        chosen: dict[Any, str] = {}
        for at in rng.permutation(len(asked)):
            other, words = asked[int(at)]
            if other != item:
                chosen.setdefault(words_key(words), words)
            if len(chosen) == QUESTIONS:
                break
        drawn[item] = tuple(chosen.values())
    return drawn
