"""Rounds of a study: drawn, open, closed."""

from annotation.models import Assignment, Item, MatchReference, Membership, Question, Round
from annotation.rounds.lifecycle import round_close, round_create, round_draw
from annotation.rounds.matching import Candidate, MatchItem, matching_round_create
from annotation.rounds.opening import round_open
from tests.factories.projects import QUESTIONS, Study, study


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


def matching_study(*, annotators: int = 2, **options) -> Study:
    """Create a study of two interventions and open a matching round on them.

    Of the first item the round offers all three questions as references of three candidates, but not its
    first one (place 0) for the second candidate; of the second item there is one candidate.
    """
    made = study("cqs_gen", items=2, annotators=annotators)
    asked = ("Was it the weather?", "Who pays for barriers?", "Is a river road like a high street?")
    made.round, _ = matching_round_create(
        project=made.project,
        items=[
            MatchItem(
                made.items[0].pk,
                QUESTIONS,
                [Candidate(asked[0]), Candidate(asked[1], frozenset([0])), Candidate(asked[2])],
            ),
            MatchItem(made.items[1].pk, QUESTIONS[:1], [Candidate(asked[0])]),
        ],
        digest="0" * 64,
        overlap=annotators,
        by=made.lead,
        **options,
    )
    round_open(made.round, members=made.annotators, by=made.lead)
    return made


def candidate_of(made: Study, text: str, item: int = 0) -> Question:
    """Return the candidate question with these words."""
    return made.items[item].questions.get(text=text, candidate=True)


def reference_of(made: Study, place: int, item: int = 0) -> MatchReference:
    """Return the reference at a place of its file."""
    return made.round.match_references.get(item=made.items[item], place=place)
