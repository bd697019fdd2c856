"""Run the web server and the background worker together, until told to stop: see core/supervisor.py.

See docs/decisions/running.md.
"""

import contextlib
import errno
import fcntl
import json
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.sample import LOGINS
from core import supervisor

SECOND_WEB_NEEDS = 2**30
"""Bytes of memory that are free: a second web process takes up to 90 MB of it, reports and releases more."""


class Command(BaseCommand):
    """Start granian and a Celery worker; when one of them dies or a signal comes, stop both."""

    help = "Run the web server and the background worker together, until Ctrl-C."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1)")
        parser.add_argument("--port", type=int, default=8000, help="port to listen on (default 8000)")
        parser.add_argument(
            "--sample-logins",
            action="store_true",
            help="print the log-ins of the sample data, and offer them on the log-in page: for a demo",
        )

    def handle(self, *, host: str, port: int, sample_logins: bool, **options: Any) -> None:
        with only_one_per_data_folder(settings.DATA_DIR) as lock:
            refuse_a_port_in_use(host, port)
            # The process becomes the supervisor and keeps the lock, which holds as long as the file is open.
            os.set_inheritable(lock.fileno(), True)
            plan = plan_supervisor(host, port, sample_logins=sample_logins)
            os.execv(sys.executable, [sys.executable, "-m", supervisor.__name__, json.dumps(plan)])


def plan_supervisor(host: str, port: int, *, sample_logins: bool) -> supervisor.Plan:
    """Say which processes belong together, and what is told once the first answers."""
    # Said to this child alone: no setting of an installation switches it on.
    shown = {"ELENCHUS_SERVED_WITH": "sample-logins"} if sample_logins else {}
    logins = sample_login_lines() if sample_logins else []
    return {
        "folder": str(settings.BASE_DIR),
        "children": [
            {"name": "web server", "command": web_command(host, port), "environment": shown},
            {"name": "worker", "command": worker_command(), "environment": {}},
        ],
        "not_passed_on": ["ELENCHUS_SERVED_WITH"],
        "host": host,
        "port": port,
        "lines": ["", f"Elenchus runs at http://{host}:{port}/", *logins, "Ctrl-C stops it.", ""],
        "last_line": "Elenchus has stopped.",
    }


def web_command(host: str, port: int) -> list[str]:
    return [
        *(sys.executable, "-m", "config.web_server", "--interface", "wsgi"),
        *("--host", host, "--port", str(port)),
        *("--workers", str(web_processes()), "--blocking-threads", "4", "--http", "1", "--no-ws"),
        *("--log-level", "warning"),
        "--respawn-failed-workers",
        "config.wsgi:application",
    ]


def web_processes() -> int:
    """Return 2 where a second core and the memory for a second web process are there, else 1."""
    return 2 if (os.cpu_count() or 1) > 1 and memory_available() > SECOND_WEB_NEEDS else 1


def memory_available() -> int:
    """Return the bytes that processes may still take, in a container those of its limit; 0 if unknown."""
    found = [0]
    with contextlib.suppress(OSError):
        known = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
        found = [int(known["MemAvailable"].split()[0]) * 1024]
    with contextlib.suppress(OSError, ValueError):  # no container, or one without a limit
        found.append(int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return min(found)


def worker_command() -> list[str]:
    return [
        # The demo may be run by root, in a container for instance; only JSON is taken, so that is no danger.
        *(sys.executable, "-W", "ignore:You're running the worker with superuser privileges"),
        *("-m", "celery", "--quiet", "--app", "config", "worker", "--pool", "threads"),
        *("--concurrency", "2", "--beat-thread", "--loglevel", "WARNING"),
        # Chatter between workers: here there is one, and on a broker of files each word is a file.
        *("--without-gossip", "--without-mingle", "--without-heartbeat"),
    ]


@contextlib.contextmanager
def only_one_per_data_folder(folder: Path) -> Iterator[TextIO]:
    """Hold the folder's lock, or say that another one runs from it."""
    with open(folder / "serve.lock", "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise CommandError(f"Elenchus is already running on the data in {folder}.") from error
        yield file


def refuse_a_port_in_use(host: str, port: int) -> None:
    """Say so in one line. Left to granian, two servers would share the port and take turns."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise CommandError(f"Cannot listen on {host}:{port}: {error.strerror}.") from error
            raise CommandError(
                f"Port {port} is in use. Choose another one, for example: make demo PORT={port + 1000}"
            ) from error


def sample_login_lines() -> list[str]:
    """Return one line for each row of `annotation.sample.LOGINS`: who, user name, password."""
    return [f"  log in as {user} with password {password} ({who})" for who, user, password in LOGINS]
