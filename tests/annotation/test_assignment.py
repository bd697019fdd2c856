"""Drawing and sharing out: exact overlap, balanced loads, the same for the same seed."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.rounds.assignment import (
    REPEAT_DISTANCE,
    Candidate,
    draw_items,
    draw_strata,
    order_for,
    share_out,
    with_repeats,
)


@given(st.integers(0, 60), st.integers(1, 9), st.data(), st.integers(-(2**40), 2**40))
def test_every_item_has_exactly_the_overlap_and_loads_differ_by_at_most_one(n_items, n_members, data, seed):
    overlap = data.draw(st.integers(1, n_members))
    shares = share_out(n_items, n_members, overlap=overlap, seed=seed)
    assert len(shares) == n_items
    assert all(len(set(chosen)) == overlap for chosen in shares)
    loads = Counter(member for chosen in shares for member in chosen)
    assert max(loads.values(), default=0) - min((loads[m] for m in range(n_members)), default=0) <= 1
    assert shares == share_out(n_items, n_members, overlap=overlap, seed=seed)


def test_another_seed_shares_out_otherwise():
    assert share_out(20, 5, overlap=2, seed=1) != share_out(20, 5, overlap=2, seed=2)


def test_an_overlap_above_the_number_of_annotators_is_refused():
    with pytest.raises(ValueError, match="an overlap of 4 needs as many annotators; taking part: 3"):
        share_out(5, 3, overlap=4, seed=0)


CANDIDATES = [Candidate(key, stratum="ab"[key % 4 == 0], questions=key % 3) for key in range(40)]


def test_a_sample_is_random_without_repeats_and_reproducible():
    drawn = draw_items(CANDIDATES, size=10, questions=None, stratified=False, seed=5)
    assert len(set(drawn)) == 10
    assert drawn == draw_items(CANDIDATES, size=10, questions=None, stratified=False, seed=5)
    assert drawn != draw_items(CANDIDATES, size=10, questions=None, stratified=False, seed=6)


def test_a_stratified_sample_keeps_the_shares():
    drawn = draw_items(CANDIDATES, size=20, questions=None, stratified=True, seed=5)
    assert Counter("ab"[key % 4 == 0] for key in drawn) == {"a": 15, "b": 5}


def test_a_seed_draws_what_it_drew_in_every_version():
    """What a published protocol gives as its seed draws the same items again."""
    of_seven = {"size": 7, "questions": None, "seed": 5}
    assert draw_items(CANDIDATES, stratified=False, **of_seven) == [39, 16, 22, 33, 1, 29, 15]
    assert draw_items(CANDIDATES, stratified=True, **of_seven) == [26, 11, 20, 31, 15, 34, 16]
    by_questions = draw_items(CANDIDATES, size=None, questions=9, stratified=True, seed=5)
    assert by_questions == [26, 11, 20, 31, 15, 34, 16]


def sampled_whole(strata: dict[str, list[int]], size: int, seed: int) -> list[int]:
    """Draw as it was first written: shuffle every stratum, place all of its members, take the first."""
    random = Random(seed)
    placed = []
    for stratum in sorted(strata):
        members = strata[stratum]
        for index, member in enumerate(random.sample(members, len(members))):
            placed.append(((index + 0.5) / len(members), random.random(), member))
    return [member for _, _, member in sorted(placed)[:size]]


@given(
    st.dictionaries(st.text(max_size=3), st.integers(1, 140), min_size=1, max_size=6),
    st.floats(0, 1),
    st.integers(-(2**40), 2**40),
)
def test_a_stratified_sample_is_the_beginning_of_all_strata_shuffled(sizes, share, seed):
    first, strata = 0, {}
    for name, n in sizes.items():
        strata[name] = list(range(first, first + n))
        first += n
    size = int(share * first)
    assert draw_strata(strata, size=size, seed=seed) == sampled_whole(strata, size, seed)


def test_items_are_added_until_the_questions_are_reached():
    drawn = draw_items(CANDIDATES, size=None, questions=15, stratified=False, seed=5)
    counts = [key % 3 for key in drawn]
    assert sum(counts) >= 15 > sum(counts[:-1])


def test_all_are_drawn_in_order_where_no_size_is_given():
    assert draw_items(CANDIDATES, size=None, questions=None, stratified=False, seed=5) == list(range(40))


@pytest.mark.parametrize("asked", [{"size": 41, "questions": None}, {"size": None, "questions": 1000}])
def test_more_than_there_is_cannot_be_drawn(asked):
    with pytest.raises(ValueError, match="asked for, "):
        draw_items(CANDIDATES, stratified=False, seed=5, **asked)


def test_each_member_meets_the_items_in_an_order_of_their_own():
    plain = order_for(30, shuffled=False, seed=1, member=0)
    first = order_for(30, shuffled=True, seed=1, member=0)
    second = order_for(30, shuffled=True, seed=1, member=1)
    assert plain == list(range(30)) == sorted(first) == sorted(second)
    assert first != second
    assert first == order_for(30, shuffled=True, seed=1, member=0)


@given(st.integers(0, 40), st.integers(0, 40), st.integers(-(2**40), 2**40), st.integers(0, 5))
def test_repeats_come_once_and_far_after_the_first_and_leave_the_order_as_it_was(n, repeats, seed, member):
    order = list(range(n))[::-1]
    met = with_repeats(order, repeats=repeats, seed=seed, member=member)
    assert [text for text, repeat in met if not repeat] == order
    again = [place for place, (_, repeat) in enumerate(met) if repeat]
    assert len(again) == min(repeats, max(n - REPEAT_DISTANCE, 0))
    assert all(count <= 2 for count in Counter(text for text, _ in met).values())
    for place in again:
        first = met.index((met[place][0], False))
        between = {text for text, _ in met[first + 1 : place]}
        assert len(between) >= REPEAT_DISTANCE
    assert met == with_repeats(order, repeats=repeats, seed=seed, member=member)


def test_another_seed_or_member_repeats_others():
    found = {
        tuple(text for text, repeat in with_repeats(range(40), repeats=5, seed=seed, member=member) if repeat)
        for seed, member in ((1, 0), (2, 0), (1, 1))
    }
    assert len(found) == 3
