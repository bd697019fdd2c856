"""What an import counts, said of one and of many. Reports store the words for many."""

from django.utils.translation import ngettext_lazy

COUNTED = {
    "equal texts": ngettext_lazy("equal text", "equal texts"),
    "items already there": ngettext_lazy("item already there", "items already there"),
    "judgements already there": ngettext_lazy("judgement already there", "judgements already there"),
    "new annotators": ngettext_lazy("new annotator", "new annotators"),
    "new corrections": ngettext_lazy("corrected item", "corrected items"),
    "new items": ngettext_lazy("new item", "new items"),
    "new judgements": ngettext_lazy("new judgement", "new judgements"),
    "new key answers": ngettext_lazy("new key answer", "new key answers"),
    "new published labels": ngettext_lazy("new published label", "new published labels"),
    "new questions": ngettext_lazy("new question", "new questions"),
    "votes kept alone": ngettext_lazy(
        "vote kept without its span, reason or comment", "votes kept without their span, reason or comment"
    ),
    "questions already there": ngettext_lazy("question already there", "questions already there"),
}


def counted(what: str, n: int) -> str:
    """Return the words for n of what a report counted, without the number, in the reader's language.

    >>> counted("new items", 1), counted("new items", 2), counted("other things", 1)
    ('new item', 'new items', 'other things')
    """
    return COUNTED[what] % n if what in COUNTED else what
