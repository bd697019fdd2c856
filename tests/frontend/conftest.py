"""Pages are read in many languages here; each test begins and ends in English."""

import pytest
from django.utils import translation


@pytest.fixture(autouse=True)
def language_stays_here():
    """The middleware leaves the last request's language active in this thread: not for other tests."""
    with translation.override("en"):
        yield
