"""Items are found by words as they stand in id or text, through an index that follows every write."""

import pytest
from django.core.management import call_command
from django.db import connection

from annotation.database import trigram_index as words_index
from annotation.database.install import lifted_triggers
from annotation.importing.staging import delete_brought
from annotation.items.search import items_with_words
from annotation.models import Item
from tests import factories

pytestmark = [pytest.mark.django_db, pytest.mark.database]

TEXTS = {
    "A-1": "Nobody knows WHERE the café is.",
    "A-2": "Know how, and “there” it is: 100% of_them.",
    "B-3": "市民は公園を使う権利がある。",
    "B-4": "ÉCOLE, École; naïve Straße 😀👍 and\nnew lines",
    "B-5": 'He said "no" \\ twice; kno where',
}


@pytest.fixture
def project():
    made = factories.study("focus", items=0, annotators=0, slug="s")
    return made.project


@pytest.fixture
def items(project):
    return [add(project, external_id, text) for external_id, text in TEXTS.items()]


def add(project, external_id, text):
    brought_by = project.imports.create(file_name="x", file_sha256="0" * 64, format="table", state="done")
    return Item.objects.create(
        project=project, brought_by=brought_by, external_id=external_id, text=text, text_length=len(text)
    )


def found(project, words):
    return list(
        items_with_words(project, project.items, words).order_by("id").values_list("external_id", flat=True)
    )


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("where", ["A-1", "B-5"]),
        ("Where the", ["A-1"]),
        ("know where", []),  # every piece of it is in a text, but they stand apart
        ("nowhere", []),
        ("a-", ["A-1", "A-2"]),
        ("b-4", ["B-4"]),
        ("A-1\nNob", []),
        ("café", ["A-1"]),
        ("école", ["B-4"]),
        ("ÉCOLE", ["B-4"]),
        ("NAÏVE", ["B-4"]),
        ("straße", ["B-4"]),
        ("公園", ["B-3"]),
        ("権利が", ["B-3"]),
        ("権利を", []),
        ("😀👍", ["B-4"]),
        ("😀👍 A", ["B-4"]),
        ("and\nnew", ["B-4"]),
        ("100%", ["A-2"]),
        ("100_", []),
        ("of_t", ["A-2"]),
        ("oft", []),
        ('"no"', ["B-5"]),
        ('no" OR "the', []),
        ("\\ tw", ["B-5"]),
        (".*k", []),
        ("kn", ["A-1", "A-2", "B-5"]),
        ("KN", ["A-1", "A-2", "B-5"]),
        ("é", ["A-1", "B-4"]),
        ("É", ["A-1", "B-4"]),
        ("éC", ["B-4"]),
        ("ïV", ["B-4"]),
        ("公", ["B-3"]),
        ("園を", ["B-3"]),
        ("を園", []),
        ("👍", ["B-4"]),
        ("%", ["A-2"]),
        ("qz", []),
        ("\0", []),
        ("where\0", []),
    ],
)
def test_words_are_found_as_they_stand_in_capitals_or_not(project, items, words, expected):
    assert found(project, words) == expected


def test_long_words_are_compared_to_their_end(project):
    add(project, "L-1", "x" + "abcdefghijklmnopqrstuvwxyz" * 3)
    assert found(project, "abcdefghijklmnopqrstuvwxyz" * 2 + "b") == []
    assert found(project, "abcdefghijklmnopqrstuvwxyz" * 2 + "A") == ["L-1"]


def test_items_of_other_projects_stay_out(project, items):
    other = factories.study("focus", items=0, annotators=0, slug="other").project
    assert found(other, "where") == []


def test_what_is_changed_or_deleted_is_found_no_more(project, items):
    Item.objects.filter(pk=items[0].pk).update(text="Everybody", text_length=9)
    Item.objects.filter(pk=items[1].pk).update(external_id="C-9")
    delete_brought(items[4].brought_by)
    assert (found(project, "where"), found(project, "everyb")) == ([], ["A-1"])
    assert (found(project, "a-2"), found(project, "c-9")) == ([], ["C-9"])
    Item.objects.filter(pk=items[0].pk).update(topic="another", withdrawn_reason="x")
    assert found(project, "everyb") == ["A-1"]


def test_items_written_without_triggers_are_found_as_well(project):
    with lifted_triggers():
        add(project, "D-1", "a text of a backup")
    assert found(project, "backup") == ["D-1"]


def test_words_that_no_text_has_are_looked_up(project, items):
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL enable_seqscan = off")
            cursor.execute("SET LOCAL enable_indexscan = off")
    plan = items_with_words(project, Item.objects.order_by(), "nowhere").explain()
    assert ("item_words" if connection.vendor == "postgresql" else "VIRTUAL TABLE") in plan


@pytest.mark.django_db(transaction=True)
def test_an_installation_with_items_has_them_indexed_by_its_next_migrate(project, items):
    with connection.cursor() as cursor:
        cursor.execute(
            f"DROP TABLE {words_index.WORDS}" if connection.vendor == "sqlite" else "DROP INDEX item_words"
        )
    call_command("migrate", verbosity=0)
    assert found(project, "where") == ["A-1", "B-5"]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT count(*) FROM pg_indexes WHERE indexname = 'item_words'")
        else:
            cursor.execute(f"SELECT count(*) FROM {words_index.WORDS}")
        assert cursor.fetchone()[0] == (1 if connection.vendor == "postgresql" else 5)


def test_without_the_extension_search_reads_every_text(project, items, monkeypatch, caplog):
    with connection.cursor() as cursor:
        cursor.execute("DROP INDEX IF EXISTS item_words")
    monkeypatch.setattr(words_index, "_POSTGRESQL", ("CREATE EXTENSION no_such_extension",))
    words_index.make_words_index("default")
    assert ("search in texts stays slow" in caplog.text) == (connection.vendor == "postgresql")
    assert found(project, "where") == ["A-1", "B-5"]


@pytest.mark.postgresql
def test_short_words_without_capitals_are_not_compared_by_the_capitals_of_all_languages(project, items):
    def asked(words: str) -> str:
        return str(items_with_words(project, project.items, words).query)

    assert "UPPER" not in asked("公園") and "UPPER" not in asked("%)")
    assert 'COLLATE "C"' in asked("kn") and 'COLLATE "C"' in asked("éa")
    assert "UPPER" not in asked("é")
