"""Find the services that the tests need; else start them; else install and start them.

Only the standard library. What is started listens on 127.0.0.1 on a free port, keeps its files in the scratch
folder and is stopped by its own process id.
"""

import contextlib
import functools
import glob
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

READY_SECONDS = 30
FONTS = {"NotoColorEmoji*": "fonts-noto-color-emoji", "wqy-zenhei*": "fonts-wqy-zenhei"}


class Missing(Exception):
    """A service that is not here; the message says how to get it."""


def apt_install(*packages: str) -> bool:
    """Install Debian packages, when that is ours to do; return whether it was done."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return False
    print(f"Installing {' '.join(packages)} ...", flush=True)
    return _apt_get("update") and _apt_get("install", "-y", "--no-install-recommends", *packages)


@functools.cache
def _apt_get(*words: str) -> bool:
    """Return whether it was done; what was asked for once is not done again."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    command = ["apt-get", "-qq", *words]
    return subprocess.run(command, check=False, stdout=subprocess.DEVNULL, env=environment).returncode == 0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        found: int = probe.getsockname()[1]
        return found


def _find_or_install(find: Callable[[], str | None], *packages: str) -> str | None:
    """Return what `find` finds, before or after installing the packages."""
    return find() or (find() if apt_install(*packages) else None)


@dataclass
class Services:
    """The services of one run; `stop` ends those that it started."""

    scratch: Path
    redis: subprocess.Popen[bytes] | None = None
    postgres: list[str] = field(default_factory=list)  # the command that stops it

    def redis_url(self) -> str:
        """Return the address of a Redis server."""
        if _redis_answers(6379):
            return "redis://127.0.0.1:6379/15"
        program = _find_or_install(lambda: shutil.which("redis-server"), "redis-server")
        if program is None:
            raise Missing("Redis; get it with: sudo apt-get install redis-server")
        port = free_port()
        folder = self.scratch / "redis"
        folder.mkdir()
        options = {"bind": "127.0.0.1", "port": port, "save": "", "appendonly": "no", "dir": folder}
        options["logfile"] = folder / "log"
        self.redis = subprocess.Popen(
            [program, *(str(part) for name, value in options.items() for part in (f"--{name}", value))],
            start_new_session=True,
        )
        limit = time.monotonic() + READY_SECONDS
        while not _redis_answers(port):
            if self.redis.poll() is not None or time.monotonic() > limit:
                raise Missing(f"Redis, which did not start; its log: {(folder / 'log').read_text()}")
            time.sleep(0.05)
        return f"redis://127.0.0.1:{port}/0"

    def postgres_url(self) -> str:
        """Return the address, without a database's name, of a PostgreSQL that lets us make databases."""
        if _postgres_lets_us_in(5432):
            return "postgres://postgres@127.0.0.1:5432"
        programs = _find_or_install(_postgres_programs, "postgresql")
        if programs is None:
            raise Missing("PostgreSQL; get it with: sudo apt-get install postgresql")
        as_postgres = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        folder, port = self.scratch / "postgres", free_port()
        folder.mkdir()
        if as_postgres:
            # PostgreSQL refuses to run as root: its own user must reach and own the folder.
            self.scratch.chmod(0o755)
            shutil.chown(folder, "postgres")
        data = str(folder / "data")
        _run(
            *(*as_postgres, f"{programs}/initdb", "-D", data, "-U", "postgres", "--auth=trust"),
            *("--no-sync", "-E", "UTF8", "--locale=C.UTF-8"),
        )
        options = (
            f"-c listen_addresses=127.0.0.1 -c port={port} -c unix_socket_directories='' "
            "-c fsync=off -c synchronous_commit=off -c full_page_writes=off"
        )
        control = [*as_postgres, f"{programs}/pg_ctl", "-D", data, "-w"]
        self.postgres = [*control, "-m", "immediate", "stop"]
        _run(*control, "-l", str(folder / "log"), "-o", options, "start")
        return f"postgres://postgres@127.0.0.1:{port}"

    def stop(self) -> None:
        """End what this run started."""
        if self.redis:
            self.redis.terminate()
            self.redis.wait()
        if self.postgres:
            subprocess.run(self.postgres, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def chromium_path() -> str:
    """Return a Chromium that starts, with fonts for the scripts that the pages are tested in.

    Preferred is the one without windows: a page in it takes a third of the other's time. Where another is
    there already nothing is installed.
    """
    missing = [
        package
        for name, package in FONTS.items()
        if not glob.glob(f"/usr/share/fonts/**/{name}", recursive=True)
    ]
    if missing:
        apt_install(*missing)
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    path = _starting(*names)
    for package in names[:2]:
        path = path or _find_or_install(lambda: _starting(*names), package)
    if path is None:
        raise Missing("Chromium; get it with: sudo apt-get install chromium-headless-shell")
    return path


def nginx_path() -> str:
    """Return an nginx, which stands before the web server as a university's proxy does."""
    places = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin"))
    path = _find_or_install(lambda: shutil.which("nginx", path=places), "nginx-light")
    if path is None:
        raise Missing("nginx; get it with: sudo apt-get install nginx-light")
    return path


def node_path() -> str:
    """Return a Node.js that has a test runner."""
    path = _find_or_install(lambda: shutil.which("node"), "nodejs")
    if path is None:
        raise Missing("Node.js; get it with: sudo apt-get install nodejs")
    return path


def _starting(*names: str) -> str | None:
    """Return the path of the first of these programs that starts."""
    for name in names:
        path = shutil.which(name)
        # On Ubuntu the name may be a stub that asks for snap.
        if path and subprocess.run([path, "--version"], capture_output=True, check=False).returncode == 0:
            return path
    return None


def _redis_answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=2) as connection:
        connection.sendall(b"PING\r\n")
        return connection.recv(64) == b"+PONG\r\n"
    return False


def _postgres_lets_us_in(port: int) -> bool:
    program = shutil.which("psql")
    if program is None:
        return False
    asked = subprocess.run(
        [
            *(program, "-w", "-At", "-h", "127.0.0.1", "-p", str(port), "-U", "postgres", "-d", "postgres"),
            *("-c", "SELECT rolcreatedb FROM pg_roles WHERE rolname = current_user"),
        ],
        env={**os.environ, "PGCONNECT_TIMEOUT": "3"},
        capture_output=True,
        text=True,
        check=False,
    )
    return asked.stdout.strip() == "t"


def _postgres_programs() -> str | None:
    """Return the folder of the newest initdb and pg_ctl. Debian keeps them off PATH."""
    folders = glob.glob("/usr/lib/postgresql/*/bin")
    folders.sort(key=lambda folder: float(Path(folder).parent.name))
    on_path = shutil.which("initdb")
    for folder in [*reversed(folders), *([str(Path(on_path).parent)] if on_path else [])]:
        if all(os.access(f"{folder}/{name}", os.X_OK) for name in ("initdb", "pg_ctl")):
            return folder
    return None


def _run(*command: str) -> None:
    # Output to a file: pg_ctl's server would hold a pipe open.
    done = subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Missing(f"PostgreSQL, which did not start: {done.stderr.strip()}")
