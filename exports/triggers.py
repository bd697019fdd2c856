"""A release that is done stays as it is, and so do the questions that it may carry: kept by the database."""

from annotation.database.erasure import is_erased, only_blocks
from annotation.database.triggers import (
    ALWAYS,
    Trigger,
    changed,
    limit_triggers,
)
from annotation.limits import Limit
from exports.models import PROMPT_LENGTH

_SEALED = (
    "id",
    "project_id",
    "version",
    "parameters",
    "state",
    "progress_done",
    "progress_total",
    "attempt",
    "attempts",
    "error",
    "digest",
    "files",
    "counts",
    "public",
    "card",
    "name",
    "licence",
    "description",
    "created_at",
    "enqueued_at",
    "built_at",
)
_SEALED_AND_MAY_BE_NULL = ("member_id", "lease_until")
"""With the above every column but `is_public` and `taken_down_at`, what may change of one that is done."""

_RUN_SEALED = (
    "id",
    "project_id",
    "number",
    "endpoint",
    "model",
    "prompt",
    "tokens_field",
    "max_tokens",
    "timeout",
    "per_minute",
    "max_questions",
    "again",
    "sources",
    "splits_left_out",
    "created_at",
)
_RUN_SEALED_AND_MAY_BE_NULL = ("member_id", "temperature", "seed")

_REFINEMENT_SEALED = (
    "id",
    "run_id",
    "item_id",
    "type_code",
    "start",
    "end",
    "text_sha256",
    "question_template",
    "state",
    "question",
    "reason",
    "model",
    "tries",
    "answered_at",
)
"""Every column but `rejected_at` and `rejected_by`."""

_REFINEMENT_WORDS = ("question_template", "question", "reason")
"""Those of them that may quote the text, and turn into blocks when it is erased."""


LIMITS = {
    "release": {"version": Limit(40)},
    "refinementrun": {"endpoint": Limit(500), "model": Limit(200), "prompt": Limit(PROMPT_LENGTH)},
}

TRIGGERS = (
    *limit_triggers("exports", LIMITS),
    Trigger(
        "release_sealed",
        "exports_release",
        ("UPDATE",),
        f"OLD.state = 'done' AND ({changed(_SEALED, _SEALED_AND_MAY_BE_NULL)})",
        "a release is immutable: build a new version",
    ),
    Trigger(
        "release_kept",
        "exports_release",
        ("DELETE",),
        "OLD.state = 'done'",
        "a release is never deleted: build a new version",
    ),
    Trigger(
        "refinementrun_sealed",
        "exports_refinementrun",
        ("UPDATE",),
        changed(_RUN_SEALED, _RUN_SEALED_AND_MAY_BE_NULL),
        "what a run asked for never changes: start another one",
    ),
    Trigger(
        "refinementrun_kept",
        "exports_refinementrun",
        ("DELETE",),
        ALWAYS,
        "a run is never deleted: releases say where their questions come from",
    ),
    Trigger(
        "refinement_sealed",
        "exports_questionrefinement",
        ("UPDATE",),
        changed(_REFINEMENT_SEALED),
        "a refined question never changes: reject it, or ask again",
        erased_update=" AND ".join(
            [
                f"NOT ({changed([name for name in _REFINEMENT_SEALED if name not in _REFINEMENT_WORDS])})",
                *(only_blocks(f"NEW.{name}") for name in _REFINEMENT_WORDS),
                is_erased("item", "OLD.item_id"),
            ]
        ),
    ),
    Trigger(
        "refinement_kept",
        "exports_questionrefinement",
        ("DELETE",),
        ALWAYS,
        "a refined question is never deleted: reject it",
    ),
    Trigger(
        "refinement_fits",
        "exports_questionrefinement",
        ("INSERT",),
        "NOT EXISTS (SELECT 1 FROM exports_refinementrun r JOIN annotation_item i "
        "ON i.project_id = r.project_id WHERE r.id = NEW.run_id AND i.id = NEW.item_id "
        'AND NEW."end" <= i.text_length)',
        "a refined question is about an item of the project of its run",
    ),
)
