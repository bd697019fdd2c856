"""A run's answers as the judgements of an annotator that is a system, in the long form that is imported.

A machine is no member of a project: two of its votes would make gold. What it answered goes into an imported
round, under its own name, where agreement with people is measured.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence

from django.utils.translation import gettext

from annotation.access import visible_questions
from annotation.importing.formats.judgement_table import COLUMNS
from annotation.models import Project, Protocol
from assist.models import AssistAnswer, AssistRun
from assist.runs.kinds import kind_named
from assist.runs.results import answers_of
from core.csv_safety import made_safe
from core.errors import Refused

_WRITTEN = tuple(name for name in COLUMNS[: COLUMNS.index("quote") + 1] if name != "question")


def judgements_bytes(run: AssistRun) -> bytes:
    """Return what a run answered as CSV, a row for each unit: item, annotator (the model), unit, answer.

    Types that it did not name are a no; what it answered without the words that belong to it is marked as
    incomplete. Raises Refused for a task that answers no unit of a round.
    """
    suggest = kind_named(run.task).suggest
    if suggest is None:
        words = gettext("%(task)s answers nothing that annotators judge.") % {"task": run.task}
        raise Refused("invalid", words, errors={"task": words})
    types = _span_types(run.project)
    questions = {} if types else _question_places(run.project)
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([*_WRITTEN, "incomplete"])
    for answer in answers_of(run).filter(state=AssistAnswer.State.USABLE).iterator(chunk_size=500):
        units: Sequence[str] | Sequence[int] = list(types) or list(questions.get(answer.item_id, {}))
        for said in suggest(answer, units):
            start, end = said.span or ("", "")
            row = {
                "item": answer.item.external_id,
                "annotator": run.model,
                "applicable": "" if said.applicable is None else "yes" if said.applicable else "no",
                "label": said.label,
                "start": start,
                "end": end,
                "quote": answer.item.text[said.span[0] : said.span[1]] if said.span else "",
            }
            if isinstance(said.unit, str):
                row["type"] = said.unit
                lacks = bool(said.applicable) and types[said.unit] and said.span is None
            else:
                row["question_position"] = questions[answer.item_id][said.unit]
                lacks = said.label in ("UN", "IN")
            cells = [made_safe(str(row.get(name, ""))) for name in _WRITTEN]
            writer.writerow([*cells, "yes" if lacks else ""])
    return out.getvalue().encode()


def _span_types(project: Project) -> Mapping[str, bool]:
    """Return of each type of the newest codebook whether a yes needs a span; none in CQs-Gen."""
    if project.protocol != Protocol.FOCUS:
        return {}
    definition = project.codebooks.latest("version").definition
    return {one["code"]: one["span"] for one in definition["types"]}


def _question_places(project: Project) -> dict[int, dict[int, int]]:
    """Return the questions of each item, by its key: their keys and positions."""
    found: dict[int, dict[int, int]] = {}
    rows = visible_questions(project).order_by("item", "position").values_list("item_id", "pk", "position")
    for item, question, position in rows:
        found.setdefault(item, {})[question] = position
    return found
