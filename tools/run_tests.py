"""Run the whole suite: scripts in Node.js, then everything on SQLite, then the database tests on PostgreSQL.

Words on the command line go to pytest instead: one run on SQLite, with the services that these tests need.
Only the standard library; run by `make test` and `make test ARGS="..."`. With ELENCHUS_STRICT=1 a missing
service or a skipped test is a failure.

See docs/decisions/running.md.
"""

import glob
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from tools.services import Missing, Services, chromium_path, node_path

ROOT = Path(__file__).resolve().parent.parent
NO_TEST_RAN = 5
CLEAN_UP_SECONDS = 30


def main(arguments: Sequence[str] = ()) -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    scratch = Path(tempfile.mkdtemp(prefix="elenchus-test-"))
    services = Services(scratch)
    strict = os.environ.get("ELENCHUS_STRICT") == "1"
    try:
        return run_chosen(services, strict, arguments) if arguments else run_legs(services, strict)
    except Missing as error:
        print(f"Nothing may be skipped with ELENCHUS_STRICT=1. Missing: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        # The second Ctrl-C of somebody in a hurry leaves nothing behind.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        services.stop()
        shutil.rmtree(scratch, ignore_errors=True)


def run_legs(services: Services, strict: bool) -> int:
    """Run every leg, whatever another one found; return the exit code of the first that failed."""
    redis = offered(services.redis_url, "the tests with a Redis broker", strict)
    chromium = offered(chromium_path, "the tests in a browser", strict)
    postgres = offered(services.postgres_url, "the tests on PostgreSQL", strict)
    scripts = sorted(glob.glob("tests/js/**/*.test.js", root_dir=ROOT, recursive=True))
    node = offered(node_path, "the tests of the scripts", strict) if scripts else None

    environment = test_environment(redis, chromium, postgres)
    left_out = [f"not {marker}" for marker, here in (("redis", redis), ("browser", chromium)) if not here]
    # A file's tests share what they set up: one worker has them all. tests/conftest.py puts long files first.
    workers = ["-n", "2", "--dist", "loadfile", "--no-loadscope-reorder"]
    pytest = [sys.executable, "-m", "pytest", *workers, *(["-p", "tools.strict"] if strict else [])]

    legs = []
    if node:
        legs.append(("The scripts, in Node.js", [node, "--test", *scripts], environment))
    everything = [*pytest, *(["-m", " and ".join(left_out)] if left_out else [])]
    legs.append(("Everything, on SQLite", everything, environment))
    if postgres:
        database = [*pytest, "-m", " and ".join(["database", *left_out])]
        legs.append(
            (
                "Database tests, on PostgreSQL",
                database,
                environment | {"DATABASE_URL": postgres + "/elenchus"},
            )
        )
    failed: dict[str, int] = {}
    for title, command, variables in legs:
        print(f"\n== {title} ==", flush=True)
        code = run(command, variables)
        if code == NO_TEST_RAN:
            print("No test ran.", file=sys.stderr)
        if code:
            failed[title] = code
    if failed:
        print(f"\nFailed: {'; '.join(failed)}", file=sys.stderr)
    return next(iter(failed.values()), 0)


def run_chosen(services: Services, strict: bool, arguments: Sequence[str]) -> int:
    """Run pytest once, on SQLite, with these arguments, and start only the services that the tests need."""
    text = text_of_tests(arguments)
    needs: dict[str, tuple[Callable[[], str], str]] = {
        "REDIS_URL": (services.redis_url, "the tests with a Redis broker"),
        "CHROMIUM": (chromium_path, "the tests in a browser"),
        "POSTGRES_URL": (services.postgres_url, "the tests that need a PostgreSQL"),
    }
    named = {name for name in needs if f"ELENCHUS_TEST_{name}" in text}
    if "pytest.mark.redis" in text:  # the fixture that names the variable is every test's
        named.add("REDIS_URL")
    redis, chromium, postgres = (
        offered(get, skipped, strict) if name in named else None for name, (get, skipped) in needs.items()
    )
    # One process starts soonest; a later -n among the arguments wins.
    plugin = ["-p", "tools.strict"] if strict else []
    command = [sys.executable, "-m", "pytest", "-n", "0", *plugin, *arguments]
    return run(command, test_environment(redis, chromium, postgres))


def text_of_tests(arguments: Sequence[str]) -> str:
    """Return the test files that arguments of pytest name, with their conftest; without a name, all."""
    named = [ROOT / word.partition("::")[0] for word in arguments if not word.startswith("-")]
    places = [path for path in named if path.exists()] or [ROOT / "tests"]
    files = {file for place in places for file in ([place] if place.is_file() else place.rglob("*.py"))}
    files |= {conftest for file in files if (conftest := file.with_name("conftest.py")).is_file()}
    return "\n".join(file.read_text(encoding="utf-8") for file in sorted(files))


def offered(get: Callable[[], str], what_is_skipped: str, strict: bool) -> str | None:
    """Return what a service gives; where it is missing, say what is skipped, or raise Missing when strict."""
    try:
        return get()
    except Missing as error:
        if strict:
            raise
        print(f"Skipping {what_is_skipped}. Missing: {error}", flush=True)
        return None


def run(command: list[str], environment: dict[str, str]) -> int:
    """Run a command to its end; when interrupted, let it clean up first."""
    with subprocess.Popen(command, cwd=ROOT, env=environment) as process:
        try:
            return process.wait()
        except (KeyboardInterrupt, SystemExit) as interruption:
            # Ctrl-C in a terminal has reached the command already.
            if isinstance(interruption, SystemExit):
                process.send_signal(signal.SIGINT)
            try:
                process.wait(CLEAN_UP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
            raise


def test_environment(
    redis: str | None = None, chromium: str | None = None, postgres: str | None = None
) -> dict[str, str]:
    """Return the environment with these services and without the settings of whoever runs the tests.

    Python may keep what it compiled: else each of the many processes compiles Elenchus and all tests again.
    """
    ours = {"DATABASE_URL", "CELERY_BROKER_URL", "DJANGO_SETTINGS_MODULE", "PYTHONDONTWRITEBYTECODE"}
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ours and (not name.startswith("ELENCHUS_") or name == "ELENCHUS_STRICT")
    }
    found = {
        "ELENCHUS_TEST_REDIS_URL": redis,
        "ELENCHUS_TEST_CHROMIUM": chromium,
        "ELENCHUS_TEST_POSTGRES_URL": postgres and postgres + "/postgres",
    }
    return kept | {name: value for name, value in found.items() if value}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
