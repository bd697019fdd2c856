"""Run the web server and the background worker together, until told to stop.

See docs/decisions/running.md.
"""

import contextlib
import errno
import fcntl
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.sample import LOGINS

READY_SECONDS = 90
GRACE_SECONDS = 15
SECOND_WEB_NEEDS = 2**30
"""Bytes of memory that are free: a second web process takes a tenth of it, reports and releases need more."""


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
        stop = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda *_: stop.set())
        with only_one_per_data_folder(settings.DATA_DIR):
            refuse_a_port_in_use(host, port)
            children: dict[str, subprocess.Popen[bytes]] = {}
            try:
                # Said to this child alone: no setting of an installation switches it on.
                shown = {"ELENCHUS_SERVED_WITH": "sample-logins"} if sample_logins else {}
                children["web server"] = start_child(*web_command(host, port), environment=shown)
                children["worker"] = start_child(*worker_command())
                if wait_until_ready(f"http://{host}:{port}/healthz", children, stop):
                    self.announce(f"http://{host}:{port}/", sample_logins)
                    wait_for_the_end(children, stop)
            finally:
                stop_children(children.values())
        self.stdout.write("Elenchus has stopped.")

    def announce(self, address: str, sample_logins: bool) -> None:
        self.stdout.write(f"\nElenchus runs at {address}\n")
        for line in sample_login_lines() if sample_logins else ():
            self.stdout.write(line)
        self.stdout.write("Ctrl-C stops it.\n\n")
        self.stdout.flush()


def web_command(host: str, port: int) -> list[str]:
    return [
        *(sys.executable, "-m", "granian", "--interface", "wsgi", "--host", host, "--port", str(port)),
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
        *("--concurrency", "2", "--beat", "--loglevel", "WARNING"),
        # Chatter between workers: here there is one, and on a broker of files each word is a file.
        *("--without-gossip", "--without-mingle", "--without-heartbeat"),
    ]


def start_child(*command: str, environment: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
    """Start a process in a group of its own, out of reach of the terminal's Ctrl-C."""
    kept = {name: value for name, value in os.environ.items() if name != "ELENCHUS_SERVED_WITH"}
    return subprocess.Popen(
        command, cwd=settings.BASE_DIR, start_new_session=True, env={**kept, **(environment or {})}
    )


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


def wait_until_ready(url: str, children: dict[str, subprocess.Popen[bytes]], stop: threading.Event) -> bool:
    """Return True once the health check answers; False when told to stop before."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    limit = time.monotonic() + READY_SECONDS
    while not stop.wait(0.1):
        refuse_a_dead_child(children)
        with contextlib.suppress(urllib.error.URLError, OSError), opener.open(url, timeout=5):
            return True
        if time.monotonic() > limit:
            raise CommandError(f"The web server did not answer at {url} within {READY_SECONDS} seconds.")
    return False


def wait_for_the_end(children: dict[str, subprocess.Popen[bytes]], stop: threading.Event) -> None:
    """Return when told to stop; raise CommandError when a child dies."""
    while not stop.wait(0.2):
        refuse_a_dead_child(children)


def refuse_a_dead_child(children: dict[str, subprocess.Popen[bytes]]) -> None:
    for name, child in children.items():
        if child.poll() is not None:
            raise CommandError(f"The {name} ended unexpectedly (exit code {child.returncode}); stopping all.")


def stop_children(children: Any) -> None:
    """Ask each to end, wait for all, then end whatever is left of their process groups."""
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


def sample_login_lines() -> list[str]:
    """Return one line for each row of `annotation.sample.LOGINS`: who, user name, password."""
    return [f"  log in as {user} with password {password} ({who})" for who, user, password in LOGINS]
