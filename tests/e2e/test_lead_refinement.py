"""Questions refined by a language model in a browser, as a lead does it; the model is a stub on 127.0.0.1."""

import pytest
from playwright.sync_api import expect

from annotation.models import Project
from exports import tasks
from exports.models import RefinementRun
from exports.refinement import candidates as question_counts
from exports.refinement.worker import refinement_work
from tests import factories
from tests.conftest import client_of
from tests.e2e.lead import looked_at, picture
from tests.exports.endpoint import Clock, fake_endpoint, saying
from tests.factories import close, focus_study, judge

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TEXTS = ("Parks make us happy, says Mia 🎉.", "Taxes cause every crash of the market.")
ANSWERS = (
    "What makes you so sure that parks make us happy?",
    "Which figures show that taxes cause every crash?",
)


@pytest.fixture
def model(settings, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with fake_endpoint() as running:
        settings.LLM_ENDPOINTS = [running.url]
        settings.LLM_API_KEYS = {}
        running.replies = [saying(answer) for answer in ANSWERS]
        yield running


@pytest.fixture
def lea(page, model, live_server):
    """A page as Lea, whose closed round has a gold span in each text; an error of a script fails the test."""
    made = focus_study(annotators=2, items=2, texts=TEXTS, slug="s")
    for item in made.items:
        judge(made, item, {"LE": [factories.yes(item, item.text[:19])] * 2})
    close(made)
    said: list[str] = []
    page.on("pageerror", lambda error: said.append(str(error)))
    session = client_of("lea").cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    page.goto(f"{live_server.url}/p/s/releases/")
    yield page
    assert said == []


def test_a_lead_has_questions_refined_reads_them_and_rejects_one(lea, model, monkeypatch):
    # As in a large project, where a worker counts what would be asked.
    monkeypatch.setattr(question_counts, "AT_ONCE", 0)
    lea.get_by_role("link", name="Refine questions").click()
    lea.get_by_role("textbox", name="Model").fill("tiny")
    lea.get_by_label("test · terms not stated · 2 items").check()
    lea.get_by_role("button", name="Show what would be sent").click()
    expect(lea.get_by_text("The questions are being counted.")).to_be_visible()
    looked_at(lea, "refine-1-counting")
    tasks.count_questions(Project.objects.get(slug="s").pk)
    expect(lea.locator("ul.counts")).to_contain_text("2 would be asked")
    assert model.asked == []

    lea.get_by_role("button", name="Send the texts and ask").click()
    expect(lea.get_by_label("The terms of these sources allow it")).to_be_focused()
    lea.get_by_label("The terms of these sources allow it").check()
    looked_at(lea, "refine-2-what-is-sent")
    lea.get_by_role("button", name="Send the texts and ask").click()
    expect(lea.get_by_text("The run waits for a worker.")).to_be_visible()
    looked_at(lea, "refine-3-at-work")

    refinement_work(run_id=RefinementRun.objects.get().pk, timing=Clock().timing)
    expect(lea.locator(".pair")).to_have_count(2)
    first, second = lea.locator(".pair").all()
    expect(first).to_contain_text(ANSWERS[0])
    expect(second).to_contain_text(ANSWERS[1])
    sent = [asked.prompt for asked in model.asked]
    assert [text in prompt for text, prompt in zip(TEXTS, sent, strict=True)] == [True, True]
    assert not any(word in prompt for prompt in sent for word in ("I-1", "I-2", "A1", "A2"))
    looked_at(lea, "refine-4-pairs")

    second.get_by_role("button", name="Reject").click()
    expect(lea.get_by_text("Rejected: in releases to come")).to_be_visible()
    expect(lea.locator(".pair")).to_have_count(1)
    expect(lea.locator(".pair")).to_contain_text(ANSWERS[0])
    lea.get_by_role("link", name="Rejected (1)").click()
    expect(lea.locator(".pair")).to_contain_text(ANSWERS[1])
    picture(lea, "refine-5-rejected")
