"""Every route of boards, with what is sent there and how each kind of reader is answered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import URLPattern, get_resolver

from tests.boards.made import asked, files, test_items
from tests.factories import Study

READERS = {
    "outsider": "nobody who is logged in",
    "olu": "an account without a team",
    "tina": "the team whose entry is asked for",
    "hal": "another team",
    "ann": "an annotator of the project",
    "max": "a lead of another project",
    "lea": "a lead of the project",
}

Body = Callable[[Study], dict[str, Any]]


@dataclass(frozen=True)
class Line:
    """One thing that can be asked of a route: `answers` has the status for each of READERS."""

    method: str
    address: str
    answers: str
    body: Body | dict[str, Any] | None = None

    def expected(self) -> dict[str, int]:
        return dict(zip(READERS, map(int, self.answers.split()), strict=True))


def upload(content: Any) -> SimpleUploadedFile:
    return SimpleUploadedFile("m.json", files(content)[0].data)


def good(made: Study) -> dict[str, Any]:
    """Return a form whose file fits; its answers are right for all that the sender knows."""
    file = upload(asked(made, right=4, tag="y"))
    return {"name": "Probe", "line": "", "link": "", "runs": file}


def faulty(made: Study) -> dict[str, Any]:
    first = test_items(made)[0]
    return {**good(made), "runs": upload({first: {"cqs": [{"cq": "x"}, {"cq": "X"}]}, "Z": {}})}


def by_api(form: Body) -> Body:
    """Return a form as programs send it."""

    def sent(made: Study) -> dict[str, Any]:
        given = form(made)
        file = given.pop("runs")
        return {**given, "files": file}

    return sent


def checked(form: Body) -> Body:
    return lambda made: {**form(made), "act": "check"}


BOARD, API = "/boards/ask/best/", "/api/boards/ask/best/"
PAGES, LEADS = "/p/ask/boards/", "/api/projects/ask/boards/"
PAGE_OF_LEADS = "302 404 404 404 403 404"
API_OF_LEADS = "403 404 404 404 403 404"
ANYBODY = "200 200 200 200 200 200 200"
OF_A_TEAM = "302 403 200 200 403 403 403"
OF_THE_TEAM = "302 403 200 404 403 403 403"
API_OF_A_TEAM = "403 403 200 200 403 403 403"

TABLE = {
    "board": [
        Line("get", BOARD, ANYBODY),
        Line("get", f"{BOARD}?version=1", ANYBODY),
        Line("get", f"{BOARD}?version=9", "404 404 404 404 404 404 404"),
    ],
    "board_file": [
        *(Line("get", f"{BOARD}{name}", ANYBODY) for name in ("board.csv", "board.json", "template.json")),
        Line("get", f"{BOARD}board.json?version=1", ANYBODY),
        *(
            Line("get", f"{BOARD}{name}", "404 404 404 404 404 404 404")
            for name in ("items.json", "cqs_gen.test.json", "release.json")
        ),
    ],
    "board_hand_in": [
        Line("get", f"{BOARD}hand-in/", "302 200 200 200 200 200 200"),
        Line("post", f"{BOARD}hand-in/", "302 200 302 302 200 200 200", checked(good)),
        Line("post", f"{BOARD}hand-in/", "302 200 200 200 200 200 200", checked(faulty)),
        Line("post", f"{BOARD}hand-in/", "302 200 302 302 200 200 200", good),
        Line("post", f"{BOARD}hand-in/", "302 200 200 200 200 200 200", faulty),
    ],
    "board_team": [
        Line("get", f"{BOARD}team/", OF_A_TEAM),
        Line("post", f"{BOARD}team/", OF_A_TEAM, {"invite": "1"}),
        Line("post", f"{BOARD}team/", OF_A_TEAM, {"team": ""}),
    ],
    "board_team_progress": [Line("get", f"{BOARD}team/progress/", OF_A_TEAM)],
    "board_entry": [
        Line("get", f"{BOARD}submissions/{{entry}}/", OF_THE_TEAM),
        Line("post", f"{BOARD}submissions/{{entry}}/", OF_THE_TEAM, {"name": ""}),
    ],
    "board_withdraw": [
        Line("post", f"{BOARD}submissions/{{entry}}/withdraw/", "302 403 302 404 403 403 403")
    ],
    "board_join": [
        Line("get", "/join-board/{token}/", ANYBODY),
        Line("post", "/join-board/{token}/", "200 302 200 200 302 302 302"),
    ],
    "boards": [Line("get", PAGES, f"{PAGE_OF_LEADS} 200")],
    "board_new": [
        Line("get", f"{PAGES}new/", f"{PAGE_OF_LEADS} 200"),
        Line("post", f"{PAGES}new/", f"{PAGE_OF_LEADS} 200", {"name": "x"}),
    ],
    "lead_board": [Line("get", f"{PAGES}best/", f"{PAGE_OF_LEADS} 200")],
    "lead_board_settings": [
        Line("get", f"{PAGES}best/settings/", f"{PAGE_OF_LEADS} 200"),
        Line("post", f"{PAGES}best/settings/", f"{PAGE_OF_LEADS} 200", {"feedback": "full"}),
    ],
    "lead_board_version": [
        Line("get", f"{PAGES}best/version/", f"{PAGE_OF_LEADS} 200"),
        Line("post", f"{PAGES}best/version/", f"{PAGE_OF_LEADS} 200", {"place": "1.0/none"}),
    ],
    "lead_board_switch": [Line("post", f"{PAGES}best/switch/", f"{PAGE_OF_LEADS} 302", {"state": "closed"})],
    "lead_board_invite": [Line("post", f"{PAGES}best/invite/", f"{PAGE_OF_LEADS} 302", {"note": ""})],
    "lead_board_export": [Line("post", f"{PAGES}best/export/", f"{PAGE_OF_LEADS} 200", {"internal": "1"})],
    "lead_board_hide": [
        Line("get", f"{PAGES}best/submissions/{{entry}}/hide/", f"{PAGE_OF_LEADS} 200"),
        Line("post", f"{PAGES}best/submissions/{{entry}}/hide/", f"{PAGE_OF_LEADS} 302", {"reason": "x"}),
    ],
    "lead_board_show": [
        Line("post", f"{PAGES}best/submissions/{{entry}}/show/", f"{PAGE_OF_LEADS} 302", {"again": "1"})
    ],
    "api-board": [
        Line("get", API, ANYBODY),
        Line("get", f"{API}?version=1", ANYBODY),
        Line("get", f"{API}?version=9", "404 404 404 404 404 404 404"),
    ],
    "api-board-check": [
        Line("post", f"{API}check/", API_OF_A_TEAM, by_api(good)),
        Line("post", f"{API}check/", "403 403 422 422 403 403 403", by_api(faulty)),
    ],
    "api-board-submissions": [
        Line("get", f"{API}submissions/", API_OF_A_TEAM),
        Line("post", f"{API}submissions/", "403 403 202 202 403 403 403", by_api(good)),
        Line("post", f"{API}submissions/", "403 403 422 422 403 403 403", by_api(faulty)),
    ],
    "api-board-submission": [
        Line("get", f"{API}submissions/{{entry}}/", "403 403 200 404 403 403 403"),
        Line("patch", f"{API}submissions/{{entry}}/", "403 403 200 404 403 403 403", {"line": "x"}),
    ],
    "api-board-withdraw": [
        Line("post", f"{API}submissions/{{entry}}/withdraw/", "403 403 204 404 403 403 403")
    ],
    "api-board-team": [
        Line("get", f"{API}team/", API_OF_A_TEAM),
        Line("post", f"{API}team/", "403 201 409 409 201 201 201", {"team": "New"}),
    ],
    "api-project-boards": [
        Line("get", LEADS, f"{API_OF_LEADS} 200"),
        Line("post", LEADS, f"{API_OF_LEADS} 422", {"name": "x"}),
    ],
    "api-project-board": [
        Line("get", f"{LEADS}best/", f"{API_OF_LEADS} 200"),
        Line("patch", f"{LEADS}best/", f"{API_OF_LEADS} 200", {"feedback": "full"}),
    ],
    "api-project-board-state": [
        Line("put", f"{LEADS}best/state/", f"{API_OF_LEADS} 200", {"state": "closed"})
    ],
    "api-project-board-versions": [
        Line("get", f"{LEADS}best/versions/", f"{API_OF_LEADS} 200"),
        Line("post", f"{LEADS}best/versions/", f"{API_OF_LEADS} 202", {"methods": ["exact"]}),
    ],
    "api-project-board-export": [
        Line("post", f"{LEADS}best/export/", f"{API_OF_LEADS} 200", {"internal": True})
    ],
    "api-project-board-invitations": [
        Line("get", f"{LEADS}best/invitations/", f"{API_OF_LEADS} 200"),
        Line("post", f"{LEADS}best/invitations/", f"{API_OF_LEADS} 201", {}),
    ],
    "api-project-board-revoke": [
        Line("post", f"{LEADS}best/invitations/{{invitation}}/revoke/", f"{API_OF_LEADS} 204")
    ],
    "api-project-board-submissions": [Line("get", f"{LEADS}best/submissions/", f"{API_OF_LEADS} 200")],
    "api-project-board-hide": [
        Line("post", f"{LEADS}best/submissions/{{entry}}/hide/", f"{API_OF_LEADS} 204", {"reason": "x"})
    ],
    "api-project-board-show": [
        Line("post", f"{LEADS}best/submissions/{{entry}}/show/", f"{API_OF_LEADS} 204")
    ],
    "api-project-board-again": [
        Line("post", f"{LEADS}best/submissions/{{entry}}/again/", f"{API_OF_LEADS} 202")
    ],
}

AROUND = [
    *("/", "/releases/ask/1.0/", "/releases/ask/1.0/files/cqs_gen.test.json", "/api/me/data/"),
    *("/p/ask/evaluations/{evaluation}/", "/p/ask/evaluations/{evaluation}/answers/"),
    "/p/ask/evaluations/{evaluation}/files/answers.jsonl",
    "/api/projects/ask/releases/1.0/evaluations/{evaluation}/",
    "/api/projects/ask/releases/1.0/files/internal/cqs_gen.test.json",
    *("/p/ask/releases/1.0/", "/p/ask/systems/", "/p/ask/log/", "/p/ask/items/"),
]
"""Pages of other subjects that a board's people may try: no status is expected, but nothing withheld."""


def routes_of_boards() -> Iterator[tuple[str, set[str]]]:
    """Return name and methods of each route that a module of boards answers."""
    for pattern in patterns():
        view = getattr(pattern.callback, "cls", pattern.callback)
        if view.__module__.startswith(("boards.", "frontend.pages.boards.")):
            # A page may be asked in any way, and says itself which it takes.
            api = isinstance(view, type)
            methods = {name for name in ("get", "post", "put", "patch", "delete") if hasattr(view, name)}
            yield pattern.name or "", methods if api else set()


def patterns(resolver: Any = None) -> Iterator[URLPattern]:
    for pattern in (resolver or get_resolver()).url_patterns:
        if isinstance(pattern, URLPattern):
            yield pattern
        else:
            yield from patterns(pattern)
