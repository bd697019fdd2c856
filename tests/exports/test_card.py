"""The data card says how a dataset was made, in words that a stranger can check."""

import json
import re

import pytest

from annotation.importing.items import items_import
from annotation.projects.projects import project_create
from exports.selection.parameters import ParameterError
from tests import factories
from tests.factories import (
    NO,
    TYPES,
    UNHELPFUL,
    USEFUL,
    close,
    cqs_study,
    focus_study,
    invalid,
    judge,
    judge_question,
    yes,
)
from tests.factories.releases import release, released

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
        "task_categories:",
        "- text-classification",
        "- token-classification",
        "size_categories:",
        "- n<1K",
        "tags:",
        "- socratic-questions",
        "- argumentation",
        "- annotator-disagreement",
        "configs:",
        "- config_name: default",
        "  data_files:",
        '  - split: "whole"',
        '    path: "data/all.jsonl"',
        text.split("---\n")[1].splitlines()[-1],
    ]
    assert text.split("---\n")[1].splitlines()[-1].startswith('dataset_info: {"config_name": "default"')


@pytest.mark.parametrize(
    ("licence", "lines"),
    [
        ("CC BY-NC-SA 4.0", ["license: cc-by-nc-sa-4.0"]),
        ("All rights reserved", ["license: other", 'license_name: "all-rights-reserved"']),
        ("許可", ["license: other"]),
        ("", []),
    ],
)
def test_a_licence_that_hubs_do_not_know_by_an_id_is_another_one(licence, lines, tmp_path):
    made = focus_made()
    made.project.languages = "en-GB, English, ar, en"
    made.project.save()
    front = card(made.project, tmp_path / "out", licence=licence).split("---\n")[1]
    assert front.splitlines()[: len(lines)] == lines
    assert [line for line in front.splitlines() if line.startswith("license")] == lines
    assert 'language:\n- "en"\n- "ar"\npretty_name' in front


def test_the_code_in_the_card_runs_and_loads_what_the_card_describes(tmp_path):
    pytest.importorskip("datasets")
    made = focus_made()
    made.items[1].split = "test"
    made.items[1].save()
    text = card(made.project, tmp_path / "out")
    blocks = re.findall("```python\n(.*?)```", text, re.DOTALL)
    loading = blocks[0].replace('load_dataset("DIR")', 'load_dataset("DIR", cache_dir="DIR/cache")')
    found: dict = {}
    for block in (loading, blocks[1]):
        exec(block.replace("DIR", str(tmp_path / "out")), found)
    assert [row["argument_id"] for row in found["data"]] == ["I-2"]
    assert len(found["judgements"]) == len(found["table"]) == 40
    fields = set(re.findall("`(\\w+)`", text.split("## Fields")[1].split("## Scoring")[0]))
    label = found["data"][0]["labels"][0]
    assert {*found["data"].features, *label} - {"code", "fsq_type"} <= fields
    assert "python scripts/score.py focus focus.test.json SYSTEM.json" in text
    assert "focus.test.json" not in card(made.project, tmp_path / "b", version="2", withheld=["test"])


def test_the_citation_is_the_authors_own_or_made_of_what_is_known(tmp_path):
    made = focus_made()
    made.project.name = "Town talk"
    made.project.save()
    chosen = {"authors": "A. Author", "published": "2026-03-31"}
    text = card(made.project, tmp_path / "1", **chosen)
    assert "```\nA. Author (2026). Town talk, version 1.0.\n```" in text
    assert "- Published: 2026-03-31" in text
    text = card(made.project, tmp_path / "2", version="2", citation="@misc{talk}", **chosen)
    assert "```\n@misc{talk}\n```" in text
    assert "```\nTown talk, version 3.\n```" in card(made.project, tmp_path / "3", version="3")
    with pytest.raises(ParameterError, match="published: expected a day, as in 2026-03-31"):
        card(made.project, tmp_path / "4", version="4", published="31.3.2026")


def test_earlier_guidelines_under_which_rounds_were_annotated_are_there_and_named(tmp_path):
    made = focus_made()
    first = made.project.codebooks.get()
    second = made.project.codebooks.create(
        version=2, definition=first.definition, source=first.source, guideline="Sharper."
    )
    made.round.pk = None
    factories.open_round(made)
    assert made.round.codebook == second
    judge(made, made.items[0], {})
    close(made)
    folder = released(made.project, tmp_path / "out")
    assert (folder / "guidelines" / "version-1.md").read_text().startswith(first.guideline.strip("\n"))
    assert (folder / "guideline.md").read_text().startswith("Sharper.\n\n## OSP: ")
    text = (folder / "README.md").read_text()
    assert "`guideline.md` (version 2); some rounds were annotated under earlier ones: `guidelines/" in text
    assert row_of(text, "Round 1")[1:4] == ["calibration", "2", "1"]
    assert "guidelines/version-1.md" in (folder / "SHA256SUMS").read_text()


def test_each_version_is_there_whole_with_the_wording_of_its_types(tmp_path):
    """Two versions may have the same guideline and other types."""
    made = focus_made()
    first = made.project.codebooks.get()
    sharper = first.source.replace("Lacks Evidence", "Lacks Any Evidence")
    definition = json.loads(json.dumps(first.definition).replace("Lacks Evidence", "Lacks Any Evidence"))
    spanish = {"types": {"LE": {"name": "Sin pruebas"}}}
    made.project.codebooks.create(
        version=2,
        definition={**definition, "languages": {"es": spanish}},
        source=sharper,
        guideline=first.guideline,
    )
    made.round.pk = None
    factories.open_round(made)
    judge(made, made.items[0], {})
    close(made)
    folder = released(made.project, tmp_path / "out")
    assert (folder / "guidelines" / "version-1.toml").read_text() == first.source
    assert (folder / "codebook.toml").read_text() == sharper
    before, after = (
        (folder / "guidelines" / "version-1.md").read_text(),
        (folder / "guideline.md").read_text(),
    )
    assert before.replace("Lacks Evidence", "Lacks Any Evidence") == after != before
    kind = next(kind for kind in first.definition["types"] if kind["code"] == "LE")
    for said in (kind["description"], kind["example"], "## LE: Lacks Evidence (Reason and Evidence)"):
        assert said.strip() in before
    assert "> " + kind["exemplar"].replace("_", r"\_") in before
    assert "## LE: Sin pruebas" in (folder / "guideline.es.md").read_text()


def test_the_guideline_of_questions_has_its_labels_reasons_and_ready_comments(tmp_path):
    made = cqs_study(annotators=1, items=1, questions=1)
    judge_question(made, made.items[0].questions.get(), [USEFUL])
    close(made)
    read = (released(made.project, tmp_path / "out") / "guideline.md").read_text()
    definition = made.round.codebook.definition
    assert all(label["description"].strip() in read for label in definition["labels"])
    assert all(f"- **{reason['name']}** ({reason['code']})" in read for reason in definition["reasons"])
    assert all(f"- {start['text']}" in read for start in definition["comment_starts"])


def test_a_crowd_is_told_by_its_middle_and_listed_in_a_file_of_its_own(tmp_path):
    made = focus_study(annotators=32, items=2)
    first, second = made.items
    judge(made, first, {code: [NO] * 32 for code in TYPES})
    judge(made, second, {code: [NO] * 3 for code in TYPES})
    close(made)
    folder = released(made.project, tmp_path / "out", agreement=False)
    text = (folder / "README.md").read_text()
    assert row_of(text, "Round 1")[2] == "32 (1 item), 3 (1 item)" or "3 (1 item), 32 (1 item)" in text
    assert "32 annotators, listed in `annotators.csv`; 0 of them said something about themselves." in text
    assert "Judgements of each: median 10, half of them 10 to 10, from 10 to 20." in text
    assert "| A2 |" not in text and len(text.splitlines()) < 160
    lines = (folder / "annotators.csv").read_text().splitlines()
    assert lines[:2] == ["annotator,judgements,background", "A2,20,"] and len(lines) == 33
    (told,) = json.loads((folder / "release.json").read_bytes())["rounds"]
    assert told["annotators_an_item"] == {"median": 17.5, "items": {"3": 1, "32": 1}}


def test_labels_stand_by_split_as_in_the_paper(tmp_path):
    made = cqs_study(annotators=1, items=2, questions=2)
    for item, split, answers in zip(
        made.items, ("train", "test"), ([USEFUL, UNHELPFUL], [USEFUL, USEFUL]), strict=True
    ):
        item.split = split
        item.save()
        for question, answer in zip(item.questions.all(), answers, strict=True):
            judge_question(made, question, [answer])
    close(made)
    folder = released(made.project, tmp_path / "out")
    by_split = (folder / "README.md").read_text().split("Labels by split:")[1]
    assert row_of(by_split, "train") == ["train", "1 (50.00%)", "1 (50.00%)", "0 (0.00%)", "2"]
    assert row_of(by_split, "test") == ["test", "2 (100.00%)", "0 (0.00%)", "0 (0.00%)", "2"]
    told = json.loads((folder / "release.json").read_bytes())
    assert told["labels_by_split"] == {"test": {"Useful": 2}, "train": {"Unhelpful": 1, "Useful": 1}}
    text = card(made.project, tmp_path / "kept", version="2", withheld=["test"])
    assert row_of(text.split("Labels by split:")[1], "test") == ["test", *["withheld"] * 4]
    assert row_of(text.split("Labels:")[1], "all")[-1] == "2"


@pytest.mark.parametrize(
    ("codebook", "called"),
    [
        ("focus", "Arguments with the Socratic question types that can probe them (FOCUS: "),
        ("context_sufficiency", "Arguments with the types that apply to them ("),
    ],
)
def test_the_types_are_called_what_the_codebook_calls_them(codebook, called, tmp_path):
    made = factories.study(codebook, annotators=1, items=1)
    factories.open_round(made)
    code = made.round.codebook.definition["types"][0]["code"]
    factories.record(made.round, made.annotators[0], made.items[0], code, NO)
    close(made)
    folder = released(made.project, tmp_path / "out")
    text = (folder / "README.md").read_text()
    assert called in text
    assert (
        ("ocratic" in text) == ("ocratic" in (folder / "croissant.json").read_text()) == (codebook == "focus")
    )


def test_it_names_annotators_by_pseudonym_with_their_background_and_counts(tmp_path):
    text = card(focus_made().project, tmp_path / "out")
    assert r"| A2 | 20 | PhD student \| argumentation &lt;b> |" in text
    assert row_of(text, "A3") == ["A3", "20", "not stated"]
    assert "- Contact: lab@example.org" in text


def test_its_label_table_is_the_counts_of_the_file(tmp_path):
    text = card(focus_made().project, tmp_path / "out")
    assert row_of(text, "Lacks Evidence") == ["Lacks Evidence", "1", "1", "0", "1", "0"]
    assert row_of(text, "Weak Evidence") == ["Weak Evidence", "0", "1", "1", "0", "1"]
    assert "or by a lead): 1; disagreement spans" in text and "or not confirmed): 1." in text
    assert "- Types of an item without a majority, `null` in `applicable`: 1." in text


def test_agreement_stands_with_its_intervals_and_undefined_with_its_reason(tmp_path):
    text = card(focus_made().project, tmp_path / "out")
    agreement = text.split("## Agreement")[1]
    assert row_of(agreement, "Lacks Evidence")[1:3] == ["2", "1.000 [0.000, 1.000] (a)"]
    assert "(a) Limits by the rule of three: no resample differs" in agreement
    assert "; interval not to be trusted: so few items have two ratings" in agreement
    mark = row_of(agreement, "Temporal Contrast")[-1].removeprefix("undefined ")
    assert f"{mark} Undefined: everyone used one and the same category" in agreement
    mark = row_of(agreement, "Lacks Evidence")[-1].split()[-1]
    assert f"{mark} No interval: so few items have two ratings" in agreement
    assert row_of(agreement, "Weak Evidence")[2].startswith("0.500")
    spans = agreement.split("Spans, over the pairs")[1]
    pairs, exact, token = row_of(spans, "Lacks Evidence")[1:4]
    assert (pairs, exact) == ("1", token) and exact.startswith("1.000 (")
    assert f"{exact.split()[-1]} No interval: " in spans


def test_the_pairs_stand_beside_the_figure_that_they_are_the_pairs_of(tmp_path):
    """Two spans of punctuation alone are exact or not, and have no words to be alike in."""
    made = focus_study(annotators=2, items=2, texts=("All of it fell!!", "Some of it rose."))
    first, second = made.items
    judge(made, first, {"LE": [yes(first, "!!")] * 2})
    judge(made, second, {"LE": [yes(second, "rose"), yes(second, "it rose")]})
    close(made)
    spans = card(made.project, tmp_path / "out").split("Spans, over the pairs")[1]
    _, pairs, exact, token_jaccard, _ = row_of(spans, "Lacks Evidence")
    assert (pairs, exact.split(" ")[0]) == ("2", "0.500")
    assert token_jaccard.startswith("0.500 (") and token_jaccard.endswith(" (1 pair)")


def test_the_agreement_report_comes_as_json_csv_and_latex(tmp_path):
    folder = released(focus_made().project, tmp_path / "out")
    assert sorted(path.name for path in (folder / "agreement").iterdir()) == [
        "round-1.csv",
        "round-1.json",
        "round-1.tex",
        "rounds.csv",
        "rounds.json",
    ]
    assert "Lacks Evidence" in (folder / "agreement" / "round-1.tex").read_text()


def test_a_release_has_the_same_report_whether_or_not_a_worker_computed_it(tmp_path):
    from agreement.computation.compute import report_compute
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


def test_labels_that_came_with_a_file_are_said_to_be_anothers_work(shared_data, tmp_path):
    project = project_create(slug="validation", codebook="cqs_gen")
    items_import(project=project, path=shared_data / "cqs_gen" / "validation.json")
    text = card(project, tmp_path / "out", split_by="balanced", split_sizes={"test": 34}, withheld=["test"])
    assert "All labels are those of the imported file; nobody judged them here." in text
    # Of the questions of the 34 withheld interventions nothing is told, not even how many labels they have.
    told = json.loads((tmp_path / "out" / "cqs_gen.validation.json").read_bytes()).values()
    n = sum(len(entry["cqs"]) for entry in told)
    assert 3000 < n < 4136
    assert f"of which who gave them and how far they agreed is not known here: {n}." in text
    for words in ("votes cast", "judgements.parquet", "pseudonym", "Labels as annotated", "pandas"):
        assert words not in text
    assert text.count("Labels:\n") == 1
    assert 'load_dataset("DIR")["validation"]' in text
    assert "score.py cqs_gen cqs_gen.validation.json SYSTEM.json" in text


def test_the_card_of_a_release_without_texts_joins_them_before_scoring(tmp_path):
    text = card(focus_made().project, tmp_path / "out", texts=False)
    joined = "python scripts/join_texts.py focus.json TEXTS.jsonl JOINED.json\n"
    assert f"{joined}python scripts/score.py focus JOINED.json SYSTEM.json" in text
