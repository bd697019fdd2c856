"""`manage.py serve`: two processes that live and die together."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management.base import CommandError

from frontend.management.commands.serve import only_one_per_data_folder

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="finds processes in /proc")


def manage(data: Path, *arguments: str, **options) -> subprocess.Popen[str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("ELENCHUS_") and name not in {"DATABASE_URL", "CELERY_BROKER_URL"}
    }
    return subprocess.Popen(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env={**kept, "DJANGO_SETTINGS_MODULE": "config.settings.embedded", "ELENCHUS_DATA": str(data)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **options,
    )


def processes_of(data: Path) -> dict[int, str]:
    """Return the running processes that were started for a data folder, by their command lines."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                if f"ELENCHUS_DATA={data}\0".encode() in (folder / "environ").read_bytes():
                    found[int(folder.name)] = (folder / "cmdline").read_text().replace("\0", " ")
    return found


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Serving:
    """A running `manage.py serve`, whose address was announced."""

    def __init__(self, data: Path) -> None:
        self.data, self.port = data, free_port()
        self.process = manage(data, "serve", "--port", str(self.port), "--sample-logins")
        self.lines: list[str] = []
        for line in self.process.stdout:
            self.lines.append(line.strip())
            if line.startswith("Ctrl-C stops it."):
                return
        raise AssertionError("\n".join(self.lines))

    def get(self, path: str) -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=10) as response:
            return response.read().decode()

    def end(self) -> tuple[int, str]:
        output, _ = self.process.communicate(timeout=60)
        return self.process.returncode, output


@pytest.fixture
def serving(migrated, tmp_path) -> Iterator[Serving]:
    served = Serving(shutil.copytree(migrated, tmp_path / "data"))
    yield served
    if served.process.poll() is None:
        served.process.terminate()
        served.process.communicate(timeout=60)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_answers_until_a_signal_comes_and_leaves_no_process_behind(serving, number):
    assert f"Elenchus runs at http://127.0.0.1:{serving.port}/" in serving.lines
    assert "log in as lea with password elenchus (lead)" in serving.lines
    assert serving.get("/healthz") == "ok\n"
    commands = " ".join(processes_of(serving.data).values())
    assert "config.web_server" in commands
    assert "celery" in commands
    with pytest.raises(CommandError, match="already running"), only_one_per_data_folder(serving.data):
        pass
    serving.process.send_signal(number)
    code, output = serving.end()
    assert (code, output.splitlines()[-1]) == (0, "Elenchus has stopped.")
    assert processes_of(serving.data) == {}
    with pytest.raises(urllib.error.URLError):
        serving.get("/healthz")


@pytest.mark.parametrize("name, program", [("worker", "celery"), ("web server", "config.web_server")])
def test_the_death_of_one_process_stops_the_other_and_is_told(serving, name, program):
    victim = min(pid for pid, command in processes_of(serving.data).items() if f"-m {program}" in command)
    os.kill(victim, signal.SIGKILL)
    code, output = serving.end()
    assert code == 1
    assert f"The {name} ended unexpectedly (exit code -9); stopping all." in output
    assert processes_of(serving.data) == {}


def test_a_second_one_on_the_same_data_is_refused(tmp_path):
    with only_one_per_data_folder(tmp_path):
        second = manage(tmp_path, "serve", "--port", str(free_port()))
        output, _ = second.communicate(timeout=60)
    assert second.returncode == 1
    assert output == f"CommandError: Elenchus is already running on the data in {tmp_path}.\n"
    assert processes_of(tmp_path) == {}


def test_a_port_in_use_is_said_in_one_line(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        process = manage(tmp_path, "serve", "--port", str(port))
        output, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    advice = f"Choose another one, for example: make demo PORT={port + 1000}"
    assert output == f"CommandError: Port {port} is in use. {advice}\n"
    assert processes_of(tmp_path) == {}
