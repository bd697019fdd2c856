"""Every test of releases starts with an empty storage."""

import pytest


@pytest.fixture(autouse=True)
def empty_storage(settings):
    # Setting it, even to the same value, makes Django build the storage anew.
    settings.STORAGES = dict(settings.STORAGES)
