"""A release that is done stays as it is: kept by the database."""

from typing import Any

from django.db import connections

from annotation.triggers import Trigger, install

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
    """Install this app's triggers once its tables are there (after `migrate`)."""
    tables = set(connections[using].introspection.table_names())
    if {trigger.table for trigger in TRIGGERS} <= tables:
        install(TRIGGERS, using)
