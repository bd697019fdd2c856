"""An installation with data is upgraded: tables are rebuilt, data stays, and the rules hold again."""

import pytest
from django.core.management import call_command
from django.db import connection

from annotation.models import AnnotationEvent
from tests.annotation.database import missing_triggers, refused
from tests.factories import NO, open_round, record, study

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


def test_migrating_back_and_forth_keeps_the_data_and_the_triggers():
    made = study(items=1, annotators=2)
    open_round(made)
    record(made.round, made.annotators[0], made.items[0], "LE", NO)
    call_command("migrate", "annotation", "0002", verbosity=0)
    assert "annotation_keyanswer" not in connection.introspection.table_names()
    call_command("migrate", verbosity=0)
    assert AnnotationEvent.objects.count() == 1
    assert "append-only" in refused(lambda: AnnotationEvent.objects.update(revision=9))
    assert missing_triggers() == set()
