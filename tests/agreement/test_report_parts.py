"""A large report is computed in parts: the same bytes, whoever computes which part in which order."""

from datetime import timedelta
from random import Random
from threading import Barrier, Thread

import pytest
from django.db import connection
from django.utils import timezone

from agreement import tasks
from agreement.computation import compute as jobs
from agreement.computation import parts
from agreement.computation.compute import report_claim, report_compute, report_sweep
from agreement.computation.parts import part_compute, parts_sweep
from agreement.computation.requests import report_current, report_request
from agreement.models import AgreementReport, ReportPart
from annotation.models import Item, TypeAnnotation
from core.canonical_json import canonical_json
from core.jobs import ATTEMPTS, Lease
from tests.agreement.small_encoder import encoder_folder
from tests.factories.reports import QUICK
from tests.factories.stored import (
    close_stored,
    open_stored,
    store_answers,
    store_items,
    store_members,
    store_project,
    store_round,
)

pytestmark = [pytest.mark.django_db, pytest.mark.database]

TEXT = "Everyone knows that buses are late because the drivers sleep in every morning."
WORDS = [(0, 8), (0, 14), (20, 25), (20, 34), (43, 54), (47, 60)]


def judge_at_random(made, items, members, seed):
    random = Random(seed)
    types = [entry["code"] for entry in made.codebook.definition["types"]]
    spans = {entry["code"]: entry["span"] for entry in made.codebook.definition["types"]}
    for item in items:
        for member in members[: random.randint(2, len(members))]:
            answers = {
                code: (random.choice(WORDS) if spans[code] else True) if random.random() < rate else False
                for code, rate in zip(types, [0.05, *([0.5] * (len(types) - 1))], strict=True)
            }
            store_answers(made, item, member, answers)


@pytest.fixture
def large():
    """A closed round of six texts after another one, with all types judged, some judgements missing."""
    project = store_project()
    items = list(store_items(project, {f"i{number}": TEXT for number in range(6)}).values())
    members = list(store_members(project, ["A1", "A2", "A3"]).values())
    for seed in (1, 2):
        made = store_round(project, items)
        open_stored(made)
        judge_at_random(made, items, members, seed)
        close_stored(made)
    return made


@pytest.fixture
def in_parts(monkeypatch):
    monkeypatch.setattr(jobs, "IN_PARTS_FROM", 1)


def stored(report):
    """Everything that is stored of a report, as bytes."""
    report.refresh_from_db()
    spans = report.consensus_spans.values_list("item", "type_code", "start", "end", "support", "members")
    units = report.disputed_units.values_list("item", "type_code", "why", "votes", "disputed")
    return canonical_json([report.figures, report.change, report.digest, list(spans), list(units)])


def computed_by_one(round):
    report = report_request(round=round, parameters=QUICK)
    assert report_compute(report_id=report.id) == "done"
    whole = stored(report)
    report.delete()
    return whole


def divided(round):
    report = report_request(round=round, parameters=QUICK)
    assert report_compute(report_id=report.id) == "in_parts"
    return report


def lapse(**of):
    ReportPart.objects.filter(**of).update(lease_until=timezone.now() - timedelta(seconds=1))


def work_off(report, ids):
    """Let the parts be computed in this order; return what was done of the report after each."""
    outcomes = []
    for part_id in ids:
        assert part_compute(part_id=part_id) == report.id
        outcomes.append(report_compute(report_id=report.id))
    return outcomes


def test_parts_in_any_order_give_the_bytes_of_one_task(large, monkeypatch):
    whole = computed_by_one(large)
    monkeypatch.setattr(jobs, "IN_PARTS_FROM", 1)
    for seed in (1, 2):
        report = divided(large)
        ids = list(report.parts.values_list("id", flat=True))
        assert [part.key for part in report.parts.all()][:3] == ["pooled", "change", "type:OSP"]
        Random(seed).shuffle(ids)
        assert work_off(report, ids) == [""] * (len(ids) - 1) + ["done"]
        assert stored(report) == whole
        assert not ReportPart.objects.exists()
        assert report.progress_done == report.progress_total == len(ids) + 1
        report.delete()


def test_parts_with_an_encoder_give_the_bytes_of_one_task(large, monkeypatch, settings, tmp_path):
    settings.ENCODER = str(encoder_folder(tmp_path))
    whole = computed_by_one(large)
    assert '"bertscore":{' in whole
    monkeypatch.setattr(jobs, "IN_PARTS_FROM", 1)
    report = divided(large)
    assert work_off(report, list(report.parts.values_list("id", flat=True)))[-1] == "done"
    assert stored(report) == whole


def test_a_report_with_little_to_do_has_no_parts(large):
    n_judgements = TypeAnnotation.objects.filter(assignment__round=large).count()
    assert n_judgements * 10 < jobs.IN_PARTS_FROM
    report = report_request(round=large, parameters=QUICK)
    assert report_compute(report_id=report.id) == "done"


def test_a_live_report_has_no_parts(round, in_parts):
    live = report_request(round=round, parameters=QUICK)
    assert report_compute(report_id=live.id) == "done"


def test_progress_counts_the_parts_and_nothing_is_shown_before_the_last(large, in_parts):
    report = divided(large)
    ids = list(report.parts.values_list("id", flat=True))
    work_off(report, ids[:3])
    current = report_current(round=large)
    assert current.report is None
    assert (current.pending.state, current.pending.progress_done, current.pending.progress_total) == (
        "in_parts",
        3,
        len(ids) + 1,
    )
    assert not report.consensus_spans.exists()
    assert report_request(round=large, parameters=QUICK) == report


def test_a_report_in_parts_sends_each_part_and_goes_on_after_the_last(large, in_parts, sent):
    report = report_request(round=large, parameters=QUICK)
    tasks.compute_report(report.id)
    ids = list(report.parts.values_list("id", flat=True))
    assert sent == [("agreement.compute_part", part_id) for part_id in ids]
    for part_id in ids:
        tasks.compute_part(part_id)
    assert sent[len(ids) :] == [("agreement.crosscheck_report", report.id)]
    report.refresh_from_db()
    assert report.state == "done"


def test_a_part_is_claimed_once_and_a_message_that_comes_twice_does_nothing(large, in_parts):
    report = divided(large)
    first = report.parts.first()
    assert part_compute(part_id=first.id) == report.id
    assert part_compute(part_id=first.id) is None
    report.refresh_from_db()
    assert report.progress_done == 1


def test_the_part_of_a_dead_worker_is_computed_by_another_and_what_was_done_stays(large, in_parts, sent):
    report = divided(large)
    ids = list(report.parts.values_list("id", flat=True))
    work_off(report, ids[1:])
    assert Lease.claim(ReportPart.objects.filter(id=ids[0]))  # and dies
    assert parts_sweep() == []
    lapse(id=ids[0])
    tasks.sweep_reports()
    assert sent == [("agreement.compute_part", ids[0])]
    assert work_off(report, ids[:1]) == ["done"]


def test_a_worker_whose_lease_ran_out_stores_no_part_after_another_took_over(large, in_parts, monkeypatch):
    report = divided(large)
    part = report.parts.get(key="pooled")
    build = parts.build_pooled

    def overtaken(*args, **kwargs):
        lapse(id=part.id)
        monkeypatch.setattr(parts, "build_pooled", build)
        assert part_compute(part_id=part.id) == report.id
        return build(*args, **kwargs)

    monkeypatch.setattr(parts, "build_pooled", overtaken)
    assert part_compute(part_id=part.id) is None
    part.refresh_from_db()
    report.refresh_from_db()
    assert (part.state, part.attempts, report.progress_done) == ("done", 2, 1)


def test_a_part_that_waits_too_long_is_sent_again_but_not_at_every_sweep(large, in_parts):
    report = divided(large)
    first = report.parts.first()
    ReportPart.objects.filter(id=first.id).update(enqueued_at=timezone.now() - timedelta(minutes=2))
    assert parts_sweep() == [first.id]
    assert parts_sweep() == []


def test_a_part_that_stops_every_worker_gives_the_report_up_with_a_reason(large, in_parts):
    report = divided(large)
    first = report.parts.first()
    assert Lease.claim(ReportPart.objects.filter(id=first.id))
    lapse(id=first.id)
    ReportPart.objects.filter(id=first.id).update(attempts=ATTEMPTS)
    assert parts_sweep() == []
    report.refresh_from_db()
    assert (report.state, report.parts.count()) == ("failed", 0)
    assert "stopped 3 times" in report.error


def test_an_error_in_a_part_fails_the_report_with_its_place(large, in_parts, monkeypatch):
    report = divided(large)

    def broken(*args, **kwargs):
        raise ValueError("Everyone is no number")

    monkeypatch.setattr(parts, "type_figures", broken)
    assert part_compute(part_id=report.parts.last().id) is None
    report.refresh_from_db()
    assert (report.state, report.parts.count()) == ("failed", 0)
    assert report.error.startswith("ValueError in tests/agreement/test_report_parts.py, line ")
    assert "Everyone" not in report.error


def withdraw_an_item(round):
    Item.objects.filter(id=round.items.first().id).update(
        withdrawn_at=timezone.now(), withdrawn_reason="taken down"
    )


def test_judgements_that_change_in_between_start_the_report_anew(large, in_parts):
    report = divided(large)
    ids = list(report.parts.values_list("id", flat=True))
    work_off(report, ids[:2])
    withdraw_an_item(large)
    assert part_compute(part_id=ids[2]) == report.id
    report.refresh_from_db()
    assert (report.state, report.progress_done, report.parts.count()) == ("queued", 0, 0)
    assert report_compute(report_id=report.id) == "in_parts"
    work_off(report, list(report.parts.values_list("id", flat=True)))
    report.refresh_from_db()
    assert (report.state, report.figures["n_items"]) == ("done", 5)


def test_parts_of_older_code_are_computed_anew(large, in_parts):
    report = divided(large)
    ids = list(report.parts.values_list("id", flat=True))
    work_off(report, ids[:-1])
    AgreementReport.objects.update(code_version=1)
    assert part_compute(part_id=ids[-1]) == report.id
    assert report_compute(report_id=report.id) == "in_parts"
    assert not report.parts.exclude(state="queued").exists()


def test_workers_with_different_encoders_fail_the_report_and_say_so(large, in_parts, settings, tmp_path):
    settings.ENCODER = str(encoder_folder(tmp_path))
    report = divided(large)
    settings.ENCODER = "owner/another"
    assert part_compute(part_id=report.parts.last().id) is None
    report.refresh_from_db()
    assert report.error == "The workers are not set up with the same encoder, or one could not load it."


def test_a_worker_that_dies_while_it_assembles_is_followed_by_another(large, in_parts):
    report = divided(large)
    ids = list(report.parts.values_list("id", flat=True))
    for part_id in ids:
        part_compute(part_id=part_id)
    assert report_sweep() == [report.id]  # the worker of the last part died before it could go on
    assert report_claim(report_id=report.id)  # and the next while it assembled
    assert report_sweep() == []
    AgreementReport.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert report_sweep() == [report.id]
    assert report_compute(report_id=report.id) == "done"


@pytest.mark.django_db(transaction=True)
def test_of_many_workers_that_see_the_last_part_done_one_assembles(large, in_parts):
    report = divided(large)
    for part_id in report.parts.values_list("id", flat=True):
        part_compute(part_id=part_id)
    barrier, claims = Barrier(4), []

    def claim():
        barrier.wait()
        claims.append(report_claim(report_id=report.id))
        connection.close()

    threads = [Thread(target=claim) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len([token for token in claims if token]) == 1
