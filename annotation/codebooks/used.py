"""Codebooks that rounds use, read once a process: the database lets nobody change them."""

from datetime import datetime
from functools import lru_cache

from annotation.codebooks.definition import Codebook as CodebookDefinition
from annotation.models import Codebook


@lru_cache(maxsize=64)
def used_codebook(pk: int, created_at: datetime) -> CodebookDefinition:
    """Return the definition of a codebook that a round uses.

    With its translations it is the longest thing that a judgement would read. `created_at` tells it from
    another one under the same key, as in a restored database.
    """
    return CodebookDefinition.from_json(
        Codebook.objects.values_list("definition", flat=True).get(pk=pk, created_at=created_at)
    )
