"""Database triggers that refuse a kind of write: how they are written, installed and taken away.

Django's table rebuild on SQLite drops triggers silently, so they are installed after every `migrate`.
A trigger's condition says when a write is refused; NEW and OLD are the row after and before. The same
SQL serves SQLite and PostgreSQL but for what looks into the codebook's JSON.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.apps import AppConfig
from django.db import connections, transaction
from django.db.models.signals import post_migrate, pre_migrate

from annotation.database.counters import Counter
from annotation.database.erasure import PROJECT_DELETED
from annotation.database.trigram_index import WordsKept
from annotation.limits import Limit

ALWAYS = "1 = 1"


@dataclass(frozen=True, slots=True)
class Trigger:
    """One refused kind of write: `events` on `table` where `condition` holds.

    `where` is the part of the condition that looks at NEW and OLD alone. PostgreSQL starts a query for any
    condition with one in it, which a write that `where` rules out then does without.
    What is erased by right passes (`annotation.database.erasure`): any row of a project that is deleted,
    updates where `erased_update` holds, and deletes where `erased_delete` does.
    """

    name: str
    table: str
    events: tuple[str, ...]
    condition: str
    message: str
    condition_postgresql: str = ""
    where: str = ""
    erased_update: str = ""
    erased_delete: str = ""

    def statements(self, vendor: str) -> list[str]:
        """Return the SQL that installs the trigger on SQLite or PostgreSQL."""
        if vendor == "postgresql":
            return [*self.drop_statements(vendor), self._postgresql_function(), self._postgresql_trigger()]
        refuses = f"({self.where}) AND ({self.condition})" if self.where else self.condition
        return self.drop_statements(vendor) + [
            f"CREATE TRIGGER {self.name}_{event.lower()} BEFORE {event} ON {self.table} FOR EACH ROW "
            f"WHEN {self._but_erased(refuses, event)} BEGIN SELECT RAISE(ABORT, '{self.message}'); END"
            for event in self.events
        ]

    def drop_statements(self, vendor: str) -> list[str]:
        """Return the SQL that takes the trigger away."""
        if vendor == "postgresql":
            return [f"DROP TRIGGER IF EXISTS {self.name} ON {self.table}"]
        return [f"DROP TRIGGER IF EXISTS {self.name}_{event.lower()}" for event in self.events]

    def _passes(self, event: str) -> str:
        """Return the condition that a write which the trigger refuses is an erasure, "" where none is."""
        if event == "DELETE":
            return f"{PROJECT_DELETED} OR {self.erased_delete}" if self.erased_delete else PROJECT_DELETED
        return self.erased_update if event == "UPDATE" else ""

    def _but_erased(self, condition: str, event: str) -> str:
        passes = self._passes(event)
        return f"({condition}) AND NOT ({passes})" if passes else condition

    def _postgresql_function(self) -> str:
        # Error class 23514 is check_violation, so that Django raises IntegrityError as for a CHECK.
        returned = "OLD" if self.events == ("DELETE",) else "COALESCE(NEW, OLD)"
        refuses = self.condition_postgresql or self.condition
        for event in self.events:
            if passes := self._passes(event):
                refuses = f"({refuses}) AND NOT (TG_OP = '{event}' AND ({passes}))"
        body = (
            f"IF {refuses} THEN RAISE EXCEPTION USING ERRCODE = '23514', MESSAGE = '{self.message}'; END IF;"
        )
        if self.where:
            body = f"IF {self.where} THEN {body} END IF;"
        return (
            f"CREATE OR REPLACE FUNCTION {self.name}() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN "
            f"{body} RETURN {returned}; END $body$"
        )

    def _postgresql_trigger(self) -> str:
        return (
            f"CREATE TRIGGER {self.name} BEFORE {' OR '.join(self.events)} ON {self.table} "
            f"FOR EACH ROW EXECUTE FUNCTION {self.name}()"
        )


AnyTrigger = Trigger | Counter | WordsKept


def changed(names: Sequence[str], may_be_null: Sequence[str] = ()) -> str:
    """Return the condition that an update changes one of these columns."""
    # `<>` with NULL is NULL, which refuses nothing; not every SQLite that Python brings has IS DISTINCT FROM.
    plain = [f'NEW."{name}" <> OLD."{name}"' for name in names]
    return " OR ".join(
        plain
        + [
            f'(NEW."{name}" <> OLD."{name}" OR (NEW."{name}" IS NULL) <> (OLD."{name}" IS NULL))'
            for name in may_be_null
        ]
    )


def limit_triggers(app: str, limits: Mapping[str, Mapping[str, Limit]]) -> Iterator[Trigger]:
    """Return what keeps the limits of an app's texts.

    No CHECK: rows from before there was a limit stay, and can be written again as long as their text stays.
    """
    for model, fields in limits.items():
        table = f"{app}_{model}"
        longer = {name: f'length(NEW."{name}") > {limit.characters}' for name, limit in fields.items()}
        told = ", ".join(f"{name} {limit.characters}" for name, limit in fields.items())
        message = f"a text is longer than its limit in characters: {told}"
        yield Trigger(f"{model}_texts_fit", table, ("INSERT",), " OR ".join(longer.values()), message)
        changed = [f'{is_longer} AND NEW."{name}" <> OLD."{name}"' for name, is_longer in longer.items()]
        yield Trigger(f"{model}_texts_still_fit", table, ("UPDATE",), " OR ".join(changed), message)


def run_statements(using: str, statements: Sequence[str]) -> None:
    """Run DDL statements in one transaction."""
    with transaction.atomic(using=using), connections[using].cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def install(triggers: Sequence[AnyTrigger], using: str) -> None:
    """Install the triggers, replacing those that are there."""
    vendor = connections[using].vendor
    run_statements(using, [sql for trigger in triggers for sql in trigger.statements(vendor)])


def install_where_tables_are(triggers: Sequence[AnyTrigger], using: str) -> None:
    """Install the triggers of those tables that are there."""
    tables = set(connections[using].introspection.table_names())
    install([trigger for trigger in triggers if trigger.table in tables], using)


def lift_before_rebuild(triggers: Sequence[AnyTrigger], *, using: str, plan: Sequence[Any] | None) -> None:
    """Take the triggers away before `migrate` changes tables; after it they are installed again.

    On SQLite Django rebuilds a table under another name, which is refused while a trigger names the table.
    On PostgreSQL a trigger may read a column that an earlier migration, done again, does not have yet.
    """
    vendor = connections[using].vendor
    if plan:
        run_statements(using, [sql for trigger in triggers for sql in trigger.drop_statements(vendor)])


_KEPT: dict[str, Sequence[AnyTrigger]] = {}


def keep_triggers(app: AppConfig, triggers: Sequence[AnyTrigger]) -> None:
    """Have `migrate` install an app's triggers, and take them away while it changes tables."""

    def lift(*, using: str, plan: Sequence[Any] | None = None, **_signal: Any) -> None:
        lift_before_rebuild(triggers, using=using, plan=plan)

    def install_again(*, using: str, **_signal: Any) -> None:
        install_where_tables_are(triggers, using)

    _KEPT[app.label] = triggers
    pre_migrate.connect(lift, sender=app, weak=False, dispatch_uid=f"{app.label}_lift_triggers")
    post_migrate.connect(install_again, sender=app, weak=False, dispatch_uid=f"{app.label}_install_triggers")


def kept_triggers() -> list[AnyTrigger]:
    """Return the triggers of all apps."""
    return [trigger for triggers in _KEPT.values() for trigger in triggers]
