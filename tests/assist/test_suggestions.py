"""What runs suggest: real runs of both tasks, asked of the fake model, opened into a round."""

import pytest

from annotation.models import Round
from assist.runs.suggestions import runs_suggesting
from tests.assist.asking import answers, asked, said_by_text
from tests.exports.endpoint import saying
from tests.factories import ARGUMENTS, study
from tests.factories.suggestions import finished_run, suggesting_round, suggestion_of

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def test_labels_of_a_projects_own_questions_are_asked_one_by_one_and_suggested(endpoint):
    made = study("cqs_gen", annotators=1, items=1, questions=3)
    endpoint.otherwise = said_by_text(
        **{
            "What do barriers cost?": "**Unhelpful**.",
            "How would a tax": "I cannot say.",
            "otherwise": "Useful",
        }
    )
    run = asked(made, endpoint, "question_labels")
    assert answers(run) == [
        ("I-1", "usable", "USE"),
        ("I-1", "usable", "UN"),
        ("I-1", "unusable", "not_in_the_form"),
    ]
    prompt = endpoint.asked[0].prompt
    assert "Question: Were there other reasons for the good year?" in prompt
    assert "- Useful: An answer to this question could challenge" in prompt
    assert "Answer with one of these words and nothing else: Useful, Unhelpful, Invalid." in prompt
    suggesting_round(made, run)
    first, second, _third = made.items[0].questions.order_by("position")
    assert [suggestion_of(made, made.items[0], one).label for one in (first, second)] == ["USE", "UN"]
    assert made.round.suggested.count() == 2


def test_answers_of_a_baseline_are_suggested_with_their_places(endpoint):
    made = study(annotators=1, items=1)
    words = "The library should stay open all night."
    endpoint.otherwise = lambda _one: saying(f'Classification:\n["Lacks Evidence"]\n\nSpan:\n["{words}"]')
    run = asked(made, endpoint, "focus_answers")
    assert [state for _, state, _ in answers(run)] == ["usable"]
    suggesting_round(made, run)
    told = suggestion_of(made, made.items[0], "LE")
    assert (told.applicable, told.quote, told.start) == (True, words, ARGUMENTS[0].index(words))
    assert made.round.suggested.filter(applicable=False).count() == 9


def test_an_answer_that_cannot_be_used_suggests_nothing(endpoint):
    made = study(annotators=1, items=2)
    endpoint.otherwise = said_by_text(
        **{
            "The library": "no lists here",
            "otherwise": 'Classification:\n["None of the Above"]\n\nSpan:\n["Null"]',
        }
    )
    run = asked(made, endpoint, "focus_answers")
    assert {item: state for item, state, _ in answers(run)} == {"I-1": "unusable", "I-2": "usable"}
    suggesting_round(made, run)
    told = made.round.suggested.values_list("item__external_id", "applicable")
    assert (set(told), len(told)) == ({("I-2", False)}, 10)


def test_only_runs_that_are_done_and_answer_units_are_offered(settings):
    made = study(annotators=1, items=1)
    settings.LLM_ENDPOINTS = ["https://models.example.org/v1"]
    finished_run(made, "context")
    done = finished_run(made, "focus_answers")
    finished_run(made, "focus_answers", state="cancelled")
    assert runs_suggesting(made.project) == [done]
    settings.LLM_ENDPOINTS = []
    assert runs_suggesting(made.project) == []
    assert not Round.objects.exists()
