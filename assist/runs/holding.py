"""What language models were asked or proposed about an import's items keeps it from being taken back."""

from typing import Any

from django.db.models import Q
from django.utils.translation import gettext

from annotation.models import Import
from assist.models import AssistAnswer, ProposedQuestion, SchemeFilling
from core.errors import Refused


def refuse_undoing(*, brought_by: Import, **_signal: Any) -> None:
    """Raise Refused where an answer, a filled scheme or a candidate question rests on an import."""
    of_items = Q(item__brought_by=brought_by)
    if (
        AssistAnswer.objects.filter(of_items).exists()
        or SchemeFilling.objects.filter(of_items).exists()
        or ProposedQuestion.objects.filter(of_items | Q(question__brought_by=brought_by)).exists()
    ):
        raise Refused(
            "in_use",
            gettext(
                "This import cannot be undone: a language model was asked about its items, or candidate "
                "questions became its own. Withdraw the items instead."
            ),
        )
