"""Judges are asked of one fake model, and nobody waits for the pauses in between."""

import pytest

from scoring.systems import judging
from tests.exports.conftest import endpoint
from tests.exports.endpoint import Clock

__all__ = ["endpoint", "judge_endpoint"]


@pytest.fixture
def judge_endpoint(endpoint, monkeypatch):
    """The fake model that this installation names; the clock of who asks it is stopped."""
    clock = Clock()
    monkeypatch.setattr(judging, "Timing", lambda: clock.timing)
    return endpoint
