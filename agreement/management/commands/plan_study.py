"""Print how many texts a study needs before anything is known of it, by simulation."""

from __future__ import annotations

import json
from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agreement.display.sample_size import PlanRefused
from agreement.display.study_size import ASSURANCE, clean_study, study_json
from agreement.what_if.study_size import MOST_TEXTS, StudyExpected, StudySize, study_size

LEAST_REPLICATES, MOST_REPLICATES = 100, 2_000


class Command(BaseCommand):
    help = (
        "How many texts a study needs until the 95% interval of Krippendorff's nominal alpha of one type is "
        "narrower than a width: studies of annotators who agree as expected are simulated, each with the "
        "interval that its report would have."
    )
    # Works on any machine: no database, no project, no other app's settings.
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--alpha", required=True, metavar="0.6", help="the alpha expected, 0 to below 1")
        parser.add_argument(
            "--prevalence", required=True, metavar="0.2", help="the share of yes expected, between 0 and 1"
        )
        parser.add_argument("--raters", required=True, metavar="3", help="annotators for each text")
        parser.add_argument(
            "--width", required=True, metavar="0.2", help="of the 95%% interval, from limit to limit"
        )
        parser.add_argument(
            "--assurance",
            default=ASSURANCE,
            metavar="0.8",
            help="share of like studies that are to be so narrow (default 0.8)",
        )
        parser.add_argument(
            "--studies", type=_studies, default=400, help="studies simulated at each size (default 400)"
        )
        parser.add_argument(
            "--replicates", type=_studies, default=400, help="bootstrap resamples of each (default 400)"
        )
        parser.add_argument("--seed", type=_whole, default=1, help="seed of the simulation (default 1)")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            expected = clean_study(options)
        except PlanRefused as refused:
            wrong = "; ".join(f"--{name} {message}" for name, message in refused.errors.items())
            raise CommandError(f"No study can be planned for this: {wrong}.") from None
        size = study_size(
            expected, seed=options["seed"], studies=options["studies"], replicates=options["replicates"]
        )
        if options["json"]:
            shown = study_json(expected, size, seed=options["seed"])
            choices = {name: options[name] for name in ("studies", "replicates")}
            self.stdout.write(json.dumps(shown | choices, indent=1))
        else:
            self.stdout.write(_told(expected, size))


def _told(expected: StudyExpected, size: StudySize) -> str:
    if size.n_texts is None:
        return (
            f"No number of texts up to {MOST_TEXTS:,} gives an interval narrower than {expected.width:g} in "
            f"{expected.assurance:.0%} of studies: with {MOST_TEXTS:,} it is in {size.reached:.0%}."
        )
    lines = [
        f"{size.n_texts:,} texts, each judged by {expected.raters}: the 95% interval of alpha is narrower "
        f"than {expected.width:g} and needs no caution in {size.reached:.0%} of studies.",
        f"Expected interval: {size.low:.2f} to {size.high:.2f}, {size.width:.2f} wide (medians).",
    ]
    if size.cautioned:
        lines.append(f"Shown with a caution or none: in {size.cautioned:.0%} of studies.")
    return "\n".join(lines)


def _whole(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise ArgumentTypeError(f"{text!r} is not a whole number of 0 or more")
    return int(text)


def _studies(text: str) -> int:
    number = _whole(text)
    if not LEAST_REPLICATES <= number <= MOST_REPLICATES:
        raise ArgumentTypeError(f"the number must be from {LEAST_REPLICATES} to {MOST_REPLICATES:,}")
    return number
