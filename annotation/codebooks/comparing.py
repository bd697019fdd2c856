"""What changed between two versions of a codebook, part by part and word by word."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher

from annotation.codebooks.definition import Codebook

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
    parts = {("Codebook", "title"): codebook.title, ("Guideline", ""): codebook.guideline}
    for entry in codebook.types:
        for field in ("name", "group", "description", "example", "exemplar", "guideline"):
            parts[entry.code, field] = getattr(entry, field) or ""
        parts[entry.code, "span"] = "asked for on yes" if entry.span else "none"
    for label in codebook.labels:
        parts[label.code, "name"], parts[label.code, "description"] = label.name, label.description
    for reason in codebook.reasons:
        parts[f"Reason {reason.code}", "name"] = reason.name
        parts[f"Reason {reason.code}", "description"] = reason.description
        offered = "offered" if reason.edited_question else "not offered"
        parts[f"Reason {reason.code}", "edited question"] = offered
    for start in codebook.comment_starts:
        parts["Comment starts", start.key] = start.text
    return parts
