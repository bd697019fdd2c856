"""What is held of many arguments at once in little memory: places as numbers, equal patterns once."""

from __future__ import annotations

from array import array
from collections.abc import Callable, ItemsView, Iterator, Mapping
from typing import NamedTuple

from scoring.figures.spans import Place, References
from scoring.reading.focus_answers import Answer, FocusAnswer

_NUMBER = "i"
_NOWHERE = -1

Pattern = tuple[tuple[str, int, int], ...]
"""Of each type its code and how many gold and disagreement spans it has."""


class MarkedSpans(Mapping[str, References]):
    """The references of an argument by type, made when they are asked for.

    bounds : start and end of each span, in the order of the pattern
    """

    __slots__ = ("_bounds", "_pattern", "_text")

    def __init__(self, text: str, pattern: Pattern, bounds: bytes) -> None:
        self._text = text
        self._pattern = pattern
        self._bounds = bounds

    def __getitem__(self, code: str) -> References:
        found = self._read().get(code)
        if found is None:
            raise KeyError(code)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter([code for code, _, _ in self._pattern])

    def __len__(self) -> int:
        return len(self._pattern)

    def items(self) -> ItemsView[str, References]:
        return self._read().items()

    def _read(self) -> dict[str, References]:
        text, bounds = self._text, array(_NUMBER, self._bounds)
        pairs = list(zip(bounds[::2], bounds[1::2], strict=True))
        places = [Place(text[start:end], (start, end), text) for start, end in pairs]
        found, at = {}, 0
        for code, gold, others in self._pattern:
            behind = at + gold + others
            found[code] = References(tuple(places[at : at + gold]), tuple(places[at + gold : behind]))
            at = behind
        return found


class SpanPacker:
    """Packs the references of arguments; types with as many spans each are one pattern, held once."""

    def __init__(self) -> None:
        self._patterns: dict[Pattern, Pattern] = {}

    def pack(self, text: str, spans: Mapping[str, References]) -> Mapping[str, References]:
        """Return the same references; as they are where one of them has no place in the text."""
        bounds = array(_NUMBER)
        for one in spans.values():
            for place in (*one.gold, *one.disagreement):
                if place.span is None:
                    return spans
                bounds.extend(place.span)
        counted = tuple((code, len(one.gold), len(one.disagreement)) for code, one in spans.items())
        return MarkedSpans(text, self._patterns.setdefault(counted, counted), bounds.tobytes())


class _Kept(NamedTuple):
    """An answer: its types, the places of their words, and words that are not the text's at their place."""

    codes: tuple[str, ...]
    bounds: bytes
    given: tuple[str | None, ...]


class KeptAnswers(Mapping[str, FocusAnswer]):
    """What a system says about arguments, made when it is asked for; `text_of` gives the text of an item."""

    def __init__(self, text_of: Callable[[str], str]) -> None:
        self._text_of = text_of
        self._kept: dict[str, _Kept] = {}
        self._shared: dict[tuple[str | None, ...], tuple[str | None, ...]] = {}

    def keep(self, item: str, answer: FocusAnswer) -> None:
        """Add what is said about one argument, in place of what there is."""
        text = self._text_of(item)
        given = tuple(
            None if one.span and text[slice(*one.span)] == one.given else one.given for one in answer.answers
        )
        bounds = array(_NUMBER)
        for one in answer.answers:
            bounds.extend(one.span or (_NOWHERE, _NOWHERE))
        codes = tuple(one.type for one in answer.answers)
        if not any(given):
            given = self._shared.setdefault(given, given)
        self._kept[item] = _Kept(self._shared.setdefault(codes, codes), bounds.tobytes(), given)  # type: ignore[arg-type]

    def __getitem__(self, item: str) -> FocusAnswer:
        codes, kept, given = self._kept[item]
        text, bounds = self._text_of(item), array(_NUMBER, kept)
        answers = []
        for at, (code, words) in enumerate(zip(codes, given, strict=True)):
            start, end = bounds[2 * at : 2 * at + 2]
            place = None if start == _NOWHERE else (start, end)
            answers.append(Answer(code, place, text[start:end] if words is None else words))
        return FocusAnswer(tuple(answers))

    def __iter__(self) -> Iterator[str]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)
