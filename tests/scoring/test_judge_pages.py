"""What a lead reads of an evaluation by a language model: its model, what it said, what was no use."""

import pytest

from tests.exports.endpoint import saying
from tests.pages import html_of
from tests.scoring.systems import questions, questions_release, scored, submitted

pytestmark = [pytest.mark.django_db]


@pytest.fixture
def evaluations(judge_endpoint):
    made, release = questions_release()
    submission = submitted(made, release, questions("A?", "B?", "C?"))

    def by(model, *replies):
        judge_endpoint.replies = [saying(text, ending=ending) for text, ending in replies]
        judge = {"model": model}
        return scored(submission, methods=["model_label"], judge=judge, texts_may_leave=True)

    first = by("judge-1", ("Useful", "stop"), ("I would say <Useful>", "stop"), ("Usef", "length"))
    return first, by("judge-2", *[("Invalid", "stop")] * 3)


def test_two_judges_of_the_same_files_are_told_apart_by_their_models(evaluations, lead_client):
    first, second = evaluations
    slug = first.submission.system.project.slug
    page = html_of(lead_client.get(f"/p/{slug}/evaluations/{first.pk}/"))
    assert f'<a href="/p/{slug}/evaluations/{second.pk}/">model_label · judge-2</a>' in page
    assert "; model_label · judge-1." in page
    listed = html_of(lead_client.get(f"/p/{slug}/systems/"))
    for model in ("judge-1", "judge-2"):
        assert f'model_label<small class="muted" translate="no">{model}</small>' in listed


def test_how_it_was_judged_is_said_in_words_a_temperature_of_nought_too(evaluations, lead_client):
    first, _ = evaluations
    page = html_of(lead_client.get(f"/p/{first.submission.system.project.slug}/evaluations/{first.pk}/"))
    said = '<dt>%s</dt><dd class="text-whole" dir="auto" translate="no">%s</dd>'
    for words, value in [("Temperature", "0.0"), ("Tokens an answer at most", "300"), ("Model", "judge-1")]:
        assert said % (words, value) in page
    assert "<dt>Seed</dt>" not in page and "tokens_field" not in page
    assert "nobody was asked about these answers" in page.lower()
    assert "three references of other items" in page and "From 0 to 1" not in page


def test_what_the_judge_answered_stands_with_each_question(evaluations, lead_client):
    first, _ = evaluations
    address = f"/p/{first.submission.system.project.slug}/evaluations/{first.pk}/answers/"
    page = html_of(lead_client.get(address))
    assert page.count("the judge answered:") == 3
    for said in ("Useful", "I would say &lt;Useful&gt;", "Usef"):
        assert f">{said}</q>" in page
    assert page.count("cut off by the limit of tokens") == 1
    assert "<b>the judge’s answer is not usable</b>" in page and "judge_unusable</" not in page
    assert "no reference to compare with" not in page
    left = html_of(lead_client.get(f"{address}?label=judge_unusable"))
    assert left.count("the judge answered:") == 2
