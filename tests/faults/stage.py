"""An installation as its containers are, on a PostgreSQL and a Redis of its own, and how to kill them."""

import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import redis

from tests.installation import ROOT, script
from tools.services import _postgres_programs, free_port

HOST = "elenchus.example.org"
KILLED = ("web", "web child", "worker", "beat", "redis", "redis's memory", "postgres")


class Stage:
    """The processes of one installation, each started again when it ends, and how to kill them."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.over = folder, threading.Event()
        self.ports = {name: free_port() for name in ("web", "redis", "postgres")}
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        programs = _postgres_programs()
        assert programs, "PostgreSQL is not installed"
        folder.chmod(0o755)
        data = folder / "postgres"
        data.mkdir()
        as_postgres = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        if as_postgres:
            shutil.chown(data, "postgres")
        subprocess.run(
            [*as_postgres, f"{programs}/initdb", "-D", str(data), "-U", "postgres", "--auth=trust"],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        (folder / "redis").mkdir()
        (folder / "data").mkdir()
        serve = json.loads(
            re.search(r"^CMD (\[.*\])", (ROOT / "Dockerfile").read_text().replace("\\\n", ""), re.M)[1]
        )
        swapped = {"8000": str(self.ports["web"]), "0.0.0.0": "127.0.0.1"}
        python = sys.executable
        celery = [python, "-m", "celery", "--app", "config"]
        self.commands = {
            "postgres": [
                *(*as_postgres, f"{programs}/postgres", "-D", str(data), "-p", str(self.ports["postgres"])),
                *("-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="),
            ],
            "redis": [
                *("redis-server", "--port", str(self.ports["redis"]), "--bind", "127.0.0.1"),
                *("--appendonly", "yes", "--dir", str(folder / "redis")),
            ],
            "web": [python, *[swapped.get(part, part) for part in serve[1:]]],
            "worker": [*celery, "worker", "--concurrency", "2", "--loglevel", "INFO"],
            "beat": [*celery, "beat", "--loglevel", "INFO"],
        }
        self.environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith("ELENCHUS_")},
            "DJANGO_SETTINGS_MODULE": "config.settings.production",
            "ELENCHUS_DATA": str(folder / "data"),
            "ELENCHUS_SECRET_KEY": "0123456789abcdefghijklmnopqrstuvwxyz-0123456789-abcdefgh",
            "ELENCHUS_HOSTS": HOST,
            "ELENCHUS_ORIGINS": f"https://{HOST}",
            "ELENCHUS_PROXIES": "1",
            "DATABASE_URL": f"postgres://postgres@127.0.0.1:{self.ports['postgres']}/postgres",
            "CELERY_BROKER_URL": f"redis://127.0.0.1:{self.ports['redis']}/0",
            "PYTHONPATH": str(ROOT),
        }

    def start(self, name: str) -> None:
        with (self.folder / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                self.commands[name],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def keep(self, name: str) -> None:
        """Start a process again a moment after it ended, as `restart: unless-stopped` does."""
        while not self.over.is_set():
            if self.processes[name].poll() is not None:
                self.start(name)
            self.over.wait(1.0)

    def kill(self, name: str) -> bool:
        """Kill a process at once, with those that it started; say whether there was one.

        `redis's memory` is a broker that forgets: it stays up and loses every message, count and lock.
        """
        if name == "redis's memory":
            with suppress(redis.RedisError), redis.Redis(port=self.ports["redis"]) as broker:
                return bool(broker.flushall())
            return False
        process = self.processes["web" if name == "web child" else name]
        if process.poll() is not None:
            return False
        if name == "web child":
            told = subprocess.run(
                ["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=False
            )
            children = told.stdout.split()
            if not children:
                return False
            os.kill(int(random.choice(children)), signal.SIGKILL)
        else:  # the whole group: PostgreSQL's own process is a child of runuser
            os.killpg(process.pid, signal.SIGKILL)
        return True

    def python(self, code: str) -> str:
        done = subprocess.run(
            [sys.executable, *script(code)],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    def answers(self, name: str) -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.ports[name]), timeout=1):
            return True
        return False

    def wait_for(self, name: str, seconds: float = 60) -> None:
        until = time.monotonic() + seconds
        while not self.answers(name):
            assert time.monotonic() < until, f"{name} does not answer: {(self.folder / f'{name}.log')}"
            self.over.wait(0.1)

    def end(self) -> None:
        self.over.set()
        for process in self.processes.values():
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
