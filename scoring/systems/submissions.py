"""Submitting a system's files: checked whole first, so that nothing is stored where a row is refused.

See docs/decisions/scoring.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import PurePath
from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.utils.translation import gettext, ngettext

from annotation.access import refuse_archived
from annotation.limits import unfit
from annotation.models import Membership, ProjectEvent
from core.canonical_json import sha256_of
from core.errors import Refused
from core.stored_files import forget_stored
from core.texts import storable
from exports.models import Release
from scoring.evaluation.faults import LISTED, AnswersRefused, CannotScore, Fault
from scoring.evaluation.references import Benchmark
from scoring.evaluation.sources import benchmark_of_release
from scoring.evaluation.submissions import Submission as ReadSubmission
from scoring.evaluation.submissions import read_submission
from scoring.models import Submission, SubmissionFile, System
from scoring.systems.storage import read_submitted, release_files, store_submitted
from scoring.triggers import LIMITS

MOST_RUNS = 20

Runs = list[tuple[ReadSubmission, str]]
"""What each file says, and its SHA-256."""


class FilesRefused(Refused):
    """Rows of systems' files were refused, nothing was stored; `faults` says which, `more` how many else."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        n = len(faults)
        words = ngettext(
            "%(n)s fault in the files: nothing was stored.",
            "%(n)s faults in the files: nothing was stored.",
            n,
        ) % {"n": n}
        super().__init__("invalid", words, errors={"files": words})
        self.faults = tuple(faults[:LISTED])
        self.more = max(0, n - LISTED)


class HandedIn(NamedTuple):
    """A file as somebody hands it in."""

    name: str
    data: bytes


def check_files(
    release: Release, files: Sequence[HandedIn], *, split: str | None = None, system: str = ""
) -> tuple[Benchmark, Runs]:
    """Read files against a split of a release, by default that which has all their items.

    Raises FilesRefused with all faults, and Refused where they cannot be checked at all.
    """
    if not files:
        raise _refused(gettext("Choose the system’s file, or several files that are runs of it."))
    if len(files) > MOST_RUNS:
        raise _refused(gettext("At most %(n)s files are runs of one system.") % {"n": MOST_RUNS})
    if release.state != Release.State.DONE:
        raise Refused(
            "not_ready", gettext("Release %(version)s is not built.") % {"version": release.version}
        )
    contents = [file.data for file in files]
    try:
        benchmark = benchmark_of_release(release_files(release), contents, split=split or None, system=system)
    except AnswersRefused as refused:
        raise FilesRefused(refused.faults) from None
    except CannotScore as problem:
        raise Refused("invalid", str(problem), errors={"split": str(problem)}) from None
    runs = [
        (read_submission(file.data, file.name, benchmark), hashlib.sha256(file.data).hexdigest())
        for file in files
    ]
    if faults := [fault for run, _ in runs for fault in run.faults]:
        raise FilesRefused(faults)
    return benchmark, runs


def submission_create(
    *,
    system: System,
    release: Release,
    files: Sequence[HandedIn],
    split: str | None = None,
    by: Membership | None = None,
) -> Submission:
    """Store the files of a system, each a run of it, or return the submission that has the same ones."""
    refuse_archived(system.project)
    files = [HandedIn(plain_name(file.name), file.data) for file in files]
    benchmark, runs = check_files(release, files, split=split, system=system.name)
    return store_submission(system=system, release=release, files=files, read=(benchmark, runs), by=by)


def store_submission(
    *,
    system: System,
    release: Release,
    files: Sequence[HandedIn],
    read: tuple[Benchmark, Runs],
    by: Membership | None = None,
) -> Submission:
    """Store files that `check_files` found nothing wrong with."""
    benchmark, runs = read
    values = {
        "release": release,
        "split": benchmark.provenance.get("split") or "",
        "digest": sha256_of([sha256 for _, sha256 in runs]),
    }
    there = system.submissions.filter(**values).first()
    if there is not None:
        return there
    places = store_submitted(file.data for file in files)
    try:
        with transaction.atomic():
            submission = system.submissions.create(created_by=by, **values)
            SubmissionFile.objects.bulk_create(
                SubmissionFile(
                    submission=submission,
                    run=number,
                    name=file.name,
                    sha256=sha256,
                    size=len(file.data),
                    storage=place,
                    items_missing=len(found.missing),
                    notes=_notes(found),
                )
                for number, (file, (found, sha256), place) in enumerate(
                    zip(files, runs, places, strict=True), start=1
                )
            )
            ProjectEvent.objects.create(
                project=system.project,
                member=by,
                action="answers submitted",
                details={"system": system.name, "release": release.version, "runs": len(files)},
            )
    except IntegrityError:
        forget_stored(places)
        there = system.submissions.filter(**values).first()
        if there is None:
            raise
        return there
    except BaseException:
        forget_stored(places)
        raise
    return submission


def submission_opened(submission: Submission) -> tuple[Benchmark, Runs]:
    """Read a stored submission again, against its release. Raises Refused where bytes have changed."""
    files = [HandedIn(file.name, read_submitted(file)) for file in submission.files.order_by("run")]
    system = submission.system.name
    return check_files(submission.release, files, split=submission.split, system=system)


def benchmark_opened(submission: Submission) -> Benchmark:
    """Read the references that a stored submission is scored against."""
    return benchmark_of_release(
        release_files(submission.release),
        [],
        split=submission.split or None,
        system=submission.system.name,
    )


def _notes(found: ReadSubmission) -> list[list[str]]:
    """Return item, place and words of the first notes, and how many more there are."""
    notes = [[note.item, note.place, storable(note.message)] for note in found.notes[:LISTED]]
    more = len(found.notes) - LISTED
    return [*notes, ["", "", f"… and {more} more"]] if more > 0 else notes


def plain_name(name: str) -> str:
    """Return a file's name without the folders before it. Raises Refused for one that cannot be stored."""
    name = PurePath(name.replace("\\", "/")).name[-255:]
    if not name or unfit(name, LIMITS["submissionfile"]["name"]):
        raise _refused(gettext("Give the file a plain name."))
    return name


def _refused(message: str) -> Refused:
    return Refused("invalid", message, errors={"files": message})
