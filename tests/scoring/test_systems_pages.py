"""The pages of systems: handing files in, reading what they are worth, answers in the text, comparing."""

import re
from html import unescape

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from core.errors import Refused
from exports.models import Release
from scoring.figures.paired import PairedScores
from scoring.models import ErrorTag, Evaluation, System, TaggedAnswer
from scoring.systems.comparing import comparison
from scoring.systems.error_tags import answer_tag, error_tag_add
from scoring.systems.evaluations import evaluation_run
from scoring.systems.item_counts import item_table, scored_positions
from scoring.systems.submissions import benchmark_opened
from scoring.tasks import compare_evaluations
from tests import factories
from tests.factories import QUESTIONS
from tests.scoring.systems import (
    RIGHT,
    WRONG,
    focus_release,
    handed_in,
    questions,
    questions_release,
    scored,
    submitted,
)

pytestmark = pytest.mark.django_db


def page(client, address, status=200):
    answer = client.get(address)
    assert answer.status_code == status, answer.content.decode()[:2000]
    return answer.content.decode()


def words(html):
    told = " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())
    return re.sub(r" ([,.:;])", r"\1", told)


def uploads(*contents):
    return [SimpleUploadedFile(file.name, file.data) for file in handed_in(*contents)]


def form(**given):
    return {
        "name": "Parrot",
        "description": "",
        "link": "",
        "place": "1.0/",
        "replicates": "20",
        "seed": "1",
        **given,
    }


def test_a_lead_hands_a_file_in_and_reads_what_it_is_worth(lead_client, monkeypatch):
    focus_release()
    monkeypatch.setattr("scoring.tasks.evaluate_submission.delay", lambda key: None)
    assert "Nothing was scored yet" in page(lead_client, "/p/talk/systems/")
    assert 'name="runs"' in page(lead_client, "/p/talk/systems/new/")
    sent = lead_client.post("/p/talk/systems/new/", form(runs=uploads(RIGHT, WRONG), scope="decided"))
    evaluation = Evaluation.objects.get()
    assert sent.headers["Location"] == f"/p/talk/evaluations/{evaluation.pk}/"
    waiting = page(lead_client, sent.headers["Location"])
    assert "The evaluation waits for a worker" in waiting
    assert f'action="/p/talk/evaluations/{evaluation.pk}/cancel/"' in waiting
    assert "evaluation-progress" in page(lead_client, f"/p/talk/evaluations/{evaluation.pk}/progress/")
    evaluation_run(evaluation_id=evaluation.pk)
    assert lead_client.get(f"/p/talk/evaluations/{evaluation.pk}/progress/").headers["HX-Refresh"] == "true"
    told = words(page(lead_client, f"/p/talk/evaluations/{evaluation.pk}/"))
    assert "2 runs against release 1.0: 2 texts; types and spans, what people decided." in told
    assert "0.75 micro F1 [0.50, 1.00], ± 0.35 over 2 runs" in told
    second = words(page(lead_client, f"/p/talk/evaluations/{evaluation.pk}/?run=2"))
    assert "1 span that stands nowhere in its text" in second
    assert "Undefined: the answer is right nowhere, and the system never gave it" in second
    listed = words(page(lead_client, "/p/talk/systems/"))
    assert "Parrot 2 1.0 types and spans 0.75 [0.50, 1.00] ± 0.35 over runs done" in listed
    assert "Parrot" in page(lead_client, f"/p/talk/systems/{evaluation.submission.system_id}/")


def test_every_fault_stands_on_the_page_and_nothing_is_stored(lead_client):
    focus_release()
    wrong = {"I-1": {"fsq_types": ["LE", "LE"], "spans": ["a", "b"]}, "X": {}}
    told = lead_client.post("/p/talk/systems/new/", form(runs=uploads(wrong), scope="decided"))
    shown = words(told.content.decode())
    assert "2 faults in the files: nothing was stored." in shown
    assert "run1.json I-1 fsq_types LE is named twice" in shown
    assert "run1.json X there is no such item: is it for another split?" in shown
    assert not System.objects.exists()
    nothing = lead_client.post("/p/talk/systems/new/", form(name="", place="9.9/"))
    assert nothing.content.decode().count('<ul class="errorlist"') == 3


def test_the_methods_of_questions_are_an_evaluation_each(lead_client, settings, monkeypatch):
    settings.SENTENCE_ENCODER = ""
    questions_release()
    monkeypatch.setattr("scoring.tasks.evaluate_submission.delay", lambda key: None)
    given = {"methods": ["chrf", "exact", "sts"], "chrf_threshold": "35", "sts_threshold": "0.65"}
    sent = lead_client.post("/p/ask/systems/new/", form(runs=uploads(questions(QUESTIONS[0])), **given))
    assert sent.headers["Location"] == f"/p/ask/systems/{System.objects.get().pk}/"
    for evaluation in Evaluation.objects.all():
        evaluation_run(evaluation_id=evaluation.pk)
    told = words(page(lead_client, sent.headers["Location"]))
    assert [entry in told for entry in ("chrf > 35", "exact", "sts > 0.65")] == [True] * 3
    assert "stopped by an error" in told
    failed = words(page(lead_client, f"/p/ask/evaluations/{Evaluation.objects.get(method='sts').pk}/"))
    assert "It was not scored." in failed
    told = "The method sts needs a sentence encoder, and there is none: set ELENCHUS_SENTENCE_ENCODER."
    assert failed.count(told) == failed.count("sentence encoder") == 1
    assert "no_encoder" not in failed
    assert "I-1, cqs: 1 question where 3 are asked for" in failed
    assert "1 of 2 items are missing; they count as not answered" in failed
    address = f"/p/ask/evaluations/{Evaluation.objects.get(method='sts').pk}/"
    in_spanish = words(lead_client.get(address, headers={"accept-language": "es"}).content.decode())
    assert "El método sts necesita un codificador de oraciones" in in_spanish
    assert "I-1, cqs: 1 pregunta donde se piden 3" in in_spanish
    assert "faltan 1 de 2 textos; cuentan como no respondidos" in in_spanish
    assert "Score again" in failed
    done = words(page(lead_client, f"/p/ask/evaluations/{Evaluation.objects.get(method='exact').pk}/"))
    assert "0.17 useful of three, mean over items" in done
    assert "Useful 1" in done
    assert "5 questions missing" in done
    assert f"{' '.join(QUESTIONS[0].split()[:3])} 1 1.00" in done


def test_answers_are_shown_in_their_text_with_three_underlines(lead_client):
    made, release = focus_release()
    answer = {"I-1": {"fsq_types": ["LE", "BS"], "spans": ["The library should", "not there at all"]}}
    evaluation = scored(submitted(made, release, answer))
    address = f"/p/talk/evaluations/{evaluation.pk}/answers/"
    html = page(lead_client, address)
    marked = re.search(r'<p class="read marked"[^>]*>(.*?)</p>', html, re.DOTALL)[1]
    pieces = re.findall(r'<span\s+class="by([^"]*)">([^<]*)</span', html)
    assert (" by-1 by-2", "The library") in pieces
    assert (" by-2", " should") in pieces
    assert (" by-0", "grades fell") in pieces
    assert unescape(re.sub(r"<[^>]+>", "", marked)) == made.items[0].text
    assert "not in the text:" in html
    for query, expected in (
        ("?only=right", ["LE", "NONE"]),
        ("?only=wrong", ["BS"]),
        ("?type=LE", ["LE"]),
        ("?label=extra", ["BS"]),
        ("?only=no-place", ["BS"]),
        ("?label=missed", []),
    ):
        found = re.findall(r'aria-label="I-\d, ([^"]*)"', page(lead_client, address + query))
        names = {"LE": "Lacks Evidence", "BS": "Biased Statement", "NONE": "None of the Above"}
        assert len(found) == len(expected), query
        for name, code in zip(found, expected, strict=True):
            assert code != "LE" or name == names["LE"]
    assert page(lead_client, f"{address}?page=999999&run=77&tag=x") != ""


def test_a_question_stands_beside_its_best_reference(lead_client):
    made, release = questions_release()
    evaluation = scored(submitted(made, release, questions(QUESTIONS[0], "Zzz?")), methods=["chrf:40"])
    told = words(page(lead_client, f"/p/ask/evaluations/{evaluation.pk}/answers/"))
    assert f"I-1 question 1 Useful {QUESTIONS[0]} best reference {QUESTIONS[0]} Useful" in told
    assert "not able to evaluate" in words(
        page(lead_client, f"/p/ask/evaluations/{evaluation.pk}/answers/?label=not_able_to_evaluate")
    )


def test_leads_tag_errors_with_their_own_words_and_read_the_shares(lead_client):
    made, release = focus_release()
    evaluation = scored(submitted(made, release, WRONG))
    base = f"/p/talk/evaluations/{evaluation.pk}/"
    for word in ("paraphrase", " Paraphrase\u200b", "too long"):
        lead_client.post(f"{base}words/", {"word": word})
    first, second = ErrorTag.objects.order_by("id")
    wrong = evaluation.answers.get(unit="BS")
    missed = evaluation.answers.get(unit="LE")
    back = lead_client.post(
        f"{base}answers/{wrong.pk}/tag/", {"tag": [first.pk, second.pk], "query": "only=wrong&x=//evil"}
    )
    assert back.headers["Location"] == f"{base}answers/?only=wrong#answer-{wrong.pk}"
    lead_client.post(f"{base}answers/{missed.pk}/tag/", {"tag": [first.pk]})
    told = words(page(lead_client, f"{base}answers/"))
    assert "paraphrase 2 1.00 n 2 too long 1 0.50 n 2" in told
    tagged = page(lead_client, f"{base}answers/?tag={second.pk}")
    assert re.findall(r'id="answer-(\d+)"', tagged) == [str(wrong.pk)]
    lead_client.post(f"{base}answers/{wrong.pk}/tag/", {})
    assert list(TaggedAnswer.objects.values_list("unit", flat=True)) == ["LE"]
    # A word of another project is none of this one's.
    other = factories.study("focus", slug="other")
    foreign = other.project.error_tags.create(word="a", word_key="a")
    lead_client.post(f"{base}answers/{wrong.pk}/tag/", {"tag": [foreign.pk]})
    assert TaggedAnswer.objects.count() == 1
    # The same answer in another evaluation of the same files has the same words.
    again = scored(evaluation.submission, seed=7)
    assert "paraphrase 1 1.00 n 1" in words(page(lead_client, f"/p/talk/evaluations/{again.pk}/answers/"))


def offered(client, evaluation):
    """Return the answers at which the page offers to tag an error, each by its item and unit."""
    slug = evaluation.submission.system.project.slug
    html = page(client, f"/p/{slug}/evaluations/{evaluation.pk}/answers/")
    found = re.findall(r'id="answer-(\d+)"(.*?)</article>', html, re.DOTALL)
    assert len(found) == evaluation.answers.count()
    keys = [int(key) for key, shown in found if "Tag the error" in shown]
    return sorted(evaluation.answers.filter(pk__in=keys).values_list("item", "unit"))


def test_an_error_is_tagged_only_where_there_is_one_or_was_tagged_one(lead_client):
    made, release = focus_release()
    right = scored(submitted(made, release, RIGHT))
    assert sorted(right.answers.values_list("item", "unit", "label")) == [
        ("I-1", "LE", "hit"),
        ("I-2", "NONE", "hit"),
    ]
    assert offered(lead_client, right) == []
    # What it missed and what is not there; what nobody decided is no error.
    wrong = scored(submitted(made, release, WRONG, name="Crow"))
    assert offered(lead_client, wrong) == [("I-1", "BS"), ("I-1", "LE")]
    # The right type, with other words than people marked, or none.
    for words_given in ("The library", "not in the text", "Null"):
        answer = {"I-1": {"fsq_types": ["LE"], "spans": [words_given]}}
        assert offered(lead_client, scored(submitted(made, release, answer, name=words_given))) == [
            ("I-1", "LE")
        ]
    tag = error_tag_add(project=made.project, word="lucky")
    answer_tag(answer=right.answers.get(unit="NONE"), tags=[tag])
    assert offered(lead_client, right) == [("I-2", "NONE")]


def test_a_useful_question_has_no_error_to_tag(lead_client):
    made, release = questions_release()
    evaluation = scored(submitted(made, release, questions(*QUESTIONS[:2], "Zzz?")), methods=["exact"])
    labels = dict(evaluation.answers.values_list("unit", "label"))
    assert labels == {"1": "Useful", "2": "Invalid", "3": "not_able_to_evaluate"}
    assert offered(lead_client, evaluation) == [("I-1", "2"), ("I-1", "3")]


def test_systems_are_compared_with_paired_intervals_as_chart_and_table(lead_client):
    made, release = focus_release()
    good, bad = scored(submitted(made, release, RIGHT)), scored(submitted(made, release, WRONG, name="Crow"))
    found = comparison([good, bad])
    assert [row["value"] for row in found["systems"]] == [1.0, 0.5]
    assert found["pairs"][0]["value"] == 0.5
    query = f"e={good.pk}&e={bad.pk}"
    told = words(page(lead_client, f"/p/talk/systems/compare/?{query}"))
    assert "Release 1.0: 2 items" in told
    assert "trivial: None of the Above for all" in told
    assert "+0.50" in told
    assert "−0.50" in told
    assert "not told apart" in told
    svg = lead_client.get(f"/p/talk/systems/compare/comparison.svg?{query}")
    assert svg.headers["Content-Type"] == "image/svg+xml"
    assert svg.content.decode().index(">Parrot<") < svg.content.decode().index(">Crow<")
    assert lead_client.get(f"/p/talk/systems/compare/comparison.pdf?{query}").content.startswith(b"%PDF")
    lines = lead_client.get(f"/p/talk/systems/compare/comparison.csv?{query}").content.decode().splitlines()
    assert lines[0] == "first,second,difference,low,high,told_apart,n"
    assert lines[1].startswith("Parrot,Crow,0.5,")
    assert lead_client.get(f"/p/talk/systems/compare/other.svg?{query}").status_code == 404
    alone = lead_client.get(f"/p/talk/systems/compare/?e={good.pk}")
    assert alone.headers["Location"] == "/p/talk/systems/"
    assert lead_client.get(f"/p/talk/systems/compare/?e={good.pk}&e=999").status_code == 404


def test_a_worker_compares_and_the_page_waits_for_it(lead_client, monkeypatch):
    made, release = focus_release()
    keys = [
        scored(submitted(made, release, file, name=name)).pk for file, name in ((RIGHT, "a"), (WRONG, "b"))
    ]
    asked = []
    monkeypatch.setattr("scoring.tasks.compare_evaluations.delay", asked.append)
    address = f"/p/talk/systems/compare/?e={keys[0]}&e={keys[1]}"
    assert "A worker compares them" in words(page(lead_client, address))
    assert lead_client.get(address, headers={"HX-Request": "true"}).status_code == 204
    assert lead_client.get(address.replace("/?", "/comparison.csv?")).status_code == 409
    assert asked == [keys]
    compare_evaluations(keys)
    assert lead_client.get(address, headers={"HX-Request": "true"}).headers["HX-Refresh"] == "true"
    assert "not told apart" in words(page(lead_client, address))
    scored(Evaluation.objects.get(pk=keys[0]).submission, seed=9)
    assert "A worker compares them" in words(page(lead_client, address))


def test_what_cannot_be_compared_is_told_and_not_asked_for_again(lead_client, monkeypatch):
    made, release = focus_release()
    keys = [
        scored(submitted(made, release, file, name=name)).pk for file, name in ((RIGHT, "a"), (WRONG, "b"))
    ]
    asked = []
    monkeypatch.setattr("scoring.tasks.compare_evaluations.delay", asked.append)
    address = f"/p/talk/systems/compare/?e={keys[0]}&e={keys[1]}"
    assert "A worker compares them" in words(page(lead_client, address))

    def damaged(*_):
        raise Refused("damaged", "A file of the release is damaged.")

    monkeypatch.setattr("scoring.tasks.comparison", damaged)
    compare_evaluations(keys)
    assert lead_client.get(address).headers["Location"] == "/p/talk/systems/"
    htmx = {"HX-Request": "true"}
    assert lead_client.get(address, headers=htmx).headers["HX-Redirect"] == "/p/talk/systems/"
    assert "A file of the release is damaged." in words(page(lead_client, "/p/talk/systems/"))
    assert asked == [keys]
    Release.objects.filter(pk=release.pk).update(taken_down_at=timezone.now())
    assert lead_client.get(address).headers["Location"] == "/p/talk/systems/"
    assert "since a text was erased" in words(page(lead_client, "/p/talk/systems/"))


def test_the_interval_of_a_system_is_the_same_on_its_page_and_beside_others(lead_client):
    made, release = questions_release(items=5)
    names = [item.external_id for item in made.items]
    files = [
        {name: questions(*QUESTIONS[at % 3 : 3], item=name)[name] for at, name in enumerate(names)},
        {name: questions(QUESTIONS[0], "Why?", item=name)[name] for name in names[:4]},
    ]
    done = [
        scored(submitted(made, release, file, name=name), methods=["exact"], replicates=1000)
        for file, name in zip(files, "ab", strict=True)
    ]
    positions = scored_positions(benchmark_opened(done[0].submission))
    paired = PairedScores([item_table(one, positions) for one in done], replicates=1000, seed=1)
    for at, (one, row) in enumerate(zip(done, comparison(done)["systems"], strict=True)):
        own = one.figures["figures"]["score"]
        assert [row[key] for key in ("value", "low", "high")] == [
            own[key] for key in ("value", "low", "high")
        ]
        drawn = paired.figure(at)
        assert own["low"] is not None
        assert [drawn[key] for key in ("value", "low", "high")] == pytest.approx(
            [own[key] for key in ("value", "low", "high")]
        )


@pytest.mark.parametrize("scope", ["decided", "all"])
def test_a_comparison_scores_as_the_evaluation_does(scope):
    made, release = focus_release()
    both = [
        scored(submitted(made, release, answers, name=name), scope=scope)
        for name, answers in (("a", WRONG), ("b", {"I-2": {"fsq_types": ["WE"], "spans": ["Null"]}}))
    ]
    stored = [one.figures["figures"][scope]["micro"]["f1"]["value"] for one in both]
    assert [row["value"] for row in comparison(both)["systems"]] == pytest.approx(stored)


def test_questions_are_compared_with_methods_and_diversity_at_equal_n(lead_client):
    made, release = questions_release()
    some = submitted(made, release, questions(*QUESTIONS[:2]))
    other = submitted(made, release, questions(*QUESTIONS), name="Crow")
    done = [scored(one, methods=["exact"]) for one in (some, other)]
    for one in (some, other):
        scored(one, methods=["chrf:99.5"])
    found = comparison(done)
    assert [row["value"] for row in found["systems"]] == pytest.approx([1 / 6, 1 / 6])
    assert found["diversity"]["n"] == 2
    assert [(row["questions"], row["useful_questions"]) for row in found["diversity"]["rows"]] == [
        (2, 1),
        (3, 1),
    ]
    (pair,) = found["methods"]
    assert (pair["first"], pair["second"], pair["with_nae"]) == (
        "chrf:99.5",
        "exact",
        {"value": 1.0, "n": 5, "reason": None},
    )
    assert {row["reason"] for row in found["correlations"]} == {"fewer_than_three_systems"}
    told = words(page(lead_client, f"/p/ask/systems/compare/?e={done[0].pk}&e={done[1].pk}"))
    assert "Systems at n = 2" in told
    assert "there are fewer than three systems" in told
    assert "not told apart" in told


def test_figures_are_files(lead_client):
    made, release = focus_release()
    evaluation = scored(submitted(made, release, RIGHT, name="=cmd"))
    base = f"/p/talk/evaluations/{evaluation.pk}/files/"
    assert lead_client.get(f"{base}scores.json").json() == evaluation.figures
    assert lead_client.get(f"{base}scores.csv").content.startswith(b"run,method,figure")
    assert b"\\toprule" in lead_client.get(f"{base}scores.tex").content
    assert len(lead_client.get(f"{base}answers.jsonl").content.splitlines()) == 2
    assert lead_client.get(f"{base}secrets.txt").status_code == 404


def test_a_lead_who_judges_the_texts_now_sees_no_answers(lead_client):
    made, release = focus_release()
    evaluation = scored(submitted(made, release, RIGHT))
    other = scored(submitted(made, release, WRONG, name="Crow"))
    made.lead.is_annotator = True
    made.lead.save()
    made.annotators = [*made.annotators, made.lead]
    factories.open_round(made)
    base = f"/p/talk/evaluations/{evaluation.pk}/"
    query = f"?e={evaluation.pk}&e={other.pk}"
    for address in (base, f"{base}answers/", f"{base}files/scores.json", f"{base}progress/"):
        assert lead_client.get(address).status_code == 409, address
    assert lead_client.get(f"/p/talk/systems/compare/{query}").status_code == 302
    assert lead_client.get(f"/p/talk/systems/compare/comparison.csv{query}").status_code == 409
    told = lead_client.post("/p/talk/systems/new/", form(runs=uploads(RIGHT), name="Probe", scope="all"))
    assert "which is open" in told.content.decode()
    assert System.objects.count() == 2
