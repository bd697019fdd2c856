"""Rounds of a study: drawn, open, closed."""

from annotation.models import Assignment, Item, Membership, Round
from annotation.rounds.lifecycle import round_close, round_create, round_draw
from annotation.rounds.opening import round_open
from tests.factories.projects import Study, study


def open_round(made: Study, *, overlap: int | None = None, **options) -> Round:
    """Draw all items of a study into a new round and open it."""
    made.round = round_create(
        project=made.project, overlap=overlap or len(made.annotators), member=made.lead, **options
    )
    round_draw(made.round, member=made.lead)
    return round_open(made.round, members=made.annotators, by=made.lead)


def close(made: Study) -> Round:
    """Close the study's round."""
    return round_close(made.round, by=made.lead)


def assignment_of(round: Round, member: Membership, item: Item, *, repeat: bool = False) -> Assignment:
    """Return the assignment of one item to one member in a round, or its hidden repeat."""
    return Assignment.objects.get(round=round, member=member, item=item, repeat=repeat)


def focus_study(annotators: int = 3, items: int = 2, **options) -> Study:
    """Return a FOCUS study whose round is open."""
    made = study("focus", annotators=annotators, items=items, **options)
    open_round(made)
    return made


def cqs_study(annotators: int = 3, items: int = 1, questions: int = 3, **options) -> Study:
    """Return a CQs-Gen study whose round is open."""
    made = study("cqs_gen", annotators=annotators, items=items, questions=questions, **options)
    open_round(made)
    return made
