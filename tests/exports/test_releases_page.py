"""Leads choose, preview, build and download releases in the browser."""

from datetime import timedelta

import pytest
from django.utils import timezone

from core.jobs import LEASE
from exports import tasks
from exports.models import Release
from tests import factories
from tests.conftest import client_of
from tests.factories import USEFUL, adjudicate, close, cqs_study, focus_study, judge, judge_question
from tests.factories.releases import release

pytestmark = pytest.mark.django_db

CHOICES = {
    "version": "1.0",
    "rounds": ["Round 1"],
    "split_by": "field",
    "split_sizes": "",
    "seed": "0",
    "withheld": "",
    "judgements": "on",
    "agreement": "on",
}


@pytest.fixture
def made():
    made = focus_study(annotators=2, items=2, slug="s")
    for item, split in zip(made.items, ("train", "test"), strict=True):
        judge(made, item, {})
        item.split = split
        item.save()
    close(made)
    return made


def text(response):
    return " ".join(response.content.decode().split())


@pytest.fixture
def worker(monkeypatch):
    monkeypatch.setattr(tasks.build_release, "delay", tasks.build_release)


def test_a_preview_counts_what_would_be_in_it_and_builds_nothing(made, lead_client):
    adjudicate(made, made.items[0], "WE", False)
    factories.add_items(made.project, 1)
    page = text(lead_client.post("/p/s/releases/", {**CHOICES, "act": "preview"}))
    for words in (
        "<b>2</b> items",
        "<b>40</b> judgements · 2 annotators",
        "<b>1</b> unit decided by a lead",
        "<b>1</b> in test",
        "<b>1</b> in train",
        "1 item of the project is in none of these rounds",
    ):
        assert words in page
    assert not Release.objects.exists()


def test_building_leads_to_the_release_with_its_counts_and_files(
    made, lead_client, worker, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        asked = lead_client.post("/p/s/releases/", {**CHOICES, "act": "build", "licence": "CC-BY-4.0"})
    assert asked["Location"] == "/p/s/releases/1.0/"
    page = text(lead_client.get("/p/s/releases/1.0/"))
    assert "<b>2</b> released items" in page
    assert "/api/projects/s/releases/1.0/files/focus.train.json" in page
    assert "/api/projects/s/releases/1.0/files/s-1.0.zip" in page
    assert Release.objects.get().parameters["rounds"] is None
    assert "- Licence: CC-BY-4.0" in Release.objects.get().card
    assert "1.0</a>" in text(lead_client.get("/p/s/releases/"))


def test_some_of_the_rounds_are_named_all_of_them_are_not(made, lead_client):
    factories.open_round(made)
    close(made)
    lead_client.post("/p/s/releases/", {**CHOICES, "act": "build"})
    assert Release.objects.get().parameters["rounds"] == ["Round 1"]


def test_a_wrong_choice_is_shown_beside_its_field(made, lead_client):
    page = text(lead_client.post("/p/s/releases/", {**CHOICES, "withheld": "dev", "act": "build"}))
    assert "there is no split &#x27;dev&#x27;" in page
    page = text(lead_client.post("/p/s/releases/", {**CHOICES, "split_by": "seed", "split_sizes": "x"}))
    assert "is not NAME=SIZE" in page
    assert not Release.objects.exists()


def beside(response, name):
    """Return what stands under a field as its problem."""
    return text(response).partition(f'id="id_{name}_problem">')[2].partition("</div>")[0]


def test_a_version_of_other_judgements_is_refused_beside_the_version(made, lead_client):
    release(made.project)
    page = lead_client.post("/p/s/releases/", {**CHOICES, "comments": "on", "act": "build"})
    assert "give this one a new version" in beside(page, "version")
    # Counts asked for as the page loads would wipe out what a refused building said.
    assert 'hx-trigger="input' in text(page)
    assert 'hx-trigger="load, input' in text(lead_client.get("/p/s/releases/"))


@pytest.mark.parametrize("version", ["..", "1 0", "1/0", "٣", "-1", "v" * 41, ""])
def test_a_version_that_is_no_name_of_a_folder_is_refused_beside_the_version(made, lead_client, version):
    page = lead_client.post("/p/s/releases/", {**CHOICES, "version": version, "act": "build"})
    assert "errorlist" in beside(page, "version")
    assert not Release.objects.exists()


def test_counts_are_shown_before_the_release_has_a_name(made, lead_client):
    page = lead_client.post("/p/s/releases/", {**CHOICES, "version": "", "act": "preview"})
    assert beside(page, "version") == ""
    assert "<b>2</b> items" in text(page)


def test_choices_that_cannot_be_are_named_beside_the_counts_with_the_way_to_their_field(made, lead_client):
    page = text(lead_client.post("/p/s/releases/", {**CHOICES, "withheld": "dev", "act": "preview"}))
    assert '<a href="#id_withheld">Withhold the labels of</a>: there is no split &#x27;dev&#x27;' in page


def test_a_split_with_a_comma_in_its_name_can_be_withheld_and_stays_withheld(made, lead_client):
    for item, topic in zip(made.items, ("Race, Ethnicity", "Parks"), strict=True):
        item.topic = topic
        item.save()
    choices = {**CHOICES, "split_by": "topic", "withheld": "Race, Ethnicity;", "act": "build"}
    lead_client.post("/p/s/releases/", choices)
    assert Release.objects.get().parameters["withheld"] == ["Race, Ethnicity"]
    assert value_of(lead_client.get("/p/s/releases/"), "withheld") == "Race, Ethnicity;"
    choices = {**choices, "version": "1.1", "withheld": "Race, Ethnicity; Parks"}
    lead_client.post("/p/s/releases/", choices)
    assert Release.objects.get(version="1.1").parameters["withheld"] == ["Race, Ethnicity", "Parks"]
    assert value_of(lead_client.get("/p/s/releases/"), "withheld") == "Race, Ethnicity; Parks;"


def test_sizes_typed_for_another_way_of_splitting_are_not_meant(made, lead_client):
    page = text(lead_client.post("/p/s/releases/", {**CHOICES, "split_sizes": "train=1", "act": "preview"}))
    assert "<b>1</b> in test" in page


def test_a_release_of_nothing_is_refused_before_it_waits_for_a_worker(lead_client):
    focus_study(annotators=1, items=1, slug="s")
    choices = {key: value for key, value in CHOICES.items() if key != "rounds"}
    page = text(lead_client.post("/p/s/releases/", {**choices, "act": "build"}))
    assert "There is nothing to release yet: close a round" in page
    assert not Release.objects.exists()


def value_of(response, name):
    return response.context["form" if name in response.context["form"].fields else "contents"][name].value()


def test_the_next_release_begins_with_the_choices_of_the_newest(made, lead_client):
    made.project.licence = "CC-BY-4.0"
    made.project.save()
    first = lead_client.get("/p/s/releases/")
    assert (value_of(first, "licence"), value_of(first, "withheld")) == ("CC-BY-4.0", None)
    release(
        made.project,
        split_by="seed",
        split_sizes={"train": 0.5, "test": 0.5},
        withheld=["test"],
        texts=False,
        authors="Ann Other",
    )
    page = lead_client.get("/p/s/releases/")
    assert "The choices are those of release 1.0 until you change them." in text(page)
    shown = {
        name: value_of(page, name)
        for name in ("version", "rounds", "split_by", "split_sizes", "withheld", "without_texts", "authors")
    }
    assert shown == {
        "version": "",
        "rounds": ["Round 1"],
        "split_by": "seed",
        "split_sizes": "train=0.5 test=0.5",
        "withheld": "test",
        "without_texts": True,
        "authors": "Ann Other",
    }
    assert value_of(page, "licence") == "CC-BY-4.0"


def test_the_page_of_a_release_says_what_was_chosen_also_while_it_waits(made, lead_client):
    lead_client.post("/p/s/releases/", {**CHOICES, "withheld": "test", "act": "build"})
    page = text(lead_client.get("/p/s/releases/1.0/"))
    assert '<dt>Rounds</dt><dd dir="auto">every closed round</dd>' in page
    assert '<dt>Withheld</dt><dd dir="auto">test</dd>' in page
    assert '<dt>Comments</dt><dd dir="auto">no</dd>' in page


def test_a_failed_release_is_asked_for_again_with_its_version_and_choices(made, lead_client):
    lead_client.post("/p/s/releases/", {**CHOICES, "withheld": "test", "act": "build"})
    Release.objects.update(state="failed", error="The disk is full.")
    release(made.project, "2.0")
    link = "/p/s/releases/?again=1.0"
    assert f'<a href="{link}#next">ask for version 1.0 again</a>' in text(
        lead_client.get("/p/s/releases/1.0/")
    )
    again = lead_client.get(link)
    assert (value_of(again, "version"), value_of(again, "withheld")) == ("1.0", "test")
    done = lead_client.get("/p/s/releases/?again=2.0")
    assert (value_of(done, "version"), value_of(done, "withheld")) == ("", "")


def test_a_lead_cancels_on_the_page_and_asks_again_with_the_same_choices(made, lead_client):
    lead_client.post("/p/s/releases/", {**CHOICES, "withheld": "test", "act": "build"})
    act = "/p/s/releases/1.0/cancel/"
    assert f'<form method="post" action="{act}"' in text(lead_client.get("/p/s/releases/1.0/"))
    assert lead_client.post(act)["Location"] == "/p/s/releases/1.0/"
    assert lead_client.get("/p/s/releases/1.0/progress/").headers["HX-Refresh"] == "true"
    page = text(lead_client.get("/p/s/releases/1.0/"))
    assert "It was cancelled before it was built; nothing was written." in page
    assert "Cancelled by A1 on " in page
    assert '<a href="/p/s/releases/?again=1.0#next">ask for version 1.0 again</a>' in page
    assert act not in page
    assert '<span class="status" data-state="cancelled">cancelled</span>' in text(
        lead_client.get("/p/s/releases/")
    )
    again = lead_client.get("/p/s/releases/?again=1.0")
    assert (value_of(again, "version"), value_of(again, "withheld")) == ("1.0", "test")
    lead_client.post("/p/s/releases/", {**CHOICES, "act": "build"})
    row = Release.objects.get()
    assert (row.state, row.parameters["withheld"]) == ("queued", [])


def test_whoever_cancels_too_late_is_told_and_finds_the_release(made, lead_client):
    release(made.project)
    page = text(lead_client.post("/p/s/releases/1.0/cancel/", follow=True))
    assert "Release 1.0 is not being built any more, so it cannot be cancelled." in page
    assert "<b>2</b> released items" in page


def test_a_waiting_release_shows_its_progress_and_a_finished_one_reloads_the_page(made, lead_client):
    lead_client.post("/p/s/releases/", {**CHOICES, "act": "build"})
    assert "waits for a worker" in text(lead_client.get("/p/s/releases/1.0/"))

    def shown(done, *, total=9, silent=timedelta()):
        Release.objects.update(
            state="running",
            lease_token="x",
            lease_until=timezone.now() + LEASE - silent,
            progress_total=total,
            progress_done=done,
        )
        return text(lead_client.get("/p/s/releases/1.0/progress/"))

    assert "The judgements are being read." in shown(0, total=0)
    assert "4 of 9 items" in shown(4)
    assert "All 9 items are written. Agreement, data card and ZIP follow." in shown(9)
    lost = shown(4, silent=timedelta(minutes=3))
    assert "Nothing was heard of the worker for 3 minutes. If it was stopped, the release is begun" in lost
    Release.objects.update(state="failed", error="The release does not reconcile: <b>", lease_token="")
    assert lead_client.get("/p/s/releases/1.0/progress/").headers["HX-Refresh"] == "true"
    assert "does not reconcile: &lt;b&gt;" in text(lead_client.get("/p/s/releases/1.0/"))


def test_edited_questions_can_be_chosen_for_questions_only(made, lead_client):
    assert "Edited questions" not in text(lead_client.get("/p/s/releases/"))
    questions = cqs_study(annotators=1, slug="q")
    judge_question(questions, questions.items[0].questions.first(), [USEFUL])
    close(questions)
    assert "Edited questions" in text(lead_client.get("/p/q/releases/"))
    lead_client.post("/p/q/releases/", {**CHOICES, "edited_questions": "on", "act": "build"})
    assert Release.objects.get().parameters["edited_questions"] is True


@pytest.mark.parametrize("place", ["", "1.0/", "1.0/progress/"])
def test_annotators_are_refused_and_outsiders_find_nothing(made, place):
    release(made.project)
    factories.user("olu")
    assert client_of("ann").get(f"/p/s/releases/{place}").status_code == 403
    assert client_of("olu").get(f"/p/s/releases/{place}").status_code == 404


def test_a_version_that_is_not_there_is_not_found(made, lead_client):
    assert lead_client.get("/p/s/releases/9.9/").status_code == 404
