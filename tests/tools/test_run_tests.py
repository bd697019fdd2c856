"""`make test`: which legs run, with what, and what the result is."""

import pytest

from tools import run_tests
from tools.services import Missing


class FakeServices:
    def __init__(self, *missing: str) -> None:
        self.missing = missing

    def redis_url(self) -> str:
        if "redis" in self.missing:
            raise Missing("Redis; get it with: sudo apt-get install redis-server")
        return "redis://127.0.0.1:7000/0"

    def postgres_url(self) -> str:
        if "postgres" in self.missing:
            raise Missing("PostgreSQL; get it with: sudo apt-get install postgresql")
        return "postgres://postgres@127.0.0.1:7001"


@pytest.fixture
def legs(monkeypatch):
    """Return the legs that were run, as (command, environment), and the exit codes by their place, else 0."""
    done: list[tuple[list[str], dict[str, str]]] = []
    codes: dict[int, int] = {}

    def run(command, environment):
        done.append((command, environment))
        return codes.get(len(done), 0)

    monkeypatch.setattr(run_tests, "run", run)
    monkeypatch.setattr(run_tests, "chromium_path", lambda: "/usr/bin/chromium")
    monkeypatch.setattr(run_tests.glob, "glob", lambda *_, **__: [])
    return done, codes


def test_the_suite_runs_on_sqlite_and_its_database_tests_again_on_postgresql(legs):
    done, _ = legs
    assert run_tests.run_legs(FakeServices(), strict=False) == 0
    (sqlite, sqlite_environment), (postgres, postgres_environment) = done
    assert "-m" not in sqlite[3:]
    assert "DATABASE_URL" not in sqlite_environment
    assert postgres[-2:] == ["-m", "database"]
    assert postgres_environment["DATABASE_URL"] == "postgres://postgres@127.0.0.1:7001/elenchus"
    for environment in (sqlite_environment, postgres_environment):
        assert environment["ELENCHUS_TEST_REDIS_URL"] == "redis://127.0.0.1:7000/0"
        assert environment["ELENCHUS_TEST_POSTGRES_URL"] == "postgres://postgres@127.0.0.1:7001/postgres"
        assert environment["ELENCHUS_TEST_CHROMIUM"] == "/usr/bin/chromium"


def test_what_is_missing_is_left_out_and_said_in_one_line_with_how_to_get_it(legs, capsys):
    done, _ = legs
    assert run_tests.run_legs(FakeServices("redis", "postgres"), strict=False) == 0
    ((sqlite, environment),) = done
    assert sqlite[-2:] == ["-m", "not redis"]
    assert "ELENCHUS_TEST_REDIS_URL" not in environment
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("Skipping")]
    assert [line.split(". Missing: ") for line in lines] == [
        ["Skipping the tests with a Redis broker", "Redis; get it with: sudo apt-get install redis-server"],
        ["Skipping the tests on PostgreSQL", "PostgreSQL; get it with: sudo apt-get install postgresql"],
    ]


def test_nothing_may_be_missing_when_strict(legs):
    done, _ = legs
    with pytest.raises(Missing, match="Redis"):
        run_tests.run_legs(FakeServices("redis"), strict=True)
    assert done == []


@pytest.mark.parametrize(("failing", "code"), [({1: 3}, 3), ({2: 4}, 4), ({1: 3, 2: 4}, 3)])
def test_a_leg_that_fails_keeps_no_other_from_running_and_gives_the_run_its_code(legs, capsys, failing, code):
    done, codes = legs
    codes.update(failing)
    assert run_tests.run_legs(FakeServices(), strict=False) == code
    assert len(done) == 2
    told = capsys.readouterr().err
    assert ("Everything, on SQLite" in told, "Database tests, on PostgreSQL" in told) == (
        1 in failing,
        2 in failing,
    )


def test_the_settings_of_whoever_runs_the_tests_do_not_reach_them(monkeypatch):
    named = ("ELENCHUS_LANGUAGE", "DATABASE_URL", "CELERY_BROKER_URL", "DJANGO_SETTINGS_MODULE")
    for name in (*named, "PYTHONDONTWRITEBYTECODE"):
        monkeypatch.setenv(name, "of the user")
    monkeypatch.setenv("ELENCHUS_STRICT", "1")
    environment = run_tests.test_environment()
    assert "of the user" not in environment.values()
    assert environment["ELENCHUS_STRICT"] == "1"
