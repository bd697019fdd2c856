"""Which names look alike: one rule for ids, annotators, topics, splits, labels and names of columns.

White space, invisible marks, width and composed letters make a difference that nobody sees or means: where
names must be unique it is refused. A difference in case may be meant (ids of web pages live on it) and is
noted. Pure: knows neither the database nor files.

See docs/decisions/importing.md.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
"""The characters that Unicode calls ignorable by default: nothing is drawn for them."""

_WHITE_SPACE = re.compile(r"[\s\x1c-\x1f\x85]+")


@lru_cache(maxsize=256)
def seen_as(name: str) -> str:
    """Return what a reader sees of a name; two names that give the same look the same.

    >>> seen_as(" A\\u200b1\\u00a0 ") == seen_as("\\uff211"), seen_as("a1") == seen_as("A1")
    (True, False)
    """
    if name.isascii():
        return " ".join(name.split())
    plain = unicodedata.normalize("NFKC", _INVISIBLE.sub("", unicodedata.normalize("NFKC", name)))
    return _WHITE_SPACE.sub(" ", plain).strip()


def heard_as(name: str) -> str:
    """Return what two names have in common that differ in nothing, or in case as well.

    >>> heard_as("STRASSE ") == heard_as("Straße"), heard_as("Mona") == heard_as("Monika")
    (True, False)
    """
    return _heard(seen_as(name))


def _heard(seen: str) -> str:
    return seen.lower() if seen.isascii() else unicodedata.normalize("NFKC", seen.casefold())


def groups_alike(names: Iterable[str]) -> list[tuple[str, ...]]:
    """Return the groups of different names that look alike, in the order in which they came.

    >>> groups_alike(["yes", "no", "Yes", "no\\u00a0", "maybe"])
    [('yes', 'Yes'), ('no', 'no\\xa0')]
    """
    groups: dict[str, dict[str, None]] = {}
    for name in names:
        groups.setdefault(heard_as(name), {})[name] = None
    return [tuple(group) for group in groups.values() if len(group) > 1]


def alike(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that this one looks like: itself first, then by the eye, then but for case."""
    names = list(known)
    if name in names:
        return name
    for key in (seen_as, heard_as):
        found = next((other for other in names if key(other) == key(name)), None)
        if found is not None:
            return found
    return None


@dataclass(slots=True)
class Names:
    """The names met so far, to compare each further one with."""

    seen: dict[str, str] = field(default_factory=dict)
    heard: dict[str, str] = field(default_factory=dict)
    noted: set[str] = field(default_factory=set)

    def add(self, name: str) -> None:
        seen = seen_as(name)
        self.seen.setdefault(seen, name)
        self.heard.setdefault(_heard(seen), name)

    def note(self, name: str) -> str | None:
        """Return the other name that this one looks like, the first time that it is asked about; add it."""
        if name in self.noted:
            return None
        self.noted.add(name)
        other = self.unseen(name) or self.but_for_case(name)
        self.add(name)
        return other

    def unseen(self, name: str) -> str | None:
        """Return the other name that looks exactly like this one."""
        other = self.seen.get(seen_as(name))
        return None if other == name else other

    def but_for_case(self, name: str) -> str | None:
        """Return the other name that differs from this one in case, if it differs at all."""
        other = self.heard.get(heard_as(name))
        return None if other == name else other
