"""Studies with an open round, one for each protocol."""

import pytest

from tests.factories import Study, open_round, study


@pytest.fixture
def focus(db) -> Study:
    made = study(items=2, annotators=2)
    open_round(made)
    return made


@pytest.fixture
def cqs(db) -> Study:
    made = study("cqs_gen", items=2, annotators=2)
    open_round(made)
    return made
