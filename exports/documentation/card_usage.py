"""The part of a data card for whoever uses the files: how to load them, what is in them, how to score."""

from __future__ import annotations

from collections.abc import Iterable

from exports.documentation.front_matter import split_name
from exports.files.outputs import Places
from exports.formats.votes import answers, unit_columns
from exports.selection.selection import Selection

SPREADSHEET_LINE = r"""table = table.replace(r"^'(?='*[=+\-@\t\r\n＝＋－＠])", "", regex=True)"""
"""Takes away again what keeps spreadsheets from running a cell of the CSV."""


def use_text(selection: Selection, splits: Iterable[str], *, judged: bool) -> str:
    """Return the sections about loading, fields and scoring; `judged` says that there are judgements."""
    splits = list(splits)
    open_to_all = [split for split in splits if split not in selection.parameters.withheld]
    shown = judged and selection.parameters.judgements
    parts = [
        _loading(splits, (open_to_all or splits)[0], shown),
        _fields(selection),
        _judgements() if shown else "",
        _votes(selection) if shown else "",
        _scoring(selection, open_to_all) if open_to_all else "",
    ]
    return "\n".join(part for part in parts if part)


def _loading(splits: list[str], first: str, judgements: bool) -> str:
    names = ", ".join(f"`{split_name(split)}`" for split in splits)
    lines = [
        "## Loading",
        "",
        "```python",
        "import datasets, pandas" if judgements else "import datasets",
        "",
        f'data = datasets.load_dataset("DIR")["{split_name(first)}"]',
    ]
    if judgements:
        lines.append('judgements = pandas.read_parquet("DIR/judgements.parquet")')
    return "\n".join(
        [
            *lines,
            "```",
            "",
            f"DIR is the folder of this file. Splits: {names}. `croissant.json` describes the same files for "
            "other readers, `schemas/` has the JSON Schema of each shape.",
            "",
        ]
    )


def _fields(selection: Selection) -> str:
    texts, choices = selection.parameters.texts, selection.parameters
    name = "argument" if selection.typology else "intervention"
    fields = [
        (f"{name}_id", "the item's id"),
        (name, "its text, exactly as it was annotated")
        if texts
        else (
            f"{name}_sha256",
            "the SHA-256 of its text in UTF-8; `scripts/join_texts.py` joins the texts again",
        ),
        ("dataset", "its source"),
    ]
    if selection.typology:
        parallel = "`fsq_types`, `spans`" if texts else "`fsq_types`"
        spans = "`start` and `end` (Unicode code points of the text, half open), "
        spans += (
            "`text`, `support` (annotators who chose it)" if texts else "`support` (annotators who chose it)"
        )
        lines = [
            *_listed([*fields, ("topic", "its topic, where one was given")]),
            f"- {parallel}: one entry a gold span of a type decided yes, so a type may stand twice; a type "
            f"decided yes without a gold span is not there.{_none(selection)}",
            "- `labels`: every type in turn. `applicable` is true, false, or null where no majority decided; "
            "`votes` are the annotators' answers; `adjudicated` says that a lead decided.",
            f"- `gold_spans`, `disagreement_spans` of a label: {spans}"
            + (" and, for gold spans, the template `question`." if texts else "."),
        ]
        if choices.refined_questions:
            lines.append("- `question_refined`, `refinement_run`: see below; null where there is none.")
    else:
        lines = [
            *_listed([*fields, ("schemes", "argumentation schemes, where they are known")]),
            "- `cqs`: the questions that have a decided label: `id`, `cq` (the question), `label` (Useful, "
            "Unhelpful or Invalid). An id may repeat within an item.",
        ]
    return "\n".join(["## Fields", "", *lines, ""])


def _none(selection: Selection) -> str:
    derived = selection.codebook.derived_none
    return f" Where every type was decided no: `{derived.name}` and `Null`." if derived else ""


def _listed(fields: list[tuple[str, str]]) -> list[str]:
    return [f"- `{name}`: {what}." for name, what in fields]


def _judgements() -> str:
    return "\n".join(
        [
            "`judgements.parquet` and `judgements.csv` have one row a judgement, annotators by pseudonym; "
            "`counted` marks the one of each annotator and unit that is a vote. In the CSV a cell that a "
            "spreadsheet might run as a formula has an apostrophe in front, which this takes away again:",
            "",
            "```python",
            'table = pandas.read_csv("DIR/judgements.csv", keep_default_na=False)',
            SPREADSHEET_LINE,
            "```",
            "",
        ]
    )


def _votes(selection: Selection) -> str:
    named = ", ".join(f"`{name}`" for name, _, _ in unit_columns(selection))
    shares = ", ".join(f"`share_{answer}`" for answer in answers(selection))
    lines = [
        f"`soft_labels.csv` has one row a unit that somebody voted on ({named}): `votes`, how many "
        f"voted, and {shares}, which sum to 1. Nothing is decided in it: a resolution changes no share. "
        "`annotator_matrix.csv` has the same rows with a column an annotator, by pseudonym: the vote, empty "
        "where there is none (not judged, or *cannot judge*).",
    ]
    if selection.span_types:
        lines.append(
            "`gamma/spans.csv` has the spans as pygamma-agreement reads them: annotator, type, start, end, "
            "no header, the texts one after the other. `gamma/texts.csv` says which stretch is which text "
            "and who answered there."
        )
    return "\n\n".join([*lines, ""])


def _scoring(selection: Selection, open_to_all: list[str]) -> str:
    stem = "focus" if selection.typology else "cqs_gen"
    scored = "test" if "test" in open_to_all else open_to_all[-1]
    file = f"{stem}.{Places.file_part(scored)}.json" if scored else f"{stem}.json"
    commands = []
    if selection.typology and not selection.parameters.texts:
        commands.append(f"python scripts/join_texts.py {file} TEXTS.jsonl JOINED.json")
        file = "JOINED.json"
    commands.append(f"python scripts/score.py {stem} {file} SYSTEM.json")
    lines = ["## Scoring a system", "", "```", *commands, "```", ""]
    if selection.typology:
        lines.append(
            "Labels are compared with `applicable`. `fsq_types` lists gold spans only, so submitted as an "
            "answer it scores an F1 below 1 wherever a type was decided yes without a gold span: the scorer "
            "says how many these are."
        )
    else:
        lines.append(
            "The score of an item is the useful ones among the first three questions, n/3. A question has "
            "the label of the reference question with the same words; others have none: label them first."
        )
    return "\n".join([*lines, ""])
