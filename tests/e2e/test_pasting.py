"""What is pasted arrives whole: a text that is too long is refused in words, and stays in its field."""

import pytest
from playwright.sync_api import expect

from annotation.models import Comment, QuestionAnnotation, TypeAnnotation
from exports.models import Release
from tests import factories
from tests.e2e.lead import looked_at
from tests.e2e.workspace import opened, press, saved
from tests.factories.reports import disputed_study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NOTES = "data:text/html,<meta charset=utf-8><textarea autofocus></textarea>"


@pytest.fixture
def made(live_server):
    return disputed_study()


def copied(page, text: str) -> None:
    """Copy a text as people do, from where they wrote it."""
    notes = page.context.new_page()
    notes.goto(NOTES)
    notes.locator("textarea").fill(text)
    notes.keyboard.press("Control+a")
    notes.keyboard.press("Control+c")
    notes.close()


def pasted(page, label: str, text: str):
    """Paste a text into the field of this label and return the field."""
    copied(page, text)
    field = page.get_by_label(label, exact=True)
    field.focus()
    page.keyboard.press("Control+v")
    return field


def test_a_licence_that_is_too_long_is_refused_beside_its_field_and_stays_whole(made, page, log_in):
    log_in(page, "lea", f"/p/{made.project.slug}/releases/")
    licence = "As the authors say. " * 30 + "The last sentence."
    field = pasted(page, "Licence", licence)
    expect(field).to_have_value(licence)
    page.get_by_label("Version").fill("1.0")
    page.get_by_role("button", name="Build this release").click()
    expect(page.locator("#id_licence_problem")).to_have_text(
        f"Ensure this value has at most 200 characters (it has {len(licence)})."
    )
    expect(page.get_by_label("Licence", exact=True)).to_have_value(licence)
    assert not Release.objects.exists()
    looked_at(page, "pasted-too-long")


def test_a_comment_that_is_too_long_is_refused_beside_its_field_and_stays_whole(made, page, log_in):
    log_in(page, "ann", f"/p/{made.project.slug}/rounds/1/units/{made.items[0].pk}/LE/")
    text = "I see it otherwise. " * 600 + "And this is why."
    field = pasted(page, "Comment C", text)
    expect(field).to_have_value(text)
    page.get_by_role("button", name="Say it").click()
    problem = f"The comment cannot be stored: {len(text):,} characters, at most 10,000 are kept."
    expect(page.locator("#comment_problem")).to_have_text(problem)
    field = page.get_by_label("Comment C", exact=True)
    expect(field).to_have_value(text)
    expect(field).to_be_focused()
    assert not Comment.objects.exists()
    looked_at(page, "comment-too-long")
    field.fill("I see it otherwise.")
    page.get_by_role("button", name="Say it").click()
    expect(page.locator("#thread")).to_contain_text("I see it otherwise.")
    assert Comment.objects.get().text == "I see it otherwise."


@pytest.mark.parametrize(("protocol", "answer"), [("focus", "n"), ("cqs_gen", "1")])
def test_what_an_annotator_says_at_too_great_length_stays_in_the_note(
    protocol, answer, page, log_in, live_server
):
    made = factories.study(protocol, annotators=2, items=2)
    opened(made, page, log_in)
    text, note = "I see it otherwise. " * 600 + "And why.", page.locator("#ws-note-text")

    def too_long():
        copied(page, text)
        press(page, "c Control+a Control+v Enter")
        problem = f"{len(text)} characters, at most 10000 are kept."
        expect(page.locator("#ws-note-error")).to_have_text(problem)
        expect(note).to_have_value(text)

    too_long()
    note.fill("Who is meant?")
    press(page, f"Enter {answer}")
    saved(page)
    press(page, "k")
    too_long()
    (row,) = [*TypeAnnotation.objects.all(), *QuestionAnnotation.objects.all()]
    assert (row.comment, row.revision) == ("Who is meant?", 1)
    looked_at(page, f"note-too-long-{protocol}")
