"""What the database counts by itself: the progress of each assignment, kept by triggers on its judgements.

Counting a round's judgements takes a step for each of them, more than a page has time for from some ten
thousand on; a sum over the assignments is read from one narrow index. The triggers add differences, so
that transactions that overlap lose nothing, and `recount` says what the sums have to be.
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
            f"active_seconds = active_seconds + NEW.active_seconds, {later}",
        ),
        Counter(
            f"{kind}_counted_again",
            table,
            ("UPDATE",),
            f"UPDATE annotation_assignment SET decided = decided + {new} - {old}, "
            f"active_seconds = active_seconds + NEW.active_seconds - OLD.active_seconds, {later}",
        ),
        Counter(
            f"{kind}_counted_gone",
            table,
            ("DELETE",),
            f"UPDATE annotation_assignment SET decided = decided - {old}, "
            "active_seconds = active_seconds - OLD.active_seconds, "
            f"judged_at = (SELECT MAX(j.decided_at) FROM {table} j "
            "WHERE j.assignment_id = OLD.assignment_id) WHERE id = OLD.assignment_id",
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


COUNTERS: tuple[Counter, ...] = (
    *(counter for kind, answer in _JUDGEMENTS.items() for counter in _of_judgements(kind, answer)),
    _of_questions("roundquestion_counted_new", "INSERT", "NEW", "+ 1"),
    _of_questions("roundquestion_counted_gone", "DELETE", "OLD", "- 1"),
    Counter(
        "assignment_questions_counted",
        "annotation_assignment",
        ("INSERT",),
        "UPDATE annotation_assignment SET questions = "
        f"{_ASKED.format(round='NEW.round_id', item='NEW.item_id')} WHERE id = NEW.id",
        condition="EXISTS (SELECT 1 FROM annotation_roundquestion rq WHERE rq.round_id = NEW.round_id)",
    ),
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
)
