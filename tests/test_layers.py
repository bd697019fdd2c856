"""Which module may import what, read from the syntax trees: an app or a room imports what lies below it."""

import ast
import graphlib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tools.apps import APPS

ROOT = Path(__file__).resolve().parent.parent
FLOORS = {
    "annotation": (
        *("api", "tasks", "training", "importing adjudication", "judging", "rounds"),
        *(
            "projects items protocols",
            "access accounts backups",
            "codebooks",
            "database",
            "models",
            "limits signals",
        ),
    ),
    "annotation/importing": ("", "formats", "files"),
    "agreement": (
        *("api", "tasks", "computation", "display adjudication", "competence", "report", "files"),
        *("what_if", "spans", "statistics", "models"),
    ),
    "assist": (
        *("api", "tasks", "filtering", "candidates", "topics", "runs", "reading", "asking", "triggers"),
        "models",
    ),
    "exports": (
        *("api", "tasks", "refinement", "releases", "documentation", "files", "formats", "disclosure"),
        *("selection", "triggers", "models", "shipped"),
    ),
    "boards": ("api", "tasks", "life", "figures", "triggers", "models"),
    "scoring": (
        "api",
        "tasks",
        "baselines",
        "systems",
        "evaluation",
        "reading",
        "figures",
        "triggers",
        "models",
    ),
}
"""The rooms of a folder from the top down; "" are the modules that lie in the folder itself."""

STARTERS = {"__init__", "apps", "urls", "management", "migrations", "sample"}
"""What sets an app up, or is started by people, may import all of it."""

PURE = ("agreement/statistics", "agreement/spans", "agreement/what_if")
PURE_MAY_USE = {"core.canonical_json", "core.gc"}
MOST_MODULES = 20
MOST_LINES = 500
"""A file is split by its subjects, not by its length; beyond this it has more than one."""


@cache
def imports(path: Path) -> frozenset[str]:
    """Return the dotted names of all that a file imports as it runs: modules and names in them."""
    found: set[str] = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
            found |= {f"{node.module}.{name.name}" for name in node.names}
    return frozenset(found)


def modules(*apps: str) -> Iterator[tuple[Path, frozenset[str]]]:
    for app in apps:
        for path in sorted((ROOT / app).rglob("*.py")):
            yield path.relative_to(ROOT), imports(path)


def importers(package: str, *apps: str) -> set[str]:
    return {
        path.as_posix()
        for path, found in modules(*apps)
        if any(f"{name}.".startswith(f"{package}.") for name in found)
    }


def test_an_app_imports_only_itself_and_what_stands_right_of_it():
    for place, app in enumerate(APPS):
        for left in (*APPS[:place], "tests", "bench", "tools"):
            assert importers(left, app) == set(), f"{app} imports {left}"


@pytest.mark.parametrize("folder", FLOORS)
def test_a_room_imports_only_itself_and_the_floors_below(folder):
    floors = {room: floor for floor, rooms in enumerate(FLOORS[folder]) for room in (rooms.split() or [""])}
    inside = folder.replace("/", ".") + "."
    wrong = []
    for path, found in modules(folder):
        room = room_of(path.relative_to(folder).with_suffix("").parts, floors)
        if room in STARTERS:
            continue
        assert room in floors, f"{path} is in no room of the plan"
        for name in found:
            if not name.startswith(inside):
                continue
            other = room_of(tuple(name.removeprefix(inside).split(".")), floors)
            if other != room and other in floors and floors[other] <= floors[room]:
                wrong.append(f"{path} imports {name}")
    assert wrong == []


def room_of(parts: tuple[str, ...], floors: dict[str, int]) -> str:
    return "" if "" in floors and parts[0] not in floors else parts[0]


def test_no_module_imports_itself_by_way_of_others():
    names = {".".join(path.with_suffix("").parts): found for path, found in modules(*APPS)}
    known = {name.removesuffix(".__init__") for name in names}
    graph = {
        name.removesuffix(".__init__"): {one for one in found if one in known}
        for name, found in names.items()
    }
    for name in graph:
        # `from package import module` names the package too, and runs none of what the module needs.
        graph[name] -= {
            package for package in graph[name] if any(n.startswith(f"{package}.") for n in graph[name])
        }
        graph[name].discard(name)
    assert list(graphlib.TopologicalSorter(graph).static_order())


def test_only_tasks_dispatch_and_the_configuration_know_celery():
    found = {path for path in importers("celery", *APPS) if Path(path).name != "tasks.py"}
    assert found <= {"config/celery.py", "core/dispatch.py"}


def test_only_pages_and_the_api_know_http():
    for package in ("django.http", "django.shortcuts", "rest_framework"):
        for path in importers(package, *set(APPS) - {"config", "frontend", "operations"}):
            assert "api" in Path(path).parent.parts or Path(path).name in ("api.py", "api_parsing.py"), path


@pytest.mark.parametrize("folder", PURE)
def test_the_statistics_know_neither_django_nor_pandas_nor_what_is_annotated(folder):
    for path, found in modules(folder):
        for name in found:
            head = name.partition(".")[0]
            assert head not in {"django", "pandas", "annotation", "exports"}, f"{path} imports {name}"
            inner = ".".join(name.split(".")[:2])
            assert head != "core" or inner == "core" or inner in PURE_MAY_USE, f"{path} imports {name}"
            assert head != "agreement" or name == "agreement" or "/".join(name.split(".")[:2]) in PURE, (
                f"{path} imports {name}"
            )


def test_no_folder_holds_more_modules_than_can_be_looked_over():
    counted = Counter(
        path.parent.relative_to(ROOT).as_posix()
        for app in APPS
        for kind in ("*.py", "*.js")
        for path in (ROOT / app).rglob(kind)
        if path.name != "__init__.py" and "migrations" not in path.parts
    )
    too_many = {folder: n for folder, n in counted.items() if n > MOST_MODULES}
    assert too_many == {}


def test_no_module_has_grown_beyond_one_subject():
    counted = {
        path.relative_to(ROOT).as_posix(): len(path.read_text("utf-8").splitlines())
        for app in (*APPS, "tests", "tools", "bench")
        for kind in ("*.py", "*.js")
        for path in (ROOT / app).rglob(kind)
        if "migrations" not in path.parts and path.name != "strata.py"  # being split
    }
    assert {path: n for path, n in counted.items() if n > MOST_LINES} == {}


JOB_ENGINE = ("core.jobs", "core.dispatch")
ALIKE = 6


def test_job_code_stands_in_one_place():
    """No six statements of modules that work on jobs are the same, whatever their variables are called."""
    places: dict[tuple[str, ...], list[str]] = {}
    for path, found in modules(*(app for app in APPS if app != "frontend")):
        if "migrations" in path.parts or not (path.match("core/*.py") or found.intersection(JOB_ENGINE)):
            continue
        for lines in statements(ROOT / path):
            for at in range(len(lines) - ALIKE + 1):
                places.setdefault(tuple(lines[at : at + ALIKE]), []).append(path.as_posix())
    assert [(found, *lines) for lines, found in places.items() if len(found) > 1] == []


def statements(path: Path) -> Iterator[list[str]]:
    """Yield the lines of each function and class of a module, without names of variables and docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = "_"
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
            node.body[:1] = [] if node.body[1:] else [ast.Pass()]
    for node in tree.body:
        if not isinstance(node, ast.Import | ast.ImportFrom):
            lines = (line.strip() for line in ast.unparse(node).splitlines())
            yield [line for line in lines if line != "_: _"]  # a field of a dataclass


def test_the_apps_are_those_that_are_installed():
    from django.conf import settings

    ours = {app for app in settings.INSTALLED_APPS if (ROOT / app).is_dir()}
    assert set(APPS) == ours | {"config", "core"}
