"""A round opens all at once for its annotators, however long writing its assignments takes."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone
from kombu.exceptions import OperationalError

from annotation import tasks
from annotation.access import round_or_404
from annotation.models import Assignment, ProjectEvent, Round
from annotation.models.rounds import CLAIM_STALE_AFTER
from annotation.rounds import opening
from annotation.rounds.assignment import order_for, share_out
from annotation.rounds.draft_claim import DraftWork
from annotation.rounds.lifecycle import round_create, round_draw
from annotation.rounds.opening import opening_claim, opening_run, round_open
from core.errors import NotFound, Refused
from tests import factories
from tests.conftest import client_of

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def made(monkeypatch):
    """A drawn draft of seven items, two annotators each, written three assignments at a time."""
    monkeypatch.setattr(opening, "BATCH", 3)
    made = factories.study("context_sufficiency", annotators=3, items=7, slug="s")
    made.round = round_create(project=made.project, overlap=2, shuffled=True, seed=5, member=made.lead)
    round_draw(made.round, member=made.lead)
    return made


@pytest.fixture
def sent(monkeypatch):
    """What was sent to the worker, as it reads it; every round is large."""
    calls: list[list] = []
    monkeypatch.setattr(opening, "AT_ONCE", 0)
    monkeypatch.setattr(tasks.open_round, "delay", lambda *args: calls.append(json.loads(json.dumps(args))))
    return calls


def written(round) -> list[tuple[int, int, int]]:
    return sorted(Assignment.objects.filter(round=round).values_list("member", "position", "item"))


def expected(made) -> list[tuple[int, int, int]]:
    items = list(made.round.round_items.order_by("position").values_list("item", flat=True))
    shares = share_out(7, 3, overlap=2, seed=5)
    found = []
    for index, member in enumerate(made.annotators):
        own = [item for item, chosen in zip(items, shares, strict=True) if index in chosen]
        order = order_for(len(own), shuffled=True, seed=5, member=index)
        found += [(member.pk, position, own[place]) for position, place in enumerate(order, start=1)]
    return sorted(found)


def let_go_stale(round) -> None:
    Round.objects.filter(pk=round.pk).update(claimed_at=timezone.now() - CLAIM_STALE_AFTER)
    round.refresh_from_db()


def test_batches_share_out_what_one_go_would(made):
    opened = round_open(made.round, by=made.lead)
    stored = Round.objects.get(pk=made.round.pk)
    assert (opened.status, stored.status, stored.claimed_at) == ("open", "open", None)
    assert opened.opened_at == stored.opened_at
    assert len(written(stored)) == 14
    assert written(stored) == expected(made)
    event = ProjectEvent.objects.get(action="round opened")
    assert event.details == {"round": "Round 1", "annotators": ["A2", "A3", "A4"]}


def test_nobody_meets_a_round_that_is_being_opened_and_nobody_changes_it(made):
    claim = opening_claim(made.round, made.annotators)
    for act in (lambda: round_draw(made.round), lambda: round_open(made.round)):
        with pytest.raises(Refused, match="is being opened"):
            act()
    with pytest.raises(NotFound):
        round_or_404(made.annotators[0], 1)
    assert "Round 1" not in client_of("ann").get("/").content.decode()
    opening_run(made.round, claim, members=made.annotators)
    assert round_or_404(made.annotators[0], 1).status == "open"


def test_an_opening_that_was_killed_starts_again_from_the_beginning(made):
    opening_claim(made.round, made.annotators)
    item = made.round.round_items.first().item
    Assignment.objects.create(round=made.round, item=item, member=made.annotators[2], position=1)
    let_go_stale(made.round)
    assert not made.round.is_opening
    round_open(made.round)
    assert written(made.round) == expected(made)


def test_a_draft_whose_opening_was_killed_can_be_drawn_again(made):
    opening_claim(made.round, made.annotators)
    item = made.round.round_items.first().item
    Assignment.objects.create(round=made.round, item=item, member=made.annotators[0], position=1)
    let_go_stale(made.round)
    assert round_draw(made.round, size=2) == 2
    assert written(made.round) == []


def test_work_whose_claim_another_took_over_changes_nothing(made):
    old = opening_claim(made.round, made.annotators)
    let_go_stale(made.round)
    new = opening_claim(made.round, made.annotators)
    with pytest.raises(Refused, match="taken over"):
        opening_run(made.round, old, members=made.annotators)
    assert Round.objects.get(pk=made.round.pk).claimed_at == new
    assert written(made.round) == []


def test_an_opening_that_fails_lets_go_of_the_draft(made, monkeypatch):
    def fails(round, members):
        yield Assignment(round=round, item=made.items[0], member=members[0], position=1)
        raise RuntimeError("the machine is out of memory")

    monkeypatch.setattr(opening, "_assignments", fails)
    with pytest.raises(RuntimeError):
        round_open(made.round)
    monkeypatch.undo()
    stored = Round.objects.get(pk=made.round.pk)
    assert (stored.status, stored.claimed_at) == ("draft", None)
    round_open(stored)
    assert written(stored) == expected(made)


def test_a_large_round_is_opened_by_the_worker_while_its_page_shows_how_far_it_is(made, sent, lead_client):
    lead_client.post("/p/s/rounds/1/open/", {"choose": "1", "annotators": [m.pk for m in made.annotators]})
    assert Round.objects.get(pk=made.round.pk).is_opening
    page = lead_client.get("/p/s/rounds/1/")
    assert page.context["work"] == {"done": 0, "total": 14}
    assert "/p/s/rounds/1/draw/" not in page.content.decode()
    assert "/p/s/rounds/1/open/" not in lead_client.get("/p/s/").content.decode()
    poll = lead_client.get("/p/s/rounds/1/progress/?work")
    assert "0 of 14 texts shared out" in poll.content.decode()
    tasks.open_round(*sent[0])
    assert written(made.round) == expected(made)
    assert lead_client.get("/p/s/rounds/1/progress/?work")["HX-Refresh"] == "true"
    assert ProjectEvent.objects.get(action="round opened").member == made.lead


def test_the_api_says_that_a_large_round_is_opening(made, sent, lead_client):
    answer = lead_client.post("/api/projects/s/rounds/1/open/", content_type="application/json").json()
    assert (answer["status"], answer["opening"]) == ("draft", True)
    tasks.open_round(*sent[0])
    answer = lead_client.get("/api/projects/s/rounds/1/").json()
    assert (answer["status"], answer["opening"]) == ("open", False)


def test_how_far_an_opening_is_is_for_leads(made):
    opening_claim(made.round, made.annotators)
    factories.user("olu")
    assert client_of("olu").get("/p/s/rounds/1/progress/?work").status_code == 404
    assert client_of("ann").get("/p/s/rounds/1/progress/?work").status_code == 403


def test_a_worker_that_comes_too_late_leaves_an_opened_round_alone(made, sent):
    tasks.round_open_or_send(made.round, by=made.lead)
    let_go_stale(made.round)
    round_open(made.round)
    before = written(made.round)
    tasks.open_round(*sent[0])
    assert written(made.round) == before


def test_without_a_broker_a_large_round_opens_at_once(made, monkeypatch):
    def down(*_):
        raise OperationalError("connection refused")

    monkeypatch.setattr(opening, "AT_ONCE", 0)
    monkeypatch.setattr(tasks.open_round, "delay", down)
    assert tasks.round_open_or_send(made.round, by=made.lead).status == "open"
    assert written(made.round) == expected(made)


def test_a_claim_goes_stale_a_minute_after_the_last_sign_of_its_worker(made):
    work = DraftWork(made.round, opening_claim(made.round, made.annotators))
    for seconds, is_opening in ((55, True), (61, False)):
        work.claim = timezone.now() - timedelta(seconds=seconds)
        Round.objects.update(claimed_at=work.claim)
        assert Round.objects.get(pk=made.round.pk).is_opening == is_opening
    assert work.beat()
    assert Round.objects.get(pk=made.round.pk).is_opening


def test_a_claim_that_waits_for_a_busy_worker_holds_until_it_begins_and_then_as_any(made, sent, monkeypatch):
    tasks.round_open_or_send(made.round, by=made.lead)
    assert Round.objects.get(pk=made.round.pk).claimed_at > timezone.now() + timedelta(minutes=9)
    seen = []
    real = opening.judges_name

    def look(**options):
        seen.append(Round.objects.get(pk=made.round.pk).claimed_at)
        real(**options)

    monkeypatch.setattr(opening, "judges_name", look)
    tasks.open_round(*sent[0])
    assert seen[0] <= timezone.now()
    assert Round.objects.get(pk=made.round.pk).status == "open"


def test_the_thread_of_a_work_whose_draft_another_took_over_ends(made):
    work = DraftWork(made.round, opening_claim(made.round, made.annotators))
    let_go_stale(made.round)
    opening_claim(made.round, made.annotators)
    assert not work.beat()
