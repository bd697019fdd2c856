"""The files of a release for people who model annotators: soft labels, the matrix of votes, spans for gamma.

Votes about items of withheld splits are only in the files below `internal/`, and so is whoever was given
nothing but these items.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from exports.formats import gamma, votes
from exports.formats.longform import csv_line
from exports.selection.records import ItemRecord
from exports.selection.selection import Selection

if TYPE_CHECKING:
    from exports.files.outputs import Places

SOFT_LABELS, MATRIX = "soft_labels.csv", "annotator_matrix.csv"
SPANS, TEXTS = "gamma/spans.csv", "gamma/texts.csv"


class Annotators(NamedTuple):
    """The memberships that are columns of the matrix, in order: of all items, and of the public ones."""

    whole: Sequence[int] = ()
    public: Sequence[int] = ()


class VoteOutput:
    """Shares of votes and votes by annotator, a line a unit: `soft_labels.csv`, `annotator_matrix.csv`."""

    def __init__(self, selection: Selection, places: Places, annotators: Annotators) -> None:
        self._withheld = places.withheld
        self._files = [
            _VoteFiles(selection, places, annotators.whole if internal else annotators.public, internal)
            for internal in _kinds(places)
        ]

    def add(self, record: ItemRecord, entry: dict[str, Any], split: str) -> None:
        units = votes.unit_cells(record, votes.cell(record.item.external_id))
        if not units:
            return
        shares = "".join(votes.share_lines(record, units))
        for files in self._files:
            if files.internal or split not in self._withheld:
                files.shares.write(shares)
                files.matrix.writelines(votes.matrix_lines(record, units, files.columns))

    def close(self) -> None:
        for files in self._files:
            files.shares.close()
            files.matrix.close()


class _VoteFiles:
    def __init__(self, selection: Selection, places: Places, members: Sequence[int], internal: bool) -> None:
        self.internal = internal
        self.columns = {member: at for at, member in enumerate(members)}
        self.shares = places.open(SOFT_LABELS, internal=internal)
        self.shares.write(csv_line([name for name, _, _ in votes.share_columns(selection)]))
        self.matrix = places.open(MATRIX, internal=internal)
        self.matrix.write(votes.header(selection, [selection.members[member] for member in members]))


class GammaOutput:
    """The spans as pygamma-agreement reads them, and which text lies where: `gamma/`."""

    def __init__(self, selection: Selection, places: Places) -> None:
        self._withheld = places.withheld
        self._stack = ExitStack()
        self._files: list[tuple[bool, gamma.Line, IO[str], IO[str]]] = []
        for internal in _kinds(places):
            spans, texts = (
                self._stack.enter_context(places.open(name, internal=internal)) for name in (SPANS, TEXTS)
            )
            texts.write(csv_line(gamma.TEXTS_HEADER))
            self._files.append((internal, gamma.Line(selection), spans, texts))

    def add(self, record: ItemRecord, entry: dict[str, Any], split: str) -> None:
        for internal, line, spans, texts in self._files:
            if internal or split not in self._withheld:
                marked, text = line.add(record, votes.cell(record.item.external_id))
                spans.write(marked)
                texts.write(text)

    def close(self) -> None:
        self._stack.close()


def _kinds(places: Places) -> Iterator[bool]:
    yield False
    if places.withheld:
        yield True
