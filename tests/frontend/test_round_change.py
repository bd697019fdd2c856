"""A round against the one before, one click from the project, with the codebook's changes beside it."""

import pytest

from agreement.computation.compute import report_compute
from agreement.models import AgreementReport
from annotation.projects.projects import codebook_publish
from annotation.rounds.lifecycle import round_close, round_create
from tests import factories
from tests.pages import html_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    """Round 1 splits on LE; version 2 says more about LE; in Round 2 all agree on it."""
    made = factories.study("focus", annotators=2, items=3, slug="s")
    judged_round(made, agree=False)
    codebook_sharpened(made, "Links evidence")
    judged_round(made, agree=True)
    return made


def codebook_sharpened(made, name: str) -> None:
    newest = made.project.codebooks.latest("version")
    old = f'name = "{next(t["name"] for t in newest.definition["types"] if t["code"] == "LE")}"'
    codebook_publish(project=made.project, source=newest.source.replace(old, f'name = "{name}"'))


def judged_round(made, *, agree: bool, **options) -> None:
    factories.open_round(made, **options)
    first, second = made.annotators
    yes = factories.yes(made.items[0], "The library")
    answers = {
        first: [yes, factories.NO, factories.NO],
        second: [yes if agree else factories.NO, factories.NO, factories.NO],
    }
    for member, given in answers.items():
        for item, answer in zip(made.items, given, strict=True):
            factories.record(made.round, member, item, "LE", answer)
    round_close(made.round, by=made.lead)
    assert report_compute(report_id=AgreementReport.objects.get(round=made.round).pk)


def test_the_project_page_leads_to_the_change_and_the_first_round_has_none(study, lead_client):
    page = html_of(lead_client.get("/p/s/"))
    assert 'href="/p/s/rounds/2/change/">Change since Round 1</a>' in page
    assert "/p/s/rounds/1/change/" not in page


def test_the_change_stands_beside_the_part_of_the_codebook_that_changed(study, lead_client):
    response = lead_client.get("/p/s/rounds/2/change/")
    rows = {row["code"]: row for row in response.context["change_rows"]}
    # Observed agreement on LE was two of three items and is three of three.
    observed = rows["LE"]["cells"][-1]
    assert (observed.text, observed.why) == ("+0.33", "") and observed.interval.startswith("[")
    assert [code for code, row in rows.items() if row["touched"]] == ["LE"]
    page = html_of(response)
    assert "Guideline version 1 then, version 2 now." in page
    assert "<ins>Links</ins>" in page and "<h2>LE" in page


def test_a_round_without_a_change_leads_to_its_agreement(study, lead_client):
    response = lead_client.get("/p/s/rounds/1/change/", follow=True)
    assert response.redirect_chain == [("/p/s/rounds/1/agreement/", 302)]
    assert "The change is not computed yet" in html_of(response)


def test_the_new_version_offers_a_round_of_what_it_touches_until_one_is_planned(lead_client):
    made = factories.study("focus", annotators=2, items=3, slug="s")
    judged_round(made, agree=False, seed=5, purpose="main", order="by_type")
    assert "New round" not in html_of(lead_client.get("/p/s/"))
    codebook_sharpened(made, "Links evidence")
    address = "/p/s/rounds/new/?items_of=1&amp;version=2&amp;types=LE"
    told = f'href="{address}">New round of LE, on the items of Round 1</a>'
    for path in ("/p/s/", "/p/s/codebook/compare/"):
        assert told in html_of(lead_client.get(path))
    form = lead_client.get(address.replace("&amp;", "&")).context["form"]
    begin = {name: form.get_initial_for_field(form.fields[name], name) for name in ("types", "overlap")}
    assert begin == {"types": ["LE"], "overlap": 2}
    assert (form.initial["codebook"].version, form.initial["order"]) == (2, "by_type")
    given = {"name": "", "purpose": "main", "overlap": "2", "order": "by_type", "seed": "5", "types": ["LE"]}
    given |= {"codebook": form.initial["codebook"].pk, "items_of": form.initial["items_of"].pk}
    response = lead_client.post("/p/s/rounds/new/", given)
    assert response["Location"] == "/p/s/rounds/2/"
    planned = made.project.rounds.get(number=2)
    assert (planned.types, planned.codebook.version, planned.status) == ("LE", 2, "draft")
    drawn = [list(one.round_items.values_list("item", "position")) for one in (made.round, planned)]
    assert drawn[0] == drawn[1] != []
    page = html_of(lead_client.get("/p/s/"))
    assert "New round of" not in page and "only LE" in page
    assert "the items of round 1" in html_of(lead_client.get("/p/s/rounds/2/"))


def test_a_change_of_what_all_types_share_offers_all_of_them_again(lead_client):
    made = factories.study("focus", annotators=2, items=3, slug="s")
    judged_round(made, agree=False)
    newest = made.project.codebooks.get()
    codebook_publish(project=made.project, source=newest.source.replace("thought-provoking", "good", 1))
    page = html_of(lead_client.get("/p/s/codebook/compare/"))
    assert "Version 2 changes what all types share." in page
    assert 'new/?items_of=1&amp;version=2">New round on the items of Round 1</a>' in page


def test_opening_the_new_round_ticks_those_who_took_part_in_the_earlier_one(lead_client):
    made = factories.study("focus", annotators=3, items=3, slug="s")
    everybody, made.annotators = made.annotators, made.annotators[:2]
    judged_round(made, agree=True)
    round_create(project=made.project, items_of=made.round, types=["LE"])
    assert lead_client.get("/p/s/rounds/2/open/").context["chosen"] == {one.pk for one in made.annotators}
    round_create(project=made.project)
    assert lead_client.get("/p/s/rounds/3/open/").context["chosen"] == {one.pk for one in everybody}


def test_planning_a_round_without_a_type_is_refused_beside_the_field(lead_client):
    made = factories.study("focus", slug="s")
    given = {"purpose": "main", "overlap": "2", "order": "by_type", "seed": "5"}
    page = lead_client.post("/p/s/rounds/new/", {**given, "codebook": made.project.codebooks.get().pk})
    assert page.context["form"].errors == {"types": ["Choose at least one type."]}
