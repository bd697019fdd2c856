"""Which items a round can draw: the quick ways of reading their keys agree with the items themselves."""

from collections import Counter

import pytest

from annotation.importing.items import items_import
from annotation.importing.undo import import_undo
from annotation.items.withdrawal import item_restore, item_withdraw
from annotation.models import Import, Item
from annotation.rounds.drawing import round_draw
from annotation.rounds.lifecycle import round_create
from annotation.rounds.sampling import (
    draw_preview,
    drawable_items,
    drawable_keys,
    drawable_strata,
    drawn_items,
)
from tests import factories

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def made():
    """A draft over nine items of three topics, five of which another round has."""
    made = factories.study("context_sufficiency", annotators=2, items=9, slug="s")
    for place, item in enumerate(made.items):
        made.project.items.filter(pk=item.pk).update(topic="abc"[place % 3], source="xy"[place % 2])
    other = round_create(project=made.project, seed=1, member=made.lead)
    round_draw(other, size=5, member=made.lead)
    made.round = round_create(project=made.project, overlap=2, seed=5, member=made.lead)
    return made


def unfinished(made) -> None:
    """Leave an import that was stopped halfway."""
    stopped = Import.objects.create(
        project=made.project, file_name="x.csv", file_sha256="1" * 64, format="table", state="staging"
    )
    Item.objects.create(
        project=made.project, brought_by=stopped, external_id="half", text="A text.", text_length=7, topic="a"
    )


def withdrawn(made) -> None:
    item_withdraw(item=made.items[4], member=made.lead, why="asked for")


@pytest.mark.parametrize("exclude_drawn", [False, True])
@pytest.mark.parametrize("happened", [(), (withdrawn,), (unfinished,), (withdrawn, unfinished)])
def test_keys_and_strata_are_those_of_the_items(made, happened, exclude_drawn):
    for happen in happened:
        happen(made)
    items = list(drawable_items(made.round, exclude_drawn=exclude_drawn))
    assert len(items) == (4 if exclude_drawn else 9) - (
        withdrawn in happened and made.items[4].pk not in drawn_elsewhere(made, exclude_drawn)
    )
    assert list(drawable_keys(made.round, exclude_drawn=exclude_drawn)) == [item.pk for item in items]
    for field in ("topic", "source"):
        strata = drawable_strata(made.round, field, exclude_drawn=exclude_drawn)
        assert {value: list(keys) for value, keys in strata.items()} == {
            value: [item.pk for item in items if getattr(item, field) == value]
            for value in {getattr(item, field) for item in items}
        }


def drawn_elsewhere(made, exclude_drawn: bool) -> set[int]:
    return (
        set(made.project.rounds.first().round_items.values_list("item", flat=True))
        if exclude_drawn
        else set()
    )


def test_keys_without_a_gap_are_counted_and_not_read(made):
    assert drawable_keys(made.round) == range(made.items[0].pk, made.items[-1].pk + 1)
    assert isinstance(drawable_keys(made.round, exclude_drawn=True), list)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"exclude_drawn": True},
        {"size": 4},
        {"size": 4, "stratify_by": "topic"},
        {"size": 3, "exclude_drawn": True},
    ],
    ids=str,
)
def test_a_preview_tells_what_would_be_drawn(made, options):
    withdrawn(made)
    drawn = drawn_items(made.round, **options)
    told = draw_preview(made.round, **options)
    by_key = {item.pk: item for item in made.project.items.all()}
    topics = Counter(by_key[key].topic for key in drawn)
    assert (told.items, told.judgements) == (len(drawn), len(drawn) * len(made.round.type_codes))
    assert dict(told.topics) == topics
    assert told.first == [by_key[key] for key in drawn[:5]]


def test_the_preview_of_all_follows_what_is_withdrawn_and_restored(made):
    assert draw_preview(made.round).items == 9
    withdrawn(made)
    assert dict(draw_preview(made.round).topics) == {"a": 3, "b": 2, "c": 3}
    item_restore(item=made.items[4], member=made.lead)
    assert draw_preview(made.round).items == 9


def test_strata_follow_what_is_imported_corrected_and_undone(made, tmp_path):
    def n_by_topic() -> dict[str, int]:
        return {topic: len(keys) for topic, keys in drawable_strata(made.round, "topic").items()}

    there = made.items[0]
    assert n_by_topic() == {"a": 3, "b": 3, "c": 3}
    path = tmp_path / "more.csv"
    path.write_text(f"id,text,topic\n{there.external_id},{there.text},b\nnew,A text.,d\n", "utf-8")
    items_import(project=made.project, path=path, correct=True)
    assert n_by_topic() == {"a": 2, "b": 4, "c": 3, "d": 1}
    import_undo(made.project.imports.get(file_name="more.csv"), member=made.lead)
    assert n_by_topic() == {"a": 2, "b": 4, "c": 3}
