"""Making a matching round of submissions: identical questions once, systems mixed and unnamed.

See docs/decisions/scoring.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.db import transaction
from django.utils.translation import gettext

from annotation.access import refuse_archived, visible_items
from annotation.models import Membership, Project, Protocol, Round
from annotation.rounds.matching import Candidate, MatchItem, matching_round_create
from core.canonical_json import sha256_of
from core.errors import Refused
from scoring.evaluation.questions import words_key
from scoring.evaluation.references import Benchmark
from scoring.models import Candidate as CandidateRow
from scoring.models import Matching, Submission
from scoring.systems.submissions import submission_opened

MOST_OVERLAP = 1000
"""As of any round."""


class Source(NamedTuple):
    """Where a question is from."""

    submission: Submission
    run: int
    number: int


@dataclass(slots=True)
class Asked:
    """One question with all that asked it in the same words, and the places of their own references."""

    text: str
    sources: list[Source] = field(default_factory=list)
    left_out: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Made:
    """A matching round as it was made: how many questions are asked, of how many that were handed in.

    `without` counts the questions about items that have no references, or that are withdrawn by now.
    """

    round: Round
    asked: int
    handed_in: int
    without: int


def newest_submissions(
    project: Project, version: str, systems: Sequence[str] = (), split: str | None = None
) -> list[Submission]:
    """Return the newest submission of each system for each split of a release; of all where none is named.

    Raises Refused with what there is.
    """
    found = Submission.objects.filter(system__project=project, release__version=version).select_related(
        "system__project", "release__project"
    )
    if split is not None:
        found = found.filter(split=split)
    newest = {(one.system_id, one.split): one for one in found.order_by("id")}
    names = {one.system.name for one in newest.values()}
    if missing := sorted(set(systems) - names):
        there = ", ".join(sorted(names)) or gettext("nothing was submitted for it")
        raise _refused(
            gettext("%(missing)s: no submission for this release; there is: %(there)s.")
            % {"missing": ", ".join(missing), "there": there}
        )
    if not newest:
        raise _refused(
            gettext(
                "%(slug)s %(version)s: no system has submitted a file for it. Store one with manage.py "
                "score … --system NAME --save."
            )
            % {"slug": project.slug, "version": version}
        )
    return [one for one in newest.values() if one.system.name in (systems or names)]


def matching_make(
    *,
    submissions: Sequence[Submission],
    name: str = "",
    overlap: int = 2,
    seed: int = 0,
    by: Membership | None = None,
) -> Made:
    """Make a draft matching round of the questions of submissions for one release.

    Raises Refused, and makes nothing, where they are for several releases or have no question to ask.
    """
    if not submissions:
        raise _refused(gettext("Choose at least one submission."))
    release = submissions[0].release
    project = release.project
    refuse_archived(project)
    if project.protocol != Protocol.CQS_GEN:
        raise _refused(gettext("Only questions are matched with references: this project judges types."))
    if any(one.release_id != release.pk for one in submissions):
        raise _refused(gettext("Choose submissions for one release: references differ between releases."))
    found: dict[str, dict[Any, Asked]] = {}
    references: dict[str, list[str]] = {}
    handed_in = without = 0
    for submission in submissions:
        benchmark, runs = submission_opened(submission)
        own = benchmark.own.get(submission.system.name, frozenset())
        for number, (run, _) in enumerate(runs, start=1):
            for item, given in run.questions.items():
                handed_in += len(given)
                if not benchmark.interventions[item].questions:
                    without += len(given)
                    continue
                references.setdefault(item, [one.words for one in benchmark.interventions[item].questions])
                for question in given:
                    asked = found.setdefault(item, {}).setdefault(
                        words_key(question.words), Asked(question.words)
                    )
                    asked.sources.append(Source(submission, number, question.number))
                    asked.left_out |= _own_places(benchmark, item, own)
    keys = dict(visible_items(project).filter(external_id__in=found).values_list("external_id", "pk"))
    without += sum(len(asked.sources) for item in found if item not in keys for asked in found[item].values())
    names = [item for item in found if item in keys]
    if not names:
        raise _refused(gettext("There is no question about an item with references: nothing to match."))
    with transaction.atomic():
        made, questions = matching_round_create(
            project=project,
            items=[
                MatchItem(
                    keys[item],
                    references[item],
                    [Candidate(asked.text, frozenset(asked.left_out)) for asked in found[item].values()],
                )
                for item in names
            ],
            digest=sha256_of([submission.digest for submission in submissions]),
            name=name,
            overlap=overlap,
            seed=seed,
            by=by,
        )
        Matching.objects.create(round=made, release=release)
        CandidateRow.objects.bulk_create(
            CandidateRow(question=row, submission=source.submission, run=source.run, number=source.number)
            for item, of_item in zip(names, questions, strict=True)
            for asked, row in zip(found[item].values(), of_item, strict=True)
            for source in asked.sources
        )
    return Made(made, sum(len(of_item) for of_item in questions), handed_in, without)


def _own_places(benchmark: Benchmark, item: str, own: Iterable[str]) -> set[int]:
    known = set(own)
    return {at for at, one in enumerate(benchmark.interventions[item].questions) if one.id in known}


def _refused(message: str) -> Refused:
    return Refused("invalid", message, errors={"submissions": message})
