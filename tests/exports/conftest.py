"""Every test of releases starts with an empty storage."""

import pytest

from tests.exports.endpoint import KEY, fake_endpoint


@pytest.fixture(autouse=True)
def empty_storage(settings):
    # Setting it, even to the same value, makes Django build the storage anew.
    settings.STORAGES = dict(settings.STORAGES)


@pytest.fixture
def endpoint(settings, monkeypatch):
    """A language model that this installation names, with a key; no proxy in between."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with fake_endpoint() as running:
        settings.LLM_ENDPOINTS = [running.url]
        settings.LLM_API_KEYS = {running.url: KEY}
        yield running
