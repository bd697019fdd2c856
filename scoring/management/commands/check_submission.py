"""Check systems' files against a release without scoring: manage.py check_submission SLUG VERSION FILE"""

from typing import Any

from scoring.evaluation.faults import AnswersRefused
from scoring.management.scoring_command import ScoringCommand


class Command(ScoringCommand):
    help = "Check systems' files against a release, as score does before it scores them."

    def handle(self, *args: Any, **options: Any) -> None:
        benchmark, runs = self.read(options)
        self.tell(runs)
        if faults := [fault for submission, _ in runs for fault in submission.faults]:
            raise AnswersRefused(faults)
        for submission, _ in runs:
            answered = len(submission.types or submission.questions)
            self.stdout.write(
                f"{submission.file}: {answered} of {len(benchmark.items)} items; nothing wrong."
            )
