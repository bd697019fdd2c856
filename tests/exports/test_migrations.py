"""An installation with releases is upgraded: they stay as they are, and what is new is filled in."""

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction

from exports.models import Release
from tests.factories import close, focus_study, judge
from tests.factories.releases import release

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

LICENCE = "CC-BY-4.0 | own <terms> \\| more"


def kept():
    rows = Release.objects.order_by("version").values_list("version", "name", "licence", "description")
    return [tuple(row) for row in rows]


def test_a_release_from_before_keeps_the_name_the_licence_and_the_sentence_of_its_card():
    made = focus_study(annotators=2, items=1)
    judge(made, made.items[0], {})
    close(made)
    made.project.name, made.project.licence = 'Old "näme"', LICENCE
    made.project.save()
    release(made.project, "1.0")
    release(made.project, "1.1", licence="CC0-1.0")
    made.project.licence = ""
    made.project.save()
    release(made.project, "1.2")
    before = kept()
    assert [row[:3] for row in before] == [
        ("1.0", 'Old "näme"', LICENCE),
        ("1.1", 'Old "näme"', "CC0-1.0"),
        ("1.2", 'Old "näme"', ""),
    ]
    assert {row[3].partition(" (")[0] for row in before} == {
        "Arguments with the Socratic question types that can probe them"
    }
    made.project.name, made.project.licence = "New", "none"
    made.project.save()
    call_command("migrate", "exports", "0003", verbosity=0)
    call_command("migrate", verbosity=0)
    assert kept() == before
    with pytest.raises(IntegrityError, match="a release is immutable"), transaction.atomic():
        Release.objects.update(licence="CC0-1.0")
