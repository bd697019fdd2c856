"""Every page there is, for everyone: accessible, in light and dark, on a phone, enlarged to 400%."""

import json
import shutil
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.template.loader import render_to_string
from playwright.sync_api import Browser, BrowserContext, Page, Request, expect

from tests.e2e.page_checks import (
    WIDTHS,
    colour_violations,
    load_axe,
    open_all,
    overwritten,
    tab_through,
    titles_alone,
    too_wide,
    violations,
)
from tests.e2e.page_table import NOT_PAGES, VISITS, Visit, routes, visited
from tests.installation import Installation, script

SEED = script("from tests.e2e.page_data import seed; seed()")
PHONE, ENLARGED, DESK = (
    {"width": 360, "height": 740},
    # 1280 × 1024 at 400%
    {"width": 320, "height": 256},
    {"width": 1280, "height": 900},
)


class Site:
    """A running installation with something on every page, and a browser with everybody logged in."""

    def __init__(self, installation: Installation, browser: Browser) -> None:
        self.url = installation.url
        self.known: dict[str, Any] = json.loads(installation.run(*SEED))
        self.browser = browser
        self.contexts: dict[str, BrowserContext] = {}
        self.pages: dict[str, Page] = {}
        self.said: list[str] = []
        self.titles: defaultdict[tuple[str, str], set[str]] = defaultdict(set)

    def context_of(self, who: str) -> BrowserContext:
        if who not in self.contexts:
            self.contexts[who] = self.browser.new_context(viewport=DESK)
            if who:
                session = self.known["sessions"][who]
                self.contexts[who].add_cookies([{"name": "sessionid", "value": session, "url": self.url}])
        return self.contexts[who]

    @contextmanager
    def page_of(self, who: str) -> Iterator[Page]:
        """Give somebody's one tab: a new one for each page would start a process and read scripts again."""
        page = self.pages.pop(who, None) or self._new_page(who)
        self.said.clear()
        try:
            yield page
        except BaseException:
            page.close()
            raise
        page.goto("about:blank")  # nothing of this page is heard while the next one is looked at
        page.emulate_media(color_scheme="light")
        page.set_viewport_size(DESK)
        self.pages[who] = page

    def _new_page(self, who: str) -> Page:
        page = self.context_of(who).new_page()
        said = self.said
        page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("requestfailed", lambda request: None if gave_up(request) else said.append(request.url))
        return page


@pytest.fixture(scope="module")
def site(migrated, tmp_path_factory, browser) -> Iterator[Site]:
    installation = Installation(shutil.copytree(migrated, tmp_path_factory.mktemp("pages") / "data"))
    made = Site(installation, browser)
    installation.start()
    yield made
    for context in made.contexts.values():
        context.close()
    installation.kill()


def gave_up(request: Request) -> bool:
    """Return whether a request ended because its page was left, as a count does when a button is pressed."""
    return request.failure == "net::ERR_ABORTED"


@contextmanager
def opened(site: Site, visit: Visit) -> Iterator[Page]:
    """Open a page; `site.said` has what its console and its requests complain about."""
    with site.page_of(visit.who) as page:
        _open(site, page, visit)
        yield page


def _open(site: Site, page: Page, visit: Visit) -> None:
    response = page.goto(site.url + visit.path.format_map(site.known), wait_until="load")
    assert response is not None and response.status == visit.status
    if visit.status != 200:
        site.said.clear()
    if visit.press:
        _press(page, visit.press)
    if page.locator("#workspace").count():  # of a round, or of a key
        expect(page.locator("#workspace")).not_to_have_attribute("data-state", "loading")


def _press(page: Page, name: str) -> None:
    """Send the form as it is, the browser's own checks left out, so that its errors show."""
    page.evaluate("document.querySelectorAll('main form').forEach(form => { form.noValidate = true; })")
    with page.expect_navigation():
        page.locator("main").get_by_role("button", name=name, exact=True).click()


def test_every_route_is_visited_here_or_is_no_page():
    named = visited() | set().union(*NOT_PAGES.values())
    assert set(routes()) - named == set(), "give a new page a line in page_table.py"
    assert visited() & set().union(*NOT_PAGES.values()) == set()


@pytest.mark.parametrize("visit", VISITS, ids=lambda visit: " ".join(str(part) for part in visit if part))
def test_a_page_is_for_everyone(site, visit):
    with opened(site, visit) as page:
        assert found_wrong(page) == {}
        assert site.said == []
        _titled(site, visit, page.title())


@pytest.mark.parametrize("name", ["400", "403_csrf", "500"])
def test_a_page_about_an_error_is_for_everyone(site, name):
    with site.page_of("") as page:
        page.route("**/broken", lambda route: route.fulfill(body=render_to_string(f"{name}.html")))
        page.goto(f"{site.url}/broken")
        assert found_wrong(page) == {}
        page.unroute("**/broken")


@pytest.mark.parametrize(
    "path",
    [
        "/p/focus/",
        "/p/focus/log/",
        "/p/focus/codebook/edit/",
        "/p/focus/rounds/1/agreement/",
        "/p/focus/rounds/1/units/{item}/LE/",
    ],
)
def test_whoever_tabs_through_a_page_always_sees_where_they_are_and_gets_out(site, path):
    with opened(site, Visit("lea", path)) as page:
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        assert tab_through(page) == ([], True)


def found_wrong(page: Page) -> dict[str, list[str]]:
    """Return what is wrong with a page in light, in dark, on a phone, enlarged, and as a document."""
    open_all(page)
    load_axe(page)
    found = {"light": violations(page) + overwritten(page)}
    page.emulate_media(color_scheme="dark")
    found["dark"] = colour_violations(page)
    page.set_viewport_size(PHONE)
    found["phone"] = too_wide(page) + overwritten(page) + titles_alone(page) + violations(page, WIDTHS)
    page.set_viewport_size(ENLARGED)
    found["enlarged"] = too_wide(page) + overwritten(page)
    headings = page.locator("h1:visible").all_inner_texts()
    found["headings"] = [] if len(headings) == 1 else headings or ["none"]
    return {when: what for when, what in found.items() if what}


def _titled(site: Site, visit: Visit, title: str) -> None:
    """A title says which page of which project this is: no two addresses share one with a person."""
    assert title.endswith(" · Elenchus") and len(title) > len("A · Elenchus")
    # The pages of allauth have titles of their own.
    if visit.status == 200 and not visit.path.startswith("/accounts/"):
        path = visit.path.partition("?")[0]
        site.titles[visit.who, title].add(path)
        assert site.titles[visit.who, title] == {path}
