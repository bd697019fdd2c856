"""Which stretches of a project's items can have a word of one or two letters.

The index of pieces has three letters a piece, and an index of shorter ones would be as large as the texts.
So a worker reads the texts once after an import, and keeps for each of 65,536 hashes of a letter, or of two
letters beside each other, which stretches of neighbouring items have it. A stretch without it has no such
word; the items of the others are read. This decides how long a search takes, never what it finds.

See docs/decisions/storage.md.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from django.core.cache import cache
from django.db.models import Count, Max, Sum

from annotation.database.erasure import BLOCK, ERASED
from annotation.models import Import, Item, Project
from core.cache import KEPT_BY_WORKER, BackgroundCount

MANY = 10_000
"""Of fewer items all are read: that takes less time than a page has."""

LONGEST = 256
"""Items of a stretch at most."""

READ = 16
"""Items that come into a stretch together."""

LEAP = 1_000
"""Where keys leap by more a stretch ends: what lies between is of other projects."""

FULL = 8_192
"""Hashes from which on a stretch ends, an eighth of all: Chinese and Japanese texts have so many pairs."""

HASHES = 65_536
_SLICES = 64
_OF_SLICE = HASHES // _SLICES
_FIRST, _SECOND, _PAIR, _WORD = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class Stretches:
    """The stretches of a project, ascending: the first and last key of each.

    Their hashes lie in slices, of which each begins with the same `build`: what another worker wrote, or the
    cache has lost, is never taken for theirs.
    """

    build: str
    first: "array[int]"
    last: "array[int]"


def hash_of(letters: str) -> int:
    """Return the hash of one or two letters, capitals of ASCII taken for small ones.

    >>> hash_of("Ab") == hash_of("aB"), hash_of("ab") == hash_of("ba")
    (True, False)
    """
    first, *rest = map(ord, small_ascii(letters))
    hashed = first * _FIRST
    for second in rest:
        hashed = (hashed + second * _SECOND) * _PAIR
    return (hashed & _WORD) >> 16


def small_ascii(letters: str) -> str:
    """Return the letters with small ones for the capitals of ASCII; all others as they are."""
    return "".join(letter.lower() if letter.isascii() else letter for letter in letters)


def stretches_kept(project: Project) -> BackgroundCount[Stretches]:
    """Return where a worker keeps the stretches of a project; they hold until an import is done or undone.

    What imports brought changes no more, but for what is erased, or is here again by an older backup.
    """
    done = project.imports.filter(state=Import.State.DONE)
    brought = done.aggregate(n=Count("pk"), keys=Sum("pk"), newest=Max("created_at"))
    gone = project.events.filter(action=ERASED).aggregate(n=Count("pk"), newest=Max("created_at"))
    sign = ".".join(str(told) for told in (*brought.values(), *gone.values()))
    return BackgroundCount(_name(project), sign)


def has_many_items(project: Project) -> bool:
    """Return whether reading all items takes longer than a page may."""
    return project.items.order_by("id").values_list("pk")[MANY : MANY + 1].exists()


def find_stretches(project: Project) -> None:
    """Read the items of a project and keep their stretches, unless they are kept already."""
    kept = stretches_kept(project)
    kept.count(lambda: _find(project))
    # Whoever erases a text forgets them after that; what was read before and kept only now is forgotten here.
    if stretches_kept(project).sign != kept.sign:
        forget_stretches(project)


def forget_stretches(project: Project) -> None:
    """Forget the stretches of a project, for a text that is erased."""
    cache.delete_many([_name(project), *(_slice(project, place) for place in range(_SLICES))])


def forget_project_stretches(*, project: Project, **_: Any) -> None:
    """Forget the stretches of a project that is deleted."""
    forget_stretches(project)


def stretches_with(project: Project, words: Sequence[str]) -> list[tuple[int, int]] | None:
    """Return the first and last keys of the stretches that can have one of the words, ascending.

    Each word has one or two letters. None where nothing is known: any item can have them.
    """
    # The cache is asked first: of most projects it has nothing.
    if not all(words) or BLOCK in "".join(words) or _name(project) not in cache:
        return None
    stretches, holds = stretches_kept(project).last()
    if stretches is None or not holds:
        return None
    # A pair that shares its hash with a frequent one mostly has a letter that is rare.
    asked = [{hash_of(word), *map(hash_of, word)} for word in words]
    places = {_slice(project, one // _OF_SLICE) for hashes in asked for one in hashes}
    slices = cache.get_many(places)
    build = UUID(stretches.build).bytes
    if any(not slices.get(place, b"").startswith(build) for place in places):
        cache.delete(_name(project))  # for a worker to find them again
        return None
    having = 0
    for hashes in asked:
        with_all = -1
        for one in hashes:
            row = slices[_slice(project, one // _OF_SLICE)][len(build) :]
            width = len(row) // _OF_SLICE
            start = one % _OF_SLICE * width
            with_all &= int.from_bytes(row[start : start + width], "little")
        having |= with_all
    keys_of = zip(stretches.first, stretches.last, strict=True)
    return [ends for place, ends in enumerate(keys_of) if having >> place & 1]


def _name(project: Project) -> str:
    return f"item-stretches:{project.pk}"


def _slice(project: Project, place: int) -> str:
    return f"item-stretches:{project.pk}:{place}"


def _find(project: Project) -> Stretches:
    """Read all items, and store which stretches have each hash: a row of bits, many rows in a slice."""
    import numpy as np

    found = Stretches(uuid4().hex, array("q"), array("q"))
    rows: list[Any] = []  # of each stretch the bits of all hashes
    open_bits, n_items = np.zeros(HASHES, bool), 0
    texts: list[str] = []

    def read(*, last: bool = False) -> None:
        nonlocal open_bits, n_items
        _mark("\0".join(texts), open_bits)
        n_items += len(texts) // 2
        texts.clear()
        if n_items and (last or n_items >= LONGEST or np.count_nonzero(open_bits) >= FULL):
            rows.append(np.packbits(open_bits))
            open_bits, n_items = np.zeros(HASHES, bool), 0

    done = list(project.imports.filter(state=Import.State.DONE).values_list("pk", flat=True))
    listed = Item.objects.filter(project=project, brought_by__in=done).order_by("id")
    for pk, external_id, text in listed.values_list("id", "external_id", "text").iterator(chunk_size=1_000):
        if found.last and pk - found.last[-1] > LEAP:
            read(last=True)
        if not texts and not n_items:
            found.first.append(pk)
            found.last.append(pk)
        found.last[-1] = pk
        texts += (external_id, text)
        if len(texts) == 2 * READ:
            read()
    read(last=True)
    bits = np.array(rows, np.uint8).reshape(len(rows), HASHES // 8)
    wide = _OF_SLICE // 8
    for place in range(_SLICES):
        of_slice = np.unpackbits(bits[:, place * wide : (place + 1) * wide], axis=1)
        turned = np.packbits(of_slice.T, axis=1, bitorder="little")
        cache.set(_slice(project, place), UUID(found.build).bytes + turned.tobytes(), KEPT_BY_WORKER)
    return found


def _mark(text: str, bits: Any) -> None:
    """Set the bits of the letters of a text and of its pairs, as `hash_of` has them."""
    import numpy as np

    letters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).copy()
    letters[(letters >= ord("A")) & (letters <= ord("Z"))] += ord("a") - ord("A")
    first = letters * np.uint32(_FIRST)
    bits[first >> 16] = True
    bits[((first[:-1] + letters[1:] * np.uint32(_SECOND)) * np.uint32(_PAIR)) >> 16] = True
