"""An installation of its own on disk, with the product's web server as a process that can be killed."""

import os
import signal
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

SEED = """
from tests import factories
made = factories.study("focus", annotators=2, items={items}, slug="bench")
factories.open_round(made, order="by_argument")
"""


def script(code: str) -> tuple[str, str]:
    """Return the arguments with which Python runs code that uses the installation."""
    return "-c", f"import django; django.setup()\n{code}"


class Installation:
    """A folder for everything, SQLite too unless a database is named; granian on a free port of 127.0.0.1."""

    def __init__(self, folder: Path, *, database: str = "", web_processes: int = 1, **settings: str) -> None:
        self.folder = folder
        self.web_processes = web_processes
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "config.settings.embedded",
            "ELENCHUS_DATA": str(folder),
            "ELENCHUS_LOG_LEVEL": "ERROR",
            "DATABASE_URL": database,
            "CELERY_BROKER_URL": "",
            "PYTHONPATH": str(ROOT),
            **settings,
        }
        self.process: subprocess.Popen | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def begin(self, *arguments: str, **options: Any) -> subprocess.Popen[str]:
        """Start Python with the installation's settings."""
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        return subprocess.Popen(
            [sys.executable, *arguments], cwd=ROOT, env=self.environment, text=True, **streams
        )

    def run(self, *arguments: str) -> str:
        """Run Python with the installation's settings; return what it printed."""
        process = self.begin(*arguments)
        output, errors = process.communicate()
        assert process.returncode == 0, errors
        return output

    def migrate(self) -> None:
        self.run("manage.py", "migrate", "--verbosity", "0")

    def seed(self, *, items: int) -> None:
        """Create a FOCUS study with an open round; Ann's password is “secret”."""
        self.run(*script(SEED.format(items=items)))

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return what a query finds in the installation's SQLite."""
        with closing(sqlite3.connect(self.folder / "elenchus.sqlite3")) as database:
            return database.execute(query).fetchall()

    def start(self) -> None:
        """Start the web server and return once it answers."""
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-m", "config.web_server", "--interface", "wsgi", "--host", "127.0.0.1"),
                *("--port", str(self.port), "--no-access-log", "--workers", str(self.web_processes)),
                *("--blocking-threads", "4", "--http", "1", "--no-ws", "config.wsgi:application"),
            ],
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        while True:
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
                    connection.sendall(b"GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n")
                    if b"200" in connection.recv(64):
                        return
            except OSError:
                # Asking without a pause would take a core from the server that starts.
                with suppress(subprocess.TimeoutExpired):
                    self.process.wait(timeout=0.05)
                    raise RuntimeError("the web server ended before it answered") from None

    def kill(self) -> None:
        """Kill the server and its workers at once, as a power cut would."""
        if self.process is not None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None
