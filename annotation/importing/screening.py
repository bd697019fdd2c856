"""Context screening: which texts passed which yes/no criterion, and sending those that passed on.

A criterion is a type without a span. An item passes it where a resolution says yes or, without one, where
more than half of the votes in closed rounds do.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum
from django.utils.translation import get_language, gettext

from annotation.access import refuse_archived, require_lead, visible_items
from annotation.importing.formats import screened
from annotation.importing.staging import ImportReport
from annotation.models import (
    Codebook,
    Item,
    Membership,
    Project,
    ProjectEvent,
    Protocol,
    Resolution,
    Round,
    RoundItem,
    TypeAnnotation,
    Upload,
)
from annotation.models.rounds import types_named
from annotation.projects.change_sign import project_stamp
from core.cache import BackgroundCount
from core.errors import Refused

BATCH = 1_000
AT_ONCE = 5_000
"""Of up to so many items the result is counted for each page; of more by a worker."""

NO_TOPIC = "(none)"


@dataclass(frozen=True, slots=True)
class Criterion:
    """A yes/no question of the codebook that asks for no span."""

    code: str
    name: str


@dataclass(frozen=True, slots=True)
class ScreeningRow:
    """One topic: items that passed each criterion, those that passed all, and how far the screening is.

    `passed` stands in the order of the criteria. `judged` have a vote or a decision on every criterion that
    they were asked, `decided` of them have a majority or a decision on every one, and `total` are all there
    are. What they were not asked they did not pass.
    """

    topic: str
    passed: tuple[int, ...]
    passed_all: int
    judged: int
    decided: int
    total: int


@dataclass(frozen=True, slots=True)
class Screening:
    """The result of a screening by topic, and `sums` over all topics, a row that the page names."""

    criteria: tuple[Criterion, ...]
    rows: list[ScreeningRow]
    sums: ScreeningRow


def criteria_of(project: Project) -> tuple[Criterion, ...]:
    """Return the criteria of a project's newest codebook; none where any of its types asks for a span."""
    newest: Codebook = project.codebooks.latest("version")
    types = newest.definition.get("types") or []
    if any(entry["span"] for entry in types):
        return ()
    return tuple(Criterion(entry["code"], entry["name"]) for entry in types)


def screening_result(project: Project) -> Screening:
    """Return how many items of each topic passed each criterion and all of them together."""
    criteria = criteria_of(project)
    codes = [criterion.code for criterion in criteria]
    decided, asked = _decided(project, codes), _asked_some(project, codes)
    by_topic: dict[str, list[int]] = defaultdict(lambda: [0] * (len(criteria) + 4))
    for pk, topic in visible_items(project).values_list("pk", "topic").iterator(chunk_size=BATCH):
        answers = [decided.get((pk, criterion.code)) for criterion in criteria]
        sums = by_topic[topic or NO_TOPIC]
        for place, answer in enumerate(answers):
            sums[place] += answer is True
        sums[-4] += bool(answers) and all(answer is True for answer in answers)
        wanted = asked.get(pk, codes)
        # A tie has votes and no answer: it is judged and not decided.
        sums[-3] += bool(wanted) and all((pk, code) in decided for code in wanted)
        sums[-2] += bool(wanted) and all(decided.get((pk, code)) is not None for code in wanted)
        sums[-1] += 1
    none = [0] * (len(criteria) + 4)
    sums = [sum(column) for column in zip(none, *by_topic.values(), strict=True)]
    rows = [_row(topic, by_topic[topic]) for topic in sorted(by_topic)]
    return Screening(criteria, rows, _row("", sums))


def screened_texts(project: Project) -> QuerySet[RoundItem, Any]:
    """Return the texts of closed rounds, whose votes the result counts, by their keys."""
    closed = project.rounds.filter(status=Round.Status.CLOSED)
    return RoundItem.objects.filter(round__in=closed).values("item")


def is_large(project: Project) -> bool:
    """Whether counting the result takes longer than a page may."""
    return project.items.count() > AT_ONCE


def screening_current(project: Project) -> tuple[Screening | None, bool]:
    """Return the result and whether it is that of the votes as they are; None where a worker has none yet.

    That of a large project is what `screening_count` found the last time.
    """
    if not is_large(project):
        return screening_result(project), True
    return screening_kept(project).last()


def screening_count(project: Project) -> None:
    """Count the result of a large project, for `screening_current`."""
    screening_kept(project).count(lambda: screening_result(project))


def screening_kept(project: Project) -> BackgroundCount[Screening]:
    """Return where a worker keeps the result of a large project."""
    return BackgroundCount(f"screening-judged:{project.pk}", project_stamp(project))


def screening_send(
    *,
    project: Project,
    target: Project,
    criteria: Sequence[str],
    member: Membership,
    target_member: Membership,
) -> Upload:
    """Ask for the items that passed all the given criteria to be copied into another project.

    It is an import there like any other, to be done by `annotation.importing.uploads.upload_import`: items
    that are there already stay as they are. Raises Refused without criteria, and where the target is not a
    FOCUS project that the person leads.
    """
    require_lead(member)
    require_lead(target_member)
    known = {criterion.code for criterion in criteria_of(project)}
    if not criteria or not set(criteria) <= known:
        raise Refused("invalid", gettext("Choose at least one criterion that counts."))
    if target.pk == project.pk or target.protocol != Protocol.FOCUS:
        raise Refused("invalid", gettext("Choose another project of the FOCUS protocol."))
    refuse_archived(target)
    size = visible_items(project).aggregate(characters=Sum("text_length"))["characters"] or 0
    return Upload.objects.create(
        project=target,
        member=target_member,
        name=f"{project.slug}-screened-{'-'.join(sorted(criteria)).lower()}.jsonl",
        size=size,
        format=screened.FORMAT,
        work=Upload.Work.IMPORT,
        language=get_language() or "",
        skip_invalid=True,
        screened_from=project,
        criteria=sorted(criteria),
    )


def write_screened(upload: Upload, path: Path) -> None:
    """Write the items that such an upload brings. Raises Refused where none has passed."""
    project = upload.screened_from
    assert project is not None
    passed = _passed(project, upload.criteria)
    if not passed:
        raise Refused(
            "not_ready", gettext("No item has passed yet: close a round first, or choose fewer criteria.")
        )
    screened.write(path, _items(project, passed))


def screened_log(upload: Upload, report: ImportReport) -> None:
    """Write into the log of the project that was screened what went where."""
    project = upload.screened_from
    assert project is not None
    ProjectEvent.objects.create(
        project=project,
        member=project.memberships.filter(user=upload.member.user).first(),
        action="screened items sent",
        details={
            "to": upload.project.slug,
            "criteria": upload.criteria,
            "items": report.counts.get("new items", 0) + report.counts.get("items already there", 0),
        },
    )


def _row(topic: str, sums: Sequence[int]) -> ScreeningRow:
    return ScreeningRow(topic, tuple(sums[:-4]), *sums[-4:])


def _passed(project: Project, criteria: Sequence[str]) -> list[int]:
    decided = _decided(project, criteria)
    return [
        pk
        for pk in visible_items(project).order_by("pk").values_list("pk", flat=True)
        if all(decided.get((pk, code)) is True for code in criteria)
    ]


def _items(project: Project, keys: Sequence[int]) -> Iterator[Item]:
    for start in range(0, len(keys), BATCH):
        yield from project.items.filter(pk__in=keys[start : start + BATCH]).order_by("pk")


def _asked_some(project: Project, codes: Sequence[str]) -> dict[int, set[str]]:
    """Return the criteria asked of each item that closed rounds asked some of them only."""
    closed = project.rounds.filter(status=Round.Status.CLOSED).exclude(purpose=Round.Purpose.TRAINING)
    asks = {round.pk: round.type_codes for round in closed.select_related("codebook")}
    found: dict[int, set[str]] = defaultdict(set)
    rows = RoundItem.objects.filter(round__in=asks).order_by().values_list("item", "round", "types")
    for item, round, types in rows.iterator(chunk_size=BATCH):
        found[item].update(types_named(types, asks[round]))
    wanted = set(codes)
    return {item: named & wanted for item, named in found.items() if not wanted <= named}


def _decided(project: Project, codes: Sequence[str]) -> dict[tuple[int, str], bool | None]:
    """Return yes or no for each (item, criterion) that has votes or a resolution; None for a tie."""
    votes = (
        TypeAnnotation.objects.filter(
            assignment__round__project=project,
            assignment__round__status=Round.Status.CLOSED,
            assignment__member__left_out_at__isnull=True,
            assignment__repeat=False,
            type_code__in=codes,
            after_reopening=False,
            applicable__isnull=False,
        )
        .exclude(assignment__round__purpose=Round.Purpose.TRAINING)
        .order_by()
        .values_list("assignment__item", "type_code")
        .annotate(yes=Count("id", filter=Q(applicable=True)), no=Count("id", filter=Q(applicable=False)))
    )
    decided = {(item, code): None if yes == no else yes > no for item, code, yes, no in votes}
    resolutions = Resolution.objects.filter(
        item__project=project, type_code__in=codes, superseded_at__isnull=True, applicable__isnull=False
    )
    decided.update(
        {
            (item, code): said
            for item, code, said in resolutions.values_list("item", "type_code", "applicable")
        }
    )
    return decided
