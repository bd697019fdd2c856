"""What a matching round is made of and what it came to, for leads alone."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.db.models import Count
from django.utils.translation import gettext_lazy

from annotation.models import Round
from scoring.models import Candidate, Matching
from scoring.systems.new_references import new_questions
from scoring.systems.people import outcomes_of_round

OUTCOMES = {
    "matched": gettext_lazy("ask the same as a reference"),
    "Useful": gettext_lazy("new and useful"),
    "Unhelpful": gettext_lazy("new and unhelpful"),
    "Invalid": gettext_lazy("new and invalid"),
    "none": gettext_lazy("new, their label not decided"),
    "undecided": gettext_lazy("not decided"),
}


@dataclass(frozen=True, slots=True)
class MatchedSystem:
    """A submission of a matching round with how many questions it handed in."""

    submission: int
    name: str
    questions: int


@dataclass(frozen=True, slots=True)
class MatchingShown:
    """A matching round. `outcomes` are (words, number) once it is closed; `new` could become references."""

    version: str
    systems: list[MatchedSystem]
    outcomes: list[tuple[Any, int]]
    new: int


def matching_context(round: Round) -> dict[str, Any]:
    """Return `matching` for the page of a round: None where it is no matching round of systems."""
    made = Matching.objects.select_related("release").filter(round=round).first()
    if made is None:
        return {"matching": None}
    asked = Candidate.objects.filter(question__round_questions__round=round).order_by(
        "submission__system__name_key", "submission"
    )
    counted = asked.values_list("submission", "submission__system__name").annotate(n=Count("pk"))
    closed = round.status == Round.Status.CLOSED
    return {
        "matching": MatchingShown(
            version=made.release.version,
            systems=[MatchedSystem(*row) for row in counted],
            outcomes=_outcomes(round) if closed else [],
            new=len(new_questions(round)) if closed else 0,
        )
    }


def _outcomes(round: Round) -> list[tuple[Any, int]]:
    counts: Counter[str] = Counter()
    found = outcomes_of_round(round)
    for outcome in found.values():
        if outcome.matched is None:
            counts["undecided"] += 1
        else:
            counts["matched" if outcome.matched else outcome.label or "none"] += 1
    counts["undecided"] += round.round_questions.count() - len(found)
    return [(words, counts[name]) for name, words in OUTCOMES.items() if counts[name]]
