"""The data card of a release: Markdown with the front matter that dataset hubs read.

See docs/decisions/releases.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median, quantiles
from typing import TYPE_CHECKING

from agreement.report.figures import RoundConditions
from exports.documentation.card_agreement import AgreementFigures, agreement_text
from exports.documentation.card_models import filters_text, refinements_text, suggestion_lines
from exports.documentation.card_usage import use_text
from exports.documentation.citation import author_names, make_citation
from exports.documentation.front_matter import front_matter, is_socratic, split_name
from exports.documentation.markdown import cell, table
from exports.selection.selection import RoundRow, Selection

if TYPE_CHECKING:
    from exports.documentation.contents import Built


LISTED = 30
"""Annotators up to which the card lists them all."""


def card_text(
    selection: Selection,
    version: str,
    built: Built,
    agreement: AgreementFigures,
    conditions: Sequence[RoundConditions],
) -> str:
    """Return the data card of a release; `conditions` are those under which its rounds can be compared."""
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
        refinements_text(built) if selection.parameters.refined_questions else "",
        filters_text(built),
        agreement_text(agreement, conditions),
        _kept_back(selection, agreement),
        _limits(built),
        _checking(built),
    ]
    return "\n".join(part for part in parts if part)


def description(selection: Selection) -> str:
    """Return what the dataset is, in a sentence."""
    if selection.typology:
        asks = any(kind.exemplar for kind in selection.codebook.types)
        fit = "can probe them" if asks else "apply to them"
        about = "the question is about" if asks else "it is about"
        spans = f", each with the words that {about}" if selection.span_types else ""
        return f"Arguments with the {types_name(selection)} that {fit} ({selection.codebook.title}){spans}."
    return f"Interventions with critical questions and their usefulness ({selection.codebook.title})."


def types_name(selection: Selection) -> str:
    """Return what the types are called, as far as the codebook says so."""
    if not any(kind.exemplar for kind in selection.codebook.types):
        return "types"
    return "Socratic question types" if is_socratic(selection) else "question types"


def citation_of(selection: Selection, version: str) -> str:
    """Return how to cite the release: in its authors' words, else put together from what is known."""
    choices = selection.parameters
    if choices.citation.strip():
        return choices.citation.strip()
    authors = author_names(choices.authors)
    return make_citation(authors, choices.published[:4], selection.project.name, version)


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


def _by_split(selection: Selection, built: Built) -> list[str]:
    """Return the labels of each split as released; of types how often each was decided yes."""
    splits = [split for split in built.splits if split]
    if not splits:
        return []
    found = built.labels_by_split
    withheld = selection.parameters.withheld
    if selection.typology:
        shown = [split for split in splits if split not in withheld]
        return (
            [
                "Types decided yes, by split:",
                "",
                *table(
                    ["type", *map(split_name, shown)],
                    (
                        (kind.name, *(found.get(split, {}).get(kind.code, 0) for split in shown))
                        for kind in selection.codebook.types
                    ),
                ),
            ]
            if len(shown) > 1
            else []
        )
    names = ("Useful", "Unhelpful", "Invalid")
    rows = []
    for split in splits:
        counted = found.get(split, {})
        total = sum(counted.values())
        shares = (f"{counted.get(name, 0)} ({_percent(counted.get(name, 0), total)})" for name in names)
        cells = ["withheld"] * 4 if split in withheld else [*shares, total]
        rows.append((split_name(split), *cells))
    return ["Labels by split:", "", *table(["split", *names, "questions"], rows)]


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
        answers = ("yes", "no", "undecided", *(["not asked"] if selection.asks_some else []))
        lines += table(
            ["type", *answers, "gold spans", "disagreement spans"],
            (
                (
                    kind.name,
                    *(_answered(built, kind.code, answer) for answer in answers),
                    *(built.spans.get(kind.code, (0, 0)) if kind.span else ("–", "–")),
                )
                for kind in selection.codebook.types
            ),
        )
        lines += [
            f"Gold spans (chosen by two or more annotators, or by a lead): {counts['gold_spans']}; "
            f"disagreement spans (chosen by one alone, or not confirmed): {counts['disagreement_spans']}.",
            "",
            *_by_split(selection, built),
        ]
        if selection.asks_some:
            lines += [
                "A text has labels of the types that it was asked alone.",
                *(
                    [f"Where all of these are decided no it is “{selection.codebook.derived_none.name}”."]
                    if selection.codebook.derived_none
                    else []
                ),
                "",
            ]
        return "\n".join(lines)
    lines += [*_distribution(built), *_by_split(selection, built)]
    return "\n".join(lines)


def _answered(built: Built, code: str, answer: str) -> int:
    if answer != "not asked":
        return built.labels.get(f"{code} {answer}", 0)
    asked = sum(built.labels.get(f"{code} {other}", 0) for other in ("yes", "no", "undecided"))
    return built.counts["items"] - asked


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
                    _round_name(row),
                    row.purpose,
                    _spread(built.annotators_an_item.get(row.number, {}), told=not _keeps_back(selection)),
                    row.codebook_version,
                    "elsewhere, imported" if row.imported else "here",
                )
                for row in selection.rounds
            ),
        )
        lines += _annotators(built)
    lines += suggestion_lines(selection)
    if counts["published_labels"]:
        lines += [f"{counts['published_labels']} labels were published with an imported file.", ""]
    if counts["published_labels_outvoted"]:
        lines += [
            f"{counts['published_labels_outvoted']} labels that were published with an imported file were "
            "judged again here: the votes decide about these.",
            "",
        ]
    rule = (
        "Labels are the decisions of a lead; what no lead decided is undecided."
        if selection.parameters.adjudicated_only
        else "A label is that of more than half of the votes cast, each annotator's latest judgement of a "
        "unit being one vote; a lead's decision wins over it."
    )
    if counts["published_labels"]:
        rule += (
            " A label that was published with an imported file stands where nobody voted."
            if selection.parameters.published_labels == "votes"
            else " A label that was published with an imported file wins over the votes, and a lead's over "
            "it."
        )
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


def _round_name(row: RoundRow) -> str:
    asked = [
        *([f"{', '.join(row.types)} only"] if row.types else []),
        *(["each text asked some types"] if row.asked_by else []),
    ]
    if row.asked_by.get("by") == "field":
        asked[-1] += f", by its “{row.asked_by['field']}”"
    return f"{row.name} ({'; '.join(asked)})" if asked else row.name


def _spread(found: dict[int, int], *, told: bool) -> str:
    """Say by how many annotators the items of a round were judged.

    >>> _spread({3: 40}, told=True), _spread({2: 1, 3: 40}, told=True), _spread({}, told=True)
    ('3', '3 (40 items), 2 (1 item)', '–')
    >>> _spread({1: 5, 2: 30, 3: 5, 356: 1}, told=True), _spread({2: 1, 3: 40}, told=False)
    ('median 2, from 1 to 356', 'median 3')
    """
    if len(found) < 2:
        return str(next(iter(found), "–"))
    middle = f"median {median(number for number, items in found.items() for _ in range(items)):g}"
    if not told:
        return middle
    if len(found) > 3:
        return f"{middle}, from {min(found)} to {max(found)}"
    most_first = sorted(found.items(), key=lambda entry: (-entry[1], entry[0]))
    return ", ".join(f"{number} ({items} item{'' if items == 1 else 's'})" for number, items in most_first)


def _annotators(built: Built) -> list[str]:
    """Return who judged; of a crowd how much each, since `annotators.csv` lists them."""
    if len(built.annotators) <= LISTED:
        return table(
            ["annotator", "judgements", "background, in their own words"],
            (
                (name, "–" if number is None else number, background or "not stated")
                for name, number, background in built.annotators
            ),
        )
    numbers = sorted(number for _, number, _ in built.annotators if number is not None)
    if len(numbers) < 2:
        return [f"{len(built.annotators)} annotators, listed in `annotators.csv`.", ""]
    low, middle, high = quantiles(numbers, n=4, method="inclusive")
    stated = sum(bool(background) for _, _, background in built.annotators)
    return [
        f"{len(built.annotators)} annotators, listed in `annotators.csv`; {stated} of them said something "
        f"about themselves. Judgements of each: median {middle:g}, half of them {low:g} to {high:g}, from "
        f"{numbers[0]} to {numbers[-1]}.",
        "",
    ]


def _guidelines(selection: Selection) -> str:
    newest = selection.codebook_version
    earlier = selection.earlier_guidelines
    told = f"The guideline is in `guideline.md` (version {newest})"
    if not earlier:
        return f"{told}, the codebook in `codebook.toml`."
    names = ", ".join(f"`guidelines/version-{version}.md`" for version in earlier)
    return (
        f"{told}; some rounds were annotated under earlier ones: {names}. The codebook of each is the TOML "
        "beside it."
    )


def _kept_back(selection: Selection, agreement: AgreementFigures) -> str:
    """Say what the counts and figures leave out, so that nobody compares them with others unawares."""
    choices = selection.parameters
    if not _keeps_back(selection):
        return ""
    lines = ["## What is kept back", ""]
    if choices.withheld:
        names = ", ".join(f"`{split_name(split)}`" for split in choices.withheld)
        lines.append(
            f"The references of {names} are withheld: every count of labels, judgements and spans and every "
            "figure of agreement here is computed without its items."
        )
    if choices.agreement and selection.rounds:
        lines.append(
            "Of rounds with items whose labels or texts are kept back, no figure in `agreement/` speaks of "
            f"fewer than {choices.min_cell} items; further cells are left out so that none of these follows "
            "from a sum."
        )
        shown = {row.number for row, _ in agreement}
        if missing := [cell(row.name) for row in selection.rounds if row.number not in shown]:
            lines.append(f"Too few items are left for any figure: {', '.join(missing)}.")
    if not choices.texts:
        lines.append("Where five or more words in a row are those of a text, […] stands instead.")
        if not selection.typology and choices.quoting_questions:
            lines.append("Critical questions stand as they were written, also where they quote a text.")
    return "\n\n".join([lines[0], " ".join(lines[2:]), ""])


def _keeps_back(selection: Selection) -> bool:
    return bool(selection.parameters.withheld) or not selection.parameters.texts


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
    if built.annotators and built.counts["judgements"]:
        lines += ["- Annotators are known by pseudonym and by what they said about themselves only."]
    return "\n".join(["## Known limits", "", *lines, ""]) if lines else ""


def _checking(built: Built) -> str:
    covered = "texts, judgements, decisions"
    if built.digest != built.inside.digest:
        covered = "what is public of texts, judgements and decisions"
    return "\n".join(
        [
            "## Checking and rebuilding",
            "",
            "`sha256sum --check SHA256SUMS` checks the files. `release.json` says what they were built from.",
            f"The digest `{built.digest}`",
            f"covers {covered}, choices and code: the same digest gives the same bytes "
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
