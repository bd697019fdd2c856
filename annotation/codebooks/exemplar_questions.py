"""Questions made of a type's exemplar and a span of the text.

The span keeps its words. Only the joints are adjusted, by rules that a reader can check, and the question
is always shown beside the untouched span. Nothing here knows grammar: a bad span still reads as a bad
question.
"""

import re

from annotation.codebooks.definition import BLANK

# Closing marks by opening mark. A mark may be in both roles: German „a“, Swedish ”a”, Danish »a«.
_CLOSING = {
    '"': '"',
    "“": "”",
    "„": "“”",
    "”": "”",
    "«": "»",
    "»": "«",
    "‹": "›",
    "›": "‹",
    "‘": "’",
    "「": "」",
    "『": "』",
}
_QUOTES = frozenset("".join(_CLOSING) + "".join(_CLOSING.values()))
_MARKS = "".join(_QUOTES)
_APOSTROPHE = "’"
_OPENING_MARKS = frozenset(_CLOSING) | frozenset("([{¿¡'")

_FINAL_PUNCTUATION = frozenset(".!?…,;:—–" + "。！？、，；：．｡" + "؟،؛۔" + "।॥" + "።")
_SENTENCE_END = frozenset(".!?…")
_INITIALS = re.compile(r"(?:^|[^\w.])(?:[^\W\d_]\.){2,}$")  # U.S., e.g., a.m.
_FIRST_WORD = re.compile(r"[^\W\d_]+")
_CAPITALISED_WORD = re.compile(r"\s+[“\"‘'(]*[A-Z][a-z]")

# Words with a capital only because a sentence began with them. None is a name, none is "I".
_SENTENCE_OPENERS = frozenset(
    """
    A An The This That These Those There Here It He She We You They One My Your His Her Its Our Their All
    Any Both Each Either Every Everybody Everyone Everything Few Many Most Much Neither Nobody None No
    Nothing Several Some Somebody Someone Something Such After Although And As At Because Before But By
    Despite During Even For From How However If In Instead Into Like Nor Not Of On Only Or Over Since So
    Than Then Though Through To Too Under Unless Until What When Where Whether Which While Who Whoever Why
    With Within Without Yet Are Can Could Did Do Does Has Have Is Should Was Were Would
    """.split()  # noqa: SIM905 - ninety words read better as a paragraph than as ninety lines
)


def question_from_exemplar(exemplar: str, span_text: str) -> str:
    """Return the exemplar with its blank filled by the span, joined as a question.

    Whitespace in the span is folded to single spaces. A quotation mark without its partner is dropped;
    balanced quotation marks stay, and single marks that may be apostrophes are left alone. Final
    punctuation is dropped, also before a closing quotation mark, except the full stop of initials ("the
    U.S."). Where the span opens a sentence of the exemplar its first letter becomes a capital. In mid
    sentence its first letter is lowered only if the first word is a common opener of sentences ("The",
    "This", "If") and no capitalised word follows ("The Hague" stays); names, acronyms, "I", quoted spans
    and other scripts are never changed.

    A span of nothing but whitespace leaves the blank open: one slip must not stop a release.

    Raises ValueError unless the exemplar has exactly one blank.

    >>> question_from_exemplar("Why do you think _____ is true in all situations?", "The rich pay no taxes.")
    'Why do you think the rich pay no taxes is true in all situations?'
    """
    if exemplar.count(BLANK) != 1:
        raise ValueError(f"an exemplar needs exactly one blank {BLANK}: {exemplar!r}")
    before, _, after = exemplar.partition(BLANK)
    fitted = span_fitted(span_text, before)
    return before + fitted + after if fitted else exemplar


def span_fitted(span_text: str, before: str) -> str:
    """Return the words of a span as they stand behind `before` in a question; empty where there are none.

    >>> span_fitted("The rich pay no taxes.", "Is it true that ")
    'the rich pay no taxes'
    """
    span = _fold(span_text)
    # A span of nothing but punctuation is shown as it is.
    span = _without_final_punctuation(_with_balanced_quotes(span)) or span
    return _with_fitting_capital(span, before) if span else ""


def _fold(text: str) -> str:
    return " ".join(text.split())


def _with_balanced_quotes(span: str) -> str:
    """Drop the quotation marks that have no partner in the span."""
    waiting: list[int] = []
    partnered: set[int] = set()
    marks: list[int] = []
    for place, mark in enumerate(span):
        if mark not in _QUOTES:
            continue
        opened = next((index for index in reversed(waiting) if mark in _CLOSING[span[index]]), None)
        if mark == _APOSTROPHE and (opened is None or _between_letters(span, place)):
            continue
        marks.append(place)
        if opened is not None:
            partnered |= {opened, place}
            waiting = waiting[: waiting.index(opened)]
        elif mark in _CLOSING:
            waiting.append(place)
    dropped = set(marks) - partnered
    if not dropped:
        return span
    return _fold("".join(mark for place, mark in enumerate(span) if place not in dropped))


def _between_letters(span: str, place: int) -> bool:
    # Past other marks, which may be dropped: filling the question in again must change nothing.
    before, after = span[:place].rstrip(_MARKS), span[place + 1 :].lstrip(_MARKS)
    return before[-1:].isalnum() and after[:1].isalnum()


def _without_final_punctuation(span: str) -> str:
    """Drop the punctuation at the end of the span, and that before the quotation marks that close it."""
    words = span.rstrip(_MARKS + "'")
    closing = span[len(words) :]
    if closing:
        inner = _without_final_punctuation(words)
        return inner + closing if inner else ""
    if not span or span[-1] not in _FINAL_PUNCTUATION or _INITIALS.search(span):
        return span
    return _without_final_punctuation(span[:-1].rstrip())


def _with_fitting_capital(span: str, before: str) -> str:
    if not before.strip() or before.rstrip()[-1] in _SENTENCE_END:
        return _capitalised(span)
    if before[-1] in _OPENING_MARKS:
        return span  # the exemplar quotes the span
    return _lowered(span)


def _capitalised(span: str) -> str:
    """Make the first letter a capital, past opening marks, unless the first word has some inside (iPhone)."""
    place = next((place for place, mark in enumerate(span) if mark not in _OPENING_MARKS), 0)
    word = _FIRST_WORD.match(span, place)
    if word is None or word.group() != word.group().lower():
        return span
    # Title case, because the upper case of Georgian letters is no capital.
    return span[:place] + span[place].title() + span[place + 1 :]


def _lowered(span: str) -> str:
    word = _FIRST_WORD.match(span)
    if word is None or word.group() not in _SENTENCE_OPENERS or _CAPITALISED_WORD.match(span, word.end()):
        return span
    return span[0].lower() + span[1:]
