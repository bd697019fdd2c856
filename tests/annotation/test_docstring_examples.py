"""The examples in docstrings of the pure modules are true."""

import doctest
import importlib

import pytest


@pytest.mark.parametrize(
    "module",
    [
        "annotation.codebooks.toml_document",
        "annotation.importing.formats.cqs_gen",
        "annotation.importing.files.rows",
        "annotation.importing.files.excel",
        "core.csv_safety",
        "annotation.models.rounds",
        "core.texts",
    ],
)
def test_the_examples_of_a_module_hold(module):
    result = doctest.testmod(importlib.import_module(module))
    assert result.attempted > 0
    assert result.failed == 0
