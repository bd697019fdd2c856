"""Which items a draft round would draw: the choice itself, and a preview of it that stores nothing."""

import json
import pickle
import sys
import zlib
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Aggregate, Count, Exists, Field, Max, Min, OuterRef, Q, QuerySet
from django.utils.translation import gettext

from annotation.access import visible_items, visible_questions
from annotation.items.filtered import filtered_items, is_filtered
from annotation.models import Import, Item, Project, Protocol, Round, RoundItem
from annotation.projects.change_sign import project_stamp
from annotation.rounds.asked_types import is_asked_something, units_asked_of
from annotation.rounds.assignment import Candidate, draw_items, draw_keys, draw_strata
from core.cache import cached
from core.errors import Refused

BATCH = 2_000
STRATA = ("topic", "source")
SHOWN_FIRST = 5
SHOWN_STRATA = 12


class Keys(Aggregate):
    """All keys of a group, in any order, as one value: rows of their own take three times as long to read."""

    function = "GROUP_CONCAT"
    output_field: Any = Field()

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """Eight bytes a key: an array of numbers is written and read as text."""
        template = "STRING_AGG(int8send(%(expressions)s), '')"
        return super().as_sql(compiler, connection, template=template, **context)

    def convert_value(self, value: Any, *_: Any) -> Sequence[int]:
        if isinstance(value, str):
            found: list[int] = json.loads(f"[{value}]")  # half the time of int()
            return found
        keys = array("q", bytes(value))
        if sys.byteorder == "little":
            keys.byteswap()
        return keys


@dataclass(frozen=True, slots=True)
class DrawPreview:
    """What a draw would give: how many, how they spread, and the first of them in their order.

    `judgements` are those of an annotator who has all of them. `topics` and `sources` are (name, items), most
    frequent first, names compared where equally many. `filtered` are left out because a filter marked them.
    """

    items: int
    judgements: int
    questions: int
    without_questions: int
    topics: list[tuple[str, int]]
    sources: list[tuple[str, int]]
    first: list[Item]
    filtered: int = 0


def drawable_items(
    round: Round, *, exclude_drawn: bool = False, include_filtered: bool = False
) -> QuerySet[Item]:
    """Return the items that the round could draw, without those of other rounds if `exclude_drawn`.

    Items that a filter marked are among them only if `include_filtered`.
    """
    items = visible_items(round.project).order_by("id")
    if exclude_drawn:
        items = items.exclude(Exists(_drawn_elsewhere(round).filter(item=OuterRef("pk"))))
    return items if include_filtered else items.exclude(is_filtered(round.project))


def drawable_keys(
    round: Round, *, exclude_drawn: bool = False, include_filtered: bool = False
) -> Sequence[int]:
    """Return the keys of the items that the round could draw, ascending.

    Keys without a gap, such as one import gives, are counted and not read.
    """
    listed = _listed(round)
    ends = listed.aggregate(n=Count("*"), first=Min("id"), last=Max("id"))
    if ends["n"] and ends["last"] - ends["first"] + 1 == ends["n"]:
        keys: Sequence[int] = range(ends["first"], ends["last"] + 1)
    else:
        keys = list(listed.order_by("id").values_list("id", flat=True))
    gone = _gone(round, exclude_drawn=exclude_drawn, include_filtered=include_filtered)
    return [key for key in keys if key not in gone] if gone else keys


def drawable_strata(
    round: Round, field: str, *, exclude_drawn: bool = False, include_filtered: bool = False
) -> dict[str, Sequence[int]]:
    """Return the keys of the items that the round could draw, ascending, by their value of `field`."""
    project = round.project
    # What imports brought changes with an entry in the project's log alone; the rest is read each time.
    told = f"keys-by:{project.pk}:{project_stamp(project)}:{field}"
    # Packed quickly here: a cache in files would pack it thoroughly, which takes as long as to read it.
    packed = cached(told, lambda: zlib.compress(pickle.dumps(_keys_by(round, field)), 1))
    strata: dict[str, Sequence[int]] = pickle.loads(zlib.decompress(packed))
    gone = _gone(round, exclude_drawn=exclude_drawn, include_filtered=include_filtered)
    if not gone:
        return strata
    left = {value: [key for key in keys if key not in gone] for value, keys in strata.items()}
    return {value: keys for value, keys in left.items() if keys}


def _keys_by(round: Round, field: str) -> dict[str, Sequence[int]]:
    """Return the keys of all items whose import is done, as numbers of eight bytes: so they load at once."""
    grouped = _listed(round).order_by().values(field).annotate(keys=Keys("id"))
    return {value: array("q", sorted(keys)) for value, keys in grouped.values_list(field, "keys")}


def _listed(round: Round) -> QuerySet[Item]:
    """Return the items whose import is done, from an index that has no more than their keys and topics.

    Rows with their texts are ten times as long: which of them the round cannot draw is read apart.
    """
    done = round.project.imports.filter(state=Import.State.DONE).order_by()
    # By their keys: SQLite would ask a query inside for each item.
    return round.project.items.filter(brought_by__in=list(done.values_list("pk", flat=True)))


def _gone(round: Round, *, exclude_drawn: bool, include_filtered: bool) -> set[int]:
    """Return the keys of items that the round cannot draw; read last, with what was withdrawn meanwhile."""
    items = round.project.items.all()
    gone = set(items.filter(withdrawn_at__isnull=False).values_list("id", flat=True))
    if exclude_drawn:
        gone.update(_drawn_elsewhere(round).order_by().values_list("item", flat=True))
    if not include_filtered:
        gone.update(filtered_items(round.project, items).order_by().values_list("id", flat=True))
    return gone


def _drawn_elsewhere(round: Round) -> QuerySet[RoundItem]:
    drawn = RoundItem.objects.filter(round__project=round.project).exclude(round=round)
    return drawn.exclude(round__claimed_for=Round.Work.DRAWING)


def drawn_items(
    round: Round,
    *,
    size: int | None = None,
    questions: int | None = None,
    stratify_by: str = "",
    external_ids: Sequence[str] | None = None,
    exclude_drawn: bool = False,
    include_filtered: bool = False,
    items_of: Round | None = None,
) -> list[int]:
    """Return the keys of the items that these options draw into the round, in the order drawn.

    All drawable items, a random sample of `size` items or of items with `questions` questions together
    (seeded by the round, stratified by `topic` or `source`), the hand-picked `external_ids`, or those of
    another round, `items_of`, in its order, but for those that it asks none of this round's types. Items that
    a filter marked are left out unless `include_filtered`; another round's are drawn as that round has them.
    Raises Refused where there are fewer than asked for.
    """
    if stratify_by and stratify_by not in STRATA:
        raise Refused(
            "invalid",
            gettext("Stratify by %(strata)s, not by “%(stratify_by)s”.")
            % {"strata": " or ".join(STRATA), "stratify_by": stratify_by},
        )
    left_out = {
        "exclude_drawn": exclude_drawn,
        "include_filtered": include_filtered or items_of is not None,
    }
    items = drawable_items(round, **left_out)
    if items_of is not None:
        there = RoundItem.objects.filter(round=items_of, item__in=items.order_by())
        rows_there = there.order_by("position").values_list("item", "types")
        return [item for item, types in rows_there if is_asked_something(round, types)]
    if external_ids is not None:
        return _picked(round, items, external_ids)
    try:
        if questions is None:
            if size is None:
                return list(drawable_keys(round, **left_out))
            if not stratify_by:
                keys = drawable_keys(round, **left_out)
                return draw_keys(keys, size=size, seed=round.seed)
            strata = drawable_strata(round, stratify_by, **left_out)
            return draw_strata(strata, size=size, seed=round.seed)
        asked = Count(
            "questions", filter=Q(questions__brought_by__state=Import.State.DONE, questions__candidate=False)
        )
        counted = items.annotate(n_questions=asked).values_list("id", stratify_by or "topic", "n_questions")
        candidates = [Candidate(*row) for row in counted]
        return draw_items(
            candidates, size=size, questions=questions, stratified=bool(stratify_by), seed=round.seed
        )
    except ValueError as error:
        raise Refused(
            "invalid", gettext("The round cannot be drawn: %(error)s.") % {"error": error}
        ) from None


def draw_preview(round: Round, **options: Any) -> DrawPreview:
    """Return what `drawn_items` with these options would give; nothing is stored."""
    left_out = {name: options.get(name, False) for name in ("exclude_drawn", "include_filtered")}
    if all(options.get(name) is None for name in ("size", "questions", "external_ids", "items_of")):
        return _preview_of_all(round, **left_out)
    drawn = drawn_items(round, **options)
    topics: Counter[str] = Counter()
    sources: Counter[str] = Counter()
    n_questions = without = 0
    for start in range(0, len(drawn), BATCH):
        batch = drawn[start : start + BATCH]
        for topic, source in round.project.items.filter(pk__in=batch).values_list("topic", "source"):
            topics[topic] += 1
            sources[source] += 1
        if round.project.protocol == Protocol.CQS_GEN:
            asked = visible_questions(round.project).filter(item__in=batch)
            counts = asked.aggregate(n=Count("id"), items=Count("item", distinct=True))
            n_questions += counts["n"]
            without += len(batch) - counts["items"]
    shown = round.project.items.in_bulk(drawn[:SHOWN_FIRST])
    judgements = n_questions
    if round.project.protocol == Protocol.FOCUS:
        judgements = sum(
            units_asked_of(round, round.project.items.filter(pk__in=batch), len(batch))
            for batch in (drawn[start : start + BATCH] for start in range(0, len(drawn), BATCH))
        )
    return DrawPreview(
        items=len(drawn),
        judgements=judgements,
        questions=n_questions,
        without_questions=without,
        topics=_most_frequent(topics),
        sources=_most_frequent(sources),
        first=[shown[pk] for pk in drawn[:SHOWN_FIRST]],
        filtered=0
        if options.get("external_ids") is not None or options.get("items_of") is not None
        else _left_out(round, **left_out),
    )


def _left_out(round: Round, *, exclude_drawn: bool, include_filtered: bool) -> int:
    """Return how many items could be drawn if no filter had marked them."""
    if include_filtered:
        return 0
    rows = drawable_items(round, exclude_drawn=exclude_drawn, include_filtered=True)
    return filtered_items(round.project, rows).order_by().count()


def _preview_of_all(round: Round, *, exclude_drawn: bool, include_filtered: bool) -> DrawPreview:
    """Return the preview of all items as the database counts them, without their keys."""
    items = drawable_items(round, exclude_drawn=exclude_drawn, include_filtered=include_filtered)
    project = round.project
    # What is drawn elsewhere may change without an entry in the project's log.
    told = f"drawable:{project.pk}:{project_stamp(project)}:{include_filtered}"
    counted = _count(project, items) if exclude_drawn else cached(told, lambda: _count(project, items))
    topics, sources, questions, with_questions = counted
    focus = project.protocol == Protocol.FOCUS
    return DrawPreview(
        items=topics.total(),
        judgements=units_asked_of(round, items, topics.total()) if focus else questions,
        questions=questions,
        without_questions=0 if focus else topics.total() - with_questions,
        topics=_most_frequent(topics),
        sources=_most_frequent(sources),
        first=list(items[:SHOWN_FIRST]),
        filtered=_left_out(round, exclude_drawn=exclude_drawn, include_filtered=include_filtered),
    )


def _count(project: Project, items: QuerySet[Item]) -> tuple[Counter[str], Counter[str], int, int]:
    """Return how many items have each topic and each source, their questions, and how many have one."""
    topics: Counter[str] = Counter()
    sources: Counter[str] = Counter()
    for topic, source, n in items.order_by().values_list("topic", "source").annotate(n=Count("*")):
        topics[topic] += n
        sources[source] += n
    if project.protocol != Protocol.CQS_GEN:
        return topics, sources, 0, 0
    questions = visible_questions(project).filter(item__in=items.order_by())
    asked = questions.aggregate(n=Count("id"), items=Count("item", distinct=True))
    return topics, sources, asked["n"], asked["items"]


def _most_frequent(counts: Counter[str]) -> list[tuple[str, int]]:
    ordered = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    rest = sum(count for _, count in ordered[SHOWN_STRATA:])
    return ordered[:SHOWN_STRATA] + ([(gettext("all others"), rest)] if rest else [])


def _picked(round: Round, items: QuerySet[Item], external_ids: Sequence[str]) -> list[int]:
    found: dict[str, int] = {}
    for start in range(0, len(external_ids), BATCH):
        batch = external_ids[start : start + BATCH]
        found.update(items.filter(external_id__in=batch).values_list("external_id", "id"))
    missing = [external_id for external_id in external_ids if external_id not in found]
    if missing:
        marked = filtered_items(round.project, visible_items(round.project)).filter(
            external_id__in=missing[:BATCH]
        )
        if names := list(marked.order_by("id").values_list("external_id", flat=True)[:6]):
            raise Refused(
                "invalid",
                gettext(
                    "A filter marked these items: %(names)s%(more)s. Include filtered items, or leave them "
                    "out."
                )
                % {"names": ", ".join(names[:5]), "more": "" if len(names) <= 5 else " …"},
            )
        more = "" if len(missing) <= 5 else " …"
        raise Refused(
            "invalid",
            gettext("These items are not in the project: %(missing)s%(more)s.")
            % {"missing": ", ".join(missing[:5]), "more": more},
        )
    return [found[external_id] for external_id in dict.fromkeys(external_ids)]
