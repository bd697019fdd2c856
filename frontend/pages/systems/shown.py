"""An evaluation's figures as a page shows them: cards, tables of cells with lettered reasons, whiskers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import get_language, gettext, ngettext

from agreement.display.cells import Cell, Notes, number
from agreement.display.charts import Axis, Whisker, whisker_of
from agreement.spans.similarity import MEASURES
from annotation.codebooks.definition import Codebook as Definition
from annotation.codebooks.translations import codebook_in
from annotation.models import Project
from core.cache import cached
from frontend.pages.systems.words import LABEL_CODES, LABELS, MEANS, REFERENCE_SETS, why
from scoring.evaluation.questions import Method
from scoring.figures.diversity import first_words
from scoring.figures.types import NONE
from scoring.models import Evaluation

Figures = dict[str, Any]

AXIS = Axis(0.0)


@dataclass(frozen=True, slots=True)
class Card:
    """A figure that people look at first."""

    text: str
    words: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class TypeRow:
    """A type's figures; `there` is how often it was decided yes."""

    code: str
    name: str
    hue: str
    letter: str
    there: int
    cells: list[tuple[str, Cell]]
    whisker: Whisker | None
    said: str


def method_said(evaluation: Evaluation) -> str:
    """Say how an evaluation was done, in a word or two."""
    if evaluation.scope:
        return gettext("types and spans")
    return str(Method(evaluation.method, evaluation.threshold)).replace(":", " > ")


def shown_cell(figure: Figures | None, *, signed: bool = False) -> Cell:
    """Return a figure as text with its interval, or a dash with the reason."""
    if figure is None:
        return Cell("")
    if figure["value"] is None:
        return Cell(number(None), why=why(figure["reason"]))
    interval = ""
    if figure.get("low") is not None:
        interval = f"[{number(figure['low'], signed=signed)}, {number(figure['high'], signed=signed)}]"
    return Cell(number(figure["value"], signed=signed), interval=interval)


def codebook_of(project: Project) -> Definition:
    """Return the project's newest codebook in the reader's language."""
    newest = project.codebooks.order_by("-version").first()
    assert newest is not None
    return codebook_in(Definition.from_json(newest.definition), get_language() or "")


def type_names(definition: Definition) -> dict[str, str]:
    """Return what each type is called, None of the Above too."""
    none = definition.derived_none.name if definition.derived_none else gettext("None of the Above")
    return {**{entry.code: entry.name for entry in definition.types}, NONE: none}


def figures_shown(evaluation: Evaluation, run: int) -> dict[str, Any]:
    """Return what the page of an evaluation that is done shows of one of its runs."""
    scores: Figures = evaluation.figures or {}
    found = next((row for row in scores["evaluations"] if row["run"] == run), scores["evaluations"][0])
    figures: Figures = found["figures"]
    together = {row["figure"]: row for row in scores["together"]}
    common = {"scores": scores, "runs": scores["runs"], "run": run, "together": bool(together)}
    if scores["protocol"] == "focus":
        return {**common, **_focus(evaluation, figures, together)}
    return {**common, **_questions(evaluation, run, figures, together)}


def _focus(evaluation: Evaluation, figures: Figures, together: Figures) -> dict[str, Any]:
    scope = evaluation.scope
    chosen = figures[scope]
    definition = codebook_of(evaluation.submission.system.project)
    names, groups = type_names(definition), {group.key: group for group in definition.groups}
    of_type = {entry.code: groups[entry.group] for entry in definition.types if entry.group in groups}
    notes = Notes("types")
    spans = figures.get("spans_by_type", {})
    heads = (gettext("Precision"), gettext("Recall"), "F1", gettext("Span"))
    rows = []
    for code, row in chosen["types"].items():
        group = of_type.get(code)
        cells = [shown_cell(row[name]) for name in ("precision", "recall", "f1")]
        if spans:
            cells.append(shown_cell(spans.get(code)))
        f1 = {**row["f1"], "caution": None}
        name = names.get(code, code)
        said = cells[2].text + (f", {cells[2].interval}" if cells[2].interval else "")
        rows.append(
            TypeRow(
                code,
                name,
                group.hue if group else "grey",
                group.letter if group else "",
                row["tp"] + row["fn"],
                list(zip(heads, notes.each(cells), strict=False)),
                whisker_of(f1, AXIS),
                f"{name}: {said}",
            )
        )
    means = {
        "micro": gettext("micro: of the summed counts"),
        "macro": gettext("macro: mean over the labels that are defined"),
        "macro_zero": gettext("macro with undefined as 0"),
    }
    mean_rows = []
    for key, words in means.items():
        cells = notes.each(shown_cell(chosen[key][name]) for name in ("precision", "recall", "f1"))
        f1 = {**chosen[key]["f1"], "caution": None}
        said = f"{words}: {cells[2].text} {cells[2].interval}"
        labelled = list(zip(heads, cells, strict=False))
        mean_rows.append((words, labelled, whisker_of(f1, AXIS), said, chosen[key]["f1"]["n"]))
    macro, gold = chosen["macro"]["f1"], figures["spans"]["gold"]["mean"]["unigram_jaccard"]
    nowhere = figures["spans_not_in_text"]
    cards = [
        _card(
            chosen["micro"]["f1"],
            gettext("micro F1"),
            together.get(f"{scope}/micro/f1"),
            evaluation.headline,
        ),
        _card(
            macro,
            gettext("macro F1, %(n)s labels of %(all)s defined")
            % {"n": macro["n"], "all": len(chosen["types"])},
            together.get(f"{scope}/macro/f1"),
        ),
        _card(
            gold,
            gettext("words of spans shared with gold, best match"),
            together.get("spans/gold/mean/unigram_jaccard"),
        ),
        Card(
            str(nowhere),
            ngettext(
                "span that stands nowhere in its text", "spans that stand nowhere in their text", nowhere
            ),
        ),
    ]
    return {
        "cards": cards,
        "types": rows,
        "with_spans": bool(spans),
        "means": mean_rows,
        "notes": notes,
        "axis": AXIS,
        "scope": scope,
        "spans": _spans(figures["spans"]),
        "confusion": _confusion(figures["confusion"], names),
    }


def _spans(spans: Figures) -> list[dict[str, Any]]:
    """Return a table a mean: a row a measure, a column a set of references."""
    tables = []
    for mean, words in MEANS.items():
        notes = Notes(f"spans-{mean}")
        sets = [key for key in REFERENCE_SETS if mean in spans.get(key, {})]
        rows = [
            (measure.replace("_", " "), notes.each(shown_cell(spans[key][mean].get(measure)) for key in sets))
            for measure in MEASURES
            if any(measure in spans[key][mean] for key in sets)
        ]
        first = MEASURES[0] if isinstance(MEASURES, list | tuple) else next(iter(MEASURES))
        ns = [spans[key][mean][first]["n"] for key in sets]
        heads = [(REFERENCE_SETS[key], n) for key, n in zip(sets, ns, strict=True)]
        tables.append({"name": words, "heads": heads, "rows": rows, "notes": notes, "open": mean == "mean"})
    return tables


def _confusion(confusion: Figures, names: dict[str, str]) -> list[tuple[str, list[tuple[str, int]]]]:
    """Return for each type that was missed what was answered instead, the commonest first."""
    return [
        (
            names.get(code, code),
            sorted(
                ((names.get(other, other), n) for other, n in instead.items() if n), key=lambda pair: -pair[1]
            ),
        )
        for code, instead in confusion.items()
        if any(instead.values())
    ]


def _questions(evaluation: Evaluation, run: int, figures: Figures, together: Figures) -> dict[str, Any]:
    nae, notes = figures["nae_share"], Notes("questions")
    handed_in = figures["handed_in"]
    cards = [
        _card(
            figures["score"],
            gettext("useful of three, mean over items"),
            together.get("score"),
            evaluation.headline,
        ),
        _card(
            nae,
            ngettext(
                "of %(handed_in)s question not able to evaluate: %(n)s",
                "of %(handed_in)s questions not able to evaluate: %(n)s",
                handed_in,
            )
            % {"handed_in": handed_in, "n": figures["nae"]},
            together.get("nae_share"),
        ),
    ]
    missing = figures["missing_questions"]
    cards.append(Card(str(missing), ngettext("question missing", "questions missing", missing)))
    if "judge_unusable" in figures:
        cards.append(Card(str(figures["judge_unusable"]), gettext("unusable answers of the judge")))
    most = max(1, *figures["labels"].values())
    items = max(1, *figures["distribution"].values())
    counts = {
        "missing_items": gettext("items without a question"),
        "items_without_reference": gettext("items without a reference, not in the mean"),
        "questions_twice": gettext("questions that stood twice, counted once"),
    }
    return {
        "cards": cards,
        "notes": notes,
        "labels": [
            (LABELS.get(label, label), LABEL_CODES.get(label, ""), n, round(100 * n / most))
            for label, n in figures["labels"].items()
        ],
        "distribution": [(share, n, round(100 * n / items)) for share, n in figures["distribution"].items()],
        "counts": [(words, figures[key]) for key, words in counts.items() if figures.get(key)],
        "diversity": _diversity(figures.get("diversity")),
        "beginnings": _beginnings(evaluation, run),
    }


def _diversity(found: Figures | None) -> dict[str, Any] | None:
    if not found:
        return None

    def value(name: str) -> str:
        one = found[name]
        return number(one["score"] if isinstance(one, dict) else one)

    names = {
        "ngram_published": gettext("n-grams, as published"),
        "ngram_within": gettext("n-grams within questions"),
        "cr_diversity": gettext("compression (gzip)"),
    }
    return {"n": found["n"], "rows": [(words, value(key)) for key, words in names.items() if key in found]}


def _beginnings(evaluation: Evaluation, run: int) -> list[tuple[str, int, str]]:
    """Return the ten commonest first three words of a run's questions, with their number and share."""

    def count() -> list[tuple[str, int, str]]:
        rows = evaluation.answers.filter(run=run).order_by("position", "place")
        texts = list(rows.values_list("given", flat=True))
        return [(words, n, number(n / len(texts))) for words, n in first_words(texts)]

    return cached(f"scored-beginnings-{evaluation.pk}-{run}-{evaluation.parameters_digest[:12]}", count)


def _card(figure: Figures, words: str, together: Figures | None, over_runs: Figures | None = None) -> Card:
    """Return a figure with its interval; where there are runs the mean, its deviation and its interval."""
    if together is not None and together["mean"] is not None:
        words = f"{words}{_interval(over_runs)}"
        if together["sd"] is not None:
            words = gettext("%(words)s, ± %(sd)s over %(n)s runs") % {
                "words": words,
                "sd": number(together["sd"]),
                "n": together["n"],
            }
        return Card(number(together["mean"]), words)
    if figure["value"] is None:
        return Card(number(None), words, why(figure["reason"]))
    return Card(number(figure["value"]), f"{words}{_interval(figure)}")


def _interval(figure: Figures | None) -> str:
    if figure is None or figure["low"] is None:
        return ""
    return f" [{number(figure['low'])}, {number(figure['high'])}]"
