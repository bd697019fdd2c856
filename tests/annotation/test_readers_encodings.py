"""Encodings are declared by the file, never guessed; a wrong byte is told with its row and column."""

import codecs

import pytest

from annotation.importing.files.encodings import open_text
from annotation.importing.files.rows import FileError
from annotation.importing.formats import item_table as table
from tests.annotation.reading import read_items

CSV = 'id,text\r\nA,"zwei\r\nZeilen — \U0001f48a"\nB,"x\ry"\n'
TEXTS = ["zwei\r\nZeilen — \U0001f48a", "x\ry"]


@pytest.mark.parametrize(
    "content",
    [
        CSV.encode("utf-8"),
        CSV.encode("utf-8-sig"),
        codecs.BOM_UTF16_LE + CSV.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + CSV.encode("utf-16-be"),
    ],
    ids=["UTF-8", "UTF-8 with mark", "UTF-16 little-endian", "UTF-16 big-endian"],
)
def test_each_encoding_gives_the_same_texts_with_their_newlines_untouched(tmp_path, content):
    path = tmp_path / "mine.csv"
    path.write_bytes(content)
    assert [(item.external_id, item.text) for item in read_items(path)] == list(zip("AB", TEXTS, strict=True))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "id,text\nA,plain\nB,café\n".encode("latin-1"),
            "row 3, column 6: byte 0xE9 is not UTF-8; save the file as UTF-8",
        ),
        (
            'id,text\nA,"two\nlines"\nB,café\n'.encode("cp1252"),
            "row 3 (line 4), column 6: byte 0xE9 is not UTF-8; save the file as UTF-8",
        ),
        (
            codecs.BOM_UTF8 + "é\nid\n".encode() + b"ab\xff",
            "row 3, column 3: byte 0xFF is not UTF-8; save the file as UTF-8",
        ),
        (b"id,text\nA,cut \xf0\x9f\x92", "row 2, column 7: byte 0xF0 is not UTF-8; save the file as UTF-8"),
        (
            codecs.BOM_UTF16_LE + "id\nab".encode("utf-16-le") + b"\x00\xdc",
            "row 2, column 3: byte 0x00 is not UTF-16; save the file as UTF-8",
        ),
        (
            codecs.BOM_UTF16_LE + "id\nab".encode("utf-16-le") + b"x",
            "row 2, column 3: byte 0x78 is not UTF-16; save the file as UTF-8",
        ),
        (
            "id,text\n".encode("utf-16-le"),
            "row 1, column 2: NUL byte; UTF-16 is read only with its byte order mark",
        ),
        ("id,text\n".encode("utf-32"), "row 1, column 1: UTF-32 is not read; save the file as UTF-8"),
        (b"", "is empty"),
        (
            b'{"a":\n "caf\xe9"}',
            "row 2, column 6: byte 0xE9 is not UTF-8; save the file as UTF-8",
        ),
    ],
)
def test_a_wrong_encoding_is_refused_with_the_place_of_the_first_wrong_byte(tmp_path, content, message):
    path = tmp_path / "mine.csv"
    path.write_bytes(content)
    with pytest.raises(FileError) as raised:
        open_text(path, "mine.csv").close()
    assert str(raised.value) == f"mine.csv: {message}"


def test_a_wrong_byte_is_found_where_it_lies_across_the_edge_of_a_block(tmp_path, monkeypatch):
    monkeypatch.setattr("annotation.importing.files.encodings._CHUNK", 4)
    path = tmp_path / "mine.csv"
    path.write_bytes(b"id\nab\xe2\x82(")  # the euro sign's third byte is missing
    with pytest.raises(FileError, match="row 2, column 3: byte 0xE2"):
        open_text(path, "mine.csv")
    path.write_bytes("id\nab€€€€".encode())
    with open_text(path, "mine.csv") as stream:
        assert stream.read() == "id\nab€€€€"


def test_nothing_of_a_file_is_given_before_all_of_it_is_known_to_be_readable(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_bytes(b"id,text\n" + b"A,fine\n" * 300_000 + b"B,\xff\n")
    with pytest.raises(FileError, match="row 300002, column 3: byte 0xFF"):
        next(table.read(path, name="mine.csv"))


def test_a_file_that_is_not_there_is_refused_with_the_reason(tmp_path):
    with pytest.raises(FileError, match=r"^absent\.csv: cannot be read: No such file or directory$"):
        next(iter(read_items(tmp_path / "absent.csv")))
