"""Bring items and questions into a project: rows in, by the import rules of the design."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext, gettext_lazy

from annotation.codebooks.definition import PUBLISHED_LABELS
from annotation.importing.files.refused_rows import RefusedRows
from annotation.importing.files.rows import FileError, ItemRow, Notice, QuestionRow, Refusal, difference
from annotation.importing.formats.item_formats import FORMATS, PUBLISHED_TABLES
from annotation.importing.formats.item_table import NEEDED, repeated
from annotation.importing.reading import ITEMS, Reader, Reading, read_here
from annotation.importing.staging import (
    BATCH,
    ImportReport,
    OnStored,
    good_batches,
    import_finish,
    import_hold,
    staged_import,
)
from annotation.items.correction import FIELDS, held_by, held_words, store_corrections
from annotation.models import (
    Import,
    Item,
    Membership,
    Project,
    Protocol,
    Question,
    Resolution,
)
from core.bulk_insert import bulk_insert, bulk_insert_values
from core.errors import Refused
from core.lookalikes import Names

LABEL_CODES = {published: code for code, published in PUBLISHED_LABELS.items()}
LOOKS_LIKE = gettext_lazy(
    "looks exactly like “%(other)s” and differs in white space, invisible marks, width or how letters are "
    "composed: write it the same way, or so that the two can be told apart"
)
_KEPT = ("source", "topic", "split", "licence")
_COLUMNS = (
    *("project_id", "brought_by_id", "external_id", "text", "text_length", "source", "licence", "topic"),
    *("split", "metadata", "withdrawn_at", "withdrawn_reason"),
)


@dataclass
class _Known:
    """A stored or staged item, with what is known of its questions."""

    pk: int
    text: str
    fields: dict[str, str]
    next_position: int = 1
    stored: list[tuple[int, str, str, str]] = field(default_factory=list)  # pk, id and text, label, origin


def items_import(
    *,
    project: Project,
    path: Path,
    name: str = "",
    format: str = "",
    origin: str = "",
    skip_invalid: bool = False,
    dry_run: bool = False,
    refused_path: Path | None = None,
    member: Membership | None = None,
    columns: Mapping[str, str] | None = None,
    correct: bool = False,
    on_staged: Callable[[Import], None] | None = None,
    heartbeat: Callable[[int], None] | None = None,
    on_stored: OnStored | None = None,
    on_held: OnStored | None = None,
    reader: Reader = read_here,
) -> ImportReport:
    """Import a file of items, with questions and published labels where it has them.

    Rows that break a rule are listed in the report; then nothing is stored unless `skip_invalid`.
    `dry_run` says what would happen. What is there already (same id, same text) stays as it is, so the
    same file twice changes nothing; with `correct` its topic, split, source and licence become those of the
    file, where a cell has one and no release has the item. `columns` says which of a table's columns stand
    for the known ones. `on_staged` is told of the import before anything is staged, `heartbeat`
    how many rows were read, `on_stored` of the import as it becomes visible. With `on_held` what may not be
    stored yet stays staged where nothing of it was there before, and `on_held` is told of that. `reader`
    says where the file is read. Raises FileError for what refuses the whole file.
    """
    name = name or path.name
    if format and format not in FORMATS:
        raise Refused(
            "invalid",
            gettext("There is no format “%(format)s”: choose one of %(formats)s.")
            % {"format": format, "formats": ", ".join(FORMATS)},
        )
    options = {"origin": origin, "renamed": dict(columns) if columns else None}
    with reader(Reading(ITEMS, path, name, format, options)) as opened:
        report = ImportReport(file=name, format=opened.format)
        refused = RefusedRows(report, refused_path, () if opened.format in PUBLISHED_TABLES else NEEDED)
        with staged_import(
            project=project, path=path, name=name, format=opened.format, member=member, on_staged=on_staged
        ) as staged:
            try:
                loader = _Loader(staged, report, refused, correct=correct)
                loader.load(opened.rows, heartbeat)
            finally:
                refused.close()
            if not dry_run and (skip_invalid or not report.refused):
                with transaction.atomic():
                    store_corrections(project=project, member=member, changes=loader.corrections, file=name)
                    import_finish(staged, report, on_stored)
            elif on_held and report.changed and not report.counts.get("items already there"):
                import_hold(staged, report, on_held)
    return report


class _Loader:
    """Stages the rows of one file, batch by batch."""

    def __init__(self, staged: Import, report: ImportReport, refused: RefusedRows, *, correct: bool) -> None:
        self.correct = correct
        self.corrections: dict[int, dict[str, str]] = {}
        self.held: dict[int, str] = {}
        self.staged = staged
        self.project = staged.project
        self.report = report
        self.refused = refused
        self.seen_texts = self._stored_texts()
        self.matched: dict[int, Counter[str]] = {}
        self.ids = Names()
        self.there = set(self.project.items.values_list("external_id", flat=True).iterator(BATCH))
        for external_id in self.there:
            self.ids.add(external_id)
        self.values = {column: self._stored_values(column) for column in _KEPT}
        self.places: dict[str, str] = {}

    def load(
        self, rows: Iterable[ItemRow | Refusal | Notice], heartbeat: Callable[[int], None] | None = None
    ) -> None:
        batches = good_batches(
            rows, staged=self.staged, report=self.report, refused=self.refused, heartbeat=heartbeat
        )
        for good in batches:
            with transaction.atomic():
                self._stage(good)

    def _stage(self, rows: list[ItemRow]) -> None:
        known = self._known([row.external_id for row in rows if row.external_id in self.there])
        self.held = held_by(self.project, [item.pk for item in known.values()]) if self.correct else {}
        fitting: list[ItemRow] = []
        new: dict[str, ItemRow] = {}
        for row in rows:
            if self.project.protocol != Protocol.CQS_GEN and row.questions:
                # Said once of the file: it would be said of every row.
                raise FileError(
                    self.report.file,
                    row.place,
                    gettext("has questions, and this project judges none; import it into a CQs-Gen project"),
                )
            there = known.get(row.external_id) or new.get(row.external_id)
            if there is None and (other := self.ids.unseen(row.external_id)):
                self._refuse(row, LOOKS_LIKE % {"other": other})
                continue
            if there is not None and there.text != row.text:
                where = gettext("the text differs from the one stored under this id")
                self._refuse(row, f"{where}: {difference(there.text, row.text)}")
                continue
            self._notice_alike(row)
            if there is None:
                new[row.external_id] = row
                self.places[row.external_id] = row.place
            elif row.external_id in self.places:
                if not row.questions:
                    told = repeated(row.external_id, self.places[row.external_id])
                    self.report.notice(Notice(row.place, told))
                self._notice_differences(there, row)
            else:
                self.report.count("items already there")
                if self.correct and isinstance(there, _Known):
                    if held := self._correct(there, row):
                        self._refuse(row, held)
                        continue
                else:
                    self._notice_differences(there, row)
            fitting.append(row)
        with_questions = [row for row in fitting if row.questions]
        self._create_items(new, known, {row.external_id for row in with_questions})
        self._stage_questions(with_questions, known)

    def _create_items(self, new: dict[str, ItemRow], known: dict[str, _Known], asked: set[str]) -> None:
        """Store the new items; `known` takes in those of the ids `asked`, which have questions."""
        project, staged = self.project.pk, self.staged.pk
        # Without objects, which cost as much as all that is asked of a row here.
        keys = bulk_insert_values(
            Item,
            _COLUMNS,
            [
                (
                    *(project, staged, row.external_id, row.text, len(row.text)),
                    *(row.source, row.licence, row.topic, row.split, row.metadata, None, ""),
                )
                for row in new.values()
            ],
        )
        for key, row in zip(keys, new.values(), strict=True):
            if row.external_id in asked:
                known[row.external_id] = _Known(key, row.text, {})
            self._notice_equal_text(row)
        self.there.update(new)
        self.report.count("new items", len(new))

    def _stage_questions(self, rows: list[ItemRow], known: dict[str, _Known]) -> None:
        questions: list[tuple[Question, QuestionRow]] = []
        labels: list[Resolution] = []
        for row in rows:
            item = known[row.external_id]
            for given in row.questions:
                key = _question_key(given.external_id, given.text)
                stored = self._match(item, key)
                if stored is None:
                    question = Question(
                        item_id=item.pk,
                        brought_by=self.staged,
                        position=item.next_position,
                        external_id=given.external_id,
                        text=given.text,
                        origin=given.origin,
                    )
                    item.next_position += 1
                    questions.append((question, given))
                    continue
                pk, _, label, _ = stored
                self.report.count("questions already there")
                code = LABEL_CODES[given.label] if given.label else ""
                if code and label and code != label:
                    stored_as = PUBLISHED_LABELS[label]
                    self._refuse_question(
                        given,
                        gettext("is labelled %(label)s, and stored as %(stored_as)s")
                        % {"label": given.label, "stored_as": stored_as},
                    )
                elif code and not label:
                    labels.append(self._published_label(item.pk, pk, code))
        bulk_insert([question for question, _ in questions])
        labels += [
            self._published_label(question.item_id, question.pk, LABEL_CODES[given.label])
            for question, given in questions
            if given.label
        ]
        bulk_insert(labels)
        self.report.count("new questions", len(questions))
        self.report.count("new published labels", len(labels))

    def _published_label(self, item: int, question: int, code: str) -> Resolution:
        return Resolution(
            item_id=item, question_id=question, label=code, source="imported", brought_by=self.staged
        )

    def _match(self, item: _Known, key: str) -> tuple[int, str, str, str] | None:
        """Return the stored question that this row stands for: the first of its kind not matched yet."""
        same = [stored for stored in item.stored if stored[1] == key]
        if not same:
            return None
        matched = self.matched.setdefault(item.pk, Counter())
        matched[key] += 1
        return same[matched[key] - 1] if matched[key] <= len(same) else None

    def _known(self, external_ids: list[str]) -> dict[str, _Known]:
        if not external_ids:
            return {}
        known = {
            external_id: _Known(pk, text, dict(zip(_KEPT, kept, strict=True)))
            for pk, external_id, text, *kept in self.project.items.filter(
                external_id__in=external_ids
            ).values_list("id", "external_id", "text", *_KEPT)
        }
        by_pk = {item.pk: item for item in known.values()}
        positions = Question.objects.filter(item__in=by_pk).values_list("item").annotate(Max("position"))
        for pk, last in positions.order_by():
            by_pk[pk].next_position = last + 1
        questions = Question.objects.filter(item__in=by_pk, candidate=False).exclude(brought_by=self.staged)
        labels = dict(
            Resolution.objects.filter(
                question__item__in=by_pk, source="imported", superseded_at__isnull=True
            ).values_list("question", "label")
        )
        for pk, item, external_id, text, origin in questions.order_by("item", "position").values_list(
            "id", "item", "external_id", "text", "origin"
        ):
            key = _question_key(external_id, text)
            by_pk[item].stored.append((pk, key, labels.get(pk, ""), origin))
        return known

    def _stored_texts(self) -> dict[bytes, str]:
        texts = self.project.items.values_list("text", "external_id").iterator(chunk_size=BATCH)
        return {_text_key(text): external_id for text, external_id in texts}

    def _stored_values(self, column: str) -> Names:
        names = Names()
        for value in self.project.items.order_by().values_list(column, flat=True).distinct():
            names.note(value)
        return names

    def _notice_alike(self, row: ItemRow) -> None:
        """Note an id, a topic and so on that look like others and are taken as different ones."""
        if other := self.ids.but_for_case(row.external_id):
            told = gettext("“%(name)s” looks like “%(other)s”; they are two items")
            self.report.notice(Notice(row.place, told % {"name": row.external_id, "other": other}))
        self.ids.add(row.external_id)
        for column, names in self.values.items():
            name = getattr(row, column)
            if name and (other := names.note(name)):
                told = gettext("%(field)s: “%(name)s” looks like “%(other)s”; they are kept as two")
                self.report.notice(Notice(row.place, told % {"field": column, "name": name, "other": other}))

    def _notice_equal_text(self, row: ItemRow) -> None:
        other = self.seen_texts.setdefault(_text_key(row.text), row.external_id)
        if other != row.external_id:
            self.report.count("equal texts")
            self.report.notice(
                Notice(
                    row.place,
                    gettext("the text of “%(external_id)s” is that of “%(other)s”; both kept")
                    % {"external_id": row.external_id, "other": other},
                )
            )

    def _correct(self, there: _Known, row: ItemRow) -> str:
        """Take in what the row says otherwise of a stored item; say why not where a release has it."""
        given = {name: getattr(row, name) for name in FIELDS}
        changes = {name: value for name, value in given.items() if value and value != there.fields[name]}
        if not changes:
            return ""
        if held := self.held.get(there.pk):
            return held_words(held)
        self.corrections[there.pk] = self.corrections.get(there.pk, {}) | changes
        self.report.counts["new corrections"] = len(self.corrections)
        return ""

    def _notice_differences(self, there: _Known | ItemRow, row: ItemRow) -> None:
        for name in _KEPT:
            stored = there.fields[name] if isinstance(there, _Known) else getattr(there, name)
            given = getattr(row, name)
            if given and given != stored:
                self.report.notice(
                    Notice(
                        row.place,
                        gettext("the %(name)s of “%(external_id)s” stays “%(stored)s”, not “%(given)s”")
                        % {"name": name, "external_id": row.external_id, "stored": stored, "given": given},
                    )
                )

    def _refuse(self, row: ItemRow, reason: str) -> None:
        first, *further = row.given
        self.refused.add(Refusal(row.place, f"“{row.external_id}”: {reason}", first, tuple(further)))

    def _refuse_question(self, given: QuestionRow, reason: str) -> None:
        reason = gettext("the question %(reason)s") % {"reason": reason}
        self.refused.add(Refusal(given.place, reason, given.given))


def _question_key(external_id: object, text: str) -> str:
    return f"{external_id!r}\n{text}"


def _text_key(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=12).digest()
