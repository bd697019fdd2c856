"""What the processes of test_filesystem_broker do: `produce FOLDER NAME COUNT` and `consume FOLDER`.

A consumer prints each message that it took, one a line, until it is told `stop` by a message.
"""

import sys
from collections.abc import Sequence
from queue import Empty

from kombu import Connection

from config.filesystem_broker import register

QUEUE = "work"


def connect(folder: str) -> Connection:
    register()
    return Connection("atomicfs://", transport_options={"folder": folder})


def produce(folder: str, name: str, count: int) -> None:
    with connect(folder) as connection, connection.SimpleQueue(QUEUE) as queue:
        for number in range(count):
            # Long enough for a write to be seen half done, were it not atomic.
            queue.put({"name": f"{name}-{number}", "padding": "é" * 20_000})


def consume(folder: str) -> None:
    with connect(folder) as connection, connection.SimpleQueue(QUEUE, no_ack=True) as queue:
        while True:
            try:
                message = queue.get(timeout=0.2)
            except Empty:
                continue
            if message.payload["name"] == "stop":
                return
            assert message.payload["padding"] == "é" * 20_000
            sys.stdout.write(message.payload["name"] + "\n")


def main(arguments: Sequence[str]) -> None:
    if arguments[0] == "produce":
        produce(arguments[1], arguments[2], int(arguments[3]))
    else:
        consume(arguments[1])


if __name__ == "__main__":
    main(sys.argv[1:])
