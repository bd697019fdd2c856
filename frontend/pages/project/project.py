"""A project's own page: what is done and next for leads, my rounds for annotators.

See docs/decisions/leads.md.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_GET

from agreement.adjudication.queue import queue_left
from agreement.computation.requests import report_finished
from agreement.report.comparison import round_before, rounds_comparable
from annotation import access
from annotation.adjudication.discussion import discussions_open, mentions_open
from annotation.backups import last_backup
from annotation.importing.screening import criteria_of
from annotation.items.filtered import filtered_items
from annotation.models import Codebook, Import, Item, Membership, Project, Round
from annotation.projects.change_sign import project_stamp
from annotation.projects.invitations import invitations_waiting
from annotation.rounds.follow_up import FollowUp, follow_up_of
from annotation.rounds.progress import MemberProgress, progress_of_round
from core.cache import cached
from frontend.decorators import login_required
from frontend.own_work import own_work
from frontend.pages.common import page_of, project_page

ROUNDS_PER_PAGE = 25
BARS_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Step:
    """One line of the checklist: what it is about, whether it is done, and where to do it."""

    title: str
    says: str
    done: bool
    url: str
    act: str
    is_next: bool = False


@dataclass(frozen=True, slots=True)
class RoundRow:
    """One round of the table, with its annotators' progress while it is open."""

    round: Round
    n_items: int
    progress: list[MemberProgress]
    newest_version: int
    before: Round | None
    waiting: int
    """Units of a closed round that a lead has to decide."""
    discussed: int
    """Units of a closed round that people talk about and have not settled."""
    mentioning: int
    """Those of them in which the reader is mentioned."""

    @property
    def decided(self) -> int:
        return sum(row.decided for row in self.progress)

    @property
    def total(self) -> int:
        return sum(row.total for row in self.progress)

    @property
    def shown(self) -> list[MemberProgress]:
        """The annotators with most left, as many as the row has room for."""
        behind = sorted(self.progress, key=lambda row: (-row.left, row.member.pk))[:BARS_SHOWN]
        return sorted(behind, key=lambda row: row.member.pk)

    @property
    def n_more(self) -> int:
        return len(self.progress) - len(self.shown)

    @property
    def old_version(self) -> bool:
        return self.round.codebook.version < self.newest_version


@login_required
@require_GET
def project(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the project as its lead or as its annotator needs it."""
    member = access.member_or_404(request.user, slug)
    mentions = mentions_open([member])
    own = _own_rounds(member, mentions) if member.is_annotator else []
    if not member.is_lead:
        return project_page(request, "project/annotator.html", member, tab="project", own=own)
    page = page_of(
        request, member.project.rounds.select_related("codebook").order_by("-number"), ROUNDS_PER_PAGE
    )
    n_items = items_there(member.project, project_stamp(member.project))
    n_annotators = annotators_there(member.project)
    steps = checklist(member.project, n_items, n_annotators)
    newest = member.project.codebooks.latest("version")
    return project_page(
        request,
        "project/lead.html",
        member,
        tab="project",
        own=[entry for entry in own if entry["round"].status == Round.Status.OPEN],
        page=page,
        rows=_rows(member, list(page), mentions),
        steps=[] if all(step.done for step in steps) else steps,
        newest=newest,
        follow_up=_follow_up(member.project, newest),
        n_items=n_items,
        n_annotators=n_annotators,
        screens=bool(criteria_of(member.project)),
        backup=last_backup(),
    )


def checklist(project: Project, n_items: int, n_annotators: int) -> list[Step]:
    """Return the four steps from an empty project to its first open round; the first undone is next."""
    n_invited = invitations_waiting(project).count()
    newest = project.codebooks.latest("version")
    rounds = project.rounds.all()
    started = rounds.exclude(status=Round.Status.DRAFT).exists()
    draft = rounds.filter(status=Round.Status.DRAFT).order_by("number").first()
    title = newest.definition.get("title") or newest.definition.get("name")
    steps = [
        (
            gettext("Import items"),
            ngettext("%(n)s text is here.", "%(n)s texts are here.", n_items) % {"n": f"{n_items:,}"}
            if n_items
            else gettext("Bring in the texts that will be judged, as a file."),
            n_items > 0,
            reverse("items_import", args=[project.slug]),
            gettext("Import items"),
        ),
        (
            gettext("Codebook"),
            gettext("Version %(version)s: %(title)s. Read the guideline as your annotators will.")
            % {"version": newest.version, "title": title},
            True,
            reverse("codebook", args=[project.slug]),
            gettext("Read or edit"),
        ),
        (
            gettext("People"),
            gettext("%(n)s annotators take part.") % {"n": n_annotators}
            if n_annotators > 1
            else ngettext(
                "One invitation waits to be accepted. Agreement needs at least two annotators.",
                "%(n)s invitations wait to be accepted. Agreement needs at least two annotators.",
                n_invited,
            )
            % {"n": n_invited}
            if n_invited
            else gettext("Agreement needs at least two annotators. Invite them by a link."),
            n_annotators > 1,
            reverse("people", args=[project.slug]),
            gettext("Invite people"),
        ),
        (
            gettext("First round"),
            gettext("Running or done.")
            if started
            else gettext("%(name)s is a draft: draw its items, then open it.") % {"name": draft.name}
            if draft
            else gettext("Decide how many texts, who judges them, and how many people judge each text."),
            started,
            reverse("round", args=[project.slug, draft.number])
            if draft
            else reverse("round_new", args=[project.slug]),
            gettext("Go on with %(name)s") % {"name": draft.name} if draft else gettext("Plan round 1"),
        ),
    ]
    first_undone = next((index for index, step in enumerate(steps) if not step[2]), None)
    return [Step(*step, is_next=index == first_undone) for index, step in enumerate(steps)]


def items_there(project: Project, stamp: str) -> int:
    """Return how many items a project has that are not withdrawn, counted once for each `project_stamp`."""
    return cached(f"items:{project.pk}:{stamp}", lambda: _count_items(project))


def _count_items(project: Project) -> int:
    # By the few imports that are done, whose items an index counts: a join would look at every item.
    done = list(project.imports.filter(state=Import.State.DONE).order_by().values_list("pk", flat=True))
    withdrawn = project.items.filter(brought_by__in=done, withdrawn_at__isnull=False)
    return Item.objects.filter(brought_by__in=done).count() - withdrawn.count()


def filtered_there(project: Project, stamp: str) -> int:
    """Return how many of the usable items a filter marked, counted once for each `project_stamp`."""
    told = f"filtered-items:{project.pk}:{stamp}"
    return cached(told, lambda: filtered_items(project, access.visible_items(project)).count())


def annotators_there(project: Project) -> int:
    """Return how many active annotators the project has."""
    return project.memberships.filter(is_annotator=True, is_active=True).count()


def _rows(member: Membership, rounds: list[Round], mentions: Counter[tuple[int, int]]) -> list[RoundRow]:
    project = member.project
    drawn = {round.pk: _drawn(round) for round in rounds}  # each from an index; GROUP BY sorts
    newest = project.codebooks.latest("version").version
    comparable = rounds_comparable(project)
    return [
        RoundRow(
            round,
            drawn[round.pk],
            progress_of_round(round) if round.status == Round.Status.OPEN else [],
            newest,
            round_before(round, comparable) if round in comparable else None,
            _waiting(round),
            discussions_open(round) if round.status == Round.Status.CLOSED else 0,
            mentions[member.pk, round.pk],
        )
        for round in rounds
    ]


def _drawn(round: Round) -> int:
    if round.closed_at is None:
        return round.drawn.count()
    # Nothing is drawn into a closed round; an import that brings more closes it anew.
    return cached(f"drawn:{round.pk}:{round.closed_at.isoformat()}", round.drawn.count)


def _waiting(round: Round) -> int:
    report = report_finished(round) if round.status == Round.Status.CLOSED else None
    return queue_left(report) if report else 0


def _follow_up(project: Project, newest: Codebook) -> FollowUp | None:
    """Return the round that the newest version calls for, until a round on it is planned."""
    if project.archived_at or project.rounds.filter(codebook=newest).exists():
        return None
    return follow_up_of(project, newest)


def _own_rounds(member: Membership, mentions: Counter[tuple[int, int]]) -> list[dict[str, Any]]:
    """Return the member's rounds, open ones first, each with the member's own progress."""
    rounds = (
        member.project.rounds.filter(assignments__member=member, assignments__released_at__isnull=True)
        .exclude(status=Round.Status.DRAFT)
        .exclude(status=Round.Status.OPEN, imported=True)
        .select_related("codebook", "project")
        .distinct()
    )
    return [
        {"round": work.round, "own": work.own, "work": work, "mentioning": mentions[member.pk, work.round.pk]}
        for work in own_work(member, rounds)
    ]
