"""Workbooks: what a person sees is read; what Excel has changed is refused or noted, with its cell."""

import zipfile

import openpyxl
import pytest

from annotation.importing.files import bounds
from annotation.importing.files.rows import FileError, ItemRow, Notice, Refusal
from tests.annotation.reading import read_items
from tests.annotation.workbooks import (
    HEADER,
    MAIN,
    RELATIONS,
    SHEET,
    number,
    parts,
    row,
    saved,
    sheet,
    text,
)

FORMATS = (
    "yyyy-mm-dd",
    "[h]:mm",
    "0%",
    "#,##0",
    "000",
    '"ID-"0',
    ";;;",
    "0.00",
    '"no "@',
    "0_ ",
    "[$-409]General",
)
STYLES = {code: n for n, code in enumerate(FORMATS, 1)}


def read(tmp_path, *rows, **more):
    """Read a workbook of one sheet; return items as (id, text, year), refusals, notices."""
    keep = {name: more.pop(name) for name in ("strings", "states", "further") if name in more}
    sheets = [sheet(HEADER, *rows, **more), *keep.pop("further", ())]
    found = list(read_items(saved(tmp_path / "a.xlsx", parts(*sheets, formats=FORMATS, **keep))))
    return (
        [(one.external_id, one.text, one.metadata.get("year")) for one in found if isinstance(one, ItemRow)],
        [(one.place, one.reason) for one in found if isinstance(one, Refusal)],
        [(one.place, one.message) for one in found if isinstance(one, Notice)],
    )


CHANGED = {
    "an error": (number("{}", "#NAME?", kind="e"), "#NAME? is an error of the spreadsheet", ""),
    "an error that a formula gave": (number("{}", "#N/A", kind="e", formula="NA()"), "#N/A is an error", ""),
    "an error as a text": (text("{}", "#REF!"), "#REF! is an error of the spreadsheet", ""),
    "a number of nineteen digits": (
        number("{}", "1.2345678901234501E+18"), "the number has more than 15 digits", 1.2345678901234501e18,
    ),
    "such a number in full": (
        number("{}", "1234567890123456789"), "the number has more than 15 digits", 1234567890123456789,
    ),
    "a long number as CSV has it": (text("{}", "1.23457E+15"), "digits are lost", "1.23457E+15"),
    "a date": (number("{}", "45000", STYLES["yyyy-mm-dd"]), "a date or time of it", "2023-03-15T00:00:00"),
    "a date of the standard": (number("{}", "2023-03-15", kind="d"), "a date or time of it", "2023-03-15"),
    "a duration": (number("{}", "1.5", STYLES["[h]:mm"]), "a date or time of it", "1 day, 12:00:00"),
    "no date": (number("{}", "99999999", STYLES["yyyy-mm-dd"]), "is no date that there is", ""),
    "a truth value": (number("{}", "1", kind="b"), "found True, which Excel takes for a truth value", True),
    "a percentage": (number("{}", "0.5", STYLES["0%"]), "expected a text, found 0.5", 0.5),
    "a whole percentage": (number("{}", "2", STYLES["0%"]), "2 is shown otherwise than it is stored", 2),
    "thousands set apart": (number("{}", "1234", STYLES["#,##0"]), "number format #,##0", 1234),
    "leading zeros": (number("{}", "7", STYLES["000"]), "7 is shown otherwise", 7),
    "a word before a number": (number("{}", "7", STYLES['"ID-"0']), "7 is shown otherwise", 7),
    "a hidden number": (number("{}", "7", STYLES[";;;"]), "7 is shown otherwise", 7),
    "a hidden text": (text("{}", "unseen", STYLES[";;;"]), "is shown otherwise than it is stored", "unseen"),
    "a word before a text": (text("{}", "go", STYLES['"no "@']), "is shown otherwise than it is", "go"),
    "a sum of tenths": (number("{}", "0.30000000000000004"), "expected a text, found 0.3;", 0.1 + 0.2),
    "a formula without its value": (number("{}", "", formula="A1&amp;B1"), "whose value was not saved", ""),
    "what was too narrow": (text("{}", "########"), "stands for what was too wide", ""),
}  # fmt: skip


@pytest.mark.parametrize(("cell", "reason", "kept"), CHANGED.values(), ids=CHANGED.keys())
def test_a_changed_cell_refuses_ids_and_texts_and_is_noted_elsewhere(tmp_path, cell, reason, kept):
    items, refused, notices = read(
        tmp_path,
        row(2, cell.format("A2"), text("B2", "Its id is changed.")),
        row(3, text("A3", "b"), cell.format("B3")),
        row(4, text("A4", "c"), text("B4", "Its year is changed."), cell.format("C4")),
    )
    assert items == [("c", "Its year is changed.", kept)]
    assert [place for place, _ in refused] == ["sheet 'S1', row 2", "sheet 'S1', row 3"]
    for (_, told), start in zip(refused, ("id: cell A2: ", "text: cell B3: "), strict=True):
        assert told.startswith(start) and reason in told
    ((place, told),) = notices
    assert place == "sheet 'S1', row 4" and told.startswith("year: ") and "the first of 1 is cell C4" in told


WRITTEN = {
    "a whole number": (number("{}", "17"), "17"),
    "a whole number of a program": (number("{}", "17.0"), "17"),
    "fifteen digits": (number("{}", "123456789012345"), "123456789012345"),
    "a plain format with room": (number("{}", "-7", STYLES["0_ "]), "-7"),
    "a format with a language": (number("{}", "7", STYLES["[$-409]General"]), "7"),
    "a style that is not there": (number("{}", "7", 999), "7"),
    "a text that only looks like an error": (text("{}", "#metoo"), "#metoo"),
    "the saved value of a formula": (number("{}", "so it is", kind="str", formula="A9"), "so it is"),
    "a carriage return": (text("{}", "a_x000D_\nb"), "a\r\nb"),
    "a written escape": (text("{}", "a_x005F_x000D_b"), "a_x000D_b"),
    "an emoji in halves": (text("{}", "a_xD83D__xDE00_"), "a😀"),
    "a text that begins with an apostrophe's formula": (text("{}", "=1+1"), "=1+1"),
    "blanks around": (text("{}", "  a  "), "  a  "),
}


@pytest.mark.parametrize(("cell", "expected"), WRITTEN.values(), ids=WRITTEN.keys())
def test_a_cell_that_is_as_it_was_written_is_an_id_and_a_text(tmp_path, cell, expected):
    items, refused, notices = read(
        tmp_path,
        row(2, cell.format("A2"), text("B2", "x")),
        row(3, text("A3", "b"), cell.format("B3")),
    )
    assert (items, refused, notices) == ([(expected, "x", ""), ("b", expected, "")], [], [])


def test_shared_strings_join_their_runs_and_leave_out_how_they_are_spoken(tmp_path):
    spoken = "<si><t>東京</t><rPh sb='0' eb='2'><t>トウキョウ</t></rPh></si>"
    strings = f"{spoken}<si><r><t>One </t></r><r><t>text</t></r></si>"
    items, _, _ = read(
        tmp_path, row(2, number("A2", "0", kind="s"), number("B2", "1", kind="s")), strings=strings
    )
    assert items == [("東京", "One text", "")]


def test_what_is_hidden_in_excel_is_left_out_and_said(tmp_path):
    items, refused, notices = read(
        tmp_path,
        row(2, text("A2", "a"), text("B2", "Seen."), number("C2", "2001")),
        row(3, text("A3", "b"), text("B3", "Filtered out."), more='hidden="1"'),
        row(4, text("A4", "c"), text("B4", "Flat."), more='ht="0"'),
        row(5, more='hidden="1"'),
        row(9, text("A9", "d"), text("B9", "Hidden."), more='hidden="true"'),
        row(10, text("A10", "e"), text("B10", "Seen, too."), number("C10", "2002")),
        before='<cols><col min="3" max="3" hidden="1"/><col min="4" max="16384" hidden="1"/></cols>',
        further=(sheet(), sheet()),
        states=("", "hidden", ""),
    )
    assert (items, refused) == ([("a", "Seen.", None), ("e", "Seen, too.", None)], [])
    assert notices == [
        (
            "sheet 'S1'",
            "columns that are hidden in Excel are left out: year (C); show them to have them read",
        ),
        ("sheet 'S1'", "rows that are hidden or filtered out in Excel are left out: 3–4, 9 (3 in all)"),
        ("sheet 'S2'", "is hidden in Excel and is not read"),
        ("sheet 'S3'", "only the first sheet of a workbook is read"),
    ]


def test_a_needed_column_that_is_hidden_is_named_where_it_is_missed(tmp_path):
    content = sheet(
        HEADER,
        row(2, text("A2", "a"), text("B2", "x")),
        before='<cols><col min="2" max="2" width="0"/></cols>',
    )
    with pytest.raises(
        FileError, match=r"row 1: no column 'text'; found 'id', 'year'; columns that are hidden.*text \(B\)"
    ):
        list(read_items(saved(tmp_path / "a.xlsx", parts(content))))


def test_the_first_sheet_that_is_seen_is_read(tmp_path):
    seen = sheet(HEADER, row(2, text("A2", "a"), text("B2", "Seen.")))
    path = saved(tmp_path / "a.xlsx", parts(sheet(), seen, states=("veryHidden", "")))
    assert [one.place for one in read_items(path)] == ["sheet 'S2', row 2", "sheet 'S1'"]


def test_merged_cells_are_no_empty_ones(tmp_path):
    items, refused, notices = read(
        tmp_path,
        row(2, text("A2", "a"), text("B2", "One text."), number("C2", "2001")),
        row(3, text("B3", "Of which item?"), number("C3", "2002")),
        row(
            4,
            text("A4", "b"),
            text("B4", "Another."),
        ),
        after='<mergeCells count="2"><mergeCell ref="A2:A3"/><mergeCell ref="B4:C4"/></mergeCells>',
    )
    assert items == [("a", "One text.", 2001), ("b", "Another.", "")]
    assert refused == [
        (
            "sheet 'S1', row 3",
            "id: cell A3 belongs to the merged cells A2:A3: unmerge them and fill in each row",
        )
    ]
    assert notices == [("sheet 'S1', row 4", "year: merged cells, left empty; the first of 1 is cell C4")]


def test_one_far_cell_costs_nothing_and_is_named(tmp_path):
    items, refused, _ = read(
        tmp_path, row(2, text("A2", "a"), text("B2", "x")), row(1048576, text("XFD1048576", "!"))
    )
    assert items == [("a", "x", "")]
    assert refused == [("sheet 'S1', row 1048576 (cell XFD1048576)", "has 4 cells, the header 3")]


def test_a_text_that_excel_has_cut_is_noted(tmp_path):
    _, _, notices = read(
        tmp_path,
        row(2, text("A2", "a"), text("B2", "x" * 32_767)),
        row(3, text("A3", "b"), text("B3", "x" * 32_765 + "😀")),
        row(4, text("A4", "c"), text("B4", "x" * 32_766)),
    )
    assert [place for place, told in notices if "32,767" in told] == [
        "sheet 'S1', row 2",
        "sheet 'S1', row 3",
    ]


def broken(content):
    return content | {SHEET: content[SHEET].replace("</row>", "", 1)}


def without(*names):
    return lambda content: {name: part for name, part in content.items() if name not in names}


def with_part(name, part):
    return lambda content: content | {name: part}


STRICT = {
    MAIN: "http://purl.oclc.org/ooxml/spreadsheetml/main",
    RELATIONS: "http://purl.oclc.org/ooxml/officeDocument/relationships",
}


def strict(content):
    for before, after in STRICT.items():
        content = {name: part.replace(before, after) for name, part in content.items()}
    return content


def chart_first(content):
    relations = content["xl/_rels/workbook.xml.rels"].replace(
        "</Relationships>",
        f'<Relationship Id="c" Type="{RELATIONS}/chartsheet" Target="chartsheets/c.xml"/></Relationships>',
    )
    book = content["xl/workbook.xml"].replace(
        "<sheets>", '<sheets><sheet name="Chart" sheetId="9" r:id="c"/>'
    )
    return content | {"xl/workbook.xml": book, "xl/_rels/workbook.xml.rels": relations}


GOOD = parts(
    sheet(HEADER, row(2, number("A2", "0", kind="s"), text("B2", "A text."))), strings="<si><t>a</t></si>"
)

VALIDATION = '<dataValidations count="x"><dataValidation type="?"/></dataValidations>'

READ = {
    "strict Open XML": strict,
    "a chart sheet first, without its drawing": chart_first,
    "no styles, no content types but their list": without("xl/styles.xml"),
    "a prefix before each element": with_part(
        SHEET,
        f'<x:worksheet xmlns:x="{MAIN}"><x:sheetData><x:row><x:c t="str"><x:v>id</x:v></x:c>'
        '<x:c t="str"><x:v>text</x:v></x:c></x:row><x:row><x:c t="s"><x:v>0</x:v></x:c>'
        '<x:c t="str"><x:v>A text.</x:v></x:c></x:row></x:sheetData></x:worksheet>',
    ),
    "macros, links and a theme that cannot be parsed": with_part("xl/theme/theme1.xml", "<broken"),
    "a data validation that cannot be parsed": lambda content: content
    | {SHEET: content[SHEET].replace("</sheetData>", f"</sheetData>{VALIDATION}")},
    "a backslash in its names": lambda content: {
        name.replace("xl/worksheets/", "xl\\worksheets\\"): part for name, part in content.items()
    },
    "no relations of the package": without("_rels/.rels"),
}  # fmt: skip


@pytest.mark.parametrize("change", READ.values(), ids=READ.keys())
def test_an_unusual_workbook_is_read(tmp_path, change):
    found = list(read_items(saved(tmp_path / "a.xlsx", change(GOOD))))
    assert [(one.external_id, one.text) for one in found] == [("a", "A text.")]


REFUSED = {
    "cut off in a row": (broken, "it is damaged. Open it in Excel and save it again as .xlsx"),
    "without its sheet": (without(SHEET), "its part 'xl/worksheets/sheet1.xml' is missing"),
    "without the workbook itself": (without("xl/workbook.xml"), "its part 'xl/workbook.xml' is missing"),
    "without the strings that its cells name": (without("xl/sharedStrings.xml"), "its cell A2 cannot be"),
    "with a document type": (
        with_part(SHEET, '<!DOCTYPE a [<!ENTITY a "aaaa">]><worksheet>&a;</worksheet>'),
        "it has a document type declaration",
    ),
    "of chart sheets only": (
        lambda content: {
            name: part.replace("/worksheet", "/chartsheet") if name.endswith(".rels") else part
            for name, part in content.items()
        },
        "has no sheet with cells",
    ),
    "of hidden sheets only": (
        lambda content: content
        | {"xl/workbook.xml": content["xl/workbook.xml"].replace("<sheet ", '<sheet state="hidden" ')},
        "has hidden sheets only: show the one with the table",
    ),
    "of an empty sheet": (with_part(SHEET, sheet()), "sheet 'S1': has no cells with content"),
    "of a sheet whose rows are all hidden": (
        with_part(SHEET, sheet(row(1, text("A1", "id"), more='hidden="1"'))),
        "has no cells with content: move the table to the first sheet; rows that are hidden",
    ),
    "with a row beyond the last one": (with_part(SHEET, sheet(row(1048577))), "it has a row 1048577"),
    "with a column beyond the last one": (
        with_part(SHEET, sheet(row(1, text("ZZZZ1", "id")))), "it has a column 'ZZZZ'",
    ),
    "with a number that is none": (
        with_part(SHEET, sheet(HEADER, row(2, number("A2", "1,5")))), "its cell A2 cannot be read",
    ),
    "as a binary workbook": (
        lambda content: without("xl/workbook.xml")(content) | {"xl/workbook.bin": "x"},
        "(.xlsb): open it and save it",
    ),
    "as an OpenDocument spreadsheet": (
        lambda _: {"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": "<a/>"},
        "is an OpenDocument spreadsheet (.ods): open it and save it as an Excel workbook",
    ),
    "as Apple Numbers": (lambda _: {"Index/Document.iwa": "x"}, "is a document of Apple Numbers"),
    "as a Word document": (
        lambda _: {"[Content_Types].xml": "<Types/>", "word/document.xml": "<a/>"}, "is a Word document",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("change", "told"), REFUSED.values(), ids=REFUSED.keys())
def test_a_workbook_that_cannot_be_read_says_what_it_is_and_what_to_do(tmp_path, change, told):
    path = saved(tmp_path / "a.xlsx", change(GOOD))
    with pytest.raises(FileError) as raised:
        list(read_items(path))
    assert told in str(raised.value)
    assert str(tmp_path) not in str(raised.value)


OTHERS = {
    "a protected workbook": (
        b"\xd0\xcf\x11\xe0" + bytes(600) + "EncryptedPackage".encode("utf-16-le"),
        "is protected by a password",
    ),
    "an old workbook": (
        b"\xd0\xcf\x11\xe0" + bytes(600) + "Workbook".encode("utf-16-le"), "is a workbook of an old Excel",
    ),
    "an old document": (
        b"\xd0\xcf\x11\xe0" + bytes(600) + "WordDocument".encode("utf-16-le"), "is a document of an old Word",
    ),
    "a workbook of Excel 2003": (
        b'<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook/>', "Excel 2003 (XML)",
    ),
    "a web page": (b"<html><table><tr><td>id", "is a web page"),
    "gzip": (b"\x1f\x8b\x08\x00rest", "is compressed (gzip): unpack it"),
    "Parquet": (b"PAR1rest", "is a Parquet file: export its table as CSV"),
    "PDF": (b"%PDF-1.7", "is a PDF document"),
    "RTF": (b"{\\rtf1", "is a text document (RTF)"),
    "a damaged archive": (b"PK\x03\x04 cut off", "its archive is damaged"),
    "an empty archive": (b"PK\x05\x06" + bytes(18), "is an archive and no Excel workbook"),
}  # fmt: skip


@pytest.mark.parametrize("name", ["a.csv", "a.xlsx"])
@pytest.mark.parametrize(("content", "told"), OTHERS.values(), ids=OTHERS.keys())
def test_a_file_of_another_kind_says_what_it_is_whatever_it_is_called(tmp_path, content, told, name):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(FileError) as raised:
        list(read_items(path))
    assert told in str(raised.value)


def test_an_archive_may_unpack_to_so_much_and_no_more(tmp_path, monkeypatch):
    path = saved(tmp_path / "a.xlsx", GOOD | {"xl/media/a.bin": "\0" * 100_000})
    assert len(list(read_items(path))) == 1
    monkeypatch.setattr("annotation.importing.files.excel.FILE_BYTES", 100_000)
    with pytest.raises(FileError, match="more than 0 MB once it is unpacked: split it"):
        list(read_items(path))


def test_one_text_in_many_cells_counts_each_time(tmp_path, monkeypatch):
    rows = [row(n, number(f"A{n}", str(n)), number(f"B{n}", "0", kind="s")) for n in range(2, 60)]
    content = parts(sheet(HEADER, *rows), strings=f"<si><t>{'x' * 1000}</t></si>")
    path = saved(tmp_path / "a.xlsx", content)
    assert len(list(read_items(path))) == 58
    monkeypatch.setattr("annotation.importing.files.excel.FILE_BYTES", 50_000)
    with pytest.raises(FileError, match="once it is unpacked"):
        list(read_items(path))


@pytest.mark.parametrize(
    ("limit", "told"),
    [
        ("annotation.importing.files.excel_sheet.CELLS", "cells: split it"),
        ("annotation.importing.files.bounds.COLUMNS", "columns, and at most"),
    ],
)  # fmt: skip
def test_cells_and_columns_are_bounded(tmp_path, monkeypatch, limit, told):
    monkeypatch.setattr(limit, 2)
    with pytest.raises(FileError, match=told):
        list(read_items(saved(tmp_path / "a.xlsx", GOOD | {SHEET: sheet(HEADER)})))


def test_a_table_of_a_million_columns_is_refused_in_few_words(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id,text" + ",c" * 1_000_000)
    with pytest.raises(FileError) as raised:
        list(read_items(path, format="table"))
    assert str(raised.value) == (
        "a.csv: row 1: has 1,000,002 columns, and at most 2,000 are read: delete those that are not needed"
    )


def test_rows_are_bounded(monkeypatch):
    monkeypatch.setattr(bounds, "ROWS", 2)
    notices = [Notice(f"row {n}", "") for n in range(3)]
    with pytest.raises(FileError, match="row 2: has more than 2 rows: split it"):
        list(bounds.bounded(notices, "a.csv"))


def test_few_long_rows_go_on_together_as_many_short_ones_do():
    short, long = ItemRow("a", "x", "row 2"), ItemRow("b", "x" * bounds.BATCH_CHARACTERS, "row 3")
    rows = [short, short, short, long, long, short]
    assert [len(batch) for batch in bounds.batches(rows, 3)] == [3, 1, 1, 1]


@pytest.mark.parametrize("cell", ["#NAME?", "#WERT!", "1.23457E+15", "####"])
def test_csv_saved_by_excel_has_the_same_losses(tmp_path, cell):
    path = tmp_path / "a.csv"
    path.write_text(f"id,text,year\n{cell},x,1\nb,{cell},1\nc,x,{cell}\n", encoding="utf-8")
    found = list(read_items(path))
    assert [one.place for one in found if isinstance(one, Refusal)] == ["row 2", "row 3"]
    assert [one.external_id for one in found if isinstance(one, ItemRow)] == ["c"]
    assert [one.place for one in found if isinstance(one, Notice)] == ["row 4"]


def test_long_numbers_that_end_in_zeros_are_noted(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id,text\n1234567890123450000,x\n1234567890123456789,y\n")
    notices = [one for one in read_items(path) if isinstance(one, Notice)]
    assert notices == [
        Notice("row 2", "id: long numbers that end in zeros, as Excel leaves them; the first of 1 is row 2")
    ]


def test_refused_rows_that_come_back_as_a_workbook_lose_the_mark_against_formulas(tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["id", "text", "refused at", "refused because", "further cells"])
    book.active.append(["a", "'=1+1 is two", "row 2", "blank", None])
    book.save(tmp_path / "a.xlsx")
    assert [one.text for one in read_items(tmp_path / "a.xlsx")] == ["=1+1 is two"]


def test_a_file_in_an_archive_that_says_less_of_it_gives_no_more(tmp_path):
    path = saved(tmp_path / "a.xlsx", GOOD)
    raw = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        size = archive.getinfo(SHEET).file_size
    at = raw.rindex(SHEET.encode()) - 22  # the size in the directory
    assert int.from_bytes(raw[at : at + 4], "little") == size
    raw[at : at + 4] = (100).to_bytes(4, "little")
    path.write_bytes(raw)
    with pytest.raises(FileError, match="cannot be read as an Excel workbook"):
        list(read_items(path))
