"""The round that a change of the codebook calls for: what it touched, on the items of an earlier round."""

from dataclasses import dataclass

from annotation.codebooks.definition import Codebook as CodebookDefinition
from annotation.codebooks.diff import codebook_changes, types_touched
from annotation.models import Codebook, Project, Round


@dataclass(frozen=True, slots=True)
class FollowUp:
    """What to ask again: types (all where there are none), of the items of a round, under a new version."""

    earlier: Round
    codebook: Codebook
    types: tuple[str, ...]


def follow_up_of(project: Project, new: Codebook, old: Codebook | None = None) -> FollowUp | None:
    """Return the round that the change to a version calls for; None where no earlier version was judged by.

    It goes back to the newest round on `old`, else on the newest earlier version that a round was judged by.
    Where the guideline changed and no type did, or the codebook has no types, everything is asked again.
    """
    judged = (
        project.rounds.filter(matching=False)
        .exclude(status=Round.Status.DRAFT)
        .exclude(purpose=Round.Purpose.TRAINING)
    )
    earlier = judged.filter(codebook__version__lt=new.version).select_related("codebook")
    earlier = earlier.order_by("-codebook__version", "-number")
    found = (earlier.filter(codebook=old).first() if old else None) or earlier.first()
    if found is None:
        return None
    definition = CodebookDefinition.from_json(new.definition)
    before = CodebookDefinition.from_json((old or found.codebook).definition)
    return FollowUp(found, new, types_touched(codebook_changes(before, definition), definition))
