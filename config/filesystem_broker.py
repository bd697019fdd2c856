"""A message broker made of files, for one machine without a broker server.

kombu's filesystem transport with every step made atomic. The stock one writes a message in place, so that a
reader can take half of it; keeps the table of bindings the same way; and claims a message by a move that is a
copy where the temporary folder is another filesystem, so that two readers can take it.

Below `folder` of the transport options: messages (one file each), claimed (being read), control (bindings).
"""

import fcntl
import os
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty
from typing import Any

from kombu import Connection
from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.transport.virtual import BrokerState
from kombu.utils.json import dumps, loads

SCHEME = "atomicfs"


def register() -> None:
    """Make atomicfs:// known to kombu."""
    TRANSPORT_ALIASES[SCHEME] = "config.filesystem_broker:Transport"


class Channel(filesystem.Channel):
    """A channel whose messages and bindings appear whole or not at all."""

    @property
    def folder(self) -> Path:
        return Path(self.transport_options["folder"])

    @property
    def data_folder_in(self) -> Path:
        return self._made("messages")

    @property
    def data_folder_out(self) -> Path:
        return self._made("messages")

    @property
    def control_folder(self) -> Path:
        return self._made("control")

    # kombu's own classes disagree on arguments and rows.
    def _put(self, queue: str, payload: dict[str, Any], **kwargs: Any) -> None:  # type: ignore[override]
        name = f"{time.time_ns()}_{uuid.uuid4()}.{queue}.msg"
        _write_whole(self.data_folder_out / name, dumps(payload))

    def _get(self, queue: str, timeout: float | None = None) -> dict[str, Any]:
        claimed = self._made("claimed")
        for name in sorted(os.listdir(self.data_folder_in)):
            if name.partition(".")[2] != f"{queue}.msg":
                continue
            with suppress(FileNotFoundError):  # another reader was first
                os.rename(self.data_folder_in / name, claimed / name)
                payload: dict[str, Any] = loads((claimed / name).read_text(encoding="utf-8"))
                (claimed / name).unlink()
                return payload
        raise Empty()

    def get_table(self, exchange: str) -> list[filesystem.exchange_queue_t]:  # type: ignore[override]
        """Return the bindings of an exchange."""
        try:
            rows = loads(self._table_file(exchange).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return []
        return [filesystem.exchange_queue_t(*row) for row in rows]

    def _queue_bind(self, exchange: str, routing_key: str | None, pattern: str | None, queue: str) -> None:
        binding = filesystem.exchange_queue_t(routing_key or "", pattern or "", queue or "")
        with self._bindings_locked():
            table = self.get_table(exchange)
            if binding not in table:
                _write_whole(self._table_file(exchange), dumps([binding, *table]))

    def _delete(
        self, queue: str, exchange: str, routing_key: str, pattern: str, *args: Any, **kwargs: Any
    ) -> None:
        self._purge(queue)
        binding = filesystem.exchange_queue_t(routing_key or "", pattern or "", queue or "")
        with self._bindings_locked():
            table = self.get_table(exchange)
            if binding in table:
                _write_whole(self._table_file(exchange), dumps([row for row in table if row != binding]))

    @contextmanager
    def _bindings_locked(self) -> Iterator[None]:
        with open(self.control_folder / "lock", "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _table_file(self, exchange: str) -> Path:
        return self.control_folder / f"{exchange}.exchange"

    def _made(self, name: str) -> Path:
        folder = self.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder


class Transport(filesystem.Transport):
    """atomicfs://, looked at ten times a second."""

    Channel = Channel
    polling_interval = 0.1

    def __init__(self, client: Connection, **kwargs: Any) -> None:
        super().__init__(client, **kwargs)
        # The stock transport remembers bindings for the whole process, whatever the folder, and so would not
        # write those that another folder needs.
        self.state = BrokerState()


def _write_whole(file: Path, text: str) -> None:
    draft = file.with_name(f"{uuid.uuid4()}.draft")
    draft.write_text(text, encoding="utf-8")
    os.replace(draft, file)
