"""Suggestions in what leaves: a sentence on the card, columns of the raw judgements and of one's own data."""

import csv
import io
import json

import pytest

from annotation.judging.recording import Seen
from annotation.models import Suggestion
from annotation.projects.own_data import own_tables
from exports.documentation.card_models import suggestion_lines
from exports.files.raw_judgements import judgements_export
from exports.selection.parameters import Parameters
from exports.selection.selection import read_selection
from tests.factories import NO, USEFUL, close, focus_study, judge, record, study, yes
from tests.factories.suggestions import ENDPOINT, focus_run, label_run, suggesting_round

pytestmark = [pytest.mark.django_db]


@pytest.fixture(autouse=True)
def endpoint(settings):
    settings.LLM_ENDPOINTS = [ENDPOINT]


def judged(shown="half"):
    """Return a closed round in which Ann takes what is shown, and says no elsewhere."""
    made = study(annotators=1, items=1)
    item, (ann,) = made.items[0], made.annotators
    suggesting_round(made, focus_run(made, {"LE": item.text[:11]}), shown, types=["OSP", "TC", "LE", "WE"])
    for one in Suggestion.objects.order_by("pk"):
        answer = yes(item, one.quote) if one.quote and one.shown else NO
        seen = Seen(one.pk, taken=True) if one.shown else None
        record(made.round, ann, item, one.type_code, answer, seen=seen)
    close(made)
    return made


def rows_of(made, **options):
    told = b"".join(judgements_export(project=made.project, **options)).decode()
    return list(csv.DictReader(io.StringIO(told)))


def test_the_card_says_it_in_one_sentence():
    selection = read_selection(judged().project, Parameters())
    assert suggestion_lines(selection) == [
        "In Round 1, annotators were shown before they answered what the language model tiny suggested, "
        "marked as such, at half of the units, drawn at random: labels and agreement may lean towards it.",
        "",
    ]
    plain = focus_study(annotators=1, items=1)
    close(plain)
    assert suggestion_lines(read_selection(plain.project, Parameters())) == []


def test_raw_judgements_say_what_was_suggested_seen_and_taken():
    made = judged()
    shown = set(Suggestion.objects.filter(shown=True).values_list("type_code", flat=True))
    assert len(shown) == 2
    rows = {row["type"]: row for row in rows_of(made)}
    for code, row in rows.items():
        there = "true" if code in shown else "false"
        assert (row["suggestion_visible"], row["suggestion_taken"]) == (there, there)
        assert row["suggested_applicable"] == ("true" if code == "LE" else "false")
    assert (rows["LE"]["suggested_start"], rows["LE"]["suggested_end"]) == ("0", "11")
    assert (rows["OSP"]["suggested_start"], rows["OSP"]["after_reopening"]) == ("", "false")
    lines = b"".join(judgements_export(project=made.project, format="jsonl")).decode().splitlines()
    assert {json.loads(line)["type"]: json.loads(line)["suggestion_visible"] for line in lines} == {
        code: code in shown for code in rows
    }


def test_labels_have_their_column_and_a_round_without_suggestions_leaves_it_empty():
    made = study("cqs_gen", annotators=1, items=1, questions=1)
    item, (ann,) = made.items[0], made.annotators
    question = item.questions.get()
    suggesting_round(made, label_run(made, "UN"))
    record(made.round, ann, item, question, USEFUL, seen=Seen(Suggestion.objects.get().pk))
    close(made)
    (row,) = rows_of(made)
    assert (row["suggested_label"], row["suggestion_visible"], row["suggestion_taken"]) == (
        "UN",
        "true",
        "false",
    )
    assert "suggested_start" not in row


def test_without_suggestions_the_columns_are_as_they_were():
    made = focus_study(annotators=1, items=1)
    judge(made, made.items[0], {})
    close(made)
    assert "suggestion_visible" not in rows_of(made)[0]


def test_own_data_has_what_was_visible_and_nothing_of_the_hidden_half():
    made = judged()
    hidden = set(Suggestion.objects.filter(shown=False).values_list("pk", flat=True))
    rows = list(own_tables(made.annotators[0].user)["judgements"])
    seen = {row["type code"]: row for row in rows if row["suggestion id"]}
    assert set(seen) == set(Suggestion.objects.filter(shown=True).values_list("type_code", flat=True))
    assert not hidden & {row["suggestion id"] for row in rows}
    assert {row["suggestion taken"] for row in seen.values()} == {True}
    for row in rows:
        if row["type code"] not in seen:
            assert (row["suggested applicable"], row["suggested quote"]) == (None, None)
