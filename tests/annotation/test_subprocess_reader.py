"""Files are read in a process of their own: the same rows, and one sentence for what takes too much."""

import json
import subprocess
import sys

import pytest
from django.utils import translation

from annotation.codebooks.toml_reader import load_shipped
from annotation.importing import subprocess_reader as apart
from annotation.importing.files.rows import FileError
from annotation.importing.reading import ITEMS, JUDGEMENTS, KEY, Reading, read_here
from annotation.importing.subprocess_reader import AT_ONCE, Leave, TakesTooLong, read_apart
from tests.annotation.workbooks import HEADER, number, parts, row, saved, sheet, text

TABLE = 'id,text,topic\na,"Two\nlines, 😀.",t\nb,,t\nb,#NAME?,t\nc,Fine.\n'
CQS = {
    "T": {
        "intervention_id": "T", "intervention": "x\r\ny", "dataset": "d", "schemes": ["a"],
        "cqs": [{"id": 7, "cq": "Why?", "label": "Useful"}, {"id": None, "cq": ""}],
    }
}  # fmt: skip
LONG_FORM = "item,annotator,type,applicable,start,end\na,Zoe,LE,yes,0,3\na,Zoe,WE,maybe,,\n"
PLENTY = 512 * 2**20


def read(reader, reading, **more):
    with reader(reading, **more) as opened:
        return opened.format, list(opened.rows)


@pytest.fixture
def file(tmp_path):
    def make(content, name="a.csv", read_as=ITEMS, **options):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return Reading(read_as, path, name, options=options)

    return make


def test_another_process_gives_the_same_rows(file, tmp_path):
    codebook = load_shipped("focus").to_json()
    cells = [text("A2", "a"), text("B2", "A\nb"), number("C2", "45000")]
    book = saved(tmp_path / "a.xlsx", parts(sheet(HEADER, row(2, *cells, more='hidden="0"')))).read_bytes()
    for reading in (
        file(TABLE),
        file("nr;body\n7;x\n", "b.csv", renamed={"nr": "id", "body": "text"}),
        file(book, "a.xlsx"),
        file(json.dumps(CQS), "submission_x.json", origin="me"),
        file(LONG_FORM, "c.csv", read_as=JUDGEMENTS, codebook=codebook),
        file("item,type,applicable\na,LE,no\n", "d.csv", read_as=KEY),
    ):
        here = read(read_here, reading)
        assert here[1] and read(read_apart, reading) == here


def test_columns_are_told_even_of_a_table_that_is_refused(file):
    columns = []
    with pytest.raises(FileError, match="the columns of no known format"):
        read(read_apart, file("nr;body\n7;x\n"), columns=columns.append)
    assert columns == [("nr", "body")]


def test_what_refuses_a_file_is_told_in_the_reader_s_language(file):
    reading = file("id,text\n1,caf\xe9\n".encode("latin-1"))
    with translation.override("es"), pytest.raises(FileError) as here:
        read(read_here, reading)
    with translation.override("es"), pytest.raises(FileError) as there:
        read(read_apart, reading)
    assert (there.value.place, there.value.message) == (here.value.place, here.value.message)
    assert there.value.message == "el byte 0xE9 no es UTF-8; guarda el archivo como UTF-8"


def test_a_file_that_takes_too_much_memory_is_refused_in_a_sentence(file):
    many = {f"k{n}": [n, [], {}] for n in range(200_000)}
    with pytest.raises(FileError, match=r"^a.json: takes more than 100 MB of memory to read: split it into"):
        read(read_apart, file(json.dumps(many), "a.json"), leave=Leave(60, 100 * 2**20, PLENTY))


def test_a_file_that_takes_too_long_is_refused_in_a_sentence(file):
    with pytest.raises(
        TakesTooLong, match="takes longer than 1 seconds to read: split it into several files"
    ):
        read(read_apart, file("id,text\n" + "a,b\n" * 600_000), leave=Leave(1, PLENTY, PLENTY))


def test_a_reader_that_gives_no_answer_is_waited_for_so_long_and_no_longer(file, monkeypatch):
    monkeypatch.setattr(apart, "_CHILD", (sys.executable, "-c", "import time; time.sleep(600)"))
    monkeypatch.setattr(apart, "_WAITED_FOR", 0.05)
    with pytest.raises(TakesTooLong):
        read(read_apart, file(TABLE), leave=Leave(1, PLENTY, PLENTY))


@pytest.mark.parametrize("end", ["raise SystemExit(3)", "import os; os.abort()", "print('no pickle')"])
def test_a_reader_that_ends_without_a_word_leaves_a_sentence(file, monkeypatch, caplog, end):
    monkeypatch.setattr(apart, "_CHILD", (sys.executable, "-c", f"import sys; sys.stdin.read(); {end}"))
    with pytest.raises(
        FileError, match=r"^a.csv: cannot be read: save its table as CSV UTF-8 and choose that"
    ):
        read(read_apart, file(TABLE))
    assert "a reader ended with" in caplog.text


def test_an_archive_of_much_is_not_unpacked_while_somebody_waits(tmp_path, monkeypatch):
    path = saved(tmp_path / "a.xlsx", {"[Content_Types].xml": "\0" * (AT_ONCE.unpacked + 1)})
    monkeypatch.setattr(subprocess, "Popen", None)
    with pytest.raises(TakesTooLong):
        read(read_apart, Reading(ITEMS, path, "a.xlsx"), leave=AT_ONCE)


def test_the_process_ends_with_the_block(file, monkeypatch):
    started = []
    real = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda *a, **k: started.append(real(*a, **k)) or started[-1])
    with read_apart(file("id,text\n" + "".join(f"{n},b\n" for n in range(3_000)))) as opened:
        next(opened.rows)
    assert started[0].returncode is not None


def test_the_process_is_told_no_secrets(file, monkeypatch):
    monkeypatch.setenv("ELENCHUS_SECRET_KEY", "hidden")
    code = "import os, sys; sys.stderr.write(repr(sorted(os.environ))); raise SystemExit(3)"
    monkeypatch.setattr(apart, "_CHILD", (sys.executable, "-c", code))
    said = []
    monkeypatch.setattr(apart.logger, "error", lambda *given: said.append(given[-1]))
    with pytest.raises(FileError):
        read(read_apart, file(TABLE))
    assert "PATH" in said[0] and "ELENCHUS" not in said[0] and "DATABASE" not in said[0]
