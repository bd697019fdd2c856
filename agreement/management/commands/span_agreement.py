"""Print the agreement of annotators on the spans of a JSON Lines file."""

import json
from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from agreement.consensus import DEFAULT_THRESHOLD, consensus_spans
from agreement.similarity import MEASURES
from agreement.span_agreement import (
    ALPHA_TOKEN,
    ALPHA_U,
    JudgedText,
    SpanEstimate,
    SpanTable,
    span_estimates,
    span_table,
)
from agreement.spans_file import Identifier, SpansFileError, read_spans
from agreement.tokens import positions


class Command(BaseCommand):
    help = (
        "Span similarities with intervals, token-level alpha, alpha_u, gold and disagreement spans of a file "
        'with one line an item and annotator: {"item", "text", "annotator", "start", "end"}. Offsets are '
        "Unicode code points, half open; null for both: judged, no span. Needs no database."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("spans", metavar="SPANS.jsonl", type=Path)
        parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
        parser.add_argument(
            "--threshold",
            type=_threshold,
            default=DEFAULT_THRESHOLD,
            help="Jaccard index from which two spans match (default %(default)s)",
        )
        parser.add_argument(
            "--replicates", type=_positive, default=1000, help="bootstrap replicates (default %(default)s)"
        )
        parser.add_argument(
            "--seed", type=_not_negative, default=0, help="bootstrap seed (default %(default)s)"
        )

    def handle(self, *, spans: Path, threshold: float, replicates: int, seed: int, **options) -> None:
        try:
            judged = read_spans(spans)
        except SpansFileError as error:
            raise CommandError(str(error)) from None
        except OSError as error:
            raise CommandError(f"{spans}: {error.strerror}") from None
        table = span_table(list(judged.values()))
        estimates = span_estimates(table, replicates=replicates, seed=seed)
        if options["json"]:
            parameters = {"threshold": threshold, "replicates": replicates, "seed": seed}
            report = _report(judged, table, estimates, parameters)
            self.stdout.write(json.dumps(report, indent=2))
        else:
            self.stdout.write("\n".join(_table_lines(judged, table, estimates, threshold)))


def _report(
    judged: dict[Identifier, JudgedText],
    table: SpanTable,
    estimates: dict[str, SpanEstimate],
    parameters: dict,
) -> dict:
    return {
        "similarity": {
            measure: {**_figure(estimates[measure]), "n_pairs": estimates[measure].n_pairs}
            for measure in MEASURES
        },
        "alpha_token": _figure(estimates[ALPHA_TOKEN]),
        "alpha_u": _figure(estimates[ALPHA_U]),
        "items": [_item(item, text, parameters["threshold"]) for item, text in judged.items()],
        "parameters": parameters,
        "notes": {
            "no_interval": {
                figure: estimate.interval_reason
                for figure, estimate in estimates.items()
                if estimate.interval_reason is not None
            },
            "undefined_pairs": {measure: count for measure, (count, _) in sorted(table.undefined.items())},
            "counted_by_characters": _counted_by_characters(judged),
        },
    }


def _figure(estimate: SpanEstimate) -> dict:
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high, "reason": estimate.reason}


def _item(item: Identifier, judged: JudgedText, threshold: float) -> dict:
    marked = [(annotator, *span) for annotator, span in judged.marks.items() if span is not None]
    spans: dict[str, list] = {"gold": [], "disagreement": []}
    for span in consensus_spans(judged.text, marked, threshold):
        quote = judged.text[span.start : span.end]
        spans[span.kind].append(
            {"start": span.start, "end": span.end, "text": quote, "support": span.support}
        )
    return {"item": item, **spans}


def _counted_by_characters(judged: dict[Identifier, JudgedText]) -> list[dict]:
    units = {item: positions(text.text) for item, text in judged.items()}
    return [{"item": item, "reason": unit.reason} for item, unit in units.items() if unit.unit == "character"]


def _table_lines(
    judged: dict[Identifier, JudgedText],
    table: SpanTable,
    estimates: dict[str, SpanEstimate],
    threshold: float,
) -> list[str]:
    lines = [f"{'figure':<18}{'value':>8}{'low':>8}{'high':>8}{'pairs':>8}  note"]
    for figure, estimate in estimates.items():
        numbers = "".join(f"{_number(value):>8}" for value in (estimate.value, estimate.low, estimate.high))
        pairs = "" if estimate.n_pairs is None else estimate.n_pairs
        note = estimate.reason or estimate.interval_reason or ""
        if figure in table.undefined and estimate.value is not None:
            count, reason = table.undefined[figure]
            note = f"{note} {count} pairs left out: {reason}".strip()
        lines.append(f"{figure:<18}{numbers}{pairs:>8}  {note}".rstrip())
    items = [_item(item, text, threshold) for item, text in judged.items()]
    gold, alone = (sum(len(item[kind]) for item in items) for kind in ("gold", "disagreement"))
    counts = f"{len(items)} texts: {gold} gold spans, {alone} disagreement spans"
    lines += ["", f"{counts} (threshold {threshold:g})"]
    by_characters = _counted_by_characters(judged)
    if by_characters:
        lines.append(f"{len(by_characters)} of the texts were counted by characters, not words")
    return lines


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _threshold(argument: str) -> float:
    value = float(argument)
    if not 0 < value <= 1:
        raise ArgumentTypeError("must be above 0 and at most 1")
    return value


def _positive(argument: str) -> int:
    value = int(argument)
    if value < 1:
        raise ArgumentTypeError("must be at least 1")
    return value


def _not_negative(argument: str) -> int:
    value = int(argument)
    if value < 0:
        raise ArgumentTypeError("must be at least 0")
    return value
