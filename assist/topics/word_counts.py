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

import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
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

CHINESE, JAPANESE = "zh", "ja"

_WORD, _ENGLISH_WORD = re.compile(r"\b[^\W\d_]{2,}\b"), re.compile(r"\b[^\W\d_]{3,}\b")
_HAN_LETTERS = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HIRAGANA_LETTERS = "\u3041-\u309f"
_KATAKANA_LETTERS = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_UNSPACED_LETTERS = _HAN_LETTERS + _HIRAGANA_LETTERS + _KATAKANA_LETTERS
_HAN = re.compile(f"[{_HAN_LETTERS}]")
_KANA = re.compile(f"[{_HIRAGANA_LETTERS}{_KATAKANA_LETTERS}]")
_UNSPACED_LETTER = re.compile(f"[{_UNSPACED_LETTERS}]")
_RUN = re.compile(
    rf"[{_HAN_LETTERS}]{{2,}}|[{_KATAKANA_LETTERS}]{{2,}}|(?:(?![{_UNSPACED_LETTERS}])[^\W\d_]){{2,}}"
)

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
    that carry grammar; of Chinese and Japanese ones what `words_of` takes for words. The same texts, number,
    seed and method give the same topics. Raises TooFewWords.
    """
    from sklearn.decomposition import NMF as Factorization
    from sklearn.decomposition import LatentDirichletAllocation
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(
        stop_words="english" if language == "en" else None,
        tokenizer=partial(words_of, language=language),
        token_pattern=None,
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


def words_of(text: str, language: str = "") -> list[str]:
    """Return the words of a text by its script, also where no spaces set them off.

    Japanese: runs of two or more kanji, and of katakana, which carry what a text is about; hiragana carries
    its grammar. Chinese: each pair of Han characters that follow each other, as most words have two. In
    both, words of other scripts. A text without kana is Chinese unless `language` is Japanese.

    >>> words_of("住宅の価格がニュースになった")
    ['住宅', '価格', 'ニュース']
    >>> words_of("房价上涨，GDP下降")
    ['房价', '价上', '上涨', 'GDP', '下降']
    """
    if not _UNSPACED_LETTER.search(text):
        return (_ENGLISH_WORD if language == "en" else _WORD).findall(text)
    runs = _RUN.findall(text)
    if language == JAPANESE or (language != CHINESE and _KANA.search(text)):
        return runs
    pairs = ((run[at : at + 2] for at in range(len(run) - 1)) if _HAN.match(run) else (run,) for run in runs)
    return [word for words in pairs for word in words]


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
