"""Long work looks for cycles rarely, and the process looks as usual when it is over."""

import gc

import pytest

from core.gc import gc_relaxed


def test_in_the_block_a_collection_waits_for_many_more_objects():
    usual = gc.get_threshold()
    with gc_relaxed():
        assert gc.get_threshold() == (50_000, *usual[1:])
    assert gc.get_threshold() == usual


def test_an_error_leaves_the_process_as_it_was():
    usual = gc.get_threshold()
    with pytest.raises(ZeroDivisionError), gc_relaxed():
        1 / 0  # noqa: B018
    assert gc.get_threshold() == usual
