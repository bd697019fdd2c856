"""Workbooks made by hand, part by part, as no library would write them."""

import io
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
SHEET = "xl/worksheets/sheet1.xml"


def text(reference: str, value: str, style: int = 0) -> str:
    """Return a cell that holds a text."""
    words = f'<is><t xml:space="preserve">{escape(value)}</t></is>'
    return f'<c r="{reference}" s="{style}" t="inlineStr">{words}</c>'


def number(reference: str, raw: str, style: int = 0, kind: str = "n", formula: str = "") -> str:
    """Return a cell that holds a value as the sheet writes it."""
    formula = f"<f>{formula}</f>" if formula else ""
    value = f"<v>{raw}</v>" if raw else ""
    return f'<c r="{reference}" s="{style}" t="{kind}">{formula}{value}</c>'


def row(at: int, *cells: str, more: str = "") -> str:
    """Return a row of cells."""
    return f'<row r="{at}" {more}>{"".join(cells)}</row>'


HEADER = row(1, text("A1", "id"), text("B1", "text"), text("C1", "year"))


def sheet(*rows: str, before: str = "", after: str = "") -> str:
    """Return a sheet: what stands before its rows, the rows, what stands behind them."""
    return f'<worksheet xmlns="{MAIN}">{before}<sheetData>{"".join(rows)}</sheetData>{after}</worksheet>'


def parts(
    *sheets: str, strings: str = "", formats: tuple[str, ...] = (), states: tuple[str, ...] = ()
) -> dict:
    """Return the parts of a workbook with these sheets; `formats` are the number formats of styles 1, 2, …"""
    listed, relations = [], []
    found: dict[str, str] = {}
    for n, content in enumerate(sheets, 1):
        state = f' state="{states[n - 1]}"' if n <= len(states) and states[n - 1] else ""
        listed.append(f'<sheet name="S{n}" sheetId="{n}" r:id="rId{n}"{state}/>')
        relations.append(
            f'<Relationship Id="rId{n}" Type="{RELATIONS}/worksheet" Target="worksheets/sheet{n}.xml"/>'
        )
        found[f"xl/worksheets/sheet{n}.xml"] = content
    if strings:
        relations.append(
            f'<Relationship Id="s" Type="{RELATIONS}/sharedStrings" Target="sharedStrings.xml"/>'
        )
        found["xl/sharedStrings.xml"] = f'<sst xmlns="{MAIN}">{strings}</sst>'
    if formats:
        codes = "".join(
            f'<numFmt numFmtId="{200 + n}" formatCode="{escape(code, {chr(34): "&quot;"})}"/>'
            for n, code in enumerate(formats)
        )
        styles = "".join(f'<xf numFmtId="{200 + n}"/>' for n in range(len(formats)))
        found["xl/styles.xml"] = (
            f'<styleSheet xmlns="{MAIN}"><numFmts>{codes}</numFmts>'
            f'<cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>{styles}</cellXfs>'
            "</styleSheet>"
        )
        relations.append(f'<Relationship Id="y" Type="{RELATIONS}/styles" Target="styles.xml"/>')
    return {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}"><Relationship Id="r" '
        f'Type="{RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}">'
        f"<sheets>{''.join(listed)}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}">'
        f"{''.join(relations)}</Relationships>",
        **found,
    }


def saved(path: Path, content: dict) -> Path:
    """Write the parts as a workbook."""
    path.write_bytes(saved_bytes(content))
    return path


def saved_bytes(content: dict) -> bytes:
    """Return the parts as the bytes of a workbook."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in content.items():
            archive.writestr(name, part)
    return stream.getvalue()
