"""Names from A1 are for who annotates: leads take one when they are first given something to annotate."""

import json

import pytest
from django.core.management import call_command

from annotation.importing.judgements import judgements_import
from annotation.models import Membership
from annotation.projects.projects import member_add, project_create
from annotation.rounds.lifecycle import round_create, round_draw
from annotation.rounds.opening import round_open
from tests.factories import add_items, user

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    made = project_create(slug="p", codebook="focus", user=user("lea"))
    add_items(made, 2)
    return made


def names(project):
    return list(project.memberships.order_by("id").values_list("pseudonym", flat=True))


def write(path, *annotators):
    rows = [{"item": "I-1", "annotator": name, "type": "LE", "applicable": "no"} for name in annotators]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_imported_annotators_keep_the_names_they_have_in_the_paper(project, tmp_path, capsys):
    call_command("import_judgements", "p", write(tmp_path / "j.jsonl", "A1", "A2", "Mona"), "--round", "R")
    assert names(project) == ["L1", "A1", "A2", "A3"]
    assert "Annotators: A1 is A1, A2 is A2, Mona is A3." in capsys.readouterr().out


def test_a_report_of_an_import_says_who_is_who_also_the_second_time(project, tmp_path):
    for _ in range(2):
        report = judgements_import(
            project=project, path=write(tmp_path / "j.jsonl", "Mona", "A1"), round_name="R", dry_run=False
        )
    assert report.changed is False
    more = write(tmp_path / "k.jsonl", "Mona", "Nora")
    report = judgements_import(project=project, path=more, round_name="S")
    assert report.people == {"Mona": "A2", "Nora": "A3"}


def test_a_lead_who_annotates_takes_the_next_free_name_when_a_round_opens(project):
    lead = Membership.objects.get()
    lead.is_annotator = True
    lead.save()
    ann = member_add(project=project, user=user("ann"))
    second = member_add(project=project, user=user("olu"), is_lead=True, is_annotator=False)
    assert names(project) == ["L1", "A1", "L2"]
    round = round_create(project=project, overlap=2, member=lead)
    round_draw(round, member=lead)
    round_open(round, members=[lead, ann], by=lead)
    assert names(project) == ["A2", "A1", "L2"]
    assert project.events.get(action="round opened").details["annotators"] == ["A2", "A1"]
    other = round_create(project=project, overlap=1, member=lead)
    round_draw(other, member=lead)
    round_open(other, members=[lead], by=lead)
    assert names(project) == ["A2", "A1", second.pseudonym]
