"""Leads see what would be sent, confirm it, follow the run and reject answers in the browser."""

import re

import pytest

from annotation.items.withdrawal import item_withdraw
from exports import tasks
from exports.models import QuestionRefinement, RefinementRun, Release
from exports.refinement import candidates as question_counts
from exports.refinement.prompt import DEFAULT_PROMPT
from exports.refinement.worker import refinement_work
from tests.exports.endpoint import KEY, Clock, saying, status
from tests.factories import close, cqs_study, focus_study, judge, yes

pytestmark = pytest.mark.django_db

PAGE = "/p/s/refinements/"


@pytest.fixture
def made():
    made = focus_study(annotators=2, items=2, texts=("Parks make us happy.", "Taxes cause it."), slug="s")
    for item in made.items:
        judge(made, item, {"LE": [yes(item, item.text[:10])] * 2})
    close(made)
    return made


@pytest.fixture
def choices(endpoint):
    return {
        "endpoint": endpoint.url,
        "model": "tiny",
        "sources": ['["test", ""]'],
        "max_questions": "100",
        "prompt": DEFAULT_PROMPT.replace("\n", "\r\n"),
        "per_minute": "60",
        "max_tokens": "300",
        "timeout": "60",
        "temperature": "0",
        "seed": "",
        "tokens_field": "max_tokens",
    }


def text(response):
    return " ".join(response.content.decode().split())


def start(client, choices, **more):
    return client.post(PAGE, {**choices, "act": "start", "texts_may_leave": "on", **more})


def work():
    refinement_work(run_id=RefinementRun.objects.get(state="queued").pk, timing=Clock().timing)


def test_switched_off_the_pages_have_one_line_about_it_and_no_way_to_start(made, lead_client):
    page = text(lead_client.get("/p/s/releases/"))
    assert "ELENCHUS_LLM_ENDPOINTS in docs/deploy.md" in page
    assert "/p/s/refinements/" not in page
    assert "refined_questions" not in page
    page = text(lead_client.get(PAGE))
    assert "This installation names no language model" in page
    assert "<textarea" not in page


def test_the_other_protocol_is_not_told_about_it(lead_client, endpoint):
    cqs_study(annotators=1, slug="q")
    page = text(lead_client.get("/p/q/releases/"))
    assert "LLM" not in page
    assert "refinements" not in page
    response = lead_client.get("/p/q/refinements/")
    assert response.status_code == 409
    assert "Only the questions of gold spans can be refined" in text(response)


def test_what_would_be_sent_is_counted_and_nothing_is_sent(made, lead_client, endpoint, choices):
    assert PAGE in text(lead_client.get("/p/s/releases/"))
    page = text(lead_client.get(PAGE))
    assert "test · terms not stated · 2 items" in page
    assert "Send the texts" not in page
    page = text(lead_client.post(PAGE, {**choices, "act": "count", "max_questions": "1"}))
    assert "<b>2</b> questions of gold spans" in page
    assert "<b>1</b> would be asked" in page
    assert "<b>1</b> left to another run" in page
    host = endpoint.url.split("/")[2]
    assert f"Each question goes to <b>{host}</b>, to the model <b>tiny</b>" in page
    assert "It takes 1 minute or more." in page
    assert "Send the texts and ask" in page
    assert (endpoint.asked, RefinementRun.objects.count()) == ([], 0)


def test_a_worker_counts_a_large_project_once_until_something_changes(
    made, lead_client, endpoint, choices, monkeypatch
):
    sent = []
    monkeypatch.setattr(question_counts, "AT_ONCE", 0)
    monkeypatch.setattr(tasks.count_questions, "delay", sent.append)
    count = {**choices, "act": "count"}
    for _ in range(2):
        page = text(lead_client.post(PAGE, count))
        assert "The questions are being counted." in page
        assert "would be asked" not in page
    assert sent == [made.project.pk]
    tasks.count_questions(made.project.pk)
    assert "<b>2</b> would be asked" in text(lead_client.post(PAGE, count))
    item_withdraw(item=made.items[0], member=made.lead, why="It is broken.")
    assert "The questions are being counted." in text(lead_client.post(PAGE, count))
    assert "test · terms not stated · 1 item" in text(lead_client.get(PAGE))
    tasks.count_questions(made.project.pk)
    assert "<b>1</b> would be asked" in text(lead_client.post(PAGE, count))
    assert sent == [made.project.pk] * 2


def test_without_the_confirmation_nothing_is_sent(made, lead_client, endpoint, choices):
    page = text(lead_client.post(PAGE, {**choices, "act": "start"}))
    assert "Confirm this before anything is sent." in page
    assert "<b>2</b> would be asked" in page
    assert not RefinementRun.objects.exists()


def test_a_started_run_is_sent_to_a_worker_with_what_was_chosen(
    made, lead_client, endpoint, choices, monkeypatch, django_capture_on_commit_callbacks
):
    sent = []
    monkeypatch.setattr(tasks.refine_questions, "delay", sent.append)
    with django_capture_on_commit_callbacks(execute=True):
        asked = start(lead_client, choices, temperature="", seed="3", again="on")
    assert asked["Location"] == PAGE
    run = RefinementRun.objects.get()
    assert sent == [run.pk]
    assert (run.prompt, run.temperature, run.seed, run.again) == (DEFAULT_PROMPT, None, 3, True)
    assert (run.sources, run.max_questions, run.member) == ([["test", ""]], 100, made.lead)


def test_the_progress_survives_a_reload_and_can_be_cancelled(made, lead_client, endpoint, choices):
    start(lead_client, choices)
    assert "The run waits for a worker." in text(lead_client.get(PAGE))
    row = RefinementRun.objects.get()
    RefinementRun.objects.update(
        state="running", lease_token="x", lease_until=row.created_at, progress_total=1200, progress_done=4
    )
    for address in (PAGE, f"{PAGE}runs/1/progress/"):
        page = text(lead_client.get(address))
        assert "4 of 1 200 questions answered by tiny" in page
    assert "<textarea" not in text(lead_client.get(PAGE))
    page = text(lead_client.post(f"{PAGE}runs/1/cancel/", follow=True))
    assert "The run is cancelled. What was answered until then is kept." in page
    assert lead_client.get(f"{PAGE}runs/1/progress/").headers["HX-Refresh"] == "true"
    assert "has ended already" in text(lead_client.post(f"{PAGE}runs/1/cancel/", follow=True))


def test_a_second_run_is_refused_in_words_while_one_works(made, lead_client, endpoint, choices):
    start(lead_client, choices)
    page = text(lead_client.post(PAGE, {**choices, "act": "start", "texts_may_leave": "on"}, follow=True))
    assert "A run is at work already: wait until it is done, or cancel it." in page
    assert RefinementRun.objects.count() == 1


def test_a_run_that_stopped_says_why(made, lead_client, endpoint, choices):
    endpoint.otherwise = status(401, KEY.encode())
    start(lead_client, choices)
    work()
    page = text(lead_client.get(PAGE))
    assert "Run 1 stopped." in page
    assert "the endpoint does not accept the key (status 401)" in page
    assert KEY not in page


def test_a_run_that_ends_with_questions_unanswered_says_how_many_and_why(
    made, lead_client, endpoint, choices
):
    endpoint.replies = [saying("Why so?"), saying("")]
    start(lead_client, choices)
    work()
    page = text(lead_client.get(PAGE))
    assert "Run 1 has no answer to use for 1 of its 2 questions.</b> Most often: it is empty." in page
    assert "There the template question stands alone." in page
    endpoint.replies = [saying("Why so?")]
    start(lead_client, choices)
    work()
    assert "no answer to use for" not in text(lead_client.get(PAGE))


def test_pairs_stand_side_by_side_and_a_rejected_one_can_be_taken_back(made, lead_client, endpoint, choices):
    endpoint.replies = [saying("What <b>shows</b> it?"), saying("No.")]
    start(lead_client, choices)
    work()
    row = QuestionRefinement.objects.first()
    page = text(lead_client.get(PAGE))
    assert "What &lt;b&gt;shows&lt;/b&gt; it?" in page
    assert row.question_template in page
    assert kinds(page) == {"standing": 1, "rejected": 0, "missing": 1}
    answer = lead_client.post(f"{PAGE}{row.pk}/reject/?show=standing&page=1")
    assert answer["Location"] == f"{PAGE}?show=standing&page=1#pairs"
    page = text(lead_client.get(f"{PAGE}?show=rejected"))
    assert kinds(page) == {"standing": 0, "rejected": 1, "missing": 1}
    assert "rejected by A1 on" in page
    lead_client.post(f"{PAGE}{row.pk}/restore/")
    assert kinds(text(lead_client.get(PAGE))) == {"standing": 1, "rejected": 0, "missing": 1}
    assert "it does not end with a question mark" in text(lead_client.get(f"{PAGE}?show=missing"))


def kinds(page):
    return {key: int(number) for key, number in re.findall(r'\?show=(\w+)#pairs"[^>]*>[^(]*\((\d+)\)', page)}


def test_the_list_shows_the_newest_answer_of_each_question_and_no_reason_that_is_over(
    made, lead_client, endpoint, choices
):
    endpoint.replies = [saying("What shows it?"), saying("No.")]
    start(lead_client, choices)
    work()
    endpoint.replies = [saying("How do we know?"), saying("Is it so?")]
    start(lead_client, choices, again="on")
    work()
    page = text(lead_client.get(PAGE))
    assert kinds(page) == {"standing": 2, "rejected": 0, "missing": 0}
    assert "How do we know?" in page
    assert "What shows it?" not in page


def test_long_lists_come_in_pages(made, lead_client, endpoint, choices, monkeypatch):
    monkeypatch.setattr("frontend.pages.refinement.PAIRS", 1)
    start(lead_client, choices)
    work()
    page = text(lead_client.get(PAGE))
    assert page.count('class="card pair"') == 1
    assert "?show=standing&amp;page=2" in page
    assert ">I-2</a>" in text(lead_client.get(f"{PAGE}?show=standing&page=2"))


def test_the_next_run_begins_with_the_choices_of_the_last_but_not_with_its_confirmation(
    made, lead_client, endpoint, choices
):
    start(lead_client, choices, prompt="Say it well: {question}", per_minute="7")
    work()
    page = text(lead_client.get(PAGE))
    assert "Say it well: {question}</textarea>" in page
    assert re.search(r'name="per_minute" value="7"', page)
    assert re.search(r'name="sources" value="[^"]*"[^>]* checked', page)
    assert "texts_may_leave" not in page


def test_wrong_choices_are_shown_beside_their_fields(made, lead_client, endpoint, choices):
    page = text(lead_client.post(PAGE, {**choices, "prompt": "Reword {this}", "act": "count"}))
    assert "{this} stands for nothing: use {argument}, {span}, {type}, {question}." in page
    page = text(lead_client.post(PAGE, {**choices, "endpoint": "http://10.0.0.1/v1", "act": "count"}))
    assert "Select a valid choice" in page
    page = text(lead_client.post(PAGE, {**choices, "sources": [], "act": "count"}))
    assert "Tick at least one source whose texts may be sent." in page
    page = text(lead_client.post(PAGE, {**choices, "timeout": "999", "act": "count"}))
    assert '<details class="more" open>' in page


def test_all_wrong_choices_are_told_at_once_and_once(made, lead_client, endpoint, choices):
    wrong = {"model": "", "sources": [], "prompt": "Reword {this}", "timeout": "999"}
    page = text(lead_client.post(PAGE, {**choices, **wrong, "act": "start", "texts_may_leave": "on"}))
    told = re.findall(r'id="id_(\w+)_problem">\s*<ul class="errorlist"[^>]*><li>(.*?)</li></ul>', page)
    assert dict(told) == {
        "model": "This field is required.",
        "sources": "Tick at least one source whose texts may be sent.",
        "prompt": "{this} stands for nothing: use {argument}, {span}, {type}, {question}.",
        "timeout": "Ensure this value is less than or equal to 120.",
    }
    assert (len(told), page.count("This has no default"), RefinementRun.objects.count()) == (4, 0, 0)


def test_a_release_takes_them_in_only_where_a_lead_ticks_it(made, lead_client, endpoint, choices):
    start(lead_client, choices)
    work()
    page = text(lead_client.get("/p/s/releases/"))
    assert re.search(r'<input type="checkbox" name="refined_questions"(?! checked)', page)
    asked = {"rounds": ["Round 1"], "split_by": "none", "seed": "0", "act": "build"}
    lead_client.post("/p/s/releases/", {**asked, "version": "1.0"})
    lead_client.post("/p/s/releases/", {**asked, "version": "1.1", "refined_questions": "on"})
    found = {row.version: row.parameters["refined_questions"] for row in Release.objects.all()}
    assert found == {"1.0": False, "1.1": True}
    page = text(
        lead_client.post(
            "/p/s/releases/",
            {**asked, "version": "1.2", "refined_questions": "on", "without_texts": "on"},
        )
    )
    assert "quote the texts, which this release leaves out" in page


@pytest.fixture
def split_up(made):
    made.items[0].split = "test"
    made.items[0].save()
    return made


def test_one_filled_prompt_is_shown_before_anything_is_sent(made, lead_client, endpoint, choices):
    response = lead_client.post(PAGE, {**choices, "act": "count"})
    prompt, item = response.context["example"]
    assert item == "I-1"
    assert "Argument: Parks make us happy." in prompt and "Words that it is about: Parks make" in prompt
    assert "{" not in prompt
    assert "One prompt as it would be sent, of I-1" in text(response)
    assert endpoint.asked == []
    api = lead_client.post(
        "/api/projects/s/refinements/counts/",
        {"choices": {"endpoint": endpoint.url, "model": "tiny", "sources": [["test", ""]]}},
        content_type="application/json",
    )
    assert api.json()["example"] == prompt


def test_a_split_left_out_is_neither_counted_nor_shown_nor_sent(split_up, lead_client, endpoint, choices):
    left_out = {**choices, "splits_left_out": ["test"]}
    response = lead_client.post(PAGE, {**left_out, "act": "count"})
    page = text(response)
    assert "<b>1</b> would be asked" in page
    assert "<b>1</b> of sources that are not ticked, or of splits left out" in page
    assert response.context["example"][1] == "I-2"
    start(lead_client, left_out)
    work()
    assert [row.item.external_id for row in QuestionRefinement.objects.all()] == ["I-2"]
    assert not any("Parks" in str(body) for body in endpoint.asked)
    assert RefinementRun.objects.get().splits_left_out == ["test"]
    assert "splits_left_out" in made_event(split_up)


def made_event(made):
    return made.project.events.get(action="refinement requested").details


def test_without_splits_there_is_none_to_leave_out(made, lead_client, endpoint, choices):
    assert "Splits to leave out" not in text(lead_client.get(PAGE))
    lead_client.post(PAGE, {**choices, "act": "start", "texts_may_leave": "on"})
    assert RefinementRun.objects.get().splits_left_out == []
