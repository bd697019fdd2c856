"""Files made from valid ones by mutation: cells of every kind, odd archives, marks, headers, encodings."""

import csv
import gzip
import io
import json
import random
import zipfile
from collections.abc import Callable

from tests.annotation.workbooks import HEADER, SHEET, number, parts, row, saved_bytes, sheet, text

Maker = Callable[[random.Random], tuple[str, bytes]]

CELLS = (
    "", " ", "\u00a0", "#NAME?", "#N/A", "1.23457E+15", "=1+1", "'=1+1", "-", "@a", "+1", "NaN", "Infinity",
    "null", "true", "x" * 201, "y" * 32_767, "a\r\nb", 'a"b', "a,b;c\td", "\u202eabc", "😀" * 3, "e\u0301",
    "\x00", "\ufeff", "1" * 25, "1234567890123450000", "[[[[", "{", "_x000D_", "####", "a1 ", "A1", "ａ１",
)  # fmt: skip
HEADERS = (
    "id",
    "ID",
    " text ",
    "Text",
    "topic",
    "",
    "question",
    "question_id",
    "refused at",
    "further cells",
)
CELL_KINDS = (
    lambda at: number(at, "45000", 1), lambda at: number(at, "1", kind="b"), lambda at: number(at, "0.1", 2),
    lambda at: number(at, "#REF!", kind="e"), lambda at: number(at, "", formula="A1"),
    lambda at: number(at, "1.2345678901234501E+18"), lambda at: number(at, "99", kind="s"),
    lambda at: number(at, "no number"), lambda at: number(at, "2024-01-01", kind="d"),
    lambda at: number(at, "1e999"), lambda at: number(at, "7", 99), lambda at: number(at, "-1", 1),
    lambda at: f'<c r="{at}"/>', lambda at: f'<c r="{at}" t="zz"><v>1</v></c>',
    lambda at: '<c r="XFD9"><v>1</v></c>',
    lambda at: f'<c r="{at}" t="inlineStr"><is><r><t>a</t></r><rPh><t>b</t></rPh></is></c>',
)  # fmt: skip
BYTES = (
    b"\x00",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b'"',
    b"\n",
    b"\r",
    b",",
    b"{",
    b"\\ud800",
    b"\xed\xa0\x80",
    b"<",
)


def _rows(chance: random.Random) -> list[list[str]]:
    return [[f"i{n}", f"Text number {n}, with words.", chance.choice(["t1", "t2"])] for n in range(6)]


def _delimited(chance: random.Random) -> tuple[str, bytes]:
    table = [["id", "text", "topic"], *_rows(chance)]
    for _ in range(chance.randrange(3)):
        line = chance.choice(table)
        if line is table[0]:
            line[chance.randrange(len(line))] = chance.choice(HEADERS)
        else:
            line[chance.randrange(len(line))] = chance.choice(CELLS)
        if chance.random() < 0.2:
            line.append(chance.choice(CELLS))
    stream = io.StringIO()
    csv.writer(stream, delimiter=chance.choice(",;\t")).writerows(table)
    if chance.random() < 0.1:
        stream = io.StringIO("sep=;\n" + stream.getvalue())
    encoding = chance.choice(
        ["utf-8"] * 8 + ["utf-8-sig", "utf-16", "utf-16-le", "latin-1", "utf-32", "cp1252"]
    )
    return "a.csv", stream.getvalue().encode(encoding, "replace")


def _json_lines(chance: random.Random) -> tuple[str, bytes]:
    lines = []
    for external_id, words, topic in _rows(chance):
        entry: dict = {"id": external_id, "text": words, "topic": topic}
        if chance.random() < 0.3:
            odd = [*CELLS, 7, 1.5, True, None, [], {"a": [1]}, 10**400, "\ud800"]
            entry[chance.choice(list(entry))] = chance.choice(odd)
        if chance.random() < 0.1:
            entry["deep"] = json.loads("[" * 60 + "]" * 60)
        lines.append(json.dumps(entry, ensure_ascii=chance.random() < 0.5))
    if chance.random() < 0.2:
        lines.insert(chance.randrange(len(lines)), chance.choice(["", "[1]", "{", "NaN", '{"id": NaN}', "7"]))
    return "a.jsonl", "\n".join(lines).encode("utf-8", "surrogatepass")


def _published(chance: random.Random) -> tuple[str, bytes]:
    document: dict = {}
    for n in range(3):
        questions = [{"id": f"T{n}_{k}", "cq": f"Why {k}?", "label": "Useful"} for k in range(2)]
        document[f"T{n}"] = {"intervention_id": f"T{n}", "intervention": f"Speech {n}.", "cqs": questions}
    target = chance.choice([document, document["T1"], document["T1"]["cqs"][0]])
    for _ in range(chance.randrange(2)):
        target[chance.choice(list(target))] = chance.choice([*CELLS, 7, None, [], {}, True])
    content = json.dumps(document)
    if chance.random() < 0.2:
        content = content.replace("{", chance.choice(["[", "{{", '{"a":' * 2000]), 1)
    return "a.json", content.encode()


def _workbook(chance: random.Random) -> tuple[str, bytes]:
    rows = []
    for n, (external_id, words, _) in enumerate(_rows(chance), 2):
        cells = [text(f"A{n}", external_id), text(f"B{n}", words), text(f"C{n}", "2001")]
        for _ in range(chance.randrange(2)):
            cells[chance.randrange(3)] = chance.choice(CELL_KINDS)(f"{chance.choice('ABC')}{n}")
        hidden = 'hidden="1"' if chance.random() < 0.1 else ""
        rows.append(row(n, *cells, more=hidden))
    before = '<cols><col min="3" max="4" hidden="1"/></cols>' if chance.random() < 0.1 else ""
    after = '<mergeCells><mergeCell ref="A2:B4"/></mergeCells>' if chance.random() < 0.1 else ""
    content = parts(sheet(HEADER, *rows, before=before, after=after), formats=("yyyy-mm-dd", "0%"))
    if chance.random() < 0.15:
        content.pop(chance.choice(list(content)))
    if chance.random() < 0.15:
        name = chance.choice(list(content))
        content[name] = _damaged(chance, content[name].encode()).decode("utf-8", "replace")
    if chance.random() < 0.05:
        content[SHEET] = sheet()
    return "a.xlsx", saved_bytes(content)


def _damaged(chance: random.Random, content: bytes) -> bytes:
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(content) + 1)
        length = chance.choice([1, 1, 3, 40])
        kind = chance.randrange(4)
        if kind == 0:
            content = content[:at] + chance.choice(BYTES) + content[at:]
        elif kind == 1:
            content = content[:at] + content[at + length :]
        elif kind == 2:
            content = (
                content[:at] + bytes(chance.randrange(256) for _ in range(length)) + content[at + length :]
            )
        else:
            content = content[:at]
    return content


def _packed(chance: random.Random, name: str, content: bytes) -> tuple[str, bytes]:
    kind = chance.randrange(3)
    if kind == 0:
        return f"{name}.gz", gzip.compress(content, mtime=0)
    if kind == 1:
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as archive:
            archive.writestr(name, content)
        return f"{name}.zip", stream.getvalue()
    return name.replace(".", ".xls."), content


MAKERS: tuple[Maker, ...] = (_delimited, _json_lines, _published, _workbook, _workbook)


def mutated(seed: int) -> tuple[str, bytes]:
    """Return name and content of the file of a seed, the same each time."""
    chance = random.Random(seed)
    name, content = chance.choice(MAKERS)(chance)
    if chance.random() < 0.3:
        content = _damaged(chance, content)
    if chance.random() < 0.05:
        name, content = _packed(chance, name, content)
    return name, content
