"""Several people, tabs and retries at once: one winner, nothing lost, nothing twice."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection, connections, transaction
from django.utils import timezone

from annotation.models import AnnotationEvent, Assignment, Round, TypeAnnotation
from annotation.rounds.lifecycle import round_close
from core.errors import Refused
from tests.factories import NO, open_round, record, study, yes

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


@pytest.fixture
def made():
    made = study(items=2, annotators=3)
    open_round(made)
    return made


def at_once(*calls):
    """Run the calls in threads that start together; return what each gave, or the code of its refusal."""
    barrier = Barrier(len(calls))

    def run(call):
        try:
            barrier.wait(timeout=30)
            return call()
        except Refused as refused:
            return refused.code
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


def test_one_event_sent_several_times_at_once_is_recorded_once(made):
    item, ann = made.items[0], made.annotators[0]

    def send():
        recorded = record(made.round, ann, item, "LE", yes(item, "library"), event_id="same", base_revision=0)
        return recorded.replayed

    assert sorted(at_once(*[send] * 4)) == [False, True, True, True]
    assert AnnotationEvent.objects.count() == 1
    assert TypeAnnotation.objects.get().revision == 1


def test_two_tabs_at_once_have_one_winner_and_one_that_is_asked(made):
    item, ann = made.items[0], made.annotators[0]

    def decide(answer, event_id):
        def send():
            recorded = record(made.round, ann, item, "LE", answer, event_id=event_id, base_revision=0)
            return recorded.row.applicable

        return send

    results = at_once(decide(NO, "one"), decide(yes(item, "library"), "two"))
    winner = next(result for result in results if result != "stale_revision")
    assert results.count("stale_revision") == 1
    assert TypeAnnotation.objects.get().applicable is winner
    assert AnnotationEvent.objects.count() == 1


def test_what_is_saved_while_the_round_closes_is_either_in_it_or_refused(made):
    item = made.items[0]
    seen_at_closing = []

    def close():
        from annotation.signals import round_closed

        def listener(round, **_):
            seen_at_closing.append(set(TypeAnnotation.objects.values_list("assignment__member", flat=True)))

        round_closed.connect(listener)
        try:
            round_close(Round.objects.get(pk=made.round.pk))
        finally:
            round_closed.disconnect(listener)
        return "closed"

    def save(member):
        return lambda: record(made.round, member, item, "LE", NO).row.assignment.member_id

    results = at_once(close, *[save(member) for member in made.annotators])
    saved = {result for result in results if isinstance(result, int)}
    assert results[0] == "closed"
    assert Counter(results)["round_not_open"] == 3 - len(saved)
    assert seen_at_closing == [saved]
    assert set(TypeAnnotation.objects.values_list("assignment__member", flat=True)) == saved


def test_a_round_closes_once(made):
    def close():
        return round_close(Round.objects.get(pk=made.round.pk)).status

    assert sorted(at_once(close, close, close)) == ["closed", "round_not_open", "round_not_open"]


@pytest.mark.postgresql  # SQLite has one writer
def test_judgements_of_different_people_do_not_wait_for_each_other(made):
    item = made.items[0]
    with transaction.atomic():
        record(made.round, made.annotators[0], item, "LE", NO)

        def other():
            try:
                with connection.cursor() as cursor:
                    cursor.execute("SET lock_timeout = '5s'")
                return record(made.round, made.annotators[1], item, "LE", NO).row.revision
            finally:
                connections.close_all()

        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(other).result(timeout=30) == 1


def close(assignment):
    Round.objects.filter(pk=assignment.round_id).update(status="closed", closed_at=timezone.now())


def reassign(assignment):
    Assignment.objects.filter(pk=assignment.pk).update(released_at=timezone.now())


@pytest.mark.postgresql  # SQLite has one writer
@pytest.mark.parametrize(("change", "told"), [(close, "round_not_open"), (reassign, "not_found")])
def test_a_save_that_waited_for_a_lead_sees_what_the_lead_did_and_held_nothing_meanwhile(made, change, told):
    item, ann = made.items[0], made.annotators[0]
    assignment = Assignment.objects.get(round=made.round, member=ann, item=item)

    def save():
        try:
            return record(made.round, ann, item, "LE", NO).row.revision
        except Refused as refused:
            return refused.code
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic(), connection.cursor() as cursor:
            Round.objects.select_for_update().get(pk=made.round.pk)
            saved = pool.submit(save)
            waiting = False
            while not waiting and not saved.done():
                cursor.execute(
                    "SELECT count(*) FROM pg_locks "
                    "WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
                )
                waiting = cursor.fetchone() == (1,)
            assert waiting, saved.result()
            Assignment.objects.select_for_update(nowait=True).get(pk=assignment.pk)
            change(assignment)
        assert saved.result(timeout=30) == told
    assert not TypeAnnotation.objects.exists()
