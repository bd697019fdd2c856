"""The published shape of CQs-Gen: one object an intervention with its critical questions and their labels."""

from __future__ import annotations

from typing import Any

from annotation.codebooks.definition import PUBLISHED_LABELS
from exports.selection.records import ItemRecord
from exports.selection.rows import origins_of
from exports.selection.selection import Selection

EDITED_LABEL = "USE"

SCORED = 3
"""Questions a system submits for each intervention: its score is the useful ones among them, n/3."""


def entry(record: ItemRecord, selection: Selection, *, withheld: bool = False) -> dict[str, Any]:
    """Return the object of one intervention.

    Only questions with a decided label are in it. With the references withheld `cqs` is empty, as in the
    published test set.
    """
    item = record.item
    released: dict[str, Any] = {
        "intervention_id": item.external_id,
        "intervention": item.text,
        "dataset": item.source,
    }
    if "schemes" in item.metadata:
        released["schemes"] = item.metadata["schemes"]
    released["cqs"] = [] if withheld else questions(record, edited=selection.parameters.edited_questions)
    return released


def questions(record: ItemRecord, *, edited: bool) -> list[dict[str, Any]]:
    """Return id, text and label of each question that has a decided label, by position.

    With `edited`, a decided edited question takes the place of an invalid one, under its id, and is Useful.
    """
    found = []
    for question in record.questions:
        decision = record.answers[question.pk]
        if decision.label is None:
            continue
        text, label = question.text, decision.label
        if edited and decision.edit:
            text, label = decision.edit, EDITED_LABEL
        found.append({"id": question.external_id, "cq": text, "label": PUBLISHED_LABELS[label]})
    return found


def template_entry(record: ItemRecord) -> dict[str, Any]:
    """Return the object of one intervention for a system to fill in: empty questions, as many as count."""
    item = record.item
    return {
        "intervention_id": item.external_id,
        "intervention": item.text,
        "dataset": item.source,
        "cqs": [{"id": number, "cq": ""} for number in range(SCORED)],
    }


def submission_entry(record: ItemRecord, origin: str) -> dict[str, Any]:
    """Return the object of one intervention as a system submits it: its questions without labels."""
    item = record.item
    return {
        "intervention_id": item.external_id,
        "intervention": item.text,
        "dataset": item.source,
        "cqs": [
            {"id": question.external_id, "cq": question.text}
            for question in record.questions
            if origin in origins_of(question.origin)
        ],
    }
