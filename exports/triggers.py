"""A release that is done stays as it is: kept by the database."""

from collections.abc import Sequence
from typing import Any

from annotation.triggers import Trigger, install_where_tables_are, lift_before_rebuild

_SEALED = ("project_id", "version", "parameters", "state", "digest", "files", "counts", "card", "built_at")

TRIGGERS = (
    Trigger(
        "release_sealed",
        "exports_release",
        ("UPDATE",),
        "OLD.state = 'done' AND (" + " OR ".join(f"NEW.{name} <> OLD.{name}" for name in _SEALED) + ")",
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
