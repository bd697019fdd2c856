"""A release that is done stays as it is: kept by the database."""

from collections.abc import Sequence
from typing import Any

from annotation.triggers import Trigger, install_where_tables_are, lift_before_rebuild

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
    "card",
    "created_at",
    "enqueued_at",
    "built_at",
)
_SEALED_AND_MAY_BE_NULL = ("member_id", "lease_until")
"""With the above every column but `is_public`: the one thing that may change about a finished release."""

# `<>` with NULL is NULL, which refuses nothing; IS DISTINCT FROM is not in every SQLite that Python brings.
_CHANGED = [f"NEW.{name} <> OLD.{name}" for name in _SEALED] + [
    f"(NEW.{name} <> OLD.{name} OR (NEW.{name} IS NULL) <> (OLD.{name} IS NULL))"
    for name in _SEALED_AND_MAY_BE_NULL
]

TRIGGERS = (
    Trigger(
        "release_sealed",
        "exports_release",
        ("UPDATE",),
        f"OLD.state = 'done' AND ({' OR '.join(_CHANGED)})",
        "a release is immutable: build a new version",
    ),
    Trigger(
        "release_kept",
        "exports_release",
        ("DELETE",),
        "OLD.state = 'done'",
        "a release is never deleted: build a new version",
    ),
)


def install_export_triggers(*, using: str, apps: Any = None, **_signal: Any) -> None:
    """Install this app's triggers after `migrate`."""
    install_where_tables_are(TRIGGERS, using)


def lift_export_triggers(*, using: str, plan: Sequence[Any] | None = None, **_signal: Any) -> None:
    """Make way for a migration of this app's tables."""
    lift_before_rebuild(TRIGGERS, using=using, plan=plan)
