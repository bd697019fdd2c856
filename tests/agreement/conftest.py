"""A round with judgements, and what would have been sent to a broker."""

import pytest

from agreement import tasks
from tests.agreement.builders import (
    items_make,
    members_make,
    project_make,
    round_make,
    round_open,
    type_judge,
)
from tests.agreement.reports import TEXT


@pytest.fixture
def sent(monkeypatch):
    """What was sent to the broker, instead of a broker."""
    calls = []
    for task in (tasks.compute_report, tasks.compute_part, tasks.crosscheck_report):
        monkeypatch.setattr(task, "delay", lambda row_id, name=task.name: calls.append((name, row_id)))
    return calls


@pytest.fixture
def round():
    project = project_make()
    items = items_make(project, {"a": TEXT, "b": TEXT})
    members = members_make(project, ["A1", "A2"])
    made = round_make(project, list(items.values()), live_agreement=True)
    round_open(made)
    for item in items.values():
        type_judge(made, item, members["A1"], {"OG": (0, 8), "LE": False})
        type_judge(made, item, members["A2"], {"OG": (0, 8), "LE": (20, 25)})
    return made
