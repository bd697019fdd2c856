"""Reads the tables of a parsed document key by key and collects what is wrong, each with its key path."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, TypeVar

from django.utils.translation import gettext

from annotation.limits import LIMITS, Limit, unfit
from core.lookalikes import heard_as
from core.texts import is_blank

Entry = TypeVar("Entry")

_CODE = re.compile(r"[A-Z]{2,8}")
_KEY = re.compile(r"[a-z][a-z0-9_]{0,39}")
_MISSING = object()
_NAMES = ("title", "name")
_NAME = Limit(200, is_name=True)


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a codebook: where (line or key path, "" for the whole file) and what."""

    place: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.place else self.message


class Table:
    """One table of the document. Every reading method notes a problem instead of raising."""

    def __init__(self, content: dict[str, Any], path: str, problems: list[Problem]) -> None:
        self.content = content
        self.path = path
        self.problems = problems

    def problem(self, key: str, message: str) -> None:
        """Note what is wrong with a key of this table ("" for the table itself)."""
        self.problems.append(Problem(".".join(part for part in (self.path, key) if part), message))

    def text(self, key: str, *, default: Any = _MISSING) -> Any:
        """Return the text at `key`, or the default where it is absent; "" once a problem is noted."""
        value = self.content.get(key)
        if value is None:
            if default is _MISSING:
                self.problem(key, gettext("is missing"))
                return ""
            return default
        if not isinstance(value, str):
            self.problem(key, gettext("is %(value)s, expected a text") % {"value": kind(value)})
        elif found := unfit(value, _NAME if key in _NAMES else LIMITS["codebook"]["guideline"]):
            self.problem(key, found)
        elif is_blank(value):
            self.problem(key, gettext("is blank"))
        else:
            return value
        return ""

    def code(self) -> str:
        """Return the text at "code", in the form that codes have."""
        return self._matching("code", _CODE, gettext("two to eight capital letters A to Z"))

    def key(self) -> str:
        """Return the text at "key", in the form that keys have."""
        return self._matching("key", _KEY, gettext("small letters, digits and _, beginning with a letter"))

    def _matching(self, key: str, pattern: re.Pattern[str], expected: str) -> str:
        value = self.text(key)
        if value and not pattern.fullmatch(value):
            self.problem(
                key,
                gettext("is %(value)s, expected %(expected)s") % {"value": repr(value), "expected": expected},
            )
        found: str = value
        return found

    def choice(self, key: str, choices: Iterable[str]) -> str:
        """Return the text at `key`, which must be one of the choices."""
        value = self.text(key)
        if value and value not in choices:
            self.problem(
                key,
                gettext("is %(value)s, expected one of %(choices)s")
                % {"value": repr(value), "choices": ", ".join(choices)},
            )
        found: str = value
        return found

    def boolean(self, key: str, *, default: bool | None = None) -> bool:
        """Return true or false at `key`; without a default the key must be there."""
        value = self.content.get(key, default)
        if value is None:
            self.problem(key, gettext("is missing, expected true or false"))
        elif not isinstance(value, bool):
            self.problem(key, gettext("is %(value)s, expected true or false") % {"value": kind(value)})
        return value is True

    def texts(self, key: str) -> tuple[str, ...]:
        """Return the list of texts at `key`, empty where it is absent."""
        value = self.content.get(key, [])
        if not isinstance(value, list):
            self.problem(key, gettext("is %(value)s, expected a list of texts") % {"value": kind(value)})
            return ()
        inner = Table({f"{key}[{i}]": entry for i, entry in enumerate(value)}, self.path, self.problems)
        return tuple(inner.text(place) for place in inner.content)

    def table(self, key: str, read: Callable[[Table], Entry]) -> Entry | None:
        """Return what `read` makes of the table at `key`, or None where it is absent."""
        value = self.content.get(key)
        if value is None:
            return None
        if not isinstance(value, dict):
            self.problem(
                key, gettext("is %(value)s, expected a table [%(key)s]") % {"value": kind(value), "key": key}
            )
            return None
        return read(Table(value, key, self.problems))

    def entries(
        self, key: str, read: Callable[[Table], Entry], *, required: bool = False
    ) -> tuple[Entry, ...]:
        """Return what `read` makes of every table of the list at `key`."""
        value = self.content.get(key, [])
        if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
            self.problem(
                key,
                gettext("is %(value)s, expected a list of tables [[%(key)s]]")
                % {"value": kind(value), "key": key},
            )
            return ()
        if required and not value:
            self.problem(key, gettext("is missing, expected at least one [[%(key)s]]") % {"key": key})
        return tuple(read(Table(entry, f"{key}[{i}]", self.problems)) for i, entry in enumerate(value))

    def refuse_unknown(self, known: Iterable[str]) -> None:
        """Note every key that is not known, with the nearest known one."""
        known = tuple(known)
        for key in self.content:
            if key not in known:
                near = get_close_matches(key, known, n=1)
                hint = (
                    gettext("did you mean %(near)s?") % {"near": near[0]}
                    if near
                    else gettext("known keys are %(known)s") % {"known": ", ".join(known)}
                )
                self.problem(key, gettext("is not a known key; %(hint)s") % {"hint": hint})

    def refuse_repeats(self, list_key: str, field: str, values: Iterable[str]) -> None:
        """Note every value that looks like another entry's of a list, though it must be unique."""
        first: dict[str, int] = {}
        for i, value in enumerate(values):
            if value and heard_as(value) in first:
                earlier = f"{list_key}[{first[heard_as(value)]}]"
                self.problem(
                    f"{list_key}[{i}].{field}",
                    gettext("is %(value)s, which %(earlier)s has already")
                    % {"value": repr(value), "earlier": earlier},
                )
            first.setdefault(heard_as(value), i)


def kind(value: object) -> str:
    """Name a value's kind in the words of TOML and JSON.

    >>> kind(True), kind([1])
    ('true', 'a list')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return gettext("a table")
    if isinstance(value, list):
        return gettext("a list")
    return (
        gettext("the number %(value)s") % {"value": value} if isinstance(value, int | float) else f"{value!r}"
    )
