"""Two versions side by side: what changed, part by part and word by word."""

from dataclasses import replace

from annotation.codebooks.diff import codebook_changes, pieces_compared
from annotation.codebooks.toml_reader import load_shipped


def test_the_same_version_has_no_changes():
    assert codebook_changes(load_shipped("focus"), load_shipped("focus")) == []


def test_a_changed_word_is_marked_on_both_sides():
    old = load_shipped("focus")
    first = old.types[0]
    new = replace(old, types=(replace(first, description="A new text."), *old.types[1:]))
    (change,) = codebook_changes(old, new)
    assert (change.part, change.field) == (first.code, "description")
    assert "".join(piece.text for piece in change.old) == first.description
    assert "".join(piece.text for piece in change.new) == "A new text."


def test_pieces_join_to_the_texts_and_mark_only_what_differs():
    old, new = pieces_compared("Pick the first span.\n", "Pick the shortest span.\n")
    assert [piece.text for piece in old if piece.changed] == ["first"]
    assert [piece.text for piece in new if piece.changed] == ["shortest"]
    assert "".join(piece.text for piece in new) == "Pick the shortest span.\n"


def test_a_type_that_only_one_version_has_is_all_new_or_all_gone():
    old = load_shipped("context_sufficiency")
    new = replace(old, types=old.types[:1])
    gone = codebook_changes(old, new)
    assert {change.part for change in gone} == {old.types[1].code}
    assert all(change.new == () for change in gone)
    assert all(change.old == () for change in codebook_changes(new, old))


def test_labels_reasons_and_comment_starts_are_compared():
    old = load_shipped("cqs_gen")
    new = replace(
        old,
        labels=(replace(old.labels[0], name="Helpful"), *old.labels[1:]),
        reasons=(replace(old.reasons[0], edited_question=True), *old.reasons[1:]),
    )
    changed = [(change.part, change.field) for change in codebook_changes(old, new)]
    assert changed == [("USE", "name"), ("Reason BR", "edited question")]
