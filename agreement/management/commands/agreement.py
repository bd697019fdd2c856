"""Print every agreement coefficient, with its interval, of a table of ratings in a CSV file."""

from __future__ import annotations

import json
import shlex
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agreement.display.plain_text import agreement_text, strata_text, without_text
from agreement.files.ratings import RatingsFile, missing_marks, parse_categories, read_ratings
from agreement.statistics.estimates import (
    NO_ITEMS,
    NO_PAIRS,
    TOO_FEW_COMMON_ITEMS,
    Estimate,
    TableResult,
    undefined,
)
from agreement.statistics.label_agreement import label_agreement
from agreement.statistics.strata.stratified import StratifiedResult, stratified_agreement
from agreement.what_if.influence import WithoutRater, without_each
from core.canonical_json import canonical_float
from core.lookalikes import groups_alike

COEFFICIENTS = (
    "observed_agreement",
    "cohen_kappa",
    "fleiss_kappa",
    "pabak",
    "gwet_ac1",
    "krippendorff_alpha",
)
PAIRS_LISTED_UP_TO = 50


class Command(BaseCommand):
    help = (
        "Agreement of a rating table: a CSV file whose first column is the item's id, followed by one column "
        "an annotator. An empty cell is a missing rating, as are the texts named with "
        "--missing; every other one is a label exactly as it stands."
    )
    # Works on any machine and file: no database, no project, no other app's settings.
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("ratings", metavar="RATINGS.csv", type=Path)
        parser.add_argument(
            "--categories", metavar="A,B,C", help="the declared categories; without it the labels found"
        )
        parser.add_argument(
            "--missing",
            action="append",
            default=[],
            metavar="NA",
            help="a text that means a missing rating, as an empty cell does; repeat for several",
        )
        parser.add_argument(
            "--strata",
            metavar="COLUMN",
            help="the column that names the table of each row, such as its type: the figures of each, and "
            "those of all together, each table against its own chance",
        )
        parser.add_argument(
            "--cluster",
            metavar="COLUMN",
            help="the column that names what items belong together, such as their source or thread: the "
            "intervals draw these clusters and not single items",
        )
        parser.add_argument(
            "--without-each",
            action="store_true",
            help="also every coefficient without each annotator in turn, and how far it moves",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.add_argument(
            "--replicates", type=_whole, default=1000, help="bootstrap resamples (default 1000, 0 for none)"
        )
        parser.add_argument("--seed", type=_whole, default=0, help="seed of the resamples (default 0)")
        parser.add_argument(
            "--min-common",
            type=_positive,
            default=1,
            help="leave out pairs of annotators with fewer common items (default 1)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            declared = options["categories"]
            categories = None if declared is None else parse_categories(declared)
            table = read_ratings(
                options["ratings"],
                categories=categories,
                missing=options["missing"],
                strata=options["strata"],
                cluster=options["cluster"],
            )
        except ValueError as error:
            raise CommandError(str(error)) from error
        for note in _notes(table, declared=categories is not None):
            self.stderr.write(f"Note: {note}")
        choices = {name: options[name] for name in ("seed", "replicates", "min_common")}
        q = len(table.categories)
        if options["strata"] is not None:
            shown, text = _of_strata(table, choices)
            ratings, clusters = table.by_stratum()[1], table.item_clusters
        else:
            ratings, clusters = table.ratings, table.row_clusters
            result = label_agreement(ratings, q=q, clusters=clusters, **choices)
            shown = as_json(result, table.annotators, table.categories)
            text = agreement_text(result, table.annotators, table.categories)
        if clusters is not None:
            shown |= {"cluster": {"column": options["cluster"], "n_clusters": len(set(table.clusters))}}
            text += f"\n{_cluster_words(options['cluster'], table)}"
        if options["without_each"]:
            without = without_each(ratings, q=q, clusters=clusters, **choices)
            shown |= {"without_each": [_without_json(one, table.annotators) for one in without]}
            text += f"\n\n{without_text(without, table.annotators)}"
        self.stdout.write(json.dumps(shown, indent=1) if options["json"] else text)


def _of_strata(table: RatingsFile, choices: dict[str, int]) -> tuple[dict[str, Any], str]:
    """Return what is printed of each stratum and of all together: the JSON object, and the text."""
    names, ratings = table.by_stratum()
    q, clusters = len(table.categories), table.item_clusters
    each = {
        name: label_agreement(ratings[:, at], q=q, clusters=clusters, **choices)
        for at, name in enumerate(names)
    }
    together = stratified_agreement(ratings, q=q, clusters=clusters, **choices)
    shown = {
        "strata": {
            name: as_json(result, table.annotators, table.categories) for name, result in each.items()
        },
        "together": together_json(together, table.annotators, table.categories),
    }
    texts = [
        f"== {name} ==\n{agreement_text(result, table.annotators, table.categories)}"
        for name, result in each.items()
    ]
    return shown, "\n".join([*texts, "", f"== together ==\n{strata_text(together, table.annotators)}"])


def _cluster_words(column: str, table: RatingsFile) -> str:
    return (
        f"Resampled by {column!r}: {len(set(table.clusters))} clusters of {len(set(table.items))} items; "
        "intervals and cautions count clusters."
    )


def _without_json(one: WithoutRater, annotators: tuple[str, ...]) -> dict[str, Any]:
    return {
        "annotator": annotators[one.rater],
        "n_pairable": one.figures.n_pairable,
        "coefficients": {
            name: _figure(estimate) | {"difference": _figure(one.differences[name])}
            for name, estimate in one.figures.estimates.items()
        },
    }


def _notes(table: RatingsFile, *, declared: bool) -> Iterator[str]:
    """Yield what is taken as it stands and may be meant otherwise."""
    kinds = (("labels", table.categories), ("annotators", table.annotators), ("items", table.items))
    for kind, names in kinds:
        for group in groups_alike(names):
            yield f"{', '.join(map(repr, group))} look alike and are counted as different {kind}."
    for label, count in ({} if declared else missing_marks(table)).items():
        cells = "1 cell" if count == 1 else f"{count} cells"
        yield (
            f"{label!r} ({cells}) is counted as a label. Where it means a missing rating, leave the cell "
            f"empty or say --missing={shlex.quote(label)}."
        )


def _whole(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise ArgumentTypeError(f"{text!r} is not a whole number of 0 or more")
    return int(text)


def _positive(text: str) -> int:
    number = _whole(text)
    if not number:
        raise ArgumentTypeError("the number must be 1 or more")
    return number


def as_json(result: TableResult, annotators: tuple[str, ...], categories: tuple[str, ...]) -> dict[str, Any]:
    """Return the object that ``--json`` prints; its keys are an interface that other programs rely on."""
    coefficients = {name: _figure(result.estimates[name]) for name in COEFFICIENTS}
    coefficients["cohen_kappa"]["pairs"] = _pairs(result, annotators)
    full = result.to_json()
    details = {
        key: full[key]
        for key in ("n_ratings", "n_pairable_ratings", "estimates", "pairs_undefined", "prevalence")
    }
    return {
        "n_items": result.n_items,
        "n_pairable": result.n_pairable,
        "n_raters": result.n_raters,
        "categories": list(categories),
        "coefficients": coefficients,
        "details": details | {"replicates": result.replicates, "seed": list(result.seed)},
    }


def together_json(
    result: StratifiedResult, annotators: tuple[str, ...], categories: tuple[str, ...]
) -> dict[str, Any]:
    """Return what `--strata --json` says of all strata: numerators and denominators added."""
    coefficients = {name: _figure(result.estimates[name]) for name in COEFFICIENTS}
    coefficients["cohen_kappa"]["pairs"] = [
        {"annotators": [annotators[pair.first], annotators[pair.second]]}
        | _figure(pair.kappa)
        | {"n_common": pair.n_common, "observed_agreement": canonical_float(pair.observed_agreement.known)}
        for pair in result.pairs
    ]
    for name in COEFFICIENTS:
        mean = result.means[name]
        coefficients[name]["mean_of_strata"] = None if mean is None else canonical_float(mean)
        coefficients[name]["strata_defined"] = result.means_of[name]
    return {
        "n_items": result.n_items,
        "n_units": result.n_units,
        "n_pairable": result.n_pairable,
        "n_strata": result.n_strata,
        "n_raters": len(annotators),
        "categories": list(categories),
        "coefficients": coefficients,
        "details": {"replicates": result.replicates, "seed": list(result.seed)},
    }


def _figure(estimate: Estimate) -> dict[str, Any]:
    full = estimate.to_json()
    return {key: full[key] for key in ("value", "low", "high", "reason")}


def _pairs(result: TableResult, annotators: tuple[str, ...]) -> list[dict[str, Any]]:
    pairs = [
        {"annotators": [annotators[pair.first], annotators[pair.second]]}
        | _figure(pair.kappa)
        | {"n_common": pair.n_common, "observed_agreement": canonical_float(pair.observed_agreement.known)}
        for pair in result.pairs
    ]
    # A crowd's hundreds of annotators make tens of thousands of pairs that never met: those are only counted.
    if len(annotators) <= PAIRS_LISTED_UP_TO and TOO_FEW_COMMON_ITEMS not in result.pairs_undefined:
        met = {(pair.first, pair.second) for pair in result.pairs}
        nothing = _figure(undefined(NO_PAIRS if result.n_items else NO_ITEMS))
        pairs += [
            {"annotators": [annotators[first], annotators[second]]}
            | nothing
            | {"n_common": 0, "observed_agreement": None}
            for first, second in combinations(range(len(annotators)), 2)
            if (first, second) not in met
        ]
    return pairs
