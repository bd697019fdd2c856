"""A release is compared with the one before it, once, by the files that anybody may have."""

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import Storage, default_storage
from django.utils import timezone

from annotation.database.install import lifted_triggers
from exports.releases import comparison as changes
from exports.releases import comparison_files as compared_files
from exports.releases.comparison import (
    Change,
    changes_between,
    read_stored_changes,
    release_before,
    withdrawn_among,
)
from exports.releases.publication import release_publish
from exports.selection.parameters import Parameters
from tests import factories
from tests.exports.comparing import compared_study, lose_comparisons, lose_files
from tests.factories import (
    UNHELPFUL,
    USEFUL,
    adjudicate,
    close,
    cqs_study,
    focus_study,
    invalid,
    judge,
    judge_question,
)
from tests.factories.releases import release

pytestmark = pytest.mark.django_db


@pytest.fixture
def made():
    return compared_study()


def test_labels_and_gold_spans_are_told_item_by_item(made):
    first = release(made.project, "1.0")
    adjudicate(made, made.items[0], "LE", False)
    adjudicate(made, made.items[1], "LE", True, (0, 5), (6, 9))
    adjudicate(made, made.items[1], "WE", True, (0, 5))
    found = changes_between(first, release(made.project, "1.1"))
    assert found.changes == (
        Change("label", "I-1", "Lacks Evidence", "yes", "no"),
        Change("spans", "I-1", "Lacks Evidence", "0–6 “The li”", "–"),
        Change("spans", "I-2", "Lacks Evidence", "0–6 “Emoji ”", "0–5 “Emoji”; 6–9 “👩\u200d👩”"),
        Change("label", "I-2", "Weak Evidence", "no", "yes"),
        Change("spans", "I-2", "Weak Evidence", "–", "0–5 “Emoji”"),
    )
    assert found.counts == {"label": 2, "spans": 3}
    assert (found.items_changed, found.added, found.removed, found.choices) == (2, (), (), ())


def test_items_that_came_went_and_were_withdrawn_are_named(made):
    first = release(made.project, "1.0")
    made.items[0].withdrawn_at, made.items[0].withdrawn_reason = timezone.now(), "a name in it"
    made.items[0].save()
    (fresh,) = factories.add_items(made.project, 1)
    factories.open_round(made)
    close(made)
    second = release(made.project, "2.0")
    found = changes_between(first, second)
    assert (found.added, found.removed, found.changes) == ((fresh.external_id,), ("I-1",), ())
    assert withdrawn_among(second, found.removed) == ["I-1"]
    assert found.choices == (
        ("rounds", "Round 1 (guideline 1)", "Round 1 (guideline 1), Round 2 (guideline 1)"),
    )


def test_choices_that_differ_are_told_in_words(made):
    first = release(made.project, "1.0", comments=True, split_by="seed", split_sizes={"a": 0.5, "b": 0.5})
    found = changes_between(first, release(made.project, "1.1", licence="CC-BY-4.0", split_by="none"))
    assert found.choices == (
        ("split by", "seed", "none"),
        ("split sizes", "a=0.5, b=0.5", "–"),
        ("comments", "yes", "no"),
        ("licence", "–", "CC-BY-4.0"),
    )
    assert found.changes == ()


def test_a_choice_that_an_older_release_did_not_know_is_no_change(made, monkeypatch):
    known = Parameters.to_json
    with monkeypatch.context() as older:
        older.setattr(
            Parameters,
            "to_json",
            lambda self: {key: value for key, value in known(self).items() if key != "refined_questions"},
        )
        first = release(made.project, "1.0")
    assert "refined_questions" not in first.parameters
    assert changes_between(first, release(made.project, "1.1")).choices == ()


def test_labels_that_one_of_the_two_withholds_are_not_compared(made):
    for item, split in zip(made.items, ("train", "train", "test"), strict=True):
        item.split = split
        item.save()
    first = release(made.project, "1.0", withheld=["test"])
    adjudicate(made, made.items[0], "LE", False)
    adjudicate(made, made.items[2], "LE", False)
    found = changes_between(first, release(made.project, "1.1"))
    assert ({change.item for change in found.changes}, found.not_compared) == ({"I-1"}, 1)


def test_items_that_moved_to_another_split_are_told(made):
    splits = ("train", "test", "test")
    for item, split in zip(made.items, splits, strict=True):
        made.project.items.filter(pk=item.pk).update(split=split)
    first = release(made.project, "1.0")
    made.project.items.filter(pk=made.items[0].pk).update(split="test")
    adjudicate(made, made.items[1], "LE", False)
    made.project.items.filter(pk=made.items[1].pk).update(split="train")
    found = changes_between(first, release(made.project, "1.1"))
    assert found.changes == (
        Change("split", "I-1", "", "train", "test"),
        Change("split", "I-2", "", "test", "train"),
        Change("label", "I-2", "Lacks Evidence", "yes", "no"),
        Change("spans", "I-2", "Lacks Evidence", "0–6 “Emoji ”", "–"),
    )
    assert (found.counts["split"], found.items_changed, found.not_compared) == (2, 2, 0)
    withheld = changes_between(first, release(made.project, "1.2", withheld=["test"]))
    assert [change.item for change in withheld.changes if change.what == "split"] == ["I-1", "I-2"]


def test_a_split_that_is_chosen_otherwise_is_told_as_a_choice_and_not_item_by_item(made):
    sizes = {"a": 0.5, "b": 0.5}
    first = release(made.project, "1.0", split_by="seed", split_sizes=sizes, seed=1)
    found = changes_between(first, release(made.project, "1.1", split_by="seed", split_sizes=sizes, seed=2))
    assert (found.changes, found.choices) == ((), (("seed", "1", "2"),))


def test_a_release_without_texts_has_the_same_gold_spans_as_the_one_with_them(made):
    first = release(made.project, "1.0")
    found = changes_between(first, release(made.project, "1.1", texts=False))
    assert (found.changes, found.choices) == ((), (("texts", "yes", "no"),))


def test_labels_that_both_withhold_are_not_compared_although_their_lines_are_the_same(made):
    made.project.items.filter(pk=made.items[0].pk).update(split="test")
    made.project.items.exclude(pk=made.items[0].pk).update(split="train")
    first = release(made.project, "1.0", withheld=["test"])
    found = changes_between(first, release(made.project, "1.1", withheld=["test"], licence="MIT"))
    assert (found.not_compared, found.changes, found.added, found.removed) == (1, (), (), ())


def test_only_items_whose_lines_differ_are_read(made, monkeypatch):
    first = release(made.project, "1.0")
    adjudicate(made, made.items[1], "LE", False)
    second = release(made.project, "1.1")
    lose_comparisons()
    read = []
    monkeypatch.setattr(
        compared_files, "units_of", lambda entry, quotes: read.append(entry["argument_id"]) or iter(())
    )
    changes_between(first, second)
    assert read == [made.items[1].external_id] * 2


def test_a_text_that_quotes_the_files_own_words_is_read_as_a_text():
    made = focus_study(annotators=2, items=2, slug="q")
    quoting = 'they wrote, "labels": [], "start": 1} and, \\", "labels": ['
    with lifted_triggers():
        made.project.items.filter(pk=made.items[0].pk).update(text=quoting, text_length=len(quoting))
    made.items[0].refresh_from_db()
    for item in made.items:
        judge(made, item, {})
    close(made)
    first = release(made.project, "1.0")
    for item in made.items:
        adjudicate(made, item, "TC", True, (0, 4))
    first_again, second = release(made.project, "1.1"), release(made.project, "1.2", adjudicated_only=True)
    found = changes_between(first, first_again)
    assert [(change.item, change.what, change.before, change.after) for change in found.changes] == [
        ("I-1", "label", "no", "yes"),
        ("I-1", "spans", "–", "0–4 “they”"),
        ("I-2", "label", "no", "yes"),
        ("I-2", "spans", "–", f"0–4 “{made.items[1].text[:4]}”"),
    ]
    undecided = changes_between(first, second)
    assert undecided.counts == {"label": 20, "spans": 2}
    assert {(change.item, change.before, change.after) for change in undecided.changes[:9]} >= {
        ("I-1", "no", "undecided")
    }


def test_files_that_both_releases_have_are_not_opened(made, monkeypatch):
    made.project.items.filter(pk=made.items[0].pk).update(split="test")
    made.project.items.exclude(pk=made.items[0].pk).update(split="train")
    first = release(made.project, "1.0", licence="MIT")
    adjudicate(made, made.items[0], "LE", False)
    second = release(made.project, "1.1", licence="MIT")
    told = changes_between(first, second)
    lose_comparisons()
    opened, plain = [], Storage.open
    monkeypatch.setattr(
        Storage, "open", lambda self, name, mode="rb": opened.append(name) or plain(self, name, mode)
    )
    assert changes_between(first, second) == told
    assert {name.rpartition("/")[2] for name in opened} == {"test.jsonl", "release.json"}
    assert [(change.item, change.what) for change in told.changes] == [
        (made.items[0].external_id, "label"),
        (made.items[0].external_id, "spans"),
    ]


def test_questions_are_compared_by_label_and_wording():
    made = cqs_study(annotators=1, questions=3, slug="q")
    questions = list(made.items[0].questions.order_by("position"))
    judge_question(made, questions[0], [USEFUL])
    judge_question(made, questions[1], [invalid("NC", edited="What do barriers hold?")])
    close(made)
    first = release(made.project, "1.0")
    factories.open_round(made)
    judge_question(made, questions[0], [UNHELPFUL])
    judge_question(made, questions[2], [USEFUL])
    close(made)
    found = changes_between(first, release(made.project, "1.1", edited_questions=True))
    assert found.changes == (
        Change("label", "I-1", "I-1-Q1", "Useful", "Unhelpful"),
        Change("label", "I-1", "I-1-Q2", "Invalid", "Useful"),
        Change("question", "I-1", "I-1-Q2", "What do barriers cost?", "What do barriers hold?"),
        Change("label", "I-1", "I-1-Q3", "–", "Useful"),
    )


def test_an_id_that_repeats_in_an_item_is_compared_by_its_place():
    made = cqs_study(annotators=1, questions=2, slug="q")
    made.items[0].questions.update(external_id="same")
    first_question, second_question = made.items[0].questions.order_by("position")
    judge_question(made, first_question, [USEFUL])
    judge_question(made, second_question, [USEFUL])
    close(made)
    first = release(made.project, "1.0")
    factories.open_round(made)
    judge_question(made, second_question, [UNHELPFUL])
    close(made)
    found = changes_between(first, release(made.project, "1.1"))
    assert found.changes == (Change("label", "I-1", "same", "Useful", "Unhelpful"),)


def test_releases_without_texts_are_compared_by_offsets(made):
    first = release(made.project, "1.0", texts=False)
    adjudicate(made, made.items[0], "LE", True, (0, 3))
    found = changes_between(first, release(made.project, "1.1", texts=False))
    assert found.changes == (Change("spans", "I-1", "Lacks Evidence", "0–6", "0–3"),)


def test_all_changes_are_counted_where_not_all_are_listed(made, monkeypatch):
    first = release(made.project, "1.0")
    for item in made.items:
        adjudicate(made, item, "LE", False)
    monkeypatch.setattr(changes, "LISTED", 1)
    found = changes_between(first, release(made.project, "1.1"))
    assert (len(found.changes), found.n_changes, found.items_changed) == (1, 6, 3)


def test_a_release_is_compared_when_it_is_built_with_the_one_before_and_the_last_public_one(made):
    first = release(made.project, "1.0")
    release_publish(release=first, by=made.lead)
    adjudicate(made, made.items[0], "LE", False)
    second = release(made.project, "1.1")
    third = release(made.project, "1.2", licence="MIT")
    assert read_stored_changes(second, third).counts == {}
    assert read_stored_changes(second, third).choices == (("licence", "–", "MIT"),)
    assert read_stored_changes(first, third).counts == {"label": 1, "spans": 1}
    assert read_stored_changes(first, third).changes[0] == Change(
        "label", "I-1", "Lacks Evidence", "yes", "no"
    )
    assert read_stored_changes(third, first) is None


def test_two_releases_are_compared_once(made):
    first, second = release(made.project, "1.0"), release(made.project, "1.1", licence="MIT")
    found = read_stored_changes(first, second)
    lose_files(first)
    assert changes_between(first, second) == found
    assert found.choices == (("licence", "–", "MIT"),)


def test_a_release_is_built_although_it_cannot_be_compared(made):
    lose_files(release(made.project, "1.0"))
    second = release(made.project, "1.1", licence="MIT")
    assert (second.state, read_stored_changes(release_before(second), second)) == ("done", None)


def test_what_is_half_written_is_not_taken_for_a_comparison(made):
    first, second = release(made.project, "1.0"), release(made.project, "1.1", licence="MIT")
    (name,) = default_storage.listdir("release-changes")[1]
    lose_comparisons()
    default_storage.save(f"release-changes/{name}", ContentFile(b'{"choices": [["lic'))
    assert read_stored_changes(first, second) is None


def test_the_release_before_is_the_one_built_last_and_in_public_the_last_public_one(made):
    rows = [release(made.project, version) for version in ("2.0", "1.0", "3.0")]
    assert [release_before(row) for row in rows] == [None, rows[0], rows[1]]
    release_publish(release=rows[0], by=made.lead)
    assert [release_before(row, public=True) for row in rows] == [None, rows[0], rows[0]]
