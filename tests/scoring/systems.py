"""Systems for the tests of scoring: a small release, files that fit it, and evaluations that are done."""

import json
from typing import Any

from exports.models import Release
from scoring.models import Evaluation, Submission, System
from scoring.systems.choices import read_choices
from scoring.systems.evaluations import evaluation_request, evaluation_run
from scoring.systems.submissions import HandedIn, submission_create
from scoring.systems.systems import system_create
from tests.factories import (
    NO,
    UNHELPFUL,
    USEFUL,
    Study,
    close,
    cqs_study,
    focus_study,
    invalid,
    judge,
    judge_question,
    yes,
)
from tests.factories.releases import release

RIGHT = {"I-1": {"fsq_types": ["LE"], "spans": ["grades  fell"]}}
"""The first argument has gold for LE; WE is undecided. The second has nothing."""
WRONG = {"I-1": {"fsq_types": ["WE", "BS"], "spans": ["nowhere", "The library"]}}


def focus_release(slug: str = "talk", **choices: Any) -> tuple[Study, Release]:
    """Release two arguments: LE yes with gold and one annotator's span, WE undecided; then all no."""
    made = focus_study(annotators=3, items=2, slug=slug)
    first, second = made.items
    spans = [yes(first, "grades fell"), yes(first, "grades fell"), yes(first, "The library")]
    judge(made, first, {"LE": spans, "WE": [yes(first, "The library"), NO, None]})
    judge(made, second, {})
    close(made)
    return made, release(made.project, **choices)


def questions_release(slug: str = "ask", items: int = 2) -> tuple[Study, Release]:
    """Release interventions with three questions each: Useful, Invalid, Unhelpful."""
    made = cqs_study(annotators=1, items=items, questions=3, slug=slug)
    for item in made.items:
        for question, answer in zip(item.questions.all(), [USEFUL, invalid(), UNHELPFUL], strict=True):
            judge_question(made, question, [answer])
    close(made)
    return made, release(made.project)


def questions(*texts: str, item: str = "I-1") -> dict[str, Any]:
    """Return a file that asks these questions."""
    return {item: {"cqs": [{"id": number, "cq": text} for number, text in enumerate(texts)]}}


def handed_in(*contents: Any) -> list[HandedIn]:
    """Return files of these contents: bytes as they are, else JSON."""
    return [
        HandedIn(f"run{number}.json", content if isinstance(content, bytes) else json.dumps(content).encode())
        for number, content in enumerate(contents, start=1)
    ]


def submitted(made: Study, of: Release, *contents: Any, name: str = "Parrot") -> Submission:
    """Submit files under a system's name."""
    system = System.objects.filter(project=made.project, name=name).first()
    system = system or system_create(project=made.project, name=name, by=made.lead)
    return submission_create(system=system, release=of, files=handed_in(*contents), by=made.lead)


def scored(submission: Submission, **choices: Any) -> Evaluation:
    """Ask for an evaluation and have it done."""
    (asked,) = read_choices(submission.system.project, **{"replicates": 20, **choices})
    evaluation = evaluation_request(submission=submission, asked=asked)
    evaluation_run(evaluation_id=evaluation.pk)
    evaluation.refresh_from_db()
    return evaluation
