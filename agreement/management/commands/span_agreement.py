"""Print the agreement of annotators on the spans of a JSON Lines file."""

import json
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agreement.display.wording import interval_doubts
from agreement.files.spans import Identifier, SpansFileError, read_spans
from agreement.spans.agreement import (
    ALPHA_U_2004,
    ALPHAS,
    SPAN_REASONS,
    JudgedText,
    SpanTable,
    span_estimates,
    span_table,
)
from agreement.spans.consensus import DEFAULT_THRESHOLD, consensus_spans
from agreement.spans.similarity import MEASURES
from agreement.spans.tokens import positions
from agreement.statistics.estimates import Estimate
from core.lookalikes import groups_alike

Judged = Mapping[Identifier, JudgedText]
Estimates = Mapping[str, Estimate]


class Command(BaseCommand):
    help = (
        "Span similarities with intervals, u_alpha, alpha over tokens, gold and disagreement spans of a file "
        'with one line an item and annotator: {"item", "text", "annotator", "start", "end"}. Offsets are '
        "Unicode code points, half open; null for both: judged, no span."
    )
    # Works on any machine and file: no database, no project, no other app's settings.
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("spans", metavar="SPANS.jsonl", type=Path)
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.add_argument(
            "--threshold",
            type=_threshold,
            default=DEFAULT_THRESHOLD,
            help="Jaccard index from which two spans match (default 0.5)",
        )
        parser.add_argument(
            "--replicates", type=_whole, default=1000, help="bootstrap resamples (default 1000, 0 for none)"
        )
        parser.add_argument("--seed", type=_whole, default=0, help="seed of the resamples (default 0)")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            judged = read_spans(options["spans"])
        except SpansFileError as error:
            raise CommandError(str(error)) from None
        except OSError as error:
            raise CommandError(f"{options['spans']}: {error.strerror}") from None
        annotators = list(dict.fromkeys(str(name) for text in judged.values() for name in text.marks))
        for kind, names in (("annotators", annotators), ("items", list(map(str, judged)))):
            for group in groups_alike(names):
                same = ", ".join(map(repr, group))
                self.stderr.write(f"Note: {same} look alike and are counted as different {kind}.")
        table = span_table(list(judged.values()))
        estimates = span_estimates(table, replicates=options["replicates"], seed=options["seed"])
        parameters = {name: options[name] for name in ("threshold", "replicates", "seed")}
        items = [_item(item, text, options["threshold"]) for item, text in judged.items()]
        if options["json"]:
            report = as_json(table, estimates, items) | {
                "parameters": parameters,
                "notes": _notes(judged, table, estimates),
            }
            self.stdout.write(json.dumps(report, indent=1))
        else:
            self.stdout.write("\n".join(_text_lines(judged, table, estimates, items, parameters)))


def as_json(table: SpanTable, estimates: Estimates, items: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the figures that ``--json`` prints; its keys are an interface that other programs rely on."""
    return {
        "similarity": {
            measure: _figure(estimates[measure]) | {"n_pairs": table.pairs(measure)} for measure in MEASURES
        },
        **{name: _figure(estimates[name]) for name in ALPHAS},
        "details": {ALPHA_U_2004: _figure(estimates[ALPHA_U_2004])},
        "items": items,
    }


def _figure(estimate: Estimate) -> dict[str, Any]:
    full = estimate.to_json()
    return {key: full[key] for key in ("value", "low", "high", "reason")}


def _item(item: Identifier, judged: JudgedText, threshold: float) -> dict[str, Any]:
    marked = [(annotator, *span) for annotator, span in judged.marks.items() if span is not None]
    spans: dict[str, list[Any]] = {"gold": [], "disagreement": []}
    for span in consensus_spans(judged.text, marked, threshold):
        quote = judged.text[span.start : span.end]
        spans[span.kind].append(
            {"start": span.start, "end": span.end, "text": quote, "support": span.support}
        )
    return {"item": item, **spans}


def _told(estimates: Estimates, name: str) -> dict[str, str]:
    return {figure: code for figure, estimate in estimates.items() if (code := getattr(estimate, name))}


def _notes(judged: Judged, table: SpanTable, estimates: Estimates) -> dict[str, Any]:
    return {
        "no_interval": _told(estimates, "interval_reason"),
        "interval_method": _told(estimates, "interval_method"),
        "caution": _told(estimates, "caution"),
        "undefined_pairs": {measure: count for measure, (count, _) in sorted(table.undefined.items())},
        "counted_by_characters": _counted_by_characters(judged),
    }


def _counted_by_characters(judged: Judged) -> list[dict[str, Any]]:
    units = {item: positions(text.text) for item, text in judged.items()}
    return [{"item": item, "reason": unit.reason} for item, unit in units.items() if unit.unit == "character"]


def _text_lines(
    judged: Judged,
    table: SpanTable,
    estimates: Estimates,
    items: list[dict[str, Any]],
    parameters: Mapping[str, Any],
) -> list[str]:
    lines = [f"{'figure':<18}{'value':>8}{'low':>8}{'high':>8}{'pairs':>8}  note"]
    for figure, estimate in estimates.items():
        numbers = "".join(f"{_number(value):>8}" for value in (estimate.value, estimate.low, estimate.high))
        pairs = str(table.pairs(figure)) if figure in MEASURES else ""
        notes = [SPAN_REASONS[estimate.reason]] if estimate.reason else []
        notes += [SPAN_REASONS[code] for code in interval_doubts(estimate.to_json())]
        if figure in table.undefined and estimate.value is not None:
            count, reason = table.undefined[figure]
            notes.append(f"{count} pairs left out: {SPAN_REASONS[reason]}")
        lines.append(f"{figure:<18}{numbers}{pairs:>8}  {'; '.join(notes)}".rstrip())
    gold, alone = (sum(len(item[kind]) for item in items) for kind in ("gold", "disagreement"))
    spans = f"{len(items)} texts: {gold} gold spans, {alone} disagreement spans"
    lines += ["", f"{spans} (threshold {parameters['threshold']:g})"]
    by_characters = _counted_by_characters(judged)
    if by_characters:
        lines.append(f"Counted by characters, not words: {len(by_characters)} texts")
    if parameters["replicates"]:
        resamples = f"{parameters['replicates']} bootstrap resamples of texts"
        lines.append(f"Intervals: {resamples}, seed {parameters['seed']}")
    return lines


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _threshold(text: str) -> float:
    value = float(text)
    if not 0 < value <= 1:
        raise ArgumentTypeError("the threshold must be above 0 and at most 1")
    return value


def _whole(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise ArgumentTypeError(f"{text!r} is not a whole number of 0 or more")
    return int(text)
