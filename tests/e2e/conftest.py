"""A real Chromium against a real server.

Without Chromium the tests say so in one line, or fail under ELENCHUS_STRICT=1.
"""

import os
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.conftest import client_of, unavailable

CHROMIUM = os.environ.get("ELENCHUS_TEST_CHROMIUM", "/usr/bin/chromium")

# A loaded machine is no reason to fail: what is waited for comes late there, most of all after a restart.
expect.set_options(timeout=60_000)

# Playwright's loop runs in the thread in which the tests use the database.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")


def pytest_collection_modifyitems(items):
    folder = Path(__file__).parent
    for item in items:
        if folder in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def base_url() -> None:
    """Stand in for pytest-base-url's fixture, which pytest 9 warns about."""


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict:
    if not Path(CHROMIUM).exists():
        unavailable(f"no Chromium at {CHROMIUM}", "apt-get install chromium, or set ELENCHUS_TEST_CHROMIUM")
    return {
        "executable_path": CHROMIUM,
        "args": [
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--no-first-run",
        ],
    }


@pytest.fixture
def log_in(live_server):
    """Return a function that opens an address as somebody who is logged in already."""

    def act(page, name: str, then: str = "/healthz") -> None:
        page.context.add_cookies([session_of(name, live_server.url)])
        page.goto(f"{live_server.url}{then}")

    return act


@pytest.fixture
def log_in_by_keyboard(live_server):
    """Return a function that logs a person in by the log-in page, by keyboard alone."""

    def act(page, name: str, then: str = "/healthz") -> None:
        page.goto(f"{live_server.url}/accounts/login/?next={then}")
        expect(page.locator("[name=login]")).to_be_focused()
        page.keyboard.type(name)
        page.keyboard.press("Tab")
        page.keyboard.type("secret")
        page.keyboard.press("Enter")
        page.wait_for_url(f"{live_server.url}{then}")  # the log-in's own address ends so too

    return act


def session_of(name: str, url: str) -> dict[str, str]:
    """Return the cookie of a new session of this person."""
    return {"name": "sessionid", "value": client_of(name).cookies["sessionid"].value, "url": url}


@pytest.fixture
def as_(browser, live_server):
    """Return a function that gives a page in which somebody is logged in; a script's error fails the test."""
    said: list[str] = []
    contexts = []

    def act(name: str):
        contexts.append(browser.new_context())
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: said.append(str(error)))
        page.context.add_cookies([session_of(name, live_server.url)])
        return page

    yield act
    for context in contexts:
        context.close()
    assert said == []
