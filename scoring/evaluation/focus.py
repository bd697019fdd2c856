"""FOCUS: a system's types and spans against what was decided, all figures of one run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from agreement.spans.bertscore import Embedded, bertscore
from agreement.spans.encoders import Encoder
from agreement.spans.similarity import (
    MEASURES,
    Similarity,
    bigram_jaccard,
    edit_similarity,
    rouge,
    similarities,
    token_f1,
    unigram_jaccard,
)
from agreement.spans.tokens import positions
from scoring.evaluation.references import Benchmark
from scoring.evaluation.submissions import Submission
from scoring.figures.spans import ALL, Answers, Means, Place, References, span_tables
from scoring.figures.types import NONE, Scope, TypeScores, confusion_table, type_scores
from scoring.reading.focus_answers import NO_WORDS, Answer

SCOPES: tuple[Scope, ...] = ("decided", "all")
WORDS = MEASURES.index("unigram_jaccard")
"""The measure that is shown of one answer."""

BERTSCORE, BERTSCORE_DIGITS = "bertscore", 4
"""The measure by an encoder; more digits are not the same on every machine."""

_BY_PLACE = ("exact", "character_jaccard", "token_jaccard")


def focus_figures(
    benchmark: Benchmark,
    submission: Submission,
    *,
    replicates: int,
    seed: int,
    encoder: Encoder | None = None,
) -> dict[str, Any]:
    """Return the figures of one run in both scopes, those of its spans, and what it missed.

    encoder : that of BERTScore, which is a measure of spans where there is one
    """
    decided = {item: found.decided for item, found in benchmark.arguments.items()}
    said = types_said(submission)
    scores = {
        scope: type_scores(
            decided, said, types=benchmark.types, scope=scope, replicates=replicates, seed=seed
        )
        for scope in SCOPES
    }
    return {
        **{scope: types_json(found) for scope, found in scores.items()},
        **_spans(benchmark, submission, replicates, seed, encoder),
        "spans_not_in_text": sum(found.spans_not_in_text for found in submission.types.values()),
        "confusion": confusion_table(decided, said, types=benchmark.types),
    }


def types_said(submission: Submission) -> dict[str, tuple[str, ...]]:
    """Return the types that a system names by item; the same types are one object."""
    shared: dict[tuple[str, ...], tuple[str, ...]] = {}
    named = ((item, tuple(one.type for one in found.answers)) for item, found in submission.types.items())
    return {item: shared.setdefault(types, types) for item, types in named}


def types_json(scores: TypeScores) -> dict[str, Any]:
    """Return the figures of one scope as JSON has them."""
    types = {
        code: {
            "precision": score.precision.to_json(),
            "recall": score.recall.to_json(),
            "f1": score.f1.to_json(),
            "tp": score.tp,
            "fp": score.fp,
            "fn": score.fn,
        }
        for code, score in scores.types.items()
    }
    means = {
        name: {ratio: figure.to_json() for ratio, figure in found.items()}
        for name, found in (
            ("micro", scores.micro),
            ("macro", scores.macro),
            ("macro_zero", scores.macro_zero),
        )
    }
    return {"types": types, **means}


def _spans(
    benchmark: Benchmark, submission: Submission, replicates: int, seed: int, encoder: Encoder | None
) -> dict[str, dict[str, Any]]:
    """Return the figures of spans by reference set, mean and measure: of all types, by type and by group."""
    decided_yes = {item: found.spans for item, found in benchmark.arguments.items()}

    def answered(item: str) -> Answers:
        found = submission.types.get(item)
        given = _answers(benchmark, item, found.answers) if found else ()
        if semantic is not None:
            semantic.read([span for _, span in given if span], decided_yes[item].values())
        return given

    semantic = SpanBertScore(encoder) if encoder is not None else None
    measures = (*MEASURES, BERTSCORE) if semantic is not None else MEASURES

    def similar(answer: Place, reference: Place) -> list[float]:
        found = compared(answer, reference)
        return found if semantic is None else [*found, semantic.of(answer, reference)]

    kinds = benchmark.codebook.types
    groups: dict[str, list[str] | None] = {"": None}
    groups |= {f"type {kind.code}": [kind.code] for kind in kinds}
    groups |= {
        f"group {group.key}": [kind.code for kind in kinds if kind.group == group.key]
        for group in benchmark.codebook.groups
    }
    tables = span_tables(decided_yes, answered, similar, measures, groups, replicates=replicates, seed=seed)
    found = {name: _means_json(table) for name, table in tables.items()}
    return {
        "spans": found[""],
        "spans_by_type": {kind.code: found[f"type {kind.code}"] for kind in kinds},
        "spans_by_group": {group.key: found[f"group {group.key}"] for group in benchmark.codebook.groups},
    }


class SpanBertScore:
    """F1 of BERTScore between spans of one item at a time: their vectors would fill the memory."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._texts: dict[str, Embedded] = {}

    def read(self, spans: Sequence[Place], references: Iterable[References]) -> None:
        """Encode what an item has, in place of what the one before had."""
        compared_with = [one.words for found in references for one in found.of(ALL)]
        texts = sorted({*(span.words for span in spans), *compared_with}) if spans and compared_with else []
        self._texts = dict(zip(texts, self._encoder.embed(texts), strict=True)) if texts else {}

    def of(self, answer: Place, reference: Place) -> float:
        """Return the score; where either has no token 1 for the same words, else 0."""
        found = bertscore(self._texts[answer.words], self._texts[reference.words])
        if found is None:
            return float(answer.words.strip() == reference.words.strip())
        return round(found.f1, BERTSCORE_DIGITS)


def _means_json(table: Mapping[str, Means]) -> dict[str, Any]:
    return {
        name: {
            mean: {measure: figure.to_json() for measure, figure in figures.items()}
            for mean, figures in means.items()
        }
        for name, means in table.items()
    }


def _answers(benchmark: Benchmark, item: str, answers: tuple[Answer, ...]) -> Answers:
    text = benchmark.arguments[item].text
    return [(one.type, _place(text, one)) for one in answers if one.type != NONE]


def _place(text: str, answer: Answer) -> Place | None:
    if answer.span is not None:
        return Place(text[slice(*answer.span)], answer.span, text)
    words = answer.given.strip()
    return None if words.casefold() in NO_WORDS else Place(words, None, text)


def compared(answer: Place, reference: Place) -> list[float]:
    """Return every measure of an answer and a reference, in the order of MEASURES.

    Measures of places are 0 where the answer has none. A measure that is undefined for both, such as pairs of
    words of single words, is 1 for the same words and 0 for others.
    """
    if answer.span and reference.span:
        if answer.span == reference.span:
            return [1.0] * len(MEASURES)
        found = similarities(reference.text, answer.span, reference.span)
    else:
        found = {name: Similarity(0.0) for name in _BY_PLACE} | _by_words(answer, reference)
    values = [found[name].value for name in MEASURES]
    if None not in values:
        return values  # type: ignore[return-value]
    same = float(answer.words.strip() == reference.words.strip())
    return [same if value is None else value for value in values]


def _by_words(answer: Place, reference: Place) -> dict[str, Similarity]:
    a, b, unit = answer.words, reference.words, positions(reference.text).unit
    rouge_1, rouge_l = rouge(a, b)
    return {
        "unigram_jaccard": unigram_jaccard(a, b, unit),
        "bigram_jaccard": bigram_jaccard(a, b, unit),
        "token_f1": token_f1(a, b, unit),
        "edit": edit_similarity(a, b),
        "rouge1": rouge_1,
        "rougeL": rouge_l,
    }


def focus_answers(benchmark: Benchmark, submission: Submission) -> Iterator[dict[str, Any]]:
    """Return one line a pair of item and type that was decided or answered."""
    for item, argument in benchmark.arguments.items():
        answer = submission.types.get(item)
        said: Mapping[str, Answer] = {one.type: one for one in answer.answers} if answer else {}
        for code in benchmark.types:
            decision, given = argument.decided.get(code), said.get(code)
            if decision is None and given is None:
                continue
            place = _place(argument.text, given) if given else None
            spans = argument.spans.get(code)
            yield {
                "file": submission.file,
                "item": item,
                "type": code,
                "asked": code in argument.decided,
                "decided": decision,
                "answered": given is not None,
                "given": given.given if given else None,
                "place": list(given.span) if given and given.span else None,
                "similarity": {
                    name: max((compared(place, one)[WORDS] for one in chosen), default=None)
                    for name, chosen in (("gold", spans.gold), ("all", spans.of("all")))
                }
                if place and spans
                else None,
            }
