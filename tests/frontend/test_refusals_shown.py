"""What a use case refuses stands beside the fields of the forms that asked for it."""

import pytest
from django import forms

from core.errors import Refused
from frontend.pages.common import show_refusal
from tests import factories
from tests.pages import html_of


class Files(forms.Form):
    asked_as = {"files": "runs", "release": "place", "split": "place"}

    runs = forms.CharField()
    place = forms.CharField()


class Named(forms.Form):
    name = forms.CharField()
    place = forms.CharField()


def shown(refusal, **given):
    files, named = Files(given), Named(given)
    show_refusal(refusal, files, named)
    return dict(files.errors), dict(named.errors)


FILLED = {"runs": "r", "place": "p", "name": "n"}


def test_a_field_that_a_form_calls_otherwise_has_all_that_is_said_of_it():
    refusal = Refused(
        "invalid", "All.", errors={"release": "Not built.", "split": "None such.", "files": "Same."}
    )
    assert shown(refusal, **FILLED) == (
        {"place": ["Not built.", "None such."], "runs": ["Same."]},
        {},
    )


def test_what_belongs_to_no_field_stands_above_beside_what_does():
    refusal = Refused("invalid", "All.", errors={"name": "Taken.", "colour": "No such colour."})
    assert shown(refusal, **FILLED) == ({"__all__": ["No such colour."]}, {"name": ["Taken."]})
    assert shown(Refused("invalid", "All."), **FILLED) == ({"__all__": ["All."]}, {})
    assert shown(Refused("invalid", "All.", errors={"colour": "No."}), **FILLED) == (
        {"__all__": ["All."]},
        {},
    )


def test_a_field_that_says_something_already_is_left_so_and_nothing_is_said_twice():
    refusal = Refused("invalid", "All.", errors={"name": "Give it a name.", "place": "None such."})
    files, named = shown(refusal, runs="r", place="p")
    assert files == {"place": ["None such."]}
    assert named == {"name": ["This field is required."], "place": ["None such."]}


@pytest.mark.django_db
def test_a_description_of_a_system_that_is_refused_is_told_so_where_no_field_is_at_fault(
    lead_client, monkeypatch
):
    made = factories.study("cqs_gen", items=1, annotators=0, slug="s")
    system = made.project.systems.create(name="Parrot", name_key="parrot")

    def refuse(**_):
        raise Refused("not_ready", "The project is archived.")

    monkeypatch.setattr("frontend.pages.systems.systems.system_edit", refuse)
    page = lead_client.post(f"/p/s/systems/{system.pk}/", {"description": "x", "link": ""})
    assert "The project is archived." in html_of(page)
