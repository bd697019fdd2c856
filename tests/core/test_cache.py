"""What a worker counts is asked for once, and holds until something changes."""

import threading

import pytest

from annotation.projects.change_sign import project_stamp
from annotation.projects.projects import project_edit
from core.cache import ASKED_AGAIN, Asked, BackgroundCount
from tests import factories

pytestmark = pytest.mark.django_db


def test_the_sign_of_a_project_changes_with_its_log_alone():
    made, other = factories.study(items=0), factories.study(items=0)
    before = project_stamp(made.project)
    project_edit(project=other.project, member=other.lead, name="x", licence="", languages="en", contact="")
    assert project_stamp(made.project) == before
    project_edit(project=made.project, member=made.lead, name="x", licence="", languages="en", contact="")
    assert project_stamp(made.project) != before


def test_a_count_is_asked_for_once_until_it_is_there_and_shown_as_old_after_a_change():
    count: BackgroundCount[int] = BackgroundCount("count", "1")
    assert count.last() == (None, False)
    assert (count.request_once(), count.request_once()) == (True, False)
    changed: BackgroundCount[int] = BackgroundCount("count", "2")
    assert not changed.request_once()  # the one that is under way would be overtaken by ever new ones
    assert (count.count(lambda: 7), count.count(lambda: 8)) == (7, 7)  # sent twice, counted once
    assert (count.last(), changed.last()) == ((7, True), (7, False))
    assert changed.request_once()


def test_nobody_else_is_asked_while_a_worker_counts_and_a_dead_one_is_followed_by_another(monkeypatch):
    count: BackgroundCount[int] = BackgroundCount("slow", "1")
    monkeypatch.setattr("core.jobs.BEAT_SECONDS", 0.01)
    renewed = []
    enough = threading.Event()
    renew = Asked._renew

    def noticed(asked):
        renewed.append(asked.name)
        if len(renewed) > 1:  # the first is that of the worker that begins
            enough.set()
        return renew(asked)

    def find():
        assert enough.wait(20)
        assert not count.request_once()
        return 7

    monkeypatch.setattr(Asked, "_renew", noticed)
    assert count.count(find) == 7
    assert set(renewed) == {"slow:asked"}
    assert ASKED_AGAIN == 60  # so long after the last of them another may be asked
