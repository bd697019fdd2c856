"""docker-compose.yml and the Dockerfile agree with the settings, and their commands run."""

import json
import os
import re
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import psycopg
import pytest
import yaml

from config import env
from frontend.management.commands import serve
from frontend.management.commands.serve import web_command
from tests.conftest import unavailable
from tests.static_files import collect_once
from tools import settings_files

ROOT = Path(__file__).resolve().parents[2]
COMPOSE = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
SERVICES = yaml.safe_load(COMPOSE)["services"]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
OURS = ("migrate", "web", "worker", "beat")


def image_command() -> list[str]:
    """Return what a container of the image runs: the Dockerfile's CMD."""
    return json.loads(re.search(r"^CMD (\[.*\])", DOCKERFILE.replace("\\\n", ""), re.MULTILINE)[1])


def test_every_container_of_ours_gets_every_setting_that_production_requires():
    required = {name for name, setting in env.SETTINGS.items() if setting.required}
    for name in OURS:
        given = set(SERVICES[name]["environment"])
        assert required <= given, name


def test_every_documented_setting_reaches_every_container_of_ours_and_so_does_its_file():
    """Those of the image itself, and of the embedded mode alone, are no settings of the containers."""
    settings = set(env.SETTINGS) - {"ELENCHUS_DATA", "ELENCHUS_DEBUG"}
    for name in OURS:
        given = SERVICES[name]["environment"]
        assert set(given) == settings | {f"{setting}_FILE" for setting in settings}, name
        # A key without a value is passed on as the operator has it, and not set where they do not.
        fixed = {key for key, value in given.items() if value is not None}
        assert fixed == {
            "ELENCHUS_HOSTS", "ELENCHUS_ORIGINS", "ELENCHUS_PROXIES", "DATABASE_URL", "CELERY_BROKER_URL",
        }  # fmt: skip
        for key in fixed:
            assert given[key].startswith(f"${{{key}:"), "the operator may set it"


def test_the_example_of_a_configuration_the_table_of_the_documentation_and_the_settings_are_one():
    assert (ROOT / ".env.example").read_text("utf-8") == settings_files.example()
    assert settings_files.table() in (ROOT / "docs" / "deploy.md").read_text("utf-8")
    named = set(re.findall(r"^#?([A-Z_]+)=", settings_files.example(), re.MULTILINE))
    settings = {name for name in SERVICES["web"]["environment"] if not name.endswith("_FILE")}
    # What compose itself puts into the file, of ours and of its own.
    assert named == settings | {*re.findall(r"\$\{([A-Z_]+)", COMPOSE)}
    for name, default in settings_files.OTHERWISE_IN_COMPOSE.items():
        assert f"${{{name}:-{default}}}" in COMPOSE
    for name, (default, _) in settings_files.OF_COMPOSE.items():
        uses = set(re.findall(rf"\$\{{{name}:-([^}}]*)", COMPOSE))
        assert uses == ({default} if default else set()) or name in ("POSTGRES_PASSWORD", "CADDY_HOST"), name


def test_no_container_writes_outside_its_volumes_or_gains_rights():
    for name, service in SERVICES.items():
        assert service["read_only"] is True, name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert "/tmp" in service["tmpfs"], name
    for name in OURS:
        assert SERVICES[name]["cap_drop"] == ["ALL"]


def test_a_proxy_with_a_certificate_comes_only_when_asked_for():
    caddy = SERVICES["caddy"]
    assert caddy["profiles"] == ["tls"]
    assert [name for name, service in SERVICES.items() if "profiles" in service] == ["caddy"]
    assert caddy["command"][-2:] == ["--to", "web:8000"]


def test_no_container_fills_the_disk_with_its_log_or_takes_all_memory():
    for name, service in SERVICES.items():
        assert service["logging"]["options"]["max-size"], name
        assert service["mem_limit"], name


def test_every_container_that_stays_is_asked_whether_it_is_well():
    asked = {name for name, service in SERVICES.items() if "healthcheck" in service}
    assert asked == set(SERVICES) - {"migrate"}


def test_a_web_process_that_is_killed_is_started_again():
    assert "--respawn-failed-workers" in image_command()
    assert "--respawn-failed-workers" in web_command("127.0.0.1", 8000)


@pytest.mark.parametrize(
    ("cores", "megabytes", "processes"), [(1, 9000, "1"), (2, 9000, "2"), (8, 9000, "2"), (2, 900, "1")]
)
def test_a_second_web_process_takes_a_second_core_and_memory(monkeypatch, cores, megabytes, processes):
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    monkeypatch.setattr(serve, "memory_available", lambda: megabytes * 2**20)
    command = web_command("127.0.0.1", 8000)
    assert command[command.index("--workers") + 1] == processes


def test_no_secret_and_no_host_has_a_default():
    for name in ("ELENCHUS_HOSTS", "ELENCHUS_ORIGINS", "POSTGRES_PASSWORD"):
        uses = re.findall(rf"\$\{{{name}(:.)", COMPOSE)
        assert uses, name
        assert set(uses) == {":?"}, name
    assert SERVICES["web"]["environment"]["ELENCHUS_SECRET_KEY"] is None  # the settings refuse its absence


def test_nothing_but_the_web_server_is_reachable_and_only_from_the_host_itself():
    ports = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert ports == {"web": ["127.0.0.1:${PORT:-8000}:8000"], "caddy": ["80:80", "443:443"]}


def test_web_worker_and_beat_wait_for_the_migrated_database_and_the_broker():
    for name in ("web", "worker", "beat"):
        assert {other: wait["condition"] for other, wait in SERVICES[name]["depends_on"].items()} == {
            "postgres": "service_healthy",
            "redis": "service_healthy",
            "migrate": "service_completed_successfully",
        }


def test_everything_that_must_survive_is_on_a_volume():
    volumes = {name: service["volumes"] for name, service in SERVICES.items()}
    assert volumes == {
        **{name: ["files:/data"] for name in OURS},
        "postgres": ["postgres:/var/lib/postgresql/data"],
        "redis": ["redis:/data"],
        "caddy": ["caddy:/data"],
    }
    assert "ELENCHUS_DATA=/data" in DOCKERFILE


def test_the_image_runs_as_a_user_with_few_rights_in_production_mode():
    assert DOCKERFILE.index("\nUSER elenchus") < DOCKERFILE.index("\nCMD ")
    assert "DJANGO_SETTINGS_MODULE=config.settings.production" in DOCKERFILE


@pytest.fixture
def production(tmp_path, broker) -> Iterator[dict[str, str]]:
    """Return the environment of a container, with a real PostgreSQL and Redis behind it."""
    postgres = os.environ.get("ELENCHUS_TEST_POSTGRES_URL")
    if not postgres:
        unavailable("no PostgreSQL", "make test starts one; or set ELENCHUS_TEST_POSTGRES_URL")
    name = f"elenchus_production_{os.getpid()}"
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    yield {
        **{key: value for key, value in os.environ.items() if not key.startswith("ELENCHUS_")},
        "DJANGO_SETTINGS_MODULE": "config.settings.production",
        "ELENCHUS_DATA": str(tmp_path),
        "ELENCHUS_SECRET_KEY": "0123456789abcdefghijklmnopqrstuvwxyz-0123456789-abcdefgh",
        "ELENCHUS_HOSTS": "elenchus.example.org",
        "ELENCHUS_ORIGINS": "https://elenchus.example.org",
        "ELENCHUS_PROXIES": "1",
        "DATABASE_URL": f"{postgres.rpartition('/')[0]}/{name}",
        "CELERY_BROKER_URL": broker,
    }
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def run(production: dict[str, str], command: list[str]) -> str:
    done = subprocess.run(
        [sys.executable, *command[1:]],
        cwd=ROOT,
        env=production,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args):
        return None


def get(url: str, **headers: str) -> tuple[int, str, str]:
    request = urllib.request.Request(url, headers={"Host": "elenchus.example.org", **headers})
    try:
        with urllib.request.build_opener(NoRedirect).open(request, timeout=10) as response:
            return response.status, response.read().decode(), ""
    except urllib.error.HTTPError as error:
        with error:
            return error.code, "", error.headers.get("Location", "")


@contextmanager
def running(production: dict[str, str], command: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """Run a container's command until the block ends."""
    with subprocess.Popen([sys.executable, *command[1:]], cwd=ROOT, env=production) as process:
        try:
            yield process
        finally:
            process.terminate()


def wait_until(answers: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    """Return once it answers; fail when the process ends or a minute has passed."""
    for _ in range(600):
        if answers():
            return
        with suppress(subprocess.TimeoutExpired):
            raise AssertionError(f"ended with exit code {process.wait(timeout=0.1)}")
    raise AssertionError("no answer within a minute")


@pytest.mark.redis
def test_the_containers_commands_migrate_and_serve_over_https_with_hashed_files(production):
    run(production, SERVICES["migrate"]["command"])
    collect_once(partial(run, production))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    address = f"http://127.0.0.1:{port}"
    replaced = {"8000": port, "0.0.0.0": "127.0.0.1"}

    def healthy() -> bool:
        with suppress(urllib.error.URLError):
            return get(f"{address}/healthz", Host="127.0.0.1") == (200, "ok\n", "")
        return False

    with running(production, [replaced.get(part, part) for part in image_command()]) as web:
        wait_until(healthy, web)
        assert get(f"{address}/accounts/login/") == (301, "", "https://elenchus.example.org/accounts/login/")
        https = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.1"}
        status, page, _ = get(f"{address}/accounts/login/", **https)
        assert status == 200
        (style,) = set(re.findall(r'"(/static/frontend/css/base\.[0-9a-f]{12}\.css)"', page))
        assert get(f"{address}{style}", **https)[0] == 200
        assert get(f"{address}/accounts/login/", **https | {"Host": "evil.example.org"})[0] == 400


@pytest.mark.redis
def test_the_workers_command_and_its_health_check_meet_on_redis(production):
    check = SERVICES["worker"]["healthcheck"]["test"][2:]
    # The whole of its time is waited for more workers to answer.
    check[check.index("--timeout") + 1] = "1"

    def answers() -> bool:
        asked = subprocess.run(
            [sys.executable, *check],
            cwd=ROOT,
            env=production,
            capture_output=True,
            check=False,
            timeout=60,
        )
        return asked.returncode == 0 and b"pong" in asked.stdout

    with running(production, SERVICES["worker"]["command"]) as worker:
        wait_until(answers, worker)
