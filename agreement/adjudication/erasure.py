"""What a report has of an item's text, when the item is erased."""

from typing import Any

from django.utils.translation import gettext

from agreement.models import AgreementReport, ConsensusSpan, ReportPart
from annotation.database.erasure import blocks
from annotation.models import Item
from core.errors import Refused

_COMPUTED = ("running", "in_parts")


def spans_erase(*, item: Item, **_signal: Any) -> None:
    """Turn the words of consensus spans of an item into blocks. Raises Refused while a report is computed."""
    reports = AgreementReport.objects.filter(round__round_items__item=item)
    if reports.filter(state__in=_COMPUTED).exists():
        raise Refused(
            "not_ready",
            gettext("A report that would quote the text is being computed: wait for it, then erase."),
        )
    ReportPart.objects.filter(report__in=reports.values("pk")).delete()
    for pk, text in ConsensusSpan.objects.filter(item=item).values_list("pk", "text"):
        ConsensusSpan.objects.filter(pk=pk).update(text=blocks(text))
