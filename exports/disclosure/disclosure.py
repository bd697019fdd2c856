"""What of a release anybody may see. Every public file, page and answer asks here.

- Nothing about judgements of items in withheld splits: whatever counts or compares them is computed without.
- Where labels or texts of a round's items are kept back, nothing in its agreement report speaks of fewer than
  `min_cell` items. Where all is public anyway nothing is left unsaid.
- In a release without texts no file has five words in a row of a text, and no field that holds texts; only
  by choice do critical questions stand as they were written.

Leads see everything: below `internal/` and on their own pages.

See docs/decisions/releases.md.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.translation import gettext

from agreement.report.figures import ReportFigures
from agreement.report.judgements import RoundJudgements
from annotation.codebooks.definition import Codebook
from annotation.models import Question, QuestionAnnotation, Resolution
from core.errors import Refused
from exports.disclosure.figures import CARRIED, enough, figures_told
from exports.disclosure.texts_out import TextsOut, is_text, strings_in
from exports.selection.parameters import CREDITS, Parameters
from exports.selection.selection import Selection, items_chosen

PIECE = 1_000


@dataclass(frozen=True)
class Disclosure:
    """What of the items and rounds of one release stays inside.

    `split_of` is the split of every item, by its key. `texts_out` takes the words of texts out of strings; it
    takes nothing out where the release has the texts.
    """

    parameters: Parameters
    split_of: Mapping[int, str] = field(default_factory=dict)
    texts_out: TextsOut = field(default_factory=TextsOut)

    @property
    def is_everything_public(self) -> bool:
        """Whether the public files tell every judgement, and the texts."""
        return self.parameters.texts and self.parameters.judgements and not self.parameters.withheld

    def is_withheld(self, split: str) -> bool:
        return split in self.parameters.withheld

    def withheld_among(self, items: Iterable[int]) -> frozenset[int]:
        """Return which of these items, given by their keys, are in withheld splits."""
        if not self.parameters.withheld:
            return frozenset()
        return frozenset(item for item in items if self.is_withheld(self.split_of.get(item, "")))

    def round_figures(
        self,
        judgements: Callable[[Collection[int]], RoundJudgements],
        withheld: Collection[int],
        figures: Callable[[RoundJudgements | None], ReportFigures],
    ) -> ReportFigures | None:
        """Return what anybody may see of a round's agreement; None where too few items are left for any.

        `judgements` reads the round without some items, `figures` reports on judgements, None for all of it.
        """
        if not withheld and self.parameters.texts:
            return figures(None)
        least = self.parameters.min_cell
        read = judgements(withheld)
        left = enough(read, least)
        if left is None:
            return None
        whole = not withheld and left is read
        told = figures_told(figures(None if whole else left), left, least, fields=self.fields(left))
        return {**told, "kept_back": {"items": len(withheld), "min_cell": least}}

    def fields(self, judgements: RoundJudgements) -> list[str]:
        """Return the fields of the items that may be told: without texts none whose values are texts."""
        found = judgements.items.fields
        if self.parameters.texts:
            return sorted(found)
        return sorted(
            name
            for name, per_item in found.items()
            if name in CARRIED or not any(is_text(value) for entry in per_item for value in entry)
        )

    def knowing(self, texts: Callable[[], Iterable[str]], *values: Any) -> Disclosure:
        """Return the same that also takes out of these values what they share with the texts."""
        if self.parameters.texts:
            return self
        found = TextsOut.of((string for value in values for string in strings_in(value)), texts())
        return replace(self, texts_out=self.texts_out.also(found))

    def public_selection(self, selection: Selection) -> Selection:
        """Return the selection as the documents of the release may speak of it."""
        if not self.texts_out.shared:
            return selection
        project = copy(selection.project)
        for name in ("name", "licence", "languages", "contact"):
            setattr(project, name, self.texts_out.without(getattr(project, name)))
        credits: dict[str, Any] = {
            name: self.texts_out.without(getattr(selection.parameters, name)) for name in CREDITS
        }
        return replace(
            selection,
            project=project,
            parameters=replace(selection.parameters, **credits),
            codebook=Codebook.from_json(self.texts_out.cleaned(selection.codebook.to_json())),
        )


def disclosure_of(selection: Selection, split_of: Mapping[int, str]) -> Disclosure:
    """Return what of a release anybody may see, knowing what its items and questions quote.

    Raises Refused where ids or names of splits quote the texts, by which these would be passed on.
    """
    plain = Disclosure(selection.parameters, split_of)
    if selection.parameters.texts:
        return plain
    splits = sorted(set(split_of.values()))
    found = plain.knowing(lambda: texts_of(selection), splits, list(_strings_of_items(selection)))
    names = items_chosen(selection).order_by("pk").values_list("external_id", flat=True)
    quoting = [name for name in (*splits, *names) if found.texts_out.quotes(name)]
    if quoting:
        raise Refused(
            "invalid",
            gettext(
                "%(n)s ids or names of splits quote the texts, as %(first)s does: a release without texts "
                "would pass them on. Give these names of their own, or release the texts."
            )
            % {"n": len(quoting), "first": repr(quoting[0])},
            errors={
                "without_texts": gettext("The ids of some items or the names of splits quote the texts.")
            },
        )
    return found


def texts_of(selection: Selection) -> Iterator[str]:
    """Yield the texts of a release's items."""
    yield from items_chosen(selection).order_by("pk").values_list("text", flat=True).iterator(PIECE)


def _strings_of_items(selection: Selection) -> Iterator[Any]:
    """Yield what the data files say of items and questions besides their texts."""
    items = items_chosen(selection).order_by("pk")
    for row in items.values_list("external_id", "source", "licence", "topic", "metadata").iterator(PIECE):
        *own, metadata = row
        yield from own
        yield metadata.get("schemes")
    if not selection.typology:
        questions = Question.objects.filter(item__in=items_chosen(selection), candidate=False)
        questions = questions.order_by("pk")
        for external_id, text in questions.values_list("external_id", "text").iterator(PIECE):
            yield str(external_id)
            yield text
        if not selection.parameters.edited_questions:
            return
        decided = Resolution.objects.filter(item__in=items_chosen(selection)).exclude(edited_question="")
        yield from decided.values_list("edited_question", flat=True).order_by("pk").iterator(PIECE)
        judged = QuestionAnnotation.objects.filter(question__in=questions).exclude(edited_question="")
        yield from judged.values_list("edited_question", flat=True).order_by("pk").iterator(PIECE)


def keeps_back(parameters: Mapping[str, Any]) -> bool:
    """Return whether a release with these stored choices keeps labels or texts back."""
    return bool(parameters.get("withheld")) or not parameters.get("texts", True)
