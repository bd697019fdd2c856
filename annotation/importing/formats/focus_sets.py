"""A set of the FOCUS authors' files put together: which row is whose, and where every span stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from django.utils.translation import gettext

from annotation.importing.files.rows import FileError, ItemRow, JudgementRow, Notice, difference
from annotation.importing.formats.focus_files import (
    ASKED,
    CATEGORIES,
    LOGIC,
    MASTER,
    QUESTIONS,
    SHEET,
    FocusFile,
    below_header,
    questions_of,
    read_focus_file,
    unpack,
)
from annotation.importing.formats.focus_places import (
    EXACT,
    FOLD,
    NEAREST,
    NOWHERE,
    STRIP,
    TWO,
    find_span,
    stands_in,
)
from core.texts import is_blank

MISFITS = 0.05
"""The share of a sheet's spans that may stand in no text of their row; with more the rows are not these."""

_ORDER = ("yes", "no", "blank", EXACT, STRIP, FOLD, TWO, NEAREST, NOWHERE)
_OF_CATEGORY = {category.name: category for category in CATEGORIES}


class Text(NamedTuple):
    """An item of a set, and its category; "" for a passage of LogicClimate."""

    id: str
    words: str
    category: str


@dataclass(slots=True)
class FileReport:
    """What one file is and holds: cells by answer, places by the rule that gave them."""

    file: str
    kind: str
    rows: int
    category: str = ""
    annotators: tuple[str, ...] = ()
    answers: Counter[str] = field(default_factory=Counter)
    places: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        """Return the line about the file: what it is, its rows, its answers, the rules of their places."""
        parts = [self.kind, self.category, " ".join(self.annotators), f"{self.rows} rows"]
        for counter in (self.answers, self.places):
            parts.append(", ".join(f"{counter[what]} {what}" for what in _ORDER if what in counter))
        return f"{self.file}: {'; '.join(filter(None, parts))}"


SetRow = FileReport | Notice | ItemRow | JudgementRow


@dataclass(slots=True)
class FocusSet:
    """All that the files of one set bring, in the order of the items."""

    items: list[ItemRow] = field(default_factory=list)
    judgements: list[JudgementRow] = field(default_factory=list)
    reports: list[FileReport] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)

    @classmethod
    def of(cls, rows: Iterator[SetRow]) -> FocusSet:
        """Return what `set_rows` gives, together."""
        found = cls()
        for row in rows:
            if isinstance(row, ItemRow):
                found.items.append(row)
            elif isinstance(row, JudgementRow):
                found.judgements.append(row)
            elif isinstance(row, FileReport):
                found.reports.append(row)
            else:
                found.notices.append(row)
        return found

    @property
    def is_logic(self) -> bool:
        return any(report.kind == LOGIC for report in self.reports)


def set_rows(path: Path, name: str, options: Mapping[str, Any]) -> Iterator[SetRow]:
    """Yield all that a set brings: what each file is, items, judgements, notices.

    `options` has `files`, pairs of a name and a path, else the path is an archive of them; `names`, the codes
    of types by their plain names; `set`, `keep_votes` and `there` are those of `read_set`. Raises FileError.
    """
    with TemporaryDirectory() as folder:
        files = options.get("files") or unpack(path, name, Path(folder))
        read = [read_focus_file(Path(at), file, options["names"]) for file, at in files]
    there = [Text(*text) for text in options["there"]]
    found = read_set(read, options["set"], keep_votes=options["keep_votes"], there=there)
    yield from found.reports
    yield from found.items
    yield from found.judgements
    yield from found.notices


def read_set(
    files: Sequence[FocusFile], set_name: str, *, keep_votes: bool = False, there: Sequence[Text] = ()
) -> FocusSet:
    """Put the files of a set together, in whatever order they come.

    `there` are the items that the project has of this set, used where no file brings them. A yes whose words
    stand nowhere in its text is left out, or with `keep_votes` kept without its span; either is noticed.
    Raises FileError where files do not belong together.
    """
    files = sorted(files, key=file_order)
    found = FocusSet()
    bringing = [file for file in files if file.brings_items]
    if bringing:
        found.items = _items(bringing, set_name)
        texts = [
            Text(row.external_id, row.text, str(row.metadata.get("category", ""))) for row in found.items
        ]
    else:
        texts = list(there)
        if not texts:
            told = gettext(
                "brings no arguments: name the file of a model's answers, or the master file, of %(name)s too"
            )
            raise FileError(files[0].name, "", told % {"name": set_name})
    _check_annotators(files)
    for file in files:
        report = FileReport(
            file.name, file.kind, len(file.rows), file.category.name if file.category else "", file.annotators
        )
        found.reports.append(report)
        if file.kind in (SHEET, LOGIC):
            _Sheet(file, texts, found, report, keep_votes).read()
    order = {text.id: place for place, text in enumerate(texts)}
    found.judgements.sort(key=lambda row: order[row.item])
    return found


def file_order(file: FocusFile) -> tuple[str, str]:
    """Return what files are sorted by, so that the order in which they are named makes no difference."""
    return file.kind, file.name


def _items(files: Sequence[FocusFile], set_name: str) -> list[ItemRow]:
    first = files[0]
    for file in files[1:]:
        _same_texts(first, file)
    kinds = {file.kind for file in files}
    if LOGIC in kinds and kinds - {LOGIC, MASTER}:
        other = next(file for file in files if file.kind not in (LOGIC, MASTER))
        raise FileError(other.name, "", gettext("is of another set than %(name)s") % {"name": first.name})
    return [_item(files, number, set_name) for number in range(len(first.rows))]


def _same_texts(first: FocusFile, file: FocusFile) -> None:
    for number, (one, other) in enumerate(zip(first.texts(), file.texts(), strict=False), start=1):
        if one != other:
            told = gettext("has another text than %(name)s, %(difference)s")
            raise FileError(
                file.name,
                below_header(number),
                told % {"name": first.name, "difference": difference(one, other)},
            )
    if len(first.rows) != len(file.rows):
        told = gettext("has %(n)s rows, and %(name)s has %(m)s: they are not of one set")
        raise FileError(file.name, "", told % {"n": len(file.rows), "name": first.name, "m": len(first.rows)})


def _item(files: Sequence[FocusFile], number: int, set_name: str) -> ItemRow:
    place = below_header(number + 1)
    metadata: dict[str, Any] = {"dataset": "FOCUS"}
    topic = ""
    for file in files:
        row = file.rows[number]
        if is_blank(row[file.text_column]):
            raise FileError(file.name, place, gettext("has no text"))
        topic = row.get("Topic", "").strip() or topic
        for name, value in _told(file, row, place).items():
            if metadata.setdefault(name, value) != value:
                told = gettext("has another %(name)s than the other files: %(value)s")
                raise FileError(file.name, place, told % {"name": name, "value": repr(value)})
    if not {"category", "logical_fallacies"} & metadata.keys():
        told = gettext(
            "does not say the categories: name the file of a model's answers on the same texts too"
        )
        raise FileError(files[0].name, place, told)
    text = files[0].rows[number][files[0].text_column]
    external_id = f"{set_name}{number + 1:03d}"
    return ItemRow(
        external_id=external_id,
        text=text,
        place=f"{files[0].name}: {place}",
        topic=topic,
        split=set_name,
        metadata=metadata,
        given=({"id": external_id, "text": text, "category": metadata.get("category", "")},),
    )


def _told(file: FocusFile, row: dict[str, str], place: str) -> dict[str, Any]:
    """Return what a file tells of an item."""
    if file.kind == LOGIC:
        return {"logical_fallacies": [row["logical_fallacies"].strip()]}
    name = row.get("category", row.get("Categories", "")).strip()
    if not name and file.kind == MASTER and "Categories" not in file.columns:
        return {}
    if name not in ASKED:
        told = gettext("category is %(name)s; expected one of %(known)s")
        raise FileError(file.name, place, told % {"name": repr(name), "known": ", ".join(ASKED)})
    questions = questions_of(row, _OF_CATEGORY[name]) if file.kind == QUESTIONS else []
    return {"category": name} | ({"published_questions": questions} if questions else {})


def _check_annotators(files: Sequence[FocusFile]) -> None:
    """Refuse two sheets of one category or person, and one by other people than the other sheets."""
    sheets = [file for file in files if file.kind in (SHEET, LOGIC)]
    seen: dict[object, str] = {}
    for file in sheets:
        key = file.category.name if file.category else file.annotators
        if key in seen:
            told = gettext("is of the same as %(name)s: name one of them")
            raise FileError(file.name, "", told % {"name": seen[key]})
        seen[key] = file.name
        if file.kind == SHEET and file.annotators != sheets[0].annotators:
            told = gettext("has the annotators %(these)s, and %(name)s has %(those)s")
            raise FileError(
                file.name,
                "",
                told
                % {
                    "these": ", ".join(file.annotators),
                    "name": sheets[0].name,
                    "those": ", ".join(sheets[0].annotators),
                },
            )


class _Misfit(NamedTuple):
    place: str
    words: str
    number: int
    elsewhere: tuple[int, ...]  # the rows whose texts have the words


class _Sheet:
    """Reads the cells of one sheet beside the texts of its rows."""

    def __init__(
        self, file: FocusFile, texts: Sequence[Text], found: FocusSet, report: FileReport, keep_votes: bool
    ) -> None:
        self.file, self.found, self.report, self.keep_votes = file, found, report, keep_votes
        category = file.category.name if file.category else ""
        self.texts = [text for text in texts if text.category == category]
        self.misfits: list[_Misfit] = []

    def read(self) -> None:
        rows, texts = self.file.rows, self.texts
        if len(rows) > len(texts):
            told = gettext("has %(n)s rows for %(m)s texts of its category")
            raise FileError(self.file.name, "", told % {"n": len(rows), "m": len(texts)})
        if len(rows) < len(texts):
            told = gettext("has %(n)s rows for %(m)s texts; those at the end are a no of everybody")
            self._notice("", told % {"n": len(rows), "m": len(texts)})
        empty = dict.fromkeys(self.file.columns, "")
        for number, text in enumerate(texts, start=1):
            row = rows[number - 1] if number <= len(rows) else empty
            for column, annotator, code in self._columns():
                self._cell(number, text, column, annotator, code, row[column])
        self._refuse_misfits()

    def _columns(self) -> Iterator[tuple[str, str, str]]:
        """Yield the columns with answers: name, annotator and code of the type."""
        if self.file.category is None:
            for column, code in self.file.codes:
                yield column, self.file.annotators[0], code
            return
        for column in self.file.columns:
            annotator, _, letter = column.split("_")
            yield column, annotator, self.file.category.first if letter == "F" else self.file.category.second

    def _cell(self, number: int, text: Text, column: str, annotator: str, code: str, cell: str) -> None:
        place = gettext("%(row)s, column %(column)s (%(item)s)") % {
            "row": below_header(number),
            "column": column.partition("\n")[0].strip(),
            "item": text.id,
        }
        whole = f"{self.file.name}: {place}"
        if is_blank(cell):
            self.report.answers["no"] += 1
            if cell:
                self.report.answers["blank"] += 1
                self._notice(place, gettext("holds white space alone and is a no"))
            self.found.judgements.append(_judgement(text, code, annotator, whole, applicable=False))
            return
        self.report.answers["yes"] += 1
        span = find_span(text.words, cell)
        self.report.places[span.how if span else NOWHERE] += 1
        if span is None:
            elsewhere = tuple(
                at
                for at, other in enumerate(self.texts, start=1)
                if other is not text and stands_in(other.words, cell)
            )
            self.misfits.append(_Misfit(place, cell, number, elsewhere))
            if self.keep_votes:
                self.found.judgements.append(
                    _judgement(text, code, annotator, whole, comment=f"“{cell.strip()}”", incomplete=True)
                )
            return
        quote = text.words[span.start : span.end]
        if span.how == NEAREST:
            told = gettext("“%(words)s” is taken as the nearest words, “%(quote)s”")
            self._notice(place, told % {"words": cell.strip(), "quote": quote})
        elif span.how == TWO:
            told = gettext("holds two spans; the first in the text counts: “%(quote)s”")
            self._notice(place, told % {"quote": quote})
        comment = "\n".join(f"“{words.strip()}”" for words in span.others)
        self.found.judgements.append(
            _judgement(
                text, code, annotator, whole, start=span.start, end=span.end, quote=quote, comment=comment
            )
        )

    def _refuse_misfits(self) -> None:
        """Notice the spans that stand nowhere; refuse the sheet where they are many, or rows are shifted."""
        gap = len(self.texts) - len(self.file.rows)
        shifted = [one for one in self.misfits if gap and one.number + gap in one.elsewhere]
        if len(self.misfits) > MISFITS * self.report.answers["yes"] or len(shifted) > 1:
            first = "; ".join(f"{one.place}: {_nowhere_words(one)}" for one in self.misfits[:3])
            told = gettext(
                "%(n)s of %(m)s spans stand in no text of their row: is a row missing, or is it of another "
                "set? %(first)s"
            )
            counts = {"n": len(self.misfits), "m": self.report.answers["yes"]}
            raise FileError(self.file.name, "", told % {**counts, "first": first})
        for one in self.misfits:
            kept = (
                gettext("the yes is kept without it")
                if self.keep_votes
                else gettext("the judgement is left out")
            )
            self._notice(one.place, f"{_nowhere_words(one)}; {kept}")

    def _notice(self, place: str, message: str) -> None:
        where = f"{self.file.name}: {place}" if place else self.file.name
        self.found.notices.append(Notice(where, message))


def _nowhere_words(one: _Misfit) -> str:
    told = gettext("“%(words)s” stands nowhere in the text") % {"words": one.words.strip()}
    if one.elsewhere:
        told += gettext(", but in that of row %(rows)s") % {"rows": ", ".join(map(str, one.elsewhere))}
    return told


def _judgement(
    text: Text, code: str, annotator: str, place: str, *, applicable: bool = True, **more: Any
) -> JudgementRow:
    return JudgementRow(
        item=text.id,
        type_code=code,
        question=None,
        annotator=annotator,
        applicable=applicable,
        label=None,
        start=more.get("start"),
        end=more.get("end"),
        quote=more.get("quote"),
        reason="",
        comment=more.get("comment", ""),
        edited_question="",
        cannot_judge=False,
        unsure=False,
        place=place,
        incomplete=more.get("incomplete", False),
    )
