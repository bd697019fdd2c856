"""Judgements from Label Studio's JSON: a list of tasks, each with the annotations of its annotators.

The file is one JSON list, so it is parsed as a whole. Read are the controls that a release writes
(`exports/formats/exchange.py`), and any region whose labels name types of the codebook.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from django.utils.translation import gettext

from annotation.importing.files.encodings import json_document
from annotation.importing.files.rows import FileError, JudgementRows, Notice, Refusal
from annotation.importing.files.tabular import RowProblem
from annotation.importing.formats.common import Answers, PartProblem, refused, whole_number
from annotation.importing.formats.judgement_table import moment
from core.texts import is_blank

_TYPE = re.compile(r"type_(?P<unit>.+)")
_QUESTION = re.compile(r"question_(?P<unit>[1-9]\d{0,5})", re.ASCII)
_DETAIL = re.compile(r"(?P<what>reason|comment|edited_question)_(?P<unit>.+)")
_WHITE_SPACE = re.compile(r"\s+")
_ANNOTATOR = "annotator"
_WORDS = {"yes": True, "no": False}


def read(path: Path, *, name: str, types: Mapping[str, str], keep_votes: bool = False) -> JudgementRows:
    """Yield the judgements of every annotation; `types` are the codes by name. Raises FileError.

    The item is `data.id` of the task. The annotator is what the control `annotator` says, which a release
    writes, else `completed_by`. With `keep_votes` a type with several spans is a yes without
    one. A skipped annotation and a relation of regions are noticed.
    """
    tasks = json_document(path, name)
    if not isinstance(tasks, list):
        raise FileError(name, "", gettext("expected a JSON list of tasks"))
    for number, task in enumerate(tasks):
        yield from _task(f"[{number}]", task, types, keep_votes)


def _task(place: str, task: Any, types: Mapping[str, str], keep_votes: bool) -> JudgementRows:
    try:
        # First: the other exports lack data as well, and what to do about it is the answer to both.
        annotations = task.get("annotations") if isinstance(task, dict) else None
        if not isinstance(annotations, list):
            raise PartProblem(gettext("has no list of annotations; export as JSON, not as JSON-MIN or CSV"))
        item = _item(task)
    except PartProblem as problem:
        yield refused(place, problem, task)
        return
    for number, annotation in enumerate(annotations):
        where = f"{place}.annotations[{number}]"
        if isinstance(annotation, dict) and annotation.get("was_cancelled"):
            yield Notice(
                where, gettext("“%(item)s” was skipped by its annotator and is left out") % {"item": item}
            )
            continue
        try:
            answers = Answers(item, _annotator(annotation), types, keep_votes)
            answers.decided_at = _moment(annotation)
            results = annotation.get("result")
            if not isinstance(results, list):
                raise PartProblem(gettext("has no list of results"))
        except PartProblem as problem:
            yield refused(where, problem, annotation)
            continue
        problems: list[Refusal] = []
        text = task["data"].get("text")
        for i, result in enumerate(results):
            at = f"{where}.result[{i}]"
            if isinstance(result, dict) and result.get("type") == "relation":
                yield Notice(at, gettext("a relation between regions is no judgement and is left out"))
                continue
            try:
                _result(answers, at, result, text if isinstance(text, str) else "")
            except PartProblem as problem:
                problems.append(refused(at, problem, result, answers))
        yield from answers.rows()
        yield from problems


def _item(task: Any) -> str:
    data = task.get("data") if isinstance(task, dict) else None
    found = data.get("id") if isinstance(data, dict) else None
    if isinstance(found, int) and not isinstance(found, bool):
        return str(found)
    if not isinstance(found, str) or is_blank(found):
        raise PartProblem(gettext("data.id does not name the item"))
    return found


def _moment(annotation: Mapping[str, Any]) -> datetime | None:
    """Return when an annotation was last changed, as far as the file says it."""
    for key in ("updated_at", "created_at"):
        try:
            if found := moment(annotation.get(key), key):
                return found
        except RowProblem:
            continue
    return None


def _annotator(annotation: Any) -> str:
    if not isinstance(annotation, dict):
        raise PartProblem(gettext("completed_by names no annotator"))
    found = _named(annotation.get("result")) or annotation.get("completed_by")
    if isinstance(found, dict):
        found = found.get("email") or found.get("username") or found.get("id")
    if isinstance(found, int) and not isinstance(found, bool):
        return str(found)
    if not isinstance(found, str) or is_blank(found):
        raise PartProblem(gettext("completed_by names no annotator"))
    return found


def _named(results: Any) -> Any:
    """Return what the control `annotator` says; None where there is none."""
    for result in results if isinstance(results, list) else ():
        if isinstance(result, dict) and result.get("from_name") == _ANNOTATOR:
            value = result.get("value")
            words = value.get("text") if isinstance(value, dict) else None
            return words[0] if isinstance(words, list) and words else words
    return None


def _result(answers: Answers, place: str, result: Any, text: str) -> None:
    value = result.get("value") if isinstance(result, dict) else None
    if not isinstance(value, dict):
        raise PartProblem(gettext("has no value"))
    control = str(result.get("from_name"))
    if result.get("type") == "labels":
        start, end = (whole_number(value.get(side), side) for side in ("start", "end"))
        quote = _quote(value.get("text"), text[start:end] if start >= 0 else "")
        for label in _list(value, "labels"):
            span = {"start": start, "end": end, "quote": quote}
            answers.put(answers.type_code(label), place, applicable=True, **span)
    elif control == _ANNOTATOR:
        return
    elif match := _DETAIL.fullmatch(control):
        words = _list(value, "choices" if result.get("type") == "choices" else "text")
        unit = match["unit"]
        known = int(unit) if unit.isascii() and unit.isdecimal() else answers.type_code(unit)
        answers.put(known, place, **{match["what"]: "\n".join(map(str, words))})
    elif result.get("type") != "choices":
        raise PartProblem(
            gettext("a result of the type %(value)s is no judgement") % {"value": repr(result.get("type"))}
        )
    elif match := _QUESTION.fullmatch(control):
        answers.label(int(match["unit"]), place, _one(value))
    elif match := _TYPE.fullmatch(control):
        word = _one(value)
        if word not in _WORDS:
            raise PartProblem(
                gettext("%(control)s is %(word)s, expected yes or no")
                % {"control": control, "word": repr(word)}
            )
        answers.put(answers.type_code(match["unit"]), place, applicable=_WORDS[word])
    else:
        for name in _list(value, "choices"):
            answers.put(answers.type_code(name), place, applicable=True)


def _quote(quoted: Any, there: str) -> str | None:
    """Return the words of a region as the text has them, where they differ by their white space alone.

    A region made in Label Studio has the words as the browser shows them, every run of white space one
    space; some versions write line breaks as backslash and n.
    """
    if not isinstance(quoted, str):
        return None
    return there if _with_single_spaces(quoted) == _with_single_spaces(there) else quoted


def _with_single_spaces(text: str) -> str:
    return _WHITE_SPACE.sub(" ", text.replace("\\n", "\n"))


def _list(value: Mapping[str, Any], key: str) -> Iterator[Any]:
    found = value.get(key)
    if isinstance(found, str):
        found = [found]
    if not isinstance(found, list) or not found:
        raise PartProblem(
            gettext("value.%(key)s is %(found)s, expected a list") % {"key": key, "found": repr(found)}
        )
    return iter(found)


def _one(value: Mapping[str, Any]) -> Any:
    found = list(_list(value, "choices"))
    if len(found) != 1:
        raise PartProblem(gettext("has %(n)s choices, expected one") % {"n": len(found)})
    return found[0]
