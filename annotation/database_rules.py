"""Rules that CHECK, UNIQUE and foreign keys cannot say, kept by triggers.

`lifted_triggers` is the one way round them, for restoring a backup and for clearing a test database.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import connections

from annotation.counters import COUNTERS, recount
from annotation.limits import LIMITS
from annotation.triggers import (
    ALWAYS,
    AnyTrigger,
    Trigger,
    install,
    install_where_tables_are,
    lift_before_rebuild,
    limit_triggers,
    run_statements,
)
from annotation.types_sql import ASSIGNMENT_TYPES, ROUND_TYPES, TYPE_ASKED, named, types_condition
from annotation.words_index import KEPT, TABLE, words_index_drop, words_index_fill, words_index_make

# Nobody can judge in a draft round, nor in an imported one: what is there was staged by an import that has
# not finished. An imported round is open only while more is brought in.
_NOT_STAGING = "(r.status = 'closed' OR r.status = 'open' AND NOT r.imported)"
_ROUND_NOT_STAGING = (
    "EXISTS (SELECT 1 FROM annotation_assignment a JOIN annotation_round r ON r.id = a.round_id "
    f"WHERE a.id = OLD.assignment_id AND {_NOT_STAGING})"
)

_CODEBOOK_OF_ASSIGNMENT = (
    "FROM annotation_assignment a JOIN annotation_round r ON r.id = a.round_id "
    "JOIN annotation_codebook c ON c.id = r.codebook_id"
)

_ASSIGNMENT_UNFIT = (
    "NOT EXISTS (SELECT 1 FROM annotation_rounditem ri JOIN annotation_round r ON r.id = ri.round_id "
    "JOIN annotation_membership m ON m.project_id = r.project_id "
    "WHERE ri.round_id = NEW.round_id AND ri.item_id = NEW.item_id AND m.id = NEW.member_id "
    "AND m.is_annotator)"
)

RULES = (
    Trigger(
        "annotationevent_append_only",
        "annotation_annotationevent",
        ("UPDATE",),
        ALWAYS,
        "annotation events are append-only",
    ),
    Trigger(
        "annotationevent_kept",
        "annotation_annotationevent",
        ("DELETE",),
        _ROUND_NOT_STAGING,
        "annotation events are append-only",
    ),
    Trigger(
        "projectevent_append_only",
        "annotation_projectevent",
        ("UPDATE", "DELETE"),
        ALWAYS,
        "the audit log is append-only",
    ),
    Trigger(
        "typeannotation_kept",
        "annotation_typeannotation",
        ("DELETE",),
        _ROUND_NOT_STAGING,
        "judgements are never deleted: undo is a decision to undecided",
    ),
    Trigger(
        "questionannotation_kept",
        "annotation_questionannotation",
        ("DELETE",),
        _ROUND_NOT_STAGING,
        "judgements are never deleted: undo is a decision to undecided",
    ),
    *(
        Trigger(
            f"{kind}_stays",
            f"annotation_{kind}",
            ("UPDATE",),
            "NEW.assignment_id <> OLD.assignment_id",
            "a judgement stays with its assignment, which counts it",
        )
        for kind in ("typeannotation", "questionannotation")
    ),
    Trigger(
        "codebook_frozen_in_use",
        "annotation_codebook",
        ("UPDATE", "DELETE"),
        "EXISTS (SELECT 1 FROM annotation_round r WHERE r.codebook_id = OLD.id)",
        "a codebook that a round uses is immutable: publish the next version",
    ),
    Trigger(
        "item_text_frozen",
        "annotation_item",
        ("UPDATE",),
        "(NEW.text <> OLD.text OR NEW.external_id <> OLD.external_id OR NEW.project_id <> OLD.project_id) "
        "AND EXISTS (SELECT 1 FROM annotation_rounditem ri JOIN annotation_round r ON r.id = ri.round_id "
        "WHERE ri.item_id = OLD.id AND r.status <> 'draft')",
        "the text of an item is frozen once a round on it has opened",
    ),
    Trigger(
        "question_frozen",
        "annotation_question",
        ("UPDATE",),
        "(NEW.text <> OLD.text OR NEW.item_id <> OLD.item_id) "
        "AND EXISTS (SELECT 1 FROM annotation_roundquestion rq JOIN annotation_round r ON r.id = rq.round_id "
        "WHERE rq.question_id = OLD.id AND r.status <> 'draft')",
        "a question is frozen once a round on it has opened",
    ),
    Trigger(
        "round_codebook_of_project",
        "annotation_round",
        ("INSERT", "UPDATE"),
        "NOT EXISTS (SELECT 1 FROM annotation_codebook c "
        "WHERE c.id = NEW.codebook_id AND c.project_id = NEW.project_id)",
        "the codebook of a round belongs to its project",
    ),
    Trigger(
        "round_codebook_frozen",
        "annotation_round",
        ("UPDATE",),
        "OLD.status <> 'draft' "
        "AND (NEW.codebook_id <> OLD.codebook_id OR COALESCE(NEW.types, '') <> COALESCE(OLD.types, '') "
        "OR NEW.status = 'draft')",
        "an opened round keeps its codebook and types, and never becomes a draft again",
    ),
    Trigger(
        "round_types_in_codebook",
        "annotation_round",
        ("INSERT", "UPDATE"),
        types_condition(ROUND_TYPES),
        "the types of a round are types of its codebook, each named once",
        condition_postgresql=types_condition(ROUND_TYPES, postgresql=True),
    ),
    Trigger(
        "rounditem_fits",
        "annotation_rounditem",
        ("INSERT", "UPDATE"),
        "NOT EXISTS (SELECT 1 FROM annotation_round r JOIN annotation_item i ON i.project_id = r.project_id "
        "WHERE r.id = NEW.round_id AND i.id = NEW.item_id AND (r.status = 'draft' OR r.imported))",
        "items are drawn into a draft round of their own project",
    ),
    Trigger(
        "rounditem_frozen",
        "annotation_rounditem",
        ("UPDATE", "DELETE"),
        f"EXISTS (SELECT 1 FROM annotation_round r WHERE r.id = OLD.round_id AND {_NOT_STAGING})",
        "the items of a round are frozen when it opens",
    ),
    Trigger(
        "roundquestion_fits",
        "annotation_roundquestion",
        ("INSERT", "UPDATE"),
        "NOT EXISTS (SELECT 1 FROM annotation_round r JOIN annotation_rounditem ri ON ri.round_id = r.id "
        "JOIN annotation_question q ON q.item_id = ri.item_id "
        "WHERE r.id = NEW.round_id AND q.id = NEW.question_id AND (r.status = 'draft' OR r.imported))",
        "questions are drawn with their item into a draft round",
    ),
    Trigger(
        "roundquestion_frozen",
        "annotation_roundquestion",
        ("UPDATE", "DELETE"),
        f"EXISTS (SELECT 1 FROM annotation_round r WHERE r.id = OLD.round_id AND {_NOT_STAGING})",
        "the questions of a round are frozen when it opens",
    ),
    Trigger(
        "keyanswer_fits",
        "annotation_keyanswer",
        ("INSERT", "UPDATE"),
        "NOT EXISTS (SELECT 1 FROM annotation_round r JOIN annotation_rounditem ri ON ri.round_id = r.id "
        "JOIN annotation_item i ON i.id = ri.item_id WHERE r.id = NEW.round_id AND i.id = NEW.item_id "
        "AND r.status = 'draft' AND r.purpose = 'training' "
        f"AND (r.types IS NULL OR {named('r.types', 'NEW.type_code')}) "
        "AND CASE WHEN NEW.quote IS NULL THEN 1 = 1 "
        'WHEN NEW."end" <= NEW."start" THEN 1 = 0 '
        'ELSE substr(i.text, NEW."start" + 1, NEW."end" - NEW."start") = NEW.quote END)',
        "a key answers what a draft training round asks of its items, and quotes their text",
    ),
    Trigger(
        "keyanswer_frozen",
        "annotation_keyanswer",
        ("UPDATE", "DELETE"),
        "EXISTS (SELECT 1 FROM annotation_round r WHERE r.id = OLD.round_id AND r.status <> 'draft')",
        "the key of a training round is frozen when it opens",
    ),
    Trigger(
        "assignment_fits",
        "annotation_assignment",
        ("INSERT",),
        _ASSIGNMENT_UNFIT,
        "an assignment joins an annotator of the project and an item of the round",
    ),
    Trigger(
        "assignment_repeats_own",
        "annotation_assignment",
        ("INSERT", "UPDATE"),
        "NEW.repeat AND NOT EXISTS (SELECT 1 FROM annotation_assignment a JOIN annotation_round r "
        "ON r.id = a.round_id WHERE a.round_id = NEW.round_id AND a.item_id = NEW.item_id "
        "AND a.member_id = NEW.member_id AND NOT a.repeat AND a.position < NEW.position "
        "AND r.purpose <> 'training')",
        "a repeat comes after the first time the same member meets the item, in no training round",
    ),
    Trigger(
        "assignment_still_fits",
        "annotation_assignment",
        ("UPDATE",),
        "(NEW.round_id <> OLD.round_id OR NEW.item_id <> OLD.item_id OR NEW.member_id <> OLD.member_id) "
        f"AND {_ASSIGNMENT_UNFIT}",
        "an assignment joins an annotator of the project and an item of the round",
    ),
    Trigger(
        "assignment_types_of_round",
        "annotation_assignment",
        ("INSERT", "UPDATE"),
        types_condition(ASSIGNMENT_TYPES),
        "an assignment asks types of its round, each named once",
        condition_postgresql=types_condition(ASSIGNMENT_TYPES, postgresql=True),
    ),
    Trigger(
        "assignment_keeps_judged_types",
        "annotation_assignment",
        ("UPDATE",),
        "NEW.types IS NOT NULL AND EXISTS (SELECT 1 FROM annotation_typeannotation t "
        "WHERE t.assignment_id = OLD.id AND (t.applicable IS NOT NULL OR t.cannot_judge) "
        f"AND NOT ({named('NEW.types', 't.type_code')}))",
        "a type that is judged stays with whom judged it",
    ),
    Trigger(
        "typeannotation_fits",
        "annotation_typeannotation",
        ("INSERT", "UPDATE"),
        "NOT EXISTS (SELECT 1 FROM annotation_assignment a JOIN annotation_item i ON i.id = a.item_id "
        "WHERE a.id = NEW.assignment_id AND i.text_length = NEW.text_length AND CASE "
        'WHEN NEW.quote IS NULL THEN 1 = 1 WHEN NEW."end" <= NEW."start" THEN 1 = 0 '
        'ELSE substr(i.text, NEW."start" + 1, NEW."end" - NEW."start") = NEW.quote END)',
        "the quote is the text of the item between start and end",
    ),
    Trigger(
        "typeannotation_in_codebook",
        "annotation_typeannotation",
        ("INSERT", "UPDATE"),
        f"NOT EXISTS (SELECT 1 {_CODEBOOK_OF_ASSIGNMENT}, json_each(c.definition, '$.types') t "
        "WHERE a.id = NEW.assignment_id AND json_extract(t.value, '$.code') = NEW.type_code "
        f"AND json_extract(t.value, '$.span') = NEW.span_required AND {TYPE_ASKED})",
        "the type is one that the assignment asks, and asks for a span as the codebook says",
        condition_postgresql=(
            f"NOT EXISTS (SELECT 1 {_CODEBOOK_OF_ASSIGNMENT}, jsonb_array_elements(c.definition->'types') t "
            "WHERE a.id = NEW.assignment_id AND t->>'code' = NEW.type_code "
            f"AND (t->>'span')::boolean = NEW.span_required AND {TYPE_ASKED})"
        ),
    ),
    Trigger(
        "questionannotation_fits",
        "annotation_questionannotation",
        ("INSERT", "UPDATE"),
        "NOT EXISTS (SELECT 1 FROM annotation_assignment a "
        "JOIN annotation_question q ON q.item_id = a.item_id "
        "JOIN annotation_roundquestion rq ON rq.question_id = q.id AND rq.round_id = a.round_id "
        "WHERE a.id = NEW.assignment_id AND q.id = NEW.question_id)",
        "the question is one that the round asks about the assigned item",
    ),
    Trigger(
        "questionannotation_reason_in_codebook",
        "annotation_questionannotation",
        ("INSERT", "UPDATE"),
        f"NEW.reason <> '' AND NOT EXISTS (SELECT 1 {_CODEBOOK_OF_ASSIGNMENT}, "
        "json_each(c.definition, '$.reasons') t "
        "WHERE a.id = NEW.assignment_id AND json_extract(t.value, '$.code') = NEW.reason "
        "AND (NEW.edited_question = '' OR json_extract(t.value, '$.edited_question')))",
        "the reason is one of the codebook, and an edited question needs a reason that allows one",
        condition_postgresql=(
            f"NEW.reason <> '' AND NOT EXISTS (SELECT 1 {_CODEBOOK_OF_ASSIGNMENT}, "
            "jsonb_array_elements(c.definition->'reasons') t "
            "WHERE a.id = NEW.assignment_id AND t->>'code' = NEW.reason "
            "AND (NEW.edited_question = '' OR (t->>'edited_question')::boolean))"
        ),
    ),
    Trigger(
        "resolution_fits",
        "annotation_resolution",
        ("INSERT", "UPDATE"),
        "NEW.question_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM annotation_question q "
        "WHERE q.id = NEW.question_id AND q.item_id = NEW.item_id)",
        "the question of a resolution belongs to its item",
    ),
)

TRIGGERS: tuple[AnyTrigger, ...] = (*RULES, *limit_triggers("annotation", LIMITS), *COUNTERS, *KEPT)


def install_annotation_triggers(*, using: str, apps: Any = None, **_signal: Any) -> None:
    """Install this app's triggers, and the index that some of them keep, after `migrate`."""
    if TABLE in connections[using].introspection.table_names():
        words_index_make(using)
    install_where_tables_are(TRIGGERS, using)


def lift_annotation_triggers(*, using: str, plan: Sequence[Any] | None = None, **_signal: Any) -> None:
    """Make way for a migration of this app's tables."""
    lift_before_rebuild(TRIGGERS, using=using, plan=plan)
    if plan:
        words_index_drop(using)


@contextmanager
def lifted_triggers(triggers: Sequence[AnyTrigger] = TRIGGERS, using: str = "default") -> Iterator[None]:
    """Take the triggers away for the block: for restoring a backup or clearing a test database only."""
    vendor = connections[using].vendor
    run_statements(using, [sql for trigger in triggers for sql in trigger.drop_statements(vendor)])
    try:
        yield
    finally:
        install(triggers, using)
        recount(using)
        words_index_fill(using)
