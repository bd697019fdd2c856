"""Cells that are left unsaid cannot be worked out from what is said."""

import numpy as np
import pytest

from exports.disclosure.small_cells import hidden_cells, hidden_parts


def possible(counts, hidden):
    """Return for each hidden cell the values that it could have, given the sums of all rows and columns."""
    places = np.argwhere(hidden)
    values = [set() for _ in places]

    def fill(at, rows, columns, chosen):
        if at == len(places):
            if not rows.any() and not columns.any():
                for found, value in zip(values, chosen, strict=True):
                    found.add(value)
            return
        row, column = places[at]
        for value in range(min(rows[row], columns[column]) + 1):
            rows[row] -= value
            columns[column] -= value
            fill(at + 1, rows, columns, [*chosen, value])
            rows[row] += value
            columns[column] += value

    fill(0, (counts * hidden).sum(axis=1), (counts * hidden).sum(axis=0), [])
    return zip(map(tuple, places), values, strict=True)


@pytest.mark.parametrize("seed", range(5))
def test_no_small_count_follows_from_the_sums(seed):
    rng = np.random.default_rng(seed)
    tried = 0
    for _ in range(40):
        counts = rng.poisson(3, (rng.integers(1, 4), rng.integers(1, 4)))
        hidden = hidden_cells(counts, 3)
        assert hidden[(counts > 0) & (counts < 3)].all()
        if hidden.all():
            continue
        for place, values in possible(counts, hidden):
            if 0 < counts[place] < 3:
                tried += 1
                assert len(values) > 1, (counts, hidden, place)
    assert tried


def test_what_is_large_enough_is_told_and_so_is_nothing():
    assert not hidden_cells([[9, 8], [7, 0]], 5).any()
    assert hidden_cells([[9, 1]], 5).all()
    assert not hidden_cells(np.zeros((0, 3)), 5).any()


def test_cells_that_are_hidden_anyway_protect_others():
    also = np.array([[True, False, False]] * 2)
    hidden = hidden_cells([[6, 2, 9], [7, 8, 9]], 5, also=also)
    assert hidden[0].tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("items", "hidden"),
    [
        ([2, 30, 9], [True, False, True]),
        ([2, 3, 9], [True, True, False]),
        ([1, 1, 9, 9], [True, True, True, False]),
        ([2], [True]),
        ([0, 9], [False, False]),
        ([], []),
    ],
)
def test_of_the_parts_of_a_whole_as_many_are_hidden_as_it_takes(items, hidden):
    assert hidden_parts(items, 5).tolist() == hidden
