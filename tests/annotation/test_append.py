"""More judgements come into an imported round in batches, and nobody sees them before all are there."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agreement.computation.requests import ReportHidden, report_visible
from annotation.importing import staging
from annotation.importing.judgements import judgements_import
from annotation.importing.staging import STALE_AFTER, imports_sweep
from annotation.judging.recording import Unit, judgement_record
from annotation.models import (
    AnnotationEvent,
    Assignment,
    Import,
    Membership,
    Round,
    RoundItem,
    TypeAnnotation,
)
from annotation.rounds.lifecycle import round_close, round_pause
from annotation.signals import round_closed
from core.errors import Refused
from exports.selection.parameters import ParameterError, Parameters
from exports.selection.selection import read_selection
from tests import factories
from tests.annotation.database import refused
from tests.annotation.test_judgements_import import write as write_csv

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


class Killed(BaseException):
    """What a worker that is killed does not handle."""


@pytest.fixture
def made(tmp_path, monkeypatch):
    """Three items; an imported round in which Uma said no to CTX of the first two. Rows come two a batch."""
    monkeypatch.setattr(staging, "BATCH", 2)
    made = factories.study("context_sufficiency", annotators=1, items=3, slug="s")
    path = write(tmp_path / "first.csv", *(row(item, "Uma", "CTX", "no") for item in ("I-1", "I-2")))
    judgements_import(project=made.project, path=path, round_name="Pilot", member=made.lead)
    made.round = made.project.rounds.get(name="Pilot")
    made.more = write(
        tmp_path / "more.csv",
        row("I-1", "Uma", "TOP", "yes"),
        row("I-1", "Vic", "CTX", "yes"),
        row("I-2", "Vic", "CTX", "yes"),
        row("I-3", "Vic", "CTX", "no"),
        row("I-3", "Uma", "CTX", "no"),
    )
    return made


def row(item, annotator, code, answer):
    return (item, annotator, code, answer)


def write(path, *rows):
    return write_csv(path, ("item", "annotator", "type", "applicable"), *rows)


def more(made, **options):
    return judgements_import(
        project=made.project, path=made.more, round_name="Pilot", member=made.lead, **options
    )


def everything(made) -> list[list]:
    """Return what is stored of the round, the times of the round itself among it."""
    of_round = {"assignment__round": made.round}
    return [
        sorted(rows.values_list())
        for rows in (
            Round.objects.filter(pk=made.round.pk).values_list("status", "closed_at", "opened_at"),
            RoundItem.objects.filter(round=made.round),
            Assignment.objects.filter(round=made.round).values_list("pk", "item", "member", "decided"),
            TypeAnnotation.objects.filter(**of_round).values_list("pk", "assignment", "applicable"),
            AnnotationEvent.objects.filter(**of_round).values_list("pk", "client_event_id"),
            Membership.objects.filter(project=made.project).values_list("pk", "private_name"),
        )
    ]


def killed_in_the_second_batch(made, monkeypatch) -> None:
    batches = []

    def kill(n):
        batches.append(n)
        if len(batches) == 3:
            raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(staging, "import_discard", lambda staged: None)
        with pytest.raises(Killed):
            more(made, heartbeat=kill)
    Import.objects.filter(state="staging").update(heartbeat_at=timezone.now() - STALE_AFTER - timedelta(1))


def test_more_judgements_and_a_new_annotator_come_into_the_round(made):
    told = []
    round_closed.connect(listen := lambda round, **_: told.append(round.status), weak=False)
    try:
        report = more(made)
    finally:
        round_closed.disconnect(listen)
    assert report.counts == {"new annotators": 1, "new judgements": 5}
    stored = Round.objects.get(pk=made.round.pk)
    assert (stored.status, told) == ("closed", ["closed"])
    assert stored.closed_at > made.round.closed_at
    said = TypeAnnotation.objects.filter(assignment__round=stored).values_list(
        "assignment__member__private_name", "assignment__item__external_id", "type_code", "applicable"
    )
    assert sorted(said) == [
        ("Uma", "I-1", "CTX", False),
        ("Uma", "I-1", "TOP", True),
        ("Uma", "I-2", "CTX", False),
        ("Uma", "I-3", "CTX", False),
        ("Vic", "I-1", "CTX", True),
        ("Vic", "I-2", "CTX", True),
        ("Vic", "I-3", "CTX", False),
    ]
    assert stored.round_items.count() == 3


def test_while_they_come_nobody_reads_the_round_releases_it_or_closes_it(made):
    seen = []

    def look(_):
        current = Round.objects.select_related("project").get(pk=made.round.pk)
        with pytest.raises(ReportHidden):
            report_visible(member=made.lead, round=current)
        with pytest.raises(ParameterError, match="being imported into Pilot"):
            read_selection(made.project, Parameters())
        for act in (round_close, round_pause):
            with pytest.raises(Refused, match="being imported into Pilot"):
                act(current, by=made.lead)
        seen.append((current.is_importing, TypeAnnotation.objects.count()))

    more(made, heartbeat=look)
    assert seen == [(True, 2), (True, 4), (True, 6)]


def test_while_they_come_nobody_judges_in_the_round(made):
    own = Assignment.objects.select_related("member").filter(round=made.round, member__private_name="Uma")[0]
    refusals = []

    def judge(_):
        with pytest.raises(Refused) as refusal:
            judgement_record(
                member=own.member,
                round_number=made.round.number,
                assignment_id=own.pk,
                unit=Unit(type_code="TOP"),
                answer={"applicable": False},
                base_revision=0,
                client_event_id="meanwhile",
            )
        refusals.append((refusal.value.code, "made elsewhere" in refusal.value.message))

    more(made, heartbeat=judge)
    assert refusals == [("round_not_open", True)] * 3
    assert not AnnotationEvent.objects.filter(client_event_id="meanwhile").exists()


def test_the_page_says_that_judgements_are_being_imported(made, lead_client):
    pages = []
    more(made, heartbeat=lambda _: pages.append(lead_client.get("/p/s/rounds/1/").content.decode()))
    assert "Judgements are being imported into Pilot" in pages[0] and "/close/" not in pages[0]
    assert "being imported" not in lead_client.get("/p/s/rounds/1/").content.decode()
    assert lead_client.get("/p/s/rounds/1/progress/?work")["HX-Refresh"] == "true"


def test_an_import_that_was_killed_is_taken_back_and_trying_again_completes_it(made, monkeypatch):
    before = everything(made)
    killed_in_the_second_batch(made, monkeypatch)
    assert Round.objects.get(pk=made.round.pk).is_importing
    assert TypeAnnotation.objects.count() == 6
    imports_sweep()
    assert everything(made) == before
    assert not Import.objects.filter(state="staging").exists()
    assert more(made).counts["new judgements"] == 5
    assert Round.objects.get(pk=made.round.pk).status == "closed"


def test_trying_again_before_the_sweep_completes_it_as_well(made, monkeypatch):
    killed_in_the_second_batch(made, monkeypatch)
    assert more(made).counts == {"new annotators": 1, "new judgements": 5}
    assert TypeAnnotation.objects.filter(assignment__round=made.round).count() == 7


def test_an_import_that_is_alive_is_left_alone(made):
    more(made, heartbeat=lambda _: imports_sweep())
    assert TypeAnnotation.objects.filter(assignment__round=made.round).count() == 7


def test_a_refused_row_takes_everything_back(made, tmp_path):
    before = everything(made)
    made.more = write(tmp_path / "bad.csv", row("I-3", "Wim", "CTX", "no"), row("I-9", "Wim", "CTX", "no"))
    assert more(made).refused == 1
    assert everything(made) == before
    assert more(made, skip_invalid=True).counts["new judgements"] == 1


def test_what_is_there_already_changes_nothing(made):
    more(made)
    before = everything(made)
    report = more(made)
    assert (report.changed, report.counts["judgements already there"]) == (False, 5)
    assert everything(made) == before


def test_looking_through_a_file_leaves_the_round_readable_and_finds_what_importing_finds(made, tmp_path):
    before = everything(made)
    states = []
    look = {"heartbeat": lambda _: states.append(everything(made) == before)}
    assert more(made, dry_run=True, **look).counts == {"new annotators": 1, "new judgements": 5}
    # The same unit by the same annotator, two batches apart.
    made.more = write(
        tmp_path / "twice.csv",
        row("I-3", "Vic", "CTX", "no"),
        row("I-1", "Vic", "CTX", "no"),
        row("I-2", "Vic", "CTX", "no"),
        row("I-3", "Vic", "CTX", "yes"),
        row("I-1", "Vic", "CTX", "no"),
    )
    report = more(made, dry_run=True, **look)
    assert report.counts == {"new annotators": 1, "new judgements": 3, "judgements already there": 1}
    assert "Vic has another judgement of this unit further up in the file" in report.refusals[0]["reason"]
    assert states and all(states)
    assert everything(made) == before


def test_nothing_of_an_imported_round_can_be_deleted_once_it_is_closed(made):
    assert "never deleted" in refused(lambda: TypeAnnotation.objects.all().delete())
    assert "frozen when it opens" in refused(lambda: RoundItem.objects.all()._raw_delete("default"))
