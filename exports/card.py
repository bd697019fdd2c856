"""The data card of a release: Markdown with the front matter that dataset hubs read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from agreement.cells import Notes
from agreement.wording import reason_text
from exports.formats.features import lines_features
from exports.outputs import WHOLE, Places
from exports.records import RoundRow, Selection

if TYPE_CHECKING:
    from exports.building import Built

AgreementFigures = Sequence[tuple[RoundRow, dict[str, Any]]]

_LICENCE_ID = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)*")
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_COEFFICIENTS = (
    ("observed_agreement", "p_a"),
    ("pabak", "PABAK"),
    ("gwet_ac1", "AC1"),
    ("krippendorff_alpha", "alpha"),
)


def card_text(selection: Selection, version: str, built: Built, agreement: AgreementFigures) -> str:
    """Return the data card of a release."""
    parts = [
        _front_matter(selection, built),
        _head(selection, version),
        _data(selection, built),
        _process(selection, built),
        _refinements(built) if selection.parameters.refined_questions else "",
        _agreement(agreement),
        _limits(selection, built),
        _use(selection, built),
    ]
    return "\n".join(part for part in parts if part)


def description(selection: Selection) -> str:
    """Return what the dataset is, in a sentence."""
    if selection.typology:
        return (
            f"Arguments with the Socratic question types that can probe them ({selection.codebook.title}), "
            "each with the words that the question is about."
        )
    return f"Interventions with critical questions and their usefulness ({selection.codebook.title})."


def licence_of(selection: Selection) -> str:
    """Return the licence of the release: its own, else the project's."""
    return selection.parameters.licence or selection.project.licence


def _front_matter(selection: Selection, built: Built) -> str:
    licence = licence_of(selection)
    lines = ["---"]
    if licence:
        known = licence.lower().replace(" ", "-")
        is_id = bool(_LICENCE_ID.fullmatch(known))
        lines += (
            [f"license: {known}"] if is_id else ["license: other", f"license_name: {json.dumps(licence)}"]
        )
    languages = [language.strip() for language in selection.project.languages.split(",") if language.strip()]
    lines += ["language:", *(f"- {json.dumps(language)}" for language in languages)] if languages else []
    lines += [
        f"pretty_name: {json.dumps(selection.project.name, ensure_ascii=False)}",
        "size_categories:",
        f"- {next((name for limit, name in _SIZES if built.counts['items'] < limit), '1M<n<10M')}",
        "tags:",
        f"- {'socratic-questions' if selection.typology else 'critical-questions'}",
        "- argumentation",
        "- annotator-disagreement",
        "configs:",
        "- config_name: default",
        "  data_files:",
    ]
    for split in built.splits:
        part = Places.file_part(split)
        # The datasets library keeps "all" for the union of the splits, and refuses a split of that name.
        lines += [f"  - split: {'whole' if part == WHOLE else part}", f"    path: data/{part}.jsonl"]
    # JSON is YAML, and in it a feature named yes stays a text.
    declared = {"config_name": "default", "features": lines_features(selection)}
    lines.append(f"dataset_info: {json.dumps(declared)}")
    return "\n".join([*lines, "---", ""])


def _head(selection: Selection, version: str) -> str:
    project, choices = selection.project, selection.parameters
    facts = [
        ("Version", version),
        ("Licence", licence_of(selection) or "not stated"),
        ("Authors", choices.authors),
        ("Contact", choices.contact or project.contact),
        ("Languages", project.languages),
    ]
    lines = [
        f"# {_cell(project.name)}",
        "",
        description(selection),
        "",
        *(f"- {name}: {_cell(text)}" for name, text in facts if text),
    ]
    if choices.citation:
        lines += ["", "## Citation", "", "```", choices.citation.strip().replace("```", "'''"), "```"]
    return "\n".join([*lines, ""])


def _data(selection: Selection, built: Built) -> str:
    counts = built.counts
    lines = ["## Data", ""]
    lines += _table(
        ["split", "items", "references"],
        (
            (split or "all", number, "withheld" if split in selection.parameters.withheld else "included")
            for split, number in built.splits.items()
        ),
    )
    lines += _table(
        ["source", "licence or terms", "items"],
        (
            (source or "not stated", licence or "not stated", number)
            for source, licence, number in built.sources
        ),
    )
    if selection.typology:
        lines += _table(
            ["type", "yes", "no", "undecided"],
            (
                (
                    kind.name,
                    *(built.labels.get(f"{kind.code} {answer}", 0) for answer in ("yes", "no", "undecided")),
                )
                for kind in selection.codebook.types
            ),
        )
        lines += [
            f"Gold spans (chosen by two or more annotators, or by a lead): {counts['gold_spans']}; "
            f"disagreement spans (chosen by one alone, or not confirmed): {counts['disagreement_spans']}.",
            "",
        ]
        return "\n".join(lines)
    lines += _distribution(built)
    return "\n".join(lines)


def _distribution(built: Built) -> list[str]:
    """Return the labels by source before and after edited questions took the place of invalid ones."""
    names = ("Useful", "Unhelpful", "Invalid")
    lines = []
    for title, table in (("as annotated", built.labels_before), ("as released", built.labels_after)):
        rows = []
        for source in [*sorted(table), None]:
            found = table[source] if source is not None else _sum(table.values())
            total = sum(found.values())
            shares = (f"{found.get(name, 0)} ({_percent(found.get(name, 0), total)})" for name in names)
            rows.append(("all" if source is None else source or "not stated", *shares, total))
        lines += [f"Labels {title}:", "", *_table(["source", *names, "questions"], rows)]
    return lines


def _process(selection: Selection, built: Built) -> str:
    counts = built.counts
    lines = ["## Annotation", ""]
    if selection.rounds:
        lines += _table(
            ["round", "purpose", "guideline version", "made"],
            (
                (
                    f"{row.name} ({', '.join(row.types)} only)" if row.types else row.name,
                    row.purpose,
                    row.codebook_version,
                    "elsewhere, imported" if row.imported else "here",
                )
                for row in selection.rounds
            ),
        )
        lines += _table(["annotator", "judgements", "background"], built.annotators)
    if counts["published_labels"]:
        lines += [f"{counts['published_labels']} labels were published with an imported file.", ""]
    rule = (
        "Labels are the decisions of a lead; what no lead decided is undecided."
        if selection.parameters.adjudicated_only
        else "A label is that of more than half of the votes cast, each annotator's latest judgement of a "
        "unit being one vote; a lead's decision wins over it."
    )
    lines += [rule]
    if selection.typology:
        lines += [
            f"Spans match when the Jaccard index of their token positions is at least "
            f"{selection.parameters.jaccard:g}; a label with one vote stands, a span with one is never gold."
        ]
    lines += [
        f"Units decided by a lead: {counts['adjudicated']}. The guideline is in `guideline.md`.",
        "",
    ]
    return "\n".join(lines)


def _refinements(built: Built) -> str:
    """Say which questions a language model put into other words, and how it was asked."""
    lines = [
        "## Refined questions",
        "",
        f"Every gold span has its `question`, the exemplar of its type filled with the span. "
        f"{built.counts['questions_refined']} of {built.counts['gold_spans']} also have a "
        "`question_refined`: the same question as a language model put it, with the number of its run as "
        "`refinement_run`; the others have `null`. Answers were checked for their form alone (one sentence "
        "that ends with a question mark); those that a lead rejected are left out.",
        "",
    ]
    lines += _table(
        ["run", "endpoint", "model", "answered as", "days", "temperature", "seed", "questions"],
        (
            (
                run["run"],
                run["endpoint"],
                run["model"],
                ", ".join(run["answered_as"]),
                " to ".join(dict.fromkeys((run["first_day"], run["last_day"]))),
                "not sent" if run["temperature"] is None else f"{run['temperature']:g}",
                "not sent" if run["seed"] is None else run["seed"],
                run["questions"],
            )
            for run in built.refinements
        ),
    )
    prompts: dict[str, list[str]] = {}
    for run in built.refinements:
        prompts.setdefault(run["prompt"], []).append(str(run["run"]))
    for prompt, numbers in prompts.items():
        lines += [f"Prompt of run {', '.join(numbers)}:", "", "```", prompt.replace("```", "'''"), "```", ""]
    return "\n".join(lines)


def _agreement(agreement: AgreementFigures) -> str:
    lines = []
    for row, figures in agreement:
        shown = [section for section in figures["sections"] if section["kind"] != "group"]
        lines += [f"### {_cell(row.name)}", ""]
        notes = Notes()
        first = "type" if any(section["kind"] == "type" for section in shown) else "comparison"
        lines += _table(
            [first, "n", *(name for _, name in _COEFFICIENTS)],
            (
                (
                    section["name"],
                    section["n_pairable"],
                    *(_estimate(section["estimates"][key], notes) for key, _ in _COEFFICIENTS),
                )
                for section in shown
            ),
        )
        lines += [line for mark, sentence in notes.listed for line in (f"({mark}) {sentence}.", "")]
    if not lines:
        return ""
    note = "With 95% bootstrap intervals over items; n counts the units with two or more judgements."
    return "\n".join(["## Agreement", "", note, "", *lines])


def _limits(selection: Selection, built: Built) -> str:
    counts = built.counts
    known = [
        (counts["undecided_types"], "Types of an item without a majority, `null` here"),
        (counts["yes_without_gold_span"], "Types decided yes without a span that two annotators share"),
        (counts["undecided_questions"], "Questions without a decided label, left out"),
        (counts["edits_without_a_pick"], "Edited questions that wait for a lead, left out"),
        (counts["cannot_judge"], "Judgements “cannot judge”, which count as missing"),
        (counts["judgements_after_reopening"], "Judgements made after a round was reopened, which count here "
         "and enter no coefficient"),
        (counts["judgements_of_dropped_types"], "Judgements about types that a newer guideline dropped"),
    ]  # fmt: skip
    lines = [f"- {what}: {number}." for number, what in known if number]
    lines += ["- Annotators are known by pseudonym and by what they said about themselves only."]
    return "\n".join(["## Known limits", "", *lines, ""])


def _use(selection: Selection, built: Built) -> str:
    return "\n".join(
        [
            "## Checking and rebuilding",
            "",
            "`sha256sum --check SHA256SUMS` checks the files. `release.json` says what they were built from.",
            f"The digest `{built.digest}`",
            "covers texts, judgements, decisions, choices and code: the same digest gives the same bytes "
            "(in a Parquet file the same content).",
            "",
        ]
    )


def _estimate(estimate: dict[str, Any], notes: Notes) -> str:
    """Return a figure with its interval, and the letter of what there is to say of them below the table."""
    if estimate["value"] is None:
        return f"undefined ({notes.mark('Undefined: ' + reason_text(estimate['reason']))})"
    value = f"{estimate['value']:.3f}"
    doubt = reason_text(estimate["caution"] or estimate["interval_reason"])
    if estimate["low"] is None:
        return f"{value} ({notes.mark('No interval: ' + doubt)})" if doubt else value
    value += f" [{estimate['low']:.3f}, {estimate['high']:.3f}]"
    return f"{value} ({notes.mark('Interval not to be trusted: ' + doubt)})" if doubt else value


def _table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[str]:
    body = [f"| {' | '.join(_cell(cell) for cell in row)} |" for row in rows]
    return [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}", *body, ""] if body else []


def _cell(value: Any) -> str:
    """Return a text that stays in its cell or line and cannot be taken for markup of another kind."""
    return " ".join(str(value).split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


def _percent(part: int, total: int) -> str:
    return f"{100 * part / total:.2f}%" if total else "–"


def _sum(tables: Iterable[dict[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for table in tables:
        for name, number in table.items():
            total[name] = total.get(name, 0) + number
    return total
