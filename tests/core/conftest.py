"""What tests of backups share."""

import pytest
from django.contrib.sessions.models import Session
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone

from annotation.models import Item, Project
from tests import factories
from tests.factories import NO, record, yes


@pytest.fixture
def filled():
    """Studies of both protocols with judgements, a file, and values that databases store differently."""
    made = factories.study("focus", items=2, annotators=2)
    factories.open_round(made)
    record(made.round, made.annotators[0], made.items[0], "LE", NO)
    record(made.round, made.annotators[1], made.items[0], "LE", yes(made.items[0], "library"))
    questions = factories.cqs_study()
    record(
        questions.round,
        questions.annotators[0],
        questions.items[0],
        questions.items[0].questions.first(),
        {"label": "USE"},
    )
    Item.objects.filter(pk=made.items[1].pk).update(
        metadata={"z": 1, "a": {"long": 1e16, "small": -0.0, "n": 10**20}, "zz": '日本\n"x"'}
    )
    Project.objects.filter(pk=made.project.pk).update(
        created_at=timezone.datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.get_fixed_timezone(60))
    )
    Session.objects.create(session_key="k", session_data="secret", expire_date=timezone.now())
    default_storage.save("uploads/2026/a.csv", ContentFile(b"id,text\n1,x\n"))
    return made
