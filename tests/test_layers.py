"""Which module may import what, read from the syntax trees: left may import right, never back."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ("config", "frontend", "exports", "agreement", "annotation")
PURE = (
    *("coefficients", "consensus", "intervals", "labels", "pair_figures", "pairwise", "patterns"),
    *("results", "semantic", "similarity", "standard_errors", "study", "tokens", "unitizing"),
)
"""Modules of agreement that know arrays and texts only."""


@cache
def imports(path: Path) -> frozenset[str]:
    """Return the dotted names of all modules that a file imports, inside functions too."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
    return frozenset(found)


def modules(*apps: str) -> Iterator[tuple[Path, frozenset[str]]]:
    for app in apps:
        for path in sorted((ROOT / app).rglob("*.py")):
            yield path.relative_to(ROOT), imports(path)


def importers(package: str, *apps: str) -> set[str]:
    return {
        str(path)
        for path, found in modules(*apps)
        if any(f"{name}.".startswith(f"{package}.") for name in found)
    }


def test_an_app_imports_only_itself_and_what_stands_right_of_it():
    for place, app in enumerate(LAYERS):
        for left in (*LAYERS[:place], "tests", "bench", "tools"):
            assert importers(left, app) == set(), f"{app} imports {left}"


def test_only_tasks_and_the_configuration_know_celery():
    found = importers("celery", *LAYERS) - {"config/celery.py"}
    assert {Path(path).name for path in found} <= {"tasks.py"}


def test_only_pages_and_the_api_know_http():
    for package in ("django.http", "django.shortcuts", "rest_framework"):
        for path in importers(package, "exports", "agreement", "annotation"):
            name = Path(path).name
            assert "api" in name or name == "serializers.py", path


def test_the_statistics_know_neither_django_nor_pandas():
    for name in PURE:
        found = {dotted.partition(".")[0] for dotted in imports(ROOT / "agreement" / f"{name}.py")}
        assert not found & {"django", "pandas", "annotation"}, name
