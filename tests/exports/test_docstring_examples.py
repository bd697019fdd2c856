"""The examples in docstrings of releases are true."""

import doctest
import importlib

import pytest


@pytest.mark.parametrize(
    "module",
    ["formats.longform", "front_matter", "questions", "ranges", "rewording", "shipped.score", "splits"],
)
def test_the_examples_of_a_module_hold(module):
    result = doctest.testmod(importlib.import_module(f"exports.{module}"))
    assert (result.attempted > 0, result.failed) == (True, 0)
