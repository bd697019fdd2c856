"""What was built: the files of a release and what its card and manifest say about them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NotRequired, TypedDict

from exports.disclosure.disclosure import Disclosure
from exports.files.zip_archive import Entry
from exports.selection.filters import FilterFacts
from exports.selection.refined_questions import RunFacts


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


class StoredFile(TypedDict):
    """A file as the row of a release has it: a `BuiltFile` and its place in the storage.

    The ZIP has no place (releases of before have one): `entries` are its files in order, with their CRC-32.
    """

    name: str
    sha256: str
    size: int
    internal: bool
    archive: bool
    storage: str
    entries: NotRequired[list[list[Any]]]


class AnnotatorsAnItem(TypedDict):
    """By how many annotators items were judged: the median, and items by that number, None where too few."""

    median: float | None
    items: dict[str, int | None]


class ManifestRound(TypedDict):
    """A round of a release; types and asked are there only where it did not ask all types of all items."""

    number: int
    name: str
    purpose: str
    guideline_version: int
    annotators_an_item: AnnotatorsAnItem
    imported: bool
    reopened: bool
    types: NotRequired[list[str]]
    asked: NotRequired[dict[str, Any]]


class ManifestType(TypedDict):
    """What a type may be called."""

    code: str
    name: str
    aliases: list[str]


class LabelsBySource(TypedDict):
    """How often each label was given, by the source of the item, before and after edited questions."""

    as_annotated: dict[str, dict[str, int]]
    as_released: dict[str, dict[str, int]]


class Manifest(TypedDict):
    """release.json: what a release was built from, and its counts.

    types is there for FOCUS, labels_by_split where there are splits, refinements where there are refined
    questions, filters where items of the project are marked as filtered.
    """

    project: str
    version: str
    protocol: str
    digest: str
    parameters: dict[str, Any]
    rounds: list[ManifestRound]
    guideline_version: int
    types: NotRequired[list[ManifestType]]
    splits: dict[str, int]
    counts: dict[str, int]
    labels: dict[str, int]
    labels_by_split: NotRequired[dict[str, dict[str, int]]]
    labels_by_source: LabelsBySource
    refinements: NotRequired[list[RunFacts]]
    filters: NotRequired[list[FilterFacts]]


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
    `refinements` say how the refined questions came to be, run by run, and `filters` what context
    filters left out.
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
    refinements: list[RunFacts]
    filters: list[FilterFacts] = field(default_factory=list)
    card: str = ""
    files: list[BuiltFile] = field(default_factory=list)

    def cleaned_by(self, disclosure: Disclosure) -> None:
        """Take out of the words of people what they quote of texts that the release does not have."""
        without, cleaned = disclosure.texts_out.without, disclosure.texts_out.cleaned
        self.sources = [(without(source), without(licence), n) for source, licence, n in self.sources]
        self.annotators = [(name, n, without(background)) for name, n, background in self.annotators]
        self.labels_before, self.labels_after = cleaned(self.labels_before), cleaned(self.labels_after)
        self.labels_by_split = cleaned(self.labels_by_split)
