"""What a context filter found insufficient is marked, left out of new rounds, and told of in releases."""

import json

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.importing.items import items_import
from annotation.importing.undo import import_undo
from annotation.items.withdrawal import item_restore, item_withdraw
from annotation.models import ProjectEvent
from annotation.projects.change_sign import project_stamp
from annotation.rounds.drawing import round_draw
from annotation.rounds.lifecycle import round_close, round_create
from annotation.rounds.opening import round_open
from annotation.rounds.sampling import draw_preview
from assist.filtering.checking import context_check_make
from assist.filtering.marking import filter_mark, filter_take_back, marks_of
from assist.models import AssistAnswer, FilteredItem
from assist.runs.units import prompt_sha256
from core.errors import Refused
from frontend.pages.project.project import filtered_there, items_there
from tests.assist.asking import answers, asked, request
from tests.conftest import client_of
from tests.exports.endpoint import saying
from tests.factories import NO, record, study
from tests.factories.releases import released

pytestmark = [pytest.mark.django_db, pytest.mark.database]

TEXTS = tuple(f"Text {n} is {'whole' if n <= 4 else 'broken'}." for n in range(1, 11))
WHOLE, BROKEN = [f"I-{n}" for n in range(1, 5)], [f"I-{n}" for n in range(5, 11)]


@pytest.fixture
def made():
    return study("focus", annotators=1, items=10, texts=TEXTS, slug="s")


@pytest.fixture
def run(made, endpoint):
    endpoint.otherwise = lambda one: saying("no" if "broken.\n\nAnswer" in one.prompt else "yes")
    return asked(made, endpoint)


def marked():
    return list(FilteredItem.objects.order_by("item").values_list("item__external_id", flat=True))


def names(round):
    return list(round.round_items.order_by("item").values_list("item__external_id", flat=True))


def draft(made, name="Main"):
    return round_create(project=made.project, name=name, purpose="main", overlap=1, member=made.lead)


def text(response):
    return " ".join(response.content.decode().split())


def counts(project):
    stamp = project_stamp(project)
    return items_there(project, stamp), filtered_there(project, stamp)


def test_the_counts_of_items_follow_marks_withdrawals_and_imports(made, run, tmp_path):
    project, lead = made.project, made.lead
    assert counts(project) == (10, 0)
    filter_mark(run=run, by=lead)
    assert counts(project) == (10, 6)
    item_withdraw(item=made.items[9], member=lead, why="asked for")
    assert counts(project) == (9, 5)
    (tmp_path / "more.csv").write_text("id,text\nnew,Roads are long.\n")
    items_import(project=project, path=tmp_path / "more.csv", member=lead)
    assert counts(project) == (10, 5)
    import_undo(project.imports.latest("pk"), member=lead)
    item_restore(item=made.items[9], member=lead)
    filter_take_back(run=run, by=lead)
    assert counts(project) == (10, 0)


def test_what_is_insufficient_is_marked_once_and_taken_back_with_the_run_on_record(made, run):
    assert marks_of(run) == {"marked": 0, "unmarked": 6}
    assert filter_mark(run=run, by=made.lead) == 6
    assert (marked(), marks_of(run)) == (BROKEN, {"marked": 6, "unmarked": 0})
    assert {row.run for row in FilteredItem.objects.all()} == {run}
    assert run.applied_at == FilteredItem.objects.first().marked_at
    assert filter_mark(run=run, by=made.lead) == 0
    assert filter_take_back(run=run, by=made.lead) == 6
    assert (marked(), run.applied_at, len(answers(run))) == ([], None, 10)
    logged = ProjectEvent.objects.filter(action__in=["items filtered", "filtering taken back"]).order_by("pk")
    assert [(event.action, event.details, event.member) for event in logged] == [
        ("items filtered", {"run": 1, "items": 6}, made.lead),
        ("filtering taken back", {"run": 1, "items": 6}, made.lead),
    ]
    with pytest.raises(Refused, match="marks no item"):
        filter_take_back(run=run)


def test_nothing_is_marked_while_a_run_works_or_where_it_found_nothing(made, endpoint):
    endpoint.otherwise = saying("yes")
    with pytest.raises(Refused, match="at work"):
        filter_mark(run=request(made, endpoint, model="other"))
    made.project.assist_runs.update(state="cancelled", finished_at=timezone.now())
    with pytest.raises(Refused, match="nothing to mark"):
        filter_mark(run=asked(made, endpoint))


def test_an_item_that_another_run_marked_stays_with_that_run(made, run, endpoint):
    filter_mark(run=run)
    endpoint.otherwise = saying("no")
    other = asked(made, endpoint, model="strict")
    assert (filter_mark(run=other), marks_of(run)["marked"]) == (4, 6)
    filter_take_back(run=run)
    assert marked() == WHOLE


def test_rounds_leave_filtered_items_out_unless_they_are_included(made, run):
    filter_mark(run=run)
    round = draft(made)
    preview = draw_preview(round)
    assert (preview.items, preview.filtered) == (4, 6)
    assert (round_draw(round), names(round)) == (4, WHOLE)
    sampled = draw_preview(round, size=2)
    assert (sampled.items, sampled.filtered) == (2, 6)
    with pytest.raises(Refused, match="5 asked for, 4 there"):
        round_draw(round, size=5)
    with pytest.raises(Refused, match="A filter marked these items: I-5, I-6"):
        round_draw(round, external_ids=["I-1", "I-5", "I-6"])
    assert names(round) == WHOLE
    assert draw_preview(round, include_filtered=True).filtered == 0
    assert round_draw(round, include_filtered=True) == 10
    round.refresh_from_db()
    assert round.draw["include_filtered"] is True
    filter_take_back(run=run)
    assert draw_preview(round).items == 10


def test_what_a_round_has_stays_in_it_and_goes_on_to_the_round_of_the_same_items(made, run):
    round = draft(made)
    round_draw(round)
    round_open(round, members=made.annotators, by=made.lead)
    filter_mark(run=run)
    assert (names(round), round.assignments.count()) == ([*WHOLE, *BROKEN], 10)
    again = draft(made, "Again")
    assert round_draw(again, items_of=round) == 10


def test_people_are_drawn_what_was_refused_also_where_it_is_marked(endpoint):
    made = study("context_sufficiency", annotators=2, items=10, texts=TEXTS, slug="s")
    endpoint.otherwise = lambda one: saying("no" if "broken.\n\nAnswer" in one.prompt else "yes")
    run = asked(made, endpoint)
    filter_mark(run=run)
    check = context_check_make(run=run, passed=4, share=0.5)
    assert (len(check.refused), len(names(check.round))) == (3, 7)


def test_the_database_keeps_marks_to_what_a_filter_of_the_project_refused(made, run):
    by_name = {row.item.external_id: row for row in AssistAnswer.objects.all()}
    other = study("focus", annotators=1, items=1, slug="other")
    now = timezone.now()

    def refused(**values):
        with pytest.raises(IntegrityError), transaction.atomic():
            FilteredItem.objects.create(run=run, marked_at=now, **values)

    refused(item=by_name["I-1"].item, answer=by_name["I-1"])
    refused(item=by_name["I-6"].item, answer=by_name["I-5"])
    refused(item=other.items[0], answer=by_name["I-5"])
    fifth = {"item": by_name["I-5"].item, "answer": by_name["I-5"]}
    found = FilteredItem.objects.create(run=run, marked_at=now, **fifth)
    refused(**fifth)
    with pytest.raises(IntegrityError), transaction.atomic():
        FilteredItem.objects.filter(pk=found.pk).update(marked_at=timezone.now())


def test_the_card_and_the_manifest_say_what_the_filter_left_out(made, run, tmp_path):
    round = draft(made)
    round_draw(round, external_ids=[*WHOLE, "I-5"])
    round_open(round, members=made.annotators, by=made.lead)
    for item in made.items[:5]:
        for code in round.type_codes:
            record(round, made.annotators[0], item, code, NO)
    round_close(round)
    plain = json.loads((released(made.project, tmp_path / "plain") / "release.json").read_bytes())
    assert "filters" not in plain
    filter_mark(run=run)
    folder = released(made.project, tmp_path / "filtered", "1.1")
    told = json.loads((folder / "release.json").read_bytes())
    assert told["digest"] != plain["digest"]
    digest = prompt_sha256(run.prompts[""], run.fixed)
    assert {row.prompt_sha256 for row in AssistAnswer.objects.all()} == {digest}
    assert told["filters"] == [
        {
            "run": 1,
            "endpoint": run.host,
            "model": "tiny",
            "prompt_sha256": digest,
            "temperature": 0.0,
            "seed": None,
            "left_out": 5,
            "released": 1,
        }
    ]
    card = (folder / "README.md").read_text()
    assert "left out of annotation: 5 of them are not in this release." in card
    assert f"| 1 | {run.host} | tiny | 0 | not sent | `{digest}` | 5 | 1 |" in card


def test_pages_mark_take_back_narrow_the_items_and_offer_to_include_them(made, run, lead_client):
    page = text(lead_client.get("/p/s/assistants/runs/1/"))
    assert "Mark 6 insufficient texts as filtered" in page
    assert "include_filtered" not in text(lead_client.get(f"/p/s/rounds/{draft(made).number}/draw/"))
    page = text(lead_client.post("/p/s/assistants/runs/1/", {"act": "mark"}, follow=True))
    assert "6 items are marked as filtered." in page
    assert "<b>6</b> items are marked by this run." in page
    assert "insufficient texts as" not in page
    page = text(lead_client.get("/p/s/items/?filtered=yes"))
    assert [name for name in (*WHOLE, *BROKEN) if f">{name}<" in page] == BROKEN
    page = text(lead_client.get("/p/s/items/?filtered=no"))
    assert [name for name in (*WHOLE, *BROKEN) if f">{name}<" in page] == WHOLE
    page = text(lead_client.get(f"/p/s/items/{made.items[9].pk}/"))
    assert 'by <a href="/p/s/assistants/runs/1/">run 1</a>' in page
    page = text(lead_client.get("/p/s/rounds/1/draw/?how=all"))
    assert ("<b>4</b> items" in page, "6 filtered items are left out." in page) == (True, True)
    page = text(lead_client.get("/p/s/rounds/1/draw/?how=all&include_filtered=on"))
    assert "<b>10</b> items" in page
    page = text(lead_client.post("/p/s/assistants/runs/1/", {"act": "take_back"}, follow=True))
    assert ("6 items are not filtered any more." in page, marked()) == (True, [])


def test_the_api_marks_and_takes_back_for_leads(made, run, lead_client):
    address = "/api/projects/s/assist/runs/1/marks/"
    assert client_of("ann").post(address).status_code == 403
    assert lead_client.post(address).json() == {"marked": 6, "unmarked": 0}
    assert lead_client.get("/api/projects/s/assist/runs/1/").json()["applied_at"] is not None
    assert lead_client.delete(address).json() == {"marked": 0, "unmarked": 6}
    assert lead_client.delete(address).status_code == 409
