"""A database of the first tag is upgraded with its data: through each migration since, on either database."""

import pytest
from django.core.management import call_command
from django.db import connection

from annotation.models import AnnotationEvent
from core.backups.archive import Tally
from core.backups.tables import MADE_BY_MIGRATE, table_lines, tables_kept
from exports.models import Release
from exports.releases.storage import write_release
from tests import factories
from tests.annotation.database import missing_triggers, refused
from tests.factories.releases import release

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

FIRST_TAG = (
    ("scoring", "zero"),
    ("exports", "0004_release_reference"),
    ("agreement", "0003_disputed_votes_index"),
    ("annotation", "0011_draft_work"),
)
"""The last migration of each app in version 0.1.0."""


def digests() -> dict[str, tuple[int, str]]:
    found = {}
    for table in tables_kept():
        tally = Tally()
        for lines in table_lines(table, "default"):
            tally.add(lines)
        found[table.name] = (tally.lines, tally.sha256)
    return {name: found[name] for name in found if name not in MADE_BY_MIGRATE}


def test_what_the_first_tag_stored_is_there_after_the_upgrade(tmp_path):
    made = factories.study("focus", items=2, annotators=2)
    factories.open_round(made)
    for member in made.annotators:
        factories.record(made.round, member, made.items[0], "LE", factories.yes(made.items[0], "library"))
    factories.close(made)
    release(made.project, "1.0")
    questions = factories.cqs_study()
    question = questions.items[0].questions.first()
    factories.record(questions.round, questions.annotators[0], questions.items[0], question, {"label": "USE"})
    before = digests()
    for app, migration in FIRST_TAG:
        call_command("migrate", app, migration, verbosity=0)
    tables = connection.introspection.table_names()
    assert not {"scoring_system", "annotation_accountname", "annotation_backup"} & {*tables}
    call_command("migrate", verbosity=0)
    after = digests()
    # What anybody may see of a release is a column of later versions.
    assert {name for name in before if before[name] != after[name]} == {"exports_release"}
    assert before["annotation_annotationevent"][0] == 3
    assert missing_triggers() == set()
    assert "append-only" in refused(lambda: AnnotationEvent.objects.update(revision=9))
    factories.record(questions.round, questions.annotators[1], questions.items[0], question, {"label": "USE"})
    assert questions.round.progress.get(member=questions.annotators[1]).judgements == 1
    assert "focus.json" in write_release(Release.objects.get(), tmp_path / "release")
