"""Checking an upload in full, against what of the split is public: no reference is opened for it.

So neither what a check answers nor how long it takes can depend on the references.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.codebooks.toml_reader import read_codebook
from annotation.models import Protocol
from boards.models import MOST_CHECKS, BoardVersion, Team, UploadCheck
from core.errors import Refused
from exports.models import Release
from scoring.evaluation.faults import Findings
from scoring.evaluation.json_file import items_of
from scoring.evaluation.references import Argument, Benchmark, Intervention, type_names
from scoring.evaluation.submissions import read_submission
from scoring.systems.storage import release_files
from scoring.systems.submissions import FilesRefused, HandedIn, Runs, plain_name

_TRIES = 2 * MOST_CHECKS


def upload_check(
    *, team: Team, version: BoardVersion, files: Sequence[HandedIn], now: datetime | None = None
) -> tuple[Benchmark, Runs, list[HandedIn]]:
    """Read the files of an entry, which costs a check and no entry.

    Raises FilesRefused with all faults, and Refused beyond MOST_CHECKS an hour or for too many files.
    """
    most = team.board.most_runs
    if not files:
        raise _refused(gettext("Choose the system’s file."))
    if len(files) > most:
        words = gettext("This board takes one file a submission.")
        if most > 1:
            words = gettext("This board takes at most %(n)s files a submission, each a run.") % {"n": most}
        raise _refused(words)
    named = [HandedIn(plain_name(file.name), file.data) for file in files]
    _count(team, now or timezone.now())
    public = public_benchmark(version)
    runs = [
        (
            read_submission(file.data, file.name, public, complete=True, distinct=True),
            hashlib.sha256(file.data).hexdigest(),
        )
        for file in named
    ]
    if faults := [fault for run, _ in runs for fault in run.faults]:
        raise FilesRefused(faults)
    if len({sha256 for _, sha256 in runs}) < len(runs):
        raise _refused(gettext("Two of the files are the same: runs differ."))
    return public, runs, named


def public_benchmark(version: BoardVersion) -> Benchmark:
    """Return the items of a version's split as everybody may know them, without a reference."""
    release = version.release
    return _public(release.pk, release.digest, version.split)


@lru_cache(maxsize=8)
def _public(release_id: int, digest: str, split: str) -> Benchmark:
    # The digest is of all bytes of the release: what is kept holds as long as it does.
    release = Release.objects.select_related("project").get(pk=release_id, digest=digest)
    files = release_files(release)
    codebook = read_codebook(files.read("codebook.toml").decode("utf-8"), "codebook.toml")
    names = type_names(codebook)
    made = Benchmark(codebook, names)
    provenance = {"split": split or None}
    entries = _public_entries(release, split)
    if made.is_focus:
        arguments = {
            item: Argument(str(entry.get("argument", "")), {}, {}) for item, entry in entries.items()
        }
        return Benchmark(codebook, names, arguments=arguments, provenance=provenance)
    interventions = {item: Intervention("", ()) for item in entries}
    return Benchmark(codebook, names, interventions=interventions, provenance=provenance)


def template_json(version: BoardVersion) -> bytes:
    """Return a file to be filled in: every item of the split with its text, where that is public."""
    focus = version.release.project.protocol != Protocol.CQS_GEN
    kept = ("argument_id", "argument") if focus else ("intervention_id", "intervention")
    empty: dict[str, Any] = {"fsq_types": [], "spans": []} if focus else {"cqs": []}
    found = {
        item: {**{name: entry[name] for name in kept if name in entry}, **empty}
        for item, entry in _public_entries(version.release, version.split).items()
    }
    return json.dumps(found, ensure_ascii=False, indent=1).encode()


def _public_entries(release: Release, split: str) -> Mapping[str, Mapping[str, Any]]:
    stem = "cqs_gen" if release.project.protocol == Protocol.CQS_GEN else "focus"
    name = f"{stem}.{split}.json" if split else f"{stem}.json"
    return items_of(release_files(release).read(name), Findings(name), limited=False)


def _count(team: Team, now: datetime) -> None:
    """Take a place among the checks of this hour. Raises Refused where there is none left."""
    hour = now.replace(minute=0, second=0, microsecond=0)
    for _ in range(_TRIES):
        last = team.checks.filter(hour=hour).order_by("-slot").values_list("slot", flat=True).first() or 0
        if last >= MOST_CHECKS:
            break
        try:
            with transaction.atomic():
                UploadCheck.objects.create(team=team, hour=hour, slot=last + 1)
        except IntegrityError:
            continue  # somebody of the team took it meanwhile
        if last == 0:
            team.checks.filter(hour__lt=hour).delete()
        return
    words = gettext(
        "Your team has had %(n)s files checked in this hour. Go on in the next one: %(when)s UTC."
    )
    raise Refused("not_ready", words % {"n": MOST_CHECKS, "when": f"{(hour.hour + 1) % 24:02}:00"})


def _refused(message: str) -> Refused:
    return Refused("invalid", message, errors={"files": message})
