"""Files of items come in whole, once, and by the rules; what is refused is named with its place."""

import csv
import json
from collections import Counter

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.access import visible_items, visible_questions
from annotation.importing.files.rows import FileError
from annotation.importing.items import items_import
from annotation.importing.undo import import_undo
from annotation.models import Import, Item, Project, Question, Resolution
from annotation.projects.projects import project_create
from annotation.rounds.lifecycle import round_create, round_draw
from annotation.rounds.opening import round_open
from core.errors import Refused
from tests.factories import study

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(db) -> Project:
    return project_create(slug="study", codebook="focus")


@pytest.fixture
def cqs(db) -> Project:
    return project_create(slug="questions", codebook="cqs_gen")


def write(path, *rows) -> object:
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows)
    return path


HEADER = ("id", "text", "topic", "fallacy")


def test_a_table_comes_in_with_its_further_columns_as_metadata(project, tmp_path):
    path = write(tmp_path / "a.csv", HEADER, ("1", "Café 👩‍👩‍👧 text.\r\nLine", "food", "slope"))
    report = items_import(project=project, path=path)
    item = Item.objects.get()
    assert (item.external_id, item.text, item.topic) == ("1", "Café 👩‍👩‍👧 text.\r\nLine", "food")
    assert item.text_length == len("Café 👩‍👩‍👧 text.\r\nLine")
    assert item.metadata == {"fallacy": "slope"}
    assert (report.counts["new items"], report.refused, report.stored) == (1, 0, True)


def test_nul_and_lone_surrogates_are_refused_with_their_place_wherever_they_stand(project, tmp_path):
    path = tmp_path / "a.jsonl"
    letters = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]))
    unstorable = st.sampled_from(
        [
            ("\x00", "NUL (U+0000), which cannot be stored"),
            ("\ud83d", "a lone surrogate (U+D83D)"),
            ("\udc69", "a lone surrogate (U+DC69)"),
        ]
    )

    @settings(max_examples=60)
    @given(letters, unstorable, letters)
    def refused(before, unstorable, after):
        letter, what = unstorable
        texts = ["Sound.", f"A👩‍👩‍👧{before}{letter}{after}"]
        path.write_text("".join(json.dumps({"id": text[:1], "text": text}) + "\n" for text in texts))
        report = items_import(project=project, path=path)
        place = {"place": "line 2", "reason": f"text: character {len(before) + 7} is {what}"}
        assert (report.refusals, report.stored) == ([place], False)

    refused()
    assert not Item.objects.exists()


def test_the_same_file_twice_changes_nothing_and_says_so(project, tmp_path):
    path = write(tmp_path / "a.csv", HEADER, ("1", "One.", "", ""), ("2", "Two.", "", ""))
    items_import(project=project, path=path)
    again = items_import(project=project, path=path)
    assert Item.objects.count() == 2
    assert again.counts == {"items already there": 2, "new items": 0, "new questions": 0} | {
        "new published labels": 0
    }
    assert not again.changed


def test_one_bad_row_refuses_everything_and_leaves_nothing(project, tmp_path):
    path = write(tmp_path / "a.csv", HEADER, ("1", "One.", "", ""), ("2", " \u00a0", "", ""))
    report = items_import(project=project, path=path)
    assert not report.stored
    assert report.refusals == [{"place": "row 3", "reason": "the text is blank"}]
    assert not Item.objects.exists()
    assert Import.objects.get().state == "failed"


def test_skip_invalid_stores_the_rest_and_writes_the_refused_rows_with_the_reason(project, tmp_path):
    path = write(tmp_path / "a.csv", HEADER, ("1", "One.", "=t", ""), ("", "Two.", "=t", ""))
    out = tmp_path / "refused.csv"
    report = items_import(project=project, path=path, skip_invalid=True, refused_path=out)
    assert [item.external_id for item in visible_items(project)] == ["1"]
    assert report.refused == 1
    with out.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert rows == [
        {
            "id": "",
            "text": "Two.",
            "topic": "'=t",
            "fallacy": "",
            "refused at": "row 3",
            "refused because": "the id is blank",
            "further cells": "",
        }
    ]


def test_the_mended_file_of_refused_rows_can_be_imported_as_it_is(project, tmp_path):
    path = write(tmp_path / "a.csv", HEADER, ("1", "One.", "", ""), ("", "=Two.", "", ""))
    out = tmp_path / "refused.csv"
    items_import(project=project, path=path, skip_invalid=True, refused_path=out)
    mended = out.read_text(encoding="utf-8").replace("\n,", "\n2,")
    out.write_text(mended, encoding="utf-8", newline="")
    report = items_import(project=project, path=out)
    assert (report.refused, report.counts["new items"]) == (0, 1)
    item = Item.objects.get(external_id="2")
    assert (item.text, item.metadata) == ("=Two.", {"fallacy": ""})


def test_a_text_that_differs_from_the_stored_one_is_refused_with_the_difference(project, tmp_path):
    items_import(project=project, path=write(tmp_path / "a.csv", HEADER, ("1", "One cat.", "", "")))
    report = items_import(project=project, path=write(tmp_path / "b.csv", HEADER, ("1", "One cow.", "", "")))
    assert report.refused == 1
    assert "from character 6 on: 'at.' there, 'ow.' here" in report.refusals[0]["reason"]
    assert Item.objects.get().text == "One cat."


def test_equal_texts_under_two_ids_are_kept_and_reported(project, tmp_path):
    path = write(tmp_path / "a.csv", HEADER, ("1", "One.", "", ""), ("2", "One.", "", ""))
    report = items_import(project=project, path=path)
    assert report.counts["new items"] == 2
    assert report.notices == [
        {"place": "row 3", "message": "the text of “2” is that of “1”; both kept"},
    ]


def test_a_dry_run_counts_and_stores_nothing(project, tmp_path):
    report = items_import(
        project=project, path=write(tmp_path / "a.csv", HEADER, ("1", "One.", "", "")), dry_run=True
    )
    assert (report.counts["new items"], report.stored) == (1, False)
    assert not Item.objects.exists()


def test_questions_of_a_table_are_added_to_items_that_are_there(cqs, tmp_path):
    header = ("id", "text", "question_id", "question", "origin")
    first = write(tmp_path / "a.csv", header, ("1", "One.", "q1", "Why?", "theory"))
    more = write(
        tmp_path / "b.csv", header, ("1", "One.", "q1", "Why?", "theory"), ("1", "One.", "q2", "How?", "x")
    )
    items_import(project=cqs, path=first)
    report = items_import(project=cqs, path=more)
    assert (report.counts["questions already there"], report.counts["new questions"]) == (1, 1)
    assert list(Question.objects.values_list("position", "text", "origin")) == [
        (1, "Why?", "theory"),
        (2, "How?", "x"),
    ]


def test_an_import_that_is_under_way_keeps_a_second_one_out(project, tmp_path):
    Import.objects.create(project=project, file_name="x", file_sha256="0" * 64, format="table")
    with pytest.raises(Refused, match="under way"):
        items_import(project=project, path=write(tmp_path / "a.csv", HEADER, ("1", "One.", "", "")))


def test_what_a_dead_import_staged_is_invisible_and_is_taken_away_by_the_next(project, tmp_path):
    from datetime import timedelta

    from django.utils import timezone

    dead = Import.objects.create(project=project, file_name="x", file_sha256="0" * 64, format="table")
    Item.objects.create(project=project, brought_by=dead, external_id="1", text="Half.", text_length=5)
    assert not visible_items(project).exists()
    Import.objects.update(heartbeat_at=timezone.now() - timedelta(hours=1))
    items_import(project=project, path=write(tmp_path / "a.csv", HEADER, ("1", "One.", "", "")))
    assert [item.text for item in visible_items(project)] == ["One."]


def test_an_import_can_be_undone_until_a_round_uses_it(project, tmp_path):
    path = write(tmp_path / "a.csv", HEADER, ("1", "One.", "", ""))
    items_import(project=project, path=path)
    assert import_undo(Import.objects.get())["items"] == 1
    assert not Item.objects.exists()
    items_import(project=project, path=path)
    drawn = round_create(project=project, name="R")
    round_draw(drawn)
    with pytest.raises(Refused, match="R has items or questions of it"):
        import_undo(Import.objects.get(state="done"))
    assert Item.objects.count() == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"id;name\n1;x\n", "found 'id', 'name'"),
        ("id,text\n1,caf\u00e9\n".encode("latin-1"), "row 2, column 6: byte 0xE9 is not UTF-8"),
        (b"", "is empty"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_whole_with_the_place(project, tmp_path, content, message):
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    with pytest.raises(FileError) as error:
        items_import(project=project, path=path)
    assert message in str(error.value)
    assert not Import.objects.exists()


def test_the_command_names_file_row_and_reason_and_exits_with_2(project, tmp_path, capsys):
    path = write(tmp_path / "a.csv", HEADER, ("1", "", "", ""))
    with pytest.raises(CommandError) as error:
        call_command("import_items", "study", str(path))
    assert error.value.returncode == 2
    assert "a.csv: row 2: the text is blank" in capsys.readouterr().err
    with pytest.raises(CommandError) as error:
        call_command("import_items", "nobody", str(path))
    assert error.value.returncode == 1


# Real data


def test_the_published_validation_file_comes_in_whole(cqs, shared_data):
    path = shared_data / "cqs_gen" / "validation.json"
    report = items_import(project=cqs, path=path)
    assert (Item.objects.count(), Question.objects.count()) == (186, 4136)
    labels = Counter(Resolution.objects.values_list("label", flat=True))
    assert labels == {"USE": 2790, "UN": 893, "IN": 453}
    shares = [round(100 * labels[label] / 4136, 2) for label in ("USE", "UN", "IN")]
    assert shares == [67.46, 21.59, 10.95]
    assert Counter(Item.objects.values_list("source", flat=True)) == {
        "US2016": 80,
        "rrd": 72,
        "moral_maze_schemes": 20,
        "us2016reddit": 14,
    }
    assert report.refused == 0
    again = items_import(project=cqs, path=path)
    assert not again.changed
    assert (Question.objects.count(), Resolution.objects.count()) == (4136, 4136)
    system = items_import(project=cqs, path=shared_data / "cqs_gen" / "submission_llama8.json")
    assert (system.counts["new questions"], system.counts["items already there"]) == (15, 5)
    added = Question.objects.filter(origin="llama8").order_by("item", "position")
    assert [question.external_id for question in added] == [0, 1, 2] * 5


def test_a_submission_for_another_text_is_refused_with_the_difference(cqs, shared_data, tmp_path):
    items_import(project=cqs, path=shared_data / "cqs_gen" / "validation.json")
    submission = json.loads((shared_data / "cqs_gen" / "submission_llama8.json").read_text("utf-8"))
    name = next(iter(submission))
    submission[name]["intervention"] += " And more."
    path = tmp_path / "submission_other.json"
    path.write_text(json.dumps(submission), encoding="utf-8")
    report = items_import(project=cqs, path=path)
    assert report.refused == 1
    assert name in report.refusals[0]["reason"]
    assert "the end of the text there, ' And more.' here" in report.refusals[0]["reason"]
    assert not Question.objects.filter(origin="other").exists()


def test_a_round_on_items_without_questions_is_refused_saying_what_is_missing(shared_data):
    made = study("cqs_gen", items=0, annotators=2, slug="withheld")
    items_import(project=made.project, path=shared_data / "cqs_gen" / "test.json")
    assert visible_items(made.project).count() == 34
    assert not visible_questions(made.project).exists()
    drawn = round_create(project=made.project)
    round_draw(drawn)
    with pytest.raises(Refused, match="34 of 34 items have no questions to judge: CLINTON_27, ") as refused:
        round_open(drawn)
    assert refused.value.code == "not_ready"
    assert "and 29 more" in refused.value.message


def test_both_soqg_files_come_in_and_equal_texts_are_reported(project, shared_data):
    items_import(project=project, path=shared_data / "soqg" / "mturk_test.csv")
    report = items_import(project=project, path=shared_data / "soqg" / "mturk_train_valid.csv")
    assert Item.objects.count() == 634 + 2535 == 3169
    across = [notice for notice in report.notices if "mturk_test-" in notice["message"]]
    assert len(across) == 6
    first = Item.objects.get(external_id="mturk_test-0")
    assert first.metadata["question_type"] == "reasons_evidence"


def test_logicclimate_is_refused_for_its_blank_articles_unless_they_are_skipped(project, shared_data):
    for name, blank, items in (("climate_test.csv", 8, 179), ("climate_train.csv", 24, 679)):
        path = shared_data / "logicclimate" / name
        before = Item.objects.count()
        report = items_import(project=project, path=path)
        assert (report.refused, report.stored, Item.objects.count()) == (blank, False, before)
        report = items_import(project=project, path=path, skip_invalid=True)
        assert (report.refused, report.stored, Item.objects.count()) == (blank, True, before + items)
    texts = list(Item.objects.values_list("text", flat=True))
    assert len(set(texts)) == len(texts) == 858


def test_the_command_says_one_item_and_one_row_in_the_singular(project, tmp_path, capsys):
    path = write(tmp_path / "a.csv", HEADER, ("1", "A text.", "", ""), ("2", "", "", ""))
    with pytest.raises(CommandError, match=r"^1 row was refused; nothing was stored. Mend it, or leave it"):
        call_command("import_items", "study", str(path))
    refused = str(tmp_path / "refused.csv")
    with pytest.raises(CommandError, match=r"^1 row was refused and written to .*; the others are stored"):
        call_command("import_items", "study", str(path), "--skip-invalid", "--refused", refused)
    assert "1 new item\n" in capsys.readouterr().out
