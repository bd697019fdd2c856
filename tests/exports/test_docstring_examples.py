"""The examples in docstrings of releases are true."""

import doctest
import importlib

import pytest


@pytest.mark.parametrize(
    "module",
    [
        "exports.formats.longform",
        "exports.documentation.front_matter",
        "annotation.codebooks.exemplar_questions",
        "assist.asking.prompts",
        "assist.candidates.scheme_file",
        "assist.candidates.schemes",
        "assist.reading.model_answers",
        "assist.runs.budget",
        "exports.releases.http_range",
        "exports.refinement.prompt",
        "exports.shipped.score",
        "exports.selection.splits",
    ],
)
def test_the_examples_of_a_module_hold(module):
    result = doctest.testmod(importlib.import_module(module))
    assert (result.attempted > 0, result.failed) == (True, 0)
