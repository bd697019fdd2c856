"""Rounds with suggestions: a finished run of the assistants with its answers, and a round that shows them.

A test that uses them sets `settings.LLM_ENDPOINTS = [ENDPOINT]`: without an endpoint there is no suggestion.
"""

from django.utils import timezone

from annotation.models import Question, Round, Suggestion
from annotation.rounds.lifecycle import round_create, round_draw
from annotation.rounds.opening import round_open
from annotation.rounds.suggestions import SuggestionChoice
from assist.models import AssistAnswer, AssistRun
from tests.factories.projects import Study

ENDPOINT = "https://models.example.org/v1"


def finished_run(made: Study, task: str, **values) -> AssistRun:
    """Store a run that is done, over the items of the factories."""
    number = made.project.assist_runs.count() + 1
    given = {
        "endpoint": ENDPOINT,
        "model": "tiny",
        "max_tokens": 100,
        "timeout": 60,
        "per_minute": 600,
        "sources": [["test", ""]],
        "prompts": {"": "{text}"},
        "recipes": {"": f"{number:064}"},
        "state": "done",
        "finished_at": timezone.now(),
    }
    return AssistRun.objects.create(project=made.project, number=number, task=task, **given | values)


def answered(run: AssistRun, item, found: dict | None, *, variant: str = "") -> AssistAnswer:
    """Store what a run answered about an item; None is an answer that is not usable."""
    unusable = {"state": "unusable", "problem": "not_in_the_form"}
    usable = {"state": "usable", "found": found, "label": "-"}
    return AssistAnswer.objects.create(
        run=run,
        item=item,
        variant=variant,
        recipe_sha256=run.recipes[""],
        unit_sha256=f"{item.pk:032}{hash(variant) % 10**32:032}",
        prompt_sha256="0" * 64,
        tries=1,
        answered_at=timezone.now(),
        **(unusable if found is None else usable),
    )


def focus_run(made: Study, named: dict[str, str | None] | None = None) -> AssistRun:
    """Store a run that names these types, each with the words of its span, in every text that has them."""
    run = finished_run(made, "focus_answers")
    for item in made.items:
        there = {code: words for code, words in (named or {}).items() if words is None or words in item.text}
        starts = {code: item.text.index(words) for code, words in there.items() if words}
        places = [
            [starts[code], starts[code] + len(words)] if words else None for code, words in there.items()
        ]
        answered(run, item, {"types": list(there), "places": places})
    return run


def label_run(made: Study, label: str = "USE") -> AssistRun:
    """Store a run that gives all questions one label."""
    run = finished_run(made, "question_labels")
    for question in Question.objects.filter(item__in=made.items).order_by("pk"):
        answered(run, question.item, {"label": label}, variant=str(question.pk))
    return run


def suggesting_round(made: Study, run: AssistRun, shown: str = "all", **options) -> Round:
    """Draw all items of a study into a main round and open it with the suggestions of a run."""
    given = {"purpose": Round.Purpose.MAIN, "overlap": len(made.annotators), **options}
    made.round = round_create(project=made.project, member=made.lead, **given)
    round_draw(made.round, member=made.lead)
    choice = SuggestionChoice(run.number, Round.Shown(shown))
    return round_open(made.round, members=made.annotators, by=made.lead, suggestions=choice)


def suggestion_of(made: Study, item, unit: str | Question) -> Suggestion:
    """Return the suggestion about a type of an item, or about a question."""
    if isinstance(unit, Question):
        return made.round.suggested.get(question=unit)
    return made.round.suggested.get(item=item, type_code=unit, question=None)
