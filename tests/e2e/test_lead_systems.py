"""A lead hands a system in, reads its figures, sees in the text what it missed, and compares two systems."""

import json

import pytest
from playwright.sync_api import expect

from scoring.models import Evaluation
from scoring.systems.evaluations import evaluation_run
from scoring.tasks import compare_evaluations
from tests.e2e.lead import looked_at
from tests.scoring.systems import RIGHT, WRONG, focus_release, scored, submitted

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_system_is_added_read_seen_in_the_text_and_compared(as_, live_server, tmp_path):
    made, release = focus_release()
    scored(submitted(made, release, RIGHT, name="Crow"))
    lea = as_("lea")
    lea.goto(f"{live_server.url}/p/talk/")
    lea.get_by_role("link", name="Systems").click()
    lea.get_by_role("link", name="Add a system …").click()
    lea.get_by_label("Name", exact=True).fill("Parrot")
    wrong, right = tmp_path / "wrong.json", tmp_path / "parrot.json"
    wrong.write_text(json.dumps({"I-1": {"fsq_types": ["LE", "LE"], "spans": ["a", "b"]}}))
    right.write_text(json.dumps(WRONG))
    lea.get_by_label("Files: drop them here").set_input_files(wrong)
    lea.get_by_role("button", name="Check and score").click()
    fault = lea.get_by_role("row", name="wrong.json")
    expect(fault).to_contain_text("I-1")
    expect(fault).to_contain_text("LE is named twice")
    expect(lea.get_by_label("Name", exact=True)).to_have_value("Parrot")
    looked_at(lea, "systems-1-fault")
    lea.get_by_label("Files: drop them here").set_input_files(right)
    lea.get_by_role("button", name="Check and score").click()
    expect(lea.get_by_text("The evaluation waits for a worker")).to_be_visible()
    evaluation_run(evaluation_id=Evaluation.objects.latest("pk").pk)
    # The page asks by itself until it is done.
    row = lea.get_by_role("row", name="Lacks Evidence")
    expect(row).to_contain_text("0.00")
    expect(lea.get_by_role("table").first).to_contain_text("[")
    looked_at(lea, "systems-2-figures")
    lea.get_by_role("link", name="Its answers in the text").click()
    lea.get_by_role("link", name="missed 1").click()
    answer = lea.get_by_role("article")
    expect(answer).to_have_count(1)
    expect(answer.locator(".marked .by-0")).to_have_text("grades fell")
    expect(answer.locator(".marked .by-2")).to_have_text("The library")
    lea.get_by_role("button", name="+ span too long").click()
    answer.get_by_text("Tag the error").click()
    answer.get_by_label("span too long").check()
    answer.get_by_role("button", name="Keep these").click()
    expect(answer.locator(".tag-line > .tag")).to_have_text("span too long")
    looked_at(lea, "systems-3-answers")
    lea.get_by_role("link", name="Systems").first.click()
    for name in ("Crow", "Parrot"):
        lea.get_by_label(f"Compare {name}").check()
    lea.get_by_role("button", name="Compare the chosen ones").click()
    expect(lea.get_by_text("A worker compares them")).to_be_visible()
    compare_evaluations([one.pk for one in Evaluation.objects.order_by("-pk") if f"e={one.pk}" in lea.url])
    expect(lea.get_by_role("region", name="Differences between the systems")).to_contain_text("+0.50")
    looked_at(lea, "systems-4-compared")
    with lea.expect_download() as download:
        lea.get_by_role("link", name="Table as CSV").click()
    lines = download.value.path().read_text().splitlines()
    assert [line.split(",")[:2] for line in lines] == [["first", "second"], ["Parrot", "Crow"]]


def test_no_page_of_systems_is_wider_than_another(as_, live_server):
    made, release = focus_release()
    first = scored(submitted(made, release, RIGHT, name="Crow"))
    second = scored(submitted(made, release, WRONG, name="Parrot"))
    compare_evaluations([first.pk, second.pk])
    lea = as_("lea")
    lea.set_viewport_size({"width": 1600, "height": 900})
    places = {}
    for path in (
        "systems/",
        f"systems/{first.submission.system_id}/",
        f"systems/compare/?e={first.pk}&e={second.pk}",
        f"evaluations/{first.pk}/",
        f"evaluations/{first.pk}/answers/",
        "boards/",
    ):
        lea.goto(f"{live_server.url}/p/talk/{path}")
        box = lea.locator("main > .page").bounding_box()
        places[path] = (box["x"], box["width"])
    assert set(places.values()) == {(200, 1200)}, places
