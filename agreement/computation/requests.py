"""Ask for a round's report, and find the one that may be shown to whom.

While a round is open nobody sees another's judgement: a live report has aggregates only, and only where the
lead allowed it when the round opened. It is another report than the one of the closed round: `live` is one of
its parameters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy

from agreement.models import AgreementReport
from agreement.report.assembly import REPORT_VERSION
from agreement.report.figures import ReportFigures
from agreement.report.loading import changed_items, check_clusters, judgements_digest, judgements_stamp
from agreement.report.parameters import clean_parameters
from agreement.report.unsaid import LIVE_ITEMS
from agreement.spans.encoders import encoder_label
from annotation.access import kept_from
from annotation.codebooks.definition import FOCUS
from annotation.items.clusters import ClusterRefused
from annotation.models import Membership, Round
from core.canonical_json import sha256_of
from core.errors import Refused

State = AgreementReport.State
PENDING = (State.QUEUED, State.RUNNING, State.IN_PARTS)

_LONG = ("figures", "change", "crosscheck_result")

DRAFT = "draft"
OPEN = "open"
ANNOTATES = "annotates"
JUDGES = "judges"

FEW_TEXTS = 5
"""A report on fewer texts than this tells of single ones."""

HIDDEN = {
    DRAFT: gettext_lazy(
        "Nobody has judged in this round yet. Open it; the report is computed when it closes."
    ),
    OPEN: gettext_lazy(
        "While a round is open nobody sees the judgements of others. Close it, and the report is computed."
    ),
    ANNOTATES: gettext_lazy(
        "You annotate in this round, so its agreement stays hidden from you until it closes."
    ),
    JUDGES: gettext_lazy(
        "This round has few texts, and an open round asks you about some of them: its agreement stays hidden "
        "from you until that round closes."
    ),
}


class ReportHidden(Refused):
    """The report of this round may not be shown; `why` is one of HIDDEN."""

    def __init__(self, why: str) -> None:
        super().__init__(
            "not_allowed" if why in (ANNOTATES, JUDGES) else "round_not_closed", str(HIDDEN[why])
        )
        self.why = why


@dataclass(frozen=True, slots=True)
class CurrentReport:
    """What there is to show of a round's agreement.

    report: the newest finished one; pending: one that waits or runs; failed: the newest try, where it failed.
    out_of_date: the judgements (or the code) are no longer those that `report` was computed from.
    """

    report: AgreementReport | None
    pending: AgreementReport | None
    failed: AgreementReport | None
    out_of_date: bool


def report_visible(*, member: Membership, round: Round) -> None:
    """Raise ReportHidden where this lead may not see the agreement of the round as it is now."""
    if round.status == Round.Status.DRAFT:
        raise ReportHidden(DRAFT)
    if round.status == Round.Status.OPEN:
        if not round.live_agreement:
            raise ReportHidden(OPEN)
        if round.assignments.filter(member=member).exists():
            raise ReportHidden(ANNOTATES)
    elif kept_from(member, round) and round.round_items.count() < FEW_TEXTS:
        raise ReportHidden(JUDGES)


def figures_readable(report: AgreementReport, member: Membership) -> ReportFigures:
    """Return the figures for a member. They are of all texts together, but for the tables by a field.

    A field may have a value that one text alone has: these tables are left out while an open round asks the
    member about a text of the report's round.
    """
    figures: ReportFigures = report.figures
    return {**figures, "cross": []} if kept_from(member, report.round) else figures


def report_request(*, round: Round, parameters: Mapping[str, Any] | None = None) -> AgreementReport:
    """Return the report of the round as it is now: finished, already asked for, or newly queued.

    Raises ParametersRefused for a wrong parameter and ReportHidden for a round that has no report now.
    """
    live = _is_live(round)
    clean = {**clean_parameters(parameters), "live": live, **_encoder(round, live=live)}
    if "cluster" in clean:
        check_clusters(round, clean["cluster"])
    parameters_sha256 = sha256_of(clean)
    reports = AgreementReport.objects.filter(round=round, parameters_sha256=parameters_sha256)
    pending = reports.filter(state__in=PENDING).first()
    if pending:
        return pending
    shown = _newest_finished(reports) if live else None
    if shown is not None and not report_out_of_date(shown, round):
        return shown
    finished = reports.filter(
        state=State.DONE, stamp=judgements_stamp(round), code_version=REPORT_VERSION
    ).first()
    if finished and not _encoder_missing(finished):
        AgreementReport.objects.filter(id=finished.id).update(requested_at=timezone.now())
        return finished
    try:
        with transaction.atomic():
            reports.filter(state=State.FAILED).delete()
            return AgreementReport.objects.create(
                round=round, parameters=clean, parameters_sha256=parameters_sha256
            )
    except IntegrityError:  # another request came first
        return reports.get(state__in=PENDING)


def report_current(*, round: Round, whole: bool = False) -> CurrentReport:
    """Return the newest finished report of the round with what is under way.

    What is long in it (figures, change, crosscheck) is read at once if `whole`, else where it is asked for.
    """
    reports = _reports(round)
    if not whole:
        reports = reports.defer(*_LONG)
    finished = _newest_finished(reports)
    newest = reports.exclude(state=State.DONE).order_by("-requested_at", "-id").first()
    if newest and finished and newest.requested_at < finished.requested_at:
        newest = None
    return CurrentReport(
        report=finished,
        pending=newest if newest and newest.state in PENDING else None,
        failed=newest if newest and newest.state == State.FAILED else None,
        out_of_date=finished is not None and report_out_of_date(finished, round),
    )


def report_finished(round: Round) -> AgreementReport | None:
    """Return the newest finished report of the round, without looking whether it is out of date."""
    return _newest_finished(_reports(round).defer(*_LONG))


def _reports(round: Round) -> QuerySet[AgreementReport]:
    return AgreementReport.objects.filter(round=round, parameters__live=round.status == Round.Status.OPEN)


def _newest_finished(reports: QuerySet[AgreementReport]) -> AgreementReport | None:
    return reports.filter(state=State.DONE).order_by("-requested_at", "-id").first()


def report_shown(current: CurrentReport) -> AgreementReport | None:
    """Return the row whose state is the round's: what is under way, else what failed, else what is done."""
    return current.pending or current.failed or current.report


def report_out_of_date(report: AgreementReport, round: Round) -> bool:
    """Whether the report was computed by older code, from other judgements, or with another encoder.

    A live one is not before a few items more have changed: two reports that differ by one item tell of it.
    """
    if report.code_version != REPORT_VERSION:
        return True
    if report.parameters["live"] and changed_items(round, report.computed_at) < LIVE_ITEMS:
        return False
    expected = _encoder(round, live=report.parameters["live"])
    if report.parameters.get("encoder") != expected.get("encoder"):
        return True
    if report.stamp == judgements_stamp(round):
        return False
    try:
        return report.judgements_sha256 != judgements_digest(round, cluster=report.parameters.get("cluster"))
    except ClusterRefused:
        return True


def live_reports_due() -> list[Round]:
    """Return the open rounds with live agreement whose judgements changed since their last report."""
    rounds = Round.objects.filter(status=Round.Status.OPEN, live_agreement=True)
    due = []
    for round in rounds.select_related("project", "codebook"):
        current = report_current(round=round)
        if not current.pending and (current.report is None or current.out_of_date):
            due.append(round)
    return due


def _encoder(round: Round, *, live: bool) -> dict[str, str]:
    """Return the parameter that names the encoder; a live report, computed again and again, has none."""
    wanted = settings.ENCODER
    return (
        {"encoder": encoder_label(wanted)} if wanted and not live and round.project.protocol == FOCUS else {}
    )


def _encoder_missing(report: AgreementReport) -> bool:
    """Whether the report lacks the figures of an encoder that may be there by now."""
    return bool((report.figures or {}).get("encoder", {}).get("reason"))


def _is_live(round: Round) -> bool:
    if round.status == Round.Status.DRAFT:
        raise ReportHidden(DRAFT)
    if round.status == Round.Status.OPEN and not round.live_agreement:
        raise ReportHidden(OPEN)
    return round.status == Round.Status.OPEN
