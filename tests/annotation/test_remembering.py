"""What a worker counts is asked for once, and holds until something changes."""

import pytest

from annotation.projects.change_sign import project_stamp
from annotation.projects.projects import project_edit
from core.cache import BackgroundCount
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
    count.keep(7)
    assert (count.last(), changed.last()) == ((7, True), (7, False))
    assert changed.request_once()
