"""What a release is made from: the chosen rounds and the items in them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext

from annotation.codebooks.definition import Codebook
from annotation.models import (
    Import,
    Item,
    Project,
    Protocol,
    Question,
    Resolution,
    Round,
    RoundItem,
)
from exports.selection.asked_types import asks_some
from exports.selection.parameters import ParameterError, Parameters


class RoundRow(NamedTuple):
    """A chosen round; `types` are those it asked where it did not ask all of its codebook.

    `overlap` is the number of annotators of each of its items. `asks` are the types that it asked, and
    `asked_by` how it was chosen which of them each item was asked (empty: all of them).
    """

    pk: int
    number: int
    name: str
    purpose: str
    codebook_version: int
    imported: bool
    reopened: bool
    types: tuple[str, ...] = ()
    overlap: int = 0
    asks: tuple[str, ...] = ()
    asked_by: dict[str, Any] = {}


@dataclass(frozen=True)
class Selection:
    """What a release is made from: the project's chosen rounds, and whose names stand for whom.

    `codebook` is the newest among those of the rounds, or the project's newest where no round is chosen.
    `members` are the pseudonyms, by membership. `suggested` are name, model and where it was shown of those
    rounds that had suggestions; frozen with the rounds, they are in no digest.
    """

    project: Project
    parameters: Parameters
    rounds: tuple[RoundRow, ...]
    codebook: Codebook
    codebook_version: int
    members: dict[int, str]
    suggested: tuple[tuple[str, str, str], ...] = ()

    @cached_property
    def typology(self) -> bool:
        return self.project.protocol == Protocol.FOCUS

    @cached_property
    def type_codes(self) -> tuple[str, ...]:
        return tuple(kind.code for kind in self.codebook.types)

    @cached_property
    def asks_some(self) -> bool:
        """Whether some item was asked less than all types."""
        return asks_some(self)

    @cached_property
    def span_types(self) -> frozenset[str]:
        return frozenset(kind.code for kind in self.codebook.types if kind.span)

    @cached_property
    def earlier_guidelines(self) -> tuple[int, ...]:
        """The versions of the codebook, before the newest, under which chosen rounds were annotated."""
        versions = {row.codebook_version for row in self.rounds}
        return tuple(sorted(versions - {self.codebook_version}))

    @cached_property
    def round_of(self) -> dict[int, RoundRow]:
        return {row.pk: row for row in self.rounds}


def read_selection(project: Project, parameters: Parameters) -> Selection:
    """Find the rounds that the parameters name. Raises ParameterError for one that cannot be released."""
    if parameters.refined_questions and project.protocol != Protocol.FOCUS:
        raise ParameterError(
            [gettext("refined_questions: only gold spans have questions that could be refined")]
        )
    rounds = list(project.rounds.select_related("codebook").order_by("number"))
    importing = [row.name for row in rounds if row.is_importing]
    if importing:
        problem = gettext("judgements are being imported into %(names)s: wait until that has ended")
        raise ParameterError(["rounds: " + problem % {"names": ", ".join(importing)}])
    if parameters.rounds is None:
        chosen = [row for row in rounds if not _why_not(row)]
    else:
        by_name = {row.name: row for row in rounds}
        problems = [
            f"rounds: {name!r} {reason}"
            for name in parameters.rounds
            if (
                reason := _why_not(by_name[name])
                if name in by_name
                else gettext("is no round of this project")
            )
        ]
        if problems:
            raise ParameterError(problems)
        chosen = sorted((by_name[name] for name in parameters.rounds), key=lambda row: row.number)
    codebooks = [row.codebook for row in chosen] or list(project.codebooks.all())
    if not codebooks:
        raise ParameterError([gettext("the project has no codebook")])
    codebook = max(codebooks, key=lambda row: row.version)
    return Selection(
        project=project,
        parameters=parameters,
        rounds=tuple(
            RoundRow(
                row.pk,
                row.number,
                row.name,
                row.purpose,
                row.codebook.version,
                row.imported,
                row.reopened_at is not None,
                row.type_codes if row.types else (),
                row.overlap,
                row.type_codes,
                {name: value for name, value in row.asked.items() if name != "file"},
            )
            for row in chosen
        ),
        codebook=Codebook.from_json(codebook.definition),
        codebook_version=codebook.version,
        members=dict(project.memberships.values_list("pk", "pseudonym")),
        suggested=tuple(
            (row.name, row.suggestion_model, row.suggestions) for row in chosen if row.suggestions
        ),
    )


def _why_not(row: Round) -> str:
    if row.purpose == Round.Purpose.TRAINING:
        return gettext("is a training round: its judgements were made with feedback")
    if row.matching:
        return gettext("is a matching round: its questions are a system’s, and say what that is worth")
    if row.status != Round.Status.CLOSED:
        return gettext("is %(status)s: only closed rounds are released") % {"status": row.status}
    return ""


def items_chosen(selection: Selection) -> QuerySet[Item]:
    """Return the items of a release: those of the chosen rounds, never the withdrawn ones.

    Where no rounds are named it also has the items whose labels were published with a file, and items of
    CQs-Gen without any question, which is how the published test set is given.
    """
    project, rounds = selection.project, [row.pk for row in selection.rounds]
    of_item = Q(item=OuterRef("pk"))
    wanted = Q(Exists(RoundItem.objects.filter(of_item, round__in=rounds)))
    if selection.parameters.rounds is None:
        wanted |= Q(Exists(Resolution.objects.filter(of_item, source=Resolution.Source.IMPORTED)))
        if not selection.typology:
            wanted |= ~Q(Exists(Question.objects.filter(of_item, candidate=False)))
    return items_present(project).filter(wanted)


def items_present(project: Project) -> QuerySet[Item]:
    """Return the items that a release could have."""
    return project.items.filter(withdrawn_at=None, brought_by__state=Import.State.DONE)
