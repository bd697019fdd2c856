"""Which split of a release an item belongs to: by a field, by chance with a seed, or by its labels."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from django.utils.translation import gettext

from annotation.models import RoundItem
from exports.selection.parameters import ParameterError
from exports.selection.records import ItemRecord, read_records
from exports.selection.selection import Selection, items_chosen

UNASSIGNED = "unassigned"
"""The split of items without one, where others have one."""

LABELS = 3
"""Useful, Unhelpful, Invalid: the most that the balanced rule can spread over."""


def plan_splits(selection: Selection) -> dict[int, str]:
    """Return the split of every item of the release, by key; empty where there are no splits.

    Raises ParameterError for another name of a split that there is not.
    """
    plan = _plan(selection)
    names = dict(selection.parameters.split_names)
    if unknown := sorted(names.keys() - set(plan.values())):
        raise ParameterError(
            [gettext("split_names: there is no split %(name)s") % {"name": repr(unknown[0])}]
        )
    return {key: names.get(split, split) for key, split in plan.items()} if names else plan


def _plan(selection: Selection) -> dict[int, str]:
    by = selection.parameters.split_by
    items = items_chosen(selection).order_by("pk")
    if by == "none":
        return {}
    if by in ("field", "topic"):
        field = "split" if by == "field" else "topic"
        named = dict(items.exclude(**{field: ""}).values_list("pk", field).iterator(chunk_size=5000))
        return _with_rest(named, items.values_list("pk", flat=True))
    if by == "round":
        return _by_first_round(selection)
    if by == "seed":
        keys = list(items.values_list("pk", flat=True))
        splits = seeded_splits(len(keys), selection.parameters.split_sizes, selection.parameters.seed)
        return dict(zip(keys, splits, strict=True))
    return _as_published(selection) if by == "published" else _by_balance(selection)


def seeded_splits(n: int, shares: Sequence[tuple[str, float]], seed: int) -> list[str]:
    """Return a split for each of n items in their order, by one seeded shuffle cut at the cumulated shares.

    >>> seeded_splits(5, [("train", 0.6), ("test", 0.4)], seed=1).count("train")
    3
    """
    edges = [round(n * sum(share for _, share in shares[: place + 1])) for place in range(len(shares))]
    splits = [""] * n
    for rank, place in enumerate(np.random.default_rng(seed).permutation(n).tolist()):
        splits[place] = next(name for (name, _), edge in zip(shares, edges, strict=True) if rank < edge)
    return splits


def normalised_entropy(counts: Iterable[int]) -> float:
    """Return the entropy of label counts over that of three equally frequent labels: from 0 to 1.

    >>> normalised_entropy([2, 2, 2])
    1.0
    >>> normalised_entropy([5])
    0.0
    """
    counts = [count for count in counts if count]
    total = sum(counts)
    # The same figure on every machine, so that ties stay ties.
    return float(f"{abs(sum(-n / total * math.log(n / total) for n in counts)) / math.log(LABELS):.12g}")


def most_balanced(labels: Mapping[str, Counter[str]], n: int) -> list[str]:
    """Return the n ids whose labels are most evenly spread, ties by id: our reading of the CQs-Gen paper.

    Items without a label are never among them.
    """
    ranked = sorted(
        (-normalised_entropy(counts.values()), external_id)
        for external_id, counts in labels.items()
        if counts
    )
    return [external_id for _, external_id in ranked[:n]]


def is_published_test(external_id: str, counts: Mapping[str, int]) -> bool:
    """Return whether CQs-Gen's published rule puts an item to test.

    Not-useful questions at least as many as useful ones, all three labels, and no part of a longer text: the
    ids of whole ones have exactly one underscore. Its authors also took three items out by hand.

    >>> is_published_test("CLINTON_1", {"USE": 1, "UN": 1, "IN": 1})
    True
    """
    useful = counts.get("USE", 0)
    others = sum(counts.values()) - useful
    every = sum(1 for count in counts.values() if count) == LABELS
    return external_id.count("_") == 1 and every and others >= useful


def label_counts(record: ItemRecord) -> Counter[str]:
    """Return how often each label was decided among the questions of an item."""
    return Counter(decision.label for decision in record.answers.values() if decision.label is not None)


def _by_balance(selection: Selection) -> dict[int, str]:
    if selection.typology:
        raise ParameterError([gettext("split_by: the balanced split is for questions with labels")])
    size = int(dict(selection.parameters.split_sizes)["test"])
    keys: dict[str, int] = {}
    labels: dict[str, Counter[str]] = {}
    for record in read_records(selection):
        keys[record.item.external_id] = record.item.pk
        labels[record.item.external_id] = label_counts(record)
    if size >= len(keys):
        raise ParameterError(
            [
                gettext("split_sizes: %(size)s items for the test split, the release has %(n)s")
                % {"size": size, "n": len(keys)}
            ]
        )
    test = set(most_balanced(labels, size))
    return {key: "test" if external_id in test else "validation" for external_id, key in keys.items()}


def _as_published(selection: Selection) -> dict[int, str]:
    if selection.typology:
        raise ParameterError([gettext("split_by: the published split is for questions with labels")])
    return {
        record.item.pk: "test"
        if is_published_test(record.item.external_id, label_counts(record))
        else "validation"
        for record in read_records(selection)
    }


def _by_first_round(selection: Selection) -> dict[int, str]:
    rounds = {row.pk: row for row in selection.rounds}
    first: dict[int, int] = {}
    drawn = RoundItem.objects.filter(round__in=list(rounds)).order_by().values_list("item_id", "round_id")
    for item, found in drawn.iterator(chunk_size=5000):
        if item not in first or rounds[found].number < rounds[first[item]].number:
            first[item] = found
    named = {item: rounds[found].name for item, found in first.items()}
    return _with_rest(named, items_chosen(selection).values_list("pk", flat=True))


def _with_rest(named: dict[int, str], keys: Iterable[int]) -> dict[int, str]:
    if not named:
        return {}
    return {key: named.get(key, UNASSIGNED) for key in keys}
