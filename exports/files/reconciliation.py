"""Does what is about to be released add up? Counted from what was written, compared with the database.

A release that does not reconcile is not written; `Tally.problems` says what is off.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, Max, Q, QuerySet, Sum

from annotation.codebooks.definition import PUBLISHED_LABELS
from annotation.models import Question, QuestionAnnotation, Resolution, TypeAnnotation
from exports.models import QuestionRefinement
from exports.selection.records import ItemRecord
from exports.selection.refined_questions import RunUse
from exports.selection.selection import Selection, items_chosen

SHOWN = 20
"""Problems that are told one by one; the rest is a number."""

ALWAYS_TOLD = ("judgements_after_reopening", "cannot_judge", "adjudicated", "published_labels")
"""Counts that a release names also where they are 0."""


@dataclass(slots=True)
class Tally:
    """What the records and the objects written for them hold."""

    counts: Counter[str] = field(default_factory=lambda: Counter(dict.fromkeys(ALWAYS_TOLD, 0)))
    answers: Counter[tuple[str, bool | None]] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)
    gold: Counter[str] = field(default_factory=Counter)
    disagreement: Counter[str] = field(default_factory=Counter)
    sources: Counter[tuple[str, str]] = field(default_factory=Counter)
    annotators: Counter[int] = field(default_factory=Counter)
    items_of: Counter[int] = field(default_factory=Counter)
    labels_before: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    labels_after: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    runs: dict[int, RunUse] = field(default_factory=lambda: defaultdict(RunUse))
    labels_by_split: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    annotators_an_item: dict[int, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    ids: set[str] = field(default_factory=set)
    found: list[str] = field(default_factory=list)

    def add(self, record: ItemRecord, written: dict[str, Any], selection: Selection, split: str = "") -> None:
        """Count one item's record and the object written for it."""
        item = record.item
        if item.external_id in self.ids:
            self.found.append(f"item {item.external_id!r} occurs twice")
        self.ids.add(item.external_id)
        self.sources[item.source, item.licence] += 1
        self.counts["items"] += 1
        self.counts["judgements"] += len(record.judgements)
        self.counts["judgements_counted"] += sum(record.counted)
        for row in record.judgements:
            self.annotators[row.annotator] += 1
            if row.after_reopening:
                self.counts["judgements_after_reopening"] += 1
            if row.cannot_judge:
                self.counts["cannot_judge"] += 1
        for resolved in record.resolutions.values():
            self.counts["adjudicated"] += resolved.source == "adjudicated"
            self.counts["published_labels"] += resolved.source == "imported"
        if record.outvoted:
            self.counts["published_labels_outvoted"] += record.outvoted
        self._add_people({(row.round, row.annotator) for row in record.judgements})
        if selection.typology:
            self._add_types(record, written, selection)
            told = (label["code"] for label in written["labels"] if label["applicable"])
        else:
            self._add_questions(record, written)
            told = (question["label"] for question in written["cqs"])
        self.labels_by_split[split].update(told)

    def sound(self, record: ItemRecord) -> bool:
        """Say whether the resolved spans lie inside the text, which no rule of the database keeps."""
        wrong = [
            f"item {record.item.external_id!r}, {unit}: the resolved span {list(span)} is not inside its text"
            for unit, resolved in record.resolutions.items()
            for span in resolved.spans
            if not _inside(span, record.item.text)
        ]
        self.found += wrong
        return not wrong

    def _add_people(self, judged: set[tuple[int, int]]) -> None:
        """Count who judged an item, in which rounds. A loop: a Counter for each item takes thrice as long."""
        rounds: dict[int, int] = {}
        for round, _ in judged:
            rounds[round] = rounds.get(round, 0) + 1
        for round, number in rounds.items():
            self.annotators_an_item[round][number] += 1
        for annotator in {annotator for _, annotator in judged}:
            self.items_of[annotator] += 1

    def _add_types(self, record: ItemRecord, written: dict[str, Any], selection: Selection) -> None:
        text, place = record.item.text, f"item {record.item.external_id!r}"
        for row, counted in zip(record.judgements, record.counted, strict=True):
            dropped = row.unit not in selection.type_codes
            self.counts["judgements_of_dropped_types"] += dropped
            if row.start is None:
                continue
            self.counts["spans"] += 1
            self.counts["spans_without_a_vote"] += dropped or not counted
            if text[row.start : row.end] != row.quote:
                self.found.append(
                    f"{place}, {row.unit}: the quote of {selection.members[row.annotator]} is not the text"
                )
        if not_asked := len(selection.type_codes) - len(record.types):
            self.counts["types_not_asked"] += not_asked
        for found in record.refined.values():
            self.runs[found.run].add(found)
        self.answers.update([(label["code"], label["applicable"]) for label in written["labels"]])
        for label in written["labels"]:
            gold, rest = label["gold_spans"], label["disagreement_spans"]
            if label["applicable"] and not gold and label["code"] in selection.span_types:
                self.counts["yes_without_gold_span"] += 1
            if gold or rest:
                self._add_spans(label, gold, rest, text, f"{place}, {label['code']}")

    def _add_spans(
        self, label: dict[str, Any], gold: list[Any], rest: list[Any], text: str, place: str
    ) -> None:
        self.counts["gold_spans"] += len(gold)
        self.counts["disagreement_spans"] += len(rest)
        self.gold[label["code"]] += len(gold)
        self.disagreement[label["code"]] += len(rest)
        for span in gold:
            if "question_refined" in span:
                self.counts["questions_refined"] += span["question_refined"] is not None
        for span in gold + rest:
            self.counts["span_support"] += span["support"]
            if not 0 <= span["start"] < span["end"] <= len(text):
                self.found.append(f"{place}: span {span['start']} to {span['end']} is outside its text")
            elif text[span["start"] : span["end"]] != span["text"]:
                self.found.append(f"{place}: a span's text is not {span['start']} to {span['end']}")

    def _add_questions(self, record: ItemRecord, written: dict[str, Any]) -> None:
        decided = [decision for decision in record.answers.values() if decision.label is not None]
        self.counts["questions"] += len(record.questions)
        self.counts["undecided_questions"] += len(record.questions) - len(decided)
        self.counts["questions_written"] += len(written["cqs"])
        self.counts["edits_without_a_pick"] += sum(bool(row.edits) and not row.edit for row in decided)
        self.counts["items_without_questions"] += not written["cqs"]
        if len(written["cqs"]) != len(decided):
            self.found.append(
                f"item {record.item.external_id!r}: {len(decided)} questions are decided, "
                f"{len(written['cqs'])} written"
            )
        source = record.item.source
        self.labels_before[source].update(PUBLISHED_LABELS[str(row.label)] for row in decided)
        self.labels_after[source].update(question["label"] for question in written["cqs"])
        self.labels.update(question["label"] for question in written["cqs"])

    def settle(self) -> None:
        """Add up what follows from the answers about types, once everything is counted."""
        if not self.answers:
            return
        self.counts["undecided_types"] = sum(n for (_, answer), n in self.answers.items() if answer is None)
        told = {f"{code} {_answer(answer)}": n for (code, answer), n in self.answers.items()}
        self.labels = Counter(told)

    def problems(self, selection: Selection) -> list[str]:
        """Compare with the database, by its own counting, and return what is off."""
        items = items_chosen(selection)
        counts = self.counts
        rows: QuerySet[Any] = (TypeAnnotation if selection.typology else QuestionAnnotation).objects.filter(
            assignment__round__in=[row.pk for row in selection.rounds],
            assignment__item__in=items,
            assignment__member__left_out_at__isnull=True,
            assignment__repeat=False,
        )
        undecided = {"applicable" if selection.typology else "label": None, "cannot_judge": False}
        # All in one look at the rows: there may be millions.
        wanted = {"judgements": Count("pk", filter=~Q(**undecided))}
        if selection.typology:
            wanted["spans"] = Count("pk", filter=Q(start__isnull=False))
        expected = {"items": items.count(), **rows.aggregate(**wanted)}
        if selection.typology:
            accounted = counts["span_support"] + counts["spans_without_a_vote"]
            if accounted != expected["spans"]:
                self.found.append(
                    f"{expected['spans']} spans are stored, {accounted} are in gold, disagreement or no vote"
                )
            stored = sum(use.questions for use in self.runs.values())
            if counts["questions_refined"] != stored:
                self.found.append(
                    f"{stored} refined questions are stored, {counts['questions_refined']} would be released"
                )
        for name, number in expected.items():
            if counts[name] != number:
                self.found.append(f"{number} {name} are stored, {counts[name]} would be released")
        more = len(self.found) - SHOWN
        return self.found[:SHOWN] + ([f"and {more} more"] if more > 0 else [])


def inputs_stamp(selection: Selection) -> str:
    """Return a cheap sign of change.

    A judgement, a resolution, a question, or the withdrawal of an item or of an annotator changes it, and so
    does a refined question or its rejection where the release takes them in.
    """
    model = TypeAnnotation if selection.typology else QuestionAnnotation
    judged = model.objects.filter(assignment__round__in=[row.pk for row in selection.rounds])
    resolved = Resolution.objects.filter(item__project=selection.project)
    withdrawn = Q(withdrawn_at__isnull=False)
    with_refined = selection.parameters.refined_questions
    refined = QuestionRefinement.objects.filter(run__project=selection.project)
    parts = (
        judged.aggregate(rows=Count("id"), revisions=Sum("revision")),
        resolved.aggregate(last=Max("id"), gone=Count("id", filter=Q(superseded_at__isnull=False))),
        selection.project.items.aggregate(rows=Count("id"), withdrawn=Count("id", filter=withdrawn)),
        Question.objects.filter(item__project=selection.project, candidate=False).aggregate(rows=Count("id")),
        selection.project.memberships.aggregate(left_out=Count("id", filter=Q(left_out_at__isnull=False))),
        refined.aggregate(rows=Count("id"), rejected=Count("rejected_at")) if with_refined else {},
    )
    return "/".join(str(value) for part in parts for value in part.values())


def _inside(span: Any, text: str) -> bool:
    whole = isinstance(span, list) and len(span) == 2 and all(type(edge) is int for edge in span)
    return whole and 0 <= span[0] < span[1] <= len(text)


def _answer(applicable: bool | None) -> str:
    return {True: "yes", False: "no", None: "undecided"}[applicable]
