"""Items are drawn into a round all at once for whoever looks, however long writing them takes."""

import json

import pytest
from django.utils import timezone
from kombu.exceptions import OperationalError

from annotation import tasks
from annotation.models import Assignment, ProjectEvent, Round, RoundItem, RoundQuestion
from annotation.models.rounds import CLAIM_STALE_AFTER
from annotation.rounds import drawing as round_drawing
from annotation.rounds.drawing import draw_claim, draw_run, round_draw
from annotation.rounds.lifecycle import round_create
from annotation.rounds.opening import round_open
from annotation.rounds.sampling import drawable_items
from core.errors import Refused
from tests import factories
from tests.conftest import client_of

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def made(monkeypatch):
    """A draft of seven items, drawn three at a time."""
    monkeypatch.setattr(round_drawing, "BATCH", 3)
    made = factories.study("context_sufficiency", annotators=2, items=7, slug="s")
    made.round = round_create(project=made.project, overlap=2, seed=5, member=made.lead)
    return made


@pytest.fixture
def sent(monkeypatch):
    """What was sent to the worker, as it reads it; every draw is large."""
    calls: list[list] = []
    monkeypatch.setattr(round_drawing, "AT_ONCE", 0)
    monkeypatch.setattr(tasks.draw_round, "delay", lambda *args: calls.append(json.loads(json.dumps(args))))
    return calls


def killed_while_drawing(made) -> None:
    """Leave the round as a worker leaves it that was killed after its first batch, and its claim stale."""
    draw_claim(made.round, 7)
    made.round.round_items.all().delete()
    for place, item in enumerate(made.items[:3], start=1):
        RoundItem.objects.create(round=made.round, item=item, position=place)
    Round.objects.filter(pk=made.round.pk).update(claimed_at=timezone.now() - CLAIM_STALE_AFTER)
    made.round.refresh_from_db()


def positions(round) -> list[tuple[int, int]]:
    return list(round.round_items.order_by("position").values_list("position", "item"))


def test_batches_draw_what_one_go_would(made):
    assert round_draw(made.round, member=made.lead) == 7
    assert positions(made.round) == [(place, item.pk) for place, item in enumerate(made.items, start=1)]
    stored = Round.objects.get(pk=made.round.pk)
    assert (stored.claimed_for, stored.claimed_at, stored.draw["size"]) == ("", None, None)
    assert ProjectEvent.objects.get(action="items drawn").details == {"round": "Round 1", "items": 7}


def test_drawing_again_leaves_nothing_of_the_draw_before(made):
    round_draw(made.round)
    round_draw(made.round, external_ids=[made.items[4].external_id, made.items[1].external_id])
    assert positions(made.round) == [(1, made.items[4].pk), (2, made.items[1].pk)]


def test_a_round_that_is_being_drawn_has_no_items_yet_and_nobody_changes_it(made, lead_client):
    draw_claim(made.round, 7)
    RoundItem.objects.create(round=made.round, item=made.items[0], position=1)
    assert made.round.drawn.count() == 0
    for act in (lambda: round_draw(made.round), lambda: round_open(made.round)):
        with pytest.raises(Refused, match="Items are being drawn into Round 1"):
            act()
    page = lead_client.get("/p/s/rounds/1/")
    assert page.context["work"] == {"done": 1, "total": 7} and page.context["n_items"] == 0
    assert "/p/s/rounds/1/open/" not in lead_client.get("/p/s/").content.decode()
    assert "1 of 7 items drawn" in lead_client.get("/p/s/rounds/1/progress/?work").content.decode()
    item_page = lead_client.get(f"/p/s/items/{made.items[0].pk}/")
    assert list(item_page.context["rounds"]) == []


def test_a_drawing_that_was_killed_leaves_nothing_half_visible_and_is_done_by_trying_again(made, lead_client):
    killed_while_drawing(made)
    assert made.round.is_half_drawn and made.round.drawn.count() == 0
    with pytest.raises(Refused, match="stopped before it was done"):
        round_open(made.round)
    page = lead_client.get("/p/s/rounds/1/")
    assert "Drawing items stopped before it was done." in page.content.decode()
    assert page.context["n_items"] == 0 and "not drawn yet" in page.content.decode()
    other = round_create(project=made.project)
    assert drawable_items(other, exclude_drawn=True).count() == 7
    assert round_draw(made.round) == 7
    assert positions(made.round) == [(place, item.pk) for place, item in enumerate(made.items, start=1)]
    assert round_open(made.round).status == "open"
    assert Assignment.objects.filter(round=made.round).count() == 14


def test_work_whose_claim_another_took_over_writes_nothing_more(made):
    old = draw_claim(made.round, 7)
    Round.objects.filter(pk=made.round.pk).update(claimed_at=timezone.now() - CLAIM_STALE_AFTER)
    new = draw_claim(made.round, 7)
    with pytest.raises(Refused, match="taken over"):
        draw_run(made.round, old, {})
    assert positions(made.round) == []
    assert Round.objects.get(pk=made.round.pk).claimed_at == new


def test_a_drawing_that_fails_can_be_tried_again_at_once(made, monkeypatch):
    def fails(round, batch, *, first_position, items_of):
        if first_position > 1:
            raise RuntimeError("the machine is out of memory")
        add(round, batch, first_position=first_position)

    add = round_drawing.round_items_add
    monkeypatch.setattr(round_drawing, "round_items_add", fails)
    with pytest.raises(RuntimeError):
        round_draw(made.round)
    monkeypatch.setattr(round_drawing, "round_items_add", add)
    stored = Round.objects.get(pk=made.round.pk)
    assert (stored.is_half_drawn, len(positions(stored)), stored.drawn.count()) == (True, 3, 0)
    assert round_draw(stored) == 7


def test_what_cannot_be_drawn_leaves_the_draw_before(made):
    round_draw(made.round, size=2)
    with pytest.raises(Refused, match="too few items: 8 asked for, 7 there"):
        round_draw(made.round, size=8)
    stored = Round.objects.get(pk=made.round.pk)
    assert (stored.drawn.count(), stored.is_claimed) == (2, False)


def test_many_items_are_drawn_by_the_worker_while_the_page_shows_how_far_it_is(made, sent, lead_client):
    lead_client.post("/p/s/rounds/1/draw/", {"how": "sample", "size": "5"})
    assert Round.objects.get(pk=made.round.pk).is_drawing
    assert "0 of 5 items drawn" in lead_client.get("/p/s/rounds/1/").content.decode()
    assert (
        "is being drawn: its items are frozen"
        in lead_client.get("/p/s/rounds/1/draw/", follow=True).content.decode()
    )
    tasks.draw_round(*sent[0])
    assert lead_client.get("/p/s/rounds/1/progress/?work")["HX-Refresh"] == "true"
    by_worker = [item for _, item in positions(made.round)]
    assert ProjectEvent.objects.get(action="items drawn").member == made.lead
    round_draw(made.round, size=5)
    assert by_worker == [item for _, item in positions(made.round)]


def test_a_round_on_the_items_of_another_is_drawn_by_the_worker_too(made, sent, lead_client):
    round_draw(made.round, size=4)
    answer = lead_client.post(
        "/api/projects/s/rounds/", {"items_of": 1}, content_type="application/json"
    ).json()
    assert (answer["number"], answer["drawing"]) == (2, True)
    tasks.draw_round(*sent[0])
    follow = Round.objects.get(project=made.project, number=2)
    assert positions(follow) == positions(made.round)
    assert follow.draw["items_of"] == 1


def test_of_another_rounds_items_only_the_questions_that_it_asked_are_drawn():
    made = factories.study("cqs_gen", items=2, questions=3)
    first = round_create(project=made.project)
    round_draw(first)
    RoundQuestion.objects.filter(round=first, question=made.items[0].questions.first()).delete()
    follow = round_create(project=made.project, items_of=first)
    asked = set(first.round_questions.values_list("question", flat=True))
    assert set(follow.round_questions.values_list("question", flat=True)) == asked
    assert len(asked) == 5


def test_without_a_broker_many_items_are_drawn_at_once(made, monkeypatch):
    def down(*_):
        raise OperationalError("connection refused")

    monkeypatch.setattr(round_drawing, "AT_ONCE", 0)
    monkeypatch.setattr(tasks.draw_round, "delay", down)
    assert tasks.round_draw_or_send(made.round, member=made.lead) == 7
    assert made.round.drawn.count() == 7


def test_how_far_a_drawing_is_is_for_leads(made):
    draw_claim(made.round, 7)
    factories.user("olu")
    assert client_of("olu").get("/p/s/rounds/1/progress/?work").status_code == 404
    assert client_of("ann").get("/p/s/rounds/1/progress/?work").status_code == 403
