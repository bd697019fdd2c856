"""What a run asked for stays as it is, and so does what a model answered: kept by the database."""

from annotation.database.erasure import is_erased, is_item_of_project_erased, only_blocks
from annotation.database.triggers import (
    ALWAYS,
    Trigger,
    changed,
    limit_triggers,
)
from annotation.limits import Limit
from core.texts import QUESTION

LIMITS = {
    "assistrun": {"endpoint": Limit(500), "model": Limit(200)},
    "scheme": {"code": Limit(80, is_name=True), "name": Limit(200, is_name=True), "conclusion": Limit(2_000)},
    "proposedquestion": {"edited": Limit(QUESTION)},
}

_RUN_SEALED = (
    "id",
    "project_id",
    "number",
    "task",
    "endpoint",
    "model",
    "prompts",
    "fixed",
    "recipes",
    "examples",
    "options",
    "tokens_field",
    "max_tokens",
    "timeout",
    "per_minute",
    "again",
    "sources",
    "created_at",
)
"""What shapes an answer; budget, counts and state change."""

_RUN_BUT_EXAMPLES = tuple(name for name in _RUN_SEALED if name not in ("fixed", "examples"))
"""Of an item that is erased, prompts that showed it as an example lose these."""

_RUN_SEALED_AND_MAY_BE_NULL = ("member_id", "temperature", "seed", "items")

TRIGGERS = (
    *limit_triggers("assist", LIMITS),
    Trigger(
        "assistrun_sealed",
        "assist_assistrun",
        ("UPDATE",),
        changed(_RUN_SEALED, _RUN_SEALED_AND_MAY_BE_NULL),
        "what a run asked for never changes: start another one",
        erased_update=f"NOT ({changed(_RUN_BUT_EXAMPLES, _RUN_SEALED_AND_MAY_BE_NULL)}) "
        f"AND {is_item_of_project_erased('OLD.project_id')}",
    ),
    Trigger(
        "assistrun_kept",
        "assist_assistrun",
        ("DELETE",),
        ALWAYS,
        "a run is never deleted: questions and submissions say where they come from",
    ),
    Trigger(
        "assistanswer_sealed",
        "assist_assistanswer",
        ("UPDATE",),
        "OLD.state <> 'unanswered'",
        "what a model answered is kept as it came",
        erased_update=f"NEW.item_id = OLD.item_id AND {only_blocks('NEW.raw')} "
        f"AND {is_erased('item', 'OLD.item_id')}",
    ),
    Trigger(
        "assistanswer_kept",
        "assist_assistanswer",
        ("DELETE",),
        ALWAYS,
        "what a model answered is never deleted",
    ),
    Trigger(
        "assistanswer_fits",
        "assist_assistanswer",
        ("INSERT",),
        "NOT EXISTS (SELECT 1 FROM assist_assistrun r JOIN annotation_item i "
        "ON i.project_id = r.project_id WHERE r.id = NEW.run_id AND i.id = NEW.item_id)",
        "an answer is about an item of the project of its run",
    ),
    Trigger(
        "filtereditem_sealed",
        "assist_filtereditem",
        ("UPDATE",),
        ALWAYS,
        "a mark of a filter never changes: take it back",
    ),
    Trigger(
        "filtereditem_fits",
        "assist_filtereditem",
        ("INSERT",),
        "NOT EXISTS (SELECT 1 FROM assist_assistanswer a JOIN annotation_item i ON i.id = a.item_id "
        "JOIN assist_assistrun r ON r.project_id = i.project_id WHERE a.id = NEW.answer_id "
        "AND a.item_id = NEW.item_id AND a.label = 'insufficient' AND r.id = NEW.run_id "
        "AND r.task = 'context')",
        "only what a context filter of the project found insufficient is marked as filtered",
    ),
    Trigger(
        "proposedquestion_sealed",
        "assist_proposedquestion",
        ("UPDATE",),
        changed(("id", "item_id", "external_id", "origin", "text"), ("answer_id", "filling_id"))
        + " OR (OLD.question_id IS NOT NULL AND (NEW.question_id IS NULL OR NEW.state <> OLD.state))",
        "a proposed question stays as it came: keep, edit or drop it",
        erased_update=f"NEW.item_id = OLD.item_id AND {only_blocks('NEW.text')} "
        f"AND {is_erased('item', 'OLD.item_id')}",
    ),
    Trigger(
        "proposedquestion_kept",
        "assist_proposedquestion",
        ("DELETE",),
        ALWAYS,
        "a proposed question is never deleted: drop it",
    ),
)
