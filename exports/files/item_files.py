"""The files that have something of every item: written item by item, and tallied.

Nothing here asks the database, so that another process can do it as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from exports.disclosure.texts_out import TextsOut
from exports.files.checksums import Sums
from exports.files.outputs import Output, Places, open_outputs
from exports.files.reconciliation import Tally
from exports.files.vote_outputs import Annotators
from exports.formats import cqs_gen, focus
from exports.selection.records import ItemRecord
from exports.selection.selection import Selection

Batch = Sequence[tuple[ItemRecord, str]]
"""Items with their splits."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What the files need to know before the first item: the selection, its splits and its origins.

    `origins` are those whom the project's questions come from, `annotators` those who were given an item.
    `texts_out` takes the words of texts out of what a release without texts says.
    """

    selection: Selection
    splits: list[str]
    origins: list[str]
    texts_out: TextsOut = field(default_factory=TextsOut)
    annotators: Annotators = field(default_factory=Annotators)


class Tallies(NamedTuple):
    """What the files hold: all of them, and those that anybody may see, without items of withheld splits."""

    whole: Tally
    public: Tally


@dataclass(slots=True)
class ItemFiles:
    """Writes items into every file that the release has. Use it in a `with` block, which closes the files."""

    plan: Plan
    sums: Sums
    _tally: Tally = field(default_factory=Tally)
    _public: Tally = field(default_factory=Tally)
    _outputs: list[Output] = field(default_factory=list)

    def __enter__(self) -> ItemFiles:
        selection = self.plan.selection
        if not selection.parameters.withheld:
            self._public = self._tally
        places = Places(self.sums, self.plan.splits, selection.parameters.withheld, self.plan.texts_out)
        self._outputs = open_outputs(selection, places, self.plan.origins, self.plan.annotators)
        return self

    def __exit__(self, *error: object) -> None:
        self._close()

    def add(self, batch: Batch) -> None:
        """Write items, in the order given."""
        selection = self.plan.selection
        entry_of = (focus if selection.typology else cqs_gen).entry
        for record, split in batch:
            if not self._tally.sound(record):
                continue
            entry = entry_of(record, selection)
            self._tally.add(record, entry, selection, split)
            if self._public is not self._tally and split not in selection.parameters.withheld:
                self._public.add(record, entry, selection, split)
            for output in self._outputs:
                output.add(record, entry, split)

    def finish(self) -> Tallies:
        """Close the files, whose checksums are known from then on, and return what they hold."""
        self._close()
        for tally in (self._tally, self._public):
            tally.settle()
        return Tallies(self._tally, self._public)

    def _close(self) -> None:
        while self._outputs:
            self._outputs.pop(0).close()
