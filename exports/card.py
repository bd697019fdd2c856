"""The data card of a release: Markdown with the front matter that dataset hubs read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from exports.card_agreement import AgreementFigures, agreement_text
from exports.card_use import use_text
from exports.citing import author_names, citation_made
from exports.front_matter import front_matter, split_name
from exports.markdown import cell, table
from exports.records import Selection

if TYPE_CHECKING:
    from exports.building import Built


def card_text(selection: Selection, version: str, built: Built, agreement: AgreementFigures) -> str:
    """Return the data card of a release."""
    parts = [
        front_matter(
            selection,
            licence=licence_of(selection),
            splits=built.splits,
            n_items=built.counts["items"],
        ),
        _head(selection, version),
        use_text(selection, built.splits, judged=built.counts["judgements"] > 0),
        _data(selection, built),
        _process(selection, built),
        _refinements(built) if selection.parameters.refined_questions else "",
        agreement_text(agreement, selection.round_conditions),
        _limits(built),
        _checking(built),
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


def citation_of(selection: Selection, version: str) -> str:
    """Return how to cite the release: in its authors' words, else put together from what is known."""
    choices = selection.parameters
    if choices.citation.strip():
        return choices.citation.strip()
    authors = author_names(choices.authors)
    return citation_made(authors, choices.published[:4], selection.project.name, version)


def licence_of(selection: Selection) -> str:
    """Return the licence of the release: its own, else the project's."""
    return selection.parameters.licence or selection.project.licence


def _head(selection: Selection, version: str) -> str:
    project, choices = selection.project, selection.parameters
    facts = [
        ("Version", version),
        ("Published", choices.published),
        ("Licence", licence_of(selection) or "not stated"),
        ("Authors", choices.authors),
        ("Contact", choices.contact or project.contact),
        ("Languages", project.languages),
    ]
    lines = [
        f"# {cell(project.name)}",
        "",
        description(selection),
        "",
        *(f"- {name}: {cell(text)}" for name, text in facts if text),
    ]
    lines += ["", "## Citation", "", "```", citation_of(selection, version).replace("```", "'''"), "```"]
    return "\n".join([*lines, ""])


def _data(selection: Selection, built: Built) -> str:
    counts = built.counts
    lines = ["## Data", ""]
    lines += table(
        ["split", "items", "references"],
        (
            (split_name(split), number, "withheld" if split in selection.parameters.withheld else "included")
            for split, number in built.splits.items()
        ),
    )
    lines += table(
        ["source", "licence or terms", "items"],
        (
            (source or "not stated", licence or "not stated", number)
            for source, licence, number in built.sources
        ),
    )
    if selection.typology:
        lines += table(
            ["type", "yes", "no", "undecided", "gold spans", "disagreement spans"],
            (
                (
                    kind.name,
                    *(built.labels.get(f"{kind.code} {answer}", 0) for answer in ("yes", "no", "undecided")),
                    *(built.spans.get(kind.code, (0, 0)) if kind.span else ("–", "–")),
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
    tables = [("Labels as annotated", built.labels_before), ("Labels as released", built.labels_after)]
    if built.labels_before == built.labels_after:
        tables = [("Labels", built.labels_after)]
    for title, counted in tables:
        rows = []
        for source in [*sorted(counted), None]:
            found = counted[source] if source is not None else _sum(counted.values())
            total = sum(found.values())
            shares = (f"{found.get(name, 0)} ({_percent(found.get(name, 0), total)})" for name in names)
            rows.append(("all" if source is None else source or "not stated", *shares, total))
        lines += [f"{title}:", "", *table(["source", *names, "questions"], rows)]
    return lines


def _process(selection: Selection, built: Built) -> str:
    counts = built.counts
    lines = ["## Annotation", ""]
    if selection.rounds:
        lines += table(
            ["round", "purpose", "annotators an item", "guideline version", "made"],
            (
                (
                    f"{row.name} ({', '.join(row.types)} only)" if row.types else row.name,
                    row.purpose,
                    row.overlap,
                    row.codebook_version,
                    "elsewhere, imported" if row.imported else "here",
                )
                for row in selection.rounds
            ),
        )
        lines += table(
            ["annotator", "judgements", "background, in their own words"],
            ((name, number, background or "not stated") for name, number, background in built.annotators),
        )
    if counts["published_labels"]:
        lines += [f"{counts['published_labels']} labels were published with an imported file.", ""]
    rule = (
        "Labels are the decisions of a lead; what no lead decided is undecided."
        if selection.parameters.adjudicated_only
        else "A label is that of more than half of the votes cast, each annotator's latest judgement of a "
        "unit being one vote; a lead's decision wins over it."
    )
    if counts["published_labels"]:
        rule += " A label that was published with an imported file wins over the votes, and a lead's over it."
        if not counts["judgements"] and not counts["adjudicated"]:
            rule = "All labels are those of the imported file; nobody judged them here."
    lines += [rule]
    if selection.typology:
        lines += [
            f"Spans match when the Jaccard index of their token positions is at least "
            f"{selection.parameters.jaccard:g}; a label with one vote stands, a span with one is never gold."
        ]
    lines += [
        f"Units decided by a lead: {counts['adjudicated']}. {_guidelines(selection)}",
        "",
    ]
    return "\n".join(lines)


def _guidelines(selection: Selection) -> str:
    newest = selection.codebook_version
    earlier = selection.earlier_guidelines
    told = f"The guideline is in `guideline.md` (version {newest})"
    if not earlier:
        return f"{told}."
    names = ", ".join(f"`guidelines/version-{version}.md`" for version in earlier)
    return f"{told}; some rounds were annotated under earlier ones: {names}."


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
    lines += table(
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


def _limits(built: Built) -> str:
    counts = built.counts
    known = [
        (counts["undecided_types"], "Types of an item without a majority, `null` in `applicable`"),
        (counts["yes_without_gold_span"], "Types decided yes without a span that two annotators share, which "
         "`applicable` has and `fsq_types` has not"),
        (counts["undecided_questions"], "Questions without a decided label, left out"),
        (counts["edits_without_a_pick"], "Edited questions that wait for a lead, left out"),
        (counts["cannot_judge"], "Judgements “cannot judge”, which count as missing"),
        (counts["judgements_after_reopening"], "Judgements made after a round was reopened, which count here "
         "and enter no coefficient"),
        (counts["published_labels"], "Labels published with an imported file, of which who gave them and how "
         "far they agreed is not known here"),
        (counts["judgements_of_dropped_types"], "Judgements about types that a newer guideline dropped"),
    ]  # fmt: skip
    lines = [f"- {what}: {number}." for number, what in known if number]
    if built.annotators:
        lines += ["- Annotators are known by pseudonym and by what they said about themselves only."]
    return "\n".join(["## Known limits", "", *lines, ""]) if lines else ""


def _checking(built: Built) -> str:
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


def _percent(part: int, total: int) -> str:
    return f"{100 * part / total:.2f}%" if total else "–"


def _sum(tables: Iterable[dict[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for counted in tables:
        for name, number in counted.items():
            total[name] = total.get(name, 0) + number
    return total
