"""Real crowd spans for tests: the Insult spans of toxic_spans as judgements of one yes/no type.

The mapping: a worker who marked an Insult span of a post says yes to it, with the first such span by
position; a worker who annotated the post and marked none says no.
"""

import csv
from pathlib import Path

CODEBOOK = """
title = "Insults"
protocol = "focus"
language = "en"
guideline = "Mark the shortest span that insults somebody."

[[groups]]
key = "insult"
name = "Insult"
letter = "I"
hue = "orange"

[[types]]
code = "INS"
name = "Insult"
group = "insult"
aliases = []
description = "Somebody is insulted."
example = "You fool."
exemplar = "Would _____ hurt the person it is about?"
span = true
guideline = "Yes where a person or a group is insulted."
"""


def write_items(folder: Path, target: Path) -> int:
    """Write the posts as a table of items; return how many."""
    with (
        (folder / "comments.csv").open(encoding="utf-8", newline="") as source,
        target.open("w", encoding="utf-8", newline="") as out,
    ):
        writer = csv.writer(out)
        writer.writerow(["id", "text"])
        n = 0
        for row in csv.DictReader(source):
            writer.writerow([row["comment_id"], row["comment_text"]])
            n += 1
    return n


def write_judgements(folder: Path, target: Path) -> int:
    """Write one judgement a worker and post; return how many."""
    first: dict[str, tuple[int, int]] = {}
    with (folder / "spans.csv").open(encoding="utf-8", newline="") as source:
        for row in csv.DictReader(source):
            if row["type"] == "Insult":
                span = (int(row["start"]), int(row["end"]))
                first[row["annotation"]] = min(first.get(row["annotation"], span), span)
    n = 0
    with (
        (folder / "annotations.csv").open(encoding="utf-8", newline="") as source,
        target.open("w", encoding="utf-8", newline="") as out,
    ):
        writer = csv.writer(out)
        writer.writerow(["item", "type", "annotator", "applicable", "start", "end"])
        for row in csv.DictReader(source):
            span = first.get(row["annotation"])
            answer = ["yes", *span] if span else ["no", "", ""]
            writer.writerow([row["comment_id"], "INS", f"worker {row['worker']}", *answer])
            n += 1
    return n
