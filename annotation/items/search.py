"""Finding items by words of their id or text. See docs/decisions/storage.md."""

import json
import re
from collections.abc import Iterable, Sequence
from itertools import product

from django.db import connection, connections
from django.db.models import BooleanField, Q, QuerySet
from django.db.models.expressions import RawSQL

from annotation.database.trigram_index import TABLE, WORDS
from annotation.items.item_stretches import small_ascii, stretches_with
from annotation.models import Item, Project

PIECE = 3
"""The index knows pieces of so many characters; shorter words are looked for in every text."""

PIECES_ASKED = 20

AT_ONCE = 64
"""Stretches of items that are looked through together at most."""

FEW = 1_000
"""So many matches are asked for by their keys; for pages further back texts are read one by one."""


def items_with_words(
    project: Project, items: QuerySet[Item], words: str, *, first: int | None = None
) -> QuerySet[Item]:
    """Return those of a project's items whose id or text has these words as they stand, in capitals or not.

    With `first` the rest may be left out after so many of the lowest keys, where the words are too short for
    the index. Give it where `items` are most of the project's; few are read sooner than found so.
    """
    # No text can have it, and PostgreSQL refuses to be asked.
    if "\0" in words:
        return items.none()
    if len(words) < PIECE:
        return _with_short_words(project, items, words, first)
    if connections[items.db].vendor != "sqlite":
        return items.filter(Q(external_id__icontains=words) | Q(text__icontains=words))
    pieces = [words[start : start + PIECE] for start in range(len(words) - PIECE + 1)]
    asked = " AND ".join('"{}"'.format(piece.replace('"', '""')) for piece in pieces[:PIECES_ASKED])
    found = RawSQL(f"SELECT rowid FROM {WORDS} WHERE {WORDS} MATCH %s", [asked])
    # The pieces may stand apart; LIKE knows capitals of ASCII alone.
    exactly = re.escape(words)
    return items.filter(Q(external_id__iregex=exactly) | Q(text__iregex=exactly), pk__in=found)


def _with_short_words(
    project: Project, items: QuerySet[Item], words: str, first: int | None
) -> QuerySet[Item]:
    written = _spellings(words)
    stretches = stretches_with(project, written)
    if stretches is None or (stretches and (first is None or first > FEW)):
        return items.filter(_has(connections[items.db].vendor, written))
    found: list[int] = []
    at_once, looked = 1, 0
    while looked < len(stretches) and len(found) < (first or 0):
        here = stretches[looked : looked + at_once]
        keys = sorted(_keys_within(project, items.db, here, written))
        looked += len(here)
        while keys and len(found) < (first or 0):
            some, keys = keys[:first], keys[first:]
            found += items.filter(pk__in=some).order_by("pk").values_list("pk", flat=True)
        missing = (first or 0) - len(found)
        # As many as will do if the others have no more and no fewer.
        at_once = min(AT_ONCE, -(-missing * looked // len(found)) if found else 2 * at_once)
    return items.filter(pk__in=found[:first])


def _spellings(words: str) -> list[str]:
    """Return how few characters may be written: ASCII letters small, others small and as capitals.

    >>> _spellings("Éa")
    ['Éa', 'éa']
    """
    letters = [
        {small_ascii(one) for one in (letter, letter.lower(), letter.upper()) if len(one) == 1}
        if not letter.isascii()
        else {letter.lower()}
        for letter in words
    ]
    return sorted(map("".join, product(*letters)))


def _has(vendor: str, written: Iterable[str]) -> RawSQL:
    """Return the condition that the id or the text of an item has one of the spellings.

    LIKE of SQLite takes capitals of ASCII for small ones. PostgreSQL is asked so by the collation C, and only
    where there are such letters: knowing the capitals of all languages takes it several times as long.
    """
    conditions, patterns = [], []
    for word in written:
        cased = any(letter.isascii() and letter.isalpha() for letter in word)
        if vendor == "sqlite":
            like = "{column} LIKE %s ESCAPE '\\'"
        elif cased:
            word = "".join(letter.upper() if letter.isascii() else letter for letter in word)
            like = 'UPPER({column} COLLATE "C") LIKE %s'
        else:
            like = "{column} LIKE %s"
        conditions += [like.format(column=f'"{TABLE}"."{name}"') for name in ("external_id", "text")]
        patterns += 2 * [f"%{connection.ops.prep_for_like_query(word)}%"]
    return RawSQL(" OR ".join(conditions), patterns, BooleanField())


_WITHIN = {
    "sqlite": f"""
SELECT "{TABLE}"."id" FROM json_each(%s) AS stretch CROSS JOIN "{TABLE}"
WHERE "{TABLE}"."id" BETWEEN json_extract(stretch.value, '$[0]') AND json_extract(stretch.value, '$[1]')
AND "{TABLE}"."project_id" = %s AND ({{having}})
""",
    # OFFSET 0 has the stretches looked up in the table one by one, and no other texts read.
    "postgresql": f"""
SELECT found.id FROM unnest(%s::bigint[], %s::bigint[]) AS stretch(first, last) CROSS JOIN LATERAL (
    SELECT "{TABLE}"."id" FROM "{TABLE}" WHERE "{TABLE}"."id" BETWEEN stretch.first AND stretch.last
    AND "{TABLE}"."project_id" = %s AND ({{having}}) OFFSET 0
) AS found
""",
}


def _keys_within(
    project: Project, using: str, stretches: Sequence[tuple[int, int]], written: Iterable[str]
) -> list[int]:
    """Return the keys of the project's items within some stretches that have one of the spellings."""
    vendor = connections[using].vendor
    having = _has(vendor, written)
    ends = (
        [json.dumps(stretches)]
        if vendor == "sqlite"
        else [list(keys) for keys in zip(*stretches, strict=True)]
    )
    with connections[using].cursor() as cursor:
        cursor.execute(_WITHIN[vendor].format(having=having.sql), [*ends, project.pk, *having.params])
        return [key for (key,) in cursor.fetchall()]


OFFERED = 200

# From topic to topic along the index: SELECT DISTINCT would look at every item.
_TOPICS = """
WITH RECURSIVE found(topic) AS (
    SELECT MIN(topic) FROM annotation_item WHERE project_id = %s AND topic > ''
    UNION ALL
    SELECT (SELECT MIN(i.topic) FROM annotation_item i WHERE i.project_id = %s AND i.topic > found.topic)
    FROM found WHERE found.topic IS NOT NULL
)
SELECT topic FROM found WHERE topic IS NOT NULL LIMIT %s
"""


def topics_of(project: Project) -> list[str]:
    """Return the first topics of a project's items in the database's order, each once, at most OFFERED."""
    with connection.cursor() as cursor:
        cursor.execute(_TOPICS, [project.pk, project.pk, OFFERED])
        return [topic for (topic,) in cursor.fetchall()]
