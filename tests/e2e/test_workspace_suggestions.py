"""Suggestions in the workspace: marked as a machine's, taken by a key, nowhere in what is hidden."""

import pytest
from playwright.sync_api import expect

from annotation.models import QuestionAnnotation, TypeAnnotation
from tests import factories
from tests.e2e.workspace import address, highlighted, press, ready, saved
from tests.factories.suggestions import ENDPOINT, focus_run, label_run, suggesting_round, suggestion_of

TEXT = "The library should stay open. Last term it closed at ten and everyone's grades went down. Refuse?"
WORDS = "Last term it closed at ten"


@pytest.fixture(autouse=True)
def endpoint(settings):
    settings.LLM_ENDPOINTS = [ENDPOINT]


@pytest.fixture
def made(transactional_db):
    return factories.study("focus", annotators=1, items=1, texts=(TEXT,))


def workspace(made, page, log_in):
    log_in(page, "ann", address(made.round))
    ready(page)
    return page


def rows():
    return {row.type_code: row for row in TypeAnnotation.objects.all()}


def test_a_suggestion_is_taken_by_its_key_changed_or_left(made, page, log_in):
    suggesting_round(made, focus_run(made, {"TC": WORDS, "BS": WORDS}))
    workspace(made, page, log_in)
    line = page.locator("#ws-suggestion")
    expect(line).to_contain_text("Machine A language model suggests: no Take it A")
    expect(page.locator("#ws-suggestion-by")).to_have_attribute("title", "tiny")
    expect(page.locator("#ws-no")).to_have_attribute("aria-pressed", "false")
    press(page, "a")
    expect(line).to_contain_text(f"suggests: yes: “{WORDS}”")
    assert highlighted(page) == ""
    press(page, "a")
    assert highlighted(page) == WORDS
    press(page, "Enter y")  # Irrelevant evidence by hand, though no is suggested
    press(page, "ArrowRight Enter")
    press(page, "a Shift+ArrowLeft Enter")  # its words moved
    press(page, "a Backspace n")
    saved(page)
    found = rows()
    ids = {code: suggestion_of(made, made.items[0], code).pk for code in ("OSP", "TC", "IE", "BS")}
    assert {code: (found[code].suggestion_id, found[code].suggestion_taken) for code in ids} == {
        "OSP": (ids["OSP"], True),
        "TC": (ids["TC"], True),
        "IE": (ids["IE"], False),
        "BS": (ids["BS"], True),
    }
    assert (found["TC"].quote, found["BS"].quote) == (WORDS, "Last term it closed at")
    assert (found["VAT"].applicable, found["VAT"].suggestion_taken) == (False, False)


def test_where_it_is_hidden_the_page_has_nothing_of_it(made, page, log_in):
    suggesting_round(made, focus_run(made, {"TC": WORDS}), "half")
    shown = set(made.round.suggested.filter(shown=True).values_list("type_code", flat=True))
    workspace(made, page, log_in)
    for code in made.round.type_codes:
        line = page.locator("#ws-suggestion")
        if code in shown:
            expect(line).to_contain_text("suggests:")
        else:
            expect(line).to_contain_text("No suggestion here.")
            press(page, "a")
            expect(page.locator("#ws-position-long")).to_contain_text(
                f"type {made.round.type_codes.index(code) + 1} of 10"
            )
        press(page, "n")
    saved(page)
    seen = {code for code, row in rows().items() if row.suggestion_id}
    assert seen == shown


def test_it_works_without_a_network_too(made, page, log_in):
    suggesting_round(made, focus_run(made))
    workspace(made, page, log_in)
    page.context.set_offline(True)
    press(page, "a a")
    expect(page.locator("#ws-save-text")).to_contain_text("2")
    page.context.set_offline(False)
    press(page, "a")
    saved(page)
    assert [row.suggestion_taken for row in rows().values()] == [True] * 3


def test_a_label_that_is_taken_asks_for_what_goes_with_it(transactional_db, page, log_in):
    made = factories.study("cqs_gen", annotators=1, items=1, questions=2)
    suggesting_round(made, label_run(made, "UN"))
    workspace(made, page, log_in)
    expect(page.locator("#ws-suggestion")).to_contain_text("suggests: Unhelpful")
    press(page, "a")
    expect(page.locator("#ws-labels-short [aria-pressed=true]")).to_contain_text("Unhelpful")
    press(page, "q Enter 1")
    saved(page)
    found = QuestionAnnotation.objects.order_by("question__position")
    assert [(row.label, row.suggestion_taken, row.suggestion_id is not None) for row in found] == [
        ("UN", True, True),
        ("USE", False, True),
    ]


def test_a_round_without_suggestions_has_no_line_for_them(made, page, log_in):
    focus_run(made, {"TC": WORDS})
    factories.open_round(made)
    workspace(made, page, log_in)
    expect(page.locator("#ws-suggestion")).to_have_count(0)
    press(page, "a")
    expect(page.locator("#ws-position-long")).to_contain_text("type 1 of 10")
