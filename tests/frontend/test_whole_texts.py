"""What is pasted into a form arrives whole: a text that is too long comes back with how long it may be."""

import html
import re
from pathlib import Path

import pytest
from django.test import Client

from annotation.models import Codebook, Comment, Resolution
from tests.conftest import ROOT
from tests.factories.reports import disputed_study
from tests.pages import html_of

pytestmark = pytest.mark.django_db

CUTS = re.compile("maxlength", re.IGNORECASE)


@pytest.fixture
def study():
    return disputed_study()


def address(made, act: str = "") -> str:
    return f"/p/{made.project.slug}/rounds/1/units/{made.items[0].pk}/LE/{act}"


def kept(response, name: str) -> str:
    """Return what a textarea of the page holds."""
    page = html_of(response)
    return html.unescape(re.search(rf'<textarea[^>]* name="{name}"[^>]*>\n?(.*?)</textarea>', page, re.S)[1])


def test_no_page_lets_the_browser_cut_what_is_pasted(lead_client, study):
    slug = study.project.slug
    places = [
        *("/projects/new/", f"/p/{slug}/settings/", f"/p/{slug}/people/", f"/p/{slug}/releases/"),
        *(f"/p/{slug}/rounds/new/", f"/p/{slug}/import/", f"/p/{slug}/codebook/edit/", address(study)),
        *(f"/p/{slug}/rounds/1/reopen/", f"/p/{slug}/items/{study.items[0].pk}/withdraw/"),
    ]
    pages = {place: lead_client.get(place) for place in places}
    pages["log-in"] = Client().get("/accounts/login/")
    assert {page.status_code for page in pages.values()} == {200}
    assert [name for name, page in pages.items() if CUTS.search(html_of(page))] == []


def test_no_template_or_script_of_ours_has_a_field_that_cuts():
    files = [path for kind in ("*.html", "*.js") for path in Path(ROOT, "frontend").rglob(kind)]
    assert len(files) > 100
    assert [path.name for path in files if CUTS.search(path.read_text())] == []


def test_a_name_that_is_too_long_comes_back_whole_with_both_numbers(lead_client):
    name = "n" * 200 + "end"
    response = lead_client.post("/projects/new/", {"name": name, "slug": "s", "protocol": "focus"})
    page = html_of(response)
    assert f'value="{name}"' in page
    assert "Ensure this value has at most 200 characters (it has 203)." in page


def test_a_comment_that_is_too_long_comes_back_whole_and_is_not_stored(lead_client, study):
    text = "x" * 10_000 + " <end>"
    response = lead_client.post(address(study, "comment/"), {"text": text})
    assert response.status_code == 422
    assert kept(response, "text") == text
    words = "The comment cannot be stored: 10,006 characters, at most 10,000 are kept."
    problem = '<div class="field-problem" id="comment_problem"><ul class="errorlist"><li>'
    assert f"{problem}{words}" in html_of(response)
    assert not Comment.objects.exists()


def test_a_reason_that_is_too_long_comes_back_whole_and_nothing_is_decided(lead_client, study):
    why = "x" * 10_000 + " end"
    response = lead_client.post(address(study, "decide/"), {"side": "no", "why": why, "seen": ""})
    assert kept(response, "why") == why
    assert "10,004 characters, at most 10,000 are kept" in html_of(response)
    assert not Resolution.objects.exists()


def test_a_guideline_that_is_too_long_comes_back_whole_and_is_not_published(lead_client, study):
    guideline = "x" * 100_000 + " end"
    response = lead_client.post(f"/p/{study.project.slug}/codebook/edit/", {"guideline": guideline})
    assert kept(response, "guideline").strip() == guideline
    assert "100,00" in " ".join(response.context["problems"])
    assert Codebook.objects.filter(project=study.project).count() == 1
