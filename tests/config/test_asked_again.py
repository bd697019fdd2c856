"""An open round asks a lead about a text of a closed one: no address tells them what others said about it."""

import pytest
from django.utils import timezone

from agreement.computation.compute import report_compute
from agreement.models import AgreementReport
from annotation import access
from annotation.adjudication.adjudication import ResolutionInput, resolution_decide
from annotation.adjudication.discussion import comment_add
from annotation.judging.recording import Unit
from annotation.models import KeyAnswer, RoundItem
from annotation.projects.projects import member_add
from annotation.rounds.lifecycle import round_close, round_create
from annotation.rounds.opening import round_open
from exports.models import QuestionRefinement, RefinementRun
from exports.releases.lifecycle import release_build
from exports.selection.parameters import Parameters
from scoring.models import Evaluation
from tests import factories
from tests.config.test_every_route import address, patterns
from tests.conftest import client_of
from tests.scoring.systems import scored, submitted

pytestmark = [pytest.mark.django_db, pytest.mark.database]

AGAIN, OTHER = "said of the text that is asked again", "said of another text"
POSTS = {
    "adjudicate_next", "unit_decide", "unit_undo", "unit_comment", "unit_skip", "refinement_reject",
    "refinement_restore", "api-refinement-reject", "api-refinement-restore", "releases",
    "api-refinement-counts",
}  # fmt: skip
"""Routes that change something or count: asked by POST as well."""


@pytest.fixture
def made():
    """Round 1 is closed with six texts, judged, decided and released; round 2 asks Lea the first of them."""
    made = factories.study("focus", annotators=2, items=6, slug="guarded")
    factories.open_round(made)
    first = made.round
    ann, bea = made.annotators
    for place, item in enumerate(made.items):
        said = OTHER if place else AGAIN
        start = item.text.split(" ")[0]
        factories.record(first, ann, item, "LE", factories.yes(item, start, comment=f"comment {said}"))
        factories.record(first, bea, item, "LE", {**factories.NO, "comment": f"comment {said}"})
        for member in (ann, bea):
            factories.record(first, member, item, "VAT", factories.yes(item, start))
    round_close(first, by=made.lead)
    report = AgreementReport.objects.get(round=first)
    assert report_compute(report_id=report.pk)
    for place, item in enumerate(made.items[:2]):
        said = (AGAIN, OTHER)[place]
        comment_add(round=first, item=item, unit=Unit("LE"), member=ann, text=f"talk {said}")
        resolution = ResolutionInput(applicable=False, why=f"why {said}", in_guideline=True)
        resolution_decide(
            item=item, unit=Unit("LE"), member=made.lead, codebook=first.codebook, given=resolution, seen=None
        )
    release_build(project=made.project, version="1.0", parameters=Parameters(comments=True))
    _refined(made)
    _scored(made)
    made.lead.is_annotator = True
    made.lead.save()
    _trained(made)
    second = round_create(project=made.project, overlap=1, member=made.lead)
    RoundItem.objects.create(round=second, item=made.items[0], position=1)
    made.round = round_open(second, members=[made.lead], by=made.lead)
    return made


def _refined(made) -> None:
    asked = {"max_tokens": 1, "timeout": 1, "per_minute": 1, "max_questions": 1, "sources": []}
    run = RefinementRun.objects.create(
        project=made.project, number=1, state="done", finished_at=timezone.now(), **asked
    )
    for place, item in enumerate(made.items[:2]):
        QuestionRefinement.objects.create(
            run=run,
            item=item,
            type_code="VAT",
            start=0,
            end=len(item.text.split(" ")[0]),
            tries=1,
            answered_at=timezone.now(),
            state="refined",
            question=f"refined {(AGAIN, OTHER)[place]}?",
        )


def _scored(made) -> None:
    """A system that was scored against the release."""
    answers = {
        item.external_id: {"fsq_types": ["VAT"], "spans": [(AGAIN, OTHER)[place]]}
        for place, item in enumerate(made.items[:2])
    }
    scored(submitted(made, made.project.releases.get(), answers))


def _trained(made) -> None:
    """A training round whose key is about the same texts."""
    round = round_create(project=made.project, overlap=1, purpose="training", member=made.lead)
    for place, item in enumerate(made.items[:2]):
        RoundItem.objects.create(round=round, item=item, position=place + 1)
        KeyAnswer.objects.create(
            round=round, item=item, type_code="LE", applicable=False, why=f"key {(AGAIN, OTHER)[place]}"
        )


def answers(client, made, **of):
    """Yield (route, what it answers) for every address below the project that a lead can ask for."""
    for name, pattern in patterns():
        if name.startswith("public_"):
            continue
        keys = pattern.pattern.converters
        for number in (1, 2, 3) if "number" in keys else (None,):
            for file in _files(made, name):
                more = {**of, **({"number": number} if number else {}), **({"name": file} if file else {})}
                url = address(pattern, made, **more)
                for asked in _queries(name):
                    yield name, client.get(url + asked)
                if name in POSTS:
                    yield name, client.post(url, {"text": "x", "seen": "1"})


def known():
    """Return the keys of what the addresses name."""
    evaluation = Evaluation.objects.get()
    return {
        "refinement_id": QuestionRefinement.objects.first().pk,
        "evaluation_id": evaluation.pk,
        "system_id": evaluation.submission.system_id,
        "answer_id": evaluation.answers.first().pk,
    }


def _files(made, route):
    if route == "evaluation_file":
        return ["scores.json", "answers.jsonl"]
    return (
        [file["name"] for file in made.project.releases.get().files]
        if route == "api-release-file"
        else [None]
    )


def _queries(name: str):
    more = {
        "agreement_units": ("?type=VAT&show=all", "?type=LE&show=all", "?show=queue"),
        "round_disagreements": ("?type=LE", "?pair=A2~A3", "?state=decided"),
        "api-report-queue": ("?all=1",),
        "refinements": ("?show=missing", "?show=rejected"),
        "api-refinements": ("?run=1",),
        "items": ("?q=said",),
        "discussion": ("?mine",),
    }
    return ("", *more.get(name, ()))


def text(response) -> str:
    return (b"".join(response) if response.streaming else response.content).decode("utf-8", "replace")


def test_no_address_tells_a_lead_what_others_said_about_a_text_that_they_are_asked(made):
    told_other = set()
    for name, response in answers(client_of("lea"), made, **known()):
        body = text(response)
        assert AGAIN not in body, name
        assert response.status_code < 500, name
        if name in ("round_disagreements", "agreement_units", "api-report-queue", "discussion"):
            assert f"/units/{made.items[0].pk}/" not in body, name
            assert '"I-1"' not in body and ">I-1<" not in body, name
        if OTHER in body:
            told_other.add(name)
    assert {"agreement_units", "refinements", "api-refinements", "round_key", "codebook"} <= told_other


def test_the_same_addresses_tell_it_to_a_lead_who_is_not_asked(made):
    lou = member_add(project=made.project, user=factories.user("lou"), is_lead=True)
    assert lou.is_lead
    told = {name for name, response in answers(client_of("lou"), made, **known()) if AGAIN in text(response)}
    assert {
        "unit",
        "agreement_units",
        "refinements",
        "api-refinements",
        "round_key",
        "api-release-file",
        "evaluation_answers",
        "evaluation_file",
    } <= told


def test_the_whole_release_waits_and_the_page_says_for_what(made):
    response = client_of("lea").get("/api/projects/guarded/releases/1.0/files/README.md")
    assert (response.status_code, response.json()["code"]) == (409, "not_ready")
    assert (
        f"You judge texts of this release in {made.round.name}, which is open" in response.json()["message"]
    )
    page = client_of("lea").get("/p/guarded/rounds/1/disagreements/").content.decode()
    assert "1 text of this round is left out here" in page


def test_figures_by_a_field_are_left_out_and_those_of_few_texts_hidden(made, monkeypatch):
    url = "/api/projects/guarded/rounds/1/report/"
    figures = client_of("lea").get(f"{url}figures.json").json()
    assert figures["cross"] == [] and figures["sections"]
    assert client_of("lea").get(url).json()["figures"]["cross"] == []
    monkeypatch.setattr("agreement.computation.requests.FEW_TEXTS", 7)
    response = client_of("lea").get(url)
    assert (response.status_code, response.json()["code"]) == (403, "not_allowed")


def test_once_the_round_is_closed_the_lead_reads_everything(made):
    assert access.kept_from(made.lead, made.project.rounds.get(number=1)) == [made.items[0].pk]
    round_close(made.round, by=made.lead)
    assert access.kept_from(made.lead, made.project.rounds.get(number=1)) == []
    page = client_of("lea").get(f"/p/guarded/rounds/1/units/{made.items[0].pk}/LE/").content.decode()
    assert AGAIN in page
    assert client_of("lea").get("/api/projects/guarded/releases/1.0/files/README.md").status_code == 200
