"""A round with judgements, and what would have been sent to a broker."""

import pytest

from agreement import tasks
from tests.factories.reports import TEXT
from tests.factories.stored import (
    open_stored,
    store_answers,
    store_items,
    store_members,
    store_project,
    store_round,
)


@pytest.fixture
def sent(monkeypatch):
    """What was sent to the broker, instead of a broker."""
    calls = []
    for task in (tasks.compute_report, tasks.compute_part, tasks.crosscheck_report):
        monkeypatch.setattr(task, "delay", lambda row_id, name=task.name: calls.append((name, row_id)))
    return calls


@pytest.fixture
def round():
    project = store_project()
    items = store_items(project, {"a": TEXT, "b": TEXT})
    members = store_members(project, ["A1", "A2"])
    made = store_round(project, list(items.values()), live_agreement=True)
    open_stored(made)
    for item in items.values():
        store_answers(made, item, members["A1"], {"OG": (0, 8), "LE": False})
        store_answers(made, item, members["A2"], {"OG": (0, 8), "LE": (20, 25)})
    return made
