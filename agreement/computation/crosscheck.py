"""The cross-check of a finished report, by a task of its own: the libraries take seconds to import alone.

What is compared are the stored figures, not figures computed anew. The report's own lease, which nobody holds
once it is done, says whether a worker is at it (core.jobs).
"""

from __future__ import annotations

import subprocess
import sys
import time
import uuid
from collections import Counter
from typing import Any, cast

from django.conf import settings
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from agreement.computation.crosscheck_labels import (
    CHECKABLE,
    CHECKED,
    CHECKED_SUBSET,
    DIFFERS,
    NOT_CHECKED,
    Check,
    cross_check,
)
from agreement.computation.crosscheck_rouge import ROUGE, rouge_checks
from agreement.computation.crosscheck_strata import check_strata
from agreement.models import AgreementReport
from agreement.report.assembly import REPORT_VERSION
from agreement.report.figures import CheckedFigure, CrosscheckFigures, SectionFigures
from agreement.report.loading import judgements_of, read_texts
from agreement.report.sections import Section, build_sections
from agreement.statistics.estimates import Estimate, PairEstimate, TableResult
from agreement.statistics.figures import EstimateFigures
from core.jobs import ATTEMPTS, LEASE, PATIENCE, beating

JUDGEMENTS_CHANGED = "the judgements have changed since; compute the report again"
CODE_CHANGED = "the program has changed since; compute the report again"

Crosscheck = AgreementReport.Crosscheck


def report_crosscheck(*, report_id: int) -> str:
    """Compute the stored figures of a report again by other libraries; return and store the outcome."""
    token = uuid.uuid4().hex
    waiting = _unchecked().filter(Q(lease_until=None) | _is_lost(), id=report_id)
    claimed = waiting.update(
        crosscheck_attempts=F("crosscheck_attempts") + 1,
        lease_token=token,
        lease_until=timezone.now() + LEASE,
    )
    if not claimed:
        return ""
    mine = AgreementReport.objects.filter(id=report_id, lease_token=token)
    began = time.monotonic()
    with beating(
        lambda: bool(mine.update(lease_until=timezone.now() + LEASE)), lambda: began, "a cross-check"
    ):
        outcome, result = _compared(report_id)
    stored = mine.update(
        crosscheck=outcome, crosscheck_result=result, crosscheck_attempts=ATTEMPTS, lease_until=None
    )
    return outcome if stored else ""


def report_crosscheck_apart(*, report_id: int) -> None:
    """Do the same in a process of its own, so that its libraries are gone when it ends.

    Raises CalledProcessError where it could not come to an end: the sweep tries again.
    """
    command = [sys.executable, "-m", "agreement.computation.subprocess_main", str(report_id)]
    subprocess.run(command, cwd=settings.BASE_DIR, check=True)


def _compared(report_id: int) -> tuple[str, CrosscheckFigures]:
    report = AgreementReport.objects.select_related("round__project", "round__codebook").get(id=report_id)
    judgements = judgements_of(report)
    if report.code_version != REPORT_VERSION:
        return Crosscheck.UNCHECKED, {"why": CODE_CHANGED}
    if judgements.digest() != report.judgements_sha256:
        return Crosscheck.UNCHECKED, {"why": JUDGEMENTS_CHANGED}
    stored = {section["key"]: section for section in report.figures["sections"]}
    sections = build_sections(judgements)
    rouge = rouge_checks(judgements, sections, stored, texts=read_texts)
    checks = {
        section.key: (
            *_of_labels(section, result_of(stored[section.key])),
            *rouge.get(section.key, ()),
        )
        for section in sections
    }
    return _outcome(checks), _result(checks)


def _of_labels(section: Section, result: TableResult) -> tuple[Check, ...]:
    strata, q = section.strata, len(section.categories)
    if strata is not None:
        return check_strata(strata, q=q, result=result)
    return cross_check(section.ratings, q=q, result=result)


def crosscheck_sweep() -> list[int]:
    """Return the finished reports whose cross-check was lost: never sent, or its worker died."""
    never_sent = Q(lease_until=None, computed_at__lt=timezone.now() - PATIENCE)
    found = _unchecked().filter(never_sent | _is_lost())
    return list(found.order_by("id").values_list("id", flat=True))


def _unchecked() -> QuerySet[AgreementReport]:
    return AgreementReport.objects.filter(
        state=AgreementReport.State.DONE,
        crosscheck=Crosscheck.UNCHECKED,
        crosscheck_attempts__lt=ATTEMPTS,
    )


def _is_lost() -> Q:
    return Q(lease_until__lt=timezone.now())


def result_of(section: SectionFigures) -> TableResult:
    """Return the stored figures of a section as the result they were written from, without intervals."""
    return TableResult(
        n_items=section["n_items"],
        n_pairable=section["n_pairable"],
        n_ratings=section["n_ratings"],
        n_pairable_ratings=section["n_pairable_ratings"],
        n_raters=section["n_raters"],
        n_categories=section["n_categories"],
        pairs_undefined=section["pairs_undefined"],
        label_counts=tuple(section["labels"].values()),
        estimates={name: _estimate(stored) for name, stored in section["estimates"].items()},
        pairs=tuple(
            PairEstimate(
                first=pair["first"],
                second=pair["second"],
                n_common=pair["n_common"],
                kappa=_estimate(pair["kappa"]),
                observed_agreement=_estimate(pair["observed_agreement"]),
            )
            for pair in section["pairs"]
        ),
    )


def _estimate(stored: EstimateFigures) -> Estimate:
    return Estimate(stored["value"], reason=stored["reason"])


def _outcome(checks: dict[str, tuple[Check, ...]]) -> str:
    """Say whether all figures that are due agree, some, or none; one that differs decides."""
    statuses = Counter(check.status for found in checks.values() for check in found if _is_due(check))
    if statuses[DIFFERS]:
        return Crosscheck.DIFFERS
    if not statuses[CHECKED]:
        return Crosscheck.UNCHECKED
    return Crosscheck.AGREES if len(statuses) == 1 else Crosscheck.PARTLY


def _is_due(check: Check) -> bool:
    return check.name in (*CHECKABLE, *ROUGE) and check.ours is not None


def _result(checks: dict[str, tuple[Check, ...]]) -> CrosscheckFigures:
    due = [check for found in checks.values() for check in found if _is_due(check)]
    return {
        "checked": sum(check.status == CHECKED for check in due),
        "checked_subset": sum(check.status == CHECKED_SUBSET for check in due),
        "due": len(due),
        "libraries": sorted({check.library for check in due if check.library}),
        "why_not": dict(sorted(Counter(check.why for check in due if check.why).items())),
        "figures": _by_figure([check for found in checks.values() for check in found]),
        "differs": [
            {"section": key, **check.to_json()}
            for key, found in checks.items()
            for check in found
            if check.status == DIFFERS
        ],
    }


def _by_figure(checks: list[Check]) -> list[CheckedFigure]:
    """Say of each figure how often it was checked and how often not, and why; pairs of annotators apart."""
    rows: dict[tuple[str, bool], dict[str, Any]] = {}
    for check in checks:
        row = rows.setdefault(
            (check.name, check.pair is not None),
            {
                "name": check.name,
                "pairs": check.pair is not None,
                "library": None,
                **dict.fromkeys((CHECKED, CHECKED_SUBSET, NOT_CHECKED, DIFFERS), 0),
                "why": {},
            },
        )
        row[check.status] += 1
        row["library"] = row["library"] or check.library
        if check.why:
            row["why"][check.why] = row["why"].get(check.why, 0) + 1
    return cast(list[CheckedFigure], list(rows.values()))
