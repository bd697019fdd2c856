"""A round in which every text is asked two of ten types: what is not asked may count nowhere.

The places that count units, each with its test:

| what counts | where | test |
| --- | --- | --- |
| what the database keeps: item in round, assignment, judgement, key | annotation | annotation/test_asked_types |
| preview of a draw, judgements of a round, load of the annotators | annotation, frontend | annotation/, frontend/test_asked |
| a round on the items of another | annotation | annotation/test_asked_types |
| assignment, hidden repeats, reassignment of texts and of types | annotation | annotation/test_asked_types |
| recording, workspace list and pages, None of the Above there | annotation, js | annotation/, js/units |
| progress, left, percent, time left | annotation | annotation/test_asked_types |
| key of a training round, its pages, pass mark | annotation, frontend | annotation/, frontend/test_asked |
| discussion and unit pages | annotation, frontend | annotation/, frontend/test_asked |
| screening | annotation | annotation/test_asked_types |
| imported rounds | annotation | annotation/test_asked_import |
| figures of types, groups, all; answers; annotators; queue; disputes | agreement | agreement/test_asked |
| consensus, cross tables, sample size, change between rounds, CSV, LaTeX, charts | agreement | agreement/test_asked |
| labels, None of the Above, schema, counts, card, long form, other tools | exports | exports/test_asked |
| reconciliation, changes of releases, gold questions, score.py, other tools' files | exports | exports/test_asked |
| real data: FOCUS development set | all | exports/test_focus_data |
"""

from annotation.asked_types import asked_clean, round_ask
from annotation.opening import round_open
from annotation.rounds import round_create, round_draw
from tests import factories
from tests.factories import NO, Study, yes

BY_TOPIC = {"topic 1": ["OSP", "TC"], "topic 0": ["LE", "WE"]}
"""I-1 and I-3 are of topic 1, I-2 and I-4 of topic 0."""

TEXTS = ("The library should stay open all night. Everyone's grades fell when it closed at ten.",)


def planned(*, annotators: int = 3, items: int = 4, **options) -> Study:
    """Return a study with a drawn draft round that asks two types of each text, by its topic."""
    made = factories.study("focus", annotators=annotators, items=items, texts=TEXTS)
    made.round = round_create(
        project=made.project, overlap=options.pop("overlap", annotators), member=made.lead, **options
    )
    round_ask(made.round, asked_clean({"field": "topic", "types": BY_TOPIC}, made.round), member=made.lead)
    round_draw(made.round, member=made.lead)
    return made


def opened(**options) -> Study:
    """Return the study with its round open."""
    made = planned(**options)
    round_open(made.round, members=made.annotators, by=made.lead)
    return made


def judged(**options) -> Study:
    """Return the study judged by three, the round still open.

    I-1 is no to both, I-2 yes to LE with one span, I-3 yes to OSP with two spans apart; on LE of I-4 two differ
    and the third has not answered.
    """
    made = opened(**options)
    first, second, third, fourth = made.items
    answers = {
        (first, "OSP"): [NO, NO, NO],
        (first, "TC"): [NO, NO, NO],
        (second, "LE"): [yes(second, "grades fell")] * 3,
        (second, "WE"): [NO, NO, NO],
        (third, "OSP"): [yes(third, "The library"), yes(third, "closed at ten"), NO],
        (third, "TC"): [NO, NO, NO],
        (fourth, "LE"): [yes(fourth, "grades fell"), NO, None],
        (fourth, "WE"): [NO, NO, NO],
    }
    for (item, code), given in answers.items():
        for member, answer in zip(made.annotators, given, strict=True):
            if answer is not None:
                factories.record(made.round, member, item, code, answer, active_seconds=10)
    return made
