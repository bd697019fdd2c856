"""The context filter: who looks at what, blind to it, and how good it is by that."""

import pytest

from annotation.models import RoundItem
from annotation.rounds.lifecycle import round_close
from annotation.rounds.opening import round_open
from assist.filtering.checking import context_check_figures, context_check_make
from assist.filtering.context import examples_drawn
from assist.filtering.sampled import Sampled, filter_figures
from core.errors import Refused
from tests.assist.asking import asked
from tests.exports.endpoint import saying
from tests.factories import record, study

pytestmark = pytest.mark.django_db

YES, NO = {"applicable": True}, {"applicable": False}


@pytest.fixture
def made():
    texts = tuple(f"Text {n} is {'whole' if n < 8 else 'broken'}." for n in range(20))
    return study("context_sufficiency", annotators=2, items=20, texts=texts, slug="s")


@pytest.fixture
def run(made, endpoint):
    endpoint.otherwise = lambda one: saying("no" if "broken.\n\nAnswer" in one.prompt else "yes")
    return asked(made, endpoint)


def test_the_sample_has_so_many_passed_and_a_share_of_the_refused_and_the_round_tells_neither(made, run):
    check = context_check_make(run=run, passed=5, share=0.25, seed=1, by=made.lead)
    assert (len(check.passed), len(check.refused), check.passed_total, check.refused_total) == (5, 3, 8, 12)
    drawn = check.round
    assert (drawn.overlap, drawn.type_codes, drawn.status, drawn.shuffled) == (2, ("CTX",), "draft", True)
    names = set(RoundItem.objects.filter(round=drawn).values_list("item__external_id", flat=True))
    assert names == {*check.passed, *check.refused}
    again = context_check_make(run=run, passed=5, share=0.25, seed=1, by=made.lead)
    assert (again.passed, again.refused, again.round.name) == (check.passed, check.refused, "Context check 2")


def test_what_people_say_weighs_a_refused_text_by_those_it_stands_for(made, run):
    check = context_check_make(run=run, passed=4, share=0.25, seed=1, by=made.lead)
    round = check.round
    round_open(round, members=made.annotators, by=made.lead)
    assert context_check_figures(check) is None
    said = dict.fromkeys(check.passed[:3], YES) | {check.refused[0]: YES}
    for item in made.items:
        if item.external_id in {*check.passed, *check.refused}:
            for member in made.annotators:
                record(round, member, item, "CTX", said.get(item.external_id, NO))
    round_close(round)
    check.refresh_from_db()
    figures = context_check_figures(check)
    assert (figures.passed, figures.refused) == (Sampled(8, 3, 1), Sampled(12, 1, 2))
    assert figures.precision.value == 0.75
    assert figures.recall.value == pytest.approx(6 / (6 + 4))
    assert figures.recall.low < 0.6 < figures.recall.high
    drawn = examples_drawn(made.project, n=2, seed=4)
    assert sorted(example["answer"] for example in drawn) == ["no", "no", "yes", "yes"]
    assert examples_drawn(made.project, n=2, seed=4) == drawn


def test_figures_that_nothing_supports_are_undefined_with_a_reason():
    assert filter_figures(Sampled(5, 0, 0, 5), Sampled(3, 1, 1)).precision.reason == (
        "nothing that passed was judged"
    )
    assert filter_figures(Sampled(5, 3, 2), Sampled(3, 0, 0, 1)).recall.reason == "nothing refused was judged"
    assert filter_figures(Sampled(5, 0, 5), Sampled(3, 0, 3)).recall.reason == "nothing is sufficient"
    assert filter_figures(Sampled(5, 4, 1), Sampled(0, 0, 0)).recall.value == 1


def test_the_intervals_hold_the_truth_as_often_as_they_say():
    """A filter of precision 0.8 and recall 0.8 over 2,000 texts, sampled 200 times with a fixed seed."""
    import numpy as np

    rng = np.random.default_rng(3)
    held = [0, 0]
    for seed in range(200):
        passed, refused = rng.hypergeometric(800, 200, 100), rng.hypergeometric(200, 800, 100)
        kinds = [Sampled(1000, int(yes), 100 - int(yes)) for yes in (passed, refused)]
        figures = filter_figures(*kinds, seed=seed)
        held[0] += figures.precision.low <= 0.8 <= figures.precision.high
        held[1] += figures.recall.low <= 0.8 <= figures.recall.high
    assert min(held) >= 185, held


@pytest.mark.parametrize(
    ("given", "field"), [({"passed": 0}, "passed"), ({"passed": 1, "share": 0}, "share")]
)
def test_numbers_that_draw_nothing_are_refused(run, given, field):
    with pytest.raises(Refused) as refusal:
        context_check_make(run=run, **given)
    assert list(refusal.value.errors) == [field]


def test_a_project_without_the_criterion_says_where_people_judge_it(endpoint):
    made = study("focus", annotators=1, items=1)
    endpoint.otherwise = saying("yes")
    with pytest.raises(Refused, match="context_sufficiency"):
        context_check_make(run=asked(made, endpoint), passed=1)
