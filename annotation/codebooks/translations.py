"""A codebook's texts in other languages: reading, showing, and telling which are missing or out of date.

`[languages.es]` holds texts only, each below the code or key of what it translates, so that a translation can
never change what a judgement means:

    [languages.es]
    title = "…"
    [languages.es.types.LE]
    name = "…"
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from django.conf.locale import LANG_INFO
from django.utils.translation import gettext

from annotation.codebooks.definition import BLANK, Codebook
from annotation.codebooks.toml_document import Table, kind
from core.lookalikes import heard_as

SECTIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "groups": ("key", ("name",)),
    "types": ("code", ("name", "description", "example", "exemplar", "guideline")),
    "labels": ("code", ("name", "description")),
    "reasons": ("code", ("name", "description")),
    "comment_starts": ("key", ("text",)),
}
"""What of each list has texts: the field that names an entry, and the fields that are translated."""

TAG = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
KNOWN = sorted({tag.split("-")[0] for tag in LANG_INFO})

Place = tuple[str, ...]
"""Where a text stands: ("title",), or the list, the code or key, and the field: ("types", "LE", "name")."""


@dataclass(frozen=True, slots=True)
class TranslationState:
    """How far a language is: its texts, and the places that miss one or have one older than the base text."""

    language: str
    total: int
    missing: tuple[str, ...]
    older: tuple[str, ...]


def base_texts(codebook: Codebook) -> dict[Place, str]:
    """Return every text of a codebook that can be translated, by its place."""
    found: dict[Place, str] = {("title",): codebook.title, ("guideline",): codebook.guideline}
    if codebook.derived_none:
        found["derived_none", "name"] = codebook.derived_none.name
    for section, (key, fields) in SECTIONS.items():
        for entry in getattr(codebook, section):
            for field in fields:
                if text := getattr(entry, field):
                    found[section, getattr(entry, key), field] = text
    return found


def translated_texts(texts: Mapping[str, Any]) -> dict[Place, str]:
    """Return the texts of one language by their places."""
    return dict(_walk(texts, ()))


def _walk(texts: Mapping[str, Any], place: Place) -> Iterator[tuple[Place, str]]:
    for key, value in texts.items():
        if isinstance(value, Mapping):
            yield from _walk(value, (*place, key))
        else:
            yield (*place, key), value


def read_languages(top: Table, codebook: Codebook) -> dict[str, Any]:
    """Return the translations of a document, noting every problem: an unknown language or code among them."""
    given = top.content.get("languages", {})
    if not isinstance(given, dict):
        top.problem("languages", _expected_table(given, "languages"))
        return {}
    found = {}
    texts = base_texts(codebook)
    for language, content in given.items():
        path = f"languages.{language}"
        if problem := _language_problem(language, codebook.language):
            top.problem(path, problem)
        elif not isinstance(content, dict):
            top.problem(path, _expected_table(content, path))
        else:
            found[language] = _tables(Table(content, path, top.problems), texts, ())
            _check_exemplars(top, path, found[language], codebook)
            _refuse_repeated_names(top, path, found[language])
    return found


def _language_problem(language: str, base: str) -> str:
    if language.lower() == base.lower():
        return gettext("is the language of the codebook itself")
    if TAG.fullmatch(language) and language.split("-")[0] in KNOWN:
        return ""
    near = get_close_matches(language, KNOWN, n=1, cutoff=0.5)
    hint = gettext("did you mean %(near)s?") % {"near": near[0]} if near else gettext("such as es or pt-BR")
    return gettext("is no known language tag; %(hint)s") % {"hint": hint}


def _expected_table(value: object, key: str) -> str:
    return gettext("is %(value)s, expected a table [%(key)s]") % {"value": kind(value), "key": key}


def _tables(table: Table, base: Mapping[Place, str], place: Place) -> dict[str, Any]:
    """Read the texts at and below a place: only what the codebook has a text for is known."""
    depth = len(place)
    known = dict.fromkeys(there[depth] for there in base if there[:depth] == place)
    table.refuse_unknown(known)
    found: dict[str, Any] = {}
    for key in known:
        value = table.content.get(key)
        if value is None:
            continue
        if (*place, key) in base:
            if text := table.text(key):
                found[key] = text
        elif not isinstance(value, dict):
            table.problem(key, _expected_table(value, f"{table.path}.{key}"))
        else:
            found[key] = _tables(Table(value, f"{table.path}.{key}", table.problems), base, (*place, key))
    return found


def blank_problem(exemplar: str, *, span: bool) -> str:
    """Return what is wrong with the blanks of an exemplar: one where the type has a span, else none."""
    blanks = re.findall(r"_{2,}", exemplar)
    if blanks == [BLANK] * span:
        return ""
    if not span:
        return gettext("has a blank, but the type has no span that could fill it")
    if not blanks:
        return gettext("has no blank %(blank)s") % {"blank": BLANK}
    return gettext("has the blanks %(blanks)s, expected exactly one %(blank)s") % {
        "blanks": " ".join(blanks),
        "blank": BLANK,
    }


def _check_exemplars(top: Table, path: str, texts: Mapping[str, Any], codebook: Codebook) -> None:
    for code, translated in texts.get("types", {}).items():
        entry = codebook.type(code)
        if entry and (
            problem := blank_problem(translated.get("exemplar", BLANK * entry.span), span=entry.span)
        ):
            top.problem(f"{path}.types.{code}.exemplar", problem)


def _refuse_repeated_names(top: Table, path: str, texts: Mapping[str, Any]) -> None:
    first: dict[str, str] = {}
    for code, translated in texts.get("types", {}).items():
        name = translated.get("name")
        if name and heard_as(name) in first:
            where = f"{path}.types.{first[heard_as(name)]}"
            told = gettext("is %(value)s, which %(earlier)s has already") % {
                "value": repr(name),
                "earlier": where,
            }
            top.problem(f"{path}.types.{code}.name", told)
        elif name:
            first[heard_as(name)] = code


def language_shown(codebook: Codebook, asked: str) -> str:
    """Return the language that a codebook is shown in: the one asked for, a near one, or its own."""
    asked = asked.lower()
    tags = {tag.lower(): tag for tag in (codebook.language, *codebook.languages)}
    near = next((tag for lower, tag in tags.items() if lower.split("-")[0] == asked.split("-")[0]), None)
    return tags.get(asked) or near or codebook.language


def codebook_in(codebook: Codebook, asked: str) -> Codebook:
    """Return the codebook with its texts in a language; a text without a translation stays as it is.

    The exemplar stays in the codebook's own language: it asks about the words of the text, and a release
    prints it.
    """
    texts = codebook.languages.get(language_shown(codebook, asked))
    if not texts:
        return codebook
    derived = codebook.derived_none
    entries: dict[str, Any] = {}
    for section, (key, _) in SECTIONS.items():
        told = texts.get(section, {})
        entries[section] = tuple(
            replace(entry, **{k: v for k, v in told.get(getattr(entry, key), {}).items() if k != "exemplar"})
            for entry in getattr(codebook, section)
        )
    return replace(
        codebook,
        title=texts.get("title", codebook.title),
        guideline=texts.get("guideline", codebook.guideline),
        derived_none=derived and replace(derived, **texts.get("derived_none", {})),
        **entries,
    )


def translation_states(versions: Sequence[Codebook]) -> list[TranslationState]:
    """Return how far each language of the newest version is; versions in their order, the newest last.

    A translation is older than the base text where that text is another one than in the version that brought
    the translation.
    """
    newest = versions[-1]
    states = []
    for language in sorted(newest.languages):
        base, told = base_texts(newest), translated_texts(newest.languages[language])
        older = []
        for place, text in told.items():
            written_for = base[place]
            for before in reversed(versions[:-1]):
                if translated_texts(before.languages.get(language, {})).get(place) != text:
                    break
                written_for = base_texts(before).get(place, "")
            if written_for != base[place]:
                older.append(" ".join(place))
        missing = tuple(" ".join(place) for place in base if place not in told)
        states.append(TranslationState(language, len(base), missing, tuple(older)))
    return states
