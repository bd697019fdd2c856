"""What changed between two versions of a codebook, part by part and word by word."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher

from django.utils.translation import gettext, gettext_lazy

from annotation.codebooks.definition import Codebook
from annotation.codebooks.translations import translated_texts

_PIECES = re.compile(r"\s+|\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text, and whether the other version lacks it."""

    text: str
    changed: bool


@dataclass(frozen=True, slots=True)
class Change:
    """One part that differs: where it is, and both texts in pieces. A part that is new has no old pieces."""

    part: str
    field: str
    old: tuple[Piece, ...]
    new: tuple[Piece, ...]


FIELDS = {
    "name": gettext_lazy("name"),
    "group": gettext_lazy("group"),
    "description": gettext_lazy("description"),
    "example": gettext_lazy("example"),
    "exemplar": gettext_lazy("exemplar"),
    "guideline": gettext_lazy("guideline"),
}
"""The fields of a type that are compared, as the reader calls them."""


def codebook_changes(old: Codebook, new: Codebook) -> list[Change]:
    """Return the parts that differ, in the new version's order, then what only the old one has."""
    before, after = _parts(old), _parts(new)
    changes = []
    for key in [*after, *(key for key in before if key not in after)]:
        there, here = before.get(key, ""), after.get(key, "")
        if there != here:
            changes.append(Change(*key, *pieces_compared(there, here)))
    return changes


def types_touched(changes: Iterable[Change], new: Codebook) -> tuple[str, ...]:
    """Return the codes of the new version's types of which a part is another, in the codebook's order."""
    parts = {change.part for change in changes}
    return tuple(entry.code for entry in new.types if entry.code in parts)


def pieces_compared(old: str, new: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Return both texts in pieces, those marked that only one of them has.

    >>> pieces_compared("a short span", "a long span")[1]
    (Piece(text='a ', changed=False), Piece(text='long', changed=True), Piece(text=' span', changed=False))
    """
    left, right = _PIECES.findall(old), _PIECES.findall(new)
    old_pieces, new_pieces = [], []
    for tag, i, j, k, m in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if i < j:
            old_pieces.append(Piece("".join(left[i:j]), tag != "equal"))
        if k < m:
            new_pieces.append(Piece("".join(right[k:m]), tag != "equal"))
    return tuple(old_pieces), tuple(new_pieces)


def _parts(codebook: Codebook) -> dict[tuple[str, str], str]:
    parts = {
        (gettext("Codebook"), gettext("title")): codebook.title,
        (gettext("Guideline"), ""): codebook.guideline,
    }
    for entry in codebook.types:
        for field, word in FIELDS.items():
            parts[entry.code, str(word)] = getattr(entry, field) or ""
        parts[entry.code, gettext("span")] = gettext("asked for on yes") if entry.span else gettext("none")
    for label in codebook.labels:
        parts[label.code, gettext("name")] = label.name
        parts[label.code, gettext("description")] = label.description
    for reason in codebook.reasons:
        part = gettext("Reason %(code)s") % {"code": reason.code}
        parts[part, gettext("name")] = reason.name
        parts[part, gettext("description")] = reason.description
        offered = gettext("offered") if reason.edited_question else gettext("not offered")
        parts[part, gettext("edited question")] = offered
    for start in codebook.comment_starts:
        parts[gettext("Comment starts"), start.key] = start.text
    for language, texts in codebook.languages.items():
        for place, text in translated_texts(texts).items():
            parts[gettext("Translation %(language)s") % {"language": language}, " ".join(place)] = text
    return parts
