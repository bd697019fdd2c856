"""Write a codebook's document back as TOML, and change it by named fields as a form gives them.

The order of keys is the document's own; comments of a hand-written file are not kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

EDITABLE: dict[str, tuple[str, ...]] = {
    "types": ("name", "group", "description", "example", "exemplar", "span", "guideline"),
    "labels": ("name", "description"),
    "reasons": ("name", "description", "edited_question"),
    "comment_starts": ("text",),
}
"""What a form may change of the entries of each list. Codes and keys stay: stored judgements name them."""

FLAGS = frozenset({"span", "edited_question"})


def codebook_toml(document: Mapping[str, Any]) -> str:
    """Return the TOML of a document of texts, flags, lists of texts, tables and lists of tables.

    >>> print(codebook_toml({"title": "A", "types": [{"code": "LE", "span": True}]}))
    title = "A"
    <BLANKLINE>
    [[types]]
    code = "LE"
    span = true
    <BLANKLINE>
    """
    lines = [_line(key, value) for key, value in document.items() if not _is_tables(value)]
    for key, value in document.items():
        if key == "languages":
            for language, texts in value.items():
                lines += _nested(f"languages.{language}", texts)
        elif _is_tables(value):
            entries, header = ([value], f"[{key}]") if isinstance(value, Mapping) else (value, f"[[{key}]]")
            for entry in entries:
                lines += ["", header, *(_line(name, inner) for name, inner in entry.items())]
    return "\n".join(lines) + "\n"


def _nested(path: str, table: Mapping[str, Any]) -> list[str]:
    """Return a table and the tables in it; one that only holds tables needs no header of its own."""
    lines = [_line(key, value) for key, value in table.items() if not isinstance(value, Mapping)]
    lines = ["", f"[{path}]", *lines] if lines else []
    for key, value in table.items():
        if isinstance(value, Mapping):
            lines += _nested(f"{path}.{key}", value)
    return lines


def edit_document(document: Mapping[str, Any], given: Mapping[str, str]) -> dict[str, Any]:
    """Return a copy of a document with the fields that a form gave: `title`, `guideline`, `types-0-name`, …

    A blank optional field is taken out. `types-0-remove` takes an entry out; `types-new-code` with the
    other fields of `new` adds one. Flags are set by being there. Names the form does not know are ignored.
    """
    edited = deepcopy(dict(document))
    for key in ("title", "guideline"):
        if key in given:
            edited[key] = _text(given[key], edited.get(key, ""))
    for section, fields in EDITABLE.items():
        if section in edited:
            edited[section] = _entries(section, fields, edited[section], given)
            _keep_translated(edited, section)
    return edited


def _keep_translated(document: dict[str, Any], section: str) -> None:
    """Take out the translations of what a form has taken out: of an entry, and of a text of it."""
    there = {entry[_name_of(entry)]: entry for entry in document[section]}
    for texts in document.get("languages", {}).values():
        for name, translated in list(texts.get(section, {}).items()):
            texts[section][name] = {
                field: text for field, text in translated.items() if there.get(name, {}).get(field)
            }
            if not texts[section][name]:
                del texts[section][name]


def _name_of(entry: Mapping[str, Any]) -> str:
    return "code" if "code" in entry else "key"


def _entries(
    section: str, fields: tuple[str, ...], entries: list[dict[str, Any]], given: Mapping[str, str]
) -> list[dict[str, Any]]:
    kept = []
    for index, entry in enumerate(entries):
        prefix = f"{section}-{index}-"
        if f"{prefix}remove" in given:
            continue
        # Only a form that shows the entry changes it: an unticked flag is told from an absent entry.
        kept.append(_filled(entry, fields, prefix, given) if f"{prefix}shown" in given else entry)
    if code := given.get(f"{section}-new-code", "").strip():
        kept.append(_filled({"code": code}, fields, f"{section}-new-", given))
    return kept


def _filled(
    entry: dict[str, Any], fields: tuple[str, ...], prefix: str, given: Mapping[str, str]
) -> dict[str, Any]:
    filled = dict(entry)
    for field in fields:
        if field in FLAGS:
            if field in entry or f"{prefix}{field}" in given or field == "span":
                filled[field] = f"{prefix}{field}" in given
        elif text := _text(given.get(f"{prefix}{field}", ""), entry.get(field, "")):
            filled[field] = text
        else:
            filled.pop(field, None)
    return filled


def _text(given: str, stored: str) -> str:
    """Return a form's text with the newlines that the file had; a form loses those at the two ends."""
    text = given.replace("\r\n", "\n").strip("\n") if given.strip() else ""
    return stored if text == stored.strip("\n") else text


def _is_tables(value: Any) -> bool:
    return isinstance(value, Mapping) or (
        isinstance(value, list) and bool(value) and isinstance(value[0], Mapping)
    )


def _line(key: str, value: Any) -> str:
    return f"{key} = {_value(value)}"


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _string(value)
    return f"[{', '.join(_string(entry) for entry in value)}]"


def _string(text: str) -> str:
    if "\n" in text and "'''" not in text and not text.endswith("'") and _plain(text):
        return f"'''\n{text}'''"
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return (
        '"'
        + "".join(char if char >= " " and char != "\x7f" else f"\\u{ord(char):04X}" for char in escaped)
        + '"'
    )


def _plain(text: str) -> bool:
    return all((char >= " " and char != "\x7f") or char in "\n\t" for char in text)
