"""The data card says how a dataset was made, in words that a stranger can check."""

import pytest

from tests.exports.studies import (
    UNHELPFUL,
    USEFUL,
    close,
    cqs_study,
    focus_study,
    invalid,
    judge,
    judge_question,
    release,
    released,
)
from tests.factories import NO, yes

pytestmark = pytest.mark.django_db


def card(project, folder, **choices):
    return (released(project, folder, **choices) / "README.md").read_text(encoding="utf-8")


def row_of(text, first):
    """The cells of the first table row that begins with this cell."""
    rows = [line for line in text.splitlines() if line.startswith(f"| {first} |")]
    return [cell.strip() for cell in rows[0].strip("|").split("|")]


def focus_made():
    made = focus_study(annotators=2, items=2)
    first, second = made.items
    judge(made, first, {"LE": [yes(first, "grades fell")] * 2, "WE": [yes(first, "The library"), NO]})
    judge(made, second, {})
    made.annotators[0].background = "PhD student | argumentation <b>"
    made.annotators[0].save()
    made.project.languages, made.project.contact = "en, ar", "lab@example.org"
    made.project.save()
    close(made)
    return made


def test_the_front_matter_is_what_dataset_hubs_read(tmp_path):
    text = card(focus_made().project, tmp_path / "out", licence="CC BY 4.0")
    assert text.split("---\n")[1].splitlines() == [
        "license: cc-by-4.0",
        "language:",
        '- "en"',
        '- "ar"',
        f'pretty_name: "{text.split("pretty_name: ")[1].splitlines()[0][1:-1]}"',
        "size_categories:",
        "- n<1K",
        "tags:",
        "- socratic-questions",
        "- argumentation",
        "- annotator-disagreement",
        "configs:",
        "- config_name: default",
        "  data_files:",
        "  - split: whole",
        "    path: data/all.jsonl",
        text.split("---\n")[1].splitlines()[-1],
    ]
    assert text.split("---\n")[1].splitlines()[-1].startswith('dataset_info: {"config_name": "default"')


def test_it_names_annotators_by_pseudonym_with_their_background_and_counts(tmp_path):
    text = card(focus_made().project, tmp_path / "out")
    assert r"| A2 | 20 | PhD student \| argumentation &lt;b> |" in text
    assert row_of(text, "A3") == ["A3", "20", ""]
    assert "- Contact: lab@example.org" in text


def test_its_label_table_is_the_counts_of_the_file(tmp_path):
    text = card(focus_made().project, tmp_path / "out")
    assert row_of(text, "Lacks Evidence") == ["Lacks Evidence", "1", "1", "0"]
    assert row_of(text, "Weak Evidence") == ["Weak Evidence", "0", "1", "1"]
    assert "or by a lead): 1; disagreement spans" in text and "or not confirmed): 1." in text
    assert "- Types of an item without a majority, `null` here: 1." in text


def test_agreement_stands_with_its_intervals_and_undefined_with_its_reason(tmp_path):
    text = card(focus_made().project, tmp_path / "out")
    agreement = text.split("## Agreement")[1]
    assert row_of(agreement, "Lacks Evidence")[1:3] == ["2", "1.000 [0.000, 1.000]"]
    assert row_of(agreement, "Temporal Contrast")[-1] == "undefined (a)"
    assert "(a) Undefined: everyone used one and the same category" in agreement
    assert row_of(agreement, "Lacks Evidence")[-1].endswith("(b)")
    assert "(b) No interval: so few items carry a less common label" in agreement
    assert row_of(agreement, "Weak Evidence")[2].startswith("0.500")


def test_the_agreement_report_comes_as_json_csv_and_latex(tmp_path):
    folder = released(focus_made().project, tmp_path / "out")
    assert sorted(path.name for path in (folder / "agreement").iterdir()) == [
        "round-1.csv",
        "round-1.json",
        "round-1.tex",
    ]
    assert "Lacks Evidence" in (folder / "agreement" / "round-1.tex").read_text()


def test_a_release_has_the_same_report_whether_or_not_a_worker_computed_it(tmp_path):
    from agreement.jobs import report_compute
    from agreement.models import AgreementReport

    made = focus_made()
    without = released(made.project, tmp_path / "a", "a") / "agreement" / "round-1.json"
    report = AgreementReport.objects.get(round=made.round)
    assert report_compute(report_id=report.pk) == "done"
    assert AgreementReport.objects.get(pk=report.pk).state == "done"
    computed = released(made.project, tmp_path / "b", "b") / "agreement" / "round-1.json"
    assert computed.read_bytes() == without.read_bytes()


def test_labels_stand_by_source_before_and_after_edited_questions(tmp_path):
    made = cqs_study(annotators=1, items=1, questions=3)
    first, second, third = made.items[0].questions.all()
    judge_question(made, first, [USEFUL])
    judge_question(made, second, [UNHELPFUL])
    judge_question(made, third, [invalid("NC", "And the shops?")])
    close(made)
    text = card(made.project, tmp_path / "out", edited_questions=True)
    before, after = text.split("Labels as released:")
    assert row_of(before.split("as annotated:")[1], "test") == [
        "test",
        "1 (33.33%)",
        "1 (33.33%)",
        "1 (33.33%)",
        "3",
    ]
    assert row_of(after, "all") == ["all", "2 (66.67%)", "1 (33.33%)", "0 (0.00%)", "3"]


def test_what_an_annotator_says_about_themselves_is_part_of_the_digest():
    made = focus_made()
    first = release(made.project, "1").digest
    made.annotators[0].background = "Retired judge"
    made.annotators[0].save()
    assert release(made.project, "2").digest != first
