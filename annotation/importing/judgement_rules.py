"""Which rows of a file of judgements may go into a round, by the rules that the browser's keep too."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext, ngettext

from annotation.codebooks.definition import Codebook
from annotation.importing.files.rows import JudgementRow
from annotation.importing.formats import judgement_table as judgements
from annotation.importing.kept_votes import vote_alone
from annotation.importing.quotes import span_fields
from annotation.importing.stored_judgements import Stored
from annotation.judging.recording import Answer, Unit, check_answer
from annotation.limits import LIMITS, unfit
from annotation.models import Item, Protocol
from annotation.protocols.rules import RuleError
from core.errors import Refused


class RowRefused(ValueError):
    """Why one row is refused."""


class WrongProject(ValueError):
    """A row that shows that its file belongs into a project of the other protocol."""


@dataclass(frozen=True, slots=True)
class AcceptedRow:
    """A row that keeps the rules, ready to be written."""

    given: JudgementRow
    item: Item
    unit: Unit
    answer: dict[str, Any]
    checked: Answer
    incomplete: bool = False


def check_row(
    given: JudgementRow, codebook: Codebook, stored: Stored, *, keep_votes: bool = False
) -> AcceptedRow:
    """Return the row as it will be written. Raises RowRefused where it breaks a rule.

    With `keep_votes`, or where the file says that it is incomplete, an answer stands without its span, reason
    or comment where that alone is wrong.
    """
    item = stored.items.get(given.item)
    if item is None:
        told = gettext("there is no item “%(item)s” in this project") % {"item": given.item}
        raise RowRefused(told + like_words(given.item, stored.ids_like))
    if problem := unfit(given.annotator, LIMITS["membership"]["private_name"]):
        raise RowRefused(f"annotator: {problem}")
    unit = _unit(given, item, codebook, stored)
    try:
        answer = _answer(given, item)
    except RuleError as error:
        raise RowRefused(" ".join(f"{name}: {why}" for name, why in error.errors.items())) from None
    try:
        checked = check_answer(codebook, item.text, unit, answer)
    except Refused as refusal:
        errors = refusal.errors
        kept = vote_alone(codebook, unit, answer, errors.keys())
        if kept is not None and (keep_votes or given.incomplete):
            return AcceptedRow(given, item, unit, answer, kept, incomplete=True)
        if given.quote is None and errors.keys() > {"quote"}:
            errors = {name: why for name, why in errors.items() if name != "quote"}
        told = " ".join(f"{name}: {why}" for name, why in errors.items())
        hint = gettext("(the answer alone can be kept: --keep-votes, or the tick box of the page)")
        raise RowRefused(told if kept is None else f"{told} {hint}") from None
    return AcceptedRow(given, item, unit, answer, checked)


def like_words(name: str, ids_like: Callable[[str], str | None]) -> str:
    """Return what to add where an item is not found and another one's id looks like it."""
    other = ids_like(name)
    return gettext("; “%(other)s” looks like it") % {"other": other} if other else ""


def _unit(given: JudgementRow, item: Item, codebook: Codebook, stored: Stored) -> Unit:
    if codebook.protocol == Protocol.FOCUS:
        if given.type_code is None:
            raise WrongProject(
                gettext("judges a question, and this project judges types; import it into a CQs-Gen project")
            )
        return Unit(type_code=given.type_code)
    if given.question_position is not None:
        if (item.pk, given.question_position) not in stored.positions:
            raise RowRefused(
                gettext("“%(item)s” has no question %(question_position)s")
                % {"item": given.item, "question_position": given.question_position}
            )
        key, external_id = stored.positions[(item.pk, given.question_position)]
        if given.question is not None and str(given.question) != external_id:
            raise RowRefused(
                gettext(
                    "question %(question_position)s of “%(item)s” has the id “%(id)s”, not “%(question)s”"
                )
                % {
                    "item": given.item,
                    "question_position": given.question_position,
                    "id": external_id,
                    "question": given.question,
                }
            )
        return Unit(question_id=key)
    if given.question is None:
        raise WrongProject(
            gettext("judges a type, and this project judges questions; import it into a FOCUS project")
        )
    found = stored.questions.get((item.pk, str(given.question)), [])
    if len(found) != 1:
        count = gettext("no question")
        if found:
            count = ngettext("%(n)s question", "%(n)s questions", len(found)) % {"n": len(found)}
        raise RowRefused(
            gettext("“%(item)s” has %(count)s with the id “%(question)s”")
            % {"item": given.item, "count": count, "question": given.question}
        )
    return Unit(question_id=found[0])


def _answer(given: JudgementRow, item: Item) -> dict[str, Any]:
    """Return the answer as the browser would send it. Raises RuleError for a quote without one place."""
    answer = judgements.answer_fields(given)
    if given.type_code is None:
        return answer
    return {**answer, **span_fields(item.text, given.start, given.end, given.quote, given.occurrence)}


def row_shown(given: JudgementRow, stored: Stored) -> dict[str, Any]:
    """Return a row in long form, for the file of refused rows."""
    if given.given is not None:
        return dict(given.given)
    question = given.question
    if given.question_position is not None and given.item in stored.items:
        place = (stored.items[given.item].pk, given.question_position)
        question = stored.positions.get(place, (None, None))[1]
    unit = (
        {"type": given.type_code, "applicable": _yes_no(given.applicable)}
        if given.type_code is not None
        else {"question": question, "label": given.label or ""}
    )
    shown = {"item": given.item, **unit, "annotator": given.annotator}
    for name in ("start", "end", "quote", *(["occurrence"] if given.occurrence is not None else [])):
        value = getattr(given, name)
        shown[name] = "" if value is None else value
    for name in ("reason", "comment", "edited_question"):
        shown[name] = getattr(given, name)
    for name in ("cannot_judge", "unsure"):
        shown[name] = _yes_no(getattr(given, name) or None)
    return (
        shown if given.question_position is None else {**shown, "question_position": given.question_position}
    )


def _yes_no(value: bool | None) -> str:
    return "" if value is None else "yes" if value else "no"
