"""`make test`: which legs run, with what, and what the result is; `make` itself."""

import re
import subprocess

import pytest

from tools import run_tests
from tools.apps import APPS
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


def test_arguments_go_to_pytest_in_one_run_with_the_services_that_the_named_tests_ask_for(legs):
    done, _ = legs
    arguments = ["tests/faults/test_report_workers.py::test_one", "-k", "replay or undo"]
    assert run_tests.run_chosen(FakeServices("postgres"), strict=True, arguments=arguments) == 0
    ((command, environment),) = done
    assert command[1:5] == ["-m", "pytest", "-n", "0"]
    assert command[-3:] == arguments
    assert environment["ELENCHUS_TEST_REDIS_URL"] == "redis://127.0.0.1:7000/0"
    assert "DATABASE_URL" not in environment
    assert "ELENCHUS_TEST_POSTGRES_URL" not in environment
    assert "ELENCHUS_TEST_CHROMIUM" not in environment


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["tests/tools/test_services.py"], set()),
        (["tests/e2e/test_lead_study.py"], {"CHROMIUM"}),
        (["tests/config"], {"POSTGRES_URL", "REDIS_URL"}),
        (["-k", "round_trip"], {"CHROMIUM", "POSTGRES_URL", "REDIS_URL"}),
    ],
)
def test_a_file_asks_for_what_it_or_its_conftest_names_and_no_file_for_everything(legs, arguments, names):
    done, _ = legs
    run_tests.run_chosen(FakeServices(), strict=True, arguments=arguments)
    ((_, environment),) = done
    here = {name.removeprefix("ELENCHUS_TEST_") for name in environment if name.startswith("ELENCHUS_TEST_")}
    assert here == names


def test_what_the_chosen_tests_miss_is_said_and_refused_when_strict(legs, capsys):
    chosen = ["tests/faults/test_report_workers.py"]
    assert run_tests.run_chosen(FakeServices("redis"), strict=False, arguments=chosen) == 0
    assert "Skipping the tests with a Redis broker. Missing: Redis" in capsys.readouterr().out
    with pytest.raises(Missing, match="Redis"):
        run_tests.run_chosen(FakeServices("redis"), strict=True, arguments=chosen)


def test_the_command_line_decides_between_the_whole_suite_and_a_choice(monkeypatch):
    asked = []
    monkeypatch.setattr(run_tests, "run_legs", lambda *_: asked.append("everything") or 0)
    monkeypatch.setattr(run_tests, "run_chosen", lambda *given: asked.append(given[-1]) or 5)
    monkeypatch.setattr(run_tests.signal, "signal", lambda *_: None)
    assert (run_tests.main(), run_tests.main(["-k", "undo"])) == (0, 5)
    assert asked == ["everything", ["-k", "undo"]]


def test_make_passes_the_words_of_args_on_as_they_are_quoted():
    shown = make("test", 'ARGS=tests/tools -k "replay or undo"')
    assert '-m tools.run_tests tests/tools -k "replay or undo"' in shown


def test_make_dev_watches_every_folder_whose_code_the_server_runs():
    shown = make("dev", "PORT=9000")
    watched = shown.rpartition("--sample-logins'")[2].split()
    assert 'serve --port "9000"' in shown
    assert set(watched) == set(APPS)


def test_every_target_of_the_makefile_is_explained_by_make_help():
    makefile = (run_tests.ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.M))
    assert targets == set(re.search(r"^\.PHONY: (.+)$", makefile, re.M)[1].split())
    assert set(re.findall(r'"make ([a-z-]+)', make("help"))) == targets - {"help"}


def make(*words: str) -> str:
    """Return the commands that make would run."""
    command = ["make", "--dry-run", "--no-print-directory", *words]
    return subprocess.run(command, cwd=run_tests.ROOT, check=True, capture_output=True, text=True).stdout
