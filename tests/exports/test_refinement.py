"""Questions of gold spans are reworded by a model, each once, from what a lead chose to send."""

import json

import pytest
from django.core.management import call_command
from django.utils import timezone

from core.errors import Refused
from exports.models import QuestionRefinement, RefinementRun
from exports.refinement.candidates import count_sendable, questions_table, refinable_selection
from exports.refinement.parameters import refinement_choices
from exports.refinement.runs import refined_reject, refinement_request
from tests.exports.endpoint import KEY, Clock, saying, status
from tests.exports.refining import SOURCES, TEXTS, acts_meanwhile, gold_study, refine, request, rows
from tests.factories import adjudicate, cqs_study, focus_study, judge, yes

pytestmark = [pytest.mark.django_db, pytest.mark.database]

made = pytest.fixture(gold_study)
meanwhile = pytest.fixture(acts_meanwhile)


def test_every_gold_span_is_asked_about_once_and_the_answer_stored_beside_the_template(made, endpoint):
    endpoint.otherwise = lambda asked: saying(f"Reworded: {asked.prompt[:-1]} {len(endpoint.asked)}?")
    run = refine(made, endpoint)
    assert (run.state, run.progress_done, run.progress_total, run.error) == ("done", 3, 3, "")
    found = rows()
    assert [row.item_id for row in found] == [item.pk for item in made.items]
    first = found[0]
    assert (first.type_code, first.start, first.end) == ("LE", 0, 12)
    assert first.question_template == endpoint.asked[0].prompt
    assert first.question == f"Reworded: {first.question_template[:-1]} 1?"
    assert (first.state, first.model, first.tries, first.reason) == ("refined", "served-1", 1, "")


def test_the_request_has_what_was_chosen_and_the_prompt_filled_and_nothing_else(made, endpoint):
    refine(
        made, endpoint, prompt="{type}|{span}|{argument}|{question}", seed=7, max_tokens=50, max_questions=1
    )
    (asked,) = endpoint.asked
    template = rows()[0].question_template
    assert asked.body == {
        "model": "tiny",
        "messages": [
            {"role": "user", "content": f"Lacks Evidence|Parks make p|{TEXTS[0]}|{template}"},
        ],
        "max_tokens": 50,
        "temperature": 0.0,
        "seed": 7,
    }


def test_what_an_endpoint_does_not_know_is_not_sent_to_it(made, endpoint):
    refine(made, endpoint, temperature=None, tokens_field="max_completion_tokens", max_questions=1)
    assert set(endpoint.asked[0].body) == {"model", "messages", "max_completion_tokens"}


def test_the_key_is_in_no_row_and_no_log(made, endpoint, caplog, tmp_path):
    endpoint.replies = [
        status(400, f"wrong key {KEY}".encode()),
        saying(f"Is it {KEY}?"),
        saying("Why?", model=f"m-{KEY}"),
    ]
    caplog.set_level("DEBUG")
    refine(made, endpoint)
    assert [(row.state, row.reason) for row in rows()] == [
        ("failed", "the endpoint answered with status 400"),
        ("refused", "it repeats the key of the endpoint"),
        ("refused", "it repeats the key of the endpoint"),
    ]
    assert all(asked.headers["Authorization"] == f"Bearer {KEY}" for asked in endpoint.asked)
    call_command("dumpdata", "exports", "annotation", output=str(tmp_path / "all.json"))
    assert KEY not in (tmp_path / "all.json").read_text()
    assert KEY not in caplog.text


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (saying("Parks do."), "it does not end with a question mark"),
        (saying("Why do parks", ending="length"), "it was cut off at the limit of tokens"),
        (saying("Why?", ending="content_filter"), "the endpoint filtered it"),
        (saying(None, refusal="No."), "the model declined"),
        (saying("  \n"), "it is empty"),
    ],
)
def test_an_answer_that_is_no_question_is_stored_as_refused_with_the_reason(made, endpoint, reply, reason):
    endpoint.otherwise = reply
    assert refine(made, endpoint).state == "done"
    assert {(row.state, row.question, row.reason) for row in rows()} == {("refused", "", reason)}


def test_the_endpoint_is_asked_no_faster_than_chosen(made, endpoint):
    clock = Clock()
    refine(made, endpoint, clock, per_minute=20)
    assert clock.slept == [3, 3]


def test_a_second_try_keeps_the_pace_too(made, endpoint):
    clock = Clock()
    endpoint.replies = [status(429, Retry_After="1")]
    refine(made, endpoint, clock, per_minute=20)
    assert clock.slept == [1, 2, 3, 3]


def test_a_run_asks_no_more_than_its_limit_and_the_next_one_goes_on(made, endpoint):
    counted = count_sendable(
        questions_table(refinable_selection(made.project)),
        sources=(("test", ""),),
        again=False,
        max_questions=2,
    )
    assert (counted.questions, counted.refined, counted.asked, counted.left_over) == (3, 0, 2, 1)
    refine(made, endpoint, max_questions=2)
    assert [row.item_id for row in rows()] == [item.pk for item in made.items[:2]]
    refine(made, endpoint, max_questions=2)
    assert [row.item_id for row in rows(run__number=2)] == [made.items[2].pk]
    assert len(endpoint.asked) == 3


def test_what_failed_or_was_refused_is_asked_by_the_next_run_and_what_is_refined_is_not(made, endpoint):
    endpoint.replies = [saying("No."), status(400), saying("Why?")]
    refine(made, endpoint)
    refine(made, endpoint)
    assert [row.item_id for row in rows(run__number=2)] == [item.pk for item in made.items[:2]]
    refine(made, endpoint, again=True)
    assert len(rows(run__number=3)) == 3


def test_a_rejected_question_is_not_asked_again_unless_wanted(made, endpoint):
    refine(made, endpoint)
    refined_reject(refinement=rows()[0], by=made.lead)
    refine(made, endpoint)
    assert len(endpoint.asked) == 3
    refine(made, endpoint, again=True)
    assert len(endpoint.asked) == 6


def test_only_texts_of_the_ticked_sources_are_sent_and_never_a_withdrawn_one(made, endpoint):
    first, second, third = made.items
    first.licence = "all rights reserved"
    first.save()
    second.withdrawn_at, second.withdrawn_reason = timezone.now(), "private"
    second.save()
    counted = count_sendable(
        questions_table(refinable_selection(made.project)),
        sources=(("test", ""),),
        again=False,
        max_questions=9,
    )
    assert (counted.questions, counted.not_sent, counted.asked) == (2, 1, 1)
    refine(made, endpoint)
    assert [asked.prompt for asked in endpoint.asked] == [rows()[0].question_template]
    assert rows()[0].item == third


def test_an_item_withdrawn_while_the_run_works_is_not_sent(made, endpoint, meanwhile):
    second = made.project.items.filter(pk=made.items[1].pk)
    meanwhile([lambda: second.update(withdrawn_at=timezone.now(), withdrawn_reason="private")])
    run = refine(made, endpoint)
    assert [row.item for row in rows()] == [made.items[0], made.items[2]]
    assert (run.state, run.progress_done, run.progress_total) == ("done", 2, 2)


def test_a_text_with_a_placeholder_in_it_is_sent_as_it_is(made, endpoint):
    refine(made, endpoint, prompt="{argument} {question}")
    assert endpoint.asked[0].prompt.startswith("Parks make people happy. {type} ")


def test_nothing_is_sent_before_a_lead_confirms_that_texts_may_leave(made, endpoint):
    given = {"endpoint": endpoint.url, "model": "tiny", "sources": SOURCES}
    with pytest.raises(Refused) as refusal:
        refinement_request(
            project=made.project, choices=refinement_choices(given), texts_may_leave=False, by=made.lead
        )
    assert set(refusal.value.errors) == {"texts_may_leave"}
    assert not RefinementRun.objects.exists()


@pytest.mark.parametrize(
    ("choice", "value", "words"),
    [
        ("model", " ", "the model's name"),
        ("model", "a\nb", "the model's name"),
        ("prompt", "Reword this.", "Write {question}"),
        ("temperature", 3, "from 0 to 2"),
        ("temperature", True, "from 0 to 2"),
        ("seed", -1, "from 0"),
        ("max_tokens", 1, "from 16 to 32000"),
        ("timeout", 600, "from 5 to 120"),
        ("per_minute", 0, "from 1 to 600"),
        ("max_questions", 10_001, "from 1 to 10000"),
        ("tokens_field", "stream", "max_tokens, max_completion_tokens"),
        ("again", "yes", "true or false"),
        ("sources", [], "at least one source"),
        ("sources", ["test"], "at least one source"),
        ("api_key", "x", "no such choice"),
    ],
)
def test_a_choice_that_cannot_be_is_refused_by_name(made, endpoint, choice, value, words):
    with pytest.raises(Refused) as refusal:
        request(made, endpoint, **{choice: value})
    assert set(refusal.value.errors) == {choice}
    assert words in refusal.value.errors[choice]


def test_a_source_that_no_item_has_is_refused(made, endpoint):
    with pytest.raises(Refused, match="No item of the closed rounds has the source 'other'"):
        request(made, endpoint, sources=[["other", ""]])


def test_questions_of_the_other_protocol_have_no_spans_to_refine(endpoint):
    with pytest.raises(Refused, match="Only the questions of gold spans can be refined"):
        request(cqs_study(annotators=1), endpoint)


def test_only_a_standing_refined_question_can_be_rejected_and_once(made, endpoint):
    endpoint.replies = [saying("No.")]
    refine(made, endpoint)
    refused, refined, _ = rows()
    with pytest.raises(Refused, match="rejected already, or has nothing"):
        refined_reject(refinement=refused, by=made.lead)
    refined_reject(refinement=refined, by=made.lead)
    with pytest.raises(Refused, match="rejected already"):
        refined_reject(refinement=refined, by=made.lead)
    assert QuestionRefinement.objects.get(pk=refined.pk).rejected_by == made.lead


def test_a_lead_adjudicating_meanwhile_changes_what_the_next_run_asks(made, endpoint):
    refine(made, endpoint)
    adjudicate(made, made.items[0], "LE", True, (0, 5))
    refine(made, endpoint)
    assert [(row.start, row.end) for row in rows(run__number=2)] == [(0, 5)]
    assert json.loads(json.dumps(endpoint.asked[-1].body))["messages"][0]["content"].count("Parks") == 1


def test_an_open_round_is_never_sent(endpoint):
    made = focus_study(annotators=2, items=1)
    judge(made, made.items[0], {"LE": [yes(made.items[0], made.items[0].text[:12])] * 2})
    with pytest.raises(Refused, match="No item of the closed rounds"):
        request(made, endpoint)
