"""Write what is made of the table of settings: .env.example, and the table of docs/deploy.md.

Run by whoever changes a setting: `.venv/bin/python -m tools.settings_files`. A test compares.
"""

import re
import sys
from pathlib import Path

from config.env import SETTINGS

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE, PAGE = ROOT / ".env.example", ROOT / "docs" / "deploy.md"
NOT_OF_CONTAINERS = {"ELENCHUS_DATA", "ELENCHUS_DEBUG"}
"""Settings of the image itself, and of the embedded mode alone."""

OTHERWISE_IN_COMPOSE = {"ELENCHUS_PROXIES": "1"}
"""Settings whose default is another one there: a proxy stands in front of it."""

MADE_BY_COMPOSE = {"DATABASE_URL", "CELERY_BROKER_URL"}

OF_COMPOSE = {
    "POSTGRES_PASSWORD": ("", "Password of the database's own user: letters and digits."),
    "PORT": ("8000", "Port of 127.0.0.1 that the web server listens on."),
    "WEB_MEMORY": ("2g", "Limit of memory of the web server."),
    "WORKER_MEMORY": ("4g", "The same for the worker: reports of large rounds."),
    "POSTGRES_MEMORY": ("2g", "The same for PostgreSQL."),
    "PYTHON_IMAGE": ("python:3.12-slim", "Image that ours is built on; pinned with the others."),
    "POSTGRES_IMAGE": ("postgres:16", "Image; `python3 tools/pin_images.py` pins it."),
    "REDIS_IMAGE": ("redis:7", "Image; `python3 tools/pin_images.py` pins it."),
    "CADDY_IMAGE": ("caddy:2", "Image; `python3 tools/pin_images.py` pins it."),
    "CADDY_HOST": ("", "Host that Caddy gets a certificate for, where ELENCHUS_HOSTS names several."),
}
"""What docker-compose.yml reads itself: default and meaning."""


def example() -> str:
    """Return the whole of .env.example: what must be set first, then all else, each with its default."""
    lines = [
        "# Settings of docker-compose.yml: copy this file to .env and fill in what is not commented out.",
        "# Made by tools/settings_files.py; docs/deploy.md explains each.",
    ]
    ours = [setting for name, setting in SETTINGS.items() if name not in NOT_OF_CONTAINERS]
    must = [
        one
        for one in ours
        if (one.required and one.name not in MADE_BY_COMPOSE) or one.name.endswith("_ORIGINS")
    ]
    for one in must:
        lines += ["", f"# {one.help}", f"{one.name}="]
    lines += ["", f"# {OF_COMPOSE['POSTGRES_PASSWORD'][1]}", "POSTGRES_PASSWORD="]
    for one in ours:
        if one not in must:
            lines += ["", f"# {one.help}", f"#{one.name}={OTHERWISE_IN_COMPOSE.get(one.name, one.default)}"]
    for name, (default, meaning) in OF_COMPOSE.items():
        if name != "POSTGRES_PASSWORD":
            lines += ["", f"# {meaning}", f"#{name}={default}"]
    return "\n".join(lines) + "\n"


def table() -> str:
    """Return the rows of docs/deploy.md, one a setting."""
    return "".join(
        f"| `{name}` | {f'`{one.default}`' if one.default else ''} | {'yes' if one.required else ''} | "
        f"{one.help} |\n"
        for name, one in SETTINGS.items()
    )


def main() -> int:
    EXAMPLE.write_text(example(), encoding="utf-8")
    head, heading, rest = PAGE.read_text(encoding="utf-8").partition("\n## Settings\n")
    rest = re.sub(r"(?:\| `[A-Z_]+` \|.*\n)+", lambda found: table(), rest, count=1)
    PAGE.write_text(head + heading + rest, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
