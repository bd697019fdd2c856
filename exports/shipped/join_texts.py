#!/usr/bin/env python3
"""Join the texts of an id-only release to it again. Python 3.10 or newer, nothing to install.

python join_texts.py RELEASE.json TEXTS.jsonl OUT.json

TEXTS.jsonl has an object a line with "id" and "text". A text is taken only where its SHA-256 (of its UTF-8,
exactly as it is) is the one in the release, so that offsets fit. What is missing or differs is listed on
standard error; then the exit code is 1 and OUT.json is not written. The questions made of spans stay out.
"""

import hashlib
import json
import sys

TEXTS = ("argument", "intervention")


def join(entry, name, text):
    """Return an entry with its text and those of its spans, where a whole release has them."""
    joined = {}
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


def label_with_texts(label, text):
    """Return a label whose spans have their texts."""
    lists = ("gold_spans", "disagreement_spans")
    return {
        key: [with_text(span, text) for span in value] if key in lists else value
        for key, value in label.items()
    }


def with_text(span, text):
    """Return a span with its text in the place where a whole release has it."""
    place = {"start": span["start"], "end": span["end"], "text": text[span["start"] : span["end"]]}
    return {**place, **span}


def spans_of(fsq_types, labels):
    """Return the list that is parallel to fsq_types: gold spans, Null where a type has none."""
    names = [label["fsq_type"] for label in labels]
    if any(name not in names for name in fsq_types):
        return ["Null"] * len(fsq_types)
    spans = []
    for label in labels:
        if label["fsq_type"] in fsq_types:
            spans += [span["text"] for span in label["gold_spans"]] or ["Null"]
    return spans


def main(release_path, texts_path, out_path):
    """Join, or say what stands in the way."""
    with open(release_path, encoding="utf-8") as stream:
        release = json.load(stream)
    texts = {}
    with open(texts_path, encoding="utf-8") as stream:
        for line in stream:
            if line.strip():
                row = json.loads(line)
                texts[str(row["id"])] = row["text"]
    problems, joined = [], {}
    for item_id, entry in release.items():
        name = next(name for name in TEXTS if f"{name}_sha256" in entry)
        text = texts.get(item_id)
        if text is None:
            problems.append(f"{item_id}: no text")
        elif hashlib.sha256(text.encode()).hexdigest() != entry[f"{name}_sha256"]:
            problems.append(f"{item_id}: the text is not the one that was annotated (its SHA-256 differs)")
        else:
            joined[item_id] = join(entry, name, text)
    for problem in problems:
        sys.stderr.write(f"{problem}\n")
    if problems:
        return 1
    with open(out_path, "w", encoding="utf-8", newline="") as stream:
        stream.write(json.dumps(joined, indent=4))
    sys.stdout.write(f"{len(joined)} texts joined\n")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    raise SystemExit(main(*sys.argv[1:]))
