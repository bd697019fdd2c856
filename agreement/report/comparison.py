"""How agreement changed against the round before, where both asked for the same types or labels."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from agreement.models import AgreementReport
from agreement.report.conditions import Conditions, first_round, read_conditions
from agreement.report.figures import ChangeFigures, RoundConditions
from agreement.report.judgements import RoundJudgements
from agreement.report.label_figures import min_common_of, seed_of
from agreement.report.loading import read_judgements
from agreement.report.sections import Section, build_sections
from agreement.report.unsaid import item_of_rows
from agreement.statistics.difference import Change, agreement_change
from agreement.statistics.figures import DifferenceFigures
from agreement.statistics.strata.change import stratified_change
from annotation.items.clusters import ClusterRefused
from annotation.models import Project, Round
from core.canonical_json import canonical

SHOWN = ("observed_agreement", "pabak", "gwet_ac1", "krippendorff_alpha")


def round_change(
    before: RoundJudgements,
    after: RoundJudgements,
    parameters: dict[str, Any],
    *,
    heartbeat: Callable[[], None] = lambda: None,
) -> dict[str, DifferenceFigures]:
    """Return the differences after - before for each section that both rounds have, with intervals.

    Groups and all types pool the types that both rounds asked, and no other. Items that recur are resampled
    together, others independently; `heartbeat` is called after each section.
    """
    codes = types_in_both(before, after)
    if codes is not None:
        if not codes:
            return {}
        before, after = before.of_types(codes), after.of_types(codes)
    earlier = {section.key: section for section in build_sections(before)}
    sections: dict[str, DifferenceFigures] = {}
    for section in build_sections(after):
        other = earlier.get(section.key)
        if other is None or other.categories != section.categories:
            continue
        change = _change(before, after, other, section, parameters).to_json()
        change["differences"] = {name: change["differences"][name] for name in SHOWN}
        sections[section.key] = change
        heartbeat()
    found: dict[str, DifferenceFigures] = canonical(sections)
    return found


def _change(
    before: RoundJudgements,
    after: RoundJudgements,
    other: Section,
    section: Section,
    parameters: dict[str, Any],
) -> Change:
    """Return the change of one section: of types together where it has several."""
    choices: dict[str, Any] = {
        "q": len(section.categories),
        "seed": seed_of(parameters["seed"], section.key),
        "replicates": parameters["replicates"],
        "min_common": min_common_of(section.ratings),
    }
    then, now = other.strata, section.strata
    if then is None or now is None:
        return agreement_change(
            other.ratings,
            section.ratings,
            items_before=_item_ids(before, other),
            items_after=_item_ids(after, section),
            **choices,
        )
    ids = [np.array(of.cluster_names) if of.cluster_names else of.items.ids for of in (before, after)]
    return stratified_change(then, now, items_before=ids[0], items_after=ids[1], **choices)


def types_in_both(before: RoundJudgements, after: RoundJudgements) -> list[str] | None:
    """Return the types that both rounds asked, in the later one's order; None where they asked the same."""
    then = {kind.code for kind in before.types}
    codes = [kind.code for kind in after.types if kind.code in then]
    return None if len(codes) == len(before.types) == len(after.types) else codes


def _item_ids(judgements: RoundJudgements, section: Section) -> np.ndarray:
    clusters = section.clusters
    if judgements.cluster_names:
        return np.array(judgements.cluster_names)[item_of_rows(judgements, section)]
    return judgements.items.ids if clusters is None else judgements.items.ids[clusters]


def rounds_comparable(project: Project) -> list[Round]:
    """Return the rounds that later ones may be compared with: closed, no training, the newest first."""
    closed = project.rounds.filter(status=Round.Status.CLOSED, matching=False).exclude(
        purpose=Round.Purpose.TRAINING
    )
    codebooks = closed.select_related("project", "codebook")
    return list(codebooks.defer("codebook__source", "codebook__guideline").order_by("-number"))


def round_before(round: Round, comparable: Iterable[Round] | None = None) -> Round | None:
    """Return the last closed round before this one that asked a type of it too (or, like it, questions)."""
    if round.matching:
        return None  # Its questions are asked once.
    found = rounds_comparable(round.project) if comparable is None else comparable
    asked = set(round.type_codes)
    earlier = (one for one in found if one.number < round.number)
    return next((one for one in earlier if not asked or asked.intersection(one.type_codes)), None)


def change_conditions(report: AgreementReport) -> Conditions | None:
    """Return the conditions of a report's change as they are known now; None where it has no change."""
    if not report.change:
        return None
    before = report.round.project.rounds.select_related("codebook").get(number=report.change["round"])
    return read_conditions(before, report.round)


def rounds_conditions(
    project: Project, chosen: Collection[int], *, without: Collection[int] = ()
) -> list[RoundConditions]:
    """Return a row for each chosen round: its conditions against the chosen one before it."""
    rounds = project.rounds.filter(pk__in=chosen).select_related("project", "codebook").order_by("-number")
    among = list(rounds)
    found: list[RoundConditions] = []
    for round in reversed(among):
        before = round_before(round, among)
        found.append(
            read_conditions(before, round, without=without).to_json()
            if before
            else first_round(round, without=without)
        )
    return found


def has_change(report: AgreementReport) -> bool:
    """Whether the report is of a closed round that has another before it."""
    return not report.parameters["live"] and round_before(report.round) is not None


def change_against(
    report: AgreementReport, judgements: RoundJudgements, *, heartbeat: Callable[[], None]
) -> ChangeFigures:
    """Return the change against the round before; nothing where there is none or the round is open."""
    before = None if report.parameters["live"] else round_before(report.round)
    if before is None:
        return {}
    cluster = report.parameters.get("cluster")
    try:
        earlier = read_judgements(before, cluster=cluster)
    except ClusterRefused:
        # The round before does not have the field: texts are drawn in both.
        earlier, cluster = read_judgements(before), None
        judgements = replace(judgements, cluster_names=())
    codes = types_in_both(earlier, judgements)
    change: ChangeFigures = {
        "round": before.number,
        "name": before.name,
        "guideline": before.codebook.version,
        "judgements_sha256": earlier.digest(),
        "sections": round_change(earlier, judgements, report.parameters, heartbeat=heartbeat),
    }
    if codes is not None:
        change["types"] = codes
    if "cluster" in report.parameters:
        change["cluster"] = cluster
    return change
