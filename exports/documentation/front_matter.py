"""The front matter of a data card: the YAML by which dataset hubs list a dataset and load its splits."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from exports.files.outputs import WHOLE, Places
from exports.selection.selection import Selection


def lines_features(selection: Selection) -> list[dict[str, Any]]:
    """Return the declared features of `data/SPLIT.jsonl`."""
    texts = selection.parameters.texts
    if not selection.typology:
        return [
            _text("intervention_id"),
            _text("intervention" if texts else "intervention_sha256"),
            _text("dataset"),
            {"name": "schemes", "list": "string"},
            {"name": "cqs", "list": [_text("id"), _text("cq"), _text("label")]},
        ]
    place = [_whole("start"), _whole("end"), *([_text("text")] if texts else []), _whole("support")]
    question = [_text("question")] if texts else []
    if selection.parameters.refined_questions:
        question += [_text("question_refined"), _whole("refinement_run")]
    label = [
        _text("code"),
        _text("fsq_type"),
        _flag("applicable"),
        {"name": "votes", "struct": [_whole("yes"), _whole("no")]},
        {"name": "gold_spans", "list": [*place, *question]},
        {"name": "disagreement_spans", "list": place},
        _flag("adjudicated"),
    ]
    return [
        _text("argument_id"),
        _text("argument" if texts else "argument_sha256"),
        _text("dataset"),
        _text("topic"),
        {"name": "fsq_types", "list": "string"},
        *([{"name": "spans", "list": "string"}] if texts else []),
        {"name": "labels", "list": label},
    ]


def _text(name: str) -> dict[str, str]:
    return {"name": name, "dtype": "string"}


def _whole(name: str) -> dict[str, str]:
    return {"name": name, "dtype": "int64"}


def _flag(name: str) -> dict[str, str]:
    return {"name": name, "dtype": "bool"}


LICENCE_IDS = frozenset(
    """
    afl-3.0 agpl-3.0 apache-2.0 artistic-2.0 bsd bsd-2-clause bsd-3-clause bsl-1.0 cc cc0-1.0 cc-by-2.0
    cc-by-2.5 cc-by-3.0 cc-by-4.0 cc-by-sa-3.0 cc-by-sa-4.0 cc-by-nc-2.0 cc-by-nc-3.0 cc-by-nc-4.0
    cc-by-nd-4.0 cc-by-nc-nd-3.0 cc-by-nc-nd-4.0 cc-by-nc-sa-2.0 cc-by-nc-sa-3.0 cc-by-nc-sa-4.0
    cdla-sharing-1.0 cdla-permissive-1.0 cdla-permissive-2.0 ecl-2.0 epl-2.0 etalab-2.0 eupl-1.1 eupl-1.2
    gfdl gpl gpl-2.0 gpl-3.0 isc lgpl lgpl-2.1 lgpl-3.0 mit mpl-2.0 odbl odc-by ofl-1.1 osl-3.0 pddl
    unlicense wtfpl zlib
    """.split()  # noqa: SIM905 - sixty ids read better as a paragraph than as sixty lines
)
"""Licences that hubs know by an id; they refuse a card whose `license` is anything else but `other`."""

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def front_matter(selection: Selection, *, licence: str, splits: Iterable[str], n_items: int) -> str:
    """Return the front matter between its two lines of dashes. `splits` are as the release has them."""
    lines = ["---", *_licence(licence)]
    languages = language_codes(selection.project.languages)
    lines += ["language:", *(f"- {json.dumps(code)}" for code in languages)] if languages else []
    lines += [
        f"pretty_name: {json.dumps(selection.project.name, ensure_ascii=False)}",
        "task_categories:",
        *(f"- {task}" for task in _tasks(selection)),
        "size_categories:",
        f"- {next((name for limit, name in _SIZES if n_items < limit), '1M<n<10M')}",
        "tags:",
        *_topics(selection),
        "- argumentation",
        "- annotator-disagreement",
        "configs:",
        "- config_name: default",
        "  data_files:",
    ]
    for split in splits:
        # In quotes: a split may be called 2024, or no.
        lines += [
            f"  - split: {json.dumps(split_name(split), ensure_ascii=False)}",
            f"    path: {json.dumps(f'data/{Places.file_part(split)}.jsonl', ensure_ascii=False)}",
        ]
    # JSON is YAML, and in it a feature named yes stays a text.
    declared: dict[str, Any] = {"config_name": "default", "features": lines_features(selection)}
    lines.append(f"dataset_info: {json.dumps(declared)}")
    return "\n".join([*lines, "---", ""])


def is_socratic(selection: Selection) -> bool:
    """Return whether the codebook calls its types Socratic questions: others of this shape are none."""
    return "socratic" in selection.codebook.title.casefold()


def _topics(selection: Selection) -> list[str]:
    if not selection.typology:
        return ["- critical-questions"]
    return ["- socratic-questions"] if is_socratic(selection) else []


def split_name(split: str) -> str:
    """Return what `datasets` calls a split; it keeps "all" for the union of them and refuses it as a name."""
    part = Places.file_part(split)
    return "whole" if part == WHOLE else part


def language_codes(languages: str) -> list[str]:
    """Return the ISO 639 codes among what a project says of its languages, which hubs take alone.

    >>> language_codes("en-GB, ar, English, en")
    ['en', 'ar']
    """
    primary = [tag.strip().partition("-")[0].lower() for tag in languages.split(",")]
    return list(dict.fromkeys(code for code in primary if re.fullmatch("[a-z]{2,3}", code)))


def _licence(licence: str) -> list[str]:
    if not licence:
        return []
    known = re.sub("[^a-z0-9.]+", "-", licence.lower()).strip("-.")
    if known in LICENCE_IDS:
        return [f"license: {known}"]
    return ["license: other", *([f"license_name: {json.dumps(known)}"] if known else [])]


def _tasks(selection: Selection) -> list[str]:
    if not selection.typology:
        return ["text-generation", "text-classification"]
    return ["text-classification", *(["token-classification"] if selection.span_types else [])]
