"""Which lead may read the files of a release now: not one whom an open round asks about a text in it."""

from django.db.models import Q
from django.utils.translation import gettext

from annotation.access import judging_now
from annotation.models import Membership, Resolution, Round, RoundItem
from core.errors import Refused
from exports.models import Release
from exports.selection.parameters import Parameters


def refuse_release_while_judging(release: Release, member: Membership) -> None:
    """Raise Refused where a file of the release may tell what others said about a text the member judges now.

    Every file: the judgements are in the data, the raw judgements, the archive and other tools' forms alike.
    """
    judged = judging_now(member)
    if not judged.exists():
        return
    chosen = Parameters.from_json(release.parameters).rounds
    rounds = release.project.rounds.filter(Q(status=Round.Status.CLOSED) | Q(reopened_at__isnull=False))
    if chosen is not None:
        rounds = rounds.filter(name__in=chosen)
    inside = Q(item__in=RoundItem.objects.filter(round__in=rounds).values("item"))
    if chosen is None:
        labelled = Resolution.objects.filter(item__project=release.project, source=Resolution.Source.IMPORTED)
        inside |= Q(item__in=labelled.values("item"))
    found = judged.filter(inside).select_related("round").first()
    if found is not None:
        raise Refused(
            "not_ready",
            gettext(
                "You judge texts of this release in %(name)s, which is open: until it is closed you cannot "
                "download the release’s files. Another lead can."
            )
            % {"name": found.round.name},
        )
