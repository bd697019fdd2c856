"""A round against the one before, one click from the project, with the codebook's changes beside it."""

import pytest

from agreement.jobs import report_compute
from agreement.models import AgreementReport
from annotation.projects import codebook_publish
from annotation.rounds import round_close
from tests import factories

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
    page = lead_client.get("/p/s/").content.decode()
    assert 'href="/p/s/rounds/2/change/">Change since Round 1</a>' in page
    assert "/p/s/rounds/1/change/" not in page


def test_the_change_stands_beside_the_part_of_the_codebook_that_changed(study, lead_client):
    response = lead_client.get("/p/s/rounds/2/change/")
    rows = {row["code"]: row for row in response.context["change_rows"]}
    # Observed agreement on LE was two of three items and is three of three.
    observed = rows["LE"]["cells"][0]
    assert (observed.text, observed.why) == ("+0.33", "") and observed.interval.startswith("[")
    assert [code for code, row in rows.items() if row["touched"]] == ["LE"]
    page = response.content.decode()
    assert "Guideline version 1 then, version 2 now." in page
    assert "<ins>Links</ins>" in page and "<h2>LE" in page


def test_a_round_without_a_change_leads_to_its_agreement(study, lead_client):
    response = lead_client.get("/p/s/rounds/1/change/", follow=True)
    assert response.redirect_chain == [("/p/s/rounds/1/agreement/", 302)]
    assert "The change is not computed yet" in response.content.decode()
