"""Take an import of items back while nothing is built on it."""

from django.db import transaction
from django.db.models import Count, Q
from django.utils.translation import gettext, ngettext

from annotation.importing.staging import JUDGEMENTS, delete_brought
from annotation.models import Import, Item, Membership, Project, ProjectEvent, Question, Resolution
from annotation.signals import import_undoing
from core.errors import Refused


def import_undo(brought_by: Import, *, member: Membership | None = None) -> dict[str, int]:
    """Take back a whole import of items, until something in it is used. Returns what was taken away.

    Raises Refused where a round has its items or questions, or another import built on them.
    """
    if brought_by.state != Import.State.DONE or brought_by.format == JUDGEMENTS:
        raise Refused("invalid", gettext("Only an import of items that is done can be undone."))
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=brought_by.project_id)
        _refuse_when_used(brought_by)
        counts = {
            "items": Item.objects.filter(brought_by=brought_by).count(),
            "questions": Question.objects.filter(brought_by=brought_by).count(),
            "published labels": Resolution.objects.filter(brought_by=brought_by).count(),
        }
        Import.objects.filter(pk=brought_by.pk).update(state=Import.State.UNDONE)
        ProjectEvent.objects.create(
            project=brought_by.project,
            member=member,
            action="import undone",
            details={"file": brought_by.file_name, **counts},
        )
    # Invisible since the state changed; a crash from here on leaves rows that nobody sees.
    delete_brought(brought_by)
    return counts


def _refuse_when_used(brought_by: Import) -> None:
    with_items = Q(round_items__item__brought_by=brought_by)
    with_questions = Q(round_questions__question__brought_by=brought_by)
    rounds = brought_by.project.rounds.filter(with_items | with_questions).values_list("name", flat=True)
    if names := sorted(set(rounds)):
        raise Refused(
            "in_use",
            gettext("This import cannot be undone: %(names)s has items or questions of it.")
            % {"names": ", ".join(names[:5])},
        )
    later = (
        Question.objects.filter(item__brought_by=brought_by)
        .exclude(brought_by=brought_by)
        .values("brought_by__file_name")
        .annotate(n=Count("id"))
        .order_by("brought_by__file_name")
        .first()
    )
    if later is not None:
        raise Refused(
            "in_use",
            ngettext(
                "This import cannot be undone: “%(brought_by__file_name)s” added %(n)s question to "
                "its items. Undo that import first.",
                "This import cannot be undone: “%(brought_by__file_name)s” added %(n)s questions to "
                "its items. Undo that import first.",
                later["n"],
            )
            % {"brought_by__file_name": later["brought_by__file_name"], "n": later["n"]},
        )
    if (
        Resolution.objects.filter(item__brought_by=brought_by).exclude(brought_by=brought_by).exists()
        or Resolution.objects.filter(question__brought_by=brought_by).exclude(brought_by=brought_by).exists()
    ):
        raise Refused("in_use", gettext("This import cannot be undone: something in it has been decided."))
    import_undoing.send(Import, brought_by=brought_by)
