"""A word of one or two letters is found in the stretches of items that can have it, and in no others."""

from itertools import product
from random import Random

import pytest
from django.core.cache import cache
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from annotation import tasks
from annotation.importing.undo import import_undo
from annotation.items import item_stretches, search
from annotation.items.erasure import item_erase
from annotation.items.item_stretches import (
    find_stretches,
    has_many_items,
    hash_of,
    stretches_kept,
    stretches_with,
)
from annotation.items.search import items_with_words
from annotation.models import Item
from annotation.projects.deletion import project_delete
from tests import factories

pytestmark = [pytest.mark.django_db, pytest.mark.database]

ALPHABET = "aAbBzéÉßñжЖ公園のﾃ1%_\\' \n😀“"


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """Make stretches of four items, and every project one with many."""
    monkeypatch.setattr(item_stretches, "LONGEST", 4)
    monkeypatch.setattr(item_stretches, "READ", 2)
    monkeypatch.setattr(item_stretches, "MANY", 0)


@pytest.fixture
def project():
    return factories.study("focus", items=0, annotators=0, slug="s").project


def add(project, texts, brought_by=None):
    brought_by = brought_by or project.imports.create(
        file_name="x", file_sha256="0" * 64, format="table", state="done"
    )
    first = project.items.count()
    return Item.objects.bulk_create(
        Item(
            project=project,
            brought_by=brought_by,
            external_id=f"I{first + place}",
            text=text,
            text_length=len(text),
        )
        for place, text in enumerate(texts)
    )


def random_texts(rng, n):
    """Return texts of which most have few of the letters, so that many pairs are in some texts alone."""
    return [
        "." + "".join(rng.choices(rng.sample(ALPHABET, 3), k=rng.randrange(1, 7))).strip() for _ in range(n)
    ]


def same_letter(one, other):
    return bool({one, one.lower(), one.upper()} & {other, other.lower(), other.upper()})


def has(item, words):
    """Whether an item has the words: letter by letter, whatever the database says."""
    return any(
        all(map(same_letter, text[start : start + len(words)], words))
        for text in (item.external_id, item.text)
        for start in range(len(text) - len(words) + 1)
    )


def slices_of(project):
    return [item_stretches._slice(project, place) for place in range(item_stretches._SLICES)]


def found(project, words, first=None):
    return list(
        items_with_words(project, project.items, words, first=first)
        .order_by("id")
        .values_list("pk", flat=True)
    )


@pytest.mark.parametrize("seed", range(3))
def test_all_short_words_are_found_as_comparing_letter_by_letter_finds_them(project, seed):
    rng = Random(seed)
    items = add(project, random_texts(rng, 19))
    # Of another project, in between: its stretches and its items stay out.
    add(factories.study("focus", items=0, annotators=0, slug="other").project, random_texts(rng, 5))
    items += add(project, random_texts(rng, 8))
    words = [*ALPHABET, *("".join(rng.choices(ALPHABET, k=2)) for _ in range(60)), "i1", "I2", "qq", "語"]
    words = [one for one in words if one.strip() == one]
    expected = {one: [item.pk for item in items if has(item, one)] for one in words}
    assert {one: found(project, one) for one in words} == expected
    find_stretches(project)
    assert {one: found(project, one) for one in words} == expected
    for first in (1, 3, 50):
        begun = {one: found(project, one, first) for one in words}
        assert {one: keys[:first] for one, keys in begun.items()} == {
            one: keys[:first] for one, keys in expected.items()
        }


def test_only_the_stretches_that_can_have_a_word_are_read(project, monkeypatch):
    items = add(project, ["abc"] * 9 + ["abz"] + ["abc"] * 4)
    find_stretches(project)
    asked = []
    within = search._keys_within
    monkeypatch.setattr(search, "_keys_within", lambda *given: asked.append(list(given[2])) or within(*given))
    assert stretches_with(project, ["bz"]) == [(items[8].pk, items[11].pk)]
    assert found(project, "BZ", first=51) == [items[9].pk]
    assert asked == [[(items[8].pk, items[11].pk)]]
    with CaptureQueriesContext(connection) as captured:
        assert found(project, "zb", first=51) == found(project, "zb") == []
    assert not any("LIKE" in query["sql"] for query in captured) and len(asked) == 1


def test_a_pair_with_the_hash_of_another_is_told_apart_by_its_letters(project):
    (item,) = add(project, ["abc"])
    find_stretches(project)
    alike = next(
        pair
        for pair in map("".join, product(map(chr, range(0x4E00, 0x5000)), repeat=2))
        if hash_of(pair) == hash_of("ab")
    )
    assert stretches_with(project, ["ab"]) == [(item.pk, item.pk)]
    assert stretches_with(project, [alike]) == []


def test_a_page_is_full_before_all_stretches_are_read(project, monkeypatch):
    items = add(project, ["abc"] * 40)
    find_stretches(project)
    looked = []
    within = search._keys_within
    monkeypatch.setattr(search, "_keys_within", lambda *given: looked.extend(given[2]) or within(*given))
    assert found(project, "ab", first=9)[:9] == [item.pk for item in items[:9]]
    assert len(looked) == 3


def test_what_later_imports_bring_is_found_and_what_is_undone_is_not(project):
    add(project, ["abc"] * 5)
    find_stretches(project)
    (later,) = add(project, ["xyz"])
    assert stretches_with(project, ["yz"]) is None
    assert found(project, "yz", first=51) == [later.pk]
    find_stretches(project)
    assert stretches_with(project, ["yz"]) == [(later.pk - 1, later.pk)]
    import_undo(later.brought_by)
    assert found(project, "yz", first=51) == []


def test_items_of_an_import_that_is_not_done_are_not_looked_for(project):
    staged = project.imports.create(file_name="x", file_sha256="0" * 64, format="table", state="staging")
    (item,) = add(project, ["xyz"], brought_by=staged)
    find_stretches(project)
    assert stretches_with(project, ["yz"]) == []
    staged.state = "done"
    staged.save()
    assert found(project, "yz", first=51) == [item.pk]


def test_an_erased_text_is_found_by_its_blocks_and_its_letters_are_forgotten(project):
    made = factories.study("focus", items=3, annotators=0, slug="e", texts=("abc", "xyz", "abc"))
    find_stretches(made.project)
    item_erase(item=made.items[1], member=made.lead, typed=made.items[1].external_id)
    assert stretches_kept(made.project).last() == (None, False)
    assert cache.get_many(slices_of(made.project)) == {}
    for _ in range(2):
        assert found(made.project, "██", first=51) == [made.items[1].pk]
        assert found(made.project, "yz", first=51) == []
        find_stretches(made.project)


def all_kept(project):
    return cache.get_many([item_stretches._name(project), *slices_of(project)])


def test_what_a_worker_keeps_of_a_text_while_it_is_being_erased_is_forgotten(
    django_capture_on_commit_callbacks,
):
    """Until the erasure is over a worker reads the text as it was: it is done before that here."""
    made = factories.study("focus", items=2, annotators=0, slug="e", texts=("abc", "xyz"))
    find_stretches(made.project)
    read = all_kept(made.project)
    with django_capture_on_commit_callbacks(execute=True):
        item_erase(item=made.items[1], member=made.lead, typed=made.items[1].external_id)
        assert all_kept(made.project) == {}
        cache.set_many(read)
    assert all_kept(made.project) == {}


def test_a_worker_that_read_a_text_before_it_was_erased_keeps_nothing_of_it(
    monkeypatch, django_capture_on_commit_callbacks
):
    """The erasure is over when the worker has read the texts, before it keeps anything."""
    made = factories.study("focus", items=2, annotators=0, slug="e", texts=("abc", "xyz"))
    find = item_stretches._find

    def find_slowly(project):
        stretches = find(project)
        read = cache.get_many(slices_of(project))
        with django_capture_on_commit_callbacks(execute=True):
            item_erase(item=made.items[1], member=made.lead, typed=made.items[1].external_id)
        assert len(read) == len(slices_of(project)) and all_kept(project) == {}
        cache.set_many(read)
        return stretches

    monkeypatch.setattr(item_stretches, "_find", find_slowly)
    find_stretches(made.project)
    assert all_kept(made.project) == {}


def test_what_an_older_backup_brings_back_is_found(project):
    """As a restore leaves it: the text is there again, the log says nothing, the cache is as it was."""
    made = factories.study("focus", items=2, annotators=0, slug="e", texts=("abc", "xyz"))
    with transaction.atomic():
        item_erase(item=made.items[1], member=made.lead, typed=made.items[1].external_id)
        find_stretches(made.project)
        assert stretches_with(made.project, ["yz"]) == []
        transaction.set_rollback(True)
    assert found(made.project, "yz", first=51) == [made.items[1].pk]


def test_a_deleted_project_leaves_no_stretches(project):
    add(project, ["abc"])
    find_stretches(project)
    project_delete(project=project)
    assert cache.get_many([item_stretches._name(project), *slices_of(project)]) == {}
    find_stretches(project)  # sent before, begun after
    assert stretches_with(project, ["ab"]) in (None, [])


def test_what_the_cache_has_lost_is_read_again(project):
    (item,) = add(project, ["xyz"])
    find_stretches(project)
    cache.delete_many(slices_of(project))
    assert stretches_with(project, ["yz"]) is None
    assert found(project, "yz", first=51) == [item.pk]
    # And found again, though no import changed anything.
    assert stretches_kept(project).last() == (None, False)
    find_stretches(project)
    assert stretches_with(project, ["yz"]) == [(item.pk, item.pk)]


def test_slices_of_another_worker_are_not_taken_for_those_of_the_stretches(project):
    (item,) = add(project, ["xyz"])
    find_stretches(project)
    other = {key: bytes(16) + kept[16:] for key, kept in cache.get_many(slices_of(project)).items()}
    cache.set_many(other)
    assert stretches_with(project, ["yz"]) is None
    assert found(project, "yz", first=51) == [item.pk]


def test_stretches_end_where_keys_leap_to_those_of_another_project(project, monkeypatch):
    monkeypatch.setattr(item_stretches, "LEAP", 3)
    first = add(project, ["abc"] * 3)
    add(factories.study("focus", items=0, annotators=0, slug="other").project, ["x"] * 5)
    second = add(project, ["abc"])
    find_stretches(project)
    assert stretches_with(project, ["ab"]) == [
        (first[0].pk, first[2].pk),
        (second[0].pk, second[0].pk),
    ]


def test_a_project_without_items_has_no_stretches(project):
    find_stretches(project)
    assert stretches_with(project, ["ab"]) == [] and found(project, "ab", first=51) == []


def test_the_page_asks_a_worker_once_and_shows_the_same_before_and_after(monkeypatch, client):
    made = factories.study("focus", items=120, annotators=0, texts=("abc", "abz"), slug="p")
    client.force_login(made.lead.user)
    sent = []
    monkeypatch.setattr(tasks.find_stretches, "delay", sent.append)

    def shown(query):
        page = client.get(f"/p/p/items/{query}").context["page"]
        return [item.external_id for item in page], page.has_next

    pages = ("?q=bz", "?q=bz&page=2", "?q=%C3%A9", "?q=bz&topic=topic+1", "?q=bc&withdrawn=1")
    before = [shown(query) for query in pages]
    assert sent == [made.project.pk] and has_many_items(made.project)
    tasks.find_stretches(*sent)
    assert [shown(query) for query in pages] == before
    having = [f"I-{number}" for number in range(2, 121, 2)]
    assert before == [(having[:50], True), (having[50:], False), ([], False), ([], False), ([], False)]
    tasks.find_stretches(*sent)
    assert stretches_kept(made.project).last()[1]


def test_without_a_broker_no_page_does_the_work_of_the_worker(project, monkeypatch):
    (item,) = add(project, ["xyz"])
    add(project, ["abc"])

    def fail(*_):
        raise OSError("no broker")

    monkeypatch.setattr(tasks.find_stretches, "delay", fail)
    tasks.find_stretches_or_send(project)
    assert stretches_kept(project).last() == (None, False) and found(project, "yz", first=51) == [item.pk]


def test_few_items_are_read_without_a_worker(project, monkeypatch):
    monkeypatch.setattr(item_stretches, "MANY", 10_000)
    add(project, ["abc"])
    sent = []
    monkeypatch.setattr(tasks.find_stretches, "delay", sent.append)
    with CaptureQueriesContext(connection) as captured:
        tasks.find_stretches_or_send(project)
    assert sent == [] and len(captured) == 1
    with CaptureQueriesContext(connection) as captured:
        assert found(project, "bc", first=51) == [project.items.get().pk]
    assert len(captured) == 2  # with the test's own
