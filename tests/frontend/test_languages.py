"""What an annotator meets, asked for in Spanish and Japanese: no English is left on the page."""

import html
import re

import pytest
from django.test import Client
from django.utils import translation

from annotation.adjudication.discussion import comment_add
from annotation.judging.recording import Unit
from annotation.judging.workspace import workspace_overview
from annotation.models import Comment
from annotation.projects.invitations import invitation_create
from core.errors import Refused
from tests import factories
from tests.conftest import client_of
from tests.factories.reports import DISPUTED, disputed_study

pytestmark = pytest.mark.django_db

NOT_SHOWN = re.compile(r"<(script|style)\b.*?</\1>", re.DOTALL)
ENGLISH = re.compile(r'<(div|pre|button) [^>]*(?:lang="en"|translate="no")[^>]*>.*?</\1>', re.DOTALL)
"""Parts that say of themselves which language they are in: cards, commands, languages to choose."""
SPOKEN = re.compile(r'(?:aria-label|title|placeholder|alt)="([^"]*)"')
WORD = re.compile(r"[A-Za-z]{3}")


def said(client: Client, address: str, language: str, status: int) -> set[str]:
    """Return the pieces of text of a page that hold a word, those for screen readers included."""
    response = client.get(address, headers={"accept-language": language})
    assert response.status_code == status
    page = ENGLISH.sub("", NOT_SHOWN.sub("", response.content.decode())).replace(
        " · Elenchus</title>", "</title>"
    )
    pieces = [*re.split(r"<[^>]*>", page), *SPOKEN.findall(page)]
    return {" ".join(html.unescape(piece).split()) for piece in pieces if WORD.search(piece)}


def test_no_page_of_an_annotator_nor_a_leads_first_says_anything_in_english_to_others():
    made = disputed_study()
    ann = made.annotators[0]
    own, stranger = client_of(ann.user), Client()
    _, token = invitation_create(project=made.project, member=made.lead)
    for act in (Comment.Act.SAY, Comment.Act.SETTLE, Comment.Act.REOPEN):
        comment_add(round=made.round, item=made.items[0], unit=Unit("LE"), member=ann, text="xy", act=act)
    entry = next(one for one in made.round.codebook.definition["types"] if one["code"] == "LE")
    written = {
        "Elenchus",
        "JavaScript",
        "lea",
        "Enter",
        "Esc",
        "ann",
        "ann@example.org",
        made.round.name,
        "no source",
        "“no source”",
    }
    written |= {entry["name"], entry["description"], f"{made.items[0].external_id} · {entry['name']}"}
    for client, address, status in (
        (own, "/", 200),
        (own, "/projects/new/", 200),
        (own, "/p/s/", 200),
        (own, "/p/s/rounds/1/work/", 200),
        (own, "/p/s/rounds/1/discussion/", 200),
        (own, f"/p/s/rounds/1/units/{made.items[0].pk}/LE/", 200),
        (own, "/p/s/people/", 403),
        (own, "/p/none/", 404),
        (own, "/nothing/", 404),
        (own, "/join/none/", 404),
        (own, "/accounts/logout/", 200),
        (own, "/accounts/password/change/", 200),
        (own, "/signed-in/", 200),
        (client_of(made.lead.user), "/p/s/", 200),
        (stranger, f"/join/{token}/", 200),
        (stranger, "/accounts/login/", 200),
    ):
        english = said(client, address, "en", status)
        assert len(english) > 3
        for language in ("es", "ja"):
            left = english & said(client, address, language, status)
            assert {piece for piece in left - written if piece not in DISPUTED} == set(), (address, language)


def test_the_guideline_page_is_framed_in_the_readers_language_and_dated_as_there():
    made = factories.study("focus", annotators=1)
    factories.open_round(made)
    made.round.codebook.refresh_from_db()
    day = made.round.codebook.created_at
    client = client_of(made.annotators[0].user)
    address = f"/p/{made.project.slug}/codebook/"
    page = client.get(address, headers={"accept-language": "ja"}).content.decode()
    assert f"バージョン 1({day.year}年{day.month}月{day.day}日)" in page
    page = client.get(address, headers={"accept-language": "es"}).content.decode()
    assert f"Versión 1, del {day.day} de " in page and f" de {day.year}" in page


def test_rules_and_refusals_reach_the_workspace_in_the_readers_language():
    made = factories.study("focus", annotators=1)
    factories.open_round(made)
    member, item = made.annotators[0], made.items[0]
    with translation.override("es"):
        rules = workspace_overview(member, made.round)["spec"]["answer"]["rules"]
        assert "Explica por qué no se puede juzgar." in {rule["message"] for rule in rules}
        with pytest.raises(Refused) as refused:
            factories.record(made.round, member, item, "LE", {"cannot_judge": True})
    assert refused.value.errors == {"comment": "Explica por qué no se puede juzgar."}
    with translation.override("ja"), pytest.raises(Refused) as refused:
        comment_add(round=made.round, item=item, unit=Unit("LE"), member=member, text="x")
    assert refused.value.message == f"{made.round.name} は「実施中」です。議論は終了後に始まります。"
