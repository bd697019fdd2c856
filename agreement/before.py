"""The closed round before a round, and how agreement changed since."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

from agreement.changes import round_change, types_in_both
from agreement.conditions import Conditions, conditions_read, first_round
from agreement.judgements import RoundJudgements
from agreement.models import AgreementReport
from agreement.reading import judgements_read
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


def change_conditions(report: AgreementReport) -> Conditions | None:
    """Return the conditions of a report's change as they are known now; None where it has no change."""
    if not report.change:
        return None
    before = report.round.project.rounds.select_related("codebook").get(number=report.change["round"])
    return conditions_read(before, report.round)


def rounds_conditions(
    project: Project, chosen: Collection[int], *, without: Collection[int] = ()
) -> list[dict[str, Any]]:
    """Return a row for each chosen round: its conditions against the chosen one before it."""
    rounds = project.rounds.filter(pk__in=chosen).select_related("project", "codebook").order_by("-number")
    among = list(rounds)
    found = []
    for round in reversed(among):
        before = round_before(round, among)
        found.append(
            conditions_read(before, round, without=without).to_json()
            if before
            else first_round(round, without=without)
        )
    return found


def has_change(report: AgreementReport) -> bool:
    """Whether the report is of a closed round that has another before it."""
    return not report.parameters["live"] and round_before(report.round) is not None


def change_against(
    report: AgreementReport, judgements: RoundJudgements, *, alive: Callable[[], None]
) -> dict[str, Any]:
    """Return the change against the round before; nothing where there is none or the round is open."""
    before = None if report.parameters["live"] else round_before(report.round)
    if before is None:
        return {}
    earlier = judgements_read(before)
    codes = types_in_both(earlier, judgements)
    return {
        **({} if codes is None else {"types": codes}),
        "round": before.number,
        "name": before.name,
        "guideline": before.codebook.version,
        "judgements_sha256": earlier.digest(),
        "sections": round_change(earlier, judgements, report.parameters, alive=alive),
    }
