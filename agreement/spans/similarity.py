r"""Similarity of two spans of one text.

Spans are pairs (start, end) of code points of the text, half open. Every measure is symmetric, lies in
[0, 1], and returns a `Similarity` whose value is None, with a reason, where the measure divides nothing by
nothing. Definitions and their traps: docs/statistics-spans.md.
"""

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from rapidfuzz.distance import LCSseq, Levenshtein

from agreement.spans.tokens import Unit, positions, word_tokens

if TYPE_CHECKING:
    from rouge_score.rouge_scorer import RougeScorer

Span = tuple[int, int]

MEASURES = (
    "exact",
    "character_jaccard",
    "token_jaccard",
    "unigram_jaccard",
    "bigram_jaccard",
    "token_f1",
    "edit",
    "rouge1",
    "rougeL",
)

EMPTY_SPANS = "empty_spans"
NO_TOKEN = "no_token"
NO_BIGRAM = "no_bigram"
NO_ROUGE_TOKEN = "no_rouge_token"

_ROUGE_TOKEN = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Similarity:
    """A similarity in [0, 1], or None with the reason why it is undefined."""

    value: float | None
    reason: str | None = None


_NO_ROUGE = Similarity(None, NO_ROUGE_TOKEN)


@dataclass(frozen=True, slots=True)
class _Bag:
    """The tokens of a span in the forms that the bag-of-words measures need."""

    tokens: tuple[str, ...]
    unigrams: frozenset[str]
    bigrams: frozenset[tuple[str, str]]


def similarities(text: str, a: Span, b: Span) -> dict[str, Similarity]:
    """Return every measure of `MEASURES` for two spans of a text.

    In a text that is counted by characters (see agreement.spans.tokens) the token measures count characters.
    Raises ValueError for a span outside the text or with start >= end.
    """
    for start, end in (a, b):
        if not 0 <= start < end <= len(text):
            raise ValueError(f"span ({start}, {end}) is not inside a text of {len(text)} code points")
    slice_a, slice_b = text[a[0] : a[1]], text[b[0] : b[1]]
    unit = positions(text).unit
    rouge_1, rouge_l = rouge(slice_a, slice_b)
    return {
        "exact": exact(a, b),
        "character_jaccard": character_jaccard(a, b),
        "token_jaccard": token_jaccard(text, a, b),
        "unigram_jaccard": unigram_jaccard(slice_a, slice_b, unit),
        "bigram_jaccard": bigram_jaccard(slice_a, slice_b, unit),
        "token_f1": token_f1(slice_a, slice_b, unit),
        "edit": edit_similarity(slice_a, slice_b),
        "rouge1": rouge_1,
        "rougeL": rouge_l,
    }


def pair_similarities(text: str, a: Span, b: Span) -> dict[str, Similarity]:
    """Return what `similarities` returns, whichever span comes first; the pairs of a text are kept.

    The result is shared: do not change it.
    """
    return _similarities_at_hand(text, *sorted((a, b)))


@lru_cache(maxsize=256)
def _similarities_at_hand(text: str, a: Span, b: Span) -> dict[str, Similarity]:
    return similarities(text, a, b)


def exact(a: Span, b: Span) -> Similarity:
    """Return 1 for the same offsets, else 0: the same words at another place are another span."""
    return Similarity(1.0 if a == b else 0.0)


def character_jaccard(a: Span, b: Span) -> Similarity:
    """Return the share of code points in both spans among those in either."""
    return _range_jaccard(range(*a), range(*b), EMPTY_SPANS)


def token_jaccard(text: str, a: Span, b: Span) -> Similarity:
    """Return the Jaccard index of the token positions that the spans touch; a token cut in two counts."""
    places = positions(text)
    return _range_jaccard(places.touched(*a), places.touched(*b), NO_TOKEN)


def unigram_jaccard(a: str, b: str, unit: Unit = "token") -> Similarity:
    """Return the Jaccard index of the sets of tokens of two strings, wherever they stand in the text."""
    return _set_jaccard(_bag(a, unit).unigrams, _bag(b, unit).unigrams, NO_TOKEN)


def bigram_jaccard(a: str, b: str, unit: Unit = "token") -> Similarity:
    """Return the Jaccard index of the sets of adjacent pairs of tokens, undefined without a pair."""
    return _set_jaccard(_bag(a, unit).bigrams, _bag(b, unit).bigrams, NO_BIGRAM)


def token_f1(a: str, b: str, unit: Unit = "token") -> Similarity:
    """Return the F1 of the multisets of tokens, without the article and punctuation rules of SQuAD."""
    bag_a, bag_b = _bag(a, unit), _bag(b, unit)
    total = len(bag_a.tokens) + len(bag_b.tokens)
    return Similarity(2 * _shared(bag_a, bag_b) / total) if total else Similarity(None, NO_TOKEN)


def edit_similarity(a: str, b: str) -> Similarity:
    """Return 1 - Levenshtein distance / longer length, over the code points of the raw strings."""
    longer = max(len(a), len(b))
    if longer == 0:
        return Similarity(None, EMPTY_SPANS)
    return Similarity(1 - Levenshtein.distance(a, b) / longer)


def rouge(a: str, b: str) -> tuple[Similarity, Similarity]:
    """Return the F-measures of ROUGE-1 and ROUGE-L as the rouge-score package defines them, without stemming.

    Its tokens are `[a-z0-9]+` of the lower-cased string. Where a side has none (another script, emoji,
    punctuation) the package answers 0.0, even for identical strings; here that is undefined. The package
    itself is left to `rouge_by_package`: its import takes seconds, and its search is plain Python.

    References
    ----------
    Lin, C.-Y. (2004). ROUGE: A package for automatic evaluation of summaries. Text Summarization Branches
    Out, 74-81. https://aclanthology.org/W04-1013
    """
    bag_a, bag_b = _rouge_bag(a), _rouge_bag(b)
    if not bag_a.tokens or not bag_b.tokens:
        return _NO_ROUGE, _NO_ROUGE
    common = _shared(bag_a, bag_b)
    return _f_measure(common, bag_a, bag_b), _f_measure(_longest_subsequence(bag_a, bag_b), bag_a, bag_b)


def rouge_by_package(a: str, b: str) -> tuple[Similarity, Similarity]:
    """Return what `rouge` returns, computed by the rouge-score package, for the cross-check of a report."""
    if not _rouge_bag(a).tokens or not _rouge_bag(b).tokens:
        return _NO_ROUGE, _NO_ROUGE
    scores = _rouge_scorer().score(a, b)
    return Similarity(float(scores["rouge1"].fmeasure)), Similarity(float(scores["rougeL"].fmeasure))


@lru_cache(maxsize=1)
def _rouge_scorer() -> "RougeScorer":
    # Imported here because rouge_score loads nltk, which takes seconds.
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer(["rouge1", "rougeL"], use_stemmer=False)


def _longest_subsequence(a: _Bag, b: _Bag) -> int:
    if a.unigrams.isdisjoint(b.unigrams):
        return 0
    # rapidfuzz compares elements by their hash, which is exact for numbers and not for strings.
    number = {token: index for index, token in enumerate(b.unigrams)}
    return LCSseq.similarity(
        [number.get(token, -1) for token in a.tokens], [number[token] for token in b.tokens]
    )


def _f_measure(common: int, a: _Bag, b: _Bag) -> Similarity:
    if not common:
        return Similarity(0.0)
    precision, recall = common / len(b.tokens), common / len(a.tokens)
    return Similarity(2 * precision * recall / (precision + recall))


@lru_cache(maxsize=8192)
def _rouge_bag(string: str) -> _Bag:
    if string.isascii() and "_" not in string:
        return _bag(string, "token")  # the two kinds of token are the same there
    return _make_bag(tuple(_ROUGE_TOKEN.findall(string.lower())))


@lru_cache(maxsize=8192)
def _bag(string: str, unit: Unit) -> _Bag:
    return _make_bag(word_tokens(string, unit))


def _make_bag(tokens: tuple[str, ...]) -> _Bag:
    return _Bag(tokens, frozenset(tokens), frozenset(pairwise(tokens)))


def _shared(a: _Bag, b: _Bag) -> int:
    common = a.unigrams & b.unigrams
    if len(a.unigrams) == len(a.tokens) or len(b.unigrams) == len(b.tokens):
        return len(common)  # a side without repeats has each token once
    counts_a, counts_b = Counter(a.tokens), Counter(b.tokens)
    return sum(min(counts_a[token], counts_b[token]) for token in common)


def _set_jaccard(a: frozenset[Any], b: frozenset[Any], reason: str) -> Similarity:
    union = len(a | b)
    return Similarity(len(a & b) / union) if union else Similarity(None, reason)


def _range_jaccard(a: range, b: range, reason: str) -> Similarity:
    shared = range_overlap(a, b)
    union = len(a) + len(b) - shared
    return Similarity(shared / union) if union else Similarity(None, reason)


def range_overlap(a: range, b: range) -> int:
    """Return how many integers two ranges of step 1 have in common."""
    return max(0, min(a.stop, b.stop) - max(a.start, b.start))
