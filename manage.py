#!/usr/bin/env python3
"""Run a management command of Elenchus."""

import json
import os
import sys


def examine_settings(arguments: list[str]) -> None:
    """Have `doctor` say what is wrong with the settings where they do not even load."""
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured

    try:
        settings.INSTALLED_APPS  # noqa: B018  # reading it loads them
    except ImproperlyConfigured as error:
        todo = "Correct this setting: docs/deploy.md lists all with what they may be."
        found = {"check": "settings", "ok": False, "state": "failed", "message": str(error), "todo": todo}
        if "--json" in arguments:
            print(json.dumps({"ok": False, "checks": [found]}, indent=2, ensure_ascii=False))  # noqa: T201
        else:
            print(f"FAIL  settings       {error}\n{'':<21}What to do: {todo}")  # noqa: T201
        sys.exit(1)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.embedded")
    if sys.argv[1:2] == ["doctor"]:
        examine_settings(sys.argv[2:])
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)
