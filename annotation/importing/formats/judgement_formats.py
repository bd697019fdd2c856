"""Which form a file of finished judgements has, told by its content, and the reader of each."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from annotation.codebooks.definition import Codebook
from annotation.importing.files import strict_json as jsontext
from annotation.importing.files.encodings import first_bytes, open_text
from annotation.importing.files.foreign import is_archive, refuse_foreign
from annotation.importing.files.rows import JudgementRows
from annotation.importing.formats import doccano as doccano_judgements
from annotation.importing.formats import judgement_table as judgements
from annotation.importing.formats import label_studio as label_studio_judgements
from annotation.importing.formats.common import type_names

LONG, LABEL_STUDIO, DOCCANO = "long", "label_studio", "doccano"
FORMATS = (LONG, LABEL_STUDIO, DOCCANO)


def judgement_rows(
    path: Path,
    *,
    name: str,
    codebook: Codebook,
    format: str | None = None,
    renamed: Mapping[str, str] | None = None,
    keep_votes: bool = False,
) -> JudgementRows:
    """Yield a file's judgements, read as `format`, else as what its content is.

    `renamed` says which column of a file in long form stands for which known one. With
    `keep_votes` two spans of one type are a yes without a span. Raises FileError.
    """
    found = LONG if renamed else format or recognise(path, name)
    if found == LABEL_STUDIO:
        return label_studio_judgements.read(
            path, name=name, types=type_names(codebook), keep_votes=keep_votes
        )
    if found == DOCCANO:
        return doccano_judgements.read(path, name=name, types=type_names(codebook), keep_votes=keep_votes)
    return judgements.read(path, name=name, renamed=renamed)


def recognise(path: Path, name: str) -> str:
    """Return the form of a file: a JSON list is Label Studio's, lines with text and labels are doccano's.

    Everything else is taken for the long form, whose reader says what it misses. Raises FileError.
    """
    if is_archive(first_bytes(path, name)):
        return LONG
    refuse_foreign(path, name)
    with open_text(path, name) as stream:
        line = next((line for line in stream if line.strip()), "").strip()
    if line.startswith("["):
        return LABEL_STUDIO
    if not line.startswith("{"):
        return LONG
    try:
        value = jsontext.loads(line)
    except jsontext.JSONProblem:
        return LONG
    has_labels = any(isinstance(value.get(key), list) for key in ("label", "entities", "cats"))
    return DOCCANO if has_labels and isinstance(value.get("text"), str) else LONG
