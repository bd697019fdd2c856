"""Who may see and do what. Every query below a project starts from the project in the address.

See docs/decisions/storage.md.
"""

from typing import Any, TypeVar

from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist
from django.db.models import Manager, Model, QuerySet
from django.utils.translation import gettext

from annotation.models import Assignment, Import, Item, Membership, Project, Question, Round, RoundItem
from core.errors import NotAllowed, NotFound, Refused

Row = TypeVar("Row", bound=Model)


def get_or_none(rows: QuerySet[Row] | Manager[Row], **unique: Any) -> Row | None:
    """Return the row that a unique lookup finds, or None.

    `first()` would order and slice what is one row at most, which costs as much again as half the query.
    """
    try:
        return rows.get(**unique)
    except ObjectDoesNotExist:
        return None


def deactivated_words() -> str:
    """Tell somebody that they were deactivated, and what to do."""
    return gettext("You were deactivated in this project. Ask one of its leads to reactivate you.")


def member_or_404(user: Any, slug: str) -> Membership:
    """Return the user's active membership of the project.

    Raises NotFound for everybody else, so that an outsider cannot tell a project that exists from one that
    does not, and NotAllowed for whoever was deactivated, who knows that it does.
    """
    members = Membership.objects.select_related("project")
    membership = get_or_none(members, project__slug=slug, user_id=user.pk) if user.is_authenticated else None
    if membership is None:
        raise NotFound(gettext("There is no project “%(slug)s” that you take part in.") % {"slug": slug})
    refuse_deactivated(membership)
    return membership


def refuse_deactivated(member: Membership) -> None:
    """Refuse whoever takes no part in the project any more."""
    if not member.is_active:
        raise NotAllowed(deactivated_words(), member=member.pk)


def round_or_404(member: Membership, number: int) -> Round:
    """Return a round of the member's project by its number. Annotators see no drafts."""
    found = get_or_none(Round.objects.select_related("codebook"), project=member.project_id, number=number)
    if found is None or (found.status == Round.Status.DRAFT and not member.is_lead):
        raise NotFound(gettext("There is no round %(number)s in this project.") % {"number": number})
    found.project = member.project
    return found


def require_lead(member: Membership) -> None:
    """Refuse whoever is not a lead of the project."""
    if not member.is_lead:
        raise NotAllowed(gettext("Only a lead of this project can do this. Ask one of its leads."))


def may_make_projects(user: Any) -> bool:
    """Whether this account may make a project and lead it, by ELENCHUS_PROJECTS_BY."""
    if not user.is_authenticated:
        return False
    if settings.PROJECTS_BY == "anyone" or user.is_staff:
        return True
    leads = Membership.objects.filter(user=user.pk, is_lead=True, is_active=True)
    return settings.PROJECTS_BY == "leads" and leads.exists()


def require_may_make_projects(user: Any) -> None:
    """Refuse whoever may not make a project. The command line may: who runs the installation uses it."""
    if not may_make_projects(user):
        raise NotAllowed(
            gettext(
                "You cannot make a project here. Ask whoever runs this installation to make one for you, or "
                "a lead to invite you as a lead."
            )
        )


def require_annotator(member: Membership) -> None:
    """Refuse whoever does not annotate in the project."""
    if not member.is_annotator:
        raise NotAllowed(
            gettext("You do not annotate in this project. Ask a lead to make you an annotator."),
            member=member.pk,
        )


def judging_now(member: Membership) -> QuerySet[Assignment]:
    """Return what open rounds ask this member: until they close, the member reads nobody's judgement on it.

    The one rule for every reader of judgements, of closed rounds too, whoever asks: a lead who annotates is
    an annotator. See `readable`, `refuse_while_judging` and `kept_from`.
    """
    return member.assignments.filter(
        round__status=Round.Status.OPEN, round__imported=False, released_at__isnull=True
    )


def readable(rows: QuerySet[Row], member: Membership, item: str = "item") -> QuerySet[Row]:
    """Leave out the rows about texts that the member judges now; `item` leads to the text."""
    judged = judging_now(member)
    return rows.exclude(**{f"{item}__in": judged.values("item")}) if judged.exists() else rows


def refuse_while_judging(member: Membership, items: Any) -> None:
    """Raise Refused where the member judges one of these texts (keys, or a query of them) now."""
    found = judging_now(member).filter(item__in=items).select_related("round").first()
    if found is not None:
        raise Refused(
            "not_ready",
            gettext(
                "You judge this text in %(name)s, which is open. Until it is closed, what others said about "
                "the text stays hidden from you."
            )
            % {"name": found.round.name},
        )


def kept_from(member: Membership, round: Round) -> list[int]:
    """Return the texts of a round whose judgements are kept from the member, by their keys."""
    drawn = RoundItem.objects.filter(round=round)
    judged = judging_now(member).filter(item__in=drawn.values("item"))
    return list(judged.values_list("item", flat=True).distinct().order_by("item"))


def refuse_archived(project: Project) -> None:
    """Refuse what would bring something new into a project that was put aside."""
    if Project.objects.filter(pk=project.pk, archived_at__isnull=False).exists():
        raise Refused(
            "not_ready", gettext("%(name)s is archived: restore it first.") % {"name": project.name}
        )


def visible_items(project: Project) -> QuerySet[Item]:
    """Return the items that can be used: from imports that finished, and not withdrawn."""
    return project.items.filter(brought_by__state=Import.State.DONE, withdrawn_at__isnull=True)


def visible_questions(project: Project) -> QuerySet[Question]:
    """Return the questions of visible items that came with imports that finished; no candidates."""
    return Question.objects.filter(
        item__project=project,
        item__brought_by__state=Import.State.DONE,
        item__withdrawn_at__isnull=True,
        brought_by__state=Import.State.DONE,
        candidate=False,
    )
