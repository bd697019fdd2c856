import pytest
from playwright.sync_api import expect

from annotation.models import KeyAnswer, Round, TypeAnnotation
from annotation.rounds.lifecycle import round_create, round_draw
from annotation.rounds.opening import round_open
from tests import factories
from tests.e2e.workspace import address, highlighted, press, ready, saved


@pytest.fixture
def workspace(transactional_db, page, log_in):
    """A training round of one text; the key: OSP yes on “library”, everything else no."""
    made = factories.study("focus", annotators=1, items=1)
    made.round = round_create(
        project=made.project, purpose=Round.Purpose.TRAINING, overlap=1, pass_mark=90, member=made.lead
    )
    round_draw(made.round)
    [item] = made.items
    for entry in made.round.codebook.definition["types"]:
        KeyAnswer.objects.create(round=made.round, item=item, type_code=entry["code"], applicable=False)
    KeyAnswer.objects.filter(type_code="OSP").update(
        applicable=True, start=4, end=11, quote="library", why="Neighbours are not asked."
    )
    round_open(made.round, members=made.annotators, by=made.lead)
    log_in(page, "ann", address(made.round))
    ready(page)
    return page


def test_the_key_is_shown_after_the_answer_with_its_span_beside_mine(workspace):
    press(workspace, "y ArrowRight Enter")
    expect(workspace.locator("#ws-feedback-verdict")).to_have_text("✓ The key says the same.")
    expect(workspace.locator("#ws-feedback-key")).to_have_text("Key: yes: “library”. You: yes: “The”.")
    expect(workspace.locator("#ws-feedback-why")).to_have_text("Neighbours are not asked.")
    assert (highlighted(workspace), highlighted(workspace, "ws-other")) == ("The", "library")
    press(workspace, "Enter")
    expect(workspace.locator("#ws-type")).to_have_text("Temporal Contrast")
    assert highlighted(workspace, "ws-other") == ""


def test_the_first_answer_locks(workspace):
    press(workspace, "n")
    expect(workspace.locator("#ws-feedback-verdict")).to_have_text("✕ The key says otherwise.")
    press(workspace, "y Backspace x f")
    expect(workspace.locator("#ws-feedback-verdict")).to_be_visible()
    expect(workspace.locator("#ws-last")).to_have_text("In a training round the first answer counts.")
    expect(workspace.locator("#ws-yes")).to_have_attribute("aria-disabled", "true")
    saved(workspace)
    row = TypeAnnotation.objects.get()
    assert (row.applicable, row.revision, row.unsure) == (False, 1, False)


def test_a_second_window_that_answers_too_shows_the_first_answer_and_goes_on(workspace, context):
    other = context.new_page()
    other.goto(workspace.url)
    ready(other)
    press(workspace, "n")
    saved(workspace)
    press(other, "y ArrowRight Enter")
    expect(other.locator("#ws-last")).to_have_text("In a training round the first answer counts.")
    expect(other.locator("#ws-feedback-key")).to_have_text("Key: yes: “library”. You: no.")
    press(other, "Enter n")
    saved(other)
    assert {row.type_code: row.applicable for row in TypeAnnotation.objects.all()} == {
        "OSP": False,
        "TC": False,
    }


def test_the_end_shows_agreement_with_the_key_and_the_pass_mark(workspace):
    for _ in range(10):
        press(workspace, "n")
        expect(workspace.locator("#ws-feedback-verdict")).to_contain_text("The key says")
        press(workspace, "Enter")
    expect(workspace.locator("#ws-done-text")).to_have_text("You answered all 10 units.")
    table = workspace.locator("#ws-done-training")
    expect(table.locator("tr").first).to_have_text("OSP0/1")
    told = "9 of 10 answers are those of the key: 90 %. The pass mark is 90 %. You reached the pass mark."
    expect(table).to_contain_text(told)
    expect(table.locator("h2")).to_have_text("1 answer differs from the key")
    expect(table.locator("li")).to_contain_text("Key: yes: “library”. You: no.")
    table.get_by_role("button").click()
    expect(workspace.locator("#ws-feedback-verdict")).to_have_text("✕ The key says otherwise.")


def test_a_lead_makes_the_key_in_the_workspace(transactional_db, page, log_in):
    made = factories.study("focus", annotators=1, items=1)
    made.round = round_create(project=made.project, purpose=Round.Purpose.TRAINING, types=["LE", "WE"])
    round_draw(made.round)
    log_in(page, "lea", f"/p/{made.project.slug}/rounds/1/key/answer/")
    ready(page)
    press(page, "y ArrowRight Enter")
    press(page, "n")
    told = "The key has an answer for each of the 2 units. You can change it until the round is opened."
    expect(page.locator("#ws-done-text")).to_have_text(told)
    expect(page.locator("#ws-done-save")).to_have_text("All of it is stored on the server.")
    answers = KeyAnswer.objects.order_by("type_code").values_list("type_code", "applicable", "quote")
    assert list(answers) == [("LE", True, "The"), ("WE", False, None)]
    press(page, "Backspace")
    saved(page)
    assert KeyAnswer.objects.count() == 1
    page.locator("#ws-who").click()
    page.get_by_role("link", name="Back to the key").click()
    page.wait_for_url("**/rounds/1/key/")
