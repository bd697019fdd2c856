"""What a report has of an item's text, when the item is erased."""

from typing import Any

from agreement.models import ConsensusSpan
from annotation.database.erasure import blocks
from annotation.models import Item


def spans_erase(*, item: Item, **_signal: Any) -> None:
    """Turn the words of consensus spans of an item into blocks."""
    for pk, text in ConsensusSpan.objects.filter(item=item).values_list("pk", "text"):
        ConsensusSpan.objects.filter(pk=pk).update(text=blocks(text))
