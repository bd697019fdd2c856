"""A search for one letter or two finds the same with stretches and without, whatever happened before it."""

from contextlib import contextmanager
from uuid import uuid4

import pytest
from django.core.cache import cache
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from annotation.importing.undo import import_undo
from annotation.items import item_stretches
from annotation.items.erasure import item_erase
from annotation.items.item_stretches import HASHES, find_stretches, hash_of, stretches_kept
from annotation.items.search import _spellings, items_with_words
from annotation.items.withdrawal import item_withdraw
from annotation.models import Import, Item
from tests import factories

ODD = (
    "aAbBkKsSiIzZ1%_\\'\" \t"  # what LIKE and quoting trip over, what odd letters below fold to
    "éÉe\u0301E\u0301ñÑäÄåÅ\u212bÅ\u212a"  # composed and not; the signs of Ångström and Kelvin
    "ßẞſİıŒœǅǆΣσςΐŉﬁﬅ\u0345"  # folding changes their length, or is another's
    "жЖ\u04c0\u04cfᲀᏸ\u13b0"
    "園公のﾃテ\u3099ﾞ한\u1112\u1161\u11ab"  # CJK, half-width, marks that join, jamo
    "ＡａＺ１！"  # full width
    "😀👨\u200d👩🏽\ufe0f🇪🇸𝐀𐐀𐐨\U0010ffff"  # beyond 16 bits
    "א\u05b7ع\u0640\u202e\u200f\ufeff\u00ad\u2028█"
)
LETTERS = st.one_of(st.sampled_from(ODD), st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
TEXTS = st.text(LETTERS, max_size=12).map(lambda text: f".{text}.")


def short_words(text):
    return {text[at : at + n] for n in (1, 2) for at in range(len(text) - n + 1)}


def variants(word):
    return {
        one for one in (word, word.lower(), word.upper(), word.casefold(), word.swapcase()) if len(one) < 3
    }


@given(TEXTS, st.text(LETTERS, min_size=1, max_size=2))
@settings(max_examples=200)
def test_a_text_is_marked_with_the_hash_of_each_word_that_it_can_be_found_by(text, other):
    """Whether a stretch has a word is asked by hashes: each spelling in the text must be among its own."""
    import numpy as np

    bits = np.zeros(HASHES, bool)
    item_stretches._mark(text, bits)
    for word in short_words(text):
        for written in variants(word) | {other}:
            for spelling in _spellings(written):
                small = item_stretches.small_ascii(spelling)
                if small in item_stretches.small_ascii(text):
                    assert all(bits[hash_of(part)] for part in (spelling, *spelling)), (text, spelling)


@contextmanager
def short_stretches():
    with pytest.MonkeyPatch.context() as patched:
        for name, value in (("LONGEST", 4), ("READ", 2), ("LEAP", 6)):
            patched.setattr(item_stretches, name, value)
        yield


class Life:
    """A project of which a text is erased, an import undone, and so on; another one lies in between."""

    def __init__(self, number):
        self.project = factories.study("focus", items=0, annotators=0, slug=f"s{number}").project
        self.other = factories.study("focus", items=0, annotators=0, slug=f"o{number}").project
        self.lead = self.project.memberships.filter(is_lead=True).first()
        self.names = 0
        self.seen = set()

    def add(self, texts, project=None, state="done"):
        project = project or self.project
        brought = project.imports.create(file_name="x", file_sha256="0" * 64, format="table", state=state)
        for text in texts:
            self.names += 1
            Item.objects.create(
                project=project,
                brought_by=brought,
                external_id=f"I{self.names}",
                text=text,
                text_length=len(text),
            )
            self.seen |= short_words(text)
        return brought

    def items(self):
        done = self.project.imports.filter(state=Import.State.DONE)
        return self.project.items.filter(brought_by__in=list(done.values_list("pk", flat=True)))

    def one(self, pick):
        left = self.items().filter(erased_at=None).order_by("pk")
        return left[pick % left.count()] if left else None

    def act(self, what, texts, pick):
        if what == "import":
            self.add(texts)
        elif what == "stage":
            staged = self.project.imports.filter(state="staging").first()
            if staged is None:
                self.add(texts, state="staging")
            else:
                Import.objects.filter(pk=staged.pk).update(state="done")
        elif what == "other":
            self.add(texts, self.other)
        elif what == "undo":
            if (last := self.project.imports.filter(state="done").first()) is not None:
                import_undo(last)
        elif what == "erase":
            if (item := self.one(pick)) is not None:
                item_erase(item=item, member=self.lead, typed=item.external_id)
        elif what == "withdraw":
            if (item := self.one(pick)) is not None and item.withdrawn_at is None:
                item_withdraw(item=item, member=self.lead, why="Broken.")
        elif what == "find":
            find_stretches(self.project)
        elif what == "lose a slice":
            cache.delete(item_stretches._slice(self.project, pick % item_stretches._SLICES))
        elif what == "lose the head":
            cache.delete(item_stretches._name(self.project))
        elif what == "stale":
            # Of a worker that was slow: its stretches are kept after others were found.
            kept = stretches_kept(self.project)
            before = cache.get(kept.name)
            self.add(texts)
            if before is not None:
                cache.set(kept.name, before)


ACTS = (
    *("import", "stage", "other", "undo", "erase", "withdraw"),
    *("find", "find", "find", "lose a slice", "lose the head", "stale"),
)
STEPS = st.lists(
    st.tuples(st.sampled_from(ACTS), st.lists(TEXTS, max_size=7), st.integers(0, 99)), min_size=1, max_size=8
)


def compared(life, words, shown):
    """Return what is found of each word for the first three, for all, and without any stretches."""

    def found(word, first):
        rows = items_with_words(life.project, shown(), word, first=first).order_by("pk")
        return list(rows.values_list("pk", flat=True))

    having = {(word, first): found(word, first) for word in words for first in (3, 50, None)}
    kept = cache.get_many(keys := [item_stretches._name(life.project)])
    cache.delete_many(keys)
    without = {word: found(word, None) for word in words}
    cache.set_many(kept)
    return having, without


@pytest.mark.django_db
@pytest.mark.database
@given(st.lists(TEXTS, min_size=1, max_size=9), STEPS, st.data())
@settings(
    max_examples=12,
    # To make a failing life smaller takes minutes; eight steps are few enough to read.
    phases=[Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_with_stretches_the_same_is_found_as_without_after_all_that_can_happen(db, texts, steps, data):
    life = Life(uuid4().hex[:12])
    life.add(texts)
    with short_stretches():
        for what, more, pick in [*steps, ("find", [], 0)]:
            life.act(what, more, pick)
            known = sorted(set().union(*map(variants, life.seen)) - {""})
            drawn = st.lists(st.sampled_from(known) | st.text(LETTERS, min_size=1, max_size=2), max_size=5)
            words = {*data.draw(drawn), "█", "i1", "I"}
            for shown in (life.items, lambda: life.items().filter(withdrawn_at=None)):
                having, without = compared(life, words, shown)
                for (word, first), keys in having.items():
                    assert keys[:first] == without[word][:first], (what, word, first)
