"""A round in which every text is asked two of ten types: what is not asked may count nowhere.

The places that count units, by the module below tests/ that tries them:

- annotation/test_asked_types: the database's rules (item in the round, assignment, judgement, key);
  preview of a draw, judgements of a round, a round on the items of another; assignment, hidden repeats,
  reassigning texts and types; recording, the workspace's list, pages and total; progress, left, percent,
  time left; the key of a training round and its pass mark; discussion; screening.
- annotation/test_asked_import: imported rounds, new and growing.
- js/units.test.js: order, gaps and None of the Above in the workspace, and what is kept for working
  offline.
- frontend/test_asked_types: the pages and the API that choose and count it: planning, drawing, opening
  (load), key, round, closing, unit, import.
- agreement/test_asked_types: figures of types, groups and all; shares of answers; annotators; cross tables;
  queue, disputes and lists of units; consensus spans; sample size; change between rounds; CSV, LaTeX,
  charts.
- exports/test_asked_types: labels, undecided, None of the Above, schema, counts, card, long form, other
  tools' files, preview, gold questions, pooled rounds, score.py, differences between releases.
- exports/test_focus_data: the published FOCUS data.
"""

from annotation.rounds.asked_types import clean_asked, round_ask
from annotation.rounds.lifecycle import round_create, round_draw
from annotation.rounds.opening import round_open
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
    round_ask(made.round, clean_asked({"field": "topic", "types": BY_TOPIC}, made.round), member=made.lead)
    round_draw(made.round, member=made.lead)
    return made


def opened(**options) -> Study:
    """Return the study with its round open."""
    made = planned(**options)
    round_open(made.round, members=made.annotators, by=made.lead)
    return made


def judged(**options) -> Study:
    """Return the study judged by three, the round still open.

    I-1 is no to both, I-2 yes to LE with one span, I-3 yes to OSP with two spans apart; on LE of I-4 two
    differ and the third has not answered.
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
