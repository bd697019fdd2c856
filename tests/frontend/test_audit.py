"""The log says who did what when, filtered, and as CSV; never what anybody judged."""

import csv
import io
from datetime import datetime

import pytest

from annotation.models import ProjectEvent
from annotation.rounds.lifecycle import round_close
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    made = factories.study("focus", annotators=2, items=1, slug="s")
    factories.open_round(made, name="Pilot")
    return made


def actions(client, **asked) -> list[str]:
    return [event.action for event in client.get("/p/s/log/", asked).context["page"]]


def test_the_newest_comes_first_and_filters_leave_what_was_asked(lead_client, study):
    round_close(study.round, by=study.lead)
    assert actions(lead_client)[:2] == ["round closed", "round opened"]
    assert actions(lead_client, action="items drawn") == ["items drawn"]
    assert actions(lead_client, who="A9") == []
    assert actions(lead_client, until="2000-01-01") == []
    assert actions(lead_client, since="nonsense")[0] == "round closed"


def test_no_judgement_is_in_the_log(lead_client, study):
    answer = factories.yes(study.items[0], "library", comment="my secret thought")
    factories.record(study.round, study.annotators[0], study.items[0], "LE", answer)
    page = lead_client.get("/p/s/log/").content.decode()
    assert "secret" not in page and "library" not in page


def test_the_csv_has_the_same_events_safe_for_spreadsheets(lead_client, study):
    ProjectEvent.objects.create(project=study.project, member=study.lead, action="=1+1", details={"a": "ü"})
    response = lead_client.get("/p/s/log.csv")
    content = b"".join(response.streaming_content)
    assert content.startswith(b"\xef\xbb\xbf")  # Excel on Windows needs it
    rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))
    assert rows[0] == ["when", "who", "action", "details"]
    assert rows[1][1:] == ["A1", "'=1+1", '{"a": "ü"}']
    assert len(rows) == 1 + study.project.events.count()
    filtered = lead_client.get("/p/s/log.csv", {"action": "round opened"})
    assert len(b"".join(filtered.streaming_content).decode().splitlines()) == 2


def test_events_of_other_projects_do_not_show(lead_client, study):
    factories.study("focus", slug="other")
    assert "study" not in " ".join(actions(lead_client))
    assert len(actions(lead_client)) == study.project.events.count()


def test_times_outside_pages_have_their_offset(lead_client, settings):
    """What a program reads is ISO 8601 with its offset."""
    settings.TIME_ZONE = "Asia/Kolkata"
    made = factories.study("focus", annotators=2, items=2, slug="zoned")
    factories.open_round(made)
    told = b"".join(lead_client.get("/p/zoned/log.csv")).decode().splitlines()[1].split(",")[0]
    opened = lead_client.get("/api/projects/zoned/rounds/1/").json()["opened_at"]
    for time in (told, opened):
        assert datetime.fromisoformat(time).utcoffset() is not None, time
