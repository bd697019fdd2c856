"""What the database counts by itself: the progress of each assignment and, from these, of each annotator.

Counting a round's judgements, or its assignments, takes a step for each of them, more than a page has time
for from some ten thousand on. The triggers add differences, so that transactions that overlap lose nothing,
and `recount` says what the sums have to be.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connections


@dataclass(frozen=True, slots=True)
class Counter:
    """One kind of write that changes a count: after `events` on `table`, where `condition` holds, `sql` runs.

    NEW and OLD are the row after and before. The same SQL serves SQLite and PostgreSQL.
    """

    name: str
    table: str
    events: tuple[str]
    sql: str
    condition: str = ""

    def statements(self, vendor: str) -> list[str]:
        """Return the SQL that installs the trigger on SQLite or PostgreSQL."""
        (event,) = self.events
        if vendor == "postgresql":
            body = f"IF {self.condition} THEN {self.sql}; END IF;" if self.condition else f"{self.sql};"
            return [
                *self.drop_statements(vendor),
                f"CREATE OR REPLACE FUNCTION {self.name}() RETURNS trigger LANGUAGE plpgsql AS "
                f"$body$ BEGIN {body} RETURN NULL; END $body$",
                f"CREATE TRIGGER {self.name} AFTER {event} ON {self.table} "
                f"FOR EACH ROW EXECUTE FUNCTION {self.name}()",
            ]
        when = f"WHEN {self.condition} " if self.condition else ""
        return [
            *self.drop_statements(vendor),
            f"CREATE TRIGGER {self.name}_{event.lower()} AFTER {event} ON {self.table} FOR EACH ROW {when}"
            f"BEGIN {self.sql}; END",
        ]

    def drop_statements(self, vendor: str) -> list[str]:
        """Return the SQL that takes the trigger away."""
        (event,) = self.events
        if vendor == "postgresql":
            return [f"DROP TRIGGER IF EXISTS {self.name} ON {self.table}"]
        return [f"DROP TRIGGER IF EXISTS {self.name}_{event.lower()}"]


_JUDGEMENTS = {"typeannotation": "applicable", "questionannotation": "label"}
"""The tables of judgements, each with the column that holds an answer once the unit is decided."""


def _decided(row: str, answer: str) -> str:
    return f"CASE WHEN {row}.{answer} IS NOT NULL OR {row}.cannot_judge THEN 1 ELSE 0 END"


def _late(row: str) -> str:
    return f"CASE WHEN {row}.after_reopening THEN 1 ELSE 0 END"


def _in_round(row: str, n: str, revisions: str, late: str) -> str:
    """Return the SQL that changes what is counted of the judgements of an annotator in a round."""
    return (
        f"UPDATE annotation_roundprogress SET judgements = judgements {n}, "
        f"revisions = revisions {revisions}, late = late {late} WHERE (round_id, member_id) = "
        f"(SELECT a.round_id, a.member_id FROM annotation_assignment a WHERE a.id = {row}.assignment_id)"
    )


def _of_judgements(kind: str, answer: str) -> tuple[Counter, ...]:
    table = f"annotation_{kind}"
    new, old = _decided("NEW", answer), _decided("OLD", answer)
    later = (
        "judged_at = CASE WHEN judged_at IS NULL OR judged_at < NEW.decided_at THEN NEW.decided_at "
        "ELSE judged_at END WHERE id = NEW.assignment_id"
    )
    return (
        Counter(
            f"{kind}_counted_new",
            table,
            ("INSERT",),
            f"UPDATE annotation_assignment SET decided = decided + {new}, "
            f"active_seconds = active_seconds + COALESCE(NEW.active_seconds, 0), {later}; "
            + _in_round("NEW", "+ 1", "+ NEW.revision", f"+ {_late('NEW')}"),
        ),
        Counter(
            f"{kind}_counted_again",
            table,
            ("UPDATE",),
            f"UPDATE annotation_assignment SET decided = decided + {new} - {old}, "
            "active_seconds = active_seconds + COALESCE(NEW.active_seconds, 0) "
            f"- COALESCE(OLD.active_seconds, 0), {later}; "
            + _in_round("NEW", "", "+ NEW.revision - OLD.revision", f"+ {_late('NEW')} - {_late('OLD')}"),
        ),
        Counter(
            f"{kind}_counted_gone",
            table,
            ("DELETE",),
            f"UPDATE annotation_assignment SET decided = decided - {old}, "
            "active_seconds = active_seconds - COALESCE(OLD.active_seconds, 0), "
            f"judged_at = (SELECT MAX(j.decided_at) FROM {table} j "
            "WHERE j.assignment_id = OLD.assignment_id) WHERE id = OLD.assignment_id; "
            + _in_round("OLD", "- 1", "- OLD.revision", f"- {_late('OLD')}"),
        ),
    )


# By the item's few questions: by the round's the planner would look at all of them for each assignment.
_ASKED = (
    "(SELECT COUNT(*) FROM annotation_question q WHERE q.item_id = {item} AND EXISTS "
    "(SELECT 1 FROM annotation_roundquestion rq WHERE rq.round_id = {round} AND rq.question_id = q.id))"
)


def _of_questions(name: str, event: str, row: str, change: str) -> Counter:
    return Counter(
        name,
        "annotation_roundquestion",
        (event,),
        f"UPDATE annotation_assignment SET questions = questions {change} WHERE round_id = {row}.round_id "
        f"AND item_id = (SELECT q.item_id FROM annotation_question q WHERE q.id = {row}.question_id)",
    )


_SUMS = ("questions", "decided", "active_seconds")


def _counts(row: str) -> str:
    """Return 1 for an assignment that asks all types and was not reassigned, else 0."""
    return f"(CASE WHEN {row}.released_at IS NULL AND {row}.types IS NULL THEN 1 ELSE 0 END)"


def _changed(by: str, sums: str) -> str:
    """Return the SQL that changes an annotator's counts by those of an assignment."""
    return f"texts = annotation_roundprogress.texts {by}, " + ", ".join(
        f"{name} = annotation_roundprogress.{name} {sums.format(name=name)}" for name in _SUMS
    )


_LATER = (
    "judged_at = CASE WHEN annotation_roundprogress.judged_at IS NULL "
    "OR annotation_roundprogress.judged_at < NEW.judged_at THEN NEW.judged_at "
    "ELSE annotation_roundprogress.judged_at END"
)
_OF = "round_id = {row}.round_id AND member_id = {row}.member_id"
_NEW, _OLD = _counts("NEW"), _counts("OLD")

_OF_ASSIGNMENTS = (
    Counter(
        "assignment_counted_new",
        "annotation_assignment",
        ("INSERT",),
        "INSERT INTO annotation_roundprogress (round_id, member_id, texts, questions, decided, "
        "active_seconds, judged_at, judgements, revisions, late) VALUES (NEW.round_id, NEW.member_id, "
        f"{_NEW}, {_NEW} * NEW.questions, {_NEW} * NEW.decided, {_NEW} * NEW.active_seconds, "
        "NEW.judged_at, 0, 0, 0) ON CONFLICT (round_id, member_id) DO UPDATE SET "
        f"{_changed(f'+ {_NEW}', f'+ {_NEW} * NEW.{{name}}')}, {_LATER}; "
        # Only now: the change of `questions` is counted by the next trigger.
        "UPDATE annotation_assignment SET questions = "
        f"{_ASKED.format(round='NEW.round_id', item='NEW.item_id')} WHERE id = NEW.id "
        "AND EXISTS (SELECT 1 FROM annotation_roundquestion rq WHERE rq.round_id = NEW.round_id)",
    ),
    Counter(
        "assignment_counted_again",
        "annotation_assignment",
        ("UPDATE",),
        "UPDATE annotation_roundprogress SET "
        f"{_changed(f'+ {_NEW} - {_OLD}', f'+ {_NEW} * NEW.{{name}} - {_OLD} * OLD.{{name}}')}, {_LATER} "
        f"WHERE {_OF.format(row='NEW')}",
    ),
    Counter(
        "assignment_counted_gone",
        "annotation_assignment",
        ("DELETE",),
        f"UPDATE annotation_roundprogress SET {_changed(f'- {_OLD}', f'- {_OLD} * OLD.{{name}}')} "
        f"WHERE {_OF.format(row='OLD')}; "
        f"DELETE FROM annotation_roundprogress WHERE {_OF.format(row='OLD')} AND NOT EXISTS "
        f"(SELECT 1 FROM annotation_assignment a WHERE {_OF.format(row='OLD')})",
    ),
)

COUNTERS: tuple[Counter, ...] = (
    *(counter for kind, answer in _JUDGEMENTS.items() for counter in _of_judgements(kind, answer)),
    _of_questions("roundquestion_counted_new", "INSERT", "NEW", "+ 1"),
    _of_questions("roundquestion_counted_gone", "DELETE", "OLD", "- 1"),
    *_OF_ASSIGNMENTS,
)


def recount(using: str) -> None:
    """Count everything anew, for rows that were written while the triggers were lifted."""
    with connections[using].cursor() as cursor:
        for sql in RECOUNT:
            cursor.execute(sql)


def _recount_judgements(kind: str, answer: str) -> str:
    return (
        "UPDATE annotation_assignment SET (decided, active_seconds, judged_at) = (SELECT "
        f"COALESCE(SUM({_decided('j', answer)}), 0), COALESCE(SUM(j.active_seconds), 0), MAX(j.decided_at) "
        f"FROM annotation_{kind} j WHERE j.assignment_id = annotation_assignment.id) "
        f"WHERE EXISTS (SELECT 1 FROM annotation_{kind} j WHERE j.assignment_id = annotation_assignment.id)"
    )


RECOUNT: Sequence[str] = (
    *(_recount_judgements(kind, answer) for kind, answer in _JUDGEMENTS.items()),
    "UPDATE annotation_assignment SET questions = "
    + _ASKED.format(round="annotation_assignment.round_id", item="annotation_assignment.item_id")
    + " WHERE EXISTS (SELECT 1 FROM annotation_roundquestion rq "
    "WHERE rq.round_id = annotation_assignment.round_id)",
    "DELETE FROM annotation_roundprogress",
    "INSERT INTO annotation_roundprogress (round_id, member_id, texts, questions, decided, active_seconds, "
    "judged_at, judgements, revisions, late) SELECT a.round_id, a.member_id, "
    f"SUM({_counts('a')}), SUM({_counts('a')} * a.questions), SUM({_counts('a')} * a.decided), "
    f"SUM({_counts('a')} * a.active_seconds), MAX(a.judged_at), "
    "SUM(COALESCE(j.judgements, 0)), SUM(COALESCE(j.revisions, 0)), SUM(COALESCE(j.late, 0)) "
    "FROM annotation_assignment a LEFT JOIN (SELECT assignment_id, COUNT(*) AS judgements, "
    "SUM(revision) AS revisions, SUM(late) AS late FROM ("
    + " UNION ALL ".join(
        f"SELECT assignment_id, revision, {_late(kind)} AS late FROM annotation_{kind} {kind}"
        for kind in _JUDGEMENTS
    )
    + ") rows_judged GROUP BY assignment_id) j ON j.assignment_id = a.id GROUP BY a.round_id, a.member_id",
)
