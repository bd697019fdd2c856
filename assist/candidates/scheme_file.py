"""A catalogue of schemes as a file: JSON Lines or TOML, every row checked before any is stored."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from annotation.importing.files.rows import FileError
from annotation.limits import unfit
from assist.models import Scheme
from assist.triggers import LIMITS
from core.texts import QUESTION, is_blank, length_problem

SHIPPED = Path(__file__).parent / "schemes.toml"

SLOT = re.compile(r"<[^<>\s]+>")
_KEYS = ("id", "name", "aliases", "slots", "form", "questions")


@dataclass(slots=True)
class Catalogue:
    """What a file brought: schemes as columns of `Scheme`, and the rows refused, by place and reason."""

    schemes: list[dict[str, Any]] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)


def read_catalogue(path: Path) -> Catalogue:
    """Read a catalogue. Raises FileError where it is no such file at all."""
    found = Catalogue()
    seen: dict[str, str] = {}
    for place, row in _rows(path):
        problem = row if isinstance(row, str) else _problem(row)
        if not problem and not isinstance(row, str):
            names = {key_of(name) for name in (row["id"], row["name"], *row.get("aliases", []))}
            taken = sorted(name for name in names if seen.get(name, row["id"]) != row["id"])
            if row["id"] in {scheme["code"] for scheme in found.schemes}:
                problem = gettext("the id %(id)s stands twice") % {"id": row["id"]}
            elif taken:
                problem = gettext("the name %(name)s is that of another scheme") % {"name": taken[0]}
            else:
                seen.update(dict.fromkeys(names, row["id"]))
                found.schemes.append(_columns(row))
        if problem:
            found.refused.append((place, problem))
    return found


def schemes_import(path: Path) -> tuple[int, int]:
    """Store the schemes of a file, those of a known id anew. Return how many are new and how many changed.

    Raises FileError, and stores nothing, where a row is refused.
    """
    found = read_catalogue(path)
    if found.refused:
        place, reason = found.refused[0]
        raise FileError(path.name, place, reason)
    return store_schemes(found)


def store_schemes(found: Catalogue) -> tuple[int, int]:
    """Store what was read. Return how many schemes are new and how many changed."""
    new = changed = 0
    with transaction.atomic():
        for values in found.schemes:
            row = Scheme.objects.filter(code=values["code"]).first()
            if row is None:
                Scheme.objects.create(**values)
                new += 1
            elif any(getattr(row, name) != value for name, value in values.items()):
                Scheme.objects.filter(pk=row.pk).update(**values)
                changed += 1
    return new, changed


def key_of(name: str) -> str:
    """Return a scheme's name as names are compared: case, spaces and joints aside.

    >>> key_of("Ad hominem") == key_of("AdHominem")
    True
    """
    return re.sub(r"[\s_-]+", "", name).casefold()


def _rows(path: Path) -> Iterator[tuple[str, Mapping[str, Any] | str]]:
    """Yield the place of each row with the row, or with why it is none."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise FileError(path.name, "", f"cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise FileError(path.name, "", "is not in UTF-8: save it so.") from error
    if path.suffix.casefold() == ".toml":
        try:
            rows = tomllib.loads(text).get("schemes")
        except tomllib.TOMLDecodeError as error:
            raise FileError(path.name, "", f"is no TOML: {error}.") from error
        if not isinstance(rows, list) or not rows:
            raise FileError(path.name, "", "has no [[schemes]].")
        for number, row in enumerate(rows, start=1):
            yield f"scheme {number}", row if isinstance(row, dict) else gettext("expected a table")
        return
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if not lines:
        raise FileError(path.name, "", "has no scheme in it.")
    for number, line in lines:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            yield f"line {number}", gettext("is no JSON")
            continue
        yield f"line {number}", row if isinstance(row, dict) else gettext("expected an object")


def _problem(row: Mapping[str, Any]) -> str:
    """Return what is wrong with a scheme; empty where nothing is."""
    if unknown := sorted(set(row) - set(_KEYS)):
        return gettext("%(key)s is no part of a scheme") % {"key": unknown[0]}
    for key in ("id", "name"):
        if not isinstance(row.get(key), str) or is_blank(row[key]):
            return gettext("%(key)s is missing") % {"key": key}
        if problem := unfit(row[key], LIMITS["scheme"]["code" if key == "id" else key]):
            return f"{key}: {problem}"
    form = row.get("form")
    if not isinstance(form, dict) or not isinstance(form.get("conclusion"), str):
        return gettext("form needs premises and a conclusion")
    lists = {"aliases": row.get("aliases", []), "slots": row.get("slots"), "questions": row.get("questions")}
    for key, texts in {**lists, "form.premises": form.get("premises")}.items():
        if not isinstance(texts, list) or not all(
            isinstance(one, str) and not is_blank(one) for one in texts
        ):
            return gettext("%(key)s: expected a list of texts") % {"key": key}
    slots, questions = row["slots"], row["questions"]
    if not questions or not slots:
        return gettext("a scheme needs slots and questions")
    if wrong := [slot for slot in slots if not SLOT.fullmatch(slot)]:
        return gettext("%(slot)s is no slot: write it as <eventA>") % {"slot": wrong[0]}
    if len(set(slots)) < len(slots):
        return gettext("a slot stands twice")
    for text in [*questions, *form["premises"], form["conclusion"]]:
        if problem := length_problem(text, QUESTION):
            return problem
        if missing := [slot for slot in SLOT.findall(text) if slot not in slots]:
            return gettext("%(slot)s is not among the slots") % {"slot": missing[0]}
    return ""


def _columns(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "code": row["id"],
        "name": row["name"],
        "aliases": list(row.get("aliases", [])),
        "slots": list(row["slots"]),
        "premises": list(row["form"]["premises"]),
        "conclusion": row["form"]["conclusion"],
        "questions": list(row["questions"]),
    }
