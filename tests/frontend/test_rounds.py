"""Leads plan, draw, open, follow, close and reopen rounds in the browser."""

import html

import pytest

from annotation.codebooks.toml_reader import load_shipped
from annotation.models import Round
from annotation.rounds.lifecycle import round_close, round_create, round_draw
from tests import factories
from tests.pages import html_of

pytestmark = pytest.mark.django_db

TYPES = [entry.code for entry in load_shipped("focus").types]
PLAN = {
    "name": "",
    "purpose": "calibration",
    "overlap": "2",
    "order": "by_type",
    "seed": "7",
    "types": TYPES,
}


@pytest.fixture
def study():
    return factories.study("focus", annotators=3, items=8, slug="s")


def test_planning_leads_to_the_draw(lead_client, study):
    codebook = study.project.codebooks.get()
    response = lead_client.post(
        "/p/s/rounds/new/", {**PLAN, "codebook": codebook.pk, "shuffled": "on", "content_warning": "Harsh."}
    )
    assert response["Location"] == "/p/s/rounds/1/draw/"
    made = Round.objects.get()
    assert (made.name, made.order, made.seed, made.shuffled) == ("Round 1", "by_type", 7, True)
    assert (made.content_warning, made.live_agreement, made.status) == ("Harsh.", False, "draft")


def test_a_codebook_of_another_project_cannot_be_chosen(lead_client, study):
    foreign = factories.study("focus", slug="other").project.codebooks.get()
    page = lead_client.post("/p/s/rounds/new/", {**PLAN, "codebook": foreign.pk})
    assert "Select a valid choice" in html_of(page)
    assert not study.project.rounds.exists()


def test_a_taken_name_is_refused_beside_its_field(lead_client, study):
    round_create(project=study.project, name="Pilot")
    codebook = study.project.codebooks.get()
    page = lead_client.post("/p/s/rounds/new/", {**PLAN, "name": "Pilot", "codebook": codebook.pk})
    assert "This project has a round “Pilot” already" in html_of(page)
    assert study.project.rounds.count() == 1


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        ({"due_on": "2000-01-01"}, "This day is over: choose today or a later one."),
        ({"due_on": "9999-99-99"}, "Enter a valid date."),
        ({"name": "x" * 121}, "at most 120 characters"),
        ({"name": "a\x00b"}, "Null characters are not allowed."),
        ({"overlap": "-1"}, "greater than or equal to 1"),
        ({"seed": "9" * 25}, "less than or equal to"),
        ({"content_warning": "x" * 2001}, "at most 2000 characters"),
        ({"codebook": "9" * 25}, "Select a valid choice"),
    ],
    ids=lambda given: next(iter(given)) if isinstance(given, dict) else "",
)
def test_a_plan_that_cannot_be_is_refused_beside_its_field(lead_client, study, bad, told):
    given = {**PLAN, "codebook": study.project.codebooks.get().pk, **bad}
    page = html_of(lead_client.post("/p/s/rounds/new/", given))
    assert told in page
    assert not study.project.rounds.exists()


@pytest.mark.parametrize("number", ["9" * 25, str(2**63), "-1", "x"])
def test_an_annotator_that_cannot_be_is_no_choice(lead_client, study, number):
    made = round_create(project=study.project)
    round_draw(made, external_ids=["I-1"])
    page = html_of(lead_client.post("/p/s/rounds/1/open/", {"choose": "1", "annotators": [number]}))
    assert "errorlist" in page and html.escape(number) in page
    assert Round.objects.get().status == "draft"


def test_whoever_lacks_annotators_is_led_to_invite_them(lead_client, study):
    made = round_create(project=study.project, overlap=5)
    round_draw(made, external_ids=["I-1"])
    page = " ".join(html_of(lead_client.get("/p/s/rounds/1/open/")).split())
    assert "Whoever only leads stays unticked." in page
    told = 'judged by 5, and 2 are missing here. <a href="/p/s/people/">Invite them</a> first.'
    assert told in page


def test_a_preview_stores_nothing_and_the_draw_gives_what_it_showed(lead_client, study):
    round_create(project=study.project, seed=5)
    how = {"how": "sample", "size": "4", "stratify_by": "topic"}
    page = lead_client.get("/p/s/rounds/1/draw/", how)
    preview = page.context["preview"]
    assert (preview.items, preview.topics) == (4, [("topic 0", 2), ("topic 1", 2)])
    made = Round.objects.get()
    assert made.round_items.count() == 0
    assert "Draw 4 items into Round 1" in html_of(page)
    lead_client.post("/p/s/rounds/1/draw/", how)
    drawn = [row.item for row in made.round_items.select_related("item")]
    assert drawn == preview.first[:4]


def test_items_named_by_hand_come_in_the_order_named(lead_client, study):
    round_create(project=study.project)
    names = [study.items[5].external_id, study.items[1].external_id]
    lead_client.post("/p/s/rounds/1/draw/", {"how": "picked", "picked": f" {names[0]}\r\n\r\n{names[1]}\r\n"})
    drawn = Round.objects.get().round_items.values_list("item__external_id", flat=True)
    assert list(drawn) == names


def test_an_unknown_item_is_named_and_nothing_is_drawn(lead_client, study):
    round_create(project=study.project)
    page = lead_client.post("/p/s/rounds/1/draw/", {"how": "picked", "picked": "nowhere"})
    assert "These items are not in the project: nowhere." in html_of(page)
    assert Round.objects.get().round_items.count() == 0


def test_a_sample_needs_its_size(lead_client, study):
    round_create(project=study.project)
    page = lead_client.get("/p/s/rounds/1/draw/", {"how": "sample"})
    assert "Fill this in for the draw you chose." in html_of(page)
    assert page.context["preview"] is None


def test_questions_are_counted_in_the_preview(lead_client):
    made = factories.study("cqs_gen", items=5, questions=3, slug="q")
    round_create(project=made.project)
    page = lead_client.get("/p/q/rounds/1/draw/", {"how": "questions", "questions": "7"})
    assert (page.context["preview"].items, page.context["preview"].questions) == (3, 9)


def test_items_of_other_rounds_can_be_left_out(lead_client, study):
    first = round_create(project=study.project)
    round_draw(first, external_ids=[study.items[0].external_id])
    round_create(project=study.project)
    page = lead_client.get("/p/s/rounds/2/draw/", {"how": "all", "exclude_drawn": "on"})
    assert page.context["preview"].items == 7


def test_the_load_is_told_before_opening(lead_client, study):
    round_draw(round_create(project=study.project, overlap=2))
    chosen = [member.pk for member in study.annotators]
    load = lead_client.get("/p/s/rounds/1/open/", {"choose": "1", "annotators": chosen}).context["load"]
    assert (load["items"], load["annotators"], load["texts"], load["units"]) == (8, 3, 6, 54)
    page = lead_client.get("/p/s/rounds/1/open/", {"choose": "1", "annotators": chosen[:1]})
    assert "Tick 1 more." in html_of(page)


def test_only_the_chosen_annotators_get_texts(lead_client, study):
    round_draw(round_create(project=study.project, overlap=2))
    chosen = [study.annotators[0].pk, study.annotators[2].pk]
    lead_client.post("/p/s/rounds/1/open/", {"choose": "1", "annotators": chosen})
    made = Round.objects.get()
    assert made.status == "open"
    assert sorted(set(made.assignments.values_list("member", flat=True))) == chosen


def test_a_round_without_items_does_not_open_and_says_why(lead_client, study):
    round_create(project=study.project)
    chosen = [member.pk for member in study.annotators]
    page = lead_client.post("/p/s/rounds/1/open/", {"choose": "1", "annotators": chosen}, follow=True)
    assert "draw items" in html_of(page).lower()
    assert Round.objects.get().status == "draft"


def test_progress_shows_counts_and_times_and_no_judgement(lead_client, study):
    factories.open_round(study)
    ann, item = study.annotators[0], study.items[0]
    answer = factories.yes(item, "library", comment="my secret thought")
    factories.record(study.round, ann, item, "LE", answer, active_seconds=30)
    factories.record(study.round, ann, item, "WE", factories.NO, active_seconds=10)
    response = lead_client.get("/p/s/rounds/1/progress/")
    first = response.context["rows"][0]
    assert (first.decided, first.left, first.active_seconds, first.seconds_each) == (2, 78, 40, 20.0)
    assert first.seconds_left == 1560
    page = html_of(response)
    assert "20 s" in page and "26 min" in page and "secret" not in page
    assert 'hx-trigger="every 10s"' in page
    assert "<html" not in page


def test_undecided_units_do_not_count_as_done(lead_client, study):
    factories.open_round(study)
    ann, item = study.annotators[0], study.items[0]
    factories.record(study.round, ann, item, "LE", factories.NO)
    factories.record(study.round, ann, item, "LE", None)
    assert lead_client.get("/p/s/rounds/1/progress/").context["rows"][0].decided == 0


def test_closing_says_what_is_missing_then_closes_for_good(lead_client, study):
    factories.open_round(study)
    page = html_of(lead_client.get("/p/s/rounds/1/close/"))
    assert "240 judgements are still missing: A2 has 80 left, A3 has 80 left, A4 has 80 left." in page
    assert Round.objects.get().status == "open"
    lead_client.post("/p/s/rounds/1/close/")
    assert Round.objects.get().status == "closed"
    page = html_of(lead_client.get("/p/s/rounds/1/progress/"))
    assert "hx-trigger" not in page


def test_closing_twice_is_refused_with_a_notice(lead_client, study):
    round_close(factories.open_round(study), by=study.lead)
    page = html_of(lead_client.post("/p/s/rounds/1/close/", follow=True))
    assert "Round 1 is closed: only an open round closes." in page


def test_reopening_needs_a_reason_which_the_log_keeps(lead_client, study):
    round_close(factories.open_round(study), by=study.lead)
    lead_client.post("/p/s/rounds/1/reopen/", {"why": "  "})
    assert Round.objects.get().status == "closed"
    lead_client.post("/p/s/rounds/1/reopen/", {"why": "A4 was ill"})
    assert Round.objects.get().status == "open"
    page = html_of(lead_client.get("/p/s/rounds/1/"))
    assert "round reopened · A1: “A4 was ill”" in page


def test_a_draft_is_changed_on_its_page(lead_client, study):
    round_draw(round_create(project=study.project, overlap=3))
    assert "/p/s/rounds/1/edit/" in html_of(lead_client.get("/p/s/rounds/1/"))
    page = html_of(lead_client.get("/p/s/rounds/1/edit/"))
    assert 'name="overlap" value="3"' in page
    for fixed in ("purpose", "codebook", "types", "seed", "pass_mark"):
        assert f'name="{fixed}"' not in page
    sent = {"name": "Pilot", "overlap": "2", "order": "by_type", "repeats": "0", "due_on": "2999-12-31"}
    shown = html_of(lead_client.post("/p/s/rounds/1/edit/", sent, follow=True))
    assert "Pilot is saved." in shown and "31 Dec 2999" in shown
    assert (Round.objects.get().overlap, Round.objects.get().order) == (2, "by_type")


def test_a_change_that_is_refused_stands_beside_its_field_and_keeps_what_was_typed(lead_client, study):
    round_create(project=study.project)
    sent = {"name": "Round 1", "overlap": "5", "order": "by_type", "due_on": "2000-01-01"}
    response = lead_client.post("/p/s/rounds/1/edit/", sent)
    assert response.context["rare"].errors == {"due_on": ["This day is over: choose today or a later one."]}
    assert 'name="overlap" value="5"' in html_of(response)
    assert Round.objects.get().overlap == 2


def test_of_an_open_round_the_due_date_and_the_warning_are_changed_and_of_a_closed_one_nothing(
    lead_client, study
):
    opened = factories.open_round(study)
    page = html_of(lead_client.get("/p/s/rounds/1/edit/"))
    assert 'name="due_on"' in page and 'name="content_warning"' in page and 'name="overlap"' not in page
    lead_client.post("/p/s/rounds/1/edit/", {"due_on": "2999-12-31", "content_warning": "Harsh."})
    opened.refresh_from_db()
    assert (opened.due_on.year, opened.content_warning) == (2999, "Harsh.")
    round_close(opened, by=study.lead)
    assert "/edit/" not in html_of(lead_client.get("/p/s/rounds/1/"))
    refused = lead_client.get("/p/s/rounds/1/edit/")
    assert refused.status_code == 409
    assert "Round 1 is closed: nothing of it can be changed any more." in html_of(refused)


def test_a_draft_is_deleted_after_its_name_was_typed(lead_client, study):
    round_draw(round_create(project=study.project, name="By mistake"))
    wrong = html_of(lead_client.post("/p/s/rounds/1/delete/", {"typed": "Round 1"}))
    assert "That is not its name: type By mistake." in wrong and Round.objects.exists()
    done = html_of(lead_client.post("/p/s/rounds/1/delete/", {"typed": "By mistake"}, follow=True))
    assert "The draft By mistake is deleted." in done
    assert not Round.objects.exists()


def test_an_open_round_has_no_delete_page(lead_client, study):
    factories.open_round(study)
    assert lead_client.post("/p/s/rounds/1/delete/", {"typed": "Round 1"}).status_code == 409
    assert "/delete/" not in html_of(lead_client.get("/p/s/rounds/1/"))
    assert Round.objects.count() == 1


def test_the_annotators_of_a_text_are_told_as_they_are_where_a_round_was_judged_elsewhere(lead_client, study):
    factories.open_round(study)
    study.round.assignments.filter(item=study.items[0], member=study.annotators[0]).delete()
    page = html_of(lead_client.get("/p/s/rounds/1/"))
    assert "<dt>Annotators for each text</dt><dd>3</dd>" in page
    Round.objects.update(imported=True)
    page = html_of(lead_client.get("/p/s/rounds/1/"))
    assert "<dt>Annotators for each text</dt><dd>median 3, from 2 to 3</dd>" in page


def test_the_page_of_a_draw_says_how_many_are_drawn_after_each_draw(lead_client, study):
    draft = round_create(project=study.project, seed=1, member=study.lead)
    for size in (2, 3):
        round_draw(draft, size=size, member=study.lead)
        assert f"{size} are drawn now" in html_of(lead_client.get("/p/s/rounds/1/draw/"))
