"""The references that a matching round offers for its questions, and the answers that pick one.

Nothing here says where a question or a reference came from: annotators get texts and keys alone.

See docs/decisions/storage.md.
"""

from collections.abc import Collection, Sequence
from typing import Any

from annotation.codebooks.definition import Codebook as CodebookDefinition
from annotation.judging.judgement_json import ReferenceShown
from annotation.models import Assignment, MatchReference, Membership, ReferenceLeftOut, Round
from annotation.protocols.cqs_gen import QuestionAnswer
from annotation.protocols.matching import check_matching_judgement
from annotation.protocols.rules import RuleError, refused_by_rules
from core.canonical_json import sha256_of


def check_matching(
    codebook: CodebookDefinition, assignment: Assignment, question_id: int, answer: dict[str, Any]
) -> QuestionAnswer:
    """Check an answer of a matching round. Raises Refused, one message a field."""
    of_item = MatchReference.objects.filter(round=assignment.round_id, item=assignment.item_id)
    offered = of_item.exclude(left_out__question=question_id).values_list("pk", flat=True)
    try:
        return check_matching_judgement(codebook, answer, set(offered))
    except RuleError as error:
        raise refused_by_rules(error) from None


def references_for(
    member: Membership, round: Round, items: Collection[int]
) -> dict[int, list[ReferenceShown]]:
    """Return the references of each item as this member is shown them: always in the same random order."""
    found: dict[int, list[MatchReference]] = {}
    for reference in MatchReference.objects.filter(round=round, item__in=items).order_by("item", "place"):
        found.setdefault(reference.item_id, []).append(reference)
    return {
        item: [
            {"id": reference.pk, "text": reference.text}
            for reference in sorted(references, key=lambda one: _drawn(round, member, one.place))
        ]
        for item, references in found.items()
    }


def left_out_of(questions: Sequence[int]) -> dict[int, set[int]]:
    """Return of each question the keys of the references of its item that are not offered for it."""
    left_out = ReferenceLeftOut.objects.filter(question__in=questions)
    found: dict[int, set[int]] = {}
    for question, reference in left_out.values_list("question_id", "reference_id"):
        found.setdefault(question, set()).add(reference)
    return found


def _drawn(round: Round, member: Membership, place: int) -> str:
    """Return what a reference is sorted by: the seed, the annotator and its place give it alone."""
    return sha256_of([round.seed, member.pseudonym, place])
