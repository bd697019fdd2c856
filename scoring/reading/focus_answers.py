"""What a system says about an argument: at most two types, each with the words it is about."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from assist.reading.model_answers import json_of, without_thoughts
from scoring.figures.types import NONE
from scoring.reading.places import find_place

MOST_TYPES = 2
NO_SPAN = "Null"
NO_WORDS = frozenset({"null", "none", "n/a", ""})
_NONE_NAMES = ("none of the above", "null", "none")

NO_SUCH_TYPE, TYPE_TWICE, NONE_WITH_A_TYPE = "no_such_type", "type_twice", "none_with_a_type"
DIFFERENT_LENGTH, MORE_THAN_TWO, NO_LIST = (
    "lists_of_different_length",
    "more_than_two_types",
    "no_list_of_texts",
)


class Answer(NamedTuple):
    """One type that a system names: the words as given, and their place in the text where they are in it."""

    type: str
    span: tuple[int, int] | None
    given: str

    @property
    def has_words(self) -> bool:
        return self.type != NONE and self.given.strip().casefold() not in NO_WORDS


@dataclass(frozen=True, slots=True)
class FocusAnswer:
    """A system's answer about one argument; nothing said is None of the Above."""

    answers: tuple[Answer, ...]

    @property
    def spans_not_in_text(self) -> int:
        return sum(one.span is None and one.has_words for one in self.answers)


class AnswerRefused(ValueError):
    """An answer is not of the form that is asked for; `problem` is a stable word, `what` what it is about."""

    def __init__(self, problem: str, message: str, what: str = "") -> None:
        super().__init__(message)
        self.problem = problem
        self.what = what


class TypeNames:
    """What a type may be called: its code, name and aliases; case, edges and a final "?" aside."""

    def __init__(self, types: Iterable[tuple[str, Sequence[str]]], *, none: str = "") -> None:
        known = list(types)
        self.codes = [code for code, _ in known]
        self._codes = {fold_name(name): code for code, names in known for name in (*names, code)}
        self._shown = [name for _, names in known for name in names]
        self._codes.update((fold_name(name), NONE) for name in (*_NONE_NAMES, *([none] if none else ())))

    def code(self, name: str) -> str:
        """Return the code of a type. Raises AnswerRefused with the nearest name where there is none."""
        found = self._codes.get(name) or self._codes.get(fold_name(name))
        if found is not None:
            return found
        near = difflib.get_close_matches(fold_name(name), self._codes, n=1, cutoff=0.0) or [""]
        nearest = next((shown for shown in self._shown if fold_name(shown) == near[0]), near[0])
        raise AnswerRefused(
            NO_SUCH_TYPE, f"{name!r} is no type of the codebook; the nearest is {nearest!r}", name
        )


def fold_name(name: str) -> str:
    """Return a type's name as names are compared.

    >>> fold_name(" Lacks  Evidence? ")
    'lacks evidence'
    """
    return " ".join(name.split()).rstrip("?").strip().casefold()


def read_focus_answer(entry: Mapping[str, Any], text: str, names: TypeNames) -> FocusAnswer:
    """Read the parallel lists `fsq_types` and `spans` of one argument. Raises AnswerRefused.

    None of the Above needs no span. Words that are not in the text stay as words, without a place.
    """
    types, spans = (_texts(entry, key) for key in ("fsq_types", "spans"))
    codes = [names.code(name) for name in types]
    if len(codes) > MOST_TYPES:
        raise AnswerRefused(MORE_THAN_TWO, f"{len(codes)} types where at most {MOST_TYPES} are asked for")
    repeated = next((code for at, code in enumerate(codes) if code in codes[:at]), None)
    if repeated is not None:
        named = "None of the Above" if repeated == NONE else repeated
        raise AnswerRefused(TYPE_TWICE, f"{named} is named twice", repeated)
    if NONE in codes and len(codes) > 1:
        raise AnswerRefused(NONE_WITH_A_TYPE, "None of the Above stands alone: a type is named beside it")
    if codes == [NONE] and not spans:
        spans = [NO_SPAN]
    if len(spans) != len(codes):
        raise AnswerRefused(
            DIFFERENT_LENGTH,
            f"fsq_types has {len(codes)} entries and spans {len(spans)}: give each type its span, "
            f"or {NO_SPAN!r} where there is none",
        )
    given = [Answer(code, None, words) for code, words in zip(codes, spans, strict=True)]
    return FocusAnswer(
        tuple(one._replace(span=find_place(text, one.given)) if one.has_words else one for one in given)
    )


def focus_lists(raw: str) -> dict[str, list[str]] | None:
    """Read the two lists of a model's answer: a JSON object, or a list of types and behind it one of spans.

    None where there are no such lists. Where there is one list alone, it is that of the types.

    >>> focus_lists('Classification:\\n["Lacks Evidence"]\\n\\nSpan:\\n["It rains"]')
    {'fsq_types': ['Lacks Evidence'], 'spans': ['It rains']}
    """
    found = json_of(raw)
    if isinstance(found, dict):
        named = {fold_name(key): value for key, value in found.items()}
        lists = [
            next((named[key] for key in keys if key in named), None)
            for keys in (("fsq_types", "classification", "types"), ("spans", "span"))
        ]
    else:
        lists = _lists_in(without_thoughts(raw))
    if len(lists) == 1:
        lists = [*lists, []]
    texts = [one for one in lists if isinstance(one, list) and all(isinstance(name, str) for name in one)]
    return {"fsq_types": texts[0], "spans": texts[1]} if len(texts) == len(lists) == 2 else None


def _lists_in(text: str) -> list[Any]:
    """Return the JSON lists that stand in a text, in their order."""
    found: list[Any] = []
    decoder, at = json.JSONDecoder(), text.find("[")
    while at >= 0:
        try:
            one, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            found.append(one)
        at = text.find("[", end)
    return found


def _texts(entry: Mapping[str, Any], key: str) -> list[str]:
    found = entry.get(key, [])
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        shown = json.dumps(found, ensure_ascii=False)
        shown = shown if len(shown) <= 60 else f"{shown[:60]}…"
        raise AnswerRefused(NO_LIST, f"{key} is {shown}; expected a list of texts", key)
    return found
