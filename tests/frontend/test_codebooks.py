"""The codebook is read by all members, and edited, previewed and published by leads."""

import tomllib

import pytest

from annotation.models import Resolution
from annotation.projects.projects import codebook_publish
from annotation.rounds.lifecycle import round_close
from tests import factories
from tests.conftest import client_of
from tests.pages import html_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return factories.study("focus", annotators=2, items=2, slug="s")


def next_version(study, guideline: str = "# Sharper"):
    newest = study.project.codebooks.latest("version")
    source = newest.source.replace("# Probing an argument", f"{guideline}\n\n# Probing an argument")
    return codebook_publish(project=study.project, source=source, member=study.lead)


def test_the_guideline_is_rendered_and_its_html_is_text(study):
    next_version(study, "# New <script>alert(1)</script>")
    page = html_of(client_of("ann").get("/p/s/codebook/"))
    assert "<h2>Probing an argument with ten question types</h2>" in page and page.count("<h1") == 1
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_annotators_read_the_version_of_their_round_and_leads_the_newest(lead_client, study):
    factories.open_round(study)
    next_version(study)
    assert client_of("ann").get("/p/s/codebook/").context["shown"].version == 1
    assert lead_client.get("/p/s/codebook/").context["shown"].version == 2
    assert lead_client.get("/p/s/codebook/?version=1").context["shown"].version == 1
    assert lead_client.get("/p/s/codebook/?version=9").status_code == 404


def test_publishing_by_fields_makes_the_next_version(lead_client, study):
    page = lead_client.get("/p/s/codebook/edit/")
    document = page.context["document"]
    sent = {"title": document["title"], "guideline": "# Shorter\r\n\r\nBe quick.\r\n"}
    response = html_of(lead_client.post("/p/s/codebook/edit/", sent, follow=True))
    assert "Version 2 is published" in response
    assert "no round uses it yet" in response and "Plan a round with it" in response
    newest = study.project.codebooks.latest("version")
    assert newest.guideline == "# Shorter\n\nBe quick."
    assert newest.definition["types"] == study.project.codebooks.get(version=1).definition["types"]


def test_an_untouched_form_publishes_nothing(lead_client, study):
    document = lead_client.get("/p/s/codebook/edit/").context["document"]
    sent = {"title": document["title"], "guideline": document["guideline"].replace("\n", "\r\n")}
    page = html_of(lead_client.post("/p/s/codebook/edit/", sent, follow=True))
    assert "Nothing was changed: version 1 stays the newest." in page
    assert study.project.codebooks.count() == 1


def test_a_broken_codebook_is_refused_with_its_place_and_keeps_what_was_typed(lead_client, study):
    document = lead_client.get("/p/s/codebook/edit/").context["document"]
    entry = document["types"][0]
    sent = {
        "title": document["title"],
        "guideline": document["guideline"],
        "types-0-shown": "1",
        "types-0-name": entry["name"],
        "types-0-group": entry["group"],
        "types-0-description": "My new words.",
        "types-0-exemplar": "No blank here?",
        "types-0-span": "on",
    }
    page = html_of(lead_client.post("/p/s/codebook/edit/", sent))
    assert "types[0].exemplar: has no blank _____" in page
    assert "My new words." in page
    assert study.project.codebooks.count() == 1


def by_fields(page, **changes):
    document = page.context["document"]
    version = page.context["edited"].version
    return {"version": version, "title": document["title"], "guideline": document["guideline"], **changes}


def test_two_leads_who_edit_at_once_do_not_undo_each_others_changes(lead_client, study):
    mine = by_fields(lead_client.get("/p/s/codebook/edit/"), title="My title")
    next_version(study, "# The other lead was quicker")
    response = lead_client.post("/p/s/codebook/edit/", mine)
    page = html_of(response)
    assert "Version 2 was published while you edited version 1." in page
    assert "/p/s/codebook/compare/?old=1&amp;new=2" in page
    assert study.project.codebooks.count() == 2
    assert 'title = "My title"' in response.context["source"]
    assert "The other lead was quicker" not in response.context["source"]


def test_whoever_saw_the_other_version_may_publish_over_it(lead_client, study):
    mine = by_fields(lead_client.get("/p/s/codebook/edit/"), title="My title")
    next_version(study)
    refused = lead_client.post("/p/s/codebook/edit/", mine)
    merged = refused.context["source"].replace("# Probing an argument", "# Both\n\n# Probing an argument")
    sent = {"as": "toml", "version": refused.context["edited"].version, "source": merged}
    page = html_of(lead_client.post("/p/s/codebook/edit/", sent, follow=True))
    assert "Version 3 is published" in page
    assert study.project.codebooks.latest("version").definition["title"] == "My title"


def test_a_type_that_another_lead_removed_meanwhile_does_not_shift_what_was_typed(lead_client, study):
    page = lead_client.get("/p/s/codebook/edit/")
    entry = page.context["document"]["types"][1]
    fields = {f"types-1-{name}": entry[name] for name in ("name", "group", "exemplar")}
    mine = by_fields(page, **fields, **{"types-1-shown": "1", "types-1-span": "on"})
    mine["types-1-description"] = "Sharper words for the second type."
    without_first = by_fields(page, **{"types-0-shown": "1", "types-0-remove": "on"})
    lead_client.post("/p/s/codebook/edit/", without_first)
    assert study.project.codebooks.latest("version").version == 2
    source = lead_client.post("/p/s/codebook/edit/", mine).context["source"]
    types = tomllib.loads(source)["types"]
    described = [one["code"] for one in types if one["description"] == "Sharper words for the second type."]
    assert described == [entry["code"]] and len(types) == len(page.context["document"]["types"])


def test_toml_of_another_protocol_is_refused(lead_client, study):
    other = factories.study("cqs_gen", slug="q").project.codebooks.get().source
    page = html_of(lead_client.post("/p/s/codebook/edit/", {"as": "toml", "source": other}))
    assert "make another project for it" in page
    assert study.project.codebooks.count() == 1


def test_the_preview_stores_nothing_and_shows_html_as_text(lead_client, study):
    page = html_of(lead_client.post("/p/s/codebook/preview/", {"guideline": "**so** <b>bold</b>"}))
    assert "<strong>so</strong> &lt;b&gt;bold&lt;/b&gt;" in page
    assert study.project.codebooks.count() == 1


def test_two_versions_stand_side_by_side(lead_client, study):
    next_version(study)
    page = html_of(lead_client.get("/p/s/codebook/compare/?old=1&new=2"))
    assert "Sharper" in page and "<ins>" in page and "<del>" not in page
    assert "The two are the same" in html_of(lead_client.get("/p/s/codebook/compare/?old=1&new=1"))


def test_a_resolution_shows_at_its_type_but_never_while_its_item_is_being_judged(study):
    item = study.items[0]
    Resolution.objects.create(
        item=item,
        type_code="LE",
        applicable=True,
        spans=[[0, 11]],
        source="adjudicated",
        why="The claim stands alone.",
        member=study.lead,
        in_guideline=True,
    )
    factories.open_round(study)
    assert "The claim stands alone." not in html_of(client_of("ann").get("/p/s/codebook/"))
    round_close(study.round, by=study.lead)
    page = html_of(client_of("ann").get("/p/s/codebook/"))
    assert "The claim stands alone." in page and item.text[:11] in page
