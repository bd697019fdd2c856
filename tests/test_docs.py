"""The documentation and the code say the same: paths, names, links and the words of the glossary."""

import io
import re
import tokenize
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tools.apps import APPS

ROOT = Path(__file__).resolve().parent.parent
SOURCES = {".py", ".js", ".css", ".html", ".toml", ".sh"}
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("bench/*.md")])
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
DECISIONS = sorted(path for path in ROOT.glob("docs/decisions/*.md") if path.name != "README.md")
GLOSSARY, FILE_NAMES = (ROOT / "docs" / "glossary.md").read_text("utf-8").split("## Names of files")
NAMED_BY_DJANGO = {
    *("__init__", "migrations", "management", "settings", "templatetags", "sample", "admin", "api", "apps"),
    *("base", "celery", "common", "decorators", "fields", "main", "middleware", "models", "signals", "tasks"),
    *("urls", "wsgi"),
}
PLACE = re.compile(rf"`((?:{'|'.join(APPS)})/[\w./-]+)` \(`(\w+)`\)")
PATH = re.compile(rf"`((?:{'|'.join(APPS)}|tests|bench|tools|docs)/[\w./-]+?)`")


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_each_question_of_a_newcomer_is_answered_by_a_place_that_exists():
    answered = [(path, name) for row in rows_of(ARCHITECTURE) for path, name in PLACE.findall(row)]
    assert len(answered) >= 18
    wrong = [
        (path, name)
        for path, name in answered
        if not (ROOT / path).is_file() or not re.search(rf"\b{name}\b", (ROOT / path).read_text("utf-8"))
    ]
    assert wrong == []


def rows_of(page: str) -> list[str]:
    return [line for line in page.splitlines() if line.startswith("| ")]


@pytest.mark.parametrize("document", PAGES, ids=relative)
def test_links_and_paths_of_a_page_lead_somewhere(document):
    text = document.read_text("utf-8")
    links = [
        target.partition("#")[0]
        for target in re.findall(r"\]\(([^)\s]+)\)", text)
        if not re.match(r"[a-z]+:|/", target) and target.partition("#")[0]
    ]
    missing = [target for target in links if not (document.parent / target).exists()]
    missing += [path for path in PATH.findall(text) if not exists(path)]
    assert missing == []


def exists(path: str) -> bool:
    """Say whether a path is there, or stands for a file of a release."""
    of_release = re.fullmatch(r"agreement/round(s|-[\dN]+)\.\w+", path)
    return bool(of_release or re.search(r"\*|[A-Z]", Path(path).name)) or (ROOT / path).exists()


def test_every_room_of_the_house_is_named_in_the_architecture():
    rooms = {
        path.name
        for app in set(APPS) - {"config", "core", "frontend", "operations"}
        for path in (ROOT / app).iterdir()
        if path.is_dir() and path.name not in {"__pycache__", "migrations", "management", "sample", "api"}
    }
    unnamed = {room for room in rooms if f"{room}/" not in ARCHITECTURE}
    assert unnamed == set()


def test_what_the_glossary_names_in_the_code_is_there():
    code = "\n".join(path.read_text("utf-8") for app in APPS for path in (ROOT / app).rglob("*.py"))
    names = [name for row in rows_of(GLOSSARY)[2:] for name in re.findall(r"`([A-Z]\w+)(\.\w+)?`", row)]
    assert len(names) > 10
    assert [name for name, _ in names if f"class {name}" not in code] == []
    fields = [field.removeprefix(".") for _, field in names if field]
    assert [field for field in fields if not re.search(rf"^    {field}\b.*[=:]", code, re.M)] == []


def test_each_word_of_the_glossary_stands_there_once():
    words = [
        word for row in rows_of(GLOSSARY)[1:] for word in row.split(" | ")[0].removeprefix("| ").split(", ")
    ]
    assert [word for word in words if words.count(word) > 1] == []


def modules_to_name() -> dict[str, set[str]]:
    """Return the names of modules by the folder they lie in, without those that Django names."""
    found: dict[str, set[str]] = {}
    for app in APPS:
        for path in (ROOT / app).rglob("*.py"):
            if not NAMED_BY_DJANGO & {*path.relative_to(ROOT).parts, path.stem} and not path.stem.startswith(
                "_"
            ):
                found.setdefault(f"{relative(path.parent)}/", set()).add(path.stem)
    return found


def forms(words: Iterable[str]) -> set[str]:
    """Return words with their other number: span and spans, study and studies."""
    singular = {
        re.sub(r"ies$", "y", word) if word.endswith("ies") else word.removesuffix("s") for word in words
    }
    return singular | {f"{word}s" for word in singular} | {f"{word[:-1]}ies" for word in singular} | {*words}


def test_a_module_is_named_by_the_glossary():
    known = forms({*re.findall(r"[a-z]+", " ".join(row.split(" | ")[0] for row in rows_of(GLOSSARY)))})
    by_room = {
        row.split("`")[1]: set(row.split(" | ")[1].split(", ")) for row in rows_of(FILE_NAMES) if "`" in row
    }
    unnamed = {
        room: sorted(name for name in modules if not known & set(name.split("_")))
        for room, modules in modules_to_name().items()
    }
    assert {
        room: left for room, modules in unnamed.items() if (left := [*{*modules} - by_room.get(room, set())])
    } == {}, "name the module by a word of docs/glossary.md, or explain it there"
    assert {room: gone for room, named in by_room.items() if (gone := named - {*unnamed.get(room, ())})} == {}


def test_the_newest_version_of_the_changelog_is_that_of_the_project():
    versions = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert versions == sorted(versions, reverse=True)
    assert versions[0] == project["version"]


def test_the_workflow_of_a_forge_runs_what_anybody_can_run_in_a_clone():
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    assert re.findall(r"- run: (.+)", workflow) == [".ci/run"]


def test_the_commits_that_blame_passes_over_are_whole_hashes():
    lines = (ROOT / ".git-blame-ignore-revs").read_text("utf-8").splitlines()
    assert [line for line in lines if not re.fullmatch(r"#.*|[0-9a-f]{40}", line)] == []


def places_of(page: Path) -> list[str]:
    """Return the folders and modules that a page of decisions says it is about."""
    return re.findall(r"`([^`]+)`", page.read_text("utf-8").splitlines()[2])


def linked_pages() -> dict[str, str]:
    """Return the page of decisions that each module names."""
    found = {}
    for app in (*APPS, "tools"):
        for path in (ROOT / app).rglob("*"):
            if path.suffix in {".py", ".js", ".css"}:
                for page in re.findall(r"See docs/decisions/(\w+)\.md", path.read_text("utf-8")):
                    found[relative(path)] = page
    return found


@pytest.mark.parametrize("page", DECISIONS, ids=relative)
def test_each_place_of_a_page_of_decisions_links_to_it_from_a_module(page):
    links = [module for module, name in linked_pages().items() if name == page.stem]
    assert places_of(page) != []
    assert [place for place in places_of(page) if not any(m.startswith(place) for m in links)] == []


def test_a_module_links_to_a_page_of_decisions_that_is_about_its_place():
    wrong = [
        (module, name)
        for module, name in linked_pages().items()
        if not any(module.startswith(place) for place in places_of(ROOT / f"docs/decisions/{name}.md"))
    ]
    assert wrong == []


def test_the_list_of_decisions_names_each_page_with_its_places():
    rows = rows_of((ROOT / "docs" / "decisions" / "README.md").read_text("utf-8"))
    listed = {re.search(r"\((\w+)\.md\)", row)[1]: re.findall(r"`([^`]+)`", row) for row in rows[2:]}
    assert listed == {page.stem: places_of(page) for page in DECISIONS}


def test_a_decision_stands_once_and_in_three_lines_at_most():
    entries = [
        entry.partition("\n")
        for page in DECISIONS
        for entry in re.split(r"^#{2,3} ", page.read_text("utf-8"), flags=re.M)[1:]
    ]
    headings = [heading for heading, _, _ in entries]
    assert [heading for heading in headings if headings.count(heading) > 1] == []
    assert [heading for heading, _, body in entries if len(body.strip().splitlines()) > 3] == []


@pytest.mark.parametrize("page", DECISIONS, ids=relative)
def test_what_a_decision_names_in_the_code_is_there(page, words_of_the_code):
    named = set(re.findall(r"`([A-Za-z_][\w./-]*)`", page.read_text("utf-8")))
    gone = {
        name for name in named if not exists(name) and not set(re.findall(r"\w+", name)) <= words_of_the_code
    }
    assert gone == set()


@pytest.fixture(scope="module")
def words_of_the_code() -> set[str]:
    """Return every word of code, file names and settings."""
    places = [ROOT / name for name in (*APPS, "tests", "tools", "bench")]
    files = [path for place in places for path in place.rglob("*") if path.suffix in SOURCES]
    files += [ROOT / name for name in ("Makefile", "Dockerfile", "docker-compose.yml")]
    text = "\n".join(f"{relative(path)}\n{path.read_text('utf-8')}" for path in files)
    return set(re.findall(r"\w+", text))


def test_every_command_that_people_run_is_in_the_readme():
    commands = {path.stem for path in ROOT.glob("*/management/commands/*.py")} - {"__init__"}
    rows = "\n".join(rows_of((ROOT / "README.md").read_text("utf-8")))
    of_installing = {"createsuperuser", "load_sample", "serve"}
    assert {name for name in commands - of_installing if f"`{name}`" not in rows} == set()


def test_browser_tests_wait_by_what_the_content_security_policy_allows():
    waits = {
        path.name
        for path in ROOT.glob("tests/**/*.py")
        if ".wait_for" + "_function(" in path.read_text("utf-8")
    }
    assert waits == set(), "use tests.e2e.workspace.until: the page may not evaluate strings"


IDIOMS = re.compile(r"\b(at hand|hand(ed|s|ing)? on|let(s|ting)? go|rulings?)\b", re.IGNORECASE)


def test_comments_and_pages_are_in_plain_english():
    """Most readers' first language is another, and what a lead decides has the glossary's word."""
    code = [path for app in (*APPS, "tests", "tools", "bench") for path in (ROOT / app).rglob("*.py")]
    said = {path: "\n".join(comments_of(path.read_text("utf-8"))) for path in code}
    others = [
        path for app in APPS for path in (ROOT / app).rglob("*") if path.suffix in {".js", ".css", ".html"}
    ]
    said |= {path: path.read_text("utf-8") for path in (*others, *PAGES) if path.name != "CHANGELOG.md"}
    assert {relative(path) for path, text in said.items() if IDIOMS.search(text)} == set()


def comments_of(source: str) -> Iterator[str]:
    """Yield the comments of a module, and the texts in three quotation marks."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and token.string[-3:] == '"' * 3):
            yield token.string


VERBS = "add check choose clean count fill find forget keep load make plan read save set settle store write"
USE_CASES = {
    *(
        "backup_make",
        "comment_add",
        "context_check_make",
        "own_data_write",
        "questions_make",
        "error_tag_add",
        "front_page_write",
        "matching_make",
        "member_add",
        "references_add",
        "round_items_add",
    ),
    *("sample_load", "screening_count", "upload_check"),
}


def test_a_helper_begins_with_its_verb():
    """`<entity>_<action>` is for what a person asks for: `round_open`, but `read_judgements`."""
    code = [path for app in APPS for path in (ROOT / app).rglob("*.py") if "migrations" not in path.parts]
    names = {name for path in code for name in re.findall(r"\bdef (\w+)", path.read_text("utf-8"))}
    verbs = set(VERBS.split())
    late = {
        name for name in names if (words := name.strip("_").split("_"))[-1] in verbs and words[0] not in verbs
    }
    assert {name for name in late if "_" in name.strip("_")} - {
        "cross_check",
        "evaluate_count",
        "no_store",
        *USE_CASES,
    } == set()
