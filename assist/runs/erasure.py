"""What language models were asked and answered about an item that is erased for good."""

from typing import Any

from annotation.database.erasure import blocks, without_strings
from annotation.models import Item
from assist.models import AssistAnswer, AssistRun, ProposedQuestion, SchemeFilling


def forget_item_words(*, item: Item, **_signal: Any) -> None:
    """Turn into blocks what models answered about an item, what was proposed of it, and examples of it."""
    for answer in AssistAnswer.objects.filter(item=item).only("raw", "found", "reason").iterator():
        AssistAnswer.objects.filter(pk=answer.pk).update(
            raw=blocks(answer.raw), found=without_strings(answer.found), reason=blocks(answer.reason)
        )
    for filling in SchemeFilling.objects.filter(item=item).only("slots"):
        SchemeFilling.objects.filter(pk=filling.pk).update(slots=without_strings(filling.slots))
    for question in ProposedQuestion.objects.filter(item=item).only("text", "edited"):
        ProposedQuestion.objects.filter(pk=question.pk).update(
            text=blocks(question.text), edited=blocks(question.edited)
        )
    for run in AssistRun.objects.filter(project=item.project_id).only("fixed", "examples").iterator():
        if any(example.get("id") == item.external_id for example in run.examples):
            AssistRun.objects.filter(pk=run.pk).update(
                fixed={**run.fixed, "examples": blocks(run.fixed.get("examples", ""))},
                examples=[
                    {**example, "answer": without_strings(example.get("answer"))} for example in run.examples
                ],
            )
