"""Which splits the examples of a baseline may come from, so that none is from what is answered."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext

from annotation.models import Project
from assist.runs.kinds import Example

SHOWN = frozenset({"train", "dev", "validation"})


def check_splits(_project: Project, examples: Sequence[Example], answered: set[str]) -> None:
    """Raise ValueError for an example of another split than these, or of one that is answered."""
    for example in examples:
        split = example.item.split
        words = {"id": example.item.external_id, "split": split or gettext("none")}
        if split.casefold() not in SHOWN:
            raise ValueError(
                gettext("%(id)s is of the split %(split)s: examples come from train, dev or validation.")
                % words
            )
        if split in answered:
            raise ValueError(
                gettext("%(id)s is of the split %(split)s, which is answered: name items of another split.")
                % words
            )
