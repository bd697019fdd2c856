"""One short journey for each thing a lead does besides the long one: in a browser, with pictures kept."""

import csv
from pathlib import Path

import pytest
from playwright.sync_api import expect

from annotation.models import AnnotationEvent
from annotation.projects.projects import project_create
from annotation.rounds.lifecycle import round_close
from tests import factories
from tests.e2e.lead import picture
from tests.factories.reports import disputed_study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

FOREIGN = "nr,body\n1,The park is loved by all.\n2,\n3,Nobody reads any more.\n"


def downloaded(page, link: str) -> list[list[str]]:
    with page.expect_download() as started:
        page.get_by_role("link", name=link).click()
    return list(csv.reader(Path(started.value.path()).read_text("utf-8-sig").splitlines()))


def test_a_file_with_other_columns_and_a_bad_row_is_mapped_imported_and_undone(as_, live_server):
    made = factories.study("focus", annotators=0, items=0, slug="s")
    lea = as_("lea")
    lea.goto(f"{live_server.url}/p/s/import/")
    given = {"name": "foreign.csv", "mimeType": "text/csv", "buffer": FOREIGN.encode()}
    lea.get_by_label("File: drop it here").set_input_files(given)
    lea.get_by_role("button", name="Check this file").click()
    lea.get_by_label("id (needed)").select_option("nr")
    lea.get_by_label("text (needed)").select_option("body")
    lea.get_by_role("button", name="Check the file with these columns").click()
    expect(lea.get_by_role("cell", name="the text is blank", exact=True)).to_be_visible()
    picture(lea, "import-refused")
    refused = downloaded(lea, "Download all refused rows")
    assert refused[1][0] == "2" and "the text is blank" in refused[1]
    lea.get_by_label("Leave the 1 refused row out").check()
    lea.get_by_role("button", name="Import without the refused rows").click()
    assert list(made.project.items.values_list("external_id", flat=True)) == ["1", "3"]
    lea.get_by_role("button", name="Undo this import").click()
    expect(lea.get_by_text("2 items taken away")).to_be_visible()
    picture(lea, "import-undone")
    assert not made.project.items.exists()


def test_a_round_is_paused_goes_on_closes_and_reopens_for_a_reason(as_, live_server):
    made = factories.study("focus", annotators=2, items=1, slug="s")
    factories.open_round(made)
    lea = as_("lea")
    lea.goto(f"{live_server.url}/p/s/rounds/1/")
    lea.get_by_role("button", name="Pause").click()
    expect(lea.get_by_text("Round 1 is paused")).to_be_visible()
    picture(lea, "round-paused")
    lea.get_by_role("button", name="Go on").click()
    lea.get_by_role("link", name="Close Round 1").click()
    picture(lea, "round-close")
    lea.get_by_role("button", name="Close Round 1").click()
    lea.get_by_role("link", name="Reopen").click()
    lea.get_by_label("Why").fill("Ann was ill.")
    lea.get_by_role("button", name="Reopen Round 1").click()
    expect(lea.get_by_text("“Ann was ill.”")).to_be_visible()
    picture(lea, "round-reopened")


def test_a_training_round_opens_with_its_key_and_shows_who_passed(as_, live_server):
    made = factories.study("context_sufficiency", annotators=2, items=1, slug="s")
    lea = as_("lea")
    lea.goto(f"{live_server.url}/p/s/rounds/new/")
    lea.get_by_label("Purpose").select_option("training")
    lea.get_by_label("Pass mark").fill("80")
    lea.get_by_role("button", name="Plan the round").click()
    lea.get_by_role("button", name="Preview this draw").click()
    lea.get_by_role("button", name="Draw 1 item").click()
    lea.goto(f"{live_server.url}/p/s/rounds/1/key/")
    key = b"item,type,applicable\nI-1,CTX,yes\nI-1,TOP,no\n"
    given = {"name": "key.csv", "mimeType": "text/csv", "buffer": key}
    lea.get_by_label("File with the key").set_input_files(given)
    lea.get_by_role("button", name="Take the key from this file").click()
    lea.goto(f"{live_server.url}/p/s/rounds/1/open/")
    lea.get_by_role("button", name="Open Round 1").click()
    made.round, ann = made.project.rounds.get(), made.annotators[0]
    for code, answer in (("CTX", {"applicable": True}), ("TOP", factories.NO)):
        factories.record(made.round, ann, made.items[0], code, answer)
    lea.reload()
    row = lea.get_by_role("region", name="Each annotator against the key").get_by_role("row", name="A2")
    expect(row).to_contain_text("passed")
    expect(row).to_contain_text("100 %")
    picture(lea, "training")


def test_what_passed_the_screening_goes_into_a_focus_project(as_, live_server):
    made = factories.study("context_sufficiency", annotators=2, items=2, slug="s")
    target = project_create(slug="focus", name="Main study", codebook="focus", user=made.lead.user)
    factories.open_round(made)
    for place, item in enumerate(made.items):
        for member in made.annotators:
            for code in ("CTX", "TOP"):
                factories.record(made.round, member, item, code, {"applicable": place == 0 or code == "TOP"})
    round_close(made.round, by=made.lead)
    lea = as_("lea")
    lea.goto(f"{live_server.url}/p/s/screening/")
    picture(lea, "screening")
    total = lea.get_by_role("row").last.get_by_role("cell")
    assert total.all_inner_texts() == ["1", "2", "1", "2", "2", "2"]
    lea.get_by_role("button", name="Send the items that passed").click()
    expect(lea.get_by_text("1 item is new in Main study")).to_be_visible()
    assert [item.external_id for item in target.items.all()] == ["I-1"]


def test_whoever_is_mentioned_finds_it_and_answers_and_the_log_tells_who_did_what(as_, live_server):
    made = disputed_study()
    lea = as_("lea")
    lea.goto(f"{live_server.url}/p/s/rounds/1/units/{made.items[0].pk}/LE/")
    lea.get_by_label("Comment").fill("@A2, what backs it?")
    lea.get_by_role("button", name="Say it").click()
    ann = as_("ann")
    ann.set_viewport_size({"width": 360, "height": 740})
    ann.goto(f"{live_server.url}/p/s/rounds/1/discussion/?mine")
    ann.get_by_role("link", name="I-1").click()
    ann.get_by_label("Comment").fill("Nothing does.")
    ann.get_by_role("button", name="Say it").click()
    picture(ann, "discussion-annotator")
    lea.reload()
    expect(lea.locator(".thread")).to_contain_text("Nothing does.")
    lea.goto(f"{live_server.url}/p/s/log/")
    lea.get_by_label("What").select_option("round closed")
    lea.get_by_role("button", name="Show").click()
    expect(lea.get_by_role("cell", name="round closed")).to_be_visible()
    picture(lea, "log-filtered")
    assert [row[2] for row in downloaded(lea, "Download these as CSV")[1:]] == ["round closed"]


def test_a_text_is_withdrawn_somebody_leaves_and_the_project_is_put_aside(as_, live_server):
    made = disputed_study()
    events = AnnotationEvent.objects.count()
    lea = as_("lea")
    lea.goto(f"{live_server.url}/p/s/items/{made.items[1].pk}/")
    lea.get_by_role("link", name="Withdraw").click()
    lea.get_by_label("Why?").fill("A take-down request.")
    lea.get_by_role("button", name="Withdraw I-2").click()
    expect(lea.get_by_text("A take-down request.")).to_be_visible()
    picture(lea, "item-withdrawn")
    lea.goto(f"{live_server.url}/p/s/people/{made.annotators[2].pk}/")
    lea.get_by_role("link", name="Deactivate A4").click()
    lea.get_by_label("are left out of figures and releases").check()
    lea.get_by_role("button", name="Deactivate A4").click()
    expect(lea.get_by_text("A4 is deactivated.")).to_be_visible()
    picture(lea, "person-left")
    lea.goto(f"{live_server.url}/p/s/settings/")
    lea.get_by_role("link", name="Archive").click()
    lea.get_by_label("Type the project's short name").fill("s")
    lea.get_by_role("button", name="Archive").click()
    picture(lea, "project-archived")
    lea.goto(f"{live_server.url}/p/s/")
    lea.get_by_role("button", name="Restore").click()
    expect(lea.get_by_role("link", name="Plan a round")).to_be_visible()
    assert AnnotationEvent.objects.count() == events
