"""What differs between a release and the one before it, from the files of both that anybody may have.

A worker compares them when the later one is built, and stores the answer beside the files of releases: the
JSON Lines are read line by line, and of the release before only labels and gold spans of lines that differ
stay in memory. Nothing of this goes into a release's files, so a rebuild has the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from django.core.files.storage import default_storage
from django.db.models import Q

from core.stored_files import read_stored_json, store_json
from exports.documentation.contents import Manifest, StoredFile
from exports.models import Release
from exports.releases.comparison_files import Unit, files_that_differ, lines_files, read_items, read_lines
from exports.selection.parameters import Parameters

FORMAT = 2
"""Raised whenever two releases would be compared otherwise than before: the answers are stored."""

LISTED = 5_000
"""Changes that are listed one by one; all are counted."""

NOTHING = "–"
WORDS = {
    "label": "label",
    "spans": "gold spans",
    "question": "wording of the question",
    "split": "split",
}
_SPLITTING = ("split_by", "split_sizes", "split_names", "seed")
"""Choices that move items by themselves: where they differ the items that moved are not told one by one."""


@dataclass(frozen=True, slots=True)
class Change:
    """What was said of a unit of an item before and what is said of it after; `what` is a key of WORDS.

    The `unit` of a change of split is empty: it is about the whole item.
    """

    what: str
    item: str
    unit: str
    before: str
    after: str

    @property
    def words(self) -> str:
        return WORDS[self.what]


@dataclass(frozen=True, slots=True)
class Changes:
    """The difference of two releases.

    `choices` are name, before and after. `added` and `removed` are the ids of items. `counts` has every
    change by its `what`, `items_changed` the items with any; `changes` lists the first LISTED, item by item.
    `not_compared` counts the items whose labels one of the two withholds.
    """

    choices: tuple[tuple[str, str, str], ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    counts: dict[str, int]
    items_changed: int
    changes: tuple[Change, ...]
    not_compared: int

    @property
    def n_changes(self) -> int:
        return sum(self.counts.values())


def release_before(release: Release, *, public: bool = False) -> Release | None:
    """Return the release that was built last before this one; with `public`, the last that is public."""
    earlier = Q(built_at__lt=release.built_at) | Q(built_at=release.built_at, pk__lt=release.pk)
    found = release.project.releases.filter(earlier, state=Release.State.DONE, taken_down_at=None)
    if public:
        found = found.filter(is_public=True)
    return found.order_by("-built_at", "-id").first()


def changes_between(before: Release, after: Release) -> Changes:
    """Compare two finished releases by their public files. They never change, so the answer is stored.

    Raises OSError where a file is missing in the storage.
    """
    found = read_stored_changes(before, after)
    if found is None:
        found = _compared(before, after)
        store_json(_place(before, after), asdict(found))
    return found


def read_stored_changes(before: Release, after: Release) -> Changes | None:
    """Return the stored answer of `changes_between`; None where there is none yet."""
    told = read_stored_json(_place(before, after))
    if told is None:
        return None
    lists = {name: tuple(told[name]) for name in ("added", "removed")}
    choices = tuple((name, old, new) for name, old, new in told["choices"])
    changes = tuple(Change(**change) for change in told["changes"])
    return Changes(**{**told, **lists, "choices": choices, "changes": changes})


def compute_comparison(release: Release) -> None:
    """Store how a finished release differs from the one before it, and from the last public one before it."""
    befores = {release_before(release), release_before(release, public=True)}
    for before in befores:
        if before is not None:
            changes_between(before, release)


def comparable(before: Release, after: Release) -> bool:
    """Say whether the storage has the files that a comparison reads."""
    return all(
        default_storage.exists(place)
        for release in (before, after)
        for place in [*(file.storage for file in lines_files(release)), _manifest_file(release)["storage"]]
    )


def withdrawn_among(release: Release, removed: tuple[str, ...]) -> list[str]:
    """Return which of the removed items were withdrawn from the project, in the order given."""
    withdrawn = set(
        release.project.items.filter(withdrawn_at__isnull=False).values_list("external_id", flat=True)
    )
    return [item for item in removed if item in withdrawn]


def forget_changes(release: Release) -> None:
    """Delete what was stored of comparing a release with any other of its project."""
    for other in release.project.releases.filter(state=Release.State.DONE).exclude(pk=release.pk):
        for place in (_place(release, other), _place(other, release)):
            default_storage.delete(place)


def _place(before: Release, after: Release) -> str:
    # Digests say what was built and checksums in which version: a restored copy may reuse the keys of rows.
    files = [sorted(file["sha256"] for file in release.files) for release in (before, after)]
    return f"release-changes/{FORMAT}-{hashlib.sha256(json.dumps(files).encode()).hexdigest()}.json"


def _compared(before: Release, after: Release) -> Changes:
    # Of most items both say the same, byte for byte: those need not be read. Whole files that both have are
    # not opened; of the others hashes of lines are kept, a few bytes each, and not the lines.
    old, new = files_that_differ(before, after)
    parameters = [{**Parameters().to_json(), **release.parameters} for release in (before, after)]
    a, b = ([chosen[key] for key in _SPLITTING] for chosen in parameters)
    moves = a == b
    quotes = all(chosen["texts"] for chosen in parameters)
    lines_before, lines = read_lines(old), read_lines(new)
    same = {
        line for line in lines.keys() & lines_before.keys() if not moves or lines[line] == lines_before[line]
    }
    known = {item: (split, units) for item, split, units in read_items(old, same, quotes)}
    added: list[str] = []
    changes: list[Change] = []
    counts: Counter[str] = Counter()
    items_changed = not_compared = 0
    for item, split, units in read_items(new, same, quotes):
        if item not in known:
            added.append(item)
            continue
        split_before, units_before = known.pop(item)
        found = [Change("split", item, "", split_before, split)] if moves and split != split_before else []
        if units is None or units_before is None:
            not_compared += 1
        else:
            found += _item_changes(item, units_before, units)
        items_changed += bool(found)
        counts.update(change.what for change in found)
        changes += found[: LISTED - len(changes)]
    return Changes(
        choices=tuple(_choices(before, after)),
        added=tuple(added),
        removed=tuple(known),
        counts=dict(counts),
        items_changed=items_changed,
        changes=tuple(changes),
        not_compared=not_compared,
    )


def _manifest_file(release: Release) -> StoredFile:
    files: list[StoredFile] = release.files
    return next(file for file in files if file["name"] == "release.json")


def _item_changes(item: str, before: tuple[Unit, ...], after: tuple[Unit, ...]) -> Iterator[Change]:
    if before == after:
        return
    old, new = {unit.key: unit for unit in before}, {unit.key: unit for unit in after}
    for key in {**old, **new}:
        nothing = (old.get(key) or new[key])._replace(label=NOTHING, detail="")
        a, b = old.get(key, nothing), new.get(key, nothing)
        if a.label != b.label:
            yield Change("label", item, b.name, a.label, b.label)
        # A question that is new or gone is told by its label alone.
        both = key in old and key in new
        if a.detail != b.detail and (both or a.what == "spans"):
            yield Change(a.what, item, b.name, a.detail or NOTHING, b.detail or NOTHING)


def _choices(before: Release, after: Release) -> Iterator[tuple[str, str, str]]:
    """Yield what was chosen otherwise: rounds with their guideline, the guideline, then the parameters."""
    old, new = _manifest(before), _manifest(after)
    for key in dict.fromkeys((*old, *new)):
        a, b = (NOTHING if side.get(key) in (None, "", [], {}) else side[key] for side in (old, new))
        if a != b:
            yield key.replace("_", " "), choice_words(a), choice_words(b)


def _manifest(release: Release) -> dict[str, Any]:
    with default_storage.open(_manifest_file(release)["storage"], "rb") as stream:
        told: Manifest = json.load(stream)
    rounds = [f"{row['name']} (guideline {row['guideline_version']})" for row in told["rounds"]]
    # A release from before a choice was there is as one that left it at its default.
    chosen = {**Parameters().to_json(), **told["parameters"]}
    # The rounds that were pooled say more than which were asked for.
    return {
        "rounds": rounds,
        "guideline_version": told["guideline_version"],
        **{name: value for name, value in chosen.items() if name != "rounds"},
    }


def choice_words(value: Any) -> str:
    """Return what was chosen as a page says it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return ", ".join(f"{name}={size}" for name, size in value.items())
    return str(value)
