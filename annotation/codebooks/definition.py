"""What a codebook is: typed, immutable, and the same as plain JSON for the database.

See docs/decisions/protocols.md.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

FOCUS = "focus"
CQS_GEN = "cqs_gen"
PROTOCOLS = (FOCUS, CQS_GEN)

BLANK = "_____"
"""The place in an exemplar that the span fills."""

HUES = ("blue", "purple", "yellow", "green", "orange", "sky", "grey")
"""The colour-blind-safe hues that a group may have; the stylesheet knows their values."""

PUBLISHED_LABELS = {"USE": "Useful", "UN": "Unhelpful", "IN": "Invalid"}
"""Label codes of CQs-Gen and the words that stand for them in the published files."""


@dataclass(frozen=True, slots=True)
class Group:
    """A family of types, with the letter and hue by which it is recognised everywhere."""

    key: str
    name: str
    letter: str
    hue: str


@dataclass(frozen=True, slots=True)
class AnnotationType:
    """One yes/no question about a text, with a span on "yes" where `span` is set."""

    code: str
    name: str
    group: str | None  # key of a Group; None where the codebook has no groups
    aliases: tuple[str, ...]
    description: str
    example: str  # "" where none is given
    exemplar: str | None  # exactly one BLANK; None where the type has no span
    span: bool
    guideline: str  # Markdown; "" where none is given


@dataclass(frozen=True, slots=True)
class DerivedType:
    """The type that nobody enters: all others are "no"."""

    code: str
    name: str


@dataclass(frozen=True, slots=True)
class Label:
    """One of the three labels of a question."""

    code: str
    name: str
    published: str  # the word in the published files
    description: str


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason for Invalid; `edited_question` where the annotator may offer a repaired question."""

    code: str
    name: str
    description: str
    edited_question: bool


@dataclass(frozen=True, slots=True)
class CommentStart:
    """A ready start for the comment that Unhelpful needs."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Codebook:
    """A validated codebook. `annotation.codebooks.toml_reader` makes them; nothing else needs to."""

    name: str
    title: str
    protocol: str
    language: str
    guideline: str  # Markdown
    groups: tuple[Group, ...]
    types: tuple[AnnotationType, ...]
    derived_none: DerivedType | None
    labels: tuple[Label, ...]
    reasons: tuple[Reason, ...]
    comment_starts: tuple[CommentStart, ...]
    languages: dict[str, Any] = field(default_factory=dict, hash=False)
    """The texts in other languages, as `annotation.codebooks.translations` reads them."""

    def type(self, code: str) -> AnnotationType | None:
        """Return the type with this code, or None. The derived type is not among them."""
        return next((entry for entry in self.types if entry.code == code), None)

    def reason(self, code: str) -> Reason | None:
        """Return the reason with this code, or None."""
        return next((entry for entry in self.reasons if entry.code == code), None)

    def to_json(self) -> dict[str, Any]:
        """Return the definition as plain JSON: every key always present, lists for tuples.

        Triggers of the database read `types[].code`, `types[].span`, `reasons[].code` and
        `reasons[].edited_question`, so these names and their types stay.
        """
        found: dict[str, Any] = _plain(asdict(self))
        return found

    @classmethod
    def from_json(cls, definition: dict[str, Any]) -> Codebook:
        """Return the codebook that `to_json` wrote. The definition is trusted: it was validated when read."""
        derived = definition["derived_none"]
        return cls(
            name=definition["name"],
            title=definition["title"],
            protocol=definition["protocol"],
            language=definition["language"],
            guideline=definition["guideline"],
            groups=tuple(Group(**entry) for entry in definition["groups"]),
            types=tuple(
                AnnotationType(**{**entry, "aliases": tuple(entry["aliases"])})
                for entry in definition["types"]
            ),
            derived_none=None if derived is None else DerivedType(**derived),
            labels=tuple(Label(**entry) for entry in definition["labels"]),
            reasons=tuple(Reason(**entry) for entry in definition["reasons"]),
            comment_starts=tuple(CommentStart(**entry) for entry in definition["comment_starts"]),
            # Versions published before codebooks had translations are stored without the key.
            languages=definition.get("languages", {}),
        )


def _plain(value: Any) -> Any:
    """Turn the tuples inside into lists, so that the dict equals what comes back from JSON."""
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, tuple):
        return [_plain(entry) for entry in value]
    return value
