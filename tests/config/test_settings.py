"""The settings modules, each imported in a process of its own as a server would."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from config import env

ROOT = Path(__file__).resolve().parents[2]
PRODUCTION = {
    "ELENCHUS_SECRET_KEY": "0123456789abcdefghijklmnopqrstuvwxyz-0123456789-abcdefgh",
    "ELENCHUS_HOSTS": "elenchus.example.org",
    "ELENCHUS_ORIGINS": "https://elenchus.example.org",
    "DATABASE_URL": "postgres://elenchus:secret@db/elenchus",
    "CELERY_BROKER_URL": "redis://redis:6379/0",
}


def run_python(code: str, module: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("ELENCHUS_") and name not in {"DATABASE_URL", "CELERY_BROKER_URL"}
    }
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**kept, "DJANGO_SETTINGS_MODULE": f"config.settings.{module}", **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def read_settings(names: list[str], module: str, **environment: str) -> dict:
    code = (
        "import json; from django.conf import settings;"
        f"print(json.dumps({{name: getattr(settings, name) for name in {names!r}}}, default=str))"
    )
    result = run_python(code, module, **environment)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.parametrize("missing", [name for name in PRODUCTION if name != "ELENCHUS_ORIGINS"])
def test_production_does_not_start_without_a_required_setting(tmp_path, missing):
    environment = {name: value for name, value in PRODUCTION.items() if name != missing}
    result = run_python(
        "import django; django.setup()", "production", ELENCHUS_DATA=str(tmp_path), **environment
    )
    assert result.returncode != 0
    assert f"ImproperlyConfigured: Set {missing} (or {missing}_FILE)" in result.stderr


def test_production_refuses_a_short_secret(tmp_path):
    environment = {**PRODUCTION, "ELENCHUS_SECRET_KEY": "changeme"}
    result = run_python(
        "import django; django.setup()", "production", ELENCHUS_DATA=str(tmp_path), **environment
    )
    assert "ELENCHUS_SECRET_KEY must be at least 50 random characters" in result.stderr
    assert "changeme" not in result.stderr


def test_production_keeps_cookies_and_pages_on_https(tmp_path):
    names = [
        "SECURE_SSL_REDIRECT",
        "SESSION_COOKIE_SECURE",
        "CSRF_COOKIE_SECURE",
        "SECURE_HSTS_SECONDS",
        "DEBUG",
    ]
    assert read_settings(names, "production", ELENCHUS_DATA=str(tmp_path), **PRODUCTION) == {
        "SECURE_SSL_REDIRECT": True,
        "SESSION_COOKIE_SECURE": True,
        "CSRF_COOKIE_SECURE": True,
        "SECURE_HSTS_SECONDS": 31536000,
        "DEBUG": False,
    }


def test_forwarded_headers_are_believed_only_with_a_proxy_in_front(tmp_path):
    code = (
        "from django.conf import settings;"
        "print(settings.SECURE_PROXY_SSL_HEADER, settings.ALLAUTH_TRUSTED_PROXY_COUNT)"
    )
    environment = {**PRODUCTION, "ELENCHUS_DATA": str(tmp_path)}
    assert run_python(code, "production", **environment).stdout == "None 0\n"
    behind = run_python(code, "production", ELENCHUS_PROXIES="1", **environment)
    assert behind.stdout == "('HTTP_X_FORWARDED_PROTO', 'https') 1\n"


def test_djangos_security_check_finds_nothing_in_production(tmp_path):
    code = (
        "import django; django.setup();"
        "from django.core.management import call_command as call;"
        "call('check', tags=['security'], deploy=True)"
    )
    result = run_python(code, "production", ELENCHUS_DATA=str(tmp_path), **PRODUCTION)
    assert "System check identified no issues (2 silenced)." in result.stdout, result.stderr


def test_redis_as_broker_is_also_the_cache_that_processes_share(tmp_path):
    read = read_settings(
        ["CACHES", "CELERY_BROKER_URL"], "production", ELENCHUS_DATA=str(tmp_path), **PRODUCTION
    )
    assert read["CACHES"]["default"]["BACKEND"] == "django.core.cache.backends.redis.RedisCache"
    assert read["CACHES"]["default"]["LOCATION"] == read["CELERY_BROKER_URL"] == "redis://redis:6379/0"


def test_embedded_keeps_everything_in_its_data_folder(tmp_path):
    read = read_settings(
        [
            "DATABASES",
            "CACHES",
            "MEDIA_ROOT",
            "CELERY_BROKER_TRANSPORT_OPTIONS",
            "CELERY_BEAT_SCHEDULE_FILENAME",
        ],
        "embedded",
        ELENCHUS_DATA=str(tmp_path / "data"),
    )
    assert read["DATABASES"]["default"]["NAME"] == str(tmp_path / "data/elenchus.sqlite3")
    assert read["CACHES"]["default"]["LOCATION"] == str(tmp_path / "data/cache")
    assert read["MEDIA_ROOT"] == str(tmp_path / "data/files")
    assert read["CELERY_BROKER_TRANSPORT_OPTIONS"] == {"folder": str(tmp_path / "data/broker")}
    assert read["CELERY_BEAT_SCHEDULE_FILENAME"] == str(tmp_path / "data/beat-schedule")


def test_embedded_makes_its_secret_key_once_and_keeps_it_private(tmp_path):
    first = read_settings(["SECRET_KEY"], "embedded", ELENCHUS_DATA=str(tmp_path))["SECRET_KEY"]
    assert len(first) >= 50
    assert read_settings(["SECRET_KEY"], "embedded", ELENCHUS_DATA=str(tmp_path))["SECRET_KEY"] == first
    assert (tmp_path / "secret_key").stat().st_mode & 0o777 == 0o600
    assert [file.name for file in tmp_path.iterdir()] == ["secret_key"]


def test_the_embedded_database_is_in_wal_mode_with_foreign_keys_and_full_durability(tmp_path):
    code = (
        "import django; django.setup();"
        "from django.db import connection as c;"
        "print([c.cursor().execute('PRAGMA ' + p).fetchone()[0]"
        " for p in ('journal_mode', 'foreign_keys', 'synchronous', 'busy_timeout')])"
    )
    result = run_python(code, "embedded", ELENCHUS_DATA=str(tmp_path))
    assert result.stdout == "['wal', 1, 2, 20000]\n", result.stderr


def test_two_factor_and_openid_connect_come_only_when_switched_on(tmp_path):
    switched = {
        "ELENCHUS_DATA": str(tmp_path),
        "ELENCHUS_TWO_FACTOR": "yes",
        "ELENCHUS_OIDC_SERVER": "https://login.example.org",
        "ELENCHUS_OIDC_CLIENT": "elenchus",
        "ELENCHUS_OIDC_SECRET": "secret",
    }
    plain = read_settings(["INSTALLED_APPS"], "embedded", ELENCHUS_DATA=str(tmp_path))["INSTALLED_APPS"]
    added = set(read_settings(["INSTALLED_APPS"], "embedded", **switched)["INSTALLED_APPS"]) - set(plain)
    assert added == {
        "allauth.mfa",
        "allauth.socialaccount",
        "allauth.socialaccount.providers.openid_connect",
    }
    code = "from django.core.management import execute_from_command_line as run; run(['manage.py', 'check'])"
    assert run_python(code, "embedded", **switched).returncode == 0


def test_every_setting_is_documented_with_the_same_help_as_the_code():
    page = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
    table = page.partition("\n## Settings\n")[2]
    rows = [line for line in table.partition("\n## ")[0].splitlines() if line.startswith("| `")]
    default = {
        name: f"`{setting.default}`" if setting.default else "" for name, setting in env.SETTINGS.items()
    }
    assert rows == [
        f"| `{name}` | {default[name]} | {'yes' if setting.required else ''} | {setting.help} |"
        for name, setting in env.SETTINGS.items()
    ]


def test_every_setting_that_is_read_is_declared_and_every_declared_one_is_read():
    code = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "config" / "settings").glob("*.py"))
    assert [name for name in env.SETTINGS if f'"{name}"' not in code] == []
