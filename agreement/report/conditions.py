"""Under what conditions two rounds are compared: which texts and people, discussed or not, which guideline.

A difference between rounds means something else for each of them, so it is never shown or written without.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from typing import TypeGuard, cast

from django.db.models import Count, Q, QuerySet
from django.utils import translation
from django.utils.translation import gettext, ngettext

from agreement.report.figures import ConditionsFigures, FirstRoundFigures, RoundConditions
from annotation.models import Assignment, Comment, Round
from core.csv_safety import made_safe

SAME, SOME, NEW = "same", "some", "new"
YES, NO, NOT_RECORDED = "yes", "no", "not recorded"


@dataclass(frozen=True, slots=True)
class Conditions:
    """What sets a round apart from the one it is compared with.

    items and annotators say whether those of this round took part in the other one too: all (`same`), some
    or none (`new`). `n_items_again` are items that somebody judged in both. `discussed` is what a lead said,
    or `yes` where a discussion of the earlier round was begun here before this one closed: of
    `n_items_discussed` items, `n_items_again_discussed` of them judged again. Only what was judged counts.
    """

    round: int
    name: str
    guideline: int
    n_items: int
    n_annotators: int
    against: int
    against_name: str
    against_guideline: int
    against_n_items: int
    against_n_annotators: int
    items: str
    n_items_both: int
    annotators: str
    n_annotators_both: int
    n_items_again: int
    discussed: str
    n_items_discussed: int
    n_items_again_discussed: int

    @property
    def again_after_discussion(self) -> bool:
        """Whether the same people judged the same texts again after discussing them."""
        if self.n_items_discussed:
            return self.n_items_again_discussed > 0
        return self.n_items_again > 0 and self.discussed == YES  # as a lead says, of whatever texts

    def to_json(self) -> ConditionsFigures:
        """Return the conditions as plain data, with what they say in English."""
        with translation.override("en"):
            says = " ".join(conditions_words(self))
            return cast(ConditionsFigures, {**asdict(self), "says": says})


def read_conditions(before: Round, after: Round, *, without: Collection[int] = ()) -> Conditions:
    """Return the conditions of `after` against `before`, some items left out of both."""
    then, now = _judged(before, without), _judged(after, without)
    items_then, items_now = ({item for item, _ in pairs} for pairs in (then, now))
    people_then, people_now = ({member for _, member in pairs} for pairs in (then, now))
    discussed = _discussed(before, after) - set(without)
    again = {item for item, _ in then & now}
    stated = {True: YES, False: NO, None: NOT_RECORDED}[after.discussed_before]
    return Conditions(
        round=after.number,
        name=after.name,
        guideline=after.codebook.version,
        n_items=len(items_now),
        n_annotators=len(people_now),
        against=before.number,
        against_name=before.name,
        against_guideline=before.codebook.version,
        against_n_items=len(items_then),
        against_n_annotators=len(people_then),
        items=_shared(items_then, items_now),
        n_items_both=len(items_then & items_now),
        annotators=_shared(people_then, people_now),
        n_annotators_both=len(people_then & people_now),
        n_items_again=len(again),
        discussed=YES if discussed else stated,
        n_items_discussed=len(discussed),
        n_items_again_discussed=len(again & discussed),
    )


def conditions_words(conditions: Conditions) -> list[str]:
    """Return the conditions in the reader's language, a sentence each; what matters most comes last."""
    then = {"then": conditions.against_name, "now": conditions.name}
    return [
        _items_words(conditions),
        _people_words(conditions),
        _discussed_words(conditions),
        gettext("Both were judged under guideline version %(version)s.") % {"version": conditions.guideline}
        if conditions.guideline == conditions.against_guideline
        else gettext("Guideline version %(old)s then, version %(new)s now.")
        % {"old": conditions.against_guideline, "new": conditions.guideline},
        *(
            [
                gettext(
                    "So the same people judged texts again after discussing them: the difference shows that "
                    "they agreed with each other about these texts, and not that the guideline got better. "
                    "That would show on new texts."
                )
            ]
            if conditions.again_after_discussion
            else [
                gettext(
                    "Whoever judges a text again may remember it: a part of the difference can be that, and "
                    "not the guideline."
                )
            ]
            if conditions.n_items_again
            else [gettext("Other texts may be easier or harder: a part of the difference can be that.")]
            if conditions.items == NEW
            else []
        ),
        *(
            [
                gettext(
                    "Not all people of %(now)s judged in %(then)s: a part of the difference can be theirs."
                )
                % then
            ]
            if conditions.annotators != SAME
            else []
        ),
    ]


def conditions_brief(conditions: Conditions) -> str:
    """Return the conditions in a few words, for a heading: same texts, same people, discussed."""
    items = {
        SAME: gettext("same texts"),
        SOME: gettext("some texts the same"),
        NEW: gettext("new texts"),
    }[conditions.items]
    people = {
        SAME: gettext("same people"),
        SOME: gettext("some people the same"),
        NEW: gettext("other people"),
    }[conditions.annotators]
    discussed = {
        YES: gettext("discussed in between"),
        NO: gettext("not discussed in between"),
        NOT_RECORDED: gettext("no discussion recorded"),
    }[conditions.discussed]
    return f"{items}, {people}, {discussed}"


def conditions_csv(rows: Iterable[RoundConditions]) -> str:
    """Return conditions as CSV, one comparison a row; what a first round has none of stays empty."""
    out = io.StringIO()
    writer = csv.DictWriter(out, [*Conditions.__dataclass_fields__, "says"], lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow(
            {name: made_safe(value) if isinstance(value, str) else value for name, value in row.items()}
        )
    return out.getvalue()


def is_compared(row: RoundConditions) -> TypeGuard[ConditionsFigures]:
    """Say whether a row of conditions is of a round that another came before."""
    return "against" in row


def first_round(round: Round, *, without: Collection[int] = ()) -> FirstRoundFigures:
    """Return what stands in the place of conditions for a round that none came before."""
    if without:
        pairs = _judged(round, without)
        n_items, n_annotators = (len({pair[side] for pair in pairs}) for side in (0, 1))
    else:
        counted = _rows(round).aggregate(
            items=Count("item", distinct=True), members=Count("member", distinct=True)
        )
        n_items, n_annotators = counted["items"], counted["members"]
    return {
        "round": round.number,
        "name": round.name,
        "guideline": round.codebook.version,
        "n_items": n_items,
        "n_annotators": n_annotators,
    }


def _rows(round: Round) -> QuerySet[Assignment]:
    """Return the assignments of a round that count in figures."""
    return Assignment.objects.filter(
        round=round,
        repeat=False,
        decided__gt=0,
        item__withdrawn_at__isnull=True,
        member__left_out_at__isnull=True,
    ).order_by()


def _judged(round: Round, without: Collection[int]) -> set[tuple[int, int]]:
    """Return who judged which item of a round, as (item, member), as far as it counts in figures."""
    found = _rows(round).values_list("item", "member")
    return {(item, member) for item, member in found if item not in without}


def _discussed(before: Round, after: Round) -> set[int]:
    in_time = Q() if after.closed_at is None else Q(created_at__lte=after.closed_at)
    return set(Comment.objects.filter(in_time, round=before).order_by().values_list("item", flat=True))


def _shared(then: set[int], now: set[int]) -> str:
    both = then & now
    return NEW if not both else SAME if both == now else SOME


def _items_words(conditions: Conditions) -> str:
    named = {
        "n": conditions.n_items,
        "both": conditions.n_items_both,
        "m": conditions.against_n_items,
        "then": conditions.against_name,
    }
    if conditions.items == NEW:
        told = ngettext(
            "New texts: the %(n)s item was not in %(then)s, which had %(m)s.",
            "New texts: none of the %(n)s items was in %(then)s, which had %(m)s.",
            conditions.n_items,
        )
    elif conditions.items == SAME:
        told = ngettext(
            "The same texts: the %(n)s item was in %(then)s too, which had %(m)s.",
            "The same texts: all %(n)s items were in %(then)s too, which had %(m)s.",
            conditions.n_items,
        )
    else:
        told = gettext("Some texts the same: %(both)s of %(n)s items were in %(then)s too, which had %(m)s.")
    return told % named


def _people_words(conditions: Conditions) -> str:
    named = {
        "n": conditions.n_annotators,
        "both": conditions.n_annotators_both,
        "m": conditions.against_n_annotators,
    }
    if conditions.annotators == NEW:
        told = gettext("Other people: none of the %(n)s annotators was among the %(m)s then.")
    elif conditions.annotators == SAME:
        told = gettext("The same people: all %(n)s annotators were among the %(m)s then.")
    else:
        told = gettext("Some people the same: %(both)s of %(n)s annotators were among the %(m)s then.")
    return told % named


def _discussed_words(conditions: Conditions) -> str:
    named = {"then": conditions.against_name, "n": conditions.n_items_discussed}
    if conditions.n_items_discussed:
        told = ngettext(
            "In between, %(n)s text of %(then)s was discussed here.",
            "In between, %(n)s texts of %(then)s were discussed here.",
            conditions.n_items_discussed,
        )
    elif conditions.discussed == YES:
        told = gettext("In between, texts of %(then)s were discussed, as a lead says.")
    elif conditions.discussed == NO:
        told = gettext("Texts of %(then)s were not discussed in between, as a lead says.")
    else:
        told = gettext("No discussion of %(then)s is recorded; one held elsewhere is not known here.")
    return told % named
