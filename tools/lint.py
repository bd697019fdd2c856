"""Check style, types, migrations, static files and scripts; stop at the first that fails.

Only the standard library; run by `make lint`.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.apps import APPS

ROOT = Path(__file__).resolve().parent.parent
CHECKED = (*APPS, "tools")
TYPESCRIPT = "typescript@5.9"
DJANGO = "5.2"


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="elenchus-lint-") as scratch:
        for title, command, variables in checks(Path(scratch)):
            print(f"== {title}", flush=True)
            code = subprocess.run(command, cwd=ROOT, env=os.environ | variables, check=False).returncode
            if code:
                print(f"{title}: failed", file=sys.stderr)
                return code
    return 0


def checks(scratch: Path) -> list[tuple[str, list[str], dict[str, str]]]:
    """Return title, command and environment of each check."""
    python, manage = sys.executable, [sys.executable, "manage.py"]
    djade = str(Path(sys.executable).with_name("djade"))
    testing = {"DJANGO_SETTINGS_MODULE": "config.settings.test"}
    production = {
        "DJANGO_SETTINGS_MODULE": "config.settings.production",
        "ELENCHUS_DATA": str(scratch),
        "ELENCHUS_SECRET_KEY": "abcdefghij-only-for-collecting-static-files-0123456789",
        "ELENCHUS_HOSTS": "localhost",
        "DATABASE_URL": "postgres://localhost/unused",
        "CELERY_BROKER_URL": "redis://localhost/0",
    }
    return [
        ("Style", [python, "-m", "ruff", "check", "."], {}),
        ("Layout", [python, "-m", "ruff", "format", "--check", "--quiet", "."], {}),
        ("Templates", [djade, "--check", "--target-version", DJANGO, *templates()], {}),
        ("Types", [python, "-m", "mypy", *CHECKED], testing),
        ("Migrations", [*manage, "makemigrations", "--check", "--dry-run"], testing),
        ("Deployment", [*manage, "check", "--deploy", "--fail-level", "WARNING"], production),
        ("Static files", [*manage, "collectstatic", "--clear", "--noinput", "-v", "0"], production),
        *script_checks(scratch),
    ]


def templates() -> list[str]:
    """Return the paths of all templates; tests/frontend/test_template_texts.py has their rules of layout."""
    return sorted(str(path) for app in CHECKED for path in (ROOT / app).rglob("templates/**/*.html"))


def script_checks(scratch: Path) -> list[tuple[str, list[str], dict[str, str]]]:
    """Return the type check of the scripts, where there is npm."""
    npm = shutil.which("npm")
    if npm is None and os.environ.get("ELENCHUS_STRICT") != "1":
        print("Skipping the types of the scripts. Missing: npm; get it with: sudo apt-get install npm")
        return []
    install = [
        npm or "npm",
        "install",
        "--silent",
        "--no-audit",
        "--no-fund",
        "--prefix",
        str(scratch),
        TYPESCRIPT,
    ]
    check = [str(scratch / "node_modules" / ".bin" / "tsc"), "--project", "tests/js/tsconfig.json"]
    return [("TypeScript's compiler", install, {}), ("Types of the scripts", check, {})]


if __name__ == "__main__":
    sys.exit(main())
