"""Topics of texts from how often words are in them, by LDA or NMF of scikit-learn.

An optional extra: `pip install -r requirements-topics.txt`. Nothing of it is imported before it is asked for.

References
----------
Blei DM, Ng AY, Jordan MI (2003) Latent Dirichlet Allocation. JMLR 3:993-1022.
    https://www.jmlr.org/papers/v3/blei03a.html
Lee DD, Seung HS (1999) Learning the parts of objects by non-negative matrix factorization. Nature
    401:788-791. doi:10.1038/44565
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

LDA, NMF = "lda", "nmf"
METHODS = (NMF, LDA)
LEAST, MOST = 2, 50
WORDS, TEXTS = 10, 5
"""How many words and texts of a topic are shown."""

MOST_WORDS = 20_000
NONE = -1
"""The topic of a text that has none of the counted words."""

_BATCH = 2_048


class TooFewWords(ValueError):
    """The texts have too few words in common for so many topics."""


@dataclass(frozen=True, slots=True)
class Topic:
    """What a topic is shown by: its words, the positions of the texts that have most of it, and how many."""

    words: tuple[str, ...]
    texts: tuple[int, ...]
    n: int


def is_installed() -> bool:
    """Return whether scikit-learn is here."""
    return find_spec("sklearn") is not None


def find_topics(
    texts: Iterable[str], *, topics: int, seed: int, method: str = NMF, language: str = ""
) -> tuple[list[Topic], list[int]]:
    """Return the topics of texts, the most frequent first, and the topic of each text, or NONE.

    A word counts that at least two texts have and at most half of them; of English texts, none of the words
    that carry grammar. The same texts, number, seed and method give the same topics. Raises TooFewWords.
    """
    from sklearn.decomposition import NMF as Factorization
    from sklearn.decomposition import LatentDirichletAllocation
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(
        stop_words="english" if language == "en" else None,
        token_pattern=r"(?u)\b[^\W\d_]{3,}\b" if language == "en" else r"(?u)\b[^\W\d_]{2,}\b",
        min_df=2,
        max_df=0.5,
        max_features=MOST_WORDS,
    )
    try:
        counts = vectorizer.fit_transform(texts)
    except ValueError as problem:
        raise TooFewWords(str(problem)) from None
    if counts.shape[1] < topics:
        raise TooFewWords(f"{counts.shape[1]} words")
    model: Any
    if method == NMF:
        model = Factorization(n_components=topics, init="nndsvda", random_state=seed, max_iter=400)
    else:
        model = LatentDirichletAllocation(
            n_components=topics, learning_method="online", batch_size=_BATCH, random_state=seed
        )
    with warnings.catch_warnings():
        # After so many rounds topics differ in no word that is shown.
        warnings.filterwarnings("ignore", module="sklearn", message="Maximum number of iterations")
        shares = model.fit_transform(counts)
    has_words = counts.sum(axis=1).A1 > 0
    placed = [
        int(row.argmax()) if any_word else NONE for row, any_word in zip(shares, has_words, strict=True)
    ]
    return _shown(model.components_, vectorizer.get_feature_names_out(), shares, placed, topics)


def _shown(
    weights: Any, words: Sequence[str], shares: Any, placed: Sequence[int], topics: int
) -> tuple[list[Topic], list[int]]:
    """Return topics in the order of their size, and the texts' topics in that order."""
    order = sorted(range(topics), key=lambda topic: (-placed.count(topic), topic))
    rank = {topic: at for at, topic in enumerate(order)} | {NONE: NONE}
    found = []
    for topic in order:
        best = [at for at, own in enumerate(placed) if own == topic]
        best.sort(key=lambda at: (-float(shares[at, topic]), at))
        by_weight = sorted(range(len(words)), key=lambda at: (-float(weights[topic, at]), words[at]))
        found.append(Topic(tuple(words[at] for at in by_weight[:WORDS]), tuple(best[:TEXTS]), len(best)))
    return found, [rank[topic] for topic in placed]
