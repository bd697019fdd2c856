"""The demo's projects are there after loading, once, and as the files have them."""

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from annotation.models import Project, QuestionAnnotation, Round, TypeAnnotation

pytestmark = pytest.mark.django_db


def test_loading_twice_makes_two_projects_with_a_closed_and_an_open_round_each():
    call_command("load_sample", verbosity=0)
    call_command("load_sample", verbosity=0)
    assert [project.slug for project in Project.objects.order_by("slug")] == ["sample-cqs", "sample-focus"]
    assert sorted(Round.objects.values_list("project__slug", "name", "status")) == [
        ("sample-cqs", "Round 1", "closed"),
        ("sample-cqs", "Round 2", "open"),
        ("sample-focus", "Round 1", "closed"),
        ("sample-focus", "Round 2", "open"),
        ("sample-focus", "Training", "open"),
    ]
    assert TypeAnnotation.objects.count() == 478
    assert QuestionAnnotation.objects.count() == 163
    assert TypeAnnotation.objects.filter(cannot_judge=True).count() == 1


def test_the_sample_log_ins_stay_out_of_production(settings):
    settings.SAMPLE_LOGINS_ALLOWED = False
    with pytest.raises(CommandError, match="only in the embedded mode"):
        call_command("load_sample")
    assert not Project.objects.exists()
