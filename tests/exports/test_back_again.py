"""What a release writes for other tools comes back through the judgement importer as the same answers."""

import json

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from annotation.importing.judgements import judgements_import
from annotation.models import QuestionAnnotation, TypeAnnotation
from annotation.projects.projects import project_create
from tests.factories import (
    NO,
    UNHELPFUL,
    USEFUL,
    add_items,
    close,
    cqs_study,
    focus_study,
    invalid,
    judge,
    judge_question,
    yes,
)
from tests.factories.releases import released

pytestmark = pytest.mark.django_db

TOOLS = {"label_studio": "label_studio.json", "doccano": "doccano.jsonl"}
TYPE_FIELDS = ("type_code", "applicable", "start", "end", "quote", "comment")
QUESTION_FIELDS = ("question__position", "label", "reason", "comment", "edited_question")


def answers(model, project, fields):
    """Return all answers of a project, by item and pseudonym."""
    rows = model.objects.filter(assignment__round__project=project)
    return sorted(
        rows.values_list("assignment__item__external_id", "assignment__member__pseudonym", *fields), key=repr
    )


@pytest.mark.parametrize("tool", TOOLS)
def test_types_and_spans_come_back_as_they_went(tool, tmp_path):
    made = focus_study(annotators=2, items=4)
    for item in made.items:
        quote = item.text[3:9]
        judge(made, item, {"LE": [yes(item, quote, comment="hm: 1"), NO], "VAT": [NO, yes(item, quote)]})
    close(made)
    folder = released(made.project, tmp_path / "out", exchange=[tool], comments=True)
    other = project_create(slug="other", codebook="focus")
    add_items(other, 4)
    report = judgements_import(project=other, path=folder / "exchange" / TOOLS[tool], round_name="Back again")
    assert (report.refused, report.noticed, report.counts["new judgements"]) == (0, 0, 80)
    before = answers(TypeAnnotation, made.project, TYPE_FIELDS)
    assert answers(TypeAnnotation, other, TYPE_FIELDS) == before
    assert sum(row[3] for row in before) == 8


HARD = (
    "🎉 first. Then 👩‍👩‍👧 come 🎉",
    "One line.\r\nNext\rand next\n\u2028end\u0301 e\u0301",
    "המילה הראשונה 🎉 המילה",
    "-5 degrees, \tas they say, =1+1",
)


@pytest.mark.parametrize("tool", TOOLS)
def test_spans_at_the_edges_of_hard_texts_come_back_as_they_went(tool, tmp_path):
    made = focus_study(annotators=2, items=4, texts=HARD)
    for item in made.items:
        end = item.text_length
        first, last = ({"applicable": True, "start": a, "end": b, "quote": item.text[a:b]}
                       for a, b in ((0, 7), (end - 3, end)))  # fmt: skip
        judge(made, item, {"LE": [first, last], "VAT": [last, NO]})
    close(made)
    folder = released(made.project, tmp_path / "out", exchange=[tool])
    other = project_create(slug="other", codebook="focus")
    add_items(other, 4, texts=HARD)
    report = judgements_import(project=other, path=folder / "exchange" / TOOLS[tool], round_name="Back again")
    assert (report.refused, report.noticed, report.counts["new judgements"]) == (0, 0, 80)
    before = answers(TypeAnnotation, made.project, TYPE_FIELDS)
    assert answers(TypeAnnotation, other, TYPE_FIELDS) == before


def questions_study():
    """Three answers of each annotator about questions of one id, which only their positions tell apart."""
    made = cqs_study(annotators=2, items=2, questions=3)
    for item in made.items:
        item.questions.update(external_id="same")
        first, second, third = item.questions.order_by("position")
        judge_question(made, first, [USEFUL, invalid("BR")])
        judge_question(made, second, [UNHELPFUL, USEFUL])
        judge_question(made, third, [invalid("NC", edited="What holds?"), invalid("NC")])
    close(made)
    return made


def questions_again():
    other = project_create(slug="other", codebook="cqs_gen")
    for item in add_items(other, 2, 3):
        item.questions.update(external_id="same")
    return other


@pytest.mark.parametrize("tool", TOOLS)
def test_labels_of_questions_come_back_with_reason_comment_and_edit(tool, tmp_path):
    made = questions_study()
    folder = released(made.project, tmp_path / "out", exchange=[tool], comments=True)
    other = questions_again()
    report = judgements_import(project=other, path=folder / "exchange" / TOOLS[tool], round_name="Back again")
    assert (report.refused, report.noticed, report.counts["new judgements"]) == (0, 0, 12)
    before = answers(QuestionAnnotation, made.project, QUESTION_FIELDS)
    assert answers(QuestionAnnotation, other, QUESTION_FIELDS) == before
    assert {row[3:] for row in before} == {
        ("USE", "", "", ""),
        ("IN", "BR", "", ""),
        ("UN", "", "The text answers it.", ""),
        ("IN", "NC", "", "What holds?"),
        ("IN", "NC", "", ""),
    }


@pytest.mark.parametrize("tool", TOOLS)
def test_without_the_comments_an_unhelpful_question_is_refused_in_long_form(tool, tmp_path):
    folder = released(questions_study().project, tmp_path / "out", exchange=[tool])
    path = folder / "exchange" / TOOLS[tool]
    assert "The text answers it." not in path.read_text()
    refused = tmp_path / "refused.csv"
    report = judgements_import(
        project=questions_again(), path=path, round_name="Back", skip_invalid=True, refused_path=refused
    )
    assert (report.refused, report.counts["new judgements"]) == (2, 10)
    assert "I-1,A2,same,UN" in refused.read_text()


def test_a_question_that_the_item_has_not_is_refused(tmp_path):
    line = {"id": "I-1", "text": "x", "annotator": "Ann", "label": [], "cats": ["9: Useful"]}
    (tmp_path / "d.jsonl").write_text(json.dumps(line))
    report = judgements_import(
        project=questions_again(), path=tmp_path / "d.jsonl", round_name="Back", dry_run=True
    )
    assert report.refusals[0]["reason"] == "“I-1” has no question 9"


def test_a_file_about_another_text_is_refused_and_not_shifted(tmp_path):
    made = focus_study(annotators=1, items=1)
    line = {"id": "I-1", "text": "A preface. The library", "annotator": "Ann", "label": [[15, 22, "LE"]]}
    (tmp_path / "d.jsonl").write_text(json.dumps(line))
    report = judgements_import(
        project=made.project, path=tmp_path / "d.jsonl", round_name="Back", dry_run=True
    )
    assert (report.refused, "quote" in report.refusals[0]["reason"]) == (1, True)


def test_the_command_takes_the_format_by_name(tmp_path, capsys):
    made = focus_study(annotators=1, items=1, slug="s")
    line = {"id": "I-1", "text": made.items[0].text, "annotator": "Ann", "no": ["LE"], "item": "I-1"}
    path = tmp_path / "d.jsonl"
    path.write_text(json.dumps(line))
    with pytest.raises(CommandError):
        call_command("import_judgements", "s", str(path), round="Back")
    call_command("import_judgements", "s", str(path), round="Back", format="doccano")
    assert "1 new judgement\n" in capsys.readouterr().out
    assert TypeAnnotation.objects.get().applicable is False
