"""What was built: the files of a release and what its card and manifest say about them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from exports.disclosure.disclosure import Disclosure
from exports.files.zip_archive import Entry


@dataclass(frozen=True, slots=True)
class BuiltFile:
    """A file of a release, by its name below the folder.

    `internal` ones hold withheld references or systems' questions; the `archive` is the ZIP of all others,
    with its `entries` in order: it is put together while it is sent.
    """

    name: str
    sha256: str
    size: int
    internal: bool = False
    archive: bool = False
    entries: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True)
class Inside:
    """The digest and the counts of the whole release, withheld items too: for its leads."""

    digest: str
    counts: Counter[str]
    labels: dict[str, int]


@dataclass(slots=True)
class Built:
    """What was built, with what the card and the manifest say about it to everybody.

    Nothing here but `inside` knows a judgement of a withheld item; `digest` covers what is public.
    `sources` are source, licence and items; `annotators` pseudonym, judgements (None where that would tell of
    few items) and background. `spans` are the gold and disagreement spans by type. `labels_before` and
    `labels_after` are the labels by source, before and after edited questions came in; `labels_by_split` are
    those as released, of types the yes. `annotators_an_item` has for each round, by its number, how many
    items so many annotators judged.
    `refinements` say how the refined questions came to be, run by run.
    """

    digest: str
    inside: Inside
    counts: Counter[str]
    labels: dict[str, int]
    spans: dict[str, tuple[int, int]]
    splits: dict[str, int]
    sources: list[tuple[str, str, int]]
    annotators: list[tuple[str, int | None, str]]
    labels_before: dict[str, dict[str, int]]
    labels_after: dict[str, dict[str, int]]
    labels_by_split: dict[str, dict[str, int]]
    annotators_an_item: dict[int, dict[int, int]]
    refinements: list[dict[str, Any]]
    card: str = ""
    files: list[BuiltFile] = field(default_factory=list)

    def cleaned_by(self, disclosure: Disclosure) -> None:
        """Take out of the words of people what they quote of texts that the release does not have."""
        without, cleaned = disclosure.texts_out.without, disclosure.texts_out.cleaned
        self.sources = [(without(source), without(licence), n) for source, licence, n in self.sources]
        self.annotators = [(name, n, without(background)) for name, n, background in self.annotators]
        self.labels_before, self.labels_after = cleaned(self.labels_before), cleaned(self.labels_after)
        self.labels_by_split = cleaned(self.labels_by_split)
