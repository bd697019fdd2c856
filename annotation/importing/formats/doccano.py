"""Judgements from doccano's JSON Lines: one line a text and annotator, with its spans and categories."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any

from django.utils.translation import gettext

from annotation.importing.files.rows import JudgementRows, Notice, Refusal
from annotation.importing.files.tabular import Cells, json_rows
from annotation.importing.formats.common import Answers, PartProblem, refused, whole_number
from core.lookalikes import heard_as
from core.texts import code_point_offset, is_blank, utf16_offset

_QUESTION = re.compile(r"(?P<position>[1-9]\d{0,5}): (?P<label>\w+)", re.ASCII)
UTF_16, CODE_POINTS = "utf-16", "code points"
_SPANS = ("label", "entities")
_DETAILS = {"reasons": "reason", "comments": "comment", "edited_questions": "edited_question"}


def read(path: Path, *, name: str, types: Mapping[str, str], keep_votes: bool = False) -> JudgementRows:
    """Yield the judgements of every line; `types` are the codes by name. Raises FileError.

    The item is the line's `item`, else its `id`. Where a line has no `annotator`, the file's stem stands for
    it, which is how doccano names the files of its users. A type that a line does not mention is not judged.
    Offsets are UTF-16 units, as doccano counts, unless the line says `"offsets": "code points"`; where a line
    says neither and it makes a difference, that is noticed. With `keep_votes` a type with several spans is a
    yes without one. Relations are noticed and left out.
    """
    stem, noticed = PurePath(name).stem, False
    related = False
    for row in json_rows(path, name):
        if not isinstance(row, Cells):
            yield row
            continue
        if "annotator" not in row.values and not noticed:
            yield Notice(
                row.place,
                gettext("no annotator is named: “%(stem)s”, the file's name, stands for them")
                % {"stem": stem},
            )
            noticed = True
        if not related and row.values.get("relations"):
            yield Notice(row.place, gettext("relations are no judgements and are left out"))
            related = True
        yield from _line(row, stem, types, keep_votes)


def _line(row: Cells, stem: str, types: Mapping[str, str], keep_votes: bool) -> JudgementRows:
    values = row.values
    try:
        item = _name(values, "item" if "item" in values else "id")
        annotator = _name(values, "annotator") if "annotator" in values else stem
        text = values.get("text")
        if not isinstance(text, str):
            raise PartProblem(
                gettext("text is %(text)s, expected the text of the item") % {"text": repr(text)}
            )
        if (offsets := values.get("offsets", UTF_16)) not in (UTF_16, CODE_POINTS):
            raise PartProblem(
                gettext("offsets is %(offsets)s, expected %(known)s")
                % {"offsets": repr(offsets), "known": f"{UTF_16}, {CODE_POINTS}"}
            )
    except PartProblem as problem:
        yield refused(row.place, problem, dict(values))
        return
    answers, problems = Answers(item, annotator, types, keep_votes), list[Refusal]()
    for part in _parts(values):
        try:
            _part(answers, row.place, text, offsets == UTF_16, *part)
        except PartProblem as problem:
            problems.append(refused(row.place, problem, part[1], answers))
    if not problems and _may_count_otherwise(values, text):
        yield Notice(
            row.place,
            gettext(
                "offsets are taken as doccano counts them, an emoji as two; where they are code points, say "
                '"offsets": "code points" on the line'
            ),
        )
    yield from answers.rows()
    yield from problems


def _parts(values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the key and each entry of the lists and objects that say something."""
    for key in ("label", "entities", "cats", "no"):
        found = values.get(key)
        if found is not None:
            yield from ((key, entry) for entry in (found if isinstance(found, list) else [found]))
    for key in _DETAILS:
        found = values.get(key)
        if isinstance(found, dict):
            yield from ((key, entry) for entry in found.items())


def _may_count_otherwise(values: Mapping[str, Any], text: str) -> bool:
    """Say whether a span lies behind a character that doccano counts as two while nothing says how."""
    if "offsets" in values or text.isascii():
        return False
    wide = next((place for place, character in enumerate(text) if character > "\uffff"), len(text))
    ends = (_span(entry)[1] for key, entry in _parts(values) if key in _SPANS and not isinstance(entry, str))
    return any(end > wide for end in ends)


def _part(answers: Answers, place: str, text: str, utf_16: bool, key: str, entry: Any) -> None:
    if key in _DETAILS:
        unit, said = entry
        known = int(unit) if unit.isascii() and unit.isdecimal() else answers.type_code(unit)
        if not isinstance(said, str):
            raise PartProblem(gettext("%(key)s: %(said)s is no text") % {"key": key, "said": repr(said)})
        answers.put(known, place, **{_DETAILS[key]: said})
    elif key == "no":
        answers.put(answers.type_code(entry), place, applicable=False)
    elif isinstance(entry, str):
        match = _QUESTION.fullmatch(entry)
        if match and heard_as(entry) not in answers.types:
            answers.label(int(match["position"]), place, match["label"])
        else:
            answers.put(answers.type_code(entry), place, applicable=True)
    else:
        start, end, name = _span(entry)
        if utf_16:
            start, end = _from_utf_16(text, start), _from_utf_16(text, end)
        if not 0 <= start < end <= len(text):
            raise PartProblem(
                gettext("the span %(start)s–%(end)s is not in its text of %(n)s characters")
                % {"start": start, "end": end, "n": len(text)}
            )
        span = {"start": start, "end": end, "quote": text[start:end]}
        answers.put(answers.type_code(name), place, applicable=True, **span)


def _from_utf_16(text: str, units: int) -> int:
    place = code_point_offset(text, units)
    if place is not None:
        return place
    if not 0 <= units <= utf16_offset(text, len(text)):
        return units
    raise PartProblem(
        gettext(
            "%(units)s lies inside of a character as doccano counts; where your offsets are code points, "
            'say "offsets": "code points" on the line'
        )
        % {"units": units}
    )


def _span(entry: Any) -> tuple[int, int, Any]:
    if isinstance(entry, dict):
        entry = [entry.get("start_offset"), entry.get("end_offset"), entry.get("label")]
    if not isinstance(entry, list) or len(entry) != 3:
        raise PartProblem(gettext("expected a span as [start, end, name]"))
    return whole_number(entry[0], "start"), whole_number(entry[1], "end"), entry[2]


def _name(values: Mapping[str, Any], key: str) -> str:
    found = values.get(key)
    if isinstance(found, int) and not isinstance(found, bool):
        return str(found)
    if not isinstance(found, str) or is_blank(found):
        raise PartProblem(
            gettext("%(key)s is %(found)s, expected a name") % {"key": key, "found": repr(found)}
        )
    return found
