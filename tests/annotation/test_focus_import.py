"""The FOCUS authors' own files go in as they are: arguments, and what each annotator marked."""

import json

import pytest
from django.core.management import CommandError, call_command

from annotation.importing.formats.focus_places import find_span
from annotation.models import Item, Round, TypeAnnotation
from annotation.projects.projects import project_create
from tests.factories import open_round, study

pytestmark = pytest.mark.django_db

CATEGORIES = ("reasons_evidence", "clarity", "reasons_evidence")
TEXTS = ("All cats are “grey”, they say.", "Nobody likes\u00a0 rain.", "Taxes rise. Wages fall.")
PREDICTION = (
    "Argument,category,FSQType1,FSQType2,Span_FSQType1,Span_FSQType2,"
    "Predicted_Type1,Predicted_Type2,Span_PredictedType1,Span_PredictedType2"
)
SHEET = "A1_reason_F,A2_reason_F,A1_reason_G,A2_reason_G"
ROWS = ('"cats are ""grey"",", ,all,', "Taxes rises. / Wages,Wages fall / Taxes rise.,,rise. wages FALL!")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f'"{text}",{category}' + "," * 8 for text, category in zip(TEXTS, CATEGORIES, strict=True)]
    write(tmp_path / "model.csv", PREDICTION, *rows)
    write(tmp_path / "reason.csv", SHEET, *ROWS)
    return tmp_path


@pytest.fixture
def project():
    return project_create(slug="p", codebook="focus")


def write(path, *lines, encoding="utf-8", end="\n"):
    path.write_bytes((end.join(lines) + end).encode(encoding))
    return path


def bring(*names, **choices):
    call_command("import_focus", "p", *names, **{"set": "dev", **choices})


def judged(project):
    rows = TypeAnnotation.objects.filter(assignment__round__project=project)
    fields = ("assignment__item__external_id", "type_code", "assignment__member__pseudonym")
    found = rows.order_by(*fields).values_list(*fields, "applicable", "quote", "comment")
    return [(*row[:4], row[4] or "", row[5]) for row in found]


def test_arguments_and_judgements_go_in_and_a_second_time_nothing_does(folder, project, capsys):
    bring("reason.csv", "model.csv")
    items = list(Item.objects.order_by("pk"))
    assert [item.external_id for item in items] == ["dev001", "dev002", "dev003"]
    assert [item.text for item in items] == list(TEXTS)
    assert items[1].metadata == {"category": "clarity", "dataset": "FOCUS"}
    found = judged(project)
    assert found == [
        ("dev001", "LE", "A1", True, "cats are “grey”,", ""),
        ("dev001", "LE", "A2", False, "", ""),
        ("dev001", "WE", "A1", True, "All", ""),
        ("dev001", "WE", "A2", False, "", ""),
        ("dev003", "LE", "A1", True, "Taxes rise. Wages", ""),
        ("dev003", "LE", "A2", True, "Taxes rise.", "“Wages fall”"),
        ("dev003", "WE", "A1", False, "", ""),
        ("dev003", "WE", "A2", True, "rise. Wages fall", ""),
    ]
    round = Round.objects.get()
    assert (round.name, round.status) == ("dev", "closed")
    assert [row.types for row in round.round_items.order_by("position")] == ["LE WE", "LE WE"]
    project.refresh_from_db()
    assert project.licence == "CC-BY-NC-4.0"
    told = capsys.readouterr()
    assert "reason.csv: sheet; reasons_evidence; A1 A2; 2 rows; 5 yes, 3 no, 1 blank" in told.out
    assert "column A2_reason_F (dev001): note: holds white space alone and is a no" in told.err
    bring("model.csv", "reason.csv")
    assert judged(project) == found
    assert "Everything in these files was there already; nothing was changed." in capsys.readouterr().out


def test_words_found_nowhere_are_left_out_or_kept_as_a_vote(folder, project, capsys):
    rows = [
        f'"{text}",reasons_evidence' + "," * 8
        for text in ("A text of words.", *(f"T {n}." for n in range(20)))
    ]
    write(folder / "model.csv", PREDICTION, *rows)
    sheet = ["T 0.,A text,,", *(f"T {n}.,T {n},," for n in range(20))]
    write(folder / "reason.csv", SHEET, *sheet)
    bring("model.csv", "reason.csv", round="left out")
    assert (
        "(dev001): note: “T 0.” stands nowhere in the text, but in that of row 2; the judgement is left out"
        in capsys.readouterr().err
    )
    bring("reason.csv", keep_votes=True, round="kept")
    of = TypeAnnotation.objects.filter(
        assignment__item__external_id="dev001", type_code="LE", applicable=True
    )
    kept = {row.assignment.round.name: (row.incomplete, row.comment) for row in of.exclude(quote="A text")}
    assert kept == {"kept": (True, "“T 0.”")}


def test_a_sheet_whose_rows_are_shifted_is_refused_with_the_first_three(folder, project):
    write(folder / "reason.csv", SHEET, *reversed(ROWS))
    with pytest.raises(CommandError) as refused:
        bring("model.csv", "reason.csv")
    assert str(refused.value).startswith(
        "reason.csv: 4 of 5 spans stand in no text of their row: is a row missing, or is it of another set? "
        "row 1 below the header, column A1_reason_F (dev001): “Taxes rises. / Wages” stands nowhere"
    )
    assert not Item.objects.exists()


def test_a_row_that_is_missing_near_the_end_is_found_by_what_follows_it(folder, project):
    texts = [f"Text number {n} of all." for n in range(40)]
    write(folder / "model.csv", PREDICTION, *(f"{text},reasons_evidence,,,,,,,," for text in texts))
    sheet = [f"number {n} of,{n} of,," for n in range(40)]
    write(folder / "reason.csv", SHEET, *sheet[:37], *sheet[38:])
    with pytest.raises(CommandError, match="2 of 78 spans stand in no text of their row"):
        bring("model.csv", "reason.csv")
    write(folder / "reason.csv", SHEET, *sheet[:38])
    bring("model.csv", "reason.csv")
    assert sum(row[3] for row in judged(project)) == 76


@pytest.mark.parametrize(
    ("name", "lines", "told"),
    [
        ("reason.csv", [SHEET, *ROWS, ",,,"], "reason.csv: has 3 rows for 2 texts of its category"),
        ("reason.csv", [SHEET + ",A4_reason_F", *ROWS], "A4 has one of the two columns F and G"),
        ("reason.csv", ["A1_reason_F,A1_clarity_G", ","], "has columns of reason, clarity"),
        ("reason.csv", ["A1_reason_F,A1_reason_G", ","], "has one annotator; a sheet has two or more"),
        ("reason.csv", ["a,b", ","], "row 1: is none of the FOCUS authors' files"),
        ("reason.csv", [SHEET, '"a'], "row 2: no valid CSV"),
        (
            "clarity.csv",
            ["A1_clarity_F,A3_clarity_F,A1_clarity_G,A3_clarity_G", ",,,"],
            "reason.csv: has the annotators A1, A2, and clarity.csv has A1, A3",
        ),
        ("again.csv", [SHEET, *ROWS], "is of the same as again.csv"),
        (
            "master.csv",
            ["argument", "Another text.", *TEXTS[1:]],
            "model.csv: row 1 below the header: has another",
        ),
        ("master.csv", ["argument", f'"{TEXTS[0]}"'], "model.csv: has 3 rows, and master.csv has 1"),
        (
            "master.csv",
            ["Argument,Categories,Topic", *(f'"{text}",clarity,x' for text in TEXTS)],
            "row 1 below the header: has another category than the other files: 'reasons_evidence'",
        ),
        ("model.csv", [PREDICTION, "A text,logic,,,,,,,,"], "category is 'logic'; expected one of alternate"),
    ],
)
def test_files_that_do_not_fit_are_refused_and_nothing_is_stored(folder, project, name, lines, told):
    write(folder / name, *lines)
    names = sorted({"model.csv", "reason.csv", name})
    with pytest.raises(CommandError) as refused:
        bring(*names)
    assert told in str(refused.value)
    assert not Item.objects.exists()
    assert not Round.objects.exists()


@pytest.mark.parametrize(("encoding", "end"), [("utf-8-sig", "\n"), ("utf-16", "\r\n"), ("utf-8", "\r\n")])
def test_marks_line_ends_and_the_order_of_columns_make_no_difference(folder, project, encoding, end):
    write(
        folder / "reason.csv",
        "A2_reason_G,,A1_reason_F,A2_reason_F,A1_reason_G",
        "Taxes,,,,",
        encoding=encoding,
        end=end,
    )
    write(
        folder / "model.csv", PREDICTION, "Taxes rise.,reasons_evidence,,,,,,,,", encoding=encoding, end=end
    )
    bring("model.csv", "reason.csv")
    assert [(row[1:3], row[4]) for row in judged(project) if row[3]] == [(("WE", "A2"), "Taxes")]


def test_a_set_whose_ids_are_those_of_other_texts_is_refused_with_the_row(folder, project, capsys):
    bring("model.csv")
    write(folder / "model.csv", PREDICTION, f'"{TEXTS[0]}",clarity,,,,,,,,', "Rain falls.,clarity,,,,,,,,")
    with pytest.raises(CommandError, match="1 row was refused") as refused:
        bring("model.csv")
    assert refused.value.returncode == 2
    assert (
        "model.csv: row 2 below the header: “dev002”: the text differs from the one stored under this id: "
        "from character 1 on: 'Nobody likes\\xa0 rain.' there, 'Rain falls.' here"
    ) in capsys.readouterr().err
    assert [item.text for item in Item.objects.order_by("pk")] == list(TEXTS)


def test_sheets_alone_need_the_items_of_their_set(folder, project):
    with pytest.raises(CommandError, match="brings no arguments: name the file of a model's answers"):
        bring("reason.csv")
    bring("model.csv")
    bring("reason.csv")
    assert len(judged(project)) == 8


@pytest.mark.parametrize(
    ("choices", "told"),
    [({"set": "a b"}, "Name the set by letters"), ({"round": "Main"}, "was annotated here")],
)
def test_a_wrong_set_or_round_is_refused_before_anything_is_read(folder, choices, told):
    made = study()
    open_round(made, name="Main")
    with pytest.raises(CommandError, match=told):
        call_command("import_focus", made.project.slug, "model.csv", **{"set": "dev", **choices})


def test_logic_sheets_of_two_annotators_ask_all_types(folder, project):
    types = (
        "Others Stakeholder Perspective",
        "Temporal Contrast",
        "Vague or Ambiguous Terms for General Public?",
    )
    types += ("Overgeneralizing statement ", "Implicit Existence", "Bias and Subjectivity")
    types += ("Questionable Cause-Effect Relationship? (far)", "Causality Flipped?", "Lacks Evidence?")
    header = [",".join(["", "", *types, '"Quality of Evidence Provided\nIt is weak."', "complete"])]
    header += [",,example"] * 2 + ["source_article,,Find"]
    row = "It rains .,ad hominem,It,,,,,,,,,rains,Yes"
    write(folder / "Sheet_A1_x.csv", *header, row)
    write(folder / "Sheet_A2_x.csv", *header, row.replace("It,", ","))
    bring("Sheet_A1_x.csv", "Sheet_A2_x.csv", set="L")
    item = Item.objects.get()
    assert (item.external_id, item.metadata["logical_fallacies"]) == ("L001", ["ad hominem"])
    found = judged(project)
    assert len(found) == 20
    yes = [row[1:3] + row[4:5] for row in found if row[3]]
    assert yes == [("OSP", "A1", "It"), ("WE", "A1", "rains"), ("WE", "A2", "rains")]
    assert Round.objects.get().round_items.get().types is None
    write(folder / "Sheet_A2_x.csv", *header, row.replace("rains .", "snows ."))
    with pytest.raises(CommandError, match="row 1 below the header: has another text than Sheet_A1_x"):
        bring("Sheet_A1_x.csv", "Sheet_A2_x.csv", set="M")


@pytest.mark.parametrize(
    ("words", "place", "how"),
    [
        ("cats", (4, 8), "exact"),
        (" are ", (9, 12), "strip"),
        ("“GREY”", (13, 19), "fold"),
        ("...grey!", (14, 18), "fold"),
        ("they say / All cats", (0, 8), "two spans"),
        ("All cat are “grey", (0, 18), "nearest"),
        ("dogs", None, None),
    ],
)
def test_the_first_rule_that_gives_a_place_counts(words, place, how):
    found = find_span('All cats are "grey", they say.', words)
    assert (found and ((found.start, found.end), found.how)) == (place and (place, how))


def test_the_published_files_give_the_offsets_of_the_reference(shared_data, project):
    data = shared_data / "focus"
    reference = json.loads((shared_data.parent / "reference" / "focus_dev.json").read_bytes())
    sheets = sorted((data / "annotated data").glob("*_annotated.csv"))
    questions = data / "annotated data" / "question_annotated" / "grammar_corrected_FQ.csv"
    bring(
        str(data / "master dev" / "dev_master_SQ.csv"),
        *map(str, sheets),
        str(questions),
        set="D",
        keep_votes=True,
    )
    rows = TypeAnnotation.objects.values_list(
        "assignment__item__external_id",
        "type_code",
        "assignment__member__pseudonym",
        "applicable",
        "start",
        "end",
    )
    assert {tuple(row) for row in rows} == {
        (item, code, who, bool(yes), start, end)
        for item, code, who, yes, start, end, _ in reference["judgements"]
    }
    items = list(Item.objects.order_by("pk"))
    assert [item.metadata["category"] for item in items] == [item["category"] for item in reference["items"]]
    assert items[20].topic == "5: General Debate & Argumentation"
    assert sum(len(item.metadata.get("published_questions", ())) for item in items) == 165


def test_the_logic_sheets_give_the_answers_of_the_reference(shared_data, project):
    """But for one cell with white space alone, and four whose words stand nowhere."""
    reference = json.loads((shared_data.parent / "reference" / "focus_logic.json").read_bytes())
    bring(*map(str, sorted((shared_data / "focus" / "logic").glob("*.csv"))), set="L", keep_votes=True)
    rows = {row[:3]: row[3] for row in judged(project)}
    differ = [
        (code, number, who)
        for code, of_type in reference["types"].items()
        for number, answers in enumerate(of_type["answers"], start=1)
        for who, answer in zip(("A1", "A2"), answers, strict=True)
        if rows[f"L{number:03d}", code, who] != bool(answer)
    ]
    assert differ == [("WE", 25, "A1")]
    assert [item.metadata["logical_fallacies"] for item in Item.objects.order_by("pk")] == [
        [name] for name in reference["fallacies"]
    ]
