#!/usr/bin/env python3
"""Join the texts of an id-only release to it again. Python 3.10 or newer, nothing to install.

python join_texts.py RELEASE.json TEXTS.jsonl OUT.json

TEXTS.jsonl has an object a line with "id" and "text". A text is taken only where its SHA-256 (of its UTF-8,
exactly as it is) is the one in the release, so that offsets fit. What is missing or differs is listed on
standard error, also where a text differs only in its line breaks, its Unicode form or the white space around
it; then the exit code is 1 and OUT.json is not written. The questions made of spans stay out.
"""

import hashlib
import json
import sys
import unicodedata
from typing import Any

TEXTS = ("argument", "intervention")


def join(entry: dict[str, Any], name: str, text: str) -> dict[str, Any]:
    """Return an entry with its text and those of its spans, where a whole release has them."""
    joined: dict[str, Any] = {}
    for key, value in entry.items():
        if key == f"{name}_sha256":
            joined[name] = text
        elif key == "labels":
            labels = [label_with_texts(label, text) for label in value]
            joined["spans"] = spans_of(entry["fsq_types"], labels)
            joined[key] = labels
        else:
            joined[key] = value
    return joined


def label_with_texts(label: dict[str, Any], text: str) -> dict[str, Any]:
    """Return a label whose spans have their texts."""
    lists = ("gold_spans", "disagreement_spans")
    return {
        key: [with_text(span, text) for span in value] if key in lists else value
        for key, value in label.items()
    }


def with_text(span: dict[str, Any], text: str) -> dict[str, Any]:
    """Return a span with its text in the place where a whole release has it."""
    place = {"start": span["start"], "end": span["end"], "text": text[span["start"] : span["end"]]}
    return {**place, **span}


def spans_of(fsq_types: list[str], labels: list[dict[str, Any]]) -> list[str]:
    """Return the list that is parallel to fsq_types: gold spans, Null where a type has none."""
    names = [label["fsq_type"] for label in labels]
    if any(name not in names for name in fsq_types):
        return ["Null"] * len(fsq_types)
    spans: list[str] = []
    for label in labels:
        if label["fsq_type"] in fsq_types:
            spans += [span["text"] for span in label["gold_spans"]] or ["Null"]
    return spans


class Wrong(Exception):
    """What is wrong with a file, and where, in words for whoever made it."""


def sha256(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8; half a character, which no release has, is hashed too."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def difference(text: str, digest: str) -> str:
    """Return how a text differs from the annotated one whose SHA-256 this is."""
    feeds = text.replace("\r\n", "\n").replace("\r", "\n")
    variants = {
        "its line breaks are not LF": feeds,
        "its line breaks are not CRLF": feeds.replace("\n", "\r\n"),
        "it is not in Unicode form NFC": unicodedata.normalize("NFC", text),
        "it is not in Unicode form NFD": unicodedata.normalize("NFD", text),
        "there is white space around it": text.strip(),
        "the line break at its end is missing": f"{text}\n",
        "it begins with a byte order mark": text.removeprefix("\ufeff"),
    }
    for what, variant in variants.items():
        if sha256(variant) == digest:
            return f"the text is not the one that was annotated, because {what}"
    return "the text is not the one that was annotated (its SHA-256 differs)"


def read(path: str) -> str:
    """Return the text of a file. Raises Wrong where it cannot be read."""
    try:
        with open(path, "rb") as stream:
            return stream.read().decode("utf-8-sig")
    except OSError as error:
        raise Wrong(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise Wrong(f"{path}: is not UTF-8 (byte {error.start + 1})") from None


def read_release(path: str) -> dict[str, dict[str, Any]]:
    """Return the items of a release by id. Raises Wrong where this is none without texts."""
    try:
        release = json.loads(read(path))
    except json.JSONDecodeError as error:
        raise Wrong(f"{path}: is no JSON: line {error.lineno}, column {error.colno}: {error.msg}") from None
    if not isinstance(release, dict) or not all(isinstance(entry, dict) for entry in release.values()):
        raise Wrong(f"{path}: expected a JSON object with the items by their ids, as in focus.json")
    return release


def read_texts(path: str) -> dict[str, str]:
    """Return the texts by id. Raises Wrong for a line that has none."""
    texts: dict[str, str] = {}
    for number, line in enumerate(read(path).split("\n"), start=1):
        if not line.strip():
            continue
        place = f"{path}, line {number}"
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise Wrong(f"{place}: is no JSON: column {error.colno}: {error.msg}") from None
        if not isinstance(row, dict) or "id" not in row or not isinstance(row.get("text"), str):
            raise Wrong(f'{place}: expected an object with "id" and "text"')
        identifier = str(row["id"])
        if texts.setdefault(identifier, row["text"]) != row["text"]:
            raise Wrong(f"{place}: {identifier} has another text in an earlier line")
    return texts


def main(release_path: str, texts_path: str, out_path: str) -> None:
    """Join, or say what stands in the way."""
    release, texts = read_release(release_path), read_texts(texts_path)
    problems, joined = [], {}
    for item_id, entry in release.items():
        name = next((name for name in TEXTS if f"{name}_sha256" in entry), None)
        if name is None:
            raise Wrong(f"{release_path}: {item_id} has no SHA-256 of a text: is this a release with texts?")
        text, digest = texts.get(item_id), entry[f"{name}_sha256"]
        if text is None:
            problems.append(f"{item_id}: no text")
        elif sha256(text) != digest:
            problems.append(f"{item_id}: {difference(text, digest)}")
        else:
            joined[item_id] = join(entry, name, text)
    if problems:
        raise Wrong("\n".join(problems))
    with open(out_path, "w", encoding="utf-8", newline="") as stream:
        stream.write(json.dumps(joined, indent=4))
    sys.stdout.write(f"{len(joined)} texts joined\n")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    try:
        main(*sys.argv[1:])
    except Wrong as wrong:
        raise SystemExit(str(wrong)) from None
