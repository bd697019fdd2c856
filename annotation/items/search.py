"""Finding items by words of their id or text. See docs/decisions/storage.md."""

import re

from django.db import connection, connections
from django.db.models import Q, QuerySet
from django.db.models.expressions import RawSQL
from django.db.models.functions import Collate

from annotation.database.trigram_index import WORDS
from annotation.models import Item, Project

PIECE = 3
"""The index knows pieces of so many characters; shorter words are looked for in every text."""

PIECES_ASKED = 20


def items_with_words(items: QuerySet[Item], words: str) -> QuerySet[Item]:
    """Return those of the items whose id or text has these words as they stand, in capitals or not."""
    # No text can have it, and PostgreSQL refuses to be asked.
    if "\0" in words:
        return items.none()
    if len(words) < PIECE:
        return _with_short_words(items, words)
    if connections[items.db].vendor != "sqlite":
        return items.filter(Q(external_id__icontains=words) | Q(text__icontains=words))
    pieces = [words[start : start + PIECE] for start in range(len(words) - PIECE + 1)]
    asked = " AND ".join('"{}"'.format(piece.replace('"', '""')) for piece in pieces[:PIECES_ASKED])
    found = RawSQL(f"SELECT rowid FROM {WORDS} WHERE {WORDS} MATCH %s", [asked])
    # The pieces may stand apart; LIKE knows capitals of ASCII alone.
    exactly = re.escape(words)
    return items.filter(Q(external_id__iregex=exactly) | Q(text__iregex=exactly), pk__in=found)


def _with_short_words(items: QuerySet[Item], words: str) -> QuerySet[Item]:
    """Return the items that have so few characters, read text by text until a page is full.

    PostgreSQL reads them several times as fast where it need not know the capitals of all languages: words
    that have none, such as Chinese and Japanese ones, and words of ASCII.
    """
    if words.upper() == words.lower():
        return items.filter(Q(external_id__contains=words) | Q(text__contains=words))
    if words.isascii() and connections[items.db].vendor == "postgresql":
        plain = items.alias(plain_id=Collate("external_id", "C"), plain_text=Collate("text", "C"))
        return plain.filter(Q(plain_id__icontains=words) | Q(plain_text__icontains=words))
    return items.filter(Q(external_id__icontains=words) | Q(text__icontains=words))


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
