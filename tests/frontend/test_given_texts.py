"""What comes from a file or a person stays as it is: no translator may touch it, and it says its language."""

import re
from pathlib import Path

import pytest

from annotation.models import Project
from tests import factories
from tests.conftest import client_of

TEMPLATES = Path(__file__).resolve().parent.parent.parent / "frontend" / "templates" / "frontend"
# An element that begins with a text, a question or a quote of the project; a mark stands within one.
GIVEN = re.compile(
    r"<(?!mark)\w+(?P<attributes>[^<>]*)>\s*(?:“)?(?:<span>)?\{\{ "
    r"(?P<name>[\w.]*(?:item\.text|question\.text|quote|question_template|question__text))\b"
)


def test_every_text_question_and_quote_on_a_page_is_marked_as_given():
    found = [
        (template.name, given["name"], "{% as_given %}" in given["attributes"])
        for template in sorted(TEMPLATES.rglob("*.html"))
        for given in GIVEN.finditer(template.read_text("utf-8"))
    ]
    assert len(found) >= 10
    assert [one for one in found if not one[2]] == []


@pytest.mark.django_db
@pytest.mark.parametrize(("languages", "tag"), [("de", "de"), ("en, ar", ""), ("", "")])
def test_texts_carry_the_projects_language_where_it_has_one(languages, tag):
    made = factories.study("focus", annotators=1, items=1, slug="campus")
    factories.open_round(made)
    Project.objects.update(languages=languages)
    marks = f'dir="auto" translate="no" lang="{tag}"'
    workspace = client_of("ann").get("/p/campus/rounds/1/work/").content.decode()
    assert f'<p class="ws-text" id="ws-text" {marks}></p>' in workspace
    item = client_of("lea").get(f"/p/campus/items/{made.items[0].pk}/").content.decode()
    assert f'<p class="read text-whole" {marks}>{factories.ARGUMENTS[0][:10]}' in item


@pytest.mark.django_db
def test_a_browser_keeps_neither_the_workspace_nor_what_it_shows():
    made = factories.study("focus", annotators=1, items=1, slug="campus")
    factories.open_round(made)
    for path in (
        "/p/campus/rounds/1/work/",
        "/api/projects/campus/rounds/1/workspace/",
        "/api/projects/campus/rounds/1/units/?after=0&limit=10",
    ):
        assert "no-store" in client_of("ann").get(path)["Cache-Control"], path
