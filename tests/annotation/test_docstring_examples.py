"""The examples in docstrings of the pure modules are true."""

import doctest
import importlib

import pytest


@pytest.mark.parametrize(
    "module",
    [
        "codebooks.checking",
        "importing.cqs_gen",
        "importing.counted",
        "importing.excel",
        "importing.rows",
        "importing.safe_cells",
        "models.rounds",
        "protocols.texts",
    ],
)
def test_the_examples_of_a_module_hold(module):
    result = doctest.testmod(importlib.import_module(f"annotation.{module}"))
    assert result.attempted > 0
    assert result.failed == 0
