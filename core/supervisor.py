"""Processes that live and die together: `python -m core.supervisor PLAN`, which `manage.py serve` becomes.

It waits for hours, so it loads next to nothing: no Django, and nothing that knows TLS.

See docs/decisions/running.md.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from typing import TypedDict

READY_SECONDS = 90
GRACE_SECONDS = 15


class Child(TypedDict):
    """A process: what people call it, how it starts, and what is added to its environment."""

    name: str
    command: list[str]
    environment: dict[str, str]


class Plan(TypedDict):
    """The processes, the first of which answers at `host` and `port` once it is ready; then `lines` are told.

    `not_passed_on` are variables of the environment that no process gets but by its own.
    """

    folder: str
    children: list[Child]
    not_passed_on: list[str]
    host: str
    port: int
    lines: list[str]
    last_line: str


Running = dict[str, "subprocess.Popen[bytes]"]


class Failed(Exception):
    """Why all of them were stopped, in a sentence."""


def main() -> None:
    """Run the plan of the command line until a signal comes, or until one of its processes ends."""
    plan: Plan = json.loads(sys.argv[1])
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: stop.set())
    try:
        run(plan, stop)
    except Failed as failure:
        sys.exit(f"CommandError: {failure}")


def run(plan: Plan, stop: threading.Event) -> None:
    """Start all processes; stop all when told to, or when one has ended, which raises Failed."""
    running: Running = {}
    try:
        for child in plan["children"]:
            running[child["name"]] = start_child(child, plan)
        if wait_until_ready(plan["host"], plan["port"], running, stop):
            tell(*plan["lines"])
            while not stop.wait(0.2):
                refuse_a_dead_child(running)
    finally:
        stop_children(running.values())
    tell(plan["last_line"])


def tell(*lines: str) -> None:
    """Say something to whoever started it."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def start_child(child: Child, plan: Plan) -> subprocess.Popen[bytes]:
    """Start a process in a group of its own, out of reach of the terminal's Ctrl-C."""
    kept = {name: value for name, value in os.environ.items() if name not in plan["not_passed_on"]}
    environment = {**kept, **child["environment"]}
    return subprocess.Popen(child["command"], cwd=plan["folder"], start_new_session=True, env=environment)


def wait_until_ready(host: str, port: int, running: Running, stop: threading.Event) -> bool:
    """Return True once the health check answers; False when told to stop before."""
    limit = time.monotonic() + READY_SECONDS
    while not stop.wait(0.1):
        refuse_a_dead_child(running)
        if is_healthy(host, port):
            return True
        if time.monotonic() > limit:
            raise Failed(f"The web server did not answer at {host}:{port} within {READY_SECONDS} seconds.")
    return False


def is_healthy(host: str, port: int) -> bool:
    """Whether /healthz answers with 200."""
    with contextlib.suppress(OSError), socket.create_connection((host, port), timeout=5) as connection:
        connection.sendall(f"GET /healthz HTTP/1.0\r\nHost: {host}:{port}\r\n\r\n".encode())
        return connection.recv(64).split(maxsplit=2)[1:2] == [b"200"]
    return False


def refuse_a_dead_child(running: Running) -> None:
    """Raise Failed where a process has ended."""
    for name, child in running.items():
        if child.poll() is not None:
            raise Failed(f"The {name} ended unexpectedly (exit code {child.returncode}); stopping all.")


def stop_children(children: Iterable[subprocess.Popen[bytes]]) -> None:
    """Ask each to end, wait for all, then end whatever is left of their process groups."""
    children = list(children)
    for child in children:
        with contextlib.suppress(ProcessLookupError):
            child.terminate()
    limit = time.monotonic() + GRACE_SECONDS
    for child in children:
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(max(0.0, limit - time.monotonic()))
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


if __name__ == "__main__":
    main()
