"""Which earlier round a round is compared with."""

from __future__ import annotations

from collections.abc import Iterable

from annotation.models import Project, Round


def rounds_comparable(project: Project) -> list[Round]:
    """Return the rounds that later ones may be compared with: closed, no training, the newest first."""
    closed = project.rounds.filter(status=Round.Status.CLOSED).exclude(purpose=Round.Purpose.TRAINING)
    codebooks = closed.select_related("project", "codebook")
    return list(codebooks.defer("codebook__source", "codebook__guideline").order_by("-number"))


def round_before(round: Round, comparable: Iterable[Round] | None = None) -> Round | None:
    """Return the last closed round before this one that asked a type of it too (or, like it, questions)."""
    found = rounds_comparable(round.project) if comparable is None else comparable
    asked = set(round.type_codes)
    earlier = (one for one in found if one.number < round.number)
    return next((one for one in earlier if not asked or asked.intersection(one.type_codes)), None)
